"""The classes of torch: what their constructors take, and what their instances offer."""

from __future__ import annotations

import enum
import functools
import sys
from dataclasses import dataclass
from types import (
    BuiltinFunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    WrapperDescriptorType,
)
from typing import TYPE_CHECKING, Any, Final

import torch

from workbench.upstream.definitions import Function, Scope, definitions_of
from workbench.upstream.names import is_tensor_base
from workbench.upstream.signatures import Signatures, stub
from workbench.upstream.typetext import Resolve, type_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workbench.upstream.facts import EntryKind
    from workbench.upstream.names import Namespace

Member = tuple["EntryKind", list[str]]

# Classes that programs extend or look into, by their underscored members too.
_OPENED: Final = (torch.nn.Module, torch.optim.Optimizer, torch.optim.lr_scheduler.LRScheduler)
# What Python calls for its syntax, apart from what every class has or may have.
_PROTOCOLS: Final = frozenset(
    """
    __abs__ __add__ __aiter__ __and__ __anext__ __await__ __bool__ __call__ __complex__
    __contains__ __delitem__ __divmod__ __enter__ __exit__ __float__ __floordiv__ __getitem__
    __iadd__ __iand__ __idiv__ __ifloordiv__ __ilshift__ __imatmul__ __imod__ __imul__ __index__
    __init__ __int__ __invert__ __ior__ __ipow__ __irshift__ __isub__ __iter__ __itruediv__
    __ixor__ __len__ __lshift__ __matmul__ __mod__ __mul__ __neg__ __next__ __or__ __pos__ __pow__
    __radd__ __rand__ __rdiv__ __reversed__ __rfloordiv__ __rlshift__ __rmatmul__ __rmod__
    __rmul__ __ror__ __round__ __rpow__ __rrshift__ __rshift__ __rsub__ __rtruediv__ __rxor__
    __setitem__ __sub__ __truediv__ __xor__
    """.split()
)
_TENSOR_PROTOCOLS: Final = _PROTOCOLS | frozenset(
    """
    __array__ __array_priority__ __array_wrap__ __cuda_array_interface__ __deepcopy__ __div__
    __dlpack__ __dlpack_device__ __eq__ __format__ __ge__ __gt__ __hash__ __le__ __long__ __lt__
    __ne__ __nonzero__ __setstate__ __torch_function__
    """.split()
)


@dataclass(frozen=True)
class _Source:
    """One place where a class is written, and how names are meant there."""

    scope: Scope
    resolve: Resolve


