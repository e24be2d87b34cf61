"""The adaptive softmax."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.rules.same_call import same_call
from workbench.upstream.cases.layers import SEED

rules = RuleSet()

_ADAPTIVE = f"{SEED}l = _seed(nn.AdaptiveLogSoftmaxWithLoss(4, 9, [3, 6]"
rules.row(
    "torch.nn.AdaptiveLogSoftmaxWithLoss",
    same_call("torch.nn.AdaptiveLogSoftmaxWithLoss", "TorchAdaptiveLogSoftmaxWithLoss"),
    value="TorchAdaptiveLogSoftmaxWithLoss",
    cases=[
        f"{_ADAPTIVE}, div_value=2.0))\nr = l(x, n * 2 + 1), l.log_prob(x), l.predict(x), "
        "list(l.state_dict()), l.cutoffs",
        f"{_ADAPTIVE}, div_value=2.0, head_bias=True))\nr = l(x[0], n[0])\n"
        "l(w, n).loss.backward()\ng = w.grad",
        f"{_ADAPTIVE}))\nr = l(x, n), l(input_=x, target_=n).loss",
    ],
)
for _member in ("log_prob", "predict"):
    rules.row(
        f"torch.nn.AdaptiveLogSoftmaxWithLoss.{_member}",
        f"{{self}}.{_member}({{input}})",
        cases=[f"{_ADAPTIVE}, div_value=2.0))\nl.{_member}(x)"],
    )
for _member in (
    "in_features",
    "n_classes",
    "cutoffs",
    "div_value",
    "head_bias",
    "shortlist_size",
    "n_clusters",
    "head_size",
    "head",
    "tail",
):
    rules.keep(
        f"torch.nn.AdaptiveLogSoftmaxWithLoss.{_member}",
        cases=[
            f"{_ADAPTIVE}, div_value=2.0))\nl.{_member}"
            if _member not in {"head", "tail"}
            else f"{_ADAPTIVE}))\nr = [(n, v) for n, v in l.{_member}.named_parameters()]"
        ],
    )
