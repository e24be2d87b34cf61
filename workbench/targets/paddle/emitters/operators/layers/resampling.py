"""Interpolation and sampling on grids."""

from __future__ import annotations

from typing import Any

from workbench.lower.writing.call import Call, atom
from workbench.lower.writing.emitters import Write
from workbench.targets.paddle.emitters.registry import emits

_LAYOUTS = {1: "NCW", 2: "NCHW", 3: "NCDHW"}


def _interpolate(mode: str, rank: int) -> Write:
    def write(call: Call) -> str:
        x = call.tensor("input" if "input" in call.arguments else "self")
        sizes: list[Any] = _sizes(call, rank)
        factors = list(call["scale_factors"] or ())
        exact = not factors or _whole(call, rank)
        if mode == "nearest" and rank == 1:
            # Paddle has nearest sampling for images only, so a line becomes an image of height 1.
            size = f"size={call.write([1, *sizes])}" if exact else f"scale_factor={[1.0, *factors]}"
            return f'F.interpolate({atom(x)}.unsqueeze(2), {size}, mode="nearest").squeeze(2)'
        held = call.meta("input" if "input" in call.arguments else "self").shape[-rank:]
        single = any(new == 1 != length for length, new in zip(held, sizes, strict=True))
        if single and rank == 2 and mode != "nearest" and not call["align_corners"]:
            call.refuse("for a result of size 1 Paddle takes the first element, not the middle")
        if mode != "bicubic" and factors:
            # torch copies a dimension that keeps its length, whatever the factor.
            both = zip(held, sizes, factors, strict=True)
            factors = [1.0 if length == new else factor for length, new, factor in both]
        size = f"size={call.write(sizes)}" if exact else f"scale_factor={call.write(factors)}"
        align = "" if mode == "nearest" else f", align_corners={bool(call['align_corners'])}"
        layout = f', data_format="{_LAYOUTS[rank]}"' if rank != 2 else ""
        return f'F.interpolate({x}, {size}, mode="{mode}"{align}{layout})'

    return write


def _sizes(call: Call, rank: int) -> list[int]:
    if call["output_size"]:
        return list(call["output_size"])
    sizes = list(call.out.shape[-rank:])
    if not all(isinstance(size, int) for size in sizes):
        call.refuse("a scale factor over a dimension that is dynamic")
    return [int(size) for size in sizes]


def _whole(call: Call, rank: int) -> bool:
    """Return whether the scale factors are exactly the ratios of the sizes."""
    name = "input" if "input" in call.arguments else "self"
    held = call.meta(name).shape[-rank:]
    return all(
        a * factor == b
        for a, b, factor in zip(held, call.out.shape[-rank:], call["scale_factors"], strict=True)
    )


for _rank, _mode, _name in (
    (1, "nearest", "upsample_nearest1d"),
    (2, "nearest", "upsample_nearest2d"),
    (3, "nearest", "upsample_nearest3d"),
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
        call.refuse("Paddle's grid_sample has no bicubic mode")
    padding = ("zeros", "border", "reflection")[call["padding_mode"]]
    rest = f'mode="{mode}", padding_mode="{padding}", align_corners={call["align_corners"]}'
    return f"F.grid_sample({call.tensor('input')}, {call.tensor('grid')}, {rest})"


@emits("affine_grid_generator")
def _affine_grid(call: Call) -> str:
    if call["align_corners"] and 1 in list(call["size"])[2:]:
        call.refuse("Paddle's affine_grid divides by zero for a size of 1 with align_corners=True")
    rest = f"{call.text('size')}, align_corners={call['align_corners']}"
    return f"F.affine_grid({call.tensor('theta')}, {rest})"
