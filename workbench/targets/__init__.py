"""Target frameworks, by name. Only `targets/<name>/` has code for a particular target."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from workbench.errors import UnknownTargetError

if TYPE_CHECKING:
    import ast

    from workbench.rules.forms import Forms
    from workbench.rules.rule import Registry
    from workbench.targets.helpers import HelperLibrary, Import
    from workbench.targets.layer import Layer
    from workbench.upstream.facts import Facts

_SPEC = re.compile(r"\s*([a-z_]+)\s*(?:==\s*([\d.]+)\s*)?$")
NAMES = ("paddle", "jax")
# The target if none is named.
DEFAULT = NAMES[0]
# Styles of converted code: as plain as possible, or identical to torch in every corner case.
PLAIN, EXACT = "plain", "exact"
STYLES = (PLAIN, EXACT)
# The distribution of new weights: torch's, or the target's own.
TORCH, NATIVE = "torch", "native"
INITS = (TORCH, NATIVE)
MODULES_NAMED = ("collections", "functools", "math", "numpy", "typing")


@dataclass(frozen=True, slots=True)
class Unproven:
    """A rule some of whose cases fail in a version of a target.

    Attributes:
        since: the first version from which on all cases hold.
        some: whether only some of them fail in the version.
    """

    since: str
    some: bool


@dataclass(frozen=True)
class Target:
    """A framework to convert to.

    Attributes:
        name: the name for users, `paddle`.
        title: the name in sentences, `Paddle`.
        module: the module that converted code imports.
        version: the version that rules are chosen for, `3.3`.
        rules: the rules for torch's names.
        helpers: functions that converted code may define at its top.
        facts: the names that have rules: torch's, and those of a project's own.
        packages: its distributions on PyPI, by those of torch.
        brings_all: a requirement that brings the target and what its code imports besides, if its
            own distribution does not.
        modules: modules of other packages made for torch, with their equivalents for this target.
        no_kernel: a pattern of its error messages for an operator that lacks a dtype.
        unproven: by torch name, the rules some of whose cases fail in this version.
        modules_named: other modules that templates may name; they are imported when needed.
        aliases: names that templates may use, with the imports that bind them: `jnp`.
        dropped: modules of a project's own whose imports are removed when nothing needs them.
        devices: the kinds of its devices, by torch's names; if empty, all kinds.
        style: the style of its code, one of `styles`.
        styles: the styles that its code can have, of STYLES.
        forms: the plain forms of torch's names, which the exact style does not use.
        counterparts: modules of torch, with the target's module that has most of their names.
        units: prefixes of torch's names whose uses in a file are all written plainly or all
            exactly, such as an optimizer with its schedules.
        linked: whether a plan is converted only together with all others of its kind in a file.
        constants: by their name in templates, the names and values of constants that a file
            defines once.
        init: the distribution of new weights, one of INITS.
        otherwise: tensor methods, by their last names, that its tensors have too and that return
            something else if they are called with arguments.
        unlike: such methods that return something else in every call.
        module_methods: methods of its module class that torch's lacks.
        passes: decisions on whole programs after those on single uses, in their order.
        narrow: whether whole numbers and floats of 64 bits become numbers of 32 bits.
        moved: a function that finds the lines of a text that was converted whole which become
            definitions further up.
        tape: whether its tensors record computations, so that `backward` works.
        mutable: whether its tensors can be changed in place.
        drawable: whether matplotlib draws its tensors wherever it draws torch's.
        promotes_floats_alone: whether its operators raise if only one tensor holds integers or
            bools.
        torch_init: a pattern of the arguments by which plain forms use torch's distribution.
        takes_tensor: whether a function takes a tensor for an integer parameter as torch does, by
            torch's names.
        ungeneric: its classes that take no type parameters, `Loader[int]`, where torch's do.
        switches: a function that finds the calls in a text that change the meaning of the
            target's own calls, each with advice.
        layers: by name, functions that import the target and return its import layer.
        under: the layer under which programs are checked, or None for their conversion.
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
    brings_all: str = ""
    no_kernel: str = r"(?!)"
    unproven: Mapping[str, Unproven] = field(default_factory=dict)
    modules_named: tuple[str, ...] = MODULES_NAMED
    aliases: Mapping[str, Import] = field(default_factory=dict)
    dropped: frozenset[str] = frozenset()
    devices: frozenset[str] = frozenset()
    style: str = PLAIN
    styles: tuple[str, ...] = STYLES
    forms: Forms | None = None
    counterparts: Mapping[str, str] = field(default_factory=dict)
    units: tuple[str, ...] = ()
    linked: Callable[[Any], bool] = lambda plan: False
    constants: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    init: str = TORCH
    torch_init: str = r"(?!)"
    switches: Callable[[str, ast.Module], Iterable[tuple[ast.Call, str]]] = lambda text, tree: ()
    layers: Mapping[str, Callable[[], Layer]] = field(default_factory=dict)
    under: Layer | None = None
    otherwise: frozenset[str] = frozenset()
    unlike: frozenset[str] = frozenset()
    module_methods: frozenset[str] = frozenset()
    promotes_floats_alone: bool = False
    passes: tuple[Callable[[Any], Any], ...] = ()
    moved: Callable[[str], Iterable[Any]] = lambda text: ()
    narrow: bool = False
    tape: bool = True
    mutable: bool = True
    drawable: bool = True
    ungeneric: frozenset[str] = frozenset()
    takes_tensor: Callable[[str, str], bool] = lambda name, parameter: True

    @property
    def bound_names(self) -> frozenset[str]:
        """The names that its modules have in converted code."""
        return frozenset({self.module, *self.aliases})

    @property
    def plain(self) -> Forms | None:
        """The plain forms, or None if the style is exact."""
        return self.forms if self.style == PLAIN else None


