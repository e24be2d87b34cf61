"""Activations as layers, and what programs set or wrap without an effect in JAX."""

from __future__ import annotations

from workbench.rules.difference import Difference
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Refusal, Rewrite
from workbench.rules.rule import RuleSet

rules = RuleSet()
_N = "torch.nn."
_PLACED = {"device": "JAX chooses the device"}
rules.row(_N + "PReLU", "TorchPReLU({num_parameters=1}, {init=0.25})", ignored=_PLACED)


@rules.rule(_N + "Softplus")
def softplus(match: Match) -> Outcome:
    """Write the function, with torch's threshold if another beta makes it matter."""
    if not match.given("beta", "threshold"):
        return Rewrite("nnx.softplus", consumed=frozenset(match.arguments))
    return Rewrite("partial(torch_softplus, beta={beta}, threshold={threshold})")


rules.row(
    _N + "Hardtanh", "partial(torch_clamp, min={min_val=-1.0}, max={max_val=1.0})", ignored={}
)
rules.row(_N + "Softmax2d", "partial(nnx.softmax, axis=-3)")


@rules.rule("torch.autograd.Variable")
def variable(match: Match) -> Outcome:
    """Write the tensor itself, as torch has done since 0.4."""
    if match.given("requires_grad", "volatile"):
        return Refusal("JAX differentiates functions instead of recording tensors")
    return Rewrite("{data}", consumed=frozenset(match.arguments) - {"data"})


@rules.rule("torch.set_printoptions")
def print_options(match: Match) -> Outcome:
    """Set the options of numpy, by which JAX prints arrays."""
    if match.given("profile"):
        return Refusal("numpy has no profiles", "np.set_printoptions(precision=4)")
    names = ("precision", "threshold", "edgeitems", "linewidth")
    options = [f"{name}={{{name}}}" for name in names if name in match]
    given = match.constant("sci_mode", None)
    if given not in (None, True, False):
        return Refusal("whether numbers get exponents is only known at run time")
    options += [f"suppress={not given}"] if given is not None else []
    return Rewrite(
        f"np.set_printoptions({', '.join(options)})",
        consumed=frozenset({"sci_mode"} & match.arguments.keys()),
        differs=(Difference.PRINTED_TEXT,),
    )
