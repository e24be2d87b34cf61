"""Model files in the styles of many authors: converted whole, given the same weights, compared."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
paddle = pytest.importorskip("paddle")

import workbench  # noqa: E402
from workbench.targets.paddle.carry import layouts  # noqa: E402

SOURCES = Path(__file__).parent / "sources"

# A file: how its model is made, how it is called, and what it is called with; a number as kind is
# the bound of random integers.
MODELS: dict[str, tuple[str, str, list[tuple[tuple[int, ...], Any]]]] = {
    "codebook": ("Autoencoder()", "[*model(a), followed(model, a)]", [((2, 3, 8, 8), "float32")]),
    "conv_net": ("ConvNet()", "model(a)", [((4, 3, 16, 16), "float32")]),
    "decoder_lm": (
        "Decoder(Settings())",
        "[*model(a, b), model(a)[0],"
        " [len(group['params']) for group in model.optimizer(0.1, 1e-3).param_groups],"
        " model.generate(a[:, :3], 2, top_k=1)]",
        [((2, 12), 40), ((2, 12), 40)],
    ),
    "dilated": ("Dilated()", "model(a)", [((3, 1, 12), "float32")]),
    "graph": (
        "GraphNet(5, 4, 3, heads=2)",
        "[model(a, b), accuracy(model(a, b), c)]",
        [((6, 5), "float32"), ((6, 6), "float32"), ((6,), 3)],
    ),
    "masked": ("Masked()", "model(a)", [((2, 3, 8, 8), "float32")]),
    "modulated": ("Painter()", "model(a)", [((2, 8), "float32")]),
    "patches": (
        "PatchTransformer(size=16, patch=(4, 8), dim=8, depth=2, classes=5, teacher_classes=3)",
        "model(a)",
        [((2, 3, 16, 16), "float32")],
    ),
    "rays": ("Field()", "render(model, a, b)", [((3, 4), "float32"), ((4, 5), "float32")]),
    "rotary": ("RotaryDecoder()", "[model(a, 0), model(b, 5)]", [((2, 5), 20), ((2, 1), 20)]),
    "translate": (
        "Translator()",
        "model(a, b + 4, c, 1.0)",
        [((6, 3), 10), ((3,), 2), ((5, 3), 10)],
    ),
    "u_shape": ("UShape(3, 2)", "model(a)", [((2, 3, 18, 22), "float32")]),
    "windows": ("Windows(recompute=True)", "model(a)", [((2, 3, 16, 16), "float32")]),
}


@pytest.fixture
def load(tmp_path: Path) -> Iterator[Callable[[str, str], ModuleType]]:
    """Imports source text as a module of a name."""
    names: list[str] = []

    def load(name: str, code: str) -> ModuleType:
        path = tmp_path / f"{name}.py"
        path.write_text(code, encoding="utf-8")
        spec = spec_from_file_location(name, path)
        assert spec is not None and spec.loader is not None
        module = module_from_spec(spec)
        sys.modules[name] = module  # dataclasses look their module up
        names.append(name)
        spec.loader.exec_module(module)
        return module

    yield load
    for name in names:
        del sys.modules[name]


@pytest.mark.parametrize("name", sorted(MODELS))
def test_a_whole_model_file_computes_the_same(
    name: str, load: Callable[[str, str], ModuleType]
) -> None:
    make, call, inputs = MODELS[name]
    source = (SOURCES / f"{name}.py").read_text(encoding="utf-8")
    conversion = workbench.convert(source)
    assert [finding.message for finding in conversion.unconverted] == []
    ours, theirs = load(f"torch_{name}", source), load(f"paddle_{name}", conversion.code)
    model, twin = _made(make, ours), _made(make, theirs)
    assert workbench.carry(model, into=twin).unfit == ()

    rng = np.random.default_rng(0)
    arrays = [_array(rng, shape, kind) for shape, kind in inputs]
    for mode in ("eval", "train"):
        getattr(model, mode)()
        getattr(twin, mode)()
        expected = _flat(_called(call, ours, model, [torch.tensor(array) for array in arrays]))
        actual = _flat(_called(call, theirs, twin, [paddle.to_tensor(array) for array in arrays]))
        assert len(actual) == len(expected)
        for one, other in zip(expected, actual, strict=True):
            _assert_alike(one, other, f"{mode}: output")
        learning = [
            value.square().mean() for value in expected if getattr(value, "requires_grad", False)
        ]
        if not learning:
            continue
        sum(learning).backward()
        sum(
            value.square().mean() for value in actual if not getattr(value, "stop_gradient", True)
        ).backward()
        places = layouts.weights(twin)
        for key, value in model.named_parameters():
            if value.grad is not None:
                _assert_alike(value.grad, _gradient(places[key]), f"{mode}: gradient of {key}")
        model.zero_grad()
        twin.clear_gradients()


def _made(code: str, module: ModuleType) -> Any:
    torch.manual_seed(0)
    paddle.seed(0)
    return eval(code, vars(module))


def _called(code: str, module: ModuleType, model: Any, inputs: list[Any]) -> Any:
    random.seed(0)
    return eval(code, {**vars(module), "model": model, **dict(zip("abc", inputs, strict=False))})


def _gradient(place: layouts.Weight) -> Any:
    """Return the gradient of a weight in torch's layout."""
    gradients = tuple(one.grad for one in place.tensors)
    return replace(place, tensors=gradients).read()


def _array(rng: np.random.Generator, shape: tuple[int, ...], kind: Any) -> Any:
    if isinstance(kind, int):
        return rng.integers(0, kind, shape)
    return rng.standard_normal(shape).astype(kind)


def _flat(value: Any) -> list[Any]:
    """Return the tensors and numbers in nested sequences, in order."""
    if isinstance(value, list | tuple):
        return [item for part in value for item in _flat(part)]
    return [] if value is None else [value]


def _assert_alike(expected: Any, actual: Any, what: str) -> None:
    if not isinstance(expected, torch.Tensor):
        assert actual == expected, what
        return
    mine, theirs = expected.detach().numpy(), actual.detach().numpy()
    assert theirs.dtype == mine.dtype, what
    scale = float(np.abs(mine).max(initial=1.0))
    np.testing.assert_allclose(theirs, mine, rtol=1e-3, atol=1e-4 * scale, err_msg=what)
