"""Single arrays of JAX, and tensors of torch.

Both ways values are copied: an alias would let torch write into what JAX takes for constant.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import torch


def from_torch(value: torch.Tensor) -> Any:
    """An array with the value, in a dtype that JAX has as it is set up: 64 bits may become 32."""
    value = value.detach().resolve_conj().resolve_neg().contiguous()
    if value.dtype in (torch.int64, torch.float64) and not jax.config.jax_enable_x64:
        value = value.to(torch.int32 if value.dtype == torch.int64 else torch.float32)
    return jnp.array(jnp.from_dlpack(value)).block_until_ready()


def to_torch(value: Any) -> torch.Tensor:
    """The value; whole numbers of 32 bits have 64, where JAX is set up to know no others.

    Of what is being differentiated, it is the value at which it is; of what is computed for a whole
    batch at once, the value for all of it.
    """
    while isinstance(value, jax.core.Tracer):
        value = value.primal if hasattr(value, "primal") else value.val  # type: ignore[attr-defined]
    made = torch.utils.dlpack.from_dlpack(value.block_until_ready()).clone()
    narrow = made.dtype == torch.int32 and not jax.config.jax_enable_x64
    return made.to(torch.int64) if narrow else made
