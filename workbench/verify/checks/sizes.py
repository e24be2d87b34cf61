"""Checks with other batch sizes and sequence lengths than those of the given inputs."""

from __future__ import annotations

from collections.abc import Iterable

import torch

from workbench.verify.checks.passes import forward
from workbench.verify.result import Check
from workbench.verify.sides.places import Births
from workbench.verify.sides.sides import Sides
from workbench.verify.sides.values import Size, tensors_in

_BATCHES = (1, 3)


def batch_sizes(sides: Sides, births: Births) -> Check:
    """Compare forward passes with other batch sizes, if the original accepts them."""
    return _sizes(sides, births, "batch sizes", [Size(0, count) for count in _BATCHES])


def lengths(sides: Sides, births: Births) -> Check:
    """Compare forward passes with shorter sequences, if the original accepts them."""
    args, kwargs, _ = sides.inputs()
    tensors = [t for _, t in tensors_in((args, kwargs), lambda v: isinstance(v, torch.Tensor))]
    longest = next((t.shape[1] for t in tensors if t.dim() > 1), 0)
    counts = sorted({longest - 1, longest // 2} - {longest}, reverse=True)
    return _sizes(sides, births, "lengths", [Size(1, count) for count in counts if count > 0])


def _sizes(sides: Sides, births: Births, what: str, sizes: Iterable[Size]) -> Check:
    check = Check(f"other {what}")
    tried = []
    for size in sizes:
        sides.size = size
        try:
            try:
                sides.torch_pass(training=False)
            except Exception:  # the original supports one size only
                continue
            found = forward(sides, births, training=False)
        finally:
            sides.size = None
        tried.append(str(size.count))
        for figure in found.figures:
            figure.name += f" of a {size}"
        check.figures += found.figures
        check.places = check.places or found.places
    check.summary = f"{what} {', '.join(tried)}" if tried else "the original accepts no other"
    return check.settle()
