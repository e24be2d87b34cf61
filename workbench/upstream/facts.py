"""Facts about torch, read from `torch.json` without an import of torch.

`workbench.upstream.generate` writes the file, and `torchvision.json`, which is read when a name of
torchvision is first needed. Types are texts: `Tensor` is `torch.Tensor`, every other torch class
has its canonical name (`torch.nn.Module`), `Self` is the receiver, and `""` is unknown.
"""

from __future__ import annotations

import ast
import re
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib import resources
from typing import Any, Final, Literal

from workbench.upstream import einops, einx, layers
from workbench.upstream.lines import read
from workbench.upstream.ported import Ported

ParameterKind = Literal["positional", "any", "keyword", "var_positional", "var_keyword"]
EntryKind = Literal[
    "module",
    "function",
    "class",
    "method",
    "property",
    "attribute",
    "dtype",
    "constant",
    "exception",
]

_TENSOR: Final = "torch.Tensor"
_PARAMETER: Final = re.compile(r"(?:^\(|, )\*{0,2}(\w+)")
_VISION: Final = "torchvision"
_OTHER_PACKAGES: Final = (_VISION, "timm.", einops.PREFIX, einx.PREFIX)
# Facts of other packages that are written by hand.
_BY_HAND: Final = (layers.ENTRIES, einops.ENTRIES, einx.ENTRIES)
_COVERED: Final = frozenset({"torch", _VISION, "einx"})
# Prefixes of canonical names.
PREFIXES: Final = ("torch.", f"{_VISION}.", f"{layers.HOME}.", einx.PREFIX)
# Keywords that torch's argument parser also accepts, with the parameters that they may mean: some
# for compatibility with numpy, some where a number or a list replaces a tensor.
OTHER_KEYWORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "axis": ("dim",),
    "keepdims": ("keepdim",),
    "x": ("input",),
    "a": ("input",),
    "x1": ("input",),
    "x2": ("other",),
    "self": ("tensors", "input"),  # torch._foreach_abs(self=[x, y]), torch.pow(self=2, exponent=x)
    "element": ("elements",),
    "test_element": ("test_elements",),
}


def covers(name: str) -> bool:
    """Return whether the facts describe a name: of torch, torchvision and einx, some of timm."""
    return name.partition(".")[0] in _COVERED or name in layers.NAMES


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter; `default` is the source text of its default, None if it is required."""

    name: str
    kind: ParameterKind
    default: str | None
    type: str


@dataclass(frozen=True, slots=True)
class Signature:
    """A way to call a function, without `self`. For a value without parameters it is the type."""

    parameters: tuple[Parameter, ...]
    returns: str


@dataclass(frozen=True, slots=True)
class Entry:
    """The facts about one name.

    A function or method has a signature for each overload, and none if torch has no type
    information. A class has the signatures of its constructor. A property, attribute or constant of
    known type has one signature without parameters that returns this type.
    """

    name: str
    kind: EntryKind
    signatures: tuple[Signature, ...] = ()
    alias_of: str | None = None
    bases: tuple[str, ...] = ()
    deprecated: str = ""
    """torch's message about the deprecation, or "" if it is not deprecated."""
    members: frozenset[str] | None = None
    """For a user's own class: the members that its counterpart defines, or None if unknown."""

    @property
    def is_data(self) -> bool:
        """Return whether it is a value that is read rather than called."""
        return self.kind in {"property", "attribute", "dtype", "constant"}


