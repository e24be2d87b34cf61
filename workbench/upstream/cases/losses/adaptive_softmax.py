"""The adaptive softmax."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike
from workbench.upstream.cases.preludes import SEED

CASES: dict[str, tuple[str, ...]] = {
    "torch.nn.AdaptiveLogSoftmaxWithLoss": (
        (
            SEED + "l = _seed(nn.AdaptiveLogSoftmaxWithLoss(4, 9, [3, 6], div_value=2.0))\n"
            "r = l(x, n * 2 + 1), l.log_prob(x), l.predict(x), list(l.state_dict()), l.cutoffs"
        ),
        (
            SEED + "l = _seed(nn.AdaptiveLogSoftmaxWithLoss(4, 9, [3, 6], div_value=2.0, "
            "head_bias=True))\nr = l(x[0], n[0])\nl(w, n).loss.backward()\ng = w.grad"
        ),
        (
            SEED + "l = _seed(nn.AdaptiveLogSoftmaxWithLoss(4, 9, [3, 6]))\n"
            "r = l(x, n), l(input_=x, target_=n).loss"
        ),
    ),
    **alike(
        "torch.nn.AdaptiveLogSoftmaxWithLoss",
        "log_prob predict",
        (
            SEED
            + "l = _seed(nn.AdaptiveLogSoftmaxWithLoss(4, 9, [3, 6], div_value=2.0))\nl.{name}(x)"
        ),
    ),
    **alike(
        "torch.nn.AdaptiveLogSoftmaxWithLoss",
        "in_features n_classes cutoffs head_bias shortlist_size n_clusters head_size",
        (SEED + "l = _seed(nn.AdaptiveLogSoftmaxWithLoss(4, 9, [3, 6], div_value=2.0))\nl.{name}"),
    ),
    "torch.nn.AdaptiveLogSoftmaxWithLoss.div_value": (
        (
            SEED
            + "l = _seed(nn.AdaptiveLogSoftmaxWithLoss(4, 9, [3, 6], div_value=2.0))\nl.div_value"
        ),
    ),
    **alike(
        "torch.nn.AdaptiveLogSoftmaxWithLoss",
        "head tail",
        (
            SEED + "l = _seed(nn.AdaptiveLogSoftmaxWithLoss(4, 9, [3, 6]))\n"
            "r = [(n, v) for n, v in l.{name}.named_parameters()]"
        ),
    ),
}
