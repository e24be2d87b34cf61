"""Parameters of complex numbers, for which a target may lack optimizers."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from workbench.source.traits.containers import last_name
from workbench.source.tree import inside
from workbench.words import words

_DTYPES = frozenset(words("cfloat cdouble chalf complex64 complex128 complex32"))
_MAKERS = frozenset(words("complex polar view_as_complex fft ifft fft2 ifft2 fftn ifftn rfft"))
_PARTS = frozenset(words("view_as_real real imag abs angle irfft float double"))
# The functions that make a tensor a parameter.
REGISTERING = frozenset({"Parameter", "register_parameter"})


def makes_complex_parameters(tree: ast.Module) -> bool:
    """Return whether a parameter of the text is made of complex numbers, directly or by a name.

    Examples are `nn.Parameter(torch.randn(3, dtype=torch.cfloat))` and `w = torch.complex(a, b)`
    with `nn.Parameter(w)`. `nn.Parameter(torch.view_as_real(w))` is real.
    """
    given: set[str] = set()
    made: set[str] = set()
    for node in inside(tree):
        if isinstance(node, ast.Call) and last_name(node.func) in REGISTERING:
            given.update(*map(_names, [*node.args, *(one.value for one in node.keywords)]))
        elif isinstance(node, ast.Assign) and _is_complex(set(_names(node.value))):
            made.update(last_name(target) or "" for target in node.targets)
    return _is_complex(given) or bool(given & made)


def _is_complex(names: set[str]) -> bool:
    return bool(names & (_DTYPES | _MAKERS))


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
