"""Linear layers in Paddle's own words."""

from __future__ import annotations

from workbench.rules.difference import Difference
from workbench.rules.forms import FormSet
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.source.program import Program
from workbench.targets.paddle.plain._writing import (
    bias_attribute,
    fetches_weights,
    flag,
    floats,
    older,
    set_anew,
    underived,
    written,
)

forms = FormSet()

# torch's distribution of new weights, `init` once per file: uniform within 1/sqrt(fan in).
TORCH_WEIGHTS = "weight_attr=torch_init"
_COMPAT = "paddle.compat.nn.Linear"
_MEMBERS = ("in_features", "out_features", "reset_parameters")
# What works on the weights of any layer, in torch's layout.
_WORKING = (
    "weight_norm", "spectral_norm", "remove_weight_norm", "remove_spectral_norm", "orthogonal",
    "register_parametrization", "remove_parametrizations", "fuse_linear_bn_eval",
    "random_unstructured", "l1_unstructured", "random_structured", "ln_structured",
    "custom_from_mask", "global_unstructured",
)  # fmt: skip
_FLATTENING = ("parameters_to_vector",)  # in the same order, whichever that is
_SCALED = ("kaiming_uniform_", "kaiming_normal_")


def linear_class(program: Program) -> str | None:
    """What stands for `nn.Linear` in a program; None where a class derives from it.

    Paddle's own has its weight the other way round. The one of `paddle.compat` has torch's, but
    draws new weights within a bound of the wrong side; so do the initialisers that ask for the
    fan in.
    """
    if not underived(program, "Linear"):
        return None
    looked_into = program.reads(*_MEMBERS) or program.reads_weights or program.calls(*_WORKING)
    looked_into |= program.calls("vector_to_parameters") and not program.calls(*_FLATTENING)
    if not looked_into and not fetches_weights(program):
        return "paddle.nn.Linear"
    set_all = program.initialises("Linear") and not program.calls(*_SCALED)
    return _COMPAT if set_all or fetches_weights(program) else "TorchFreshLinear"


@forms.form("torch.nn.Linear", value=linear_class, since="3.0", partial=True)
def linear(match: Match) -> Outcome | None:
    """torch.nn.Linear(in_features, out_features, bias=True, device=None, dtype=None)."""
    stands = linear_class(match.program)
    if stands is None or (stands != "paddle.nn.Linear" and older(match)):
        return None
    if stands != "paddle.nn.Linear":
        return Rewrite(stands, callee_only=True)
    if match.given("device", "dtype"):
        return None
    fresh = not set_anew(match, "Linear")
    more = [*([TORCH_WEIGHTS] if fresh else []), *bias_attribute(match)]
    text = written(match, stands, without=("bias", "device", "dtype"), more=more)
    whole = not fresh and (flag(match, "bias") is False or set_anew(match, "Linear", "bias"))
    return Rewrite(
        text,
        consumed=frozenset({"bias", "device", "dtype"}),
        differs=() if whole else (Difference.FRESH_WEIGHTS,),
    )


forms.row("torch.nn.Identity", to="paddle.nn.Identity", value="paddle.nn.Identity")
forms.row(
    "torch.nn.functional.linear",
    to="paddle.compat.nn.functional.linear",
    when=lambda match: floats(match, "input", "weight", "bias"),
    since="3.3",
)
