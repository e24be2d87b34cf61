"""Losses and distances: layers and functions."""

from __future__ import annotations

from workbench.rules.match import NOT_CONSTANT, Match
from workbench.rules.outcome import Outcome, Refusal, Rewrite
from workbench.rules.rule import RuleSet
from workbench.rules.same_call import same_call
from workbench.source.types.lattice import Tensor
from workbench.upstream.cases.layers import SEED

rules = RuleSet()

_LEGACY: tuple[str, ...] = ("size_average", "reduce")


def _reduction(match: Match) -> str | None:
    """What torch's old arguments say about the reduction; None where they are not given."""
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
    """Whether an operand is known to hold integers or truth values, which Paddle does not mix."""
    values = (match.value("input"), match.value("target"))
    return any(
        isinstance(value, Tensor) and (value.dtype or "").lstrip("u").startswith(("int", "bool"))
        for value in values
    )


def _loss(name: str, template: str, value: str, cases: list[str]) -> None:
    """A loss that takes `reduction`, and the two older arguments that say the same."""

    # With `*` and `**` come the older arguments too, which Paddle's own do not take.
    unpacked = f"{value}(...)"
    helper = value.replace("paddle.nn.functional.", "torch_")
    if value.startswith("paddle.nn.functional."):
        unpacked = f"{helper}(...)"
    elif value.startswith("paddle.nn."):
        call = f"{value}(torch_reduction(size_average, reduce, reduction))"
        unpacked = f"(lambda size_average=None, reduce=None, reduction='mean': {call})(...)"

    @rules.rule(f"torch.nn.{name}", value=value, cases=cases, unpacked=unpacked)
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
                return Refusal("`size_average` and `reduce` are not known", "write `reduction`")
            return Rewrite(template.replace("{reduction}", given))
        fixed = template.replace("reduction={reduction}", f"reduction='{reduction}'")
        return Rewrite(fixed, consumed=consumed | ({"reduction"} & match.arguments.keys()))


def _both(layer: str, function: str, given: str, *options: str, more: tuple[str, ...] = ()) -> None:
    """A layer and its function, whose helpers are called alike.

    `given` is what both are called on, `options` are arguments of the layer and of the function.
    """
    calls = [f"nn.{layer}()({given})", *(f"nn.{layer}({option})({given})" for option in options)]
    functions = [f"F.{function}({given})"]
    functions += [f"F.{function}({given}, {option})" for option in options]
    without = _LEGACY
    _loss(
        layer,
        same_call(f"torch.nn.{layer}", f"Torch{layer}", without=without),
        f"Torch{layer}",
        [*calls, *more],
    )
    _loss(
        f"functional.{function}",
        same_call(f"torch.nn.functional.{function}", f"torch_{function}", without=without),
        f"torch_{function}",
        functions,
    )


_loss(
    "MSELoss",
    "paddle.nn.MSELoss(reduction={reduction})",
    "paddle.nn.MSELoss",
    [
        "nn.MSELoss()(w, y)",
        "nn.MSELoss(reduction='sum')(x, y)",
        "nn.MSELoss(reduce=False)(x, y)",
        "nn.MSELoss(size_average=False)(x, y)",
        "flag = len(x) > 9\nnn.MSELoss(reduce=flag)(x, y)",
    ],
)
_loss(
    "L1Loss",
    "paddle.nn.L1Loss(reduction={reduction})",
    "paddle.nn.L1Loss",
    ["nn.L1Loss()(w, y)", "nn.L1Loss(reduction='none')(x, y)"],
)
_loss(
    "functional.mse_loss",
    "paddle.nn.functional.mse_loss({input}, {target}, reduction={reduction})",
    "paddle.nn.functional.mse_loss",
    [
        "F.mse_loss(w, y)",
        "F.mse_loss(i, w).backward()\ng = w.grad",
        "F.mse_loss(x, m)",
        "flag = len(x) > 9\nF.mse_loss(x, y, size_average=flag)",
        "F.mse_loss(input=x, target=y, reduction='none')",
        "F.mse_loss(x, y[0], reduction='sum')",
        "F.mse_loss(w, y, weight=p).backward()\ng = w.grad",
        "F.mse_loss(x, y, reduction='sum', weight=p), F.mse_loss(x, y, None, None, 'none', p)",
        "old = (None, False)\nF.mse_loss(x, y, *old), nn.MSELoss(*old)(x, y), "
        "F.cross_entropy(x, n, None, None, -100, *old[1:]), nn.NLLLoss(None, *old[:1])(x, n)",
        "how = {'reduction': 'sum'}\nF.mse_loss(x, y, **how), nn.MSELoss(**how)(x, y), "
        "nn.CrossEntropyLoss(label_smoothing=0.1, **how)(x, n)",
    ],
)
_loss(
    "functional.l1_loss",
    "paddle.nn.functional.l1_loss({input}, {target}, reduction={reduction})",
    "paddle.nn.functional.l1_loss",
    [
        "F.l1_loss(w, y)",
        "F.l1_loss(x, y, weight=p), F.l1_loss(x, y, weight=m)",
        "old = (False,)\nF.l1_loss(x, y, *old), nn.L1Loss(*old)(x, y)",
        "F.l1_loss(x, i, reduction='none')",
        "F.l1_loss(x, target=y, reduction='sum')",
    ],
)

