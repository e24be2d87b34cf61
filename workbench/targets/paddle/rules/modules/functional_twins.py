"""Functions of torch.nn.functional as they stand under `torch` itself.

They are what torch.nn.functional calls: the order of their arguments is the kernel's, and a
reduction is a number. Source: torch's native_functions.yaml.
"""

from __future__ import annotations

from dataclasses import replace

from workbench.rules.match import NOT_CONSTANT, Match
from workbench.rules.outcome import Outcome, Refusal, Rewrite
from workbench.rules.rule import RuleSet
from workbench.rules.unpacked import through_lambda
from workbench.source.uses import UseKind
from workbench.upstream.facts import Signature, load

rules = RuleSet()

# Where it is not given nothing is reduced, whatever the kernel's declared default is.
_REDUCTIONS = ("none", "mean", "sum")
_CUDNN = {"cudnn_enabled": "it chooses a kernel, not a result"}
_VECTORS = "wt, bs = x[0, :3], x[1, :3]\n"
_RUNNING = "mean, var = torch.tensor([0.1, 0.2, 0.3]), torch.tensor([1.0, 2.0, 3.0])\n"
_SPEECH = (
    "v = torch.tensor(np.cos(np.arange(60.0)).reshape(5, 3, 4).astype('float32')).log_softmax(2)\n"
    "t = torch.tensor([[1, 2, 0], [3, 3, 1], [2, 0, 0]])\nil, tl = [5, 5, 4], [2, 2, 1]\n"
)
_GRID = "k = F.affine_grid(a[:, :2, :3], [2, 3, 4, 5])\n"


def _unreduced(name: str) -> Signature:
    """The signature of a function of torch with the reduction that it has by default."""
    entry = load().get(f"torch.{name}")
    assert entry is not None
    first = entry.signatures[0]
    return replace(
        first,
        parameters=tuple(
            replace(one, default="0") if one.name == "reduction" and one.default else one
            for one in first.parameters
        ),
    )


def _loss(name: str, template: str, cases: list[str]) -> None:
    """A loss whose `reduction` is 0, 1 or 2."""
    signature = _unreduced(name)
    by_number = template.replace("{reduction}", f"{_REDUCTIONS}[{{reduction}}]")
    passed_on = through_lambda((by_number,), signature, (), method=False)
    assert passed_on is not None
    values = f"l = torch.{name}\nr = l({cases[0]}"
    cases = [f"torch.{name}({case}" for case in cases]

    @rules.rule(
        f"torch.{name}",
        value=passed_on.removesuffix("(...)"),
        unpacked=passed_on,
        cases=[*cases, values],
    )
    def loss(match: Match) -> Outcome:
        reduction = match.constant("reduction", 0)
        if reduction is NOT_CONSTANT:
            return Rewrite(template.replace("{reduction}", f"{_REDUCTIONS}[{{reduction}}]"))
        if reduction not in range(3):
            return Refusal("`reduction` is 0, 1 or 2 here")
        consumed = frozenset({"reduction"}) & match.arguments.keys()
        return Rewrite(
            template.replace("{reduction}", repr(_REDUCTIONS[reduction])), consumed=consumed
        )


