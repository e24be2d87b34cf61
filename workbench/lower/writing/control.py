"""Control flow: `cond`, `while_loop`, `map` and `scan`, whose bodies become methods.

Custom backward passes are written likewise, as functions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torch.fx import Node

from workbench.lower.backend import Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable

    from workbench.lower.writing.dialect import Dialect

    Name = Callable[[Node], str]


def write(node: Node, name: Name, dialect: Dialect) -> tuple[str, set[str]]:
    """Return the expression of a control flow node and the helpers that it needs.

    Raises:
        Unsupported: this kind of control flow has no counterpart.
    """
    kind = str(getattr(node.target, "__name__", node.target))
    if kind == "cond" and dialect.cond is not None:
        return f"{dialect.cond}({_choice(node, name)})", set()
    expression, helper = _LOOPS[kind](node, name) if kind in _LOOPS else ("", "")
    if helper not in dialect.helpers.sources:
        raise Unsupported(f"the higher order operator {kind} has no counterpart")
    return expression, {helper}


def _arguments(node: Node) -> tuple[Any, ...]:
    """Return the operator's arguments: subgraphs, and lists of values and of nodes."""
    return tuple(node.args)


def _list(nodes: Any, name: Name) -> str:
    return ", ".join(name(n) if isinstance(n, Node) else repr(n) for n in nodes)


def _choice(node: Node, name: Name) -> str:
    choice, yes, no, operands = _arguments(node)[:4]
    inputs = _list(operands, name)
    picked = name(choice) if isinstance(choice, Node) else repr(choice)
    branches = ", ".join(f"lambda: {name(m)}({inputs})" for m in (yes, no))
    return f"{picked}, {branches}"


def _while(node: Node, name: Name) -> tuple[str, str]:
    check, body, carried, extra = _arguments(node)[:4]
    fixed = _list(extra, name)
    rest = f", {fixed}" if fixed else ""
    condition = f"lambda *s: {name(check)}(*s{rest})"
    step = f"lambda *s: list({name(body)}(*s{rest}))"
    start = f"[{_list(carried, name)}]"
    return f"_repeat({condition}, {step}, {start})", "_repeat"


def _map(node: Node, name: Name) -> tuple[str, str]:
    body, over, extra = _arguments(node)[:3]
    fixed = _list(extra, name)
    rest = f", {fixed}" if fixed else ""
    return f"_map(lambda *x: {name(body)}(*x{rest}), [{_list(over, name)}])", "_map"


def _scan(node: Node, name: Name) -> tuple[str, str]:
    body, carried, over, extra = _arguments(node)[:4]
    fixed = _list(extra, name)
    rest = f", {fixed}" if fixed else ""
    step = f"lambda *x: {name(body)}(*x{rest})"
    return f"_scan({step}, [{_list(carried, name)}], [{_list(over, name)}])", "_scan"


def _own_backward(node: Node, name: Name) -> tuple[str, str]:
    backward, _, *groups = _arguments(node)
    results, saved, inputs = (f"[{_list(each, name)}]" for each in groups)
    return f"_own_backward({name(backward)}, {results}, {saved}, {inputs})", "_own_backward"


# By operator: the function that writes a call of a helper and returns that helper.
_LOOPS = {
    "while_loop": _while,
    "map_impl": _map,
    "own_backward": _own_backward,
    "scan": _scan,
}
