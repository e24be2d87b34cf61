"""Signatures of the constructors and members of torch's classes."""

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

from workbench.upstream.generation.definitions import Scope, definitions_of
from workbench.upstream.generation.signatures import Signatures, stub
from workbench.upstream.generation.typetext import Resolve, type_text
from workbench.upstream.supplement import complete

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workbench.upstream.facts import EntryKind
    from workbench.upstream.generation.names import Namespace

Member = tuple["EntryKind", list[str]]

# Classes whose underscored members are included, since programs extend or inspect the classes.
_OPENED: Final = (torch.nn.Module, torch.optim.Optimizer, torch.optim.lr_scheduler.LRScheduler)
_OPERATORS: Final = (
    *("add", "and", "div", "divmod", "floordiv", "lshift", "matmul", "mod", "mul", "or", "pow"),
    *("rshift", "sub", "truediv", "xor"),
)
_IN_PLACE: Final = frozenset(f"__i{name}__" for name in _OPERATORS)
# Methods that Python calls for its syntax, except those of every class.
_PROTOCOLS: Final = frozenset(
    {
        *(f"__{side}{name}__" for side in ("", "r") for name in _OPERATORS),
        *_IN_PLACE,
        *("__abs__", "__bool__", "__complex__", "__float__", "__index__", "__int__", "__invert__"),
        *("__neg__", "__pos__", "__round__", "__len__", "__contains__", "__getitem__"),
        *("__setitem__", "__delitem__", "__iter__", "__next__", "__reversed__", "__aiter__"),
        *("__anext__", "__await__", "__enter__", "__exit__", "__call__", "__init__"),
    }
)
_TENSOR_PROTOCOLS: Final = _PROTOCOLS | {
    *("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__", "__format__"),
    *("__array__", "__array_priority__", "__array_wrap__", "__cuda_array_interface__"),
    *("__dlpack__", "__dlpack_device__", "__deepcopy__", "__setstate__", "__torch_function__"),
}
# torch.nn.Module.forward only raises an error; its annotation describes overrides.
_ANYTHING: Final = "Callable[..., Any]"
# Python's wrappers of C code have signatures that accept anything.
_WRAPPERS: Final = (WrapperDescriptorType, BuiltinFunctionType)


@dataclass(frozen=True)
class _Source:
    """A place where a class is defined, with the resolver of the names in it."""

    scope: Scope
    resolve: Resolve


_ABSENT: Final = object()
"""The value of a name that is only annotated."""


