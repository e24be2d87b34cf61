"""Normalisation layers and their functions as Paddle writes them."""

from __future__ import annotations

import ast

from workbench.rules.difference import Difference, unless
from workbench.rules.forms import FormSet
from workbench.rules.match import NOT_CONSTANT, Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.source.traits.program import Program
from workbench.source.traits.traits import Layout
from workbench.targets.paddle.common.writing import (
    UNBATCHED,
    fetches_weights,
    flag,
    floats,
    number,
    older,
    underived,
    written,
)

forms = FormSet()

_WITHOUT_WEIGHTS = "weight_attr=False, bias_attr=False"
_PERHAPS_WITHOUT = "weight_attr=None if {affine} else False, bias_attr=None if {affine} else False"
_STATISTICS = (
    "running_mean",
    "running_var",
    "num_batches_tracked",
    "track_running_stats",
    "reset_running_stats",
)
# Members that have a form.
MEMBERS = ("num_features", "eps", "reset_parameters")
SHAPED = ("eps", "reset_parameters")
_PLACES = (0, 1, 2, 3)
_PLAINLY: frozenset[str | int] = frozenset({"num_features", "eps", "momentum", "affine", *_PLACES})
_SHAPED_PLAINLY: frozenset[str | int] = frozenset(
    {"normalized_shape", "eps", "elementwise_affine", "bias", *_PLACES}
)
_GROUPED_PLAINLY: frozenset[str | int] = frozenset(
    {"num_groups", "num_channels", "eps", *_PLACES[:3]}
)
_OTHER_NORMS = ("InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d", "GroupNorm")
_BATCH_NORMS = ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d")
# Functions that use statistics by their names.
_NAMING = ("fuse_conv_bn_eval", "fuse_linear_bn_eval", "stack_module_state")
_LAZY_BATCH_NORMS = tuple(f"Lazy{name}" for name in _BATCH_NORMS)


def batch_norms_are_native(program: Program) -> bool:
    """Return whether Paddle's BatchNorm fits a program that does not name its statistics."""
    # Options of optimizers are named "momentum", too.
    read = program.reads(*_STATISTICS) or "momentum" in program.traits.read
    read = read or program.stores("momentum", "track_running_stats")
    read = read or any(
        program.reads_of(name, "affine", rewritable=MEMBERS, plainly=_PLAINLY)
        for name in _BATCH_NORMS
    )
    read = read or _fills_state(program)
    read = read or program.calls(*_LAZY_BATCH_NORMS)  # a lazy one becomes the exact one
    read = read or program.calls("update_bn", "AveragedModel")  # they select statistics by class
    read = read or program.calls(*_NAMING) or _get_torchs_arguments(program)
    return underived(program, *_BATCH_NORMS) and not read and not fetches_weights(program)


def _get_torchs_arguments(program: Program) -> bool:
    """Return whether a batch norm may be one of several classes: `(BatchNorm1d, BatchNorm2d)[d]`.

    Calls of what is chosen are written for torch's arguments, and Paddle has its own momentum.
    Later calls of `partial(BatchNorm2d, eps=1e-3)` may give torch's arguments, too.
    """
    passed_on = [name for name in _BATCH_NORMS if program.is_passed_on(name, partly=False)]
    others = (name for name in _OTHER_NORMS if program.is_passed_on(name, partly=False))
    if len(passed_on) > 1 or (passed_on and any(others)):
        return True
    given = not program.traits.keywords.isdisjoint({"affine", "track_running_stats"})
    return given and any(program.is_passed_on(name) for name in _BATCH_NORMS)


def _fills_state(program: Program) -> bool:
    """Return whether a loop fills the entries of a state, whose names and number differ."""
    filled = program.traits.laid_out & {Layout.ENTRIES, Layout.VALUES}
    return bool(filled) and program.calls("state_dict")


