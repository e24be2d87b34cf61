"""Rules of a project: for its own functions, custom operators and wrappers.

    from workbench.rules.own import OwnRules

    rules = OwnRules(helpers=["paddle_ops.py"])
    rules.row(
        "torch.ops.mylib.nms",
        "torch_nms({boxes}, {scores}, {threshold=0.5})",
        signature="(boxes, scores, threshold=0.5) -> Tensor",
    )

The module is named in `[tool.torchferry]`; `workbench.targets.own` reads it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import NamedTuple

from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Refusal, Rewrite
from workbench.rules.rule import Rule, RuleSet

__all__ = ["Keep", "Match", "Outcome", "OwnRules", "Refusal", "Rewrite"]


class Place(NamedTuple):
    """A line of a file, in the form that messages use."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class OwnRules(RuleSet):
    """The rules of a project.

    Args:
        helpers: files of helper functions, relative to the module's folder. They are read but never
            imported; converted code contains those that it calls.
        prelude: code that the rules' cases need besides torch, such as `import mylib`.
    """

    def __init__(self, helpers: Iterable[str] = (), prelude: str = "") -> None:
        super().__init__()
        self.rules: list[Rule] = _Placed()
        self.helpers = tuple(helpers)
        self.prelude = prelude
        self.dropped: set[str] = set()

    def drop_import(self, *modules: str) -> None:
        """Remove `import MODULE` if nothing of it is used, nor anything else of torch.

        For modules that are imported for their side effect, such as registering operators in torch.
        """
        self.dropped.update(modules)

    def placed(self) -> list[tuple[Rule, Place]]:
        """Return each rule with the line that defines it."""
        assert isinstance(self.rules, _Placed)
        return list(zip(self.rules, self.rules.places, strict=True))


class _Placed(list[Rule]):
    """Rules that record the user's line that added each of them."""

    def __init__(self) -> None:
        super().__init__()
        self.places: list[Place] = []

    def append(self, rule: Rule, /) -> None:
        self.places.append(_place())
        super().append(rule)

    def extend(self, rules: Iterable[Rule], /) -> None:
        for rule in rules:
            self.append(rule)

    def __iadd__(self, rules: Iterable[Rule], /) -> _Placed:  # type: ignore[override, misc]
        self.extend(rules)
        return self


def _place() -> Place:
    """Return the innermost line outside this package that called it."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__package__") == __package__:
        frame = frame.f_back
    return Place(frame.f_code.co_filename, frame.f_lineno)
