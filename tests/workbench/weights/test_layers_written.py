"""A checkpoint reaches every layer that a conversion in the plain style writes, and comes back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import paddle
import pytest
import torch

from workbench.convert.conversion import convert
from workbench.targets.paddle.carry import layouts
from workbench.weights.whole_files import write

_paddle: Any = paddle
_SOURCE = """\
import copy
import torch
from torch import nn

def same(layer, again=False):
    return layer if again else copy.deepcopy(layer)

class Holder(nn.Module):
    def __init__(self, inner, other=None):
        super().__init__()
        self.inner = inner
        self.other = other or nn.Linear(4, 2)

class Derived(Holder):
    def __init__(self, width):
        super().__init__(nn.Linear(4, width), other=nn.Conv1d(4, width, 3))

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.part = {}
"""
_LAYERS = [
    "nn.Linear(4, 3)",
    "nn.Bilinear(4, 3, 2)",
    "nn.Conv2d(4, 6, 3, groups=2)",
    "nn.ConvTranspose1d(4, 6, 3)",
    "nn.Embedding(9, 4, padding_idx=0)",
    "nn.EmbeddingBag(9, 4)",
    "nn.LayerNorm(4)",
    "nn.RMSNorm(4)",
    "nn.GroupNorm(2, 4)",
    "nn.BatchNorm2d(4)",
    "nn.InstanceNorm2d(4, affine=True, track_running_stats=True)",
    "nn.PReLU(4)",
    "nn.LSTM(4, 5)",
    "nn.LSTM(4, 5, 2, batch_first=True, bidirectional=True)",
    "nn.GRU(4, 5, 2, bidirectional=True)",
    "nn.RNN(4, 5, nonlinearity='relu')",
    "nn.GRUCell(4, 5)",
    "nn.MultiheadAttention(4, 2)",
    "nn.MultiheadAttention(4, 2, bias=False)",
    "nn.MultiheadAttention(4, 2, kdim=3, vdim=5)",
    "nn.MultiheadAttention(4, 2, add_bias_kv=True)",
    "nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)",
    "nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8), 2)",
    "nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 8), 2, nn.LayerNorm(4))",
    "nn.Transformer(4, 2, 1, 1, 8)",
    "nn.ParameterList([nn.Parameter(torch.ones(2, 3))])",
    "nn.utils.weight_norm(nn.Linear(4, 3))",
    "nn.utils.spectral_norm(nn.Conv1d(4, 3, 2))",
    "nn.utils.parametrizations.weight_norm(nn.Linear(4, 3))",
    "nn.utils.parametrizations.spectral_norm(nn.Linear(4, 3))",
    "nn.Linear(4, 3).to('cpu')",
    "same(nn.Linear(4, 3))",
    "same(again=True, layer=nn.MultiheadAttention(4, 2))",
    "Holder(nn.Linear(4, 3))",
    "Holder(nn.LSTM(4, 3), nn.LSTM(4, 3))",
    "Derived(3)",
    "nn.Sequential(Holder(nn.Linear(4, 3)), nn.ReLU(), same(nn.BatchNorm1d(3)))",
]


@pytest.mark.one_in(5)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("layer", _LAYERS)
def test_weights_go_there_and_back(tmp_path: Path, layer: str) -> None:
    text = _SOURCE.format(layer)
    net = _made(text)
    with torch.no_grad():
        for weight in net.parameters():
            weight.copy_(torch.randn_like(weight))
    state = net.state_dict()
    file = tmp_path / "converted.py"
    file.write_text(convert(text).code)
    torch.save(state, tmp_path / "a.pt")
    write(tmp_path / "a.pt", tmp_path / "a.pdparams", program=str(file))
    port = _made(file.read_text())
    missing, unexpected = port.set_state_dict(_paddle.load(str(tmp_path / "a.pdparams")))
    assert not missing
    assert not unexpected
    kept = {name: value for name, value in state.items() if layouts.UNKEPT not in name}
    held = layouts.torch_state(port)
    for name in kept.keys() & held.keys():
        torch.testing.assert_close(held[name], kept[name], rtol=0, atol=0)
    write(tmp_path / "a.pdparams", tmp_path / "b.pt", program=str(file))
    back = torch.load(tmp_path / "b.pt")
    assert back.keys() >= kept.keys()
    for name, value in kept.items():
        torch.testing.assert_close(back[name], value, rtol=0, atol=0)


def _made(text: str) -> Any:
    names: dict[str, Any] = {"__name__": "written"}
    exec(text, names)
    return names["Net"]()
