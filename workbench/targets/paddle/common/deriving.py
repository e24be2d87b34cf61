"""Classes that derive from tensors and parameters."""

from __future__ import annotations

import ast

from workbench.rules.match import Match
from workbench.source.uses import UseKind

_MADE_LATER = (
    "Paddle gives a tensor its values in `__init__`, torch in `__new__`: this class has to call"
    " `super().__init__` with the data, or Paddle raises an error or crashes where it is used"
)


def warns_of_values(match: Match) -> str | None:
    """Return a caveat for a class that creates or initialises its tensors itself."""
    use = match.use
    if use.kind is not UseKind.BASE or not isinstance(use.statement, ast.ClassDef):
        return None
    methods = {one.name for one in use.statement.body if isinstance(one, ast.FunctionDef)}
    return _MADE_LATER if methods & {"__new__", "__init__"} else None
