"""Names of torch, and the canonical name of an object that has several."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

import torch

from workbench.upstream.generation.definitions import definitions_of
from workbench.upstream.generation.modules import public_modules

if TYPE_CHECKING:
    from collections.abc import Iterator

# Names that torch defines only if another package is missing.
_STAND_INS: Final = frozenset({"torch.hub.tqdm", "torch.hub._Faketqdm"})
# Modules whose underscored helpers are widely imported.
_OPENED: Final = ("torch.nn.init", "torch.nn.modules.utils", "torch.optim.lr_scheduler")
# Underscored functions of torch that training code calls.
_OPENED_FUNCTIONS: Final = (
    "torch._foreach_",
    "torch._assert",
    "torch._check",
    "torch.nn.attention._cur_sdpa_kernel_backends",
)
# Values that are known by identity. Equal integers or strings may be one object by chance.
_NAMED_VALUES: Final = (torch.dtype, torch.layout, torch.memory_format, torch.qscheme)
_FUNCTIONAL: Final = "torch.nn.functional."


@dataclass
class Namespace:
    """The public names: each object by its canonical name, and its other names."""

    things: dict[str, Any] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    _names: dict[int, str] = field(default_factory=dict)

    def name_of(self, thing: object) -> str | None:
        """Return the canonical name of a class, function or dtype, or None if it has no public
        name.
        """
        return self._names.get(id(thing))

    def add(self, thing: object, names: list[str]) -> None:
        """Add an object that has an identity, with all its public names."""
        canonical = min(names, key=lambda name: _rank(name, thing))
        self.things[canonical] = thing
        self._names[id(thing)] = canonical
        if (path := defining_path(thing)) is not None:
            names = [*names, path]
        self.aliases.update((name, canonical) for name in names if name != canonical)


def read_torch() -> Namespace:
    """Return all names in torch's public modules, and the base classes of public classes."""
    namespace = Namespace()
    names: dict[int, list[str]] = {}
    known: dict[int, object] = {}
    modules = public_modules()
    for path, module in sorted(modules.items()):
        # A function of the same name in a package replaces the module below.
        namespace.things[path] = module
        for name, value in _contents(path, module):
            if _has_identity(value):
                names.setdefault(id(value), []).append(f"{path}.{name}")
                known[id(value)] = value
            elif f"{path}.{name}" not in modules:
                namespace.things[f"{path}.{name}"] = value
    for key, value in known.items():
        namespace.add(value, names[key])
    for value in known.values():
        for base in value.__mro__ if isinstance(value, type) else ():
            path_of_base = defining_path(base)
            if path_of_base and namespace.name_of(base) is None and not is_tensor_base(base):
                namespace.add(base, [path_of_base])
    namespace.aliases["torch._C.TensorBase"] = "torch.Tensor"
    namespace.aliases["torch.nn.functional._Reduction"] = "torch.nn._reduction"
    namespace.aliases["torch.torch"] = "torch"  # its own import binds it
    return namespace


def is_torch(thing: object) -> bool:
    """Return whether torch defines a class or function, rather than importing it."""
    module = getattr(thing, "__module__", None)
    return isinstance(module, str) and (module == "torch" or module.startswith("torch."))


def is_tensor_base(thing: object) -> bool:
    """Return whether it is the C++ base of `torch.Tensor`, whose members count as the Tensor's."""
    return thing is torch._C.TensorBase


def is_function(value: object) -> bool:
    """Return whether a value is called like a function, including callable objects."""
    return callable(value) and not isinstance(value, type) and hasattr(value, "__name__")


def defining_path(thing: object) -> str | None:
    """Return the path where torch's source defines a class or function, or None."""
    if not is_torch(thing):
        return None
    module: str = thing.__module__
    name = getattr(thing, "__qualname__", "")
    if "." in name or getattr(sys.modules.get(module), name, None) is not thing:
        return None
    return f"{module}.{name}"


def _has_identity(value: object) -> bool:
    return isinstance(value, (type, *_NAMED_VALUES)) or is_function(value)


def _contents(path: str, module: ModuleType) -> Iterator[tuple[str, object]]:
    """Yield the public names of a module with their values, except its own imports."""
    listed = getattr(module, "__all__", None) or ()
    defined = definitions_of(module).names
    package = hasattr(module, "__path__")
    if path == "torch":
        yield "__version__", torch.__version__
    # Some of torch.backends are objects in place of a module, with settings on their class.
    settings = () if type(module) is ModuleType else vars(type(module))
    for name in sorted({*dir(module), *settings}):
        if f"{path}.{name}" in _STAND_INS:
            continue
        if name.startswith("_") and not _is_opened(path, name):
            continue
        try:
            value = getattr(module, name)
        except (AttributeError, ImportError, RuntimeError):
            continue
        named_here = name in listed or name in defined or name in settings
        if isinstance(value, ModuleType):
            # A module that another module imports has another name.
            if value.__name__ == f"{path}.{name}":
                yield name, value
        elif isinstance(value, _NAMED_VALUES):
            if path == "torch":
                yield name, value
        elif _has_identity(value):
            if is_torch(value) and (named_here or package or value.__module__ == path):
                yield name, value
        elif named_here and _is_constant(value, name in listed):
            yield name, value


def _is_opened(path: str, name: str) -> bool:
    """Return whether a name counts as public although it begins with an underscore."""
    if f"{path}.{name}".startswith(_OPENED_FUNCTIONS):
        return True
    return path in _OPENED and not name.startswith("__")


def _is_constant(value: object, listed: bool) -> bool:
    kind = type(value)
    return listed or is_torch(kind) or kind in (bool, int, float, str, tuple)


def _rank(name: str, thing: object) -> tuple[object, ...]:
    """Return a sort key for the names of one object: the documented name comes first."""
    owner = name.rpartition(".")[0]
    origin = getattr(thing, "__module__", None) or ""
    return (
        # str(torch.long) is "torch.int64".
        isinstance(thing, _NAMED_VALUES) and str(thing) != name,
        # torch.conv2d is the same function as torch.nn.functional.conv2d, undocumented.
        not name.startswith(_FUNCTIONAL),
        # A module that re-exports a class of another module is not its home.
        not (f"{origin}.".startswith(f"{owner}.") or "._" in origin),
        name.count("."),
        name.rpartition(".")[2] not in getattr(sys.modules.get(owner), "__all__", ()),
        len(name),
        name,
    )
