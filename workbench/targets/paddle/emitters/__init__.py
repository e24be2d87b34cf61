"""Paddle as a target for whole graphs: one emitter per operator, and the writer of layers.

Importing this package imports paddle and torch; editors do not load it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.lower.backend import Backend


def backend() -> Backend:
    """Return the backend; `workbench.lower` finds this function by the package's path."""
    from workbench.targets.paddle.emitters.lowering import PaddleBackend

    return PaddleBackend()