_IMAGES = "nn.CrossEntropyLoss()(img, i[:2, :1].expand(2, 8)[:, :, None].expand(2, 8, 8) % 3)"
_both(
    "CrossEntropyLoss",
    "cross_entropy",
    "w, n",
    "weight=x[0].abs()",
    "ignore_index=0",
    "label_smoothing=0.1, reduction='sum'",
    "weight=x[0].abs(), label_smoothing=0.2, ignore_index=2",
    "reduction='none'",
    more=(
        "nn.CrossEntropyLoss(label_smoothing=0.1)(x, p)",
        "nn.CrossEntropyLoss(weight=x[0].abs())(x, p)",
        "nn.CrossEntropyLoss()(x[0], n[0])",
        "nn.CrossEntropyLoss()(a, i[:2] % 3)",
        "nn.CrossEntropyLoss(reduction='sum')(a, p[:2][:, None].expand(2, 3, 4))",
        "nn.CrossEntropyLoss()(w, n).backward()\ng = w.grad",
        "l = nn.CrossEntropyLoss()(w, n)\nl += (w * w).sum()\nl.backward()\ng = w.grad",
        "nn.CrossEntropyLoss(ignore_index=7)(x, n * 0 + 7)",
    ),
)
_both(
    "NLLLoss",
    "nll_loss",
    "w.log_softmax(1), n",
    "weight=x[0].abs()",
    "ignore_index=0",
    "reduction='sum'",
    more=("nn.NLLLoss(reduction='none')(a, i[:2] % 3)", "nn.NLLLoss()(x[0], n[0])"),
)
_both(
    "BCELoss",
    "binary_cross_entropy",
    "p, m.float()",
    "weight=p",
    "reduction='none'",
    more=("nn.BCELoss(reduction='none')(m.float(), 1 - m.float())",),
)
_both(
    "BCEWithLogitsLoss",
    "binary_cross_entropy_with_logits",
    "w, p",
    "weight=p",
    "pos_weight=p[0], reduction='sum'",
    more=(
        "nn.BCEWithLogitsLoss()(x.double(), p)",
        "F.binary_cross_entropy_with_logits(x, p, weight=i, pos_weight=n[:1] + 2)",
    ),
)
_both(
    "KLDivLoss",
    "kl_div",
    "w, p",
    "reduction='batchmean'",
    "reduction='sum', log_target=True",
    more=("nn.KLDivLoss(reduction='none')(x, m.float())", "F.kl_div(w, y, reduction='sum')"),
)
_both(
    "SmoothL1Loss",
    "smooth_l1_loss",
    "w, y",
    "beta=0.5",
    "beta=0.0, reduction='sum'",
    more=("nn.SmoothL1Loss()(w, i)", "nn.SmoothL1Loss()(x, m)"),
)
_both(
    "HuberLoss",
    "huber_loss",
    "w, y",
    "delta=0.5, reduction='none'",
    "reduction='sum'",
    more=("F.huber_loss(w, y, weight=p), F.huber_loss(x, y, 'sum', 0.5, p)",),
)
_both(
    "PoissonNLLLoss",
    "poisson_nll_loss",
    "w, p * 5",
    "log_input=False",
    "full=True",
    "eps=0.1, reduction='none'",
    more=("nn.PoissonNLLLoss(full=True)(x, i)", "nn.PoissonNLLLoss(full=True)(i, i + 1)"),
)
_both(
    "GaussianNLLLoss",
    "gaussian_nll_loss",
    "w, y, p",
    "full=True",
    "eps=0.5, reduction='none'",
    more=("nn.GaussianNLLLoss()(x, y, p[:, 0])", "nn.GaussianNLLLoss()(i, y, p)"),
)
_both(
    "SoftMarginLoss",
    "soft_margin_loss",
    "w, m.float() * 2 - 1",
    "reduction='none'",
    more=("nn.SoftMarginLoss()(x, i)",),
)
# At the very margin, where slopes are easily lost.
_TIED = "v = torch.ones(4, requires_grad=True)\n"
_both(
    "HingeEmbeddingLoss",
    "hinge_embedding_loss",
    "w, m.float() * 2 - 1",
    "margin=0.5",
    "reduction='sum'",
    more=(f"{_TIED}nn.HingeEmbeddingLoss()(v, -torch.ones(4)).backward()\ng = v.grad",),
)
_both(
    "MarginRankingLoss",
    "margin_ranking_loss",
    "w, y, m.float() * 2 - 1",
    "margin=0.5",
    "reduction='none'",
    more=(f"{_TIED}F.margin_ranking_loss(v, torch.ones(4), y[0].sign()).backward()\ng = v.grad",),
)
_both(
    "CosineEmbeddingLoss",
    "cosine_embedding_loss",
    "w, y, m[:, 0].float() * 2 - 1",
    "margin=0.5",
    "reduction='sum'",
    more=("F.cosine_embedding_loss(i, i + 1, n - 1), F.cosine_embedding_loss(m, ~m, n - 1)",),
)
_both(
    "TripletMarginLoss",
    "triplet_margin_loss",
    "w, y, p",
    "margin=2.0, p=1",
    "swap=True",
    "reduction='none'",
)
_both(
    "TripletMarginWithDistanceLoss",
    "triplet_margin_with_distance_loss",
    "w, y, p",
    "margin=2.0, swap=True",
    "distance_function=nn.PairwiseDistance(p=1), reduction='sum'",
    more=("str(nn.TripletMarginWithDistanceLoss())",),
)
_both(
    "MultiMarginLoss",
    "multi_margin_loss",
    "w, n",
    "p=2, margin=0.5",
    "weight=p[0]",
    "reduction='none'",
    more=("nn.MultiMarginLoss()(x[0], n[0])", "nn.MultiMarginLoss()(x[0, 0], n[1])"),
)
_both(
    "MultiLabelMarginLoss",
    "multilabel_margin_loss",
    "w, torch.tensor([[3, 0, -1, 1], [-1, 0, 0, 0], [1, 2, 0, 3]])",
    "reduction='none'",
    more=("nn.MultiLabelMarginLoss()(x[0, 0], n[1])",),
)
_both(
    "MultiLabelSoftMarginLoss",
    "multilabel_soft_margin_loss",
    "w, m.float()",
    "weight=p",
    "reduction='none'",
)
_SPEECH = (
    "v = torch.tensor(np.cos(np.arange(60.0)).reshape(5, 3, 4).astype('float32')).log_softmax(2)\n"
    "t = torch.tensor([[1, 2, 0], [3, 3, 1], [2, 0, 0]])\nil, tl = [5, 5, 4], [2, 2, 1]\n"
)
_loss(
    "CTCLoss",
    same_call("torch.nn.CTCLoss", "TorchCTCLoss"),
    "TorchCTCLoss",
    [
        f"{_SPEECH}nn.CTCLoss()(v, t, torch.tensor(il), torch.tensor(tl))",
        f"{_SPEECH}nn.CTCLoss(blank=0, reduction='none', zero_infinity=True)"
        "(v, torch.tensor([1, 2, 3, 3, 2]), torch.tensor(il), torch.tensor(tl))",
    ],
)
_loss(
    "functional.ctc_loss",
    same_call("torch.nn.functional.ctc_loss", "torch_ctc_loss"),
    "torch_ctc_loss",
    [
        f"{_SPEECH}F.ctc_loss(v, t, torch.tensor(il), torch.tensor(tl), reduction='sum')",
    ],
)

