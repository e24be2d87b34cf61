"""Names of a target, read as the names of torch that they stand for.

A file that is converted one fix at a time holds both frameworks for a while. What the target's
names make, tensors and layers, are still what torch's code around them works on: they tell types,
and are no uses themselves.
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
        root: the module that its names begin with.
        helpers: the module of helper functions beside converted code.
        make: makes the table of names and modules, with torch's, when it is first asked for.
        methods: methods of tensors that torch's have not, each with torch's that does the same.
    """

    root: str
    helpers: str
    make: Callable[[], Mapping[str, str]]
    methods: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Each dotted name with the name of torch that it stands for."""
        return self.make()

    @cached_property
    def last_names(self) -> Mapping[str, str]:
        """The last parts of names that torch calls otherwise: `Conv2D` is torch's `Conv2d`."""
        pairs = (
            (one.rpartition(".")[2], name.rpartition(".")[2]) for one, name in self.names.items()
        )
        return {one: name for one, name in pairs if one != name}

    def is_named_in(self, text: str) -> bool:
        """Whether a text may import the target's module or helpers, or call what is in one."""
        if self.helpers in text:
            return True
        named = rf"\b{self.root}\.|\b(import|from) {self.root}\b"
        return self.root in text and re.search(named, text) is not None

    def covers(self, name: str) -> bool:
        """True for the target's module, what is in it, and helper functions of conversions."""
        root = name.partition(".")[0]
        return root == self.root or (root == self.helpers and name in self.names)

    def torch_name(self, name: str) -> str:
        """The name of torch that a dotted name stands for: of the longest part that is known."""
        parts = name.split(".")
        for count in range(len(parts), 0, -1):
            known = self.names.get(".".join(parts[:count]))
            if known is not None:
                return ".".join([known, *parts[count:]])
        return name
