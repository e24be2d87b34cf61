"""The adaptive softmax."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.words import words

rules = RuleSet()
rules.counterpart("torch.nn.AdaptiveLogSoftmaxWithLoss", "TorchAdaptiveLogSoftmaxWithLoss")
for _member in ("log_prob", "predict"):
    rules.row(f"torch.nn.AdaptiveLogSoftmaxWithLoss.{_member}", f"{{self}}.{_member}({{input}})")
for _member in words(
    "in_features n_classes cutoffs div_value head_bias shortlist_size n_clusters head_size "
    "head tail"
):
    rules.keep(f"torch.nn.AdaptiveLogSoftmaxWithLoss.{_member}")
