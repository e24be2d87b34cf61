"""Whole training programs: converted, run from the same weights, their losses follow torch's."""

from __future__ import annotations

import ast
import struct
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import workbench
from workbench.targets import STYLES, load

PROGRAMS = Path(__file__).parents[4] / "programs"


def converted(name: str, style: str = "plain") -> str:
    text = (PROGRAMS / f"{name}.py").read_text()
    result = workbench.convert(text, target=load("paddle", style))
    assert not result.unconverted
    return result.code


def run(code: str, name: str) -> dict[str, Any]:
    space: dict[str, Any] = {"__name__": name}
    exec(compile(code, name, "exec"), space)
    return space


def carry(source: Any, target: Any) -> None:
    """Give a Paddle model the weights of a torch one: Linear's are transposed."""
    import paddle

    layers = dict(target.named_sublayers(include_self=True))
    for name, tensor in source.state_dict().items():
        if name.endswith("num_batches_tracked"):
            continue
        if name not in target.state_dict():  # Paddle's own BatchNorm
            name = name.replace("running_mean", "_mean").replace("running_var", "_variance")
        owner, _, last = name.rpartition(".")
        native = isinstance(layers.get(owner), paddle.nn.Linear) and last == "weight"
        value = tensor.numpy().T if native else tensor.numpy()
        target.state_dict()[name].set_value(paddle.to_tensor(value.copy()))


def both(
    name: str, style: str, *given: Any, kind: str | None = None
) -> list[tuple[list[float], list[float]]]:
    """Return the results of `train` on both sides, from the weights that torch draws."""
    import torch

    torch.manual_seed(0)
    text = (PROGRAMS / f"{name}.py").read_text()
    ours, theirs = run(text, "torch_side"), run(converted(name, style), "paddle_side")
    chosen = () if kind is None else (kind,)
    model, other = ours["build"](*chosen), theirs["build"](*chosen)
    carry(model, other)
    return [ours["train"](model, *chosen, *given), theirs["train"](other, *chosen, *given)]


RNG = np.random.default_rng(0)
WAVES = np.sin(np.arange(20) * 0.3 + RNG.uniform(0, 6, (6, 1))).astype("float32")
GIVEN: dict[str, tuple[Any, ...]] = {
    "cnn": (
        RNG.standard_normal((20, 3, 8, 8)).astype("float32"),
        RNG.integers(0, 5, 20),
    ),
    "sequence": (WAVES,),
    "vae": (
        RNG.uniform(0, 1, (8, 6, 6)).astype("float32"),
        RNG.standard_normal((20, 8, 4)).astype("float32"),
    ),
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", list(GIVEN))
def test_losses_and_rates_follow_torchs(name: str, style: str) -> None:
    (losses, rates), (others, other_rates) = both(name, style, *GIVEN[name])
    np.testing.assert_allclose(others, losses, rtol=2e-5)
    np.testing.assert_allclose(other_rates, rates, rtol=1e-7)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN_TANH", "RNN_RELU", "Transformer"])
def test_a_language_model_is_chosen_by_name(kind: str, style: str) -> None:
    (losses, rates), (others, other_rates) = both("language", style, kind=kind)
    np.testing.assert_allclose(others, losses, rtol=2e-5)
    assert other_rates == rates


ORDINARY = sorted(file.stem for file in (PROGRAMS / "ordinary").glob("*.py"))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", ORDINARY)
def test_an_ordinary_loop_gives_torchs_history(name: str) -> None:
    history, other = both(f"ordinary/{name}", "plain")
    np.testing.assert_allclose(other, history, rtol=1e-3, atol=1e-5)


def test_training_parts_are_paddles_own() -> None:
    code = converted("cnn")
    for line in (
        "    optimizer = paddle.optimizer.Adam(1e-2, parameters=model.parameters(), "
        "weight_decay=1e-4)",
        "    scheduler = StepDecay(optimizer.get_lr(), step_size=1, gamma=0.5)",
        "    optimizer.set_lr_scheduler(scheduler)",
        "        rates.append(scheduler.last_lr)",
    ):
        assert line in code.splitlines()


@pytest.mark.one_in(2)
@pytest.mark.parametrize("style", STYLES)
def test_a_program_is_resumed_from_its_checkpoint(style: str, tmp_path: Path) -> None:
    """In processes of their own, as people do: the losses go on as if it had never stopped."""
    import torch

    torch.manual_seed(0)
    (tmp_path / "gpt.py").write_text(converted("gpt", style))
    ours = run((PROGRAMS / "gpt.py").read_text(), "torch_side")
    theirs = run(converted("gpt", style), "paddle_side")
    model, other = ours["build"](), theirs["build"]()
    carry(model, other)
    import paddle

    paddle.save({"model": other.state_dict()}, str(tmp_path / "start.pt"))
    ids = torch.arange(36).reshape(4, 9) * 7 % 16
    expected = ours["train"](model, ours["make_optimizer"](model), ids, 0, 12)

    def losses(*options: str) -> list[float]:
        command = [sys.executable, "gpt.py", *options]
        done = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=120
        )
        shown: list[float] = ast.literal_eval(done.stdout.strip().splitlines()[-1])
        return shown

    found = losses("--last", "6", "--start", "start.pt") + losses("--first", "6")
    np.testing.assert_allclose(found, expected, rtol=2e-5)


