"""What makes compiled code read other values than the text shows."""

from __future__ import annotations

import ast
import sys
from typing import Final

from workbench.source.tree import inside
from workbench.targets.jax.compiled.program import Program
from workbench.words import words

# Packages that make no models.
_KNOWN: Final = frozenset(
    words(
        "jax jaxlib flax optax orbax grain numpy scipy pandas sklearn matplotlib seaborn PIL tqdm "
        "torchferry_helpers"
    )
)
_CALLED: Final = frozenset({"__call__", "forward"})


def hides_code(program: Program) -> bool:
    """Return whether models may run code, or hold arrays, that the text does not show."""
    for full in program.imports.values():
        package = full.partition(".")[0]
        if package not in _KNOWN and package not in sys.stdlib_module_names:
            return True
    shown = {id(one) for one in program.layers.values()}
    for cls in program.places.of(ast.ClassDef):
        bases = [ast.unparse(one) for one in cls.bases]
        made = any(one.startswith(("nnx.", "Torch")) or one in program.layers for one in bases)
        if made and not cls.name.startswith("Torch") and id(cls) not in shown:
            return True
    if _CALLED & program.members.keys():
        return True
    within = {id(node) for one in program.layers.values() for node in inside(one)}
    stored = program.places.of(ast.Assign)
    return any(_is_hidden(one.value, id(one) in within) for one in stored)


def _is_hidden(value: ast.expr, of_layer: bool) -> bool:
    """Return whether compiled code would not see the array that a member is, or change its type."""
    if not isinstance(value, ast.Call):
        return False
    name = ast.unparse(value.func)
    return name == "TorchKernel" or (of_layer and name.partition(".")[0] in {"np", "numpy"})
