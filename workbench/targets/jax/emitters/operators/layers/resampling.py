"""Interpolation and sampling on grids."""

from __future__ import annotations

from typing import Any

from workbench.lower.writing.call import Call
from workbench.lower.writing.emitters import Write
from workbench.targets.jax.emitters.registry import emits, writes

writes({"affine_grid_generator": "{_affine_grid}({theta}, {size}, {align_corners!s})"})


def _interpolate(mode: str, rank: int) -> Write:
    def write(call: Call) -> str:
        name = "input" if "input" in call.arguments else "self"
        sizes: list[Any] = list(call["output_size"] or call.out.shape[-rank:])
        # torch steps by the inverse of the given factor, not by the ratio of the sizes.
        factors: list[Any] = list(call["scale_factors"] or ())
        if not factors:
            single = [call[n] for n in ("scales_d", "scales_h", "scales_w", "scales")]
            factors = [f for f in single if f is not None]
        place = f"{call.tensor(name)}, {call.write(sizes)}"
        scales = f", scales={call.write(factors)}" if len(factors) == rank else ""
        if "nearest" in mode:
            exact = ", exact=True" if mode == "nearest-exact" else ""
            return f"{call.helper('_nearest')}({place}{scales}{exact})"
        corners = ", align_corners=True" if call["align_corners"] else ""
        cubic = ", cubic=True" if mode == "bicubic" else ""
        return f"{call.helper('_resize')}({place}{scales}{corners}{cubic})"

    return write


for _rank, _mode, _name in (
    (1, "nearest", "upsample_nearest1d"),
    (2, "nearest", "upsample_nearest2d"),
    (3, "nearest", "upsample_nearest3d"),
    (1, "nearest-exact", "_upsample_nearest_exact1d"),
    (2, "nearest-exact", "_upsample_nearest_exact2d"),
    (3, "nearest-exact", "_upsample_nearest_exact3d"),
    (1, "linear", "upsample_linear1d"),
    (2, "bilinear", "upsample_bilinear2d"),
    (3, "trilinear", "upsample_trilinear3d"),
    (2, "bicubic", "upsample_bicubic2d"),
):
    emits(_name, f"{_name}.vec")(_interpolate(_mode, _rank))


@emits("grid_sampler_2d", "grid_sampler", "grid_sampler_3d")
def _grid_sampler(call: Call) -> str:
    mode = ("bilinear", "nearest", "bicubic")[call["interpolation_mode"]]
    if mode == "bicubic":
        call.refuse("cubic sampling on a grid")
    padding = ("zeros", "border", "reflection")[call["padding_mode"]]
    rest = f'"{mode}", "{padding}", {call["align_corners"]}'
    return f"{call.helper('_grid_sample')}({call.tensor('input')}, {call.tensor('grid')}, {rest})"


@emits("im2col")
def _im2col(call: Call) -> str:
    rest = ", ".join(str(list(call[n])) for n in ("kernel_size", "dilation", "padding", "stride"))
    return f"{call.helper('_patches')}({call.tensor('self')}, {rest})"


@emits("col2im")
def _col2im(call: Call) -> str:
    names = ("output_size", "kernel_size", "dilation", "padding", "stride")
    rest = ", ".join(call.text(n) for n in names)
    return f"{call.helper('_unpatched')}({call.tensor('self')}, {rest})"