def _rest(match: Match) -> list[str] | None:
    """Return Paddle's momentum (the kept share) and epsilon, or None if no form has them."""
    parts = []
    if match.given("momentum"):
        momentum = number(match, "momentum", 0.1)
        if momentum is None and match.constant("momentum") is not NOT_CONSTANT:
            return None  # None averages over all batches
        kept = "1 - {momentum}" if momentum is None else repr(round(1 - momentum, 12))
        parts.append(f"momentum={kept}")
    if match.given("eps"):
        parts.append("epsilon={eps}")
    return parts


def _norm(match: Match, callee: str, rest: list[str], affine: bool | None) -> str:
    """Return the call of a layer; a partial may set the number of channels later."""
    first = ["{num_features}"] if "num_features" in match else []
    weights = {True: [], False: [_WITHOUT_WEIGHTS], None: [_PERHAPS_WITHOUT]}[affine]
    return f"{callee}({', '.join([*first, *rest, *weights])})"


def _shows_variances(program: Program) -> bool:
    """Return whether results show a running variance that is not torch's."""
    # Paddle's own SyncBatchNorm would replace another class.
    return program.trains_and_evaluates and not program.calls("convert_sync_batchnorm")


def _batch_norm(name: str, own: str) -> None:
    native, unbiased = f"paddle.nn.{own}", f"TorchUnbiased{own}"

    def value(program: Program) -> str | None:
        if not batch_norms_are_native(program):
            return None
        return unbiased if _shows_variances(program) else native

    @forms.form(f"torch.nn.{name}", value=value, partial=True)
    def layer(match: Match) -> Outcome | None:
        affine, rest, cls = flag(match, "affine"), _rest(match), value(match.program)
        if cls is None or rest is None or match.given("track_running_stats", "device", "dtype"):
            return None
        differs = (Difference.RUNNING_VARIANCE,) if cls == native else ()
        return Rewrite(
            _norm(match, cls, rest, affine),
            consumed=frozenset({"momentum", "affine", "track_running_stats", "device", "dtype"}),
            differs=(*differs, *state(match.program)),
        )


def state(program: Program) -> tuple[Difference, ...]:
    """Return the difference of a saved state with other names, if any state is saved."""
    return (Difference.SAVED_STATE,) if program.calls("state_dict") else ()


def _instance_norm(name: str, own: str) -> None:
    native = f"paddle.nn.{own}"

    def value(program: Program) -> str | None:
        read = program.reads(*_STATISTICS, "momentum", "_InstanceNorm")
        read = read or program.reads_of(name, "num_features", "reset_parameters")
        if read or program.is_passed_on(name):
            return None  # if it is called like torch's, Paddle's would learn a scale
        return native if underived(program, name) else None

    @forms.form(f"torch.nn.{name}", value=value, partial=True)
    def layer(match: Match) -> Outcome | None:
        affine = flag(match, "affine", False)
        if value(match.program) is None or affine is None:
            return None
        if match.given("track_running_stats", "device", "dtype", "momentum"):
            return None
        if affine and match.program.reads("weight"):
            return None  # its name is `scale`
        rest = ["epsilon={eps}"] if match.given("eps") else []
        return Rewrite(
            _norm(match, native, rest, affine),
            consumed=frozenset({"momentum", "affine", "track_running_stats", "device", "dtype"}),
            differs=(*(state(match.program) if affine else ()), *UNBATCHED),
        )


for _dims in (1, 2, 3):
    _batch_norm(f"BatchNorm{_dims}d", f"BatchNorm{_dims}D")
    if _dims > 1:  # Paddle's interprets a sample without a batch, [C, L], as a batch of C
        _instance_norm(f"InstanceNorm{_dims}d", f"InstanceNorm{_dims}D")

forms.row(
    "torch.nn.SyncBatchNorm.convert_sync_batchnorm",
    to="paddle.nn.SyncBatchNorm.convert_sync_batchnorm({module})",
    when=lambda match: batch_norms_are_native(match.program),
)


_FROZEN = unless(
    "if the weight is frozen (it requires no gradient): {target} computes the gradient of"
    " the input as if the weight were 1"
)