_loss(
    "binary_cross_entropy_with_logits",
    "torch_broadcast_logits_loss({input}, {target}, weight={weight}, "
    "reduction={reduction}, pos_weight={pos_weight})",
    ["w, p)", "w[0], p)", "w, p, pos_weight=p[0], reduction=2)", "x, p, p, reduction=0)"],
)
_loss(
    "cosine_embedding_loss",
    "torch_cosine_embedding_loss({input1}, {input2}, {target}, margin={margin}, "
    "reduction={reduction})",
    ["w, y, m[:, 0].float() * 2 - 1)", "x, y, m[:, 0].float() * 2 - 1, 0.5, 0)"],
)
_loss(
    "hinge_embedding_loss",
    "torch_hinge_embedding_loss({input}, {target}, margin={margin}, reduction={reduction})",
    [
        "w, m.float() * 2 - 1)",
        "x, m.float() * 2 - 1, margin=0.5, reduction=2)",
        "i, m.long() * 2 - 1, 0.5)",
    ],
)
_loss(
    "margin_ranking_loss",
    "torch_margin_ranking_loss({input1}, {input2}, {target}, margin={margin}, "
    "reduction={reduction})",
    ["w, y, m.float() * 2 - 1)", "x, y, m.float() * 2 - 1, 0.5, reduction=0)"],
)
_loss(
    "poisson_nll_loss",
    "torch_poisson_nll_loss({input}, {target}, {log_input}, {full}, eps={eps}, "
    "reduction={reduction})",
    ["w, p * 5, True, False, 1e-8, 1)", "p, p, log_input=False, full=True, eps=0.1, reduction=0)"],
)
_loss(
    "triplet_margin_loss",
    "torch_triplet_margin_loss({anchor}, {positive}, {negative}, margin={margin}, p={p}, "
    "eps={eps}, swap={swap}, reduction={reduction})",
    ["w, y, p)", "x, y, p, 2.0, 1, swap=True, reduction=0)"],
)
_loss(
    "kl_div",
    "torch_kl_div({input}, {target}, reduction={reduction}, log_target={log_target})",
    ["w, p)", "x, y, 2, log_target=True)", "x, p, reduction=0)"],
)
_CTC = (
    "torch_ctc_loss({log_probs}, {targets}, {input_lengths}, {target_lengths}, blank={blank}, "
    f"reduction={_REDUCTIONS}[{{reduction=0}}], zero_infinity={{zero_infinity}})"
)
_CTC_PASSED_ON = through_lambda((_CTC,), _unreduced("ctc_loss"), (), method=False)
assert _CTC_PASSED_ON is not None
rules.row(
    "torch.ctc_loss",
    _CTC,
    cases=[
        f"{_SPEECH}f, k = torch.ctc_loss, (v, t, il, tl)\nf(v, t, il, tl), torch.ctc_loss(*k)",
        f"{_SPEECH}torch.ctc_loss(v, t, torch.tensor(il), torch.tensor(tl))",
        f"{_SPEECH}torch.ctc_loss(v, t, il, tl, 0, 2, True)",
        f"{_SPEECH}v = (v * 0.5 - 0.3).detach().requires_grad_()\n"
        "r = torch.ctc_loss(v, t, il, tl, reduction=1)\nr.backward()\ng = v.grad",
    ],
)
rules.rules[-1] = replace(
    rules.rules[-1], value=_CTC_PASSED_ON.removesuffix("(...)"), unpacked=_CTC_PASSED_ON
)

rules.row(
    "torch.batch_norm",
    "torch_batch_norm({input}, {running_mean}, {running_var}, {weight}, {bias}, {training}, "
    "{momentum}, {eps})",
    ignored=_CUDNN,
    cases=[
        f"{_VECTORS}{_RUNNING}torch.batch_norm(img, wt, bs, mean, var, False, 0.1, 1e-5, True)",
        f"{_RUNNING}torch.batch_norm(a, None, None, mean, var, training=True, momentum=0.2, "
        "eps=1e-2, cudnn_enabled=False)",
    ],
)
rules.row(
    "torch.instance_norm",
    "torch_instance_norm({input}, {running_mean}, {running_var}, {weight}, {bias}, "
    "{use_input_stats}, {momentum}, {eps})",
    ignored=_CUDNN,
    cases=[
        f"{_VECTORS}torch.instance_norm(a, wt, bs, None, None, True, 0.1, 1e-5, True)",
        f"{_RUNNING}torch.instance_norm(img, None, None, mean, var, False, 0.1, 1e-2, False)",
    ],
)
rules.row(
    "torch.group_norm",
    "torch_group_norm({input}, {num_groups}, weight={weight}, bias={bias}, eps={eps})",
    ignored=_CUDNN,
    cases=[
        "torch.group_norm(a, 3)",
        "(torch.group_norm(w, 2) * y).sum().backward()\ng = w.grad",
        f"{_VECTORS}torch.group_norm(img, 1, wt, bs, 1e-2, True)",
    ],
)
rules.row(
    "torch.rms_norm",
    "torch_rms_norm({input}, {normalized_shape}, weight={weight}, eps={eps})",
    cases=["torch.rms_norm(x, (4,))", "torch.rms_norm(a, [3, 4], y, 1e-2)"],
)

