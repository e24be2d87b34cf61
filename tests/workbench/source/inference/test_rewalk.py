"""While one place is typed in, the rest is not walked again, and yet never out of date."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from workbench.source.analysis import Analysis, analyse

TEXT = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)
        self.scale = torch.ones(1)

    def forward(self, x):
        h = self.linear(x)
        {method}
        return h.view(-1) * self.scale.long()

    def extra(self, x):
        return helper(x).view(2) + self.noted.sum(dim=1)


def helper(x):
    {function}
    return x.squeeze(0)


def other(y: torch.Tensor):
    return helper(y).max(1)[1], limit.float()


limit = torch.tensor(3)
net = Net(3)
print(net(torch.ones(3)).item(), helper(limit).item())


def last():
    return limit.float()


{module}
"""
PLACES = ("method", "function", "module")


def typed(place: str, line: str) -> Iterator[str]:
    """Yield the text after each key of a line that is typed."""
    for end in range(len(line) + 1):
        yield TEXT.format(**{one: line[:end] if one == place else "pass" for one in PLACES})


def facts(analysis: Analysis) -> list[object]:
    """Return all that is known of uses, by places."""
    return [
        (
            one.name,
            one.kind,
            analysis.span(one.node),
            one.statement.lineno,
            one.certainty,
            [(str(type(value)), getattr(value, "dtype", None)) for value in one.values],
            getattr(one.receiver_value, "dtype", None),
        )
        for one in analysis.uses
    ]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    "line",
    [
        "y = torch.relu(x.float())",
        "return x.long()",
        "self.noted = torch.zeros(2, dtype=torch.int64)",
        "setattr(self, 'noted', torch.zeros(2, dtype=torch.int64))",
        "for one in ('noted', 'seen'): setattr(self, one, x.int())",
        "global limit; limit = x",
        "limit = torch.tensor(2.5)",
        "helper = torch.abs",
        "helper(torch.zeros(2, dtype=torch.int8))",
        "x = self.noted",
        "z = lambda t: t.view(2)",
        "def extra(x): return x.view(3)",
        "import torch.nn.functional as F",
        "limit += torch.ones(3)",
        "torch.set_default_dtype(torch.float64)",
        "del limit",
        "yield x.view(2)",
    ],
)
def test_facts_while_a_line_is_typed_equal_those_of_the_text(place: str, line: str) -> None:
    before = fresh = analyse(TEXT.format(**dict.fromkeys(PLACES, "pass")))
    for text in typed(place, line):
        before, fresh = analyse(text, before), analyse(text, replace(fresh, walked=None))
        assert facts(before) == facts(fresh), text


@pytest.mark.parametrize("place", PLACES)
def test_the_rest_is_not_walked_again(place: str) -> None:
    before = analyse(TEXT.format(**dict.fromkeys(PLACES, "pass")))
    first, *texts = typed(place, "y = torch.relu(x.float())")
    before = analyse(texts[0], analyse(first, before))
    rest = {id(one) for one in before.uses}
    for text in texts[1:]:
        now = analyse(text, before)
        kept = [one for one in now.uses if id(one) in rest]
        assert len(kept) >= len(rest) - 6, text  # the method's or the class's own
        before = now


def test_a_definition_is_the_new_one_in_all_that_is_found() -> None:
    before = analyse(TEXT.format(**dict.fromkeys(PLACES, "pass")))
    for text in typed("method", "y = torch.relu(x)"):
        before = analyse(text, before)
    definition = before.tree.body[2]
    (base,) = (one for one in before.uses if one.kind == "base")
    assert base.statement is definition


def test_a_place_is_left_and_come_back_to() -> None:
    before = fresh = analyse(TEXT.format(**dict.fromkeys(PLACES, "pass")))
    for place in (*PLACES, *PLACES):
        for text in typed(place, "limit = x.int()"):
            before, fresh = analyse(text, before), analyse(text, replace(fresh, walked=None))
            assert facts(before) == facts(fresh)


KEEPING = """\
import torch


class Counts:
    def __init__(self):
        self.keep("count", torch.zeros(3, dtype=torch.int64))

    def keep(self, name, value):
        {keep}

    def read(self):
        return self.count.view(3)
"""


def test_what_a_method_sets_by_name_follows_the_method() -> None:
    line = "setattr(self, name, value.clone())"
    before = fresh = analyse(KEEPING.format(keep="pass"))
    for end in [*range(len(line) + 1), *reversed(range(len(line)))]:
        text = KEEPING.format(keep=line[:end] or "pass")
        before, fresh = analyse(text, before), analyse(text, replace(fresh, walked=None))
        assert facts(before) == facts(fresh), text
        read = [one.receiver_value for one in before.uses if one.name == "torch.Tensor.view"]
        if end in (0, len(line)):
            assert [getattr(one, "dtype", None) for one in read] == ["int64"] * (end > 0)


ADDING = """\
import torch


def added(q):
    return q + x


class Net(torch.nn.Module):
    def forward(self, q):
        return q * w + added(q)


"""


@pytest.mark.parametrize(
    "bodies",
    [
        # The place calls a function whose later walk knows more.
        (
            "y = torch.arange(3)\nfor z in y: pass\n",
            "y = torch.arange(3)\nfor z in y: pass\nls = added(z)\n",
            "y = torch.arange(3)\nfor z in y: pass\nprint(net)\nls = added(z)\n",
        ),
        # A function that the place calls reads a variable between two of its values.
        (
            "net = net.clone()\nd = added(net)\nnet, x = w.max(1)\n",
            "net = net.clone()\ny = ls.max(1)\nd = added(net)\nnet, x = w.max(1)\n",
            "net = net.clone()\nx = z + net\nd = added(net)\nnet, x = w.max(1)\n",
        ),
        # The place modifies in place what it names.
        (
            "x = torch.ones(3)\nx += 1\n",
            "x = torch.ones(3)\ny = x\nx += 1\n",
            "x = torch.ones(3)\ny = x.clone()\nx += 1\n",
            "x = torch.ones(3)\ny = x.clone()\nx += y\nx[0] = 1\n",
        ),
    ],
)
def test_operators_and_makers_are_those_of_the_text(bodies: tuple[str, ...]) -> None:
    before: Analysis | None = None
    for body in bodies:
        before, fresh = analyse(ADDING + body, before), analyse(ADDING + body)
        assert facts(before) == facts(fresh), body
        assert [one.makers for one in before.uses] == [one.makers for one in fresh.uses]
        operators = [[one.node.lineno for one in each.operators] for each in (before, fresh)]
        assert operators[0] == operators[1]


def test_a_place_that_modifies_its_own_variables_is_walked_alone() -> None:
    text = TEXT.format(method="pass", function="pass", module="d = dict()\nd['a'] = 1\n")
    before = analyse(text + "x = torch")
    before = analyse(text + "x = torch.r", before)  # stores the states around the place
    after = analyse(text + "x = torch.relu(net)", before)
    assert after.uses[0] is before.uses[0]