class Facts:
    """The names of one torch version. `load()` returns the shared object."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.version: str = data["version"]
        self._entries: Mapping[str, dict[str, Any]] = data["entries"]
        self._aliases: Mapping[str, str] = data["aliases"]
        self._withheld: Mapping[str, list[str]] = data.get("withheld", {})
        self._shared: list[str] = data["shared_members"]
        self._built: dict[str, Entry | None] = {}
        self._members: dict[tuple[str, str], str | None] = {}
        self._lineages: dict[str, tuple[str, ...]] = {}
        self._modules: dict[str, bool] = {}
        self._vision: frozenset[str] | None = None
        self._with_layers = False
        self._own: frozenset[str] = frozenset()
        self.ported: Ported | None = None

    def with_ported(self, ported: Ported) -> Facts:
        """Return these facts for programs that use names of a target and of torch."""
        result = copy(self)
        result.ported = ported
        result._members = {}  # a tensor has more members
        return result

    def torch_method(self, name: str) -> str:
        """Return torch's name of a tensor method, which a target may name differently."""
        return self.ported.methods.get(name, name) if self.ported is not None else name

    def extended(self, entries: Mapping[str, Entry]) -> Facts:
        """Return these facts with a user's own names, each in its own package or in `torch.ops`.

        The name of an operator's overload is known too: `torch.ops.mylib.nms.default`.
        """
        overloads = {f"{name}.default": name for name in entries if name.startswith("torch.ops.")}
        own = {
            name: {"kind": entry.kind, "bases": list(entry.bases)}
            for name, entry in entries.items()
        }
        for name in [name for name in own if not covers(name)]:
            parts = name.split(".")
            for count in range(1, len(parts)):
                own.setdefault(".".join(parts[:count]), {"kind": "module"})
        data = {
            "version": self.version,
            "entries": ChainMap(own, self._entries),  # type: ignore[arg-type]
            "aliases": ChainMap(overloads, self._aliases),  # type: ignore[arg-type]
            "withheld": self._withheld,
            "shared_members": self._shared,
        }
        result = Facts(data)
        result._built.update(entries)
        result._own = frozenset(own)
        result.ported = self.ported
        return result

    def is_own(self, name: str) -> bool:
        """Return whether it is a user's own name, or a module that contains one."""
        return name in self._own

    def lacks(self, class_name: str, attribute: str) -> bool:
        """Return whether the counterpart of a user's own class lacks an attribute."""
        every = attribute.startswith("__")  # attributes of every object
        entry = self.get(class_name) if class_name in self._own and not every else None
        return entry is not None and entry.members is not None and attribute not in entry.members

    @cached_property
    def own_packages(self) -> frozenset[str]:
        """The packages of the user's own names."""
        return frozenset(name for name in self._own if "." not in name)

    def get(self, name: str) -> Entry | None:
        """Return the entry of a name, of the target of an alias, or of an inherited member, or
        None.

        `alias_of` of the entry has the other name if the name is an alias or inherited.
        """
        if name not in self._built:
            self._built[name] = self._find(name)
        return self._built[name]

    def canonical(self, name: str) -> str:
        """Return the name under which an object has its entry; return unknown names unchanged."""
        if name.startswith(_OTHER_PACKAGES):
            self._load_package(name)
        if name in self._entries:
            return name
        if name in self._aliases:
            return self._aliases[name]
        owner, dot, attribute = name.rpartition(".")
        if not dot:
            return name
        owner = self.canonical(owner)
        if f"{owner}.{attribute}" in self._entries:
            return f"{owner}.{attribute}"
        return self.member(owner, attribute) or name

    def member(self, class_name: str, attribute: str) -> str | None:
        """Return the canonical name of a class's own or inherited member, or None."""
        key = class_name, attribute
        if key not in self._members:
            self._members[key] = self._find_member(self.canonical(class_name), attribute)
        return self._members[key]

    def is_module(self, name: str) -> bool:
        """Return whether a name is a module such as `torch` or `torch.nn`."""
        known = self._modules.get(name)
        if known is None:
            known = self._entries.get(self.canonical(name), {}).get("kind") == "module"
            self._modules[name] = known
        return known

    def bases(self, name: str) -> tuple[str, ...]:
        """Return the bases of a class, by its canonical name."""
        return tuple(self._entries.get(name, {}).get("bases", ()))

    def lineage(self, name: str) -> tuple[str, ...]:
        """Return a class and all its bases, by its canonical name."""
        return self._lineage(name)

    def parameter_names(self, name: str) -> frozenset[str]:
        """Return the parameters of all signatures of a canonical name, without parsing them."""
        texts = self._entries.get(name, {}).get("signatures", ())
        return frozenset(found for text in texts for found in _PARAMETER.findall(text))

    @cached_property
    def names(self) -> frozenset[str]:
        """All canonical names of torch itself."""
        others = (self._vision or (), *_BY_HAND)
        return frozenset(self._entries).difference(*others)

    def has(self, name: str) -> bool:
        """Return whether this is a canonical name in torch or torchvision."""
        return self.canonical(name) == name and name in self._entries

    @property
    def vision_names(self) -> frozenset[str]:
        """All canonical names of torchvision."""
        if self._vision is None:
            self._read_vision()
        return self._vision or frozenset()

    def inside(self, module: str) -> Iterator[str]:
        """Yield the canonical names directly in a module."""
        name = self.canonical(module)
        found = self._held_by_vision if f"{name}.".startswith(_VISION) else self._held
        yield from found.get(name, ())

    @cached_property
    def _held(self) -> dict[str, list[str]]:
        return _by_holder(self.names)

    @cached_property
    def _held_by_vision(self) -> dict[str, list[str]]:
        return _by_holder(self.vision_names)

    def offered(self, module: str) -> Iterator[tuple[str, str]]:
        """Yield the names that `from module import *` binds, each with its canonical name."""
        prefix = f"{self.canonical(module)}."
        meanings = {name: name for name in self.inside(module)}
        meanings |= {name: self._aliases[name] for name in self._aliases if name.startswith(prefix)}
        withheld = set(self._withheld.get(prefix[:-1], ()))
        for name, meant in meanings.items():
            short = name[len(prefix) :]
            if "." not in short and not short.startswith("_") and short not in withheld:
                yield short, meant

    @cached_property
    def tensor_members(self) -> frozenset[str]:
        """Names of a tensor's methods, properties and attributes, including operators."""
        prefix = f"{_TENSOR}."
        return frozenset(
            name.removeprefix(prefix) for name in self._entries if name.startswith(prefix)
        )

    @cached_property
    def tensor_only(self) -> frozenset[str]:
        """Tensor members that no other common type has: evidence that a receiver is a tensor."""
        return self.tensor_members.difference(self._shared)

    def _load_package(self, name: str) -> None:
        """Load the facts of the package that a name is from, once."""
        if name.startswith(_VISION):
            if self._vision is None:
                self._read_vision()
        elif not self._with_layers:
            self._with_layers = True
            self._entries = ChainMap(self._entries, *_BY_HAND)  # type: ignore[arg-type]
            self._aliases = ChainMap(self._aliases, layers.ALIASES)  # type: ignore[arg-type]

    def _read_vision(self) -> None:
        data = _data(_VISION)
        self._vision = frozenset(data["entries"])
        self._entries = ChainMap(self._entries, data["entries"])  # type: ignore[arg-type]
        self._aliases = ChainMap(self._aliases, data["aliases"])  # type: ignore[arg-type]

    def _find(self, name: str) -> Entry | None:
        canonical = self.canonical(name)
        data = self._entries.get(canonical)
        if data is None:
            return None
        if name != canonical:
            found = self.get(canonical)
            return found and replace(found, name=name, alias_of=canonical)
        return Entry(
            name=name,
            kind=data["kind"],
            signatures=tuple(parse_signature(text) for text in data.get("signatures", ())),
            bases=tuple(data.get("bases", ())),
            deprecated=data.get("deprecated", ""),
        )

    def _find_member(self, class_name: str, attribute: str) -> str | None:
        data = self._entries.get(class_name)
        if class_name == _TENSOR:
            attribute = self.torch_method(attribute)
        if data is None or data["kind"] not in ("class", "exception"):
            return None
        owners = (f"{owner}.{attribute}" for owner in self._lineage(class_name))
        return next((name for name in owners if name in self._entries), None)

    def _lineage(self, class_name: str) -> tuple[str, ...]:
        """Return the class and all its bases in Python's method resolution order."""
        if class_name not in self._lineages:
            bases = self._entries.get(class_name, {}).get("bases", ())
            lines = [*(list(self._lineage(base)) for base in bases), list(bases)]
            merged = [class_name]
            while lines := [line for line in lines if line]:
                # Take the first that comes after no other in any line.
                heads = [line[0] for line in lines]
                free = (head for head in heads if all(head not in line[1:] for line in lines))
                merged.append(next(free, heads[0]))
                lines = [[name for name in line if name != merged[-1]] for line in lines]
            self._lineages[class_name] = tuple(merged)
        return self._lineages[class_name]


