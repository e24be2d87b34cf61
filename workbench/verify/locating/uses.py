"""Where a port registers a tensor of its own, and where it uses it for the first time."""

from __future__ import annotations

import ast
import inspect
import textwrap
from contextlib import suppress
from typing import Any

from workbench.targets.port import Called
from workbench.verify.pairing.bound import Bound
from workbench.verify.sides.places import callers
from workbench.verify.sides.sides import Sides


def line_of_use(sides: Sides, bound: Bound) -> str:
    """The innermost line of the user's that hands it to an operation; empty where none does."""
    wanted = {id(tensor) for held in bound.held for tensor in held.tensors}
    lines: list[str] = []

    def note(called: Called) -> None:
        if not lines and any(id(tensor) in wanted for tensor in called.inputs):
            lines.extend(map(str, callers()))

    sides.port_pass(None, training=False, around=lambda: sides.ports.noting(note))
    return lines[0] if lines else ""


def line_of_registering(owner: Any, name: str) -> str:
    """The line of a part's own class that registers a buffer; empty where that is not spelled."""
    with suppress(OSError, TypeError, SyntaxError):
        lines, first = inspect.getsourcelines(type(owner))
        for node in ast.walk(ast.parse(textwrap.dedent("".join(lines)))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".register_buffer"):
                given = [*node.args, *(one.value for one in node.keywords)]
                if any(isinstance(one, ast.Constant) and one.value == name for one in given):
                    return f"{inspect.getsourcefile(type(owner))}:{first + node.lineno - 1}"
    return ""
