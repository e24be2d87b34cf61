"""Sizes and options that layers keep as members."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.words import words

rules = RuleSet()
_N = "torch.nn."

for _name in words("in_channels out_channels kernel_size stride padding dilation groups"):
    rules.keep(f"{_N}modules.conv._ConvNd.{_name}")
for _name in words("num_features eps momentum"):
    rules.keep(f"{_N}modules.batchnorm._NormBase.{_name}")
for _name in words("num_groups num_channels eps"):
    rules.keep(f"{_N}GroupNorm.{_name}")
for _name in words("input_size hidden_size num_layers batch_first bidirectional"):
    rules.keep(f"{_N}RNNBase.{_name}")
rules.keep(f"{_N}Linear.in_features", f"{_N}Linear.out_features")
rules.keep(f"{_N}Embedding.num_embeddings")
# flax has other names for them.
for _name, _other in {
    "LayerNorm.eps": "epsilon",
    "Embedding.embedding_dim": "features",
    "modules.dropout._DropoutNd.p": "rate",
}.items():
    rules.row(_N + _name, f"{{self}}.{_other}")
rules.refuse(
    f"{_N}LayerNorm.normalized_shape",
    reason="flax's layer keeps the size of its last dimension only",
    instead="(norm.num_features,)",
)
