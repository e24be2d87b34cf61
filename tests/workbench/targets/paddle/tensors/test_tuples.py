"""Lists of Paddle where torch returns tuples."""

from __future__ import annotations

from textwrap import dedent

import pytest

from tests.workbench.targets.paddle.both_sides import assert_prints_the_same
from workbench.convert.conversion import convert
from workbench.targets import PLAIN, load

TARGET = load("paddle", PLAIN)
TEST = "import torch\n\n\ndef check(v):\n    return isinstance(v, tuple)\n\n\n"


def _last_line(source: str) -> str:
    return convert(source, target=TARGET).code.splitlines()[-1].strip()


@pytest.mark.parametrize(
    ("line", "written"),
    [
        ("parts = x.chunk(2)", "parts = tuple(x.chunk(2))"),
        ("parts = torch.chunk(x, 2)", "parts = tuple(paddle.chunk(x, 2))"),
        ("check(x.unbind(dim=1))", "check(tuple(x.unbind(axis=1)))"),
        ("state = {'parts': x.unbind()}", "state = {'parts': tuple(x.unbind())}"),
        ("g = torch.autograd.grad(y, [x])", "g = tuple(paddle.grad(y, [x]))"),
        ("g = torch.autograd.grad(y, [x])[0]", "g = paddle.grad(y, [x])[0]"),
        ("a, b = x.chunk(2)", "a, b = x.chunk(2)"),
        ("r = [part.sum() for part in x.chunk(2)]", "r = [part.sum() for part in x.chunk(2)]"),
        ("check(*x.unbind())", "check(*x.unbind())"),
        ("parts = list(x.chunk(2))", "parts = list(x.chunk(2))"),
        ("parts = x.split(2)", "parts = paddle.compat.split(x, 2)"),
    ],
)
def test_a_list_that_is_kept_becomes_a_tuple_where_the_program_tests_for_one(
    line: str, written: str
) -> None:
    made = "x = torch.ones(4, 2, requires_grad=True)\ny = x.sum()\n"
    assert _last_line(f"{TEST}{made}{line}\n") == written


@pytest.mark.parametrize("test", ["isinstance(v, (list, tuple))", "isinstance(v, dict)", "v"])
def test_a_list_stays_where_nothing_tells_it_from_a_tuple(test: str) -> None:
    source = f"import torch\nx = torch.ones(4, 2)\nv = {{}}\nprint({test})\nparts = x.chunk(2)\n"
    assert _last_line(source) == "parts = x.chunk(2)"


def test_parts_are_joined_with_a_tuple() -> None:
    assert_prints_the_same(
        dedent("""
        import torch

        x = torch.arange(6.0)
        parts = x.chunk(3)
        print([part.tolist() for part in parts + (x,)])
        hidden = (x,) + torch.unbind(x.view(2, 3))
        print(len(hidden), type(hidden).__name__)
    """)
    )