def load(spec: str | Target, style: str | None = None, init: str | None = None) -> Target:
    """Return the target of a name, or of a name and version such as `paddle==3.1`.

    Args:
        spec: the name, or a target, which is returned itself.
        style: one of STYLES, or None for the target's own, which is PLAIN at first.
        init: one of INITS, or None for the target's own, which is TORCH at first.

    Raises:
        UnknownTargetError: there is no such target, or it does not support this version, style or
            initialisation.
    """
    for kind, word, known in (("style", style, STYLES), ("init", init, INITS)):
        if word is not None and word not in known:
            raise UnknownTargetError(f"unknown {kind} {word!r}; write one of: {', '.join(known)}")
    found = spec if isinstance(spec, Target) else _load(*split_spec(spec))
    style, init = style or found.style, init or found.init
    if style not in found.styles:
        raise UnknownTargetError(
            f"code for {found.title} is written in the {PLAIN} style only; remove style = {style!r}"
        )
    if (style, init) == (EXACT, NATIVE):
        raise UnknownTargetError(
            f"the {EXACT} style initializes new weights as torch does; remove init = {NATIVE!r}, or"
            f" choose the {PLAIN} style"
        )
    same = (style, init) == (found.style, found.init)
    return found if same else replace(found, style=style, init=init)


def split_spec(spec: str) -> tuple[str, str | None]:
    """Return the name and the version in the spec of a target for code.

    Raises:
        UnknownTargetError: there is no such target.
    """
    match = _SPEC.match(spec)
    if match is None or match.group(1) not in NAMES:
        raise UnknownTargetError(
            f"unknown target {spec!r}; write one of: {', '.join(NAMES)}"
            " (or with a version, such as paddle==3.3)"
        )
    return match.group(1), match.group(2)


def specs() -> list[str]:
    """Return all specs of targets: by name alone, and with each version that has rules."""
    found: list[str] = []
    for name in NAMES:
        versions: tuple[str, ...] = import_module(f"workbench.targets.{name}").VERSIONS
        found += [name, *(f"{name}=={version}" for version in reversed(versions))]
    return found


def program_ending(spec: str) -> str:
    """Return the suffix of a target's programs for serving, such as `.json`."""
    ending: str = import_module(f"workbench.targets.{name_of(spec)}").PROGRAM
    return ending


def name_of(spec: str) -> str:
    """Return the name in a spec of a target for code or graphs.

    Raises:
        UnknownTargetError: there is no such target.
    """
    name = spec.partition("==")[0].strip()
    if name not in NAMES:
        raise UnknownTargetError(f"unknown target {spec!r}; write one of: {', '.join(NAMES)}")
    return name


def imported_target(text: str) -> str | None:
    """Return the target whose package a Python file imports, or None.

    Args:
        text: the file's source.
    """
    for name in NAMES:
        if imports_any(text, imports(name)):
            return name
    return None


def imports_any(text: str, packages: Iterable[str]) -> bool:
    """Return whether a Python file imports one of these packages.

    Args:
        text: the file's source.
        packages: the names of the packages.
    """
    names = "|".join(packages)
    return re.search(rf"^\s*(?:import|from)\s+(?:{names})\b", text, re.MULTILINE) is not None


def of_kind(kind: type) -> str:
    """Return the target that a class or one of its bases comes from, or else the default."""
    packages = {base.__module__.partition(".")[0] for base in kind.__mro__}
    found = (name for name in NAMES if packages & set(imports(name)))
    return next(found, DEFAULT)


def imports(spec: str) -> tuple[str, ...]:
    """Return the packages that code for a target imports."""
    found: tuple[str, ...] = import_module(f"workbench.targets.{name_of(spec)}").PACKAGES
    return found


def packages() -> list[str]:
    """Return the distributions of every target by their names on PyPI."""
    return sorted({package for name in NAMES for package in load(name).packages.values()})


@cache
def _load(name: str, version: str | None) -> Target:
    assert find_spec(f"workbench.targets.{name}") is not None
    target: Target = import_module(f"workbench.targets.{name}").target(version)
    return target
