"""The emitters of Paddle, found in the modules of `operators/`."""

from __future__ import annotations

from workbench.lower.writing.emitters import Emitters

EMITTERS = Emitters(f"{__package__}.operators")
emits = EMITTERS.emits
writes = EMITTERS.writes