_NAN = "Paddle passes NaN by, torch hands it on"
for _dims, _given in {1: "a", 2: "img", 3: "img[:, :, None].repeat(1, 1, 5, 1, 1)"}.items():
    rules.row(
        f"torch.max_pool{_dims}d",
        f"torch_max_pool({_dims}, {{input}}, {{kernel_size}}, stride={{stride}}, "
        "padding={padding}, dilation={dilation}, ceil_mode={ceil_mode})",
        note=_NAN,
        cases=[
            f"torch.max_pool{_dims}d({_given}, 2)",
            f"torch.max_pool{_dims}d({_given}, kernel_size=3, stride=2, padding=1, ceil_mode=True)",
        ],
    )
rules.row(
    "torch.max_pool1d_with_indices",
    "torch_max_pool(1, {input}, {kernel_size}, stride={stride}, padding={padding}, "
    "dilation={dilation}, ceil_mode={ceil_mode}, return_indices=True)",
    note=_NAN,
    cases=["torch.max_pool1d_with_indices(a, 2, 1)"],
)
rules.row(
    "torch.adaptive_max_pool1d",
    "torch_adaptive_max_pool(1, {input}, {output_size}, return_indices=True)",
    note=_NAN,
    cases=["torch.adaptive_max_pool1d(a, 2)", "torch.adaptive_max_pool1d(a, output_size=[3])"],
)

_DRAWN = "Paddle draws other random numbers"
rules.row(
    "torch.dropout",
    "paddle.nn.functional.dropout({input}, {p}, training={train})",
    signature="(input, p, train)",
    cases=[
        "torch.dropout(x, 0.5, False)",
        "torch.dropout(x, 0.0, True)",
        "torch.dropout(i, p=0.5, train=False), torch.dropout(x, 0.5, False) is x",
        "f = torch.dropout\nf(x, 0.0, True), f(x, 0.5, False)",
    ],
)
_dropout = rules.rules[-1]


def _dropped(match: Match) -> Outcome:
    """Nothing is dropped where nothing is trained: the tensor itself, whatever it holds."""
    if match.constant("train", True) is False and match.use.kind is UseKind.CALL:
        return Rewrite("{input}", consumed=frozenset({"p", "train"}) & match.arguments.keys())
    return _dropout.apply(match)


rules.rules[-1] = replace(_dropout, function=_dropped)
for _name, _target in {
    "alpha_dropout": "paddle.nn.functional.alpha_dropout({input}, p={p}, training={train})",
    "feature_alpha_dropout": (
        "paddle.nn.functional.feature_alpha_dropout({input}, p={p}, training={train})"
    ),
    "feature_dropout": "torch_feature_dropout({input}, p={p}, training={train})",
}.items():
    rules.row(
        f"torch.{_name}",
        _target,
        note=_DRAWN,
        cases=[f"torch.{_name}(img, 0.5, False)", f"torch.{_name}(img, p=0.0, train=True)"],
    )
rules.row(
    "torch.rrelu",
    "torch_rrelu({input}, {lower=1 / 8}, {upper=1 / 3}, {training=False})",
    note=_DRAWN,
    cases=["torch.rrelu(x)", "torch.rrelu(x, 0.2, 0.2, training=True)"],
)

