"""JAX as a target for whole graphs: one emitter per operator, and what writes a module of them.

Importing this package imports jax, flax and torch; nothing that an editor loads does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.lower.backend import Backend


def backend() -> Backend:
    """The backend that `workbench.lower` finds by this package's place."""
    from workbench.targets.jax.emitters.lowering import JaxBackend

    return JaxBackend()
