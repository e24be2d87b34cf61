"""Which results of calls change in place later, by any name."""

from __future__ import annotations

import ast

import pytest

from workbench.source.traits.gathering import traits_of
from workbench.source.traits.program import Program
from workbench.source.traits.sharing import holders_of

GROW = "def grow(part, by=1):\n    part.add_(by)\n"
LAYER = "class Shift(Module):\n    def forward(self, q, k):\n        k += 1\n        return q\n"


def _may_change(body: str) -> bool:
    """Return whether the result of the first `x.split(...)` of a function may change in place."""
    inner = body.replace("\n", "\n    ")
    text = f"{GROW}{LAYER}def run(x, y):\n    {inner}\n"
    tree = ast.parse(text)
    run = tree.body[-1]
    assert isinstance(run, ast.FunctionDef)
    statement, node = next(
        (statement, node)
        for statement in run.body
        for node in ast.walk(statement)
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "split"
    )
    return Program(lambda: traits_of(tree)).may_change_in_place(holders_of(node, statement, "run"))


@pytest.mark.parametrize(
    "body",
    [
        "pairs = zip(x.split(2), y)\nfor a, b in pairs:\n    a.add_(b)",
        "for i, (a, (b, c)) in enumerate(zip(y, zip(x.split(1), y))):\n    b[0] = 7",
        "first, *rest = x.split(1)\nrest[0].zero_()",
        "[grow(p) for p in x.split(2)]",
        "grow(by=2, part=x.split(2)[1])",
        "list(map(lambda t: t.add_(1), x.split(2)))",
        "kept = []\nfor p in x.split(2):\n    kept.append(p)\nkept[0].neg_()",
        "d = {'a': x.split(2)[0]}\nd['a'] *= 2",
        "if (c := x.split(3)[0]) is not None:\n    c.mul_(2)",
        "a, b = rearrange(x, 'i j -> j i').split(2)\nc = a.view(-1)\nc.copy_(y)",
        "shift = Shift()\nshift(y, x.split(2)[0])",
        "a = x.split(2)[0]\ntorch.add(y, 1, out=a)",
        "a, b = x.split(2)\nF.relu(a, inplace=True)",
    ],
)
def test_a_result_changes_in_place_by_another_name(body: str) -> None:
    assert _may_change(body)


@pytest.mark.parametrize(
    "body",
    [
        "a, b = x.split(2)\nreturn a * b",
        "for a, b in zip(x.split(2), y):\n    b.add_(a)",
        "a, b = x.split(2)\na = a + 1\nc = a * b\nc.mul_(2)",
        "kept = [p.sum() for p in x.split(2)]\nkept[0].neg_()",
        "shift = Shift()\nshift(x.split(2)[0], y)",
        "a, b = x.split(2)\na.requires_grad_()",
    ],
)
def test_other_results_keep_their_values(body: str) -> None:
    assert not _may_change(body)


def test_a_result_is_followed_through_files() -> None:
    halves = ast.parse("def halves(x):\n    return x.chunk(2)\n")
    used = "from a import halves\nfor h in halves(y):\n    h.sub_(3)\n"
    [function] = halves.body
    assert isinstance(function, ast.FunctionDef)
    [given] = function.body
    assert isinstance(given, ast.Return)
    assert isinstance(given.value, ast.Call)
    program = Program(lambda: traits_of(halves), lambda: traits_of(ast.parse(used)))
    holders = holders_of(given.value, given, "halves")
    assert program.may_change_in_place(holders)
    assert not Program(lambda: traits_of(halves)).may_change_in_place(holders)