# With the linear layer before it ---------------------------------------------------------------

rules.row(
    "torch.nn.functional.linear_cross_entropy",
    same_call(
        "torch.nn.functional.linear_cross_entropy",
        "torch_linear_cross_entropy",
        without=("options",),
    ),
    cases=[
        "F.linear_cross_entropy(w, sq, n).backward()\ng = w.grad",
        "F.linear_cross_entropy(w, sq, n, linear_bias=x[0], weight=p[0], ignore_index=1, "
        "reduction='sum', label_smoothing=0.1, options=None)",
        "F.linear_cross_entropy(x, a.repeat(1, 1, 1), n[:, None].expand(3, 3) % 2, "
        "reduction='none')",
        "F.linear_cross_entropy(x[0], sq, n[0]), F.linear_cross_entropy(x, sq[:3], p[:, :3])",
    ],
)
rules.row(
    "torch.nn.LinearCrossEntropyLoss",
    same_call(
        "torch.nn.LinearCrossEntropyLoss", "TorchLinearCrossEntropyLoss", without=("options",)
    ),
    value="TorchLinearCrossEntropyLoss",
    cases=[
        f"{SEED}l = _seed(nn.LinearCrossEntropyLoss(4, 3, bias=True))\nr = l(x, n), "
        "list(l.state_dict())\nr[0].backward()\ng = l.linear.weight.grad",
        f"{SEED}l = _seed(nn.LinearCrossEntropyLoss(4, 3, out_features=(2,), reduction='sum', "
        "weight=p[0, :3], ignore_index=0))\nr = l(x, n[:, None].expand(3, 2))",
    ],
)
for _name in ("num_classes", "out_features", "ignore_index", "label_smoothing"):
    rules.keep(
        f"torch.nn.LinearCrossEntropyLoss.{_name}",
        cases=[f"nn.LinearCrossEntropyLoss(4, 3, out_features=(2,)).{_name}"],
    )
