"""Survey of a checkpoint's pickle, which is followed without creating any object in it.

Every global becomes a placeholder, and calling it records what torch would create. A pickle can
request more memory than it has bytes, and keys so deep that comparing them ends the process: both
raise here, before torch reads the same bytes.
"""

from __future__ import annotations

import pickle
from types import NoneType
from typing import Any, ClassVar, NamedTuple

import torch

from workbench.words import words

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
# Functions that rebuild tensors; they take storage, offset, sizes and strides first.
_TENSORS = frozenset(
    {"_rebuild_tensor", "_rebuild_tensor_v2", "_rebuild_tensor_v3", "_rebuild_qtensor"}
)
# Other callables that are allowed: they keep their arguments, which are in the file already.
_HARMLESS = frozenset(
    words(
        "_codecs.encode builtins.bytearray builtins.complex builtins.set collections.Counter "
        "collections.OrderedDict torch.Size torch.device torch.nn.parameter.Parameter "
        "torch.serialization._get_layout torch._tensor._rebuild_from_type_v2 "
        "torch._utils._rebuild_parameter torch._utils._rebuild_parameter_with_state "
        "torch._utils._rebuild_sparse_tensor"
    )
)

# Python's own reader, by opcode.
_STEPS: dict[int, Any] = {**pickle._Unpickler.dispatch}


class MoreThanWeightsError(Exception):
    """A pickle names something that does not belong to weights and may be code."""


class _Storage(NamedTuple):
    """A storage: its number of elements, and the bytes of each."""

    length: int
    item: int


class _Named:
    """A placeholder for a global that a pickle names."""

    __slots__ = ("name", "survey")

    def __init__(self, name: str, survey: Survey) -> None:
        self.name, self.survey = name, survey

    def __call__(self, *args: Any) -> Any:
        return self.survey.call(self.name, args)

    def __setstate__(self, state: Any) -> None:
        """Ignore attributes."""


class _Table(dict[Any, Any]):
    """A mapping that may have attributes, as state dicts do."""


# The reader written in C allocates memory for as many entries as a pickle claims to use.
class Survey(pickle._Unpickler):
    """Unpickler that only follows pickles; `sizes` are the bytes of each described storage.

    Raises:
        MoreThanWeightsError: a global is named that does not belong to weights.
        ValueError: a tensor does not lie inside its storage, or a key has another type.
    """

    stack: list[Any]
    dispatch: ClassVar[dict[int, Any]] = {**_STEPS}

    def __init__(self, file: Any) -> None:
        super().__init__(file, encoding="bytes")
        self.sizes: dict[str, int] = {}

    @property
    def stored(self) -> int:
        """The total bytes of all storages."""
        return sum(self.sizes.values())

    def find_class(self, module: str, name: str) -> _Named:
        """Return the placeholder for a global that weights may contain."""
        full = f"{'builtins' if module == '__builtin__' else module}.{name}"
        kind = vars(torch).get(name)
        known = {
            # A tensor with attributes names its class; a call of the class is refused elsewhere.
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
        """Return a storage from its type, key and element count in the pickle."""
        if not isinstance(pid, tuple) or pid[0] not in ("storage", b"storage"):
            raise MoreThanWeightsError("Unsupported reference to an object that is not a storage")
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
        """Record what torch would create by a call."""
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
        """Check the key of one entry of a mapping, and add it."""
        _check_keys(self.stack[-2:-1])
        _STEPS[pickle.SETITEM[0]](self)

    def load_setitems(self) -> None:
        """Check the keys of several entries of a mapping, and add them."""
        _check_keys(self.stack[::2])
        _STEPS[pickle.SETITEMS[0]](self)

    dispatch[pickle.SETITEM[0]] = load_setitem
    dispatch[pickle.SETITEMS[0]] = load_setitems
    # Opcodes for mappings and sets that torch neither writes nor reads.
    for unused in (pickle.DICT, pickle.ADDITEMS, pickle.FROZENSET, pickle.INST, pickle.OBJ):
        del dispatch[unused[0]]


def _check_tensor(storage: Any, offset: Any, sizes: Any, strides: Any, *rest: Any) -> None:
    """Raise if a tensor does not lie inside its storage."""
    # A tensor with a dtype argument has an untyped storage of bytes.
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
    """Raise for keys that are expensive to compare."""
    for key in keys:
        parts = key if isinstance(key, tuple) else (key,)
        if not all(isinstance(part, (str, bytes, int, float, _Named, NoneType)) for part in parts):
            raise ValueError(f"a {type(key).__name__} is used as a key")
