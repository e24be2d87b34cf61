"""Functions of torch.nn.functional under `torch` itself.

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

# Without the argument nothing is reduced, whatever the kernel's declared default is.
_REDUCTIONS = ("none", "mean", "sum")
_CUDNN = {"cudnn_enabled": "it selects a kernel, and does not change the result"}


def _unreduced(name: str) -> Signature:
    """Return the signature of a function of torch with its default reduction."""
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


def _loss(name: str, template: str) -> None:
    """Add the rule of a loss whose `reduction` is 0, 1 or 2."""
    signature = _unreduced(name)
    by_number = template.replace("{reduction}", f"{_REDUCTIONS}[{{reduction}}]")
    passed_on = through_lambda((by_number,), signature, (), method=False)
    assert passed_on is not None

    @rules.rule(f"torch.{name}", value=passed_on.removesuffix("(...)"), unpacked=passed_on)
    def loss(match: Match) -> Outcome:
        reduction = match.constant("reduction", 0)
        if reduction is NOT_CONSTANT:
            return Rewrite(template.replace("{reduction}", f"{_REDUCTIONS}[{{reduction}}]"))
        if reduction not in range(3):
            return Refusal("`reduction` must be 0, 1 or 2")
        consumed = frozenset({"reduction"}) & match.arguments.keys()
        return Rewrite(
            template.replace("{reduction}", repr(_REDUCTIONS[reduction])), consumed=consumed
        )


_loss(
    "binary_cross_entropy_with_logits",
    "torch_broadcast_logits_loss({input}, {target}, weight={weight}, "
    "reduction={reduction}, pos_weight={pos_weight})",
)
_loss(
    "cosine_embedding_loss",
    "torch_cosine_embedding_loss({input1}, {input2}, {target}, margin={margin}, "
    "reduction={reduction})",
)
_loss(
    "hinge_embedding_loss",
    "torch_hinge_embedding_loss({input}, {target}, margin={margin}, reduction={reduction})",
)
_loss(
    "margin_ranking_loss",
    "torch_margin_ranking_loss({input1}, {input2}, {target}, margin={margin}, "
    "reduction={reduction})",
)
_loss(
    "poisson_nll_loss",
    "torch_poisson_nll_loss({input}, {target}, {log_input}, {full}, eps={eps}, "
    "reduction={reduction})",
)
_loss(
    "triplet_margin_loss",
    "torch_triplet_margin_loss({anchor}, {positive}, {negative}, margin={margin}, p={p}, "
    "eps={eps}, swap={swap}, reduction={reduction})",
)
_loss("kl_div", "torch_kl_div({input}, {target}, reduction={reduction}, log_target={log_target})")
_CTC = (
    "torch_ctc_loss({log_probs}, {targets}, {input_lengths}, {target_lengths}, blank={blank}, "
    f"reduction={_REDUCTIONS}[{{reduction=0}}], zero_infinity={{zero_infinity}})"
)
_CTC_PASSED_ON = through_lambda((_CTC,), _unreduced("ctc_loss"), (), method=False)
assert _CTC_PASSED_ON is not None
rules.row("torch.ctc_loss", _CTC)
rules.rules[-1] = replace(
    rules.rules[-1], value=_CTC_PASSED_ON.removesuffix("(...)"), unpacked=_CTC_PASSED_ON
)

rules.row(
    "torch.batch_norm",
    "torch_batch_norm({input}, {running_mean}, {running_var}, {weight}, {bias}, {training}, "
    "{momentum}, {eps})",
    ignored=_CUDNN,
)
rules.row(
    "torch.instance_norm",
    "torch_instance_norm({input}, {running_mean}, {running_var}, {weight}, {bias}, "
    "{use_input_stats}, {momentum}, {eps})",
    ignored=_CUDNN,
)
rules.row(
    "torch.group_norm",
    "torch_group_norm({input}, {num_groups}, weight={weight}, bias={bias}, eps={eps})",
    ignored=_CUDNN,
)
rules.row(
    "torch.rms_norm", "torch_rms_norm({input}, {normalized_shape}, weight={weight}, eps={eps})"
)

_NAN = "a maximum ignores NaN in Paddle; in torch it is NaN"
for _dims in (1, 2, 3):
    rules.row(
        f"torch.max_pool{_dims}d",
        f"torch_max_pool({_dims}, {{input}}, {{kernel_size}}, stride={{stride}}, "
        "padding={padding}, dilation={dilation}, ceil_mode={ceil_mode})",
        note=_NAN,
    )
rules.row(
    "torch.max_pool1d_with_indices",
    "torch_max_pool(1, {input}, {kernel_size}, stride={stride}, padding={padding}, "
    "dilation={dilation}, ceil_mode={ceil_mode}, return_indices=True)",
    note=_NAN,
)
rules.row(
    "torch.adaptive_max_pool1d",
    "torch_adaptive_max_pool(1, {input}, {output_size}, return_indices=True)",
    note=_NAN,
)

_DRAWN = "Paddle draws other random numbers"
rules.row("torch.dropout", "paddle.nn.functional.dropout({input}, {p}, training={train})")
_dropout = rules.rules[-1]


def _dropped(match: Match) -> Outcome:
    """Return the tensor itself, whatever it holds, if the call does not train."""
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
    rules.row(f"torch.{_name}", _target, note=_DRAWN)
rules.row(
    "torch.rrelu",
    "torch_rrelu({input}, {lower=1 / 8}, {upper=1 / 3}, {training=False})",
    note=_DRAWN,
)

rules.row("torch.affine_grid_generator", "torch_affine_grid({theta}, {size}, {align_corners})")
_MODES = ("bilinear", "nearest")
_PADDINGS = ("zeros", "border", "reflection")


@rules.rule("torch.grid_sampler", "torch.grid_sampler_2d")
def grid_sampler(match: Match) -> Outcome:
    """Write the modes that the numbers for mode and padding mean."""
    mode, padding = match.constant("interpolation_mode"), match.constant("padding_mode")
    if mode not in range(2) or padding not in range(3):
        return Refusal(
            "`interpolation_mode` must be the constant 0 (bilinear) or 1 (nearest), and"
            " `padding_mode` the constant 0, 1 or 2",
            "torch.nn.functional.grid_sample",
        )
    return Rewrite(
        f"torch_grid_sample({{input}}, {{grid}}, mode={_MODES[mode]!r}, "
        f"padding_mode={_PADDINGS[padding]!r}, align_corners={{align_corners}})",
        consumed=frozenset({"interpolation_mode", "padding_mode"}),
    )


_CELLS = {"gru_cell": "GRU", "rnn_tanh_cell": "RNN_TANH", "rnn_relu_cell": "RNN_RELU"}
for _name, _mode in {**_CELLS, "lstm_cell": "LSTM"}.items():
    rules.row(
        f"torch.{_name}",
        f"torch_recurrent_cell({_mode!r}, {{input}}, {{hx}}, {{w_ih}}, {{w_hh}}, "
        "b_ih={b_ih}, b_hh={b_hh})",
    )


@rules.rule("torch.embedding_bag")
def embedding_bag(match: Match) -> Outcome:
    """Write the mode from its number, and the bags with their members and sizes."""
    if match.given("scale_grad_by_freq"):
        return Refusal("`scale_grad_by_freq` has no equivalent")
    return Rewrite(
        "torch_bags({weight}, {indices}, {offsets}, mode={mode}, "
        "per_sample_weights={per_sample_weights}, include_last_offset={include_last_offset}, "
        "padding_idx={padding_idx})",
        consumed=frozenset({"scale_grad_by_freq", "sparse"}) & match.arguments.keys(),
    )
