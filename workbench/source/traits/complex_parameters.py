"""Parameters of complex numbers, for which a target may lack optimizers."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from workbench.source.traits.containers import last_name
from workbench.source.tree import Notes, children, inside, whole
from workbench.words import words

_COMPLEX = frozenset(
    words(
        "cfloat cdouble chalf complex64 complex128 complex32 "
        "complex polar view_as_complex fft ifft fft2 ifft2 fftn ifftn rfft"
    )
)
_PARTS = frozenset(words("view_as_real real imag abs angle irfft float double"))
# The functions that make a tensor a parameter.
REGISTERING = frozenset({"Parameter", "register_parameter"})


class _Found(NamedTuple):
    """The names in the arguments of parameters, and the variables with complex numbers."""

    given: frozenset[str]
    made: frozenset[str]


# An edit keeps the nodes of the definitions that it does not touch.
_known: Notes[_Found] = Notes("complex")


def makes_complex_parameters(tree: ast.Module) -> bool:
    """Return whether a parameter of the text is made of complex numbers, directly or by a name.

    Examples are `nn.Parameter(torch.randn(3, dtype=torch.cfloat))` and `w = torch.complex(a, b)`
    with `nn.Parameter(w)`. `nn.Parameter(torch.view_as_real(w))` is real.
    """
    given, made = _together(tree.body)
    return not given.isdisjoint(_COMPLEX) or not given.isdisjoint(made)


def _together(parts: list[ast.stmt] | list[ast.AST]) -> _Found:
    found = [_of_part(part) for part in parts]
    given, made = (one.given for one in found), (one.made for one in found)
    return _Found(frozenset[str]().union(*given), frozenset[str]().union(*made))


def _of_part(part: ast.AST) -> _Found:
    """Return what a statement, or a part of a class, has; a class is read method by method."""
    known = _known.get(part)
    if known is None:
        is_class = isinstance(part, ast.ClassDef)
        known = _known[part] = _together(children(part)) if is_class else _read(part)
    return known


def _read(part: ast.AST) -> _Found:
    given: set[str] = set()
    made: set[str] = set()
    nodes = whole(part) if isinstance(part, ast.stmt) else inside(part)
    for node in nodes:
        if type(node) is ast.Call and last_name(node.func) in REGISTERING:
            given.update(*map(_names, [*node.args, *(one.value for one in node.keywords)]))
    named = {node.id for node in nodes if type(node) is ast.Name}
    named |= {node.attr for node in nodes if type(node) is ast.Attribute}
    for node in () if named.isdisjoint(_COMPLEX) else nodes:
        if type(node) is ast.Assign and _is_complex(node.value):
            made.update(last_name(target) or "" for target in node.targets)
    return _Found(frozenset(given), frozenset(made))


def _is_complex(value: ast.expr) -> bool:
    return not _COMPLEX.isdisjoint(_names(value))


def _names(node: ast.expr) -> Iterator[str]:
    """Yield the last names in an expression, without those in a call that returns real numbers."""
    if isinstance(node, ast.Call) and last_name(node.func) in _PARTS:
        return
    if isinstance(node, ast.Attribute | ast.Name):
        yield last_name(node) or ""
        if isinstance(node, ast.Attribute) and node.attr in _PARTS:
            return
    for part in ast.iter_child_nodes(node):
        if isinstance(part, ast.keyword):
            part = part.value
        if isinstance(part, ast.expr):
            yield from _names(part)