class Members:
    """Reader of the members of classes, which uses the signatures of their functions."""

    def __init__(self, namespace: Namespace, signatures: Signatures) -> None:
        self._name = namespace.name_of
        self._signatures = signatures
        self._described: dict[type, dict[str, Member]] = {}

    def bases(self, cls: type) -> list[str]:
        """Return the torch classes that a class derives from."""
        if _is_legacy_tensor(cls):
            return ["torch.Tensor"]
        found: list[str] = []
        for base in cls.__bases__:
            name = self._name(base)
            # Some bases are deleted once classes are derived from them.
            found += self.bases(base) if name is None else [name]
        return list(dict.fromkeys(found))

    def constructor(self, cls: type) -> list[str]:
        """Return the signatures of a class's constructor."""
        if issubclass(cls, enum.Enum):
            return ["(value)"]
        if _is_legacy_tensor(cls):
            return self.constructor(torch.Tensor)
        for base in cls.__mro__[:-1]:
            if base is torch.nn.Module:
                # It accepts any arguments, but only to raise a better error.
                return ["()"]
            for method in ("__init__", "__new__"):
                texts = self._callable(base, method, vars(base).get(method))
                if texts:
                    return list(dict.fromkeys(_without_result(text) for text in texts))
        if issubclass(cls, BaseException):
            return ["(*args: object)"]
        return [] if _is_compiled(cls) else ["()"]

    def of(self, cls: type) -> dict[str, Member]:
        """Return the members that a class adds to its bases or changes."""
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
            described = {
                name: self._describe(cls, name, value)
                for name, value in members.items()
                if value is not None and _is_public(cls, name)
            }
            self._described[cls] = {
                name: self._with_result(cls, name, member)
                for name, member in described.items()
                if name != "__init__" or member[1]
            }
        return self._described[cls]

    def _with_result(self, cls: type, name: str, member: Member) -> Member:
        """Return the member with its result, or that of the overridden member if it has none."""
        kind, texts = member
        texts = complete(f"{self._name(cls)}.{name}", texts)
        if not texts or any(_result(text) for text in texts):
            return kind, texts
        for base in cls.__mro__[1:]:
            if self._name(base) is None or name not in self._own(base):
                continue
            results = {_result(text) for text in self._own(base)[name][1]}
            if len(results) == 1 and not results & {"", "Any", "None", "NoReturn"}:
                return kind, [f"{text} -> {results.copy().pop()}" for text in texts]
        return kind, texts

    def _describe(self, cls: type, name: str, value: Any) -> Member:
        if isinstance(value, (GetSetDescriptorType, MemberDescriptorType)):
            return "property", self._type(cls, name)
        if (getter := _getter(value)) is not None:
            results = [_result(text) for text in self._callable(cls, name, getter)]
            return "property", [f"() -> {result}" for result in results[:1] if result]
        if type(value) is cls or hasattr(type(value), "__members__"):
            kind = self._name(type(value))
            return "constant", [f"() -> {kind}"] if kind else []
        if isinstance(value, (staticmethod, classmethod)) or (
            callable(value) and not isinstance(value, type)
        ):
            return "method", self._method(cls, name, value)
        types = self._type(cls, name)
        if not types and type(value) in (bool, int, float, str):
            types = [f"() -> {type(value).__name__}"]
        return "attribute", types

    def _method(self, cls: type, name: str, value: Any) -> list[str]:
        if self._type(cls, name) == [f"() -> {_ANYTHING}"]:
            return ["(*args: Any, **kwargs: Any) -> Any"]
        texts = self._callable(cls, name, value)
        in_place = name in _IN_PLACE or (name.endswith("_") and not name.endswith("__"))
        if in_place and issubclass(cls, torch.Tensor):
            return [text.replace(") -> Tensor", ") -> Self") for text in texts]
        return texts

    def _callable(self, cls: type, name: str, value: Any) -> list[str]:
        """Return the signatures of a method, including one that only a stub declares."""
        if value is None and not _is_compiled(cls):
            return []
        static = isinstance(value, staticmethod) and name != "__new__"
        texts: list[str] = []
        for source in self._sources(cls) if _is_compiled(cls) or cls is torch.Tensor else ():
            found = source.scope.overloads(name)
            texts = texts or self._signatures.render(found, source.resolve, bound=not static)
        if value is not None and not texts and not isinstance(value, _WRAPPERS):
            texts = self._signatures.of_callable(value, bound=not static)
        return [text for text in texts if text]

    def _type(self, cls: type, name: str) -> list[str]:
        """Return the type of an attribute as a signature without parameters."""
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


def _getter(value: Any) -> Any:
    """Return the function of a property of Python's or torch's, or None."""
    if isinstance(value, property):
        return value.fget
    if isinstance(value, functools.cached_property):
        return value.func
    return getattr(value, "wrapped", None)


def _is_legacy_tensor(cls: type) -> bool:
    """Return whether it is torch.FloatTensor or similar, which create plain tensors."""
    return isinstance(cls, type(torch.FloatTensor))


def _is_public(cls: type, name: str) -> bool:
    if name.startswith("__"):
        return name in (_TENSOR_PROTOCOLS if cls is torch.Tensor else _PROTOCOLS)
    return not name.startswith("_") or cls in _OPENED


def _is_compiled(cls: type) -> bool:
    """Return whether C++ defines a class, so that its methods have no Python source."""
    module = sys.modules.get(cls.__module__)
    return module is None or definitions_of(module).find(cls.__qualname__) is None


def _result(text: str) -> str:
    return text.rpartition(") -> ")[2] if ") -> " in text else ""


def _without_result(text: str) -> str:
    return text.rpartition(") -> ")[0] + ")" if ") -> " in text else text
