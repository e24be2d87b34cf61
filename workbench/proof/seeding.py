"""Gives a plainly written layer the weights that a case gives to torch's, by their meaning.

A case seeds a layer through its state, in torch's names and layouts (`_seed` of the rules' cases).
What a plain form writes may keep the same weights under other names or turned round.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.targets.paddle.seeded import SEED

# The name by which a case finds the function, and the lines that take the place of its own.
PLAIN_SEED = """\
from workbench.proof.seeding import seed as _carried
def _seed(layer):
    _carried(layer)
    return layer
"""
# Paddle's names of weights and statistics, by the beginning of its layers' names.
_NAMES = {
    "BatchNorm": {"_mean": "running_mean", "_variance": "running_var"},
    "InstanceNorm": {"scale": "weight"},
    "PReLU": {"_weight": "weight"},
}


def plainly_seeded(source: str) -> str:
    """A case in which layers of the target are seeded by what their weights mean."""
    return source.replace(SEED, PLAIN_SEED)


def seed(layer: Any) -> None:
    """Fill a layer of Paddle's, and those in it, with what a case draws for torch's."""
    import paddle

    for path, part in layer.named_sublayers(include_self=True):
        for name, value in [*part._parameters.items(), *part._buffers.items()]:
            if value is None:
                continue
            torchs = _torchs_name(type(part).__name__, name)
            key = f"{path}.{torchs}" if path else torchs
            if "cell" in path:  # the second name of a recurrent layer's weights
                continue
            turned = type(part) is paddle.nn.Linear and name == "weight"
            shape = tuple(reversed(value.shape)) if turned else tuple(value.shape)
            drawn = np.cos(np.arange(int(np.prod(shape))) * 0.7 + len(key)).reshape(shape)
            drawn = np.abs(drawn) + 0.1 if "var" in key else drawn
            array = np.asarray(value)
            value.set_value((drawn.T if turned else drawn).astype(array.dtype))


def _torchs_name(layer: str, name: str) -> str:
    return next((names.get(name, name) for one, names in _NAMES.items() if layer.startswith(one)),
                name)  # fmt: skip
