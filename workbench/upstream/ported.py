"""Names of a target, read as torch's equivalents.

A file that is converted one fix at a time contains both frameworks for a while. Torch code still
works on the tensors and layers that the target's names create: these names provide types, but are
not uses of torch.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property


@dataclass(frozen=True)
class Ported:
    """The names of one target.

    Attributes:
        roots: the top-level modules of its names.
        helpers: the module of helper functions of converted code.
        make: a function that returns the torch names of the target's names and modules, which is
            called when they are first needed.
        source: a function that returns the source of a helper, or None for other names.
        methods: tensor methods that torch does not have, each with torch's equivalent.
    """

    roots: frozenset[str]
    helpers: str
    make: Callable[[], Mapping[str, str]]
    source: Callable[[str], str | None]
    methods: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def names(self) -> Mapping[str, str]:
        """The torch name of each dotted name."""
        return self.make()

    @cached_property
    def last_names(self) -> Mapping[str, str]:
        """The last parts of names that differ from torch's: `Conv2D` is torch's `Conv2d`."""
        pairs = (
            (one.rpartition(".")[2], name.rpartition(".")[2]) for one, name in self.names.items()
        )
        return {one: name for one, name in pairs if one != name}

    def is_named_in(self, text: str) -> bool:
        """Return whether a text may import or use the target's module or its helpers."""
        if self.helpers in text:
            return True
        roots = "|".join(sorted(self.roots))
        named = rf"\b({roots})\.|\b(import|from) ({roots})\b"
        return any(root in text for root in self.roots) and re.search(named, text) is not None

    def covers(self, name: str) -> bool:
        """Return whether a name is in the target's module or is a conversion's helper."""
        root = name.partition(".")[0]
        return root in self.roots or (root == self.helpers and name in self.names)

    def torch_name(self, name: str) -> str:
        """Return torch's name for a dotted name, by its longest known part."""
        parts = name.split(".")
        for count in range(len(parts), 0, -1):
            known = self.names.get(".".join(parts[:count]))
            if known is not None:
                return ".".join([known, *parts[count:]])
        return name
