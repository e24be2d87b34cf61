"""What a checkpoint's pickle describes, followed without making any of it.

Every name stands for itself, and calling one notes what torch would make. A pickle can ask for
more memory than it has bytes, and for keys so deep that comparing them ends the process: both are
errors here, before torch reads the same bytes.
"""

from __future__ import annotations

import pickle
from types import NoneType
from typing import Any, ClassVar, NamedTuple

import torch

_ITEM = {
    "BFloat16Storage": 2,
    "BoolStorage": 1,
    "ByteStorage": 1,
    "CharStorage": 1,
    "ComplexDoubleStorage": 16,
    "ComplexFloatStorage": 8,
    "DoubleStorage": 8,
    "FloatStorage": 4,
    "HalfStorage": 2,
    "IntStorage": 4,
    "LongStorage": 8,
    "QInt32Storage": 4,
    "QInt8Storage": 1,
    "QUInt2x4Storage": 1,
    "QUInt4x2Storage": 1,
    "QUInt8Storage": 1,
    "ShortStorage": 2,
    "UntypedStorage": 1,
}
# Tensors by storage, offset, sizes and strides; what follows these takes no memory.
_TENSORS = frozenset(
    {"_rebuild_tensor", "_rebuild_tensor_v2", "_rebuild_tensor_v3", "_rebuild_qtensor"}
)
# What else may be called: it keeps what it is given, which is in the file already.
_HARMLESS = frozenset(
    {
        "_codecs.encode",
        "builtins.bytearray",
        "builtins.complex",
        "builtins.set",
        "collections.Counter",
        "collections.OrderedDict",
        "torch.Size",
        "torch.device",
        "torch.nn.parameter.Parameter",
        "torch.serialization._get_layout",
        "torch._tensor._rebuild_from_type_v2",
        "torch._utils._rebuild_parameter",
        "torch._utils._rebuild_parameter_with_state",
        "torch._utils._rebuild_sparse_tensor",
    }
)

# What Python's own reader does at each step of a pickle.
_STEPS: dict[int, Any] = {**pickle._Unpickler.dispatch}


class MoreThanWeightsError(Exception):
    """A pickle names something that is no part of weights, and may be code."""


class _Storage(NamedTuple):
    """A run of numbers: how many, and how many bytes each takes."""

    length: int
    item: int


class _Named:
    """What a pickle names."""

    __slots__ = ("name", "survey")

    def __init__(self, name: str, survey: Survey) -> None:
        self.name, self.survey = name, survey

    def __call__(self, *args: Any) -> Any:
        return self.survey.call(self.name, args)

    def __setstate__(self, state: Any) -> None:
        """Attributes are of no account."""


class _Table(dict[Any, Any]):
    """A mapping that may have attributes, as state dicts do."""


