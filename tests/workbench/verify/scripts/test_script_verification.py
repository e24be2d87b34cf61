"""Two training scripts as they stand: what parts, in which step, at which line."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.workbench.verify.forms import check_of
from workbench.errors import TorchferryError
from workbench.verify.result import Verification
from workbench.verify.scripts.verification import verify_scripts
from workbench.verify.sides.task import Asked

PORTS = Path(__file__).parents[1] / "ports"
TRAIN, PORT = PORTS / "script_torch.py", PORTS / "script_port.py"
CLEAR = "            optimizer.clear_grad()\n"
CLIP = "        grad_clip=nn.ClipGradByGlobalNorm(1.0),\n"
STEP_OF = "loss = criterion(model(images), labels)"
# The wrong words of a port, the diverging step and its part, and words of the first place; the
# place is within three lines of the change.
BUGS = {
    "smoothing": ("label_smoothing=0.1", "", "step 1, loss", "label_smoothing is 0.0"),
    "loss": (STEP_OF, f"{STEP_OF} / 2", "step 1, loss", ""),
    "pool": ("F.max_pool2d", "F.avg_pool2d", "step 1, outputs", "max_pool2d"),
    "relu": ("F.relu(self.norm(self.conv(x)))", "self.norm(self.conv(x))", "step 1, outputs", ""),
    "dropout": ("Dropout(0.2)", "Dropout(0.3)", "step 1, outputs", "0.3"),
    "epsilon": ("BatchNorm2D(8)", "BatchNorm2D(8, epsilon=1e-4)", "step 1, outputs", ""),
    "batch": ("model(images)", "model(images * 0.5)", "step 1, batch", "another batch"),
    "decay": ("weight_decay=0.05", "weight_decay=0.01", "step 1, weights", "weight_decay is 0.01"),
    "adam": (
        "AdamW",
        "Adam",
        "step 1, weights",
        "Adam computes other weights from equal gradients",
    ),
    # AdamW divides what clipping does by itself again: in the first step all but a rounding of it.
    "clip": (CLIP, "", "step [12], weights", "as clipping does"),
    "uncleared": (CLEAR, "", "step 2, gradients", "nothing clears them"),
    "schedule": ("1e-3, 4, 0.5", "1e-3, 5, 0.5", "step 5, rate", "the learning rate is 0.001"),
    "evaluation": ("        model.train()\n", "", "step 9, outputs", "in evaluation mode"),
}


def held(port: Path, train: Path = TRAIN, steps: int = 10) -> Verification:
    return verify_scripts(train, port, Asked(steps=steps), "paddle", lambda what: None)


def test_a_right_port_agrees_in_every_step() -> None:
    # Its loader shuffles, dropout draws, and evaluations stand between the epochs.
    found = held(PORT, steps=12)
    assert found.certified, found.checks
    assert "conv.weight=conv.weight" in found.pairs
    (curve,) = check_of(found, "steps of both scripts").curves
    assert curve.torch == pytest.approx(curve.target, rel=1e-4)


def test_packages_of_one_name_next_to_each_script(tmp_path: Path) -> None:
    sides = tmp_path / "torch", tmp_path / "paddle"
    for folder, script in zip(sides, (TRAIN, PORT), strict=True):
        (folder / "small").mkdir(parents=True)
        (folder / "small" / "__init__.py").write_text("from .net import *\n")
        network, main, training = script.read_text().partition("\ndef main(")
        imports = network.partition("\nclass ")[0]
        (folder / "small" / "net.py").write_text(network)
        (folder / "train.py").write_text(f"{imports}\nfrom small import *\n{main}{training}")
    found = held(sides[1] / "train.py", sides[0] / "train.py", steps=3)
    assert found.certified, found.checks


@pytest.mark.one_in(4)
@pytest.mark.parametrize("bug", BUGS)
def test_the_first_step_that_parts(bug: str, tmp_path: Path) -> None:
    right, wrong, step, words = BUGS[bug]
    source = PORT.read_text()
    assert source.count(right) >= 1
    port = tmp_path / "port.py"
    port.write_text(source.replace(right, wrong))
    found = held(port)
    assert not found.certified
    assert re.match(step, check_of(found, "steps of both scripts").summary), check_of(
        found, "steps of both scripts"
    ).summary
    first = found.places[0]
    assert words in f"{first.cause} {first.what}", first
    changed = source[: source.index(right)].count("\n") + 1
    near = 7 if bug == "clip" else 3  # it is reported where the step is made
    file, _, line = first.port.rpartition(":")
    assert file == str(port)
    assert abs(int(line) - changed) <= near, (first, changed)


GAN, GAN_PORT = PORTS / "gan_torch.py", PORTS / "gan_port.py"
GAN_BUGS = {
    "slope": ("x = nn.functional.leaky_relu(self.first(x), 0.2)", "0.2", "0.1", "step 1, outputs"),
    "target": ("d_loss = criterion(net_d(real)", "ones", "zeros", "step 1, loss"),
    "uncleared": ("opt_g.clear_grad()", "opt_g.clear_grad()", "pass", "step 4, gradients"),
    "rate": ("opt_g = paddle", "1e-3", "2e-3", "step 2, rate"),
    "beta": ("opt_g = paddle", "beta1=0.5", "beta1=0.6", "step 4, weights"),
    "whose": ("opt_d = paddle", "net_d.param", "net_g.param", "step 1, weights"),
}


def test_two_models_that_are_trained_against_each_other() -> None:
    found = held(GAN_PORT, GAN, steps=12)
    assert found.certified, found.checks
    assert "0.weight=up.weight" in found.pairs
    assert "Sequential (2): 0.weight=first.weight" in found.pairs


def test_models_may_be_called_in_another_order_and_gradients_cleared_elsewhere(
    tmp_path: Path,
) -> None:
    lines = GAN_PORT.read_text().splitlines()
    (fake,) = (number for number, line in enumerate(lines) if "fake = net_g(" in line)
    lines[fake], lines[fake + 2] = lines[fake + 2], lines[fake]
    lines = [line for line in lines if "clear_grad" not in line]
    text = "\n".join(lines).replace("opt_d.step()", "opt_d.step()\n    opt_d.clear_grad()")
    cleared = "opt_g.step()\n    opt_g.clear_grad()\n    opt_d.clear_grad()"
    port = tmp_path / "port.py"
    port.write_text(text.replace("opt_g.step()", cleared))
    found = held(port, GAN)
    assert found.certified, found.checks
    port.write_text(text)
    found = held(port, GAN)
    assert "the port's gradients add up: nothing clears them" in found.places[0].cause


@pytest.mark.one_in(4)
@pytest.mark.parametrize("bug", GAN_BUGS)
def test_divergence_among_two_models(bug: str, tmp_path: Path) -> None:
    line, right, wrong, step = GAN_BUGS[bug]
    lines = GAN_PORT.read_text().splitlines()
    (number,) = (number for number, text in enumerate(lines) if line in text)
    lines[number] = lines[number].replace(right, wrong)
    port = tmp_path / "port.py"
    port.write_text("\n".join(lines))
    found = held(port, GAN)
    assert not found.certified
    assert check_of(found, "steps of both scripts").summary.startswith(step), check_of(
        found, "steps of both scripts"
    ).summary
    reported = [int(where.port.rpartition(":")[2]) for where in found.places[:2]]
    assert min(abs(line - number - 1) for line in reported) <= 3, (found.places, number + 1)


AVERAGE, AVERAGE_PORT = PORTS / "average_torch.py", PORTS / "average_port.py"
CLEARED = "        optimizer.clear_grad()\n"
AVERAGE_BUGS = {
    "average": ("mean * 0.9 + now[name] * 0.1", "mean * 0.8 + now[name] * 0.2", "weights at"),
    "statistics": ('if not name.endswith(("_mean", "_variance"))', "if name", "weights at"),
    "schedule": (f"{CLEARED}", f"{CLEARED}        schedule.step()\n", "step 2, rate"),
    "steady": ("    schedule.step()\n", "", "step 3, rate"),
    "cleared": (" / 2\n", f" / 2\n    {CLEARED}", "step 1, gradients"),
    "mode": ("    average.eval()\n", "", "weights at"),
    "buffer": ("self.calls % 5", "self.calls % 4", "step 3, weights"),
    "decay": (", weight_decay=0.01", ", weight_decay=0.1", "step 1, weights"),
}


def test_a_model_that_counts_and_an_average_of_its_weights() -> None:
    found = held(AVERAGE_PORT, AVERAGE)
    assert found.certified, found.checks
    assert "Net (2): body.0.weight=body.0.weight" in found.pairs


@pytest.mark.one_in(4)
@pytest.mark.parametrize("bug", AVERAGE_BUGS)
def test_changes_of_weights_or_the_rate_between_steps(bug: str, tmp_path: Path) -> None:
    right, wrong, step = AVERAGE_BUGS[bug]
    source = AVERAGE_PORT.read_text()
    assert right in source
    port = tmp_path / "port.py"
    port.write_text(source.replace(right, wrong))
    found = held(port, AVERAGE)
    assert not found.certified
    assert step in check_of(found, "steps of both scripts").summary, check_of(
        found, "steps of both scripts"
    ).summary
    changed = source[: source.index(right)].count("\n") + 1
    places = [(port, found.places[0].port), (AVERAGE, found.places[0].original)]
    near = [
        abs(int(found_at.rpartition(":")[2]) - changed) <= 4
        for file, found_at in places
        if found_at.startswith(str(file))
    ]
    assert any(near), (found.places, changed)
    if bug == "mode":
        assert "in training mode, the original's in evaluation" in found.places[0].cause
    if bug == "decay":
        assert "weight_decay is 0.1 in the port and 0.01 in" in found.places[0].cause


def _without_detach(folder: Path, instead: str) -> tuple[Verification, Path, int]:
    """Return the result for a port with one changed line, the port, and the line."""
    port, text = folder / "port.py", GAN_PORT.read_text()
    port.write_text(text.replace("fake.detach()", instead))
    found = held(port, GAN)
    assert not found.certified
    return found, port, text[: text.index("fake.detach()")].count("\n") + 1


def test_a_port_that_fails_is_reported_at_its_line(tmp_path: Path) -> None:
    found, port, line = _without_detach(tmp_path, "fake.undefined()")
    assert found.places[0].port == f"{port}:{line}"
    assert (
        "the script stops in step 1 (AttributeError"
        in check_of(found, "steps of both scripts").summary
    )


def test_a_gradient_that_should_have_stopped_is_reported(tmp_path: Path) -> None:
    found, _, line = _without_detach(tmp_path, "fake")
    assert "a gradient reaches this operation, and none in the original" in found.places[0].cause
    reported = int(found.places[0].port.rpartition(":")[2])
    assert abs(reported - line) <= 3


ONE = """
import torch
first, second = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(first.parameters(), lr=0.1)
first(torch.ones(3, 2)).sum().backward()
optimizer.step()
"""


def test_a_port_that_trains_more_models(tmp_path: Path) -> None:
    train, port = tmp_path / "train.py", tmp_path / "port.py"
    train.write_text(ONE)
    text = ONE.replace("import torch\n", "import paddle\n").replace("torch.nn", "paddle.nn")
    text = text.replace(
        "torch.optim.SGD(first.parameters(), lr=0.1)",
        "paddle.optimizer.SGD(0.1, first.parameters())",
    )
    text = text.replace("first(torch.ones(3, 2))", "second(first(paddle.ones([3, 2])))")
    port.write_text(text)
    with pytest.raises(TorchferryError, match=r"port.py:5: the port trains one more model"):
        held(port, train)


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("made", "right", "wrong", "cause"),
    [
        ("Adamax(WEIGHTS, lr=0.01)", "(0.01, parameters", "(0.0101, parameters", "rate is 0.0101"),
        # Whose epsilon stands under the root.
        ("RMSprop(WEIGHTS, 0.01, eps=1e-4)", "epsilon=1e-8", "epsilon=1e-4", "eps is 0.01 in"),
    ],
)
def test_another_form_of_one_optimizer_is_accepted(
    made: str, right: str, wrong: str, cause: str, tmp_path: Path
) -> None:
    train, port = tmp_path / "train.py", tmp_path / "port.py"
    text = ONE.replace("torch.optim.SGD(first.parameters(), lr=0.1)", "MADE")
    scale = "1e-6" if made.startswith("Adamax") else "1.0"
    text = text.replace("torch.ones(3, 2)).sum()", f"{scale} * torch.ones(3, 2)).sum()")
    weights = "first.parameters()"
    train.write_text(text.replace("MADE", f"torch.optim.{made.replace('WEIGHTS', weights)}"))
    text = text.replace("torch", "paddle").replace("paddle.ones(3, 2)", "paddle.ones([3, 2])")
    others = {
        "Adamax": f"Adamax(0.01, parameters={weights})",
        "RMSprop": f"RMSProp(0.01, 0.99, epsilon=1e-8, parameters={weights})",
    }
    other = f"paddle.optimizer.{others[made.partition('(')[0]]}"
    assert right in other
    port.write_text(text.replace("MADE", other))
    found = held(port, train)
    assert found.certified, found.as_dict()
    port.write_text(text.replace("MADE", other.replace(right, wrong)))
    assert cause in held(port, train).places[0].cause


FAILS = "import torch\nnet = torch.nn.Linear(2, 2)\nraise ValueError('no data')\n"


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("script", "message"),
    [
        (FAILS, r"train.py:3: the script stops in step 1 \(ValueError: no data\)"),
        ("print('nothing')\n", "without a step of an optimizer"),
    ],
)
def test_scripts_that_cannot_be_compared(script: str, message: str, tmp_path: Path) -> None:
    train = tmp_path / "train.py"
    train.write_text(script)
    with pytest.raises(TorchferryError, match=message):
        held(PORT, train)


def test_a_script_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(TorchferryError, match=r"port.py: no such file"):
        held(tmp_path / "port.py")


def test_a_port_that_ends_early(tmp_path: Path) -> None:
    port = tmp_path / "port.py"
    port.write_text(PORT.read_text().replace("range(5)", "range(1)"))
    found = held(port)
    assert not found.certified
    assert check_of(found, "steps of both scripts").summary == "the port ends after 8 steps"


def test_nothing_of_a_run_stays(tmp_path: Path) -> None:
    import torch

    before: list[Callable[..., object]] = [torch.nn.Module.__call__, torch.Tensor.backward]
    held(PORT, steps=1)
    assert before == [torch.nn.Module.__call__, torch.Tensor.backward]
    model = torch.nn.Linear(2, 2)
    optimizer = torch.optim.AdamW(model.parameters())
    model(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    assert "verify" not in str(type(optimizer).step.__module__)
