"""Reader of files written by `paddle.save`, which never looks up the names in their pickles.

Such a file has the bytes of its arrays, so that no array needs more memory than the file.
"""

from __future__ import annotations

import mmap
import re
from collections import OrderedDict
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch

from workbench.weights.errors import WeightsError
from workbench.weights.survey import MoreThanWeightsError, Survey

_CODE = re.compile(r"[<>=|]?[biufc]\d{1,2}")
_NAMES = "StructuredToParameterName@@"  # Paddle's own table of names
_DEEPEST = 60


def read(path: Path) -> Any:
    """Return the contents of a Paddle file, with torch tensors.

    Raises:
        WeightsError: it does not exist, is broken, or would run code.
    """
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            held = _Reader(data).load()
            return _Content(held).plain(held, 0)
    except FileNotFoundError:
        raise WeightsError(f"{path}: no such file; give the path of a checkpoint") from None
    except MoreThanWeightsError as error:
        raise WeightsError(
            f"{path}: contains more than weights, and would run code when read ({error}); save"
            " only its state dict"
        ) from None
    except Exception as error:  # a broken file causes errors of many kinds
        line = next(iter(str(error).splitlines()), "") or type(error).__name__
        raise WeightsError(
            f"{path}: not a complete file of Paddle ({line[:160]}); download or save it again"
        ) from None


class _Kind:
    """A dtype, by its NumPy code."""

    def __init__(self, code: Any = "", *_: Any) -> None:
        if not isinstance(code, str) or not _CODE.fullmatch(code):
            raise ValueError("a dtype that is not numeric")
        self.code, self.order = code, "<"

    def __setstate__(self, state: Any) -> None:
        self.order = {"<": "<", ">": ">", "=": "=", "|": "|"}[state[1]]

    def of(self, data: Any) -> Any:
        """Return bytes as a flat array."""
        code = self.code if self.code[0] in "<>=|" else self.order + self.code
        raw = data.encode("latin1") if isinstance(data, str) else data
        return np.frombuffer(raw, np.dtype(code))


class _Array:
    """An array whose state has its content."""

    def __init__(self, *_: Any) -> None:
        self.value: Any = None

    def __setstate__(self, state: Any) -> None:
        _, shape, kind, fortran, data = state
        self.value = kind.of(data).reshape(shape, order="F" if fortran else "C")


def _scalar(kind: _Kind, data: Any) -> Any:
    return kind.of(data)[0].item()


def _encode(text: str, encoding: str) -> bytes:
    if encoding != "latin1":
        raise ValueError("text in an unsupported encoding")
    return text.encode(encoding)


_MAY_BE_NAMED: dict[str, Any] = {
    "builtins.tuple": tuple,
    "collections.OrderedDict": OrderedDict,
    "_codecs.encode": _encode,
    "numpy.ndarray": _Array,
    "numpy.dtype": _Kind,
}
for _module in ("numpy.core.multiarray", "numpy._core.multiarray"):
    _MAY_BE_NAMED[f"{_module}._reconstruct"] = _Array
    _MAY_BE_NAMED[f"{_module}.scalar"] = _scalar


class _Reader(Survey):
    """Python's own unpickler, with stand-ins for all names that a file may contain."""

    dispatch: ClassVar[dict[int, Any]] = {**Survey.dispatch}

    def find_class(self, module: str, name: str) -> Any:
        """Return the stand-in for a global."""
        full = f"{'builtins' if module == '__builtin__' else module}.{name}"
        if full not in _MAY_BE_NAMED:
            raise MoreThanWeightsError(f"Unsupported global {full}"[:120])
        return _MAY_BE_NAMED[full]

    def persistent_load(self, pid: Any) -> Any:
        """Raise an error, since Paddle writes no references."""
        raise MoreThanWeightsError("Unsupported reference")


def _is_named(value: Any) -> bool:
    """Return whether a value is a tensor as Paddle writes it: a name and an array."""
    if not isinstance(value, tuple) or len(value) != 2:
        return False
    return isinstance(value[0], str) and isinstance(value[1], _Array)


class _Content:
    """The contents of a file with torch tensors; shared values are converted once.

    If tensors have names, other arrays stay NumPy arrays, as in Paddle itself.
    """

    def __init__(self, held: Any) -> None:
        self._seen: set[int] = set()
        self._made: dict[int, Any] = {}
        self._named = self._has_named(held, 0)

    def _has_named(self, held: Any, depth: int) -> bool:
        if _is_named(held):
            return True
        if not isinstance(held, dict | list | tuple) or depth > _DEEPEST or id(held) in self._seen:
            return False
        self._seen.add(id(held))
        parts = held.values() if isinstance(held, dict) else held
        return any(self._has_named(part, depth + 1) for part in parts)

    def plain(self, held: Any, depth: int) -> Any:
        """Return a part of the contents."""
        if depth > _DEEPEST:
            raise ValueError("it is nested too deeply")
        if id(held) not in self._made:
            self._made[id(held)] = self._plain(held, depth + 1)
        return self._made[id(held)]

    def _plain(self, held: Any, depth: int) -> Any:
        if _is_named(held):
            return _tensor(held[1].value)
        if isinstance(held, _Array):
            return held.value if self._named else _tensor(held.value)
        if isinstance(held, dict):
            return {k: self.plain(v, depth) for k, v in held.items() if k != _NAMES}
        if isinstance(held, list | tuple):
            return type(held)(self.plain(part, depth) for part in held)
        return held


def _tensor(array: Any) -> torch.Tensor:
    """Return a tensor with its own memory; Paddle writes bfloat16 as 16-bit integers."""
    value = torch.from_numpy(np.array(array, array.dtype.newbyteorder("=")))
    return value.view(torch.bfloat16) if array.dtype == np.uint16 else value