@pytest.fixture
def digits(tmp_path: Path) -> Path:
    """Data files in MNIST's format, where torchvision keeps them."""
    raw = tmp_path / "MNIST" / "raw"
    raw.mkdir(parents=True)
    for part, count in (("train", 10), ("t10k", 2)):
        pixels = RNG.integers(0, 256, (count, 4, 4), "uint8")
        head = struct.pack(">iiii", 2051, count, 4, 4)
        (raw / f"{part}-images-idx3-ubyte").write_bytes(head + pixels.tobytes())
        labels = bytes(index % 10 for index in range(count))
        (raw / f"{part}-labels-idx1-ubyte").write_bytes(struct.pack(">ii", 2049, count) + labels)
    return tmp_path


@pytest.mark.one_in(2)
@pytest.mark.parametrize("style", STYLES)
def test_digits_are_read_and_learned(
    style: str, digits: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "torchvision" not in sys.modules:
        _stand_in_for_torchvision(monkeypatch)
    (losses, accuracy), (others, other) = both("digits", style, str(digits))
    np.testing.assert_allclose(others, losses, rtol=2e-5)
    assert other == accuracy


def _stand_in_for_torchvision(monkeypatch: pytest.MonkeyPatch) -> None:
    """The three names that the program has of torchvision, for torch's own side."""
    import torch

    class MNIST(torch.utils.data.Dataset):  # type: ignore[type-arg]
        def __init__(self, root: str, train: bool, download: bool, transform: Any) -> None:
            raw = Path(root) / "MNIST" / "raw"
            pixels = np.fromfile(raw / "train-images-idx3-ubyte", "uint8", offset=16)
            self.pixels = pixels.reshape(-1, 4, 4)
            self.labels = np.fromfile(raw / "train-labels-idx1-ubyte", "uint8", offset=8).tolist()
            self.transform = transform

        def __len__(self) -> int:
            return len(self.labels)

        def __getitem__(self, index: int) -> Any:
            return self.transform(self.pixels[index]), self.labels[index]

    def to_tensor() -> Any:
        return lambda image: torch.from_numpy(image[None]).float() / 255

    def compose(parts: Any) -> Any:
        return lambda image: parts[1](parts[0](image))

    def normalize(mean: Any, std: Any) -> Any:
        return lambda image: (image - mean[0]) / std[0]

    datasets = types.ModuleType("torchvision.datasets")
    transforms = types.ModuleType("torchvision.transforms")
    vars(datasets)["MNIST"] = MNIST
    vars(transforms).update(ToTensor=to_tensor, Compose=compose, Normalize=normalize)
    package = types.ModuleType("torchvision")
    vars(package).update(datasets=datasets, transforms=transforms)
    for one in (package, datasets, transforms):
        monkeypatch.setitem(sys.modules, one.__name__, one)
