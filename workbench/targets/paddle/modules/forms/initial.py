"""`torch.nn.init` as Paddle writes it."""

from __future__ import annotations

import ast

from workbench.rules.forms import FormSet
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.targets.paddle.common.writing import written
from workbench.targets.paddle.layers.forms.linear import linear_class
from workbench.words import words

forms = FormSet()


def _set_whole(match: Match) -> bool:
    """Return whether a statement sets a whole tensor, unlike a view, and ignores the result."""
    statement = match.use.statement
    if not isinstance(statement, ast.Expr) or statement.value is not match.use.node:
        return False
    if "tensor" not in match or match.given("generator"):
        return False
    return isinstance(match.arguments["tensor"].node, ast.Name | ast.Attribute)


def _initial(name: str, *, by_fan: bool = False) -> None:
    native = f"paddle.nn.init.{name}"

    @forms.form(f"torch.nn.init.{name}", value=None)
    def initial(match: Match) -> Outcome | None:
        if not _set_whole(match) or (by_fan and not _counts_alike(match)):
            return None
        node = match.arguments["tensor"].node
        texts = {}
        if isinstance(node, ast.Attribute) and node.attr == "data":  # Paddle no longer writes to it
            texts = {"tensor": ast.unparse(node.value)}
        text = written(match, native, without=("generator",))
        return Rewrite(text, texts=texts, consumed=frozenset({"generator"}))


def _counts_alike(match: Match) -> bool:
    """Return whether Paddle computes the fan-in as torch does.

    For a matrix Paddle takes them from the other axis, as its linear layers store their weights.
    """
    program, node = match.program, match.arguments["tensor"].node
    if isinstance(node, ast.Attribute) and node.attr == "data":
        node = node.value
    if program.calls("Linear") and linear_class(program) != "paddle.nn.Linear":
        return False
    if isinstance(node, ast.Name):
        return not program.calls("Embedding", "Parameter")
    assert isinstance(node, ast.Attribute)
    if isinstance(node.value, ast.Attribute):
        return "Embedding" not in program.makers(node.value.attr)
    if not isinstance(node.value, ast.Name) or node.value.id == "self":
        return False
    traits = program.traits
    if traits.set_of_class or any(
        (one.cls or one.owner)[0].isupper() for one in traits.initialised
    ):
        # Layers are distinguished.
        return all(one.cls != "Embedding" for one in traits.set_of_class)
    return not program.calls("Embedding")


for _name in words(
    "constant_ zeros_ ones_ normal_ trunc_normal_ uniform_ xavier_uniform_ xavier_normal_ "
    "orthogonal_ eye_ dirac_"
):
    _initial(_name)
_initial("kaiming_uniform_", by_fan=True)
_initial("kaiming_normal_", by_fan=True)
forms.row(
    "torch.nn.init.calculate_gain",
    to=(
        "paddle.nn.init.calculate_gain({nonlinearity}, {param})",
        "paddle.nn.init.calculate_gain({nonlinearity})",
    ),
)
