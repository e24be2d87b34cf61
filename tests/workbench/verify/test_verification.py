"""Ports by hand: correct ones are certified, wrong ones reported with the line."""

from __future__ import annotations

from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from tests.workbench.verify.bugs import BUGS, MORE_BUGS, MORE_SLIGHTLY, SAME, SLIGHTLY
from workbench.verify.result import Verification
from workbench.verify.sides.task import Asked
from workbench.verify.verification import verify_files

PORTS = Path(__file__).parent / "ports"
_MOMENTS = ("exp_avg", "momentum_buffer")
# An error is raised far from its cause, and what is missing has no line; a wrong helper shows where
# it is called.
NOT_LOCATED = {
    "3, 6, 3, s=2, p=0",
    "return y",
    "heat.sum(axis=3) * line",
    "return x + m",
    "return p.ndim >= 2",
    "[layer] * (depth - 1)",
}


def _each(
    changes: dict[str, list[tuple[str, str]]], rarely: tuple[str, ...] = ()
) -> list[ParameterSet]:
    """Return the changes one by one; those of some ports only for thorough runs."""
    marks = {name: pytest.mark.thorough if name in rarely else () for name in changes}
    return [
        pytest.param(name, old, new, marks=marks[name])
        for name, pairs in changes.items()
        for old, new in pairs
    ]


def _verify(name: str, port: Path, steps: int = 3) -> Verification:
    def report(what: str) -> None:
        pass

    original = f"{PORTS}/{name}_torch.py:Net"
    return verify_files(original, f"{port}:Net", Asked(steps=steps), "paddle", report)


def _changed(name: str, old: str, new: str, folder: Path) -> tuple[Path, int]:
    text = (PORTS / f"{name}_port.py").read_text()
    assert old in text
    file = folder / f"{name}_changed.py"
    file.write_text(text.replace(old, new, 1))
    return file, text[: text.index(old)].count("\n") + 1


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", sorted({*BUGS, *MORE_BUGS}))
def test_a_correct_port_is_certified(name: str) -> None:
    found = _verify(name, PORTS / f"{name}_port.py")
    assert found.certified, found.as_dict()


@pytest.mark.one_in(5)
@pytest.mark.parametrize(("name", "old", "new"), _each(SAME, rarely=("gpt", "seq")))
def test_other_words_for_the_same_are_certified(
    name: str, old: str, new: str, tmp_path: Path
) -> None:
    found = _verify(name, _changed(name, old, new, tmp_path)[0])
    assert found.certified, found.as_dict()


@pytest.mark.one_in(5)
@pytest.mark.parametrize(("name", "old", "new"), _each(BUGS))
def test_a_wrong_port_is_reported_with_its_line(
    name: str, old: str, new: str, tmp_path: Path
) -> None:
    _assert_reported(name, old, new, tmp_path)


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "old", "new"), _each(MORE_BUGS))
def test_more_wrong_ports_are_reported(name: str, old: str, new: str, tmp_path: Path) -> None:
    _assert_reported(name, old, new, tmp_path)


def _assert_reported(name: str, old: str, new: str, tmp_path: Path) -> None:
    file, line = _changed(name, old, new, tmp_path)
    found = _verify(name, file)
    assert not found.certified
    if new not in NOT_LOCATED:
        port, _, reported = found.places[0].port.rpartition(":")
        assert Path(port) == file
        assert abs(int(reported) - line) <= 3, [str(where) for where in found.places]


@pytest.mark.parametrize("name", [pytest.param("gpt", marks=pytest.mark.thorough), "block"])
def test_a_hundred_steps_of_training_are_certified(name: str) -> None:
    found = _verify(name, PORTS / f"{name}_port.py", steps=100)
    assert found.certified, found.as_dict()
    check = next(one for one in found.checks if one.name == "100 steps of training")
    [curve] = check.curves
    assert len(curve.torch) == len(curve.target) == len(curve.drift) == 100
    assert curve.torch[-1] < 0.9 * curve.torch[0]  # it does train
    assert any(figure.name.split(" of ")[0] in _MOMENTS for figure in check.figures)


@pytest.mark.one_in(5)
@pytest.mark.parametrize(
    ("name", "old", "new"), [*_each(SLIGHTLY), *_each(MORE_SLIGHTLY, rarely=("block", "gpt"))]
)
def test_a_setting_that_is_slightly_off_is_caught(
    name: str, old: str, new: str, tmp_path: Path
) -> None:
    file, _ = _changed(name, old, new, tmp_path)
    assert not _verify(name, file, steps=100).certified


