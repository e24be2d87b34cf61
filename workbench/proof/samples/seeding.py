"""Gives a plainly written layer the weights that a case gives to torch's, by their meaning.

A case seeds a layer through its state, in torch's names and layouts (`_seed` of the rules' cases).
What a plain form writes may keep the same weights under other names or turned round.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from workbench.targets.bridge import load_bridge
from workbench.upstream.cases.preludes import SEED

# The name by which a case finds the function, and the lines that take the place of its own.
PLAIN_SEED = """\
from workbench.proof.samples.seeding import seed as _carried
def _seed(layer):
    _carried(layer, {target!r})
    return layer
"""


def plainly_seeded(source: str, target: str) -> str:
    """A case in which layers of the target are seeded by what their weights mean."""
    return source.replace(SEED, PLAIN_SEED.format(target=target))


def seed(layer: Any, target: str) -> None:
    """Fill a layer of the target's, and those in it, with what a case draws for torch's."""
    bridge = load_bridge(target)
    state = bridge.torch_state(layer)
    for name, value in state.items():
        if not value.is_floating_point():
            continue
        drawn = np.cos(np.arange(value.numel()) * 0.7 + len(name)).reshape(tuple(value.shape))
        drawn = np.abs(drawn) + 0.1 if "var" in name else drawn
        state[name] = torch.tensor(drawn).to(value.dtype)
    bridge.fill(layer, state)
