"""Padding, resampling and rearranging of images, layers and functions, as Paddle writes them."""

from __future__ import annotations

import ast

from workbench.rules.difference import at, unless
from workbench.rules.forms import FormSet
from workbench.rules.match import NOT_CONSTANT, Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.source.traits.program import Program
from workbench.source.tree import is_negated
from workbench.source.types.lattice import UNKNOWN, Plain, Tensor
from workbench.targets.paddle.common.either import may_be_mask
from workbench.targets.paddle.common.writing import (
    UNBATCHED,
    flag,
    floats,
    is_sample,
    underived,
    written,
)

forms = FormSet()

_PADDINGS = ("ConstantPad", "ZeroPad", "ReflectionPad", "ReplicationPad", "CircularPad")


def _same_layer(name: str, own: str, *members: str, renamed: dict[str, str] | None = None) -> None:
    """Add the form of a layer that Paddle has with the same positional arguments."""
    native = f"paddle.nn.{own}"
    differs = () if name == "Flatten" else UNBATCHED

    def value(program: Program) -> str | None:
        if not underived(program, name) or program.reads(*members):
            return None
        again = name == "Flatten" and program.differentiates_twice
        return "TorchFlatten" if again else native

    @forms.form(f"torch.nn.{name}", value=value, value_differs=differs)
    def layer(match: Match) -> Outcome | None:
        text = value(match.program)
        if text is None:
            return None
        return Rewrite(written(match, text, renamed=renamed), differs=differs)


for _kind in _PADDINGS:
    for _dims in (1, 2, 3):
        _same_layer(f"{_kind}{_dims}d", f"{_kind}{_dims}D")
_same_layer("PixelShuffle", "PixelShuffle", "upscale_factor")
_same_layer("PixelUnshuffle", "PixelUnshuffle", "downscale_factor")
_same_layer("ChannelShuffle", "ChannelShuffle", "groups")
_same_layer(
    "Flatten",
    "Flatten",
    "start_dim",
    "end_dim",
    renamed={"start_dim": "start_axis", "end_dim": "stop_axis"},
)

_KERNELS = {
    "kernel_size": "kernel_sizes",
    "dilation": "dilations",
    "padding": "paddings",
    "stride": "strides",
    "output_size": "output_sizes",
}
_same_layer("Unfold", "Unfold", "kernel_size", "dilation", "padding", "stride", renamed=_KERNELS)
_same_layer("Fold", "Fold", "kernel_size", renamed=_KERNELS)


def _function(name: str, placed: tuple[str, ...], renamed: dict[str, str]) -> None:
    """Add the form of a function of which only the arguments in `placed` keep their positions."""
    native = f"paddle.nn.functional.{name}"

    @forms.form(f"torch.nn.functional.{name}", value=None)
    def function(match: Match) -> Outcome | None:
        if not floats(match, "input") or is_sample(match, 3 if name == "fold" else 4):
            return None
        parts = []
        for one, argument in sorted(match.arguments.items(), key=lambda item: item[1].indexes[0]):
            by_place = one in placed and argument.indexes[0] < len(match.use.arguments)
            parts.append(f"{{{one}}}" if by_place else f"{renamed.get(one, one)}={{{one}}}")
        return Rewrite(f"{native}({', '.join(parts)})", differs=UNBATCHED)


_function("unfold", ("input", "kernel_size"), {"input": "x", **_KERNELS})
_function("fold", ("input", "output_size", "kernel_size"), {"input": "x", **_KERNELS})
_function("pixel_shuffle", ("input", "upscale_factor"), {"input": "x"})
_function("pixel_unshuffle", ("input", "downscale_factor"), {"input": "x"})
_function("channel_shuffle", ("input", "groups"), {"input": "x"})


_UNBATCHED = unless(
    "a tensor without a batch dimension raises an error in {target} in this padding mode"
)
_FLAT = unless("mode='nearest' for a tensor of three dimensions raises an error in {target}")
_CUT = at("padding of boolean tensors, and padding by a negative size, raise an error in {target}")
_PADDED = (None, "floating", "float32", "float64", "int32", "int64")

# Padding ---------------------------------------------------------------------------------------


@forms.form("torch.nn.functional.pad", value="paddle.compat.nn.functional.pad", since="3.3")
def pad(match: Match) -> Outcome | None:
    """F.pad(input, pad, mode="constant", value=None).

    Paddle's own counts from the first dimension if there are numbers for all of them; two numbers
    cover all dimensions of a vector only, where both orders agree. It does not pad bool tensors.
    """
    value = match.constant("value", None)
    tensor = match.value("input")
    if (mask := _padded_mask(match)) is not None:
        return mask
    if may_be_mask(match) or (isinstance(tensor, Tensor) and tensor.dtype not in _PADDED):
        return None
    constant = match.constant("mode", "constant") == "constant"
    if (
        "pad" not in match
        or (not constant and _is_sample_padded(match))
        or (value is None and "value" in match)
    ):
        return None
    if isinstance(value, bool) or match.value("value") == Plain("bool"):
        return None
    given = match.arguments["pad"].node
    if _may_cut(given):
        return None
    known = isinstance(tensor, Tensor) and tensor.dtype is not None
    literal = match.constant("pad") is not NOT_CONSTANT
    differs = () if constant else _UNBATCHED
    differs += () if known and literal else _CUT
    if isinstance(given, ast.Tuple | ast.List) and len(given.elts) == 2:
        if any(isinstance(one, ast.Starred) for one in given.elts):
            return None
        text = written(match, "paddle.nn.functional.pad", renamed={"input": "x"})
        return Rewrite(text, differs=differs)
    return Rewrite("paddle.compat.nn.functional.pad", callee_only=True, differs=differs)