def test_a_cause_is_tried_before_it_is_reported(tmp_path: Path) -> None:
    file, line = _changed("mlp", "nn.LayerNorm(8)", "nn.LayerNorm(8, epsilon=1e-6)", tmp_path)
    where = _verify("mlp", file).places[0]
    assert where.port == f"{file}:{line}"
    assert where.original.startswith(f"{PORTS}/mlp_torch.py:")
    assert where.cause == "eps is 1e-06 in the port and 1e-05 in the original"
    assert where.tested


def _nets(
    port: Path, shape: str, original: tuple[str, str], other: tuple[str, str]
) -> Verification:
    """Verify a `Net` by what its `__init__` makes, in lines, and what its `forward` returns."""
    text = "import {0}\nfrom {0} import nn\n\nclass Net(nn.{1}):\n    def __init__(self):\n"
    text += (
        "        super().__init__()\n        {2}\n\n    def forward(self, x):\n        return {3}\n"
    )
    file = port.with_name(port.name.replace("port", "torch"))
    inputs = f"\nexample_inputs = (torch.randn({shape}),)\n"
    file.write_text(text.format("torch", "Module", *original) + inputs)
    port.write_text(text.format("paddle", "Layer", *other))
    return verify_files(f"{file}:Net", f"{port}:Net", Asked(), "paddle", lambda _: None)


_LINEAR = "self.fc = nn.Linear(8, 8)\n        "


@pytest.mark.parametrize("kept", [True, False])
def test_a_table_that_nothing_draws_has_to_be_right(kept: bool, tmp_path: Path) -> None:
    made = _LINEAR + 'self.register_buffer("table", {0}.{1}({0}.arange(8.0)), persist{2}={3})'
    one, other = (
        made.format(*how, kept) for how in (("torch", "sin", "ent"), ("paddle", "cos", "able"))
    )
    call = "self.fc(x) * self.table"
    found = _nets(tmp_path / "table_port.py", "2, 8", (one, call), (other, call))
    assert not found.certified
    assert any(check.name == "fresh weights" for check in found.checks if check.differing)


@pytest.mark.parametrize("drawn", [True, False])
def test_a_drawn_table_has_to_be_saved(drawn: bool, tmp_path: Path) -> None:
    port, how = tmp_path / "saved_port.py", "randn" if drawn else "ones"
    one = f'{_LINEAR}self.register_buffer("table", torch.{how}([8]))'
    other = f'{_LINEAR}self.register_buffer("table", paddle.{how}([8]), persistable=False)'
    call = "self.fc(x) * self.table"
    found = _nets(port, "2, 8", (one, call), (other, call))
    assert found.certified is not drawn
    if drawn:
        assert found.places[0].port == f"{port}:8"
        assert found.places[0].cause == "table is not in the port's saved state"


def test_a_momentum_the_other_way_round_shows_without_a_training(tmp_path: Path) -> None:
    port = tmp_path / "norm_port.py"
    one = "self.norm = nn.BatchNorm1d(8, momentum=0.01)", "self.norm(x)"
    for momentum in (0.99, 0.01):
        other = f"self.norm = nn.BatchNorm1D(8, momentum={momentum})", "self.norm(x)"
        found = _nets(port, "4, 8", one, other)
        assert found.certified is (momentum == 0.99)
    assert found.places[0].port == f"{port}:7"
    assert "momentum" in found.places[0].cause
    assert found.places[0].tested


@pytest.mark.parametrize(
    ("right", "wrong", "by"),
    [("/ 8**0.5", "* 32**-0.5", "times 0.5"), ("+ 0.5", "+ 0.75", "plus a constant, 0.25")],
)
def test_another_scale_is_reported_with_its_factor(
    right: str, wrong: str, by: str, tmp_path: Path
) -> None:
    port, made = tmp_path / "scaled_port.py", "self.fc = nn.Linear(8, 64)"
    found = _nets(port, "64, 8", (made, f"self.fc(x) {right}"), (made, f"self.fc(x) {wrong}"))
    assert found.places[0].port == f"{port}:10"
    assert found.places[0].cause == f"the port's value is the original's {by}"


