"""Functions of einx, which has no backend for Paddle."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import einops
import paddle


def torch_einx(
    function: Callable[..., paddle.Tensor], description: str, *tensors: Any, **sizes: int
) -> paddle.Tensor:
    """Apply a function value by value to tensors with named axes.

    Args:
        function: takes tensors whose shapes broadcast.
        description: as einx takes it, such as `"b n, b n d -> b n d"`.
        tensors: a tensor or a number for each input of the description.
        sizes: sizes of axes.
    """
    inputs, output = torch_einx_sides(description, tensors)
    names = re.findall(r"[a-z_A-Z]\w*", output)
    for axes, tensor in zip(inputs, tensors, strict=True):
        if isinstance(tensor, paddle.Tensor) and "(" not in axes:
            sizes = dict(zip(axes.split(), tensor.shape, strict=True)) | sizes
    alike = []
    for axes, tensor in zip(inputs, tensors, strict=True):
        if isinstance(tensor, paddle.Tensor):
            own = re.findall(r"\w+", axes)
            known = {name: sizes[name] for name in own if "(" in axes and name in sizes}
            spread = " ".join(name if name in own else "1" for name in names)
            tensor = einops.rearrange(tensor, f"{axes} -> {spread}", **known)
        alike.append(tensor)
    result = function(*alike)
    return einops.rearrange(result, f"{' '.join(names)} -> {output}")


def torch_einx_get_at(
    description: str, tensor: paddle.Tensor, places: paddle.Tensor, **sizes: int
) -> paddle.Tensor:
    """Select places along the axis in brackets: `"b [n] d, b m -> b m d"`."""
    inputs, output = torch_einx_sides(description, (tensor, places))
    source, wanted = (axes.split() for axes in inputs)
    along = next(name for name in source if name.startswith("["))
    shared = [name for name in source if name in wanted]
    rest = [name for name in source if name not in (*shared, along)]
    new = [name for name in wanted if name not in shared]
    sizes |= dict(zip(source, tensor.shape, strict=True)) | dict(
        zip(wanted, places.shape, strict=True)
    )
    head, tail, picked = " ".join(shared), " ".join(rest), " ".join(new)
    tensor = einops.rearrange(
        tensor, f"{' '.join(source)} -> {head} {along} ({tail})".replace("[", "").replace("]", "")
    )
    places = einops.rearrange(places, f"{' '.join(wanted)} -> {head} ({picked}) 1")
    places = paddle.where(places < 0, places + tensor.shape[-2], places)
    places = places.expand([*places.shape[:-1], tensor.shape[-1]])
    result = paddle.take_along_axis(tensor, places, axis=-2, broadcast=False)
    known = {name: sizes[name] for name in (*new, *rest)}
    return einops.rearrange(result, f"{head} ({picked}) ({tail}) -> {output}", **known)


def torch_einx_sides(description: str, tensors: Any) -> tuple[list[str], str]:
    """Return the inputs and the output of a description, with a name for each axis of `...`."""
    left, arrow, output = description.partition("->")
    inputs = [one.strip() for one in left.split(",")]
    depth = 0
    for axes, tensor in zip(inputs, tensors, strict=True):
        if "..." in axes:
            outer = re.sub(r"\([^)]*\)", "x", axes.replace("...", " "))
            depth = tensor.ndim - len(outer.split())
    spread = " ".join(f"ellipsis{number}" for number in range(depth))
    inputs = [one.replace("...", spread) for one in inputs]
    if arrow:
        return inputs, output.replace("...", spread).strip()
    every = set(re.findall(r"[a-z_A-Z]\w*", " ".join(inputs)))
    return inputs, next(one for one in inputs if every <= set(re.findall(r"\w+", one)))
