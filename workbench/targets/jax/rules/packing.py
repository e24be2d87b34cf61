"""Packed sequences: padded ones that know their lengths."""

from __future__ import annotations

from workbench.rules.rule import RuleSet

rules = RuleSet()
_R = "torch.nn.utils.rnn."

rules.row(
    _R + "pack_padded_sequence",
    "torch_pack_padded_sequence({input}, {lengths}, batch_first={batch_first},"
    " enforce_sorted={enforce_sorted})",
    value="torch_pack_padded_sequence",
)
rules.row(
    _R + "pack_sequence",
    "torch_pack_sequence({sequences}, enforce_sorted={enforce_sorted})",
    value="torch_pack_sequence",
)
rules.row(_R + "unpack_sequence", "torch_unpack_sequence({packed_sequences})")
rules.row(
    _R + "pad_packed_sequence",
    "torch_pad_packed_sequence({sequence}, batch_first={batch_first},"
    " padding_value={padding_value}, total_length={total_length})",
    value="torch_pad_packed_sequence",
)
rules.row(_R + "PackedSequence", "TorchPacked(*{data})", value="TorchPacked")
for _name in ("data", "batch_sizes", "sorted_indices", "unsorted_indices"):
    rules.keep(f"{_R}PackedSequence_.{_name}")