def test_gradients_of_inputs_are_not_asked_for_where_the_original_asks_behind_them(
    tmp_path: Path,
) -> None:
    original, port = tmp_path / "asking_torch.py", tmp_path / "asking_port.py"
    head = "import {0}\nfrom {0} import nn\n\nclass Net(nn.{1}):\n    def __init__(self):\n"
    rest = "        super().__init__()\n        self.fc = nn.Linear(4, 3)\n\n"
    call = "    def forward(self, x):\n        x = x[:, None]\n{}        return self.fc(x)\n"
    asking = "        if self.training:\n            x.requires_grad = True\n"
    inputs = "\nexample_inputs = (torch.randn(2, 4),)\n"
    original.write_text(head.format("torch", "Module") + rest + call.format(asking) + inputs)
    port.write_text(head.format("paddle", "Layer") + rest + call.format(""))
    found = verify_files(f"{original}:Net", f"{port}:Net", Asked(), "paddle", lambda _: None)
    assert found.certified, found.as_dict()


def test_a_schedule_that_diverges_is_reported_with_the_step(tmp_path: Path) -> None:
    original, port = tmp_path / "scheduled_torch.py", tmp_path / "scheduled_port.py"
    scheduled = "    made = torch.optim.SGD(params, lr=0.1)\n    return made, S(made, 2, 0.5)\n"
    text = (PORTS / "mlp_torch.py").read_text()
    head = text[: text.index("    return torch.optim")]
    original.write_text(f"{head}{scheduled}\n\nS = torch.optim.lr_scheduler.StepLR\n")
    text = (PORTS / "mlp_port.py").read_text()
    head = text[: text.index("    return paddle.optimizer")]
    rate = "    rate = paddle.optimizer.lr.StepDecay(0.1, {every}, 0.5)\n"
    end = "    return paddle.optimizer.SGD(rate, parameters=params)\n"
    for every in (2, 3):
        port.write_text(head + rate.format(every=every) + end)
        found = verify_files(f"{original}:Net", f"{port}:Net", Asked(), "paddle", lambda _: None)
        assert found.certified is (every == 2), found.as_dict()
    steps = next(check for check in found.checks if check.name == "5 steps of training")
    assert steps.summary.startswith("learning rate of step 3: ")


def test_a_training_that_diverges_later_is_reported_with_step_and_statement(
    tmp_path: Path,
) -> None:
    original, port = tmp_path / "late_torch.py", tmp_path / "late_port.py"
    text = (PORTS / "mlp_torch.py").read_text()
    late = "def batch(step):\n    x, y = (torch.randn(4, 6), torch.randint(0, 7, (4,)))\n"
    late += "    y[0] = 7 if step >= 2 else y[0]\n    return x, y\n\n\n"
    head, _, rest = text.partition("def batch")
    original.write_text(
        head
        + late
        + rest[rest.index("def loss") :].replace(
            "(outputs, target", "(outputs, target, ignore_index=7"
        )
    )
    port.write_text((PORTS / "mlp_port.py").read_text())
    found = verify_files(f"{original}:Net", f"{port}:Net", Asked(), "paddle", lambda _: None)
    assert not found.certified
    line = port.read_text()[: port.read_text().index("F.cross_entropy")].count("\n") + 1
    assert found.places[0].port == f"{port}:{line}", list(map(str, found.places))
    assert "step 3: " in str(found.places[0])


def test_the_first_moments_that_part_are_named_with_their_step(tmp_path: Path) -> None:
    file, _ = _changed("block", "paddle.optimizer.Momentum", "_Late", tmp_path)
    # Its third step takes other gradients.
    late = """

class _Late(paddle.optimizer.Momentum):
    def step(self):
        self.taken = getattr(self, "taken", 0) + 1
        if self.taken == 3:
            for p in self._parameter_list:
                if p.grad is not None:
                    p.grad = p.grad * 1.1
        super().step()
"""
    file.write_text(file.read_text() + late)
    found = _verify("block", file, steps=5)
    steps = next(check for check in found.checks if check.name == "5 steps of training")
    differing = [figure.name for figure in steps.differing]
    assert differing[0].startswith("momentum_buffer of ") and differing[0].endswith(" after step 3")
    assert steps.summary.startswith(differing[0])
    assert not any(name.endswith(" after step 2") for name in differing)


@pytest.mark.parametrize(
    ("name", "old", "new", "difference"),
    [
        (
            "decoder",
            "x.transpose([0, 1, 4, 2, 5, 3])",
            "x.transpose([0, 1, 4, 3, 5, 2])",
            "positions",
        ),
        (
            "window",
            "y = paddle.concat([y[:, -2:], y[:, :-2]], axis=1)",
            "y = y",
            "roll, which is missing",
        ),
    ],
)
def test_values_in_other_positions_are_reported_where_they_move(
    name: str, old: str, new: str, difference: str, tmp_path: Path
) -> None:
    file, line = _changed(name, old, new, tmp_path)
    where = _verify(name, file).places[0]
    assert abs(int(where.port.rpartition(":")[2]) - line) <= 1
    assert difference in where.what


