"""Tensors that Python itself converts to a number: in `"%.3f" % x`, `math.sqrt(x)`, `names[i]`.

torch converts every tensor with one value, whatever its dimensions; other frameworks only those
without dimensions. Matplotlib converts tensors to arrays, but first asks for the numbers in them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import replace

from workbench.findings import Certainty
from workbench.source.inference.context import Context
from workbench.source.types.lattice import TENSOR, Instance, Items, Plain, Tensor, UserObject, Value
from workbench.source.uses import Count, UseKind
from workbench.words import words

# Expressions that a conversion can replace.
_REPLACED = (ast.Name, ast.Attribute, ast.Call, ast.BinOp, ast.UnaryOp, ast.Subscript)
_DIRECTIVE = re.compile(r"%[-#0 +]*\d*(?:\.\d+)?[hlL]?([a-zA-Z%])")
_OF_NUMBERS = frozenset("diuoxXeEfFgG")
_OF_WHOLE = frozenset(f"builtins.{name}" for name in ("range", "bin", "hex", "oct", "chr"))
# Some frameworks find their items by the text of an index, for which no tensor is a number.
_OF_LAYERS = frozenset({"torch.nn.ModuleList", "torch.nn.ParameterList"})
_OF_SEQUENCES = frozenset({"math.dist", "math.fsum", "math.prod", "math.sumprod"})
# Functions and methods of matplotlib that ask for numbers: of values, of places in a grid, and of
# limits.
_OF_VALUES = frozenset(words("hexbin loglog plot scatter semilogx semilogy step"))
_OF_GRIDS = frozenset(words("barbs contour contourf pcolor pcolormesh quiver"))
_OF_LIMITS = frozenset(words("arrow axis bar barh set_xlim set_ylim xlim ylim"))


def _note_number(
    context: Context, outer: ast.expr, node: ast.expr, value: Value, method: str
) -> None:
    """Record a tensor that Python converts to a number, unless it is known to have no dimensions.

    A later walk may find something else there: it is no longer sure to be a tensor then. An
    expression that is a use of torch itself stays that use, and is a count of the outer one.
    """
    if isinstance(node, ast.IfExp):
        for one in (node.body, node.orelse):
            _note_number(context, outer, one, context.quiet(one), method)
        return
    if isinstance(value, Tensor) and (value.scalar or isinstance(node, ast.Starred)):
        return
    earlier = context.found.uses.get(id(node))
    own = earlier is not None and earlier.kind is not UseKind.NUMBER
    if own or not isinstance(node, _REPLACED):
        _note_inner(context, outer, node, value, method)
    else:
        _note(context, node, node, value, method)


def _note_inner(
    context: Context, outer: ast.expr, node: ast.expr, value: Value, method: str
) -> None:
    """Record a part of an expression that is converted, and that may be a use of torch itself."""
    earlier = context.found.uses.get(id(outer))
    counts = earlier.counts if earlier is not None and earlier.kind is UseKind.NUMBER else ()
    before = next((one for one in counts if one.node is node), None)
    proved = isinstance(value, Tensor) and value.certainty is Certainty.PROVED
    if before is None and not proved:
        return
    now = before or Count(node, method)
    if not proved or not isinstance(node, _REPLACED):
        now = now.unsure()
    use = context.use(f"torch.Tensor.{method}", UseKind.NUMBER, outer, Certainty.PROVED, node)
    use.owner, use.receiver_value = "torch.Tensor", TENSOR
    use.counts = (*(one for one in counts if one.node is not node), now)
    context.keep(use)


def _note(context: Context, place: ast.expr, node: ast.expr, value: Value, method: str) -> None:
    """Record a tensor that is converted by a method; no other value is sure to be one."""
    if not isinstance(value, Tensor) or value.certainty is not Certainty.PROVED:
        context.doubt(place)
        return
    use = context.use(f"torch.Tensor.{method}", UseKind.NUMBER, place, value.certainty, node, value)
    use.owner = "torch.Tensor"
    context.keep(use)


def note_formatted(context: Context, node: ast.BinOp, right: Value) -> None:
    """Record the tensors of `"%d %.3f" % (step, x)` for which the text asks for a number."""
    text = node.left.value if isinstance(node.left, ast.Constant) else None
    if not isinstance(node.op, ast.Mod) or not isinstance(text, str):
        return
    asked = [one for one in _DIRECTIVE.findall(text) if one != "%"]
    if len(asked) != text.replace("%%", "").count("%"):
        return  # widths and keys are arguments too
    given: Iterable[tuple[ast.expr, Value]] = [(node.right, right)]
    if isinstance(node.right, ast.Tuple):
        items = right.items if isinstance(right, Items) else None
        given = zip(node.right.elts, items or (), strict=False)
    for directive, (one, value) in zip(asked, given, strict=False):
        if directive in _OF_NUMBERS:
            _note_number(context, node, one, value, "__float__")


def note_repeated(context: Context, node: ast.BinOp, left: Value, right: Value) -> None:
    """Record the tensor that is the number of repetitions in `[0] * n` and `"ab" * n`."""
    if not isinstance(node.op, ast.Mult):
        return
    if _is_sequence(left):
        _note_number(context, node, node.right, right, "__index__")
    elif _is_sequence(right):
        _note_number(context, node, node.left, left, "__index__")


def note_arguments(context: Context, name: str, node: ast.Call, values: list[Value]) -> None:
    """Record the tensors among the arguments of `math.sqrt(x)`, `range(n)` and `bin(n)`."""
    whole = name in _OF_WHOLE
    if not whole and (not name.startswith("math.") or name in _OF_SEQUENCES):
        return
    for one, value in zip(node.args, values, strict=False):
        _note_number(context, node, one, value, "__index__" if whole else "__float__")


def note_drawn(context: Context, name: str, node: ast.Call, values: list[Value]) -> None:
    """Record the tensors among the arguments of a function or method of matplotlib."""
    given = list(zip(node.args, values, strict=False))
    if name in _OF_GRIDS:
        given = given[:2] if len(given) > 2 else []
    elif name not in _OF_VALUES | _OF_LIMITS:
        return
    for one, value in given:
        earlier = context.found.uses.get(id(one))
        own = earlier is not None and earlier.kind is not UseKind.NUMBER
        if own and name in _OF_LIMITS:
            _note(context, node, one, value, "__array__")
        elif not own and isinstance(one, _REPLACED) and not _is_point(name, value):
            _note(context, one, one, value, "__array__")


def _is_point(name: str, value: Value) -> bool:
    """Return whether a value is a number, which only limits do not take as a tensor."""
    return isinstance(value, Tensor) and value.scalar and name not in _OF_LIMITS


def note_place(context: Context, node: ast.Subscript, base: Value, at: Value) -> None:
    """Record a tensor that is an index of a list or of layers, or a bound of its slice."""
    holder = _class_of(base)
    if isinstance(at, Tensor) and holder in _OF_LAYERS:
        at = replace(at, scalar=False)
    elif not _is_sequence(base) and holder not in {"torch.Size", "torch.nn.Sequential"}:
        return
    if not isinstance(node.slice, ast.Slice):
        _note_number(context, node, node.slice, at, "__index__")
        return
    for bound in (node.slice.lower, node.slice.upper, node.slice.step):
        if bound is not None:
            _note_number(context, node, bound, context.quiet(bound), "__index__")


def _class_of(value: Value) -> str | None:
    """Return the torch class of an object, or the one that its class derives from."""
    if isinstance(value, UserObject):
        return value.cls.torch_base()
    return value.cls if isinstance(value, Instance) else None


def _is_sequence(value: Value) -> bool:
    return isinstance(value, Items) or value in (Plain("str"), Plain("bytes"))
