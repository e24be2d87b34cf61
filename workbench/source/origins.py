"""Where tensors come from, and which other objects refer to them, at one place of a program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a tensor comes from.

    Attributes:
        key: the expression that made it, or the name of what it was given by.
        words: for a tensor of someone else, why another name may refer to it.
        unsure: whether only a call of unknown code may refer to it.
        old: whether the expression has been evaluated again since.
    """

    key: int | str | tuple[int, int]
    words: str = ""
    unsure: bool = False
    old: bool = False


Origins = frozenset[Origin]
NONE: Origins = frozenset()


@dataclass(slots=True)
class State:
    """What variables may hold, and which tensors other objects refer to.

    Attributes:
        held: the origins of each variable.
        kept: the words on who keeps a tensor, and whether that is unsure.
    """

    held: dict[str, Origins] = field(default_factory=dict)
    kept: dict[Origin, frozenset[tuple[str, bool]]] = field(default_factory=dict)

    def copy(self) -> State:
        return State(dict(self.held), dict(self.kept))

    def join(self, other: State) -> bool:
        """Add what another state holds; return whether anything is new."""
        changed = False
        for name, origins in other.held.items():
            mine = self.held.get(name, NONE)
            if origins is not mine and not origins <= mine:
                self.held[name], changed = mine | origins, True
        for origin, keepers in other.kept.items():
            known = self.kept.get(origin, frozenset())
            if keepers is not known and not keepers <= known:
                self.kept[origin], changed = known | keepers, True
        return changed


@dataclass(frozen=True, slots=True)
class Sharing:
    """Who else may refer to a tensor.

    Attributes:
        certain: words on another name that the program is known to give it, or "".
        open: words on unknown code that may keep it.
    """

    certain: str = ""
    open: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Summary:
    """What a function does with its arguments, by their names.

    Attributes:
        returned: the origins of what it returns.
        kept: the arguments that something refers to after the call.
    """

    returned: Origins
    kept: Mapping[Origin, frozenset[tuple[str, bool]]]