def _by_holder(names: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(name.rpartition(".")[0], []).append(name)
    return found


@cache
def load() -> Facts:
    """Return the facts of the torch version that this package was built with."""
    return Facts(_data("torch"))


def _data(package: str) -> dict[str, Any]:
    file = resources.files(__package__).joinpath(f"{package}.json")
    return read(file.read_text(encoding="utf-8"))


@cache
def parse_signature(text: str) -> Signature:
    """Return the signature in a text such as `(input: Tensor, *, dim: int=0) -> Tensor`."""
    source = f"def _{text}: ..."
    function = ast.parse(source).body[0]
    assert isinstance(function, ast.FunctionDef)

    def slice_of(node: ast.expr | None) -> str | None:
        # The file is ASCII, so that the byte offsets of `ast` are offsets in the text.
        return None if node is None else source[node.col_offset : node.end_col_offset]

    def parameter(arg: ast.arg, kind: ParameterKind, default: ast.expr | None = None) -> Parameter:
        return Parameter(arg.arg, kind, slice_of(default), slice_of(arg.annotation) or "")

    args = function.args
    plain = [*args.posonlyargs, *args.args]
    required = len(plain) - len(args.defaults)
    parameters = [
        parameter(
            arg,
            "positional" if index < len(args.posonlyargs) else "any",
            args.defaults[index - required] if index >= required else None,
        )
        for index, arg in enumerate(plain)
    ]
    if args.vararg:
        parameters.append(parameter(args.vararg, "var_positional"))
    parameters += [
        parameter(arg, "keyword", default)
        for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True)
    ]
    if args.kwarg:
        parameters.append(parameter(args.kwarg, "var_keyword"))
    return Signature(tuple(parameters), slice_of(function.returns) or "")