def test_a_gradient_that_stops_is_reported_where_it_does(tmp_path: Path) -> None:
    file, line = _changed("gpt", "scores + future", "scores.detach() + future", tmp_path)
    where = _verify("gpt", file).places[0]
    assert abs(int(where.port.rpartition(":")[2]) - line) <= 1
    assert where.cause == "the gradient stops here, and not in the original"


_SEVERAL = """import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(3, 2)

    def forward(self, x, y):
        return self.fc(x + y)

def batch(step):
    return (torch.randn(4, 3), torch.randn(4, 3)), torch.randn(4, 2)

def loss(outputs, wanted):
    return (outputs - wanted).square().mean()
"""


@pytest.mark.parametrize("takes", ["outputs", "model"])
def test_a_batch_may_keep_several_inputs_together(takes: str, tmp_path: Path) -> None:
    text = _SEVERAL
    if takes == "model":  # and the whole batch, as the function gives it
        text = text.replace("(outputs, wanted)", "(model, batch)").replace(
            "return (outputs", "(x, y), wanted = batch\n    return (model(x, y)"
        )
    original, port = tmp_path / "several_torch.py", tmp_path / "several_port.py"
    original.write_text(text)
    port.write_text(text.replace("torch.nn.Module", "paddle.nn.Layer").replace("torch", "paddle"))
    found = verify_files(f"{original}:Net", f"{port}:Net", Asked(), "paddle", lambda _: None)
    assert found.certified, found.as_dict()


def test_a_value_equal_by_chance_hides_no_location(tmp_path: Path) -> None:
    """A one-hot tensor is as large wherever its ones are."""
    head = "import torch\n\nclass Net(torch.nn.Module):\n    def __init__(self):\n"
    head += "        super().__init__()\n        self.fc = torch.nn.Linear(6, 4)\n\n"
    body = "    def forward(self, x):\n        scores = torch.tanh(self.fc(x)) * 3\n"
    body += "        hot = torch.nn.functional.one_hot(scores.argmax(-1), 4).to(x.dtype)\n"
    body += "        return (scores * hot).sum(-1) + hot.cumsum(0)[:, 0]\n\n"
    given = "example_inputs = (torch.randn(9, 6),)\n"
    original, port = tmp_path / "chosen_torch.py", tmp_path / "chosen_port.py"
    original.write_text(head + body + given)
    wrong = (head + body).replace("torch.tanh(self.fc(x))", "torch.cos(self.fc(x))")
    wrong = wrong.replace("torch.nn.Module", "paddle.nn.Layer").replace(".to(", ".astype(")
    port.write_text(wrong.replace("torch", "paddle"))
    found = verify_files(f"{original}:Net", f"{port}:Net", Asked(), "paddle", lambda _: None)
    line = wrong[: wrong.index("cos(")].count("\n") + 1
    assert found.places[0].port == f"{port}:{line}", list(map(str, found.places))


def test_data_of_a_batch_that_the_loss_takes_whole_needs_no_gradient(tmp_path: Path) -> None:
    text = "import torch\n\nclass Net(torch.nn.Module):\n    def __init__(self):\n"
    text += "        super().__init__()\n        self.fc = torch.nn.Linear(3, 1)\n\n"
    text += "    def forward(self, x):\n        return self.fc(x)[:, 0]\n\n"
    head = "def batch(step):\n    return torch.randn(4, 3), torch.randn(4)\n\n"
    loss = "def loss(model, x, reward):\n    value = model(x)\n"
    ours = loss + "    with torch.no_grad():\n        target = reward + 0.9 * value.detach()\n"
    theirs = loss + "    target = reward + 0.9 * value.detach()\n"
    end = "    return ((value - target) ** 2).mean()\n"
    original, port = tmp_path / "value_torch.py", tmp_path / "value_port.py"
    original.write_text(text + head + ours + end)
    text = text.replace("torch.nn.Module", "paddle.nn.Layer").replace("torch", "paddle")
    port.write_text(text + theirs + end)
    found = verify_files(f"{original}:Net", f"{port}:Net", Asked(), "paddle", lambda _: None)
    assert found.certified, found.as_dict()
    port.write_text((text + theirs + end).replace("value.detach()", "value"))
    found = verify_files(f"{original}:Net", f"{port}:Net", Asked(), "paddle", lambda _: None)
    assert not found.certified