class Members:
    """Describes classes with the help of the signatures of their functions."""

    def __init__(self, namespace: Namespace, signatures: Signatures) -> None:
        self._name = namespace.name_of
        self._signatures = signatures
        self._described: dict[type, dict[str, Member]] = {}

    def bases(self, cls: type) -> list[str]:
        """The torch classes that a class derives from."""
        if _is_legacy_tensor(cls):
            return ["torch.Tensor"]
        return [name for base in cls.__bases__ if (name := self._name(base)) is not None]

    def constructor(self, cls: type) -> list[str]:
        """How to make an instance."""
        if issubclass(cls, enum.Enum):
            return []
        if _is_legacy_tensor(cls):
            return self.constructor(torch.Tensor)
        for base in cls.__mro__[:-1]:
            if base is torch.nn.Module:
                # It takes any arguments, only to refuse them with a better message.
                return ["()"]
            for method in ("__init__", "__new__"):
                texts = self._callable(base, method, vars(base).get(method))
                if texts:
                    return list(dict.fromkeys(_without_result(text) for text in texts))
        return [] if _is_compiled(cls) else ["()"]

    def of(self, cls: type) -> dict[str, Member]:
        """The members that a class adds to its bases or changes."""
        if _is_legacy_tensor(cls):
            return {}
        inherited: dict[str, Member] = {}
        for base in reversed(cls.__mro__[1:]):
            if self._name(base) is not None:
                inherited |= self._own(base)
        own = self._own(cls)
        return {name: own[name] for name in sorted(own) if inherited.get(name) != own[name]}

    def _own(self, cls: type) -> dict[str, Member]:
        if cls not in self._described:
            members = dict(vars(cls))
            if cls is torch.Tensor:
                members = {**vars(torch._C.TensorBase), **members}
            for source in self._sources(cls):
                members = {**dict.fromkeys(source.scope.annotations, _ABSENT), **members}
            self._described[cls] = {
                name: self._describe(cls, name, value)
                for name, value in members.items()
                if value is not None and _is_public(cls, name)
            }
        return self._described[cls]

    def _describe(self, cls: type, name: str, value: Any) -> Member:
        if isinstance(value, (property, functools.cached_property)) or hasattr(value, "wrapped"):
            getter = next(
                getattr(value, place)
                for place in ("fget", "func", "wrapped")
                if hasattr(value, place)
            )
            texts = self._callable(cls, name, getter) if getter else []
            return "property", [f"() -> {result}" for text in texts[:1] if (result := _result(text))]
        if isinstance(value, enum.Enum) or type(value) is cls:
            return "constant", [f"() -> {self._name(cls) or ''}"]
        if isinstance(value, (GetSetDescriptorType, MemberDescriptorType)):
            return "property", self._type(cls, name)
        if (callable(value) or isinstance(value, (staticmethod, classmethod))) and not isinstance(
            value, type
        ):
            texts = self._callable(cls, name, value)
            if any(type_text(s.scope.annotations.get(name), s.resolve) == _ANY_CALL for s in self._sources(cls)):
                texts = ["(*args: Any, **kwargs: Any) -> Any"]
            in_place = name.endswith("_") and not name.endswith("__") or name in _IN_PLACE
            if in_place and issubclass(cls, torch.Tensor):
                texts = [text.replace(") -> Tensor", ") -> Self") for text in texts]
            return "method", texts
        types = self._type(cls, name)
        if not types and type(value) in (bool, int, float, str):
            types = [f"() -> {type(value).__name__}"]
        return "attribute", types

    def _callable(self, cls: type, name: str, value: Any) -> list[str]:
        """The signatures of a method, also of one that only a stub shows."""
        if value is None and not _is_compiled(cls):
            return []
        static = isinstance(value, staticmethod) and name != "__new__"
        texts = []
        for source in self._sources(cls) if _is_compiled(cls) or cls is torch.Tensor else ():
            found = source.scope.overloads(name)
            texts = texts or self._signatures.render(found, source.resolve, bound=not static)
        if value is not None and not texts and not isinstance(value, _SLOTS):
            texts = self._signatures.of_callable(value, bound=not static)
        return [text for text in texts if text]

    def _type(self, cls: type, name: str) -> list[str]:
        """The type of an attribute, as a signature without parameters."""
        for source in self._sources(cls):
            annotation = source.scope.annotations.get(name)
            for function in source.scope.overloads(name):
                annotation = annotation or function.returns
            if text := type_text(annotation, source.resolve):
                return [f"() -> {text}"]
        return []

    @functools.cache  # noqa: B019
    def _sources(self, cls: type) -> tuple[_Source, ...]:
        return tuple(self._find_sources(cls))

    def _find_sources(self, cls: type) -> Iterator[_Source]:
        module = sys.modules.get(cls.__module__)
        if module is not None and (scope := definitions_of(module).find(cls.__qualname__)):
            yield _Source(scope, self._signatures.within(vars(module)))
        elif not _is_compiled(cls):
            return
        path = "TensorBase" if cls is torch.Tensor else cls.__qualname__
        for place in (cls.__module__, "torch._C"):
            if scope := stub(place).find(path):
                yield _Source(scope, self._signatures.in_stub)


# torch.nn.Module.forward raises an error; what it declares says what others do.
_ANY_CALL: Final = "Callable[..., Any]"
_ABSENT: Final = object()
# Python's wrappers around C code claim to take anything.
_SLOTS: Final = (WrapperDescriptorType, BuiltinFunctionType)
_IN_PLACE: Final = frozenset(
    f"__i{name}__"
    for name in "add and div floordiv lshift mod mul or pow rshift sub truediv xor".split()
)


def _is_legacy_tensor(cls: type) -> bool:
    """True for torch.FloatTensor and its like: they make plain tensors, and answer isinstance."""
    return isinstance(cls, type(torch.FloatTensor))


def _is_public(cls: type, name: str) -> bool:
    if name.startswith("__"):
        return name in (_TENSOR_PROTOCOLS if cls is torch.Tensor else _PROTOCOLS)
    return not name.startswith("_") or cls in _OPENED


def _is_compiled(cls: type) -> bool:
    """True for classes that C++ defines: their methods have no Python source."""
    module = sys.modules.get(cls.__module__)
    return module is None or definitions_of(module).find(cls.__qualname__) is None


def _result(text: str) -> str:
    return text.rpartition(") -> ")[2] if ") -> " in text else ""


def _without_result(text: str) -> str:
    return text.rpartition(") -> ")[0] + ")" if ") -> " in text else text