def _is_sample_padded(match: Match) -> bool:
    """Return whether a tensor that is padded may lack the batch dimension."""
    sizes = match.constant("pad")
    return isinstance(sizes, tuple | list) and is_sample(match, 2 + len(sizes) // 2)


def _may_cut(sizes: ast.expr) -> bool:
    """Return whether a size is written as a negative one, which cuts: `(0, 0, n, -n)`."""
    parts = sizes.elts if isinstance(sizes, ast.Tuple | ast.List) else []
    return any(map(is_negated, parts))


def _padded_mask(match: Match) -> Outcome | None:
    """Write the padding of a mask as integers; its values or the padding show that it is a mask."""
    tensor, value = match.value("input"), match.constant("value", None)
    dtype = tensor.dtype if isinstance(tensor, Tensor) else None
    is_mask = dtype == "bool" or (dtype is None and isinstance(value, bool))
    given = match.arguments["pad"].node if "pad" in match else None
    if not is_mask or match.given("mode") or not isinstance(given, ast.Tuple | ast.List):
        return None
    if any(isinstance(one, ast.UnaryOp | ast.Starred) for one in given.elts):
        return None
    filled = ", value={value}" if match.given("value") else ""
    text = f'paddle.compat.nn.functional.pad({{input}}.astype("int32"), {{pad}}{filled})'
    return Rewrite(text + '.astype("bool")', consumed=frozenset({"mode", "value"}))


# Resampling ------------------------------------------------------------------------------------

_WEIGHING = ("bilinear", "bicubic", "trilinear", NOT_CONSTANT)
_OF_ONE = at(
    "a resized dimension of size 1 has the first value in {target}, in torch a mean of the middle"
)
_MODES = ("nearest", "linear", "bilinear", "bicubic", "trilinear", "area")


def _resampled(match: Match, callee: str, given: tuple[str, ...]) -> Outcome | None:
    """Write the call; Paddle accepts no single number as a size, and no 1-d nearest neighbour.

    Paddle itself raises for an unknown size or mode.
    """
    mode = match.constant("mode", "nearest")
    if mode not in (*_MODES, NOT_CONSTANT) or match.given("recompute_scale_factor"):
        return None
    flat = match.program.calls("Conv1d", "ConvTranspose1d", "BatchNorm1d")
    if (mode == "nearest" and flat) or (mode == "area" and not match.given("size")):
        return None
    weighs = mode in _WEIGHING and flag(match, "align_corners", False) is not True
    sizes = match.constant("size", None)
    if weighs and 1 in (sizes if isinstance(sizes, tuple | list) else [sizes]):
        return None
    texts: dict[str, str] = {}
    if match.given("size") and not _is_several(match):
        number = type(match.constant("size")) is int
        if number and mode in ("bilinear", "bicubic"):
            texts = {"size": "[{0}, {0}]".format(match.constant("size"))}
        elif mode == "linear" and match.value("size") in (UNKNOWN, Plain("int")):
            texts = {"size": f"[{ast.unparse(match.arguments['size'].node)}]"}
        elif match.is_number("size"):
            return None
    if _may_be_none(match, "align_corners"):
        texts["align_corners"] = f"bool({ast.unparse(match.arguments['align_corners'].node)})"
    dropped = tuple(name for name in match.arguments if name not in given)
    if match.given(*dropped):
        return None
    if match.is_default("align_corners"):
        dropped += ("align_corners",)
    text = written(match, callee, renamed={"input": "x"}, without=dropped)
    differs = _FLAT if mode == "nearest" else ()
    differs += _OF_ONE if weighs else ()
    return Rewrite(text, texts=texts, consumed=frozenset(dropped), differs=differs)


def _may_be_none(match: Match, name: str) -> bool:
    """Return whether a flag is given that may be None, which Paddle does not accept."""
    if name not in match or match.constant(name) is not NOT_CONSTANT:
        return False
    return not isinstance(match.arguments[name].node, ast.Compare | ast.UnaryOp)


def _is_several(match: Match) -> bool:
    """Return whether a size is known to be a list, a tuple or a shape."""
    node = match.arguments["size"].node
    if isinstance(node, ast.Tuple | ast.List) or match.is_sequence("size"):
        return True
    shape = node
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        shape = node.value
    if isinstance(shape, ast.Call) and not shape.args:
        shape = shape.func
    return isinstance(shape, ast.Attribute) and shape.attr in ("shape", "size")


_SIZES = ("size", "scale_factor", "mode", "align_corners")


@forms.form("torch.nn.functional.interpolate")
def interpolate(match: Match) -> Outcome | None:
    """F.interpolate(input, size, scale_factor, mode, align_corners, ...)."""
    value = match.value("input")
    if isinstance(value, Tensor) and value.dtype not in (None, "float32", "floating"):
        return None  # Paddle computes weights in float32
    if match.constant("mode", "nearest") == "nearest" and is_sample(match, 4):
        return None
    return _resampled(match, "paddle.nn.functional.interpolate", ("input", *_SIZES))


def _upsample_class(program: Program) -> str | None:
    plain = underived(program, "Upsample") and not program.reads("scale_factor", "align_corners")
    return "paddle.nn.Upsample" if plain else None


@forms.form("torch.nn.Upsample", value=_upsample_class)
def upsample(match: Match) -> Outcome | None:
    """torch.nn.Upsample(size, scale_factor, mode, align_corners, recompute_scale_factor)."""
    if _upsample_class(match.program) is None or flag(match, "align_corners", False) is None:
        return None
    return _resampled(match, "paddle.nn.Upsample", _SIZES)
