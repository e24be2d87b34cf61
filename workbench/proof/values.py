"""Comparison of a value of torch with one of a target."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
import torch

from workbench.targets import Target

# Relative and absolute tolerance by dtype: torch's own for comparing its kernels (torch.testing).
# Larger differences are judged against torch's values in a wider dtype, if these are known.
TOLERANCE = {
    "float64": (1e-7, 1e-7),
    "float32": (1.3e-6, 1e-5),
    "float16": (1e-3, 1e-5),
    "bfloat16": (1.6e-2, 1e-5),
    "complex64": (1.3e-6, 1e-5),
    "complex128": (1e-7, 1e-7),
}
# Packages of JAX's arrays and of flax's variables.
_JAX = frozenset({"jaxlib", "jax", "flax"})
_NARROWER = {
    torch.int64: torch.int32,
    torch.float64: torch.float32,
    torch.complex128: torch.complex64,
}
# A kernel may be this many times farther from the precise value than torch's: sums in another order
# round differently.
_SLACK = 8


def difference(
    expected: Any, actual: Any, precise: Any = None, *, values: bool = True
) -> str | None:
    """Return why two values differ, in words, or None if they are the same.

    Tensors are compared by dtype, shape, `requires_grad` and value, containers item by item, Python
    values by type and equality.

    Args:
        expected: torch's value.
        actual: the target's value.
        precise: torch's value in a wider dtype, if known. Rounding errors that torch itself has
            relative to it are allowed.
        values: False for random results, of which everything but the values is compared.
    """
    mine, theirs = as_array(expected), as_array(actual)
    if mine is not None or theirs is not None:
        return _arrays(mine, theirs, as_array(precise), values)
    if isinstance(expected, Mapping):
        if not isinstance(actual, Mapping) or list(expected) != list(actual):
            return "the keys differ"
        wide = precise if isinstance(precise, Mapping) else {}
        rows = ((key, expected[key], actual[key], wide.get(key)) for key in expected)
        return _first(rows, values)
    if isinstance(expected, list | tuple):
        if not isinstance(actual, list | tuple):
            return f"{type(actual).__name__} instead of {type(expected).__name__}"
        if len(expected) != len(actual):
            return f"{len(actual)} items instead of {len(expected)}"
        same = isinstance(precise, list | tuple) and len(precise) == len(expected)
        rest = precise if same else [None] * len(expected)
        triples = zip(expected, actual, rest, strict=True)
        return _first(((index, *triple) for index, triple in enumerate(triples)), values)
    if isinstance(expected, bool) or isinstance(actual, bool) or expected is None:
        return None if expected is actual else f"{actual!r} instead of {expected!r}"
    if isinstance(expected, float) and isinstance(actual, float):
        relative, absolute = TOLERANCE["float32"]
        if isinstance(precise, float) and math.isfinite(precise):
            absolute += _SLACK * abs(expected - precise)
        same = math.isclose(expected, actual, rel_tol=relative, abs_tol=absolute) or (
            math.isnan(expected) and math.isnan(actual)
        )
        return None if same else f"{actual!r} instead of {expected!r}"
    if isinstance(expected, int | str | complex | bytes):
        if type(expected) is not type(actual):
            return f"{type(actual).__name__} instead of {type(expected).__name__}"
        return None if expected == actual else f"{actual!r} instead of {expected!r}"
    return _others(expected, actual)


def largest_difference(expected: Any, actual: Any) -> float:
    """Return the largest difference of two values' floats, relative for values above one."""
    mine, theirs = as_array(expected), as_array(actual)
    if mine is not None and theirs is not None:
        if mine.array.dtype.kind not in "fc" or mine.array.shape != theirs.array.shape:
            return 0.0
        finite = np.isfinite(mine.array) & np.isfinite(theirs.array)
        left, right = mine.array[finite], theirs.array[finite]
        if not left.size:
            return 0.0
        return float((np.abs(left - right) / np.maximum(np.abs(left), 1)).max())
    if isinstance(expected, list | tuple) and isinstance(actual, list | tuple):
        pairs = zip(expected, actual, strict=False)
        return max((largest_difference(*pair) for pair in pairs), default=0.0)
    return 0.0


def _first(rows: Iterable[tuple[Any, Any, Any, Any]], values: bool) -> str | None:
    """Return the first difference of the items of two containers, or None."""
    for key, expected, actual, precise in rows:
        if found := difference(expected, actual, precise, values=values):
            return f"[{key!r}]: {found}"
    return None


def _others(expected: Any, actual: Any) -> str | None:
    """Compare other objects of the frameworks: dtypes by name, the rest not at all."""
    mine, theirs = dtype_name(expected), dtype_name(actual)
    if isinstance(expected, torch.dtype) and isinstance(actual, np.dtype):  # of JAX
        theirs = _NARROW.get(theirs or "", theirs)
    if mine is not None or theirs is not None:
        return None if mine == theirs else f"dtype {theirs} instead of {mine}"
    return None


def dtype_name(value: Any) -> str | None:
    """Return the name of either framework's dtype object, such as `float32`, or None."""
    text = f"{type(value).__module__}.{type(value).__name__}"
    if text == "torch.dtype" or type(value).__name__ in {"DataType", "VarType"}:
        return str(value).rpartition(".")[2].lower()
    if type(value).__name__ == "_ScalarMeta" or isinstance(value, np.dtype):  # jnp.float32
        return str(np.dtype(value).name)
    return None


