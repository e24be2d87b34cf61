"""Conversions between JAX arrays and torch tensors.

Values are always copied: with shared memory, torch could overwrite what JAX considers constant.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import torch


def from_torch(value: torch.Tensor) -> Any:
    """Return an array with the value, in a dtype that JAX supports: 64 bits may become 32."""
    value = value.detach().resolve_conj().resolve_neg().contiguous()
    if value.dtype in (torch.int64, torch.float64) and not jax.config.jax_enable_x64:
        value = value.to(torch.int32 if value.dtype == torch.int64 else torch.float32)
    return jnp.array(jnp.from_dlpack(value)).block_until_ready()


def to_torch(value: Any) -> torch.Tensor:
    """Return the value as a tensor; 32-bit integers become 64-bit if JAX has no others.

    For an array that is being differentiated or vectorised, return its underlying value, which is
    the whole batch for the latter.
    """
    while isinstance(value, jax.core.Tracer):
        value = value.primal if hasattr(value, "primal") else value.val  # type: ignore[attr-defined]
    made = torch.utils.dlpack.from_dlpack(value.block_until_ready()).clone()
    narrow = made.dtype == torch.int32 and not jax.config.jax_enable_x64
    return made.to(torch.int64) if narrow else made
