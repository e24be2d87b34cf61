"""Losses and distances: layers and functions."""

from __future__ import annotations

from workbench.rules.match import NOT_CONSTANT, Match
from workbench.rules.outcome import Outcome, Refusal, Rewrite
from workbench.rules.rule import RuleSet
from workbench.rules.same_call import same_call
from workbench.source.types.lattice import Tensor

rules = RuleSet()

_LEGACY: tuple[str, ...] = ("size_average", "reduce")


def _reduction(match: Match) -> str | None:
    """Return the reduction that torch's old arguments ask for, or None if they are not given."""
    if not match.given(*_LEGACY):
        return None
    average, reduce = (match.constant(name, None) for name in _LEGACY)
    if NOT_CONSTANT in (average, reduce):
        return ""
    if reduce is not None and not reduce:
        return "none"
    return "sum" if average is not None and not average else "mean"


_BOTH = "{input}, {target}"


def _whole(match: Match) -> bool:
    """Return whether an operand is known to hold integers or bools, which Paddle does not mix."""
    values = (match.value("input"), match.value("target"))
    return any(
        isinstance(value, Tensor) and (value.dtype or "").lstrip("u").startswith(("int", "bool"))
        for value in values
    )


def _loss(name: str, template: str, value: str) -> None:
    """Add the rule of a loss that takes `reduction` and the two older arguments for it."""

    # `*` and `**` may contain the older arguments too, which Paddle's own do not accept.
    unpacked = f"{value}(...)"
    helper = value.replace("paddle.nn.functional.", "torch_")
    if value.startswith("paddle.nn.functional."):
        unpacked = f"{helper}(...)"
    elif value.startswith("paddle.nn."):
        call = f"{value}(torch_reduction(size_average, reduce, reduction))"
        unpacked = f"(lambda size_average=None, reduce=None, reduction='mean': {call})(...)"

    @rules.rule(f"torch.nn.{name}", value=value, unpacked=unpacked)
    def loss(match: Match) -> Outcome:
        reduction = _reduction(match)
        consumed = frozenset(_LEGACY) & match.arguments.keys()
        if helper != value and match.given("weight"):
            return Rewrite(f"{helper}(...)")
        if reduction is None:
            text = template
            if "paddle.nn.functional." in template and _whole(match):
                text = template.replace(_BOTH, f"*torch_floats({_BOTH})")
            return Rewrite(text, consumed=consumed)
        if reduction == "":
            given = "torch_reduction({size_average=None}, {reduce=None}, {reduction='mean'})"
            if "reduction={reduction}" not in template:
                return Refusal(
                    "the values of `size_average` and `reduce` are not known", "write `reduction`"
                )
            return Rewrite(template.replace("{reduction}", given))
        fixed = template.replace("reduction={reduction}", f"reduction='{reduction}'")
        return Rewrite(fixed, consumed=consumed | ({"reduction"} & match.arguments.keys()))


def _both(layer: str, function: str) -> None:
    """Add the rules of a layer and its function, whose helpers have corresponding names."""
    without = _LEGACY
    _loss(layer, same_call(f"torch.nn.{layer}", f"Torch{layer}", without=without), f"Torch{layer}")
    _loss(
        f"functional.{function}",
        same_call(f"torch.nn.functional.{function}", f"torch_{function}", without=without),
        f"torch_{function}",
    )