class _Tensor:
    """A tensor of either framework as a numpy array."""

    def __init__(self, value: Any, dtype: str, requires_grad: bool) -> None:
        self.dtype = dtype
        self.requires_grad = requires_grad
        self.array: np.ndarray[Any, Any] = value


def as_array(value: Any) -> _Tensor | None:
    """Return a tensor of either framework as an array, or None for any other value."""
    module = type(value).__module__.partition(".")[0]
    if module in _JAX and hasattr(value, "dtype") and hasattr(value, "shape"):
        return _of_jax(value)
    if not (hasattr(value, "numpy") and hasattr(value, "dtype") and hasattr(value, "shape")):
        return None
    if module == "torch":
        dtype = str(value.dtype).removeprefix("torch.")
        plain = value.detach().resolve_conj().resolve_neg()
        if plain.layout != plain.layout.__class__ and str(plain.layout) != "torch.strided":
            plain = plain.to_dense()
        array = (plain.float() if dtype in {"bfloat16", "float16"} else plain).numpy(force=True)
        return _Tensor(array, dtype, bool(value.requires_grad))
    dtype = str(value.dtype).rpartition(".")[2].lower()
    plain = value.detach() if getattr(value, "is_dense", lambda: True)() else value.to_dense()
    if dtype in {"bfloat16", "float16"}:
        plain = plain.astype("float32")
    return _Tensor(plain.numpy(), dtype, not value.stop_gradient)


_NARROW = {"float64": "float32", "complex128": "complex64"}


def _of_jax(value: Any) -> _Tensor:
    """Return an array with 32 bits, as `without_tape` returns torch's."""
    array = np.asarray(value)
    dtype = _NARROW.get(str(value.dtype), str(value.dtype))
    array = array.astype(dtype) if dtype in _NARROW.values() else array
    halves = dtype in {"bfloat16", "float16"}
    return _Tensor(array.astype("float32") if halves else array, dtype, False)


def width_of(target: Target) -> AbstractContextManager[Any]:
    """Return a context in which numbers have the width that a target's code expects.

    A graph that was loaded before may have turned on 64 bits for the whole process.
    """
    if not target.narrow:
        return nullcontext()
    import jax

    context: AbstractContextManager[Any] = jax.enable_x64(False)
    return context


def without_tape(value: Any) -> Any:
    """Return a value with its tensors detached and in 32 bits, as a target without a tape has them.

    Whole numbers, floats and complex numbers of 64 bits become those of 32.
    """
    if isinstance(value, torch.Tensor):
        return value.detach().to(_NARROWER.get(value.dtype, value.dtype))
    if isinstance(value, torch.dtype):
        return _NARROWER.get(value, value)
    if isinstance(value, torch.Size):
        return tuple(value)
    if isinstance(value, Mapping):
        return {key: without_tape(one) for key, one in value.items()}
    if isinstance(value, list):
        return [without_tape(one) for one in value]
    return tuple(map(without_tape, value)) if isinstance(value, tuple) else value


def _arrays(
    mine: _Tensor | None, theirs: _Tensor | None, precise: _Tensor | None, values: bool
) -> str | None:
    if mine is None or theirs is None:
        return "only one side is a tensor"
    if mine.array.shape != theirs.array.shape:
        return f"shape {list(theirs.array.shape)} instead of {list(mine.array.shape)}"
    if mine.dtype != theirs.dtype:
        return f"dtype {theirs.dtype} instead of {mine.dtype}"
    if mine.requires_grad != theirs.requires_grad:
        return f"requires_grad {theirs.requires_grad} instead of {mine.requires_grad}"
    if not values:
        return None
    relative, absolute = TOLERANCE.get(mine.dtype, (0.0, 0.0))
    if precise is not None and precise.array.shape == mine.array.shape and relative:
        gaps = np.abs(precise.array - mine.array)
        gaps = gaps[np.isfinite(gaps)]
        absolute += _SLACK * float(gaps.max()) if gaps.size else 0.0
    close = _close(mine.array, theirs.array, relative, absolute)
    if not close.all():
        index = tuple(int(i) for i in np.argwhere(~np.atleast_1d(close))[0])
        wrong, right = np.atleast_1d(theirs.array)[index], np.atleast_1d(mine.array)[index]
        return (
            f"{int((~close).sum())} of {close.size} elements differ, first at {list(index)}: "
            f"{wrong!r} instead of {right!r}"
        )
    return None


def _close(
    mine: np.ndarray[Any, Any], theirs: np.ndarray[Any, Any], relative: float, absolute: float
) -> np.ndarray[Any, Any]:
    """Return where two arrays agree; both parts of a complex number must, if it is infinite."""

    def close(left: Any, right: Any) -> Any:
        return np.isclose(left, right, rtol=relative, atol=absolute, equal_nan=True)

    whole: np.ndarray[Any, Any] = np.asarray(close(theirs, mine))
    if mine.dtype.kind != "c":
        return whole
    parts = close(theirs.real, mine.real) & close(theirs.imag, mine.imag)
    return np.where(np.isfinite(mine), whole, parts)
