"""Arithmetic on sizes in plain Python, so that dynamic shapes stay dynamic."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import torch

from workbench.lower.writing.call import Call, atom

_OPERATORS: dict[Any, str] = {
    operator.add: "+",
    operator.sub: "-",
    operator.mul: "*",
    operator.floordiv: "//",
    operator.truediv: "/",
    operator.mod: "%",
    operator.pow: "**",
    operator.eq: "==",
    operator.ne: "!=",
    operator.lt: "<",
    operator.le: "<=",
    operator.gt: ">",
    operator.ge: ">=",
    operator.and_: "&",
    operator.or_: "|",
}
_FUNCTIONS: dict[Any, str] = {
    torch.sym_max: "max",
    torch.sym_min: "min",
    torch.sym_int: "int",
    torch.sym_float: "float",
    round: "round",
}


def python_expression(call: Call) -> str | None:
    """Return the expression of a node for Python arithmetic on sizes; None for other nodes."""
    target: Callable[..., Any] = call.node.target  # type: ignore[assignment]
    arguments = [call.write(value) for value in call.node.args]
    if target in _OPERATORS:
        return f" {_OPERATORS[target]} ".join(atom(a) for a in arguments)
    if target is operator.neg:
        return f"-{atom(arguments[0])}"
    if target is torch.sym_not:
        return f"not {atom(arguments[0])}"
    if target is torch.sym_ite:
        condition, yes, no = (atom(a) for a in arguments)
        return f"{yes} if {condition} else {no}"
    if target in _FUNCTIONS:
        return f"{_FUNCTIONS[target]}({', '.join(arguments)})"
    if getattr(target, "__module__", "") == "math":
        return f"math.{target.__name__}({', '.join(arguments)})"
    return None
