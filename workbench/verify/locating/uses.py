"""The lines at which a port registers a tensor and at which it uses it first."""

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
    """Return the innermost user line that first passes the tensor to an operation, or ""."""
    wanted = {id(tensor) for held in bound.held for tensor in held.tensors}
    lines: list[str] = []

    def note(called: Called) -> None:
        if not lines and any(id(tensor) in wanted for tensor in called.inputs):
            lines.extend(map(str, callers()))

    sides.port_pass(None, training=False, around=lambda: sides.ports.noting(note))
    return lines[0] if lines else ""


def line_of_registering(owner: Any, name: str) -> str:
    """Return the line of the owner's class that registers a buffer by a literal name, or ""."""
    with suppress(OSError, TypeError, SyntaxError):
        lines, first = inspect.getsourcelines(type(owner))
        for node in ast.walk(ast.parse(textwrap.dedent("".join(lines)))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".register_buffer"):
                given = [*node.args, *(one.value for one in node.keywords)]
                if any(isinstance(one, ast.Constant) and one.value == name for one in given):
                    return f"{inspect.getsourcefile(type(owner))}:{first + node.lineno - 1}"
    return ""
