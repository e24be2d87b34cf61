"""Statements of a cell, as they run on one side, and the random streams around them."""

from __future__ import annotations

import ast
import random
from collections.abc import MutableMapping
from typing import Any

import numpy as np
import torch

from workbench.targets.bridge import Bridge


def seed_all(seed: int, bridge: Bridge) -> None:
    """Seed torch, the target, NumPy and Python."""
    torch.manual_seed(seed)
    bridge.seed(seed)
    np.random.seed(seed)
    random.seed(seed)


def run_statements(
    statements: list[ast.stmt], filename: str, names: MutableMapping[str, Any], result: bool
) -> Any:
    """Run statements; with `result`, return the last expression's value."""
    scope: Any = names
    last = statements[-1] if result and statements else None
    if isinstance(last, ast.Expr):
        run_statements(statements[:-1], filename, names, False)
        return eval(compile(ast.Expression(last.value), filename, "eval", dont_inherit=True), scope)
    exec(compile(ast.Module(statements, []), filename, "exec", dont_inherit=True), scope)
    return None


def other_streams() -> tuple[Any, Any]:
    """Return the states of Python's and NumPy's random streams."""
    return random.getstate(), np.random.get_state()


def set_other_streams(states: tuple[Any, Any]) -> None:
    """Set the states that `other_streams` returned."""
    random.setstate(states[0])
    np.random.set_state(states[1])
