"""Which variables may be boolean masks, by their function or by its calls."""

from __future__ import annotations

import ast

import pytest

from workbench.source.traits.gathering import traits_of
from workbench.source.traits.program import Program

LOOK = "def look(x, size=1):\n    x = x.unsqueeze(0)\n    return F.pad(x[:, :1], (size, size))\n"
METHOD = "class A:\n    def look(self, x):\n        return x.gather(1, self.i)\n"
BY_NAME = "def look(*, x):\n    y = rearrange(x, 'a b -> b a')\n    return torch.cumsum(y, 0)\n"


def _program(*texts: str) -> Program:
    return Program(*(lambda text=text: traits_of(ast.parse(text)) for text in texts))


@pytest.mark.parametrize(
    ("body", "masked"),
    [
        ("m = x > 0\nlook(m)", True),
        ("look(~m, 2)", True),
        ("look(m.view(2, 3))\nx = x.masked_fill(~m, 0)", True),
        ("look(m)\nx = x.masked_fill(m, 0)", True),
        ("n = rearrange(m, 'i -> i ()')\nr = (n * n.T) & other\nlook(m)", True),
        ("r = other & pick(m, i)\nlook(m)", True),
        ("look(torch.ones(2, 3).bool())", True),
        ("look(torch.ones(2, dtype=torch.bool)[None])", True),
        ("look(x if small else x.isnan())", True),
        ("x, m = map(lambda t: look(t), (x, x > 0))", True),
        ("r = [look(t) for t in (x, x > 0)]", True),
        ("for t in (x, x > 0):\n    look(t)", True),
        ("look(x)", False),
        ("look(m)", False),
        ("look(x, size=x > 0)", False),
        ("m = x > 0\nlook(x * m)", False),
        ("look(flags & 1)", False),
        ("look(x is None)", False),
    ],
)
def test_a_call_shows_that_a_parameter_may_be_a_mask(body: str, masked: bool) -> None:
    inner = body.replace("\n", "\n    ")
    called = f"def forward(x, m, other, i):\n    {inner}\n"
    assert _program(LOOK, called).may_be_mask("look", "x") is masked
    assert _program(f"{LOOK}\n{called}").may_be_mask("look", "x") is masked


def test_a_method_a_keyword_and_a_copy_are_found() -> None:
    assert _program(METHOD, "a.look(x > 0)").may_be_mask("look", "x")
    assert _program(BY_NAME, "look(x=x > 0)").may_be_mask("look", "y")
    assert not _program(BY_NAME, "find(x=x > 0)").may_be_mask("look", "y")


def test_a_function_shows_that_its_own_variable_is_a_mask() -> None:
    text = "def forward(x, m):\n    m = F.pad(m, (1, 0))\n    return x.masked_fill(~m, 0)\n"
    assert _program(text).may_be_mask("forward", "m")
    assert not _program(text).may_be_mask("forward", "x")


def test_a_name_that_gets_other_values_later_is_no_mask() -> None:
    text = "def forward(x):\n    m = x > 0\n    m = load(m.nonzero())\n    return m.unique()\n"
    assert not _program(text).may_be_mask("forward", "m")
