"""The emitters of Paddle, found in the modules of `operators/`."""

from __future__ import annotations

from workbench.lower.writing.emitters import Emitters
from workbench.lower.writing.shared import SHARED

EMITTERS = Emitters(f"{__package__}.operators", SHARED)
emits = EMITTERS.emits
writes = EMITTERS.writes