_loss("MSELoss", "paddle.nn.MSELoss(reduction={reduction})", "paddle.nn.MSELoss")
_loss("L1Loss", "paddle.nn.L1Loss(reduction={reduction})", "paddle.nn.L1Loss")
_loss(
    "functional.mse_loss",
    "paddle.nn.functional.mse_loss({input}, {target}, reduction={reduction})",
    "paddle.nn.functional.mse_loss",
)
_loss(
    "functional.l1_loss",
    "paddle.nn.functional.l1_loss({input}, {target}, reduction={reduction})",
    "paddle.nn.functional.l1_loss",
)
_both("CrossEntropyLoss", "cross_entropy")
_both("NLLLoss", "nll_loss")
_both("BCELoss", "binary_cross_entropy")
_both("BCEWithLogitsLoss", "binary_cross_entropy_with_logits")
_both("KLDivLoss", "kl_div")
_both("SmoothL1Loss", "smooth_l1_loss")
_both("HuberLoss", "huber_loss")
_both("PoissonNLLLoss", "poisson_nll_loss")
_both("GaussianNLLLoss", "gaussian_nll_loss")
_both("SoftMarginLoss", "soft_margin_loss")
_both("HingeEmbeddingLoss", "hinge_embedding_loss")
_both("MarginRankingLoss", "margin_ranking_loss")
_both("CosineEmbeddingLoss", "cosine_embedding_loss")
_both("TripletMarginLoss", "triplet_margin_loss")
_both("TripletMarginWithDistanceLoss", "triplet_margin_with_distance_loss")
_both("MultiMarginLoss", "multi_margin_loss")
_both("MultiLabelMarginLoss", "multilabel_margin_loss")
_both("MultiLabelSoftMarginLoss", "multilabel_soft_margin_loss")
_loss("CTCLoss", same_call("torch.nn.CTCLoss", "TorchCTCLoss"), "TorchCTCLoss")
_loss(
    "functional.ctc_loss",
    same_call("torch.nn.functional.ctc_loss", "torch_ctc_loss"),
    "torch_ctc_loss",
)

# With the linear layer before it ---------------------------------------------------------------

rules.row(
    "torch.nn.functional.linear_cross_entropy",
    same_call(
        "torch.nn.functional.linear_cross_entropy",
        "torch_linear_cross_entropy",
        without=("options",),
    ),
)
rules.counterpart(
    "torch.nn.LinearCrossEntropyLoss", "TorchLinearCrossEntropyLoss", without=("options",)
)
for _name in ("num_classes", "out_features", "ignore_index", "label_smoothing"):
    rules.keep(f"torch.nn.LinearCrossEntropyLoss.{_name}")
rules.keep("torch.nn.LinearCrossEntropyLoss.linear")
rules.keep("torch.nn.LinearCrossEntropyLoss.forward")

# Distances -------------------------------------------------------------------------------------

rules.row(
    "torch.nn.functional.cosine_similarity",
    same_call("torch.nn.functional.cosine_similarity", "torch_cosine_similarity"),
)
rules.row(
    "torch.nn.functional.pairwise_distance",
    same_call("torch.nn.functional.pairwise_distance", "torch_pairwise_distance"),
)


@rules.rule(
    "torch.nn.functional.normalize", value="torch_normalize", unpacked="torch_normalize(...)"
)
def normalize(match: Match) -> Outcome:
    """Return Paddle's `normalize`, or a helper for a given epsilon, a scalar or several dimensions.

    Paddle uses its epsilon in the gradient too, adds a dimension to a scalar and accepts one axis
    only.
    """
    value = match.value("input")
    plain = not match.given("eps") and not (isinstance(value, Tensor) and value.scalar)
    plain = plain and isinstance(match.constant("dim", 1), int)
    call = "paddle.nn.functional.normalize({input}, p={p}, axis={dim})"
    call = call if plain else "torch_normalize({input}, p={p}, dim={dim}, eps={eps})"
    return Rewrite(f"torch_out({call}, {{out}})" if match.given("out") else call)


@rules.rule("torch.nn.functional.pdist", value="torch_pdist", unpacked="torch_pdist(...)")
def pdist(match: Match) -> Outcome:
    """Write Paddle's function for norms of 0 or at least 1; its gradient is NaN between these."""
    power = match.constant("p", 2.0)
    plain = isinstance(power, int | float) and (power >= 1 or power == 0)
    return Rewrite(
        "paddle.nn.functional.pdist({input}, p={p})" if plain else "torch_pdist({input}, p={p})"
    )
