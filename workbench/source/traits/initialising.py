"""Calls that set parameters of layers, and tests for the class of the layers that they set."""

from __future__ import annotations

import ast

from workbench.source.traits.containers import last_name
from workbench.words import words

_INITIALISING = frozenset({"init"})  # `nn.init.normal_(layer.weight)`: the module before the call
OWN_PARAMETERS = frozenset({"weight", "bias"})
# Methods that write values at fixed positions, which depend on a layout.
_PLACED = frozenset(
    words(
        "copy_ set_ add_ sub_ mul_ div_ addcmul_ addcdiv_ lerp_ scatter_ scatter_add_ "
        "index_add_ index_copy_ index_fill_ index_put_ masked_fill_ masked_scatter_ tril_ "
        "triu_ t_ transpose_"
    )
)


def initialised_parameter(node: ast.Call) -> ast.Attribute | None:
    """Return the weight or bias that a call only sets the values of, or None.

    Examples are `nn.init.normal_(layer.weight)` and `layer.weight.data.fill_(1)`.
    """
    func = node.func
    if not isinstance(func, ast.Attribute) or not func.attr.endswith("_"):
        if isinstance(func, ast.Name) and func.id.endswith("_") and node.args:
            return _parameter(node.args[0])
        return None
    if last_name(func.value) in _INITIALISING and node.args:
        return _parameter(node.args[0])
    return _parameter(func.value) if func.attr not in _PLACED else None


def _without_data(node: ast.expr) -> ast.expr:
    """Return the tensor itself for `x.data`."""
    return node.value if isinstance(node, ast.Attribute) and node.attr == "data" else node


def _parameter(node: ast.expr) -> ast.Attribute | None:
    node = _without_data(node)
    is_one = isinstance(node, ast.Attribute) and node.attr in OWN_PARAMETERS
    return node if is_one else None  # type: ignore[return-value]


def type_test(test: ast.expr) -> tuple[str, frozenset[str]] | None:
    """Return the variable whose class a test checks, and the last names of the classes, or None.

    Examples are `isinstance(m, (nn.Linear, nn.Conv2d))` and `type(m) == nn.Linear`.
    """
    if isinstance(test, ast.BoolOp):
        return next(filter(None, map(type_test, test.values)), None)
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        call, right = test.left, test.comparators[0]
        if not isinstance(test.ops[0], ast.Eq | ast.Is | ast.In):
            return None
        if not (isinstance(call, ast.Call) and last_name(call.func) == "type" and call.args):
            return None
        subject, classes = call.args[0], right
    elif isinstance(test, ast.Call) and last_name(test.func) == "isinstance":
        if len(test.args) != 2:
            return None
        subject, classes = test.args
    else:
        return None
    if not isinstance(subject, ast.Name):
        return None
    each = classes.elts if isinstance(classes, ast.Tuple | ast.List) else [classes]
    return subject.id, frozenset(filter(None, map(last_name, each)))


def sets_weights_to_zero(name: str, node: ast.Call) -> bool:
    """Return whether a call zeros a weight: `init.zeros_(head.weight)`, `p.weight.zero_()`."""
    initialises = name in {"zeros_", "constant_"}
    if name not in {"zeros_", "constant_", "zero_", "fill_"} or (initialises and not node.args):
        return False
    value = node.args[-1] if name in {"constant_", "fill_"} and node.args else None
    if isinstance(value, ast.Constant) and value.value != 0:
        return False
    aim = node.args[0] if initialises else getattr(node.func, "value", None)
    aim = aim and _without_data(aim)
    if isinstance(aim, ast.Attribute):
        return "weight" in aim.attr
    return initialises and isinstance(aim, ast.Name) and "bias" not in aim.id
