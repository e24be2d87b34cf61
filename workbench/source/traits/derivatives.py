"""Gradients that keep their graph, and what is differentiated."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from workbench.source.traits.containers import last_name
from workbench.source.traits.traits import Derived

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
# Functions of `torch.autograd.functional` whose result is a second derivative.
_SECOND = frozenset({"hessian", "hvp", "vhp"})
_HIGHEST = 3  # no operation is known to lack only a higher derivative
# Transformations of functions, by the order of the derivative that they take.
_TRANSFORMS = {"grad": 1, "grad_and_value": 1, "jacrev": 1, "jacfwd": 1, "vjp": 1, "hessian": 2}
# The name of a result in both sets of names, for a function that differentiates a parameter of its
# own: it can be called with its own result.
_OWN_RESULT = "()"


def derivatives(statement: ast.stmt) -> tuple[set[str], set[str]]:
    """Return the last names of gradients that keep their graph, and of what they differentiate."""
    kept = {
        name
        for node in ast.walk(statement)
        if isinstance(node, ast.Assign) and any(_keeping(node.value))
        for target in node.targets
        for name in _last_names(target)
    }
    differentiated = {name for call in _keeping(statement) for name in _outputs(call)}
    again = _differentiates_a_parameter(statement) or any(_keeping(statement, _SECOND))
    own = {_OWN_RESULT} if again else set()
    return kept | own, differentiated | own


def derived(statement: ast.stmt) -> set[Derived]:
    """Return the derivatives that a statement takes by transforming functions, or by `backward`."""
    found = set(_transformed(statement, ()))
    backwards = list(_calls(statement, "backward"))
    if backwards:
        called = {last_name(one.func) for one in ast.walk(statement) if isinstance(one, ast.Call)}
        losses = {name for one in backwards for name in _last_names(one.func)}
        found.add(Derived("", 1, frozenset(filter(None, called | losses))))
    return found


def highest_order(all_derived: frozenset[Derived]) -> int:
    """Return the highest order of derivatives in a program, at most 3.

    A function that calls itself counts once.
    """
    by_name: defaultdict[str, list[Derived]] = defaultdict(list)
    for one in all_derived:
        by_name[one.name].append(one)
    return min(_HIGHEST, max((_nested(one, (), by_name) for one in all_derived), default=0))


def _nested(
    one: Derived, within: tuple[Derived, ...], by_name: Mapping[str, Sequence[Derived]]
) -> int:
    """Return the order of a derivative with those of the functions that it derives."""
    if one.order + len(within) >= _HIGHEST:
        return one.order
    inner = (other for name in one.names for other in by_name.get(name, ()))
    left = (other for other in inner if other not in (one, *within))
    return one.order + max((_nested(other, (*within, one), by_name) for other in left), default=0)


def _transformed(node: ast.AST, holders: tuple[str, ...]) -> Iterator[Derived]:
    """Yield the transformations within a node, under the names that have their results."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        holders = (*holders, node.name)
    elif isinstance(node, ast.Assign):
        holders = (*holders, *(name for one in node.targets for name in _last_names(one)))
    elif isinstance(node, ast.Call) and (order := _order(node)):
        names = frozenset(name for one in node.args for name in _last_names(one))
        yield from (Derived(holder, order, names) for holder in holders or ("",))
    for child in ast.iter_child_nodes(node):
        yield from _transformed(child, holders)


def _order(call: ast.Call) -> int:
    """Return the order of a transformation with those in its arguments, or 0 for another call."""
    own = _TRANSFORMS.get(last_name(call.func) or "", 0)
    if not own or not _is_transform(call):
        return 0
    inner = (one for part in call.args for one in ast.walk(part) if isinstance(one, ast.Call))
    return own + max(map(_order, inner), default=0)


def _is_transform(call: ast.Call) -> bool:
    """Return whether a call transforms a function; `autograd.grad` takes tensors."""
    if "func" in ast.unparse(call.func).split("."):
        return True
    tensors = {"outputs", "inputs", "create_graph", "retain_graph", "grad_outputs"}
    given = {one.arg for one in call.keywords}
    number = all(isinstance(one, ast.Constant | ast.Tuple) for one in call.args[1:])
    return isinstance(call.func, ast.Name) and bool(call.args) and number and not given & tensors


def _calls(node: ast.AST, name: str) -> Iterator[ast.Call]:
    calls = (part for part in ast.walk(node) if isinstance(part, ast.Call))
    return (call for call in calls if last_name(call.func) == name)


def _differentiates_a_parameter(statement: ast.stmt) -> bool:
    return any(
        _outputs(call) & {one.arg for one in ast.walk(node.args) if isinstance(one, ast.arg)}
        for node in ast.walk(statement)
        if isinstance(node, _FUNCTIONS)
        for call in _keeping(node)
    )


def _keeping(node: ast.AST, functions: frozenset[str] = frozenset({"grad"})) -> Iterator[ast.Call]:
    """Yield the calls of functions, such as `grad`, that keep the graph."""
    for part in ast.walk(node):
        if isinstance(part, ast.Call) and last_name(part.func) in functions:
            kept = (one.value for one in part.keywords if one.arg == "create_graph")
            if any(not (isinstance(one, ast.Constant) and one.value is False) for one in kept):
                yield part


def _outputs(call: ast.Call) -> set[str]:
    """Return the last names in what a call of `grad` differentiates."""
    outputs = call.args[:1] or [one.value for one in call.keywords if one.arg == "outputs"]
    return {name for one in outputs for name in _last_names(one)}


def _last_names(node: ast.expr) -> Iterator[str]:
    parts = (part for part in ast.walk(node) if isinstance(part, ast.expr))
    return (name for part in parts if (name := last_name(part)))