def layer_norm_class(program: Program) -> str | None:
    """Return Paddle's class, whose gradient ignores a frozen weight."""
    lacking = ("normalized_shape", "elementwise_affine")
    read = program.reads_of("LayerNorm", *lacking, rewritable=SHAPED, plainly=_SHAPED_PLAINLY)
    plain = underived(program, "LayerNorm") and not read and not program.freezes
    return "paddle.nn.LayerNorm" if plain else None


@forms.form("torch.nn.LayerNorm", value=layer_norm_class, partial=True)
def layer_norm(match: Match) -> Outcome | None:
    """torch.nn.LayerNorm(normalized_shape, eps=1e-05, elementwise_affine=True, bias=True)."""
    if layer_norm_class(match.program) is None or match.given("device", "dtype"):
        return None
    eps = match.constant("eps", 1e-5)
    if isinstance(eps, int | float) and not 0 <= eps <= 1e-3:
        return None
    given = match.arguments.get("normalized_shape")  # a partial may omit it
    shape = given.node if given is not None else None
    several = isinstance(shape, ast.Tuple | ast.List) and len(shape.elts) > 1
    if several and match.program.reads("weight", "bias"):
        return None  # Paddle's are flat
    if older(match) and match.given("elementwise_affine", "bias"):
        return None
    renamed = {"eps": "epsilon"} if older(match) else {}
    text = written(match, "paddle.nn.LayerNorm", renamed=renamed, without=("device", "dtype"))
    return Rewrite(
        text,
        consumed=frozenset({"device", "dtype"}),
        differs=(*_FROZEN, *(state(match.program) if several else ())),
    )


def group_norm_class(program: Program) -> str | None:
    """Return Paddle's class."""
    lacking = ("num_groups", "num_channels", "affine")
    read = program.reads_of("GroupNorm", *lacking, rewritable=SHAPED, plainly=_GROUPED_PLAINLY)
    plain = underived(program, "GroupNorm") and not read
    return "paddle.nn.GroupNorm" if plain else None


@forms.form("torch.nn.GroupNorm", value=group_norm_class, partial=True)
def group_norm(match: Match) -> Outcome | None:
    """torch.nn.GroupNorm(num_groups, num_channels, eps=1e-05, affine=True).

    Without weights, the gradient of Paddle's own differs.
    """
    if group_norm_class(match.program) is None or match.given("device", "dtype", "affine"):
        return None
    renamed = {"eps": "epsilon"}
    dropped = ("affine", "device", "dtype")
    text = written(match, "paddle.nn.GroupNorm", renamed=renamed, without=dropped)
    return Rewrite(text, consumed=frozenset(dropped))


def _trained(match: Match, name: str) -> bool:
    """Return whether an argument is a parameter of the class around, and none is frozen."""
    node = match.arguments[name].node
    if not isinstance(node, ast.Attribute) or match.program.freezes:
        return False
    return match.program.own_makers(node.attr) == {"Parameter"}


@forms.form("torch.nn.functional.layer_norm", value=None)
def layer_norm_function(match: Match) -> Outcome | None:
    """Write Paddle's function, whose gradient ignores a weight that is not a parameter."""
    eps = match.constant("eps", 1e-5)
    if isinstance(eps, int | float) and not 0 <= eps <= 1e-3:
        return None
    if not floats(match, "input") or (match.given("weight") and not _trained(match, "weight")):
        return None
    if match.given("bias") and not match.given("weight"):
        return None
    shape, given = (match.arguments[name].node for name in ("normalized_shape", "input"))
    if ast.unparse(shape) == f"{ast.unparse(given)}.shape":
        return None  # over all dimensions, which Paddle refuses
    renamed = {"input": "x", "eps": "epsilon"}
    text = written(match, "paddle.nn.functional.layer_norm", renamed=renamed)
    return Rewrite(text, differs=_FROZEN if match.given("weight") else ())