# The reader that is written in C takes memory for as many entries as a pickle claims to refer to.
class Survey(pickle._Unpickler):
    """Follows pickles; `sizes` are the bytes of each storage that they describe.

    Raises:
        MoreThanWeightsError: something is named that is no part of weights.
        ValueError: a tensor does not lie inside its storage, or what is no key is used as one.
    """

    stack: list[Any]
    dispatch: ClassVar[dict[int, Any]] = {**_STEPS}

    def __init__(self, file: Any) -> None:
        super().__init__(file, encoding="bytes")
        self.sizes: dict[str, int] = {}

    @property
    def stored(self) -> int:
        """The bytes of all storages."""
        return sum(self.sizes.values())

    def find_class(self, module: str, name: str) -> _Named:
        """The stand-in for a global, where weights may have it."""
        full = f"{'builtins' if module == '__builtin__' else module}.{name}"
        kind = vars(torch).get(name)
        known = {
            # A tensor with attributes names its class; that is told from a call of it.
            "torch": name in _ITEM
            or name == "Tensor"
            or isinstance(kind, torch.dtype | torch.qscheme),
            "torch.storage": name in _ITEM,
            "torch._utils": name in _TENSORS,
        }
        if full not in _HARMLESS and not known.get(module):
            raise MoreThanWeightsError(f"Unsupported global {full}"[:120])
        return _Named(full, self)

    def persistent_load(self, pid: Any) -> _Storage:
        """A storage, of which the pickle tells the type, the key and the count."""
        if not isinstance(pid, tuple) or pid[0] not in ("storage", b"storage"):
            raise MoreThanWeightsError("Unsupported reference to what is no storage")
        _, kind, key, _, count, *view = pid
        item = _ITEM[kind.name.rpartition(".")[2]]
        key = key.decode() if isinstance(key, bytes) else key
        if not isinstance(key, str) or not _counts([count]):
            raise ValueError("a storage is described wrongly")
        if self.sizes.setdefault(key, count * item) != count * item:
            raise ValueError(f"storage {key} has two sizes")
        if view and view[0] is not None:
            _, start, length = view[0]
            if not _counts([start, length]) or start + length > count:
                raise ValueError(f"a part of storage {key} does not lie inside it")
            count = length
        return _Storage(count, item)

    def call(self, name: str, args: tuple[Any, ...]) -> Any:
        """Note what torch would make of a call."""
        if name.rpartition(".")[2] in _TENSORS:
            _check_tensor(*args)
        elif name == "torch._tensor._rebuild_from_type_v2":
            function, _, given, *_ = args
            return function(*given)
        elif name == "builtins.bytearray" and args and isinstance(args[0], int):
            raise ValueError("an array of bytes is described by its length")
        elif name == "collections.OrderedDict":
            pairs = [pair for given in args for pair in given]
            _check_keys([key for key, _ in pairs])
            return _Table(pairs)
        elif name in ("builtins.set", "collections.Counter"):
            _check_keys([key for given in args for key in given])
        elif name not in _HARMLESS:
            raise MoreThanWeightsError(f"Unsupported call of {name}")
        return _Named(name, self)

    def load_setitem(self) -> None:
        """One entry of a mapping."""
        _check_keys(self.stack[-2:-1])
        _STEPS[pickle.SETITEM[0]](self)

    def load_setitems(self) -> None:
        """Many entries of a mapping: those since the mark."""
        _check_keys(self.stack[::2])
        _STEPS[pickle.SETITEMS[0]](self)

    dispatch[pickle.SETITEM[0]] = load_setitem
    dispatch[pickle.SETITEMS[0]] = load_setitems
    # Ways to make mappings and sets that torch does not write, nor read.
    for unused in (pickle.DICT, pickle.ADDITEMS, pickle.FROZENSET, pickle.INST, pickle.OBJ):
        del dispatch[unused[0]]


def _check_tensor(storage: Any, offset: Any, sizes: Any, strides: Any, *rest: Any) -> None:
    """Raise where a tensor does not lie inside its storage."""
    # The one that names a dtype has a storage of bytes.
    dtypes = [vars(torch).get(r.name.rpartition(".")[2]) for r in rest if isinstance(r, _Named)]
    item = next((d.itemsize for d in dtypes if isinstance(d, torch.dtype)), storage.item)
    if not _counts([offset, *sizes, *strides]) or len(sizes) != len(strides):
        raise ValueError("a tensor is described wrongly")
    last = offset + sum((size - 1) * step for size, step in zip(sizes, strides, strict=True))
    if 0 not in sizes and (last + 1) * item > storage.length * storage.item:
        raise ValueError("a tensor does not lie inside its storage")


def _counts(numbers: list[Any]) -> bool:
    return all(type(number) is int and 0 <= number < 1 << 62 for number in numbers)


def _check_keys(keys: list[Any]) -> None:
    """Raise for keys that cannot be compared at little cost."""
    for key in keys:
        parts = key if isinstance(key, tuple) else (key,)
        if not all(isinstance(part, (str, bytes, int, float, _Named, NoneType)) for part in parts):
            raise ValueError(f"a {type(key).__name__} is used as a key")
