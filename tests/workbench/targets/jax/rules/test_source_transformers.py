"""Attention and transformers in JAX compute as torch's from the same weights."""

from __future__ import annotations

import numpy as np
import pytest

from tests.workbench.targets.jax.source import HEAD, run, written
from workbench.convert.conversion import convert

pytestmark = pytest.mark.usefixtures("narrow")
_PROGRAM = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        {layers}

    def forward(self, x, mask, pad):
        return {call}

draws = np.random.RandomState(0)
net = Net()
with torch.no_grad():
    for name, p in net.named_parameters():
        p.copy_(torch.tensor(draws.randn(*p.shape) * 0.3, dtype=torch.float32))
net.eval()
x = torch.tensor(draws.randn(2, 5, 8), dtype=torch.float32)
mask = torch.triu(torch.full((5, 5), float("-inf")), 1)
pad = torch.tensor([[False] * 5, [False, False, False, True, True]])
result = net(x, mask, pad)
"""
_LAYERS = {
    "attention": (
        "self.net = nn.MultiheadAttention(8, 2, batch_first=True)",
        "self.net(x, x, x, key_padding_mask=pad, attn_mask=mask)[0]",
    ),
    "weights of attention": (
        "self.net = nn.MultiheadAttention(8, 4, bias=False)",
        "self.net(x, x * 2, x, average_attn_weights=False)[1]",
    ),
    "norms first": (
        "self.net = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, 0.0, 'gelu',"
        " batch_first=True, norm_first=True), 2, norm=nn.LayerNorm(8), enable_nested_tensor=False)",
        "self.net(x, mask=mask, src_key_padding_mask=pad)",
    ),
    "norms last": (
        "self.net = nn.TransformerEncoderLayer(8, 2, 16, 0.1)",
        "self.net(x.transpose(0, 1), src_mask=mask)",
    ),
}


@pytest.mark.parametrize("name", _LAYERS)
def test_transformers_compute_the_same(name: str) -> None:
    layers, call = _LAYERS[name]
    text = _PROGRAM.format(layers=layers, call=call)
    converted = run(written(text))["result"]
    expected = run(HEAD + text)["result"].detach().numpy()
    np.testing.assert_allclose(np.asarray(converted), expected, rtol=1e-4, atol=1e-5)


def test_nested_tensors_are_reported() -> None:
    text = "layer = nn.TransformerEncoderLayer(8, 2)\nnet = nn.TransformerEncoder(layer, 2)\n"
    conversion = convert(HEAD + text, target="jax")
    assert any("nested tensors" in one.message for one in conversion.findings)
