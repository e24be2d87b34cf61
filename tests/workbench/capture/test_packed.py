"""Packed sequences: recurrent layers over batches whose sequences end at steps of their own."""

from __future__ import annotations

from collections.abc import Callable
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
        rows = packed.data * packed.data.max(1, keepdim=True)[0]
        packed = PackedSequence(rows, *packed[1:])
        out, hidden = self.layer(packed)
        padded, _ = pad_packed_sequence(out, batch_first=first, padding_value=-1.0, total_length=8)
        return padded, hidden


# How programs hand on the lengths of a batch.
WAYS: dict[str, Callable[[torch.Tensor], Any]] = {
    "numpy": lambda lengths: lengths.cpu().numpy(),
    "data": lambda lengths: lengths.data.cpu().numpy(),
    "tolist": lambda lengths: lengths.tolist(),
    "list": list,
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("way", WAYS)
def test_lengths_may_come_as_an_array_or_a_list(way: str) -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.GRU(4, 5, batch_first=True)

        def forward(self, x: torch.Tensor, lengths: torch.Tensor) -> Any:
            packed = pack_padded_sequence(x, WAYS[way](lengths), batch_first=True)
            return pad_packed_sequence(self.layer(packed)[0], batch_first=True)[0]

    net, x = Net().eval(), torch.randn(3, 7, 4)
    again = capture(net, (x, torch.tensor([7, 4, 2]))).program.module()
    for lengths in ([7, 4, 2], [7, 5, 1]):
        given = x, torch.tensor(lengths)
        torch.testing.assert_close(again(*given), net(*given))


@pytest.mark.one_in(3)
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