rules.keep(
    "torch.nn.LinearCrossEntropyLoss.linear",
    cases=["nn.LinearCrossEntropyLoss(4, 3).linear.weight.shape"],
)
rules.keep(
    "torch.nn.LinearCrossEntropyLoss.forward",
    cases=[f"{SEED}l = _seed(nn.LinearCrossEntropyLoss(4, 3))\nl.forward(x, target=n), l(x, n)"],
)

# Distances -------------------------------------------------------------------------------------

rules.row(
    "torch.nn.functional.cosine_similarity",
    same_call("torch.nn.functional.cosine_similarity", "torch_cosine_similarity"),
    cases=[
        "F.cosine_similarity(x, y)",
        "F.cosine_similarity(i, y)",
        "F.cosine_similarity(a, x, dim=-1)",
        "F.cosine_similarity(x * 0, y, eps=1e-3)",
    ],
)
rules.row(
    "torch.nn.functional.pairwise_distance",
    same_call("torch.nn.functional.pairwise_distance", "torch_pairwise_distance"),
    cases=[
        "F.pairwise_distance(x, y)",
        "F.pairwise_distance(i, y)",
        "F.pairwise_distance(x, y, p=1, keepdim=True)",
        "F.pairwise_distance(x, y, float('inf'))",
    ],
)


@rules.rule(
    "torch.nn.functional.normalize",
    value="torch_normalize",
    unpacked="torch_normalize(...)",
    cases=[
        "F.normalize(x)",
        "o = torch.empty(3, 4)\nr = F.normalize(x, out=o)",
        "F.normalize(a, p=1, dim=-1)",
        "how = {'dim': 0}\nF.normalize(x, **how)",
        "F.normalize(x * 0, 2, 0, eps=0.1)",
        "f = F.normalize\nf(x)",
        "(F.normalize(w, eps=0.1) ** 3).sum().backward()\ng = w.grad",
        "F.normalize(torch.tensor(-3.0), dim=0)",
        "F.normalize(a, p=3, dim=(1, 2)), F.normalize(a, dim=[0])",
        "at = (0, 2)\nF.normalize(a, 1, at), F.normalize(a, 2.5, at[0])",
    ],
)
def normalize(match: Match) -> Outcome:
    """Paddle's own, which has its epsilon in its gradient, too, and gives a scalar a dimension.

    It takes one dimension alone.
    """
    value = match.value("input")
    plain = not match.given("eps") and not (isinstance(value, Tensor) and value.scalar)
    plain = plain and isinstance(match.constant("dim", 1), int)
    call = "paddle.nn.functional.normalize({input}, p={p}, axis={dim})"
    call = call if plain else "torch_normalize({input}, p={p}, dim={dim}, eps={eps})"
    return Rewrite(f"torch_out({call}, {{out}})" if match.given("out") else call)


@rules.rule(
    "torch.nn.functional.pdist",
    value="torch_pdist",
    unpacked="torch_pdist(...)",
    cases=[
        "F.pdist(x)",
        "F.pdist(x, p=1)",
        "how = {'p': 3.0}\nF.pdist(x, **how), F.pdist(w[:1])",
        "F.pdist(w, 0.5).sum().backward()\ng = w.grad",
        "p = 1.5\ntorch.pdist(d, p=p)",
        "F.pdist(w[[0, 1, 1]], p=0.5).sum().backward()\ng = w.grad",
    ],
)
def pdist(match: Match) -> Outcome:
    """Paddle's own, whose gradient is NaN below 1."""
    power = match.constant("p", 2.0)
    plain = isinstance(power, int | float) and (power >= 1 or power == 0)
    return Rewrite(
        "paddle.nn.functional.pdist({input}, p={p})" if plain else "torch_pdist({input}, p={p})"
    )
