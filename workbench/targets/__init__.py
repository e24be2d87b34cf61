"""Target frameworks, by name. Nothing outside `targets/<name>/` knows one by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from workbench.errors import UnknownTargetError

if TYPE_CHECKING:
    import ast

    from workbench.rules.forms import Forms
    from workbench.rules.rule import Registry
    from workbench.targets.helpers import HelperLibrary
    from workbench.upstream.facts import Facts

_SPEC = re.compile(r"\s*([a-z_]+)\s*(?:==\s*([\d.]+)\s*)?$")
NAMES = ("paddle",)
# Those that take whole models by their graph, and no source code.
BY_GRAPH = ("jax",)
# The target where nothing names one.
DEFAULT = NAMES[0]
# How converted code is written: plainest first, or torch in every corner.
PLAIN, EXACT = "plain", "exact"
STYLES = (PLAIN, EXACT)
# Whose distribution new weights follow: torch's, or the target's own.
TORCH, NATIVE = "torch", "native"
INITS = (TORCH, NATIVE)
MODULES_NAMED = ("collections", "functools", "math", "numpy", "typing")


@dataclass(frozen=True, slots=True)
class Unproven:
    """A rule whose cases do not all hold in a version of a target.

    Attributes:
        since: the version in which they all hold, and in every later one.
        some: only some of them fail in the version.
    """

    since: str
    some: bool


@dataclass(frozen=True)
class Target:
    """A framework to convert to.

    Attributes:
        name: as the user writes it, `paddle`.
        title: as sentences write it, `Paddle`.
        module: the module that converted code imports.
        version: the version that rules are chosen for, `3.3`.
        rules: how each torch name is written.
        helpers: functions that converted code may define at its top.
        facts: the names that rules are for: torch's, and those of a project's own.
        packages: its distributions on PyPI, by those of torch.
        modules: parts of other packages made for torch, with the part made for this target.
        no_kernel: a pattern of the messages in which it says that an operator lacks a dtype.
        unproven: by torch name, the rules whose cases do not all hold in this version.
        modules_named: other modules that templates may name; they are imported where one does.
        dropped: modules of a project's own whose imports go where nothing needs them.
        devices: the kinds of devices, by torch's names, that it has; none: all of them.
        style: how code is written for it, one of STYLES.
        forms: the plain forms of torch's names; the exact style does without them.
        counterparts: modules of torch, with the module that has most of their names here.
        units: beginnings of torch's names whose uses in a file are written in one way, plainly or
            not: an optimizer with its schedules.
        constants: by the name that templates have for it, how a file calls a value that it defines
            once, and the value.
        init: whose distribution new weights follow, one of INITS.
        otherwise: methods of tensors, by their last names, that its tensors have, too, and that
            give something else where they are called with arguments.
        promotes_floats_alone: its operators raise where one tensor holds integers or truth values
            and the other does not.
        torch_init: a pattern of the arguments by which plain forms follow torch's distribution.
        switches: finds the calls in a text that change what the target's own calls mean, each with
            what to do about it.
    """

    name: str
    title: str
    module: str
    version: str
    rules: Registry
    helpers: HelperLibrary
    facts: Facts
    packages: dict[str, str]
    modules: dict[str, str]
    no_kernel: str = r"(?!)"
    unproven: Mapping[str, Unproven] = field(default_factory=dict)
    modules_named: tuple[str, ...] = MODULES_NAMED
    dropped: frozenset[str] = frozenset()
    devices: frozenset[str] = frozenset()
    style: str = PLAIN
    forms: Forms | None = None
    counterparts: Mapping[str, str] = field(default_factory=dict)
    units: tuple[str, ...] = ()
    constants: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    init: str = TORCH
    torch_init: str = r"(?!)"
    switches: Callable[[str, ast.Module], Iterable[tuple[ast.Call, str]]] = lambda text, tree: ()
    otherwise: frozenset[str] = frozenset()
    promotes_floats_alone: bool = False

    @property
    def plain(self) -> Forms | None:
        """The plain forms, where code is written in them."""
        return self.forms if self.style == PLAIN else None


def load(spec: str | Target, style: str | None = None, init: str | None = None) -> Target:
    """The target of a name, or of a name and version such as `paddle==3.1`; one comes back itself.

    Args:
        spec: the name, or the target.
        style: one of STYLES; what the target has already, PLAIN at first, where None.
        init: one of INITS; what the target has already, TORCH at first, where None.

    Raises:
        UnknownTargetError: there is no such target, or it does not go by this version, style or
            initialisation.
    """
    for kind, word, known in (("style", style, STYLES), ("init", init, INITS)):
        if word is not None and word not in known:
            raise UnknownTargetError(f"unknown {kind} {word!r}; write one of: {', '.join(known)}")
    found = spec if isinstance(spec, Target) else _named(spec)
    style, init = style or found.style, init or found.init
    if (style, init) == (EXACT, NATIVE):
        raise UnknownTargetError(
            f"the {EXACT} style draws new weights as torch does; leave out init = {NATIVE!r}, or"
            f" take the {PLAIN} style"
        )
    same = (style, init) == (found.style, found.init)
    return found if same else replace(found, style=style, init=init)


def _named(spec: str) -> Target:
    match = _SPEC.match(spec)
    if match is not None and match.group(1) in BY_GRAPH:
        title = import_module(f"workbench.targets.{match.group(1)}").TITLE
        raise UnknownTargetError(
            f"{title} takes whole models by their graph, not source code:"
            f" torchferry trace FILE:NAME --target {match.group(1)} --save model.py writes one;"
            f" code is converted to {', '.join(NAMES)}"
        )
    if match is None or match.group(1) not in NAMES:
        raise UnknownTargetError(
            f"unknown target {spec!r}; write one of: {', '.join(NAMES)}"
            " (or with a version, such as paddle==3.3)"
        )
    return _load(match.group(1), match.group(2))


def specs() -> list[str]:
    """Every target as it may be named: by its name, and in each version that rules go by."""
    found: list[str] = []
    for name in NAMES:
        versions: tuple[str, ...] = import_module(f"workbench.targets.{name}").VERSIONS
        found += [name, *(f"{name}=={version}" for version in reversed(versions))]
    return found


def by_graph(spec: str) -> bool:
    """Whether a target takes whole models by their graph, and no source code."""
    match = _SPEC.match(spec)
    return match is not None and match.group(1) in BY_GRAPH


def program_ending(spec: str) -> str:
    """How the names of files end in which a target keeps programs for serving, `.json`."""
    ending: str = import_module(f"workbench.targets.{name_of(spec)}").PROGRAM
    return ending


def name_of(spec: str) -> str:
    """The name in a spec, of a target that takes code or graphs.

    Raises:
        UnknownTargetError: there is no such target.
    """
    name = spec.partition("==")[0].strip()
    known = (*NAMES, *BY_GRAPH)
    if name not in known:
        raise UnknownTargetError(f"unknown target {spec!r}; write one of: {', '.join(known)}")
    return name


def written_for(text: str) -> str:
    """The target whose package a Python file imports; the default where it imports none's.

    Args:
        text: the file's source.
    """
    for name in (*NAMES, *BY_GRAPH):
        if re.search(rf"^\s*(?:import|from)\s+(?:{'|'.join(imports(name))})\b", text, re.M):
            return name
    return DEFAULT


def of_kind(kind: type) -> str:
    """The target that a class comes from, or is made of; the default where it is none's."""
    packages = {base.__module__.partition(".")[0] for base in kind.__mro__}
    found = (name for name in (*NAMES, *BY_GRAPH) if packages & set(imports(name)))
    return next(found, DEFAULT)


def imports(spec: str) -> tuple[str, ...]:
    """The packages that code for a target imports."""
    found: tuple[str, ...] = import_module(f"workbench.targets.{name_of(spec)}").PACKAGES
    return found


def packages() -> list[str]:
    """The distributions of every target, as PyPI calls them."""
    return sorted({package for name in NAMES for package in load(name).packages.values()})


@cache
def _load(name: str, version: str | None) -> Target:
    assert find_spec(f"workbench.targets.{name}") is not None
    target: Target = import_module(f"workbench.targets.{name}").target(version)
    return target
