"""Recurrent layers, each by one kernel."""

from __future__ import annotations

from workbench.lower.writing.call import Call
from workbench.lower.writing.recurrent import RECURRENT, recurrent
from workbench.targets.paddle.emitters.registry import emits


@emits(*RECURRENT)
def _recurrent(call: Call) -> str:
    return recurrent(call, lambda kind: f'"{kind.upper()}"')
