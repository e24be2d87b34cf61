"""Images in other sizes, their patches and edges."""

from __future__ import annotations

from workbench.rules.difference import unless
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Refusal, Rewrite
from workbench.rules.rule import RuleSet

rules = RuleSet()
_F, _N = "torch.nn.functional.", "torch.nn."
_CHANGED = unless("if its input is read again after the layer: torch has changed it in place")
_MODES = frozenset(
    {"nearest", "nearest-exact", "linear", "bilinear", "trilinear", "bicubic", "area"}
)


def _options(match: Match) -> str | Refusal:
    """Return the options of a resize, or why it has no equivalent."""
    if match.given("antialias", "recompute_scale_factor"):
        return Refusal("antialias and recompute_scale_factor have no equivalent here")
    if match.constant("mode", "nearest") not in _MODES:
        return Refusal("the mode is only known at run time")
    if match.constant("align_corners", None) not in (None, True, False):
        return Refusal("whether the corners are aligned is only known at run time")
    names = ("size", "scale_factor", "mode", "align_corners")
    return "".join(f", {name}={{{name}}}" for name in names if match.given(name))


def _left(match: Match) -> frozenset[str]:
    return frozenset(name for name in match.arguments if match.is_default(name))


@rules.rule(_F + "interpolate", _F + "upsample")
def interpolate(match: Match) -> Outcome:
    """Write the resize with torch's places."""
    options = _options(match)
    if isinstance(options, Refusal):
        return options
    return Rewrite(f"torch_interpolate({{input}}{options})", consumed=_left(match))


@rules.rule(_N + "Upsample", _N + "UpsamplingNearest2d", _N + "UpsamplingBilinear2d")
def upsample(match: Match) -> Outcome:
    """Write the function with the layer's options."""
    options = _options(match)
    if isinstance(options, Refusal):
        return options
    if match.use.name.endswith("Bilinear2d"):
        options += ", mode='bilinear', align_corners=True"
    return Rewrite(f"partial(torch_interpolate{options})", consumed=_left(match))


_PATCHES = "{kernel_size}, {dilation=1}, {padding=0}, {stride=1}"
rules.row(_F + "unfold", f"torch_unfold({{input}}, {_PATCHES})")
rules.row(_F + "fold", f"torch_fold({{input}}, {{output_size}}, {_PATCHES})")
_GIVEN = "kernel_size={kernel_size}, dilation={dilation}, padding={padding}, stride={stride}"
rules.row(_N + "Unfold", f"partial(torch_unfold, {_GIVEN})")
rules.row(_N + "Fold", f"partial(torch_fold, output_size={{output_size}}, {_GIVEN})")
_EDGES = {"ReflectionPad": "reflect", "ReplicationPad": "replicate", "CircularPad": "circular"}
for _dims in (1, 2, 3):
    for _name, _mode in _EDGES.items():
        rules.row(
            f"{_N}{_name}{_dims}d",
            f"partial(torch_pad, pad=torch_each({{padding}}, {2 * _dims}), mode='{_mode}')",
        )
    rules.row(
        f"{_N}ZeroPad{_dims}d",
        f"partial(torch_pad, pad=torch_each({{padding}}, {2 * _dims}), mode='constant')",
    )
    rules.row(
        f"{_N}ConstantPad{_dims}d",
        f"partial(torch_pad, pad=torch_each({{padding}}, {2 * _dims}), mode='constant',"
        " value={value})",
    )


def _instance_norm(dims: int) -> None:
    @rules.rule(f"{_N}InstanceNorm{dims}d")
    def decide(match: Match) -> Outcome:
        """Write a norm of groups of one channel each."""
        if match.given("track_running_stats"):
            return Refusal("running statistics of instances have no equivalent")
        return Rewrite(
            "TorchGroupNorm({num_features}, {num_features}, eps={eps=1e-05},"
            " affine={affine=False})",
            consumed=frozenset(match.arguments) - {"num_features", "eps", "affine"},
        )


for _dims in (1, 2, 3):
    _instance_norm(_dims)


def _dropout(dims: int) -> None:
    @rules.rule(f"{_N}Dropout{dims}d")
    def decide(match: Match) -> Outcome:
        """Write flax's layer, which drops whole channels."""
        shared = ", ".join(str(-one) for one in range(1, dims + 1))
        return Rewrite(
            f"nnx.Dropout({{p=0.5}}, broadcast_dims=({shared},), rngs=rngs)",
            consumed=frozenset({"inplace"} & match.arguments.keys()),
            differs=_CHANGED if match.given("inplace") else (),
        )


for _dims in (1, 2, 3):
    _dropout(_dims)
