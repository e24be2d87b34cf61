"""Linear layers as Paddle writes them."""

from __future__ import annotations

import ast

from workbench.rules.forms import FormSet
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.source.traits.containers import place_in
from workbench.source.traits.program import Program
from workbench.source.traits.training import simple
from workbench.targets.paddle.common.fresh import fresh_weights, program_sets
from workbench.targets.paddle.common.writing import (
    bias_attribute,
    floats,
    may_fetch_weights,
    older,
    underived,
    written,
)

forms = FormSet()

COMPAT = "paddle.compat.nn.Linear"
MEMBERS = ("in_features", "out_features", "reset_parameters")  # that have a form
_PLAINLY: frozenset[str | int] = frozenset({"in_features", "out_features", "bias", 0, 1, 2})
# Functions that use the weights of any layer in torch's layout.
_WORKING = (
    "weight_norm",
    "spectral_norm",
    "remove_weight_norm",
    "remove_spectral_norm",
    "orthogonal",
    "register_parametrization",
    "remove_parametrizations",
    "fuse_linear_bn_eval",
    "random_unstructured",
    "l1_unstructured",
    "random_structured",
    "ln_structured",
    "custom_from_mask",
    "global_unstructured",
    "vector_to_parameters",
    "ParameterList",  # it may hold weights of layers under other names
)
_SCALED = ("kaiming_uniform_", "kaiming_normal_")
FRESH = "TorchFreshLinear"


def linear_class(program: Program) -> str | None:
    """Return the class that replaces `nn.Linear`, or None if a class of the program derives it.

    `paddle.nn.Linear` has its weight transposed and takes other positional arguments:
    `table[kind](3, 4, False)` would be a layer without a weight. `paddle.compat.nn.Linear` matches
    torch in both, but draws new weights within a bound computed from the wrong axis; so do the
    initializers that use the fan-in.
    """
    if not underived(program, "Linear") or program.calls("LazyLinear"):
        return None
    if not program.calls("Linear") and not program.is_passed_on("Linear"):
        return "paddle.nn.Linear"  # it is only tested for: other files construct it
    looked_into = (
        program.reads_of("Linear", rewritable=MEMBERS, plainly=_PLAINLY)
        or program.reads_weights
        or program.uses_function(*_WORKING)
    )
    as_torchs = "Linear" in program.traits.starred or program.is_passed_on("Linear", partly=False)
    if not looked_into and not as_torchs and not may_fetch_weights(program):
        return "paddle.nn.Linear"
    set_all = program.initialises("Linear") and not program.calls(*_SCALED)
    return COMPAT if set_all else FRESH  # otherwise some weights may be new


def _as_value(program: Program) -> str | None:
    """Return the class for `nn.Linear` where it is passed as a value or tested for."""
    cls = linear_class(program)
    one_class = program.is_passed_on("Linear") or program.compares("Linear", exactly=True)
    return COMPAT if cls == FRESH and not one_class else cls


def _in_torchs_layout(match: Match) -> Outcome | None:
    """Return the layer that takes torch's own arguments, in any form of a call."""
    program = match.program
    cls = linear_class(program)
    if older(match):
        return None
    one_class = program.holds_to_test("Linear") or program.compares("Linear", exactly=True)
    if cls == FRESH and not one_class and (layer := place(match)) is not None:
        is_set = program_sets(match, "Linear") or _is_square(match)
        after = None if is_set else drawn(layer, _size(match))
        return Rewrite(COMPAT, callee_only=True, after=after)
    return Rewrite(cls, callee_only=True) if cls is not None else None


@forms.form("torch.nn.Linear", value=_as_value, since="3.0", partial=True, spread=_in_torchs_layout)
def linear(match: Match) -> Outcome | None:
    """torch.nn.Linear(in_features, out_features, bias=True, device=None, dtype=None)."""
    cls = linear_class(match.program)
    if cls != "paddle.nn.Linear":
        return _in_torchs_layout(match)
    if match.given("device", "dtype"):
        return None
    weights, differs = fresh_weights(match, "Linear")
    more = [*weights, *bias_attribute(match)]
    text = written(match, cls, without=("bias", "device", "dtype"), more=more)
    return Rewrite(text, consumed=frozenset({"bias", "device", "dtype"}), differs=differs)


def place(match: Match) -> str | None:
    """Return the target of a new layer: a variable, a member, or an item of a container.

    `self.mlp[2]` in `self.mlp = nn.Sequential(nn.Flatten(), nn.ReLU(), nn.Linear(3, 4))`, and
    `layers[-1]` in `layers.append(nn.Linear(3, 4))`.
    """
    node = match.use.node
    match match.use.statement:
        case ast.Assign(targets=[target], value=value) | ast.AnnAssign(target=target, value=value):
            within = place_in(value, node) if value is not None else None
        case ast.Expr(
            value=ast.Call(func=ast.Attribute(value=target, attr="append"), args=[given])
        ):
            inner = place_in(given, node)
            within = f"[-1]{inner}" if inner is not None else None
        case _:
            return None
    return f"{ast.unparse(target)}{within}" if within is not None and simple(target) else None


def drawn(layer: str, size: str | None = None) -> str:
    """Return the statement that draws new weights within torch's bound."""
    size = size or f"{layer}.in_features"
    return f"paddle.nn.init.uniform_({layer}.weight, -({size}**-0.5), {size}**-0.5)"


def _is_square(match: Match) -> bool:
    """Return whether input and output sizes agree, so both axes give the same bound."""
    sides = [match.arguments.get(name) for name in ("in_features", "out_features")]
    texts = [ast.unparse(one.node) for one in sides if one is not None]
    return len(texts) == 2 and texts[0] == texts[1] and "(" not in texts[0]


def _size(match: Match) -> str | None:
    """Return the number of input features, if it is as plain as the layer's own member.

    It must be the same after the assignment: `net.fc = nn.Sequential(nn.Linear(net.fc.in_features,
    2))` changes what `net.fc.in_features` is.
    """
    given = match.arguments.get("in_features")
    if given is None or not isinstance(given.node, ast.Name | ast.Attribute | ast.Constant):
        return None
    if match.use.counts:
        return None  # it may be a tensor of integers, which has no such power
    read = {ast.unparse(one) for one in ast.walk(given.node) if isinstance(one, ast.expr)}
    assigned = {ast.unparse(one) for one in _targets(match.use.statement)}
    return ast.unparse(given.node) if read.isdisjoint(assigned) else None


def _targets(statement: ast.stmt) -> list[ast.expr]:
    match statement:
        case ast.Assign(targets=targets):
            return targets
        case ast.AnnAssign(target=target):
            return [target]
        case _:
            return []


forms.row("torch.nn.Identity", to="paddle.nn.Identity", value="paddle.nn.Identity")
forms.row(
    "torch.nn.functional.linear",
    to="paddle.compat.nn.functional.linear",
    when=lambda match: floats(match, "input", "weight", "bias"),
    since="3.3",
)
