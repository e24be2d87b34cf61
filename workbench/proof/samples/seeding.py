"""Transfer of a case's torch weights to a plainly written layer, by their meaning.

A case seeds a layer through its state, in torch's names and layouts (`_seed` of the rules' cases).
A plain form may keep the same weights under other names or transposed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from workbench.targets.bridge import load_bridge
from workbench.upstream.cases.preludes import SEED

# The code that replaces a case's own seeding function.
PLAIN_SEED = """\
from workbench.proof.samples.seeding import seed as _carried
def _seed(layer):
    _carried(layer, {target!r})
    return layer
"""


def plainly_seeded(source: str, target: str) -> str:
    """Return a case that seeds the target's layers by the meaning of their weights."""
    return source.replace(SEED, PLAIN_SEED.format(target=target))


def seed(layer: Any, target: str) -> None:
    """Fill a layer of the target and its sublayers with the values that a case gives torch's."""
    bridge = load_bridge(target)
    state = bridge.torch_state(layer)
    for name, value in state.items():
        if not value.is_floating_point():
            continue
        drawn = np.cos(np.arange(value.numel()) * 0.7 + len(name)).reshape(tuple(value.shape))
        drawn = np.abs(drawn) + 0.1 if "var" in name else drawn
        state[name] = torch.tensor(drawn).to(value.dtype)
    bridge.fill(layer, state)
