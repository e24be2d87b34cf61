"""Packed sequences: recurrent layers over batches whose sequences end at steps of their own."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence

from workbench.capture import capture

LAYERS = {
    "lstm": lambda: nn.LSTM(4, 5, num_layers=2, bidirectional=True, batch_first=True),
    "projected": lambda: nn.LSTM(4, 5, proj_size=3, bias=False),
    "gru": lambda: nn.GRU(4, 5, batch_first=True),
    "rnn": lambda: nn.RNN(4, 5, nonlinearity="relu"),
}


class Packed(nn.Module):
    """A layer between packing and padding, as its documentation has it."""

    def __init__(self, layer: Any) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, x: torch.Tensor, lengths: torch.Tensor) -> Any:
        first = self.layer.batch_first
        x = x if first else x.transpose(0, 1)
        packed = pack_padded_sequence(x, lengths.cpu(), batch_first=first, enforce_sorted=False)
        packed = PackedSequence(packed.data.tanh(), *packed[1:])
        out, hidden = self.layer(packed)
        padded, _ = pad_packed_sequence(out, batch_first=first, padding_value=-1.0, total_length=8)
        return padded, hidden


@pytest.mark.parametrize("name", LAYERS)
def test_packed_sequences_are_what_they_are_in_torch(name: str) -> None:
    torch.manual_seed(0)
    model, x = Packed(LAYERS[name]()).eval(), torch.randn(3, 7, 4)
    graph = capture(model, (x, torch.tensor([4, 7, 2])))
    again = graph.program.module()
    for lengths in ([4, 7, 2], [7, 1, 5]):
        given = x, torch.tensor(lengths)
        torch.testing.assert_close(again(*given), model(*given))
    assert any("as in the example" in text for text in graph.warnings)
    with pytest.raises(RuntimeError, match="as in the example"):
        again(x, torch.tensor([3, 2, 1]))
