"""User-defined functions with their own gradients: Paddle's `PyLayer`, for one tensor.

For several tensors, Paddle expects gradients only for those that require them, which depends on the
call and not on the class.
"""

from __future__ import annotations

import ast
import re

from workbench.rules.forms import FormSet
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.source.traits.own_functions import own_function
from workbench.source.uses import UseKind

forms = FormSet()


@forms.form("torch.autograd.Function", whole=True)
def function(match: Match) -> Outcome | None:
    """Write the base of a class."""
    use = match.use
    own = own_function(use.statement) if use.kind is UseKind.BASE else None
    if own is None or match.program.differentiates_twice:
        return None
    saved = tuple((one, _taken(one), None, "") for one in own.saved)
    returned = tuple((one, "return ", gradient, "") for one, gradient in own.returned)
    # A result that lies where its input does counts as changed in place: an error for a leaf.
    passed = tuple((one, "return ", owner, ".clone()") for one, owner in own.passed)
    return Rewrite("paddle.autograd.PyLayer", callee_only=True, also=saved + returned + passed)


def _taken(statement: ast.Assign) -> str:
    """Return the targets of `a, b = ctx.saved_tensor()`."""
    text = ast.unparse(statement)
    return re.sub(r"\.saved_(?:tensors|variables)\b", ".saved_tensor()", text)
