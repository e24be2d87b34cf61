"""Hazards that capture does not report, found in the source of a live model."""

from __future__ import annotations

import inspect
import textwrap
from typing import TYPE_CHECKING, Any

import torch

from workbench.capture.hazards.detection import find_hazards
from workbench.capture.provenance import is_torch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def silent_hazards(model: torch.nn.Module | Callable[..., Any]) -> tuple[str, ...]:
    """Return sentences on silent hazards in the source of a model's classes or of a function."""
    return tuple(dict.fromkeys(_sentences(model)))


def _sentences(model: Any) -> Iterator[str]:
    kinds: list[Any] = (
        list(dict.fromkeys(type(part) for part in model.modules()))
        if isinstance(model, torch.nn.Module)
        else [inspect.unwrap(model)]
    )
    for kind in kinds:
        try:
            file = inspect.getsourcefile(kind)
            lines, start = inspect.getsourcelines(kind)
        except (OSError, TypeError):
            continue  # created dynamically, without source
        if file is None or is_torch(file):
            continue
        text = textwrap.dedent("".join(lines))
        functions = [] if isinstance(kind, type) else [getattr(kind, "__name__", "")]
        for hazard in find_hazards(text, functions):
            if hazard.silent:
                # getsourcelines counts from 1, and from 0 for a whole module.
                line = max(start, 1) + hazard.line - 1
                yield f"{hazard.code} {file}:{line}: {hazard.message}; instead: {hazard.rewrite}"
