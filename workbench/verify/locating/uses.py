"""Where a port uses a tensor of its own for the first time."""

from __future__ import annotations

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
