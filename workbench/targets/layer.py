"""A target's import layer, under which `import torch` gives the target's own modules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from workbench.rules.match import Match

# The layers that a check can ask for.
COMPAT = "compat"
LAYERS = (COMPAT,)


@dataclass(frozen=True, slots=True)
class Found:
    """An object that a torch name is under a layer, and its own name in the target."""

    path: str
    value: object


@dataclass(frozen=True)
class Layer:
    """The import layer of an installed target.

    Attributes:
        title: its name in sentences.
        find: returns what a torch name is under it, or raises LookupError with the reason.
        own: returns the object of one of the target's own names, or None.
        result: returns how the trials of a call ended in which the target's function of the same
            name took the call's arguments unchanged, as in `workbench.rules.same`.
    """

    title: str
    find: Callable[[str], Found]
    own: Callable[[str], object]
    result: Callable[[str, Match], str]