rules.row(
    "torch.affine_grid_generator",
    "torch_affine_grid({theta}, {size}, {align_corners})",
    cases=["torch.affine_grid_generator(a[:, :2, :3], [2, 3, 4, 5], False)"],
)
_MODES = ("bilinear", "nearest")
_PADDINGS = ("zeros", "border", "reflection")


@rules.rule(
    "torch.grid_sampler",
    "torch.grid_sampler_2d",
    cases=[
        f"{_GRID}torch.grid_sampler(img, k, 0, 0, False)",
        f"{_GRID}torch.grid_sampler_2d(img, k, 1, padding_mode=1, align_corners=True)",
    ],
)
def grid_sampler(match: Match) -> Outcome:
    """The mode and the padding are numbers here."""
    mode, padding = match.constant("interpolation_mode"), match.constant("padding_mode")
    if mode not in range(2) or padding not in range(3):
        return Refusal(
            "the mode is 0 (bilinear) or 1 (nearest) here, and the padding 0, 1 or 2, as constants",
            "torch.nn.functional.grid_sample",
        )
    return Rewrite(
        f"torch_grid_sample({{input}}, {{grid}}, mode={_MODES[mode]!r}, "
        f"padding_mode={_PADDINGS[padding]!r}, align_corners={{align_corners}})",
        consumed=frozenset({"interpolation_mode", "padding_mode"}),
    )


_CELLS = {"gru_cell": "GRU", "rnn_tanh_cell": "RNN_TANH", "rnn_relu_cell": "RNN_RELU"}
for _name, _mode in {**_CELLS, "lstm_cell": "LSTM"}.items():
    _rows = {"GRU": 12, "LSTM": 16}.get(_mode, 4)
    _weights = f"wi = sq.repeat(4, 1)[:{_rows}]\n"
    _state = "(y, p)" if _mode == "LSTM" else "y"
    rules.row(
        f"torch.{_name}",
        f"torch_recurrent_cell({_mode!r}, {{input}}, {{hx}}, {{w_ih}}, {{w_hh}}, "
        "b_ih={b_ih}, b_hh={b_hh})",
        cases=[
            f"{_weights}torch.{_name}(x, {_state}, wi, wi * 0.5)",
            f"{_weights}torch.{_name}(x, {_state}, wi, wi, b_ih=wi[:, 0], b_hh=wi[:, 1])",
        ],
    )


@rules.rule(
    "torch.embedding_bag",
    signature="(weight, indices, offsets, scale_grad_by_freq=False, mode=0, sparse=False, "
    "per_sample_weights=None, include_last_offset=False, padding_idx=None)",
    cases=[
        "k, o = torch.tensor([0, 2, 1, 1]), torch.tensor([0, 2])\ntorch.embedding_bag(d, k, o)",
        "k, o = torch.tensor([0, 2, 1, 1]), torch.tensor([0, 2, 2])\n"
        "[torch.embedding_bag(sq, k, o, False, mode) for mode in range(3)]",
        "k, o = torch.tensor([0, 2, 1, 1]), torch.tensor([0, 2])\n"
        "bags, *_ = torch.embedding_bag(w, k, o, per_sample_weights=torch.ones(4) * 2)\n"
        "bags.sum().backward()\ng = w.grad",
        "k, o = torch.tensor([0, 2, 1, 1]), torch.tensor([0, 2, 4])\n"
        "[torch.embedding_bag(sq, k, o, False, mode, False, None, True, 1) for mode in range(3)]",
    ],
)
def embedding_bag(match: Match) -> Outcome:
    """The mode is a number here, and the bags come with their members and sizes."""
    if match.given("scale_grad_by_freq"):
        return Refusal("gradients of bags scaled by frequency have no equivalent")
    return Rewrite(
        "torch_bags({weight}, {indices}, {offsets}, mode={mode}, "
        "per_sample_weights={per_sample_weights}, include_last_offset={include_last_offset}, "
        "padding_idx={padding_idx})",
        consumed=frozenset({"scale_grad_by_freq", "sparse"}) & match.arguments.keys(),
    )
