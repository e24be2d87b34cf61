"""Calls that set parameters of layers, and tests for the class of the layers that they set."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from workbench.source.traits.containers import last_name
from workbench.source.traits.traits import Run
from workbench.source.tree import inside
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


_ZEROING = frozenset({"zeros_", "constant_", "zero_", "fill_", "mul_"})


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


def runs(node: ast.Call, name: str, *, in_class: bool) -> Iterator[Run]:
    """Return the functions that a call runs on a whole model, or may run on one.

    Examples are `model.apply(init_weights)` and, in a class, `self.init_weights()`. A class that
    runs a function on one of its members does not run it on itself: `init_weights(self.fc)`.

    Args:
        node: the call.
        name: the last name of what it calls.
        in_class: whether it is a part of a class.
    """
    owner = getattr(node.func, "value", None)
    of_base = isinstance(owner, ast.Call) and last_name(owner.func) == "super" and not node.args
    if in_class and not (of_base or any(map(_is_self, (owner, *node.args)))):
        return
    yield Run(name, in_class)
    if name in {"apply", "map"}:
        given = (part for one in node.args for part in inside(one) if isinstance(part, ast.expr))
        yield from (Run(one, in_class) for one in map(last_name, given) if one)


def _is_self(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def names_a_norm(test: ast.expr) -> bool:
    """Return whether a test asks for a normalisation: `isinstance(m, nn.BatchNorm2d)`."""
    texts = (one.value for one in ast.walk(test) if isinstance(one, ast.Constant))
    names = (last_name(one) for one in ast.walk(test) if isinstance(one, ast.Name | ast.Attribute))
    return any(isinstance(one, str) and "Norm" in one for one in (*texts, *names))


def sets_weights_to_zero(name: str, node: ast.Call) -> bool:
    """Return whether a call zeros a weight: `init.zeros_(head.weight)`, `p.weight.zero_()`."""
    aim = _set_to_zero(name, node)
    if isinstance(aim, ast.Attribute):
        return "weight" in aim.attr
    initialises = name in {"zeros_", "constant_"}
    return initialises and isinstance(aim, ast.Name) and "bias" not in aim.id


def sets_biases_to_zero(name: str, node: ast.Call) -> bool:
    """Return whether a call zeros the bias of a layer: `m.bias.data.zero_()`."""
    aim = _set_to_zero(name, node)
    return isinstance(aim, ast.Attribute) and aim.attr == "bias"


def _set_to_zero(name: str, node: ast.Call) -> ast.expr | None:
    """Return the tensor that a call sets to zero, or may set to zero, else None."""
    initialises = name in {"zeros_", "constant_"}
    if name not in _ZEROING or (initialises and not node.args):
        return None
    value = node.args[-1] if name not in {"zeros_", "zero_"} and node.args else None
    if isinstance(value, ast.Constant) and value.value != 0:
        return None
    if name == "mul_" and not isinstance(value, ast.Constant):
        return None
    aim = node.args[0] if initialises else getattr(node.func, "value", None)
    return _without_data(aim) if isinstance(aim, ast.expr) else None
