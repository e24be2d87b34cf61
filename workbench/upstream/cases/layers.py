"""Layers in cases: both sides get the same weights."""

from __future__ import annotations

SEED = """\
def _seed(layer):
    given = {}
    for name, value in layer.state_dict().items():
        array = np.asarray(value)
        drawn = np.cos(np.arange(array.size) * 0.7 + len(name)).reshape(array.shape)
        drawn = np.abs(drawn) + 0.1 if "var" in name else drawn
        given[name] = torch.tensor(drawn.astype(array.dtype))
    layer.load_state_dict(given)
    return layer
"""
