"""Recurrent layers, cells, and packed sequences."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.words import words

rules = RuleSet()


def _same(name: str, helper: str) -> None:
    rules.counterpart(f"torch.nn.{name}", helper)


for _name in ("RNN", "LSTM", "GRU"):
    _same(_name, f"Torch{_name}")
    _same(f"{_name}Cell", f"Torch{_name}Cell")
_same("RNNBase", "TorchRNNBase")
for _name in words(
    "pack_padded_sequence pad_packed_sequence pad_sequence pack_sequence unpack_sequence "
    "unpad_sequence"
):
    rules.counterpart(f"torch.nn.utils.rnn.{_name}", f"torch_{_name}")
rules.row(
    "torch.nn.utils.rnn.PackedSequence",
    "TorchPackedSequence({data}, batch_sizes={batch_sizes}, sorted_indices={sorted_indices}, "
    "unsorted_indices={unsorted_indices})",
    value="TorchPackedSequence",
)
for _name in ("double", "float", "half", "long", "int", "short", "char", "byte"):
    rules.keep(f"torch.nn.utils.rnn.PackedSequence.{_name}")
for _name in ("cpu", "to"):
    rules.keep(f"torch.nn.utils.rnn.PackedSequence.{_name}")
rules.keep("torch.nn.utils.rnn.PackedSequence.is_cuda")
for _name in ("data", "batch_sizes", "sorted_indices", "unsorted_indices"):
    rules.row(f"torch.nn.utils.rnn.PackedSequence_.{_name}", "{self}." + _name)
