"""Findings while a text is typed equal those of the text read from scratch."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest

from workbench.convert.checking import Kept, check_analysis
from workbench.findings import Finding
from workbench.source.analysis import Analysis, analyse
from workbench.targets import load

FILES = [
    "torch/nn/modules/transformer.py",
    "torch/nn/modules/batchnorm.py",
    "torch/nn/utils/parametrizations.py",
    "torch/distributions/multivariate_normal.py",
    "torch/optim/adam.py",
    "torch/utils/data/dataloader.py",
]
TYPED = [
    "x = torch.relu(x)",
    "self.weight = torch.zeros(3)",
    "return x.view(1, -1)",
    "y = self.conv(x).sum(dim=1)",
    "for a in b: a.grad = None",
    "h = lambda t: t.max(1)[1]",
    "global x",
    "x += 1",
    "def f(x): return x.t()",
    "import torch.nn as n",
    "print(x.weight.data)",
    "# is this x.view(2)?",
]


def keystrokes(text: str, rolls: random.Random) -> Iterator[str]:
    """Yield the text after each of some keystrokes: lines typed and taken away, words changed."""
    lines = text.split("\n")
    at = rolls.randrange(len(lines))
    line = lines[at]
    indent = line[: len(line) - len(line.lstrip())]
    match rolls.randrange(4):
        case 0:  # a line in front
            lines.insert(at, "")
            yield "\n".join(lines)
            lines[at] = indent
            line, typed = indent, rolls.choice(TYPED)
        case 1:  # a line in the place of another
            line, typed = indent, rolls.choice(TYPED)
        case 2:  # something behind a line
            typed = rolls.choice([".float()", " + 1", "  # note", ", None)", "; x = 1"])
        case _:  # a word for another
            words = line.split(" ")
            words[rolls.randrange(len(words))] = rolls.choice(["x", "torch.abs(x)", "self", "1"])
            line, typed = " ".join(words), ""
    for end in range(len(typed) + 1):
        lines[at] = line + typed[:end]
        if end % 3 == 0 or end == len(typed):
            yield "\n".join(lines)
    if rolls.random() < 0.5:
        yield text


def shown_of(findings: list[Finding]) -> list[object]:
    """Return all that a user sees of findings, with the fixes of a few."""
    fixes = [(one.fix.title, one.fix.edits) for one in findings[::7] if one.fix is not None]
    return [*findings, *fixes]


def facts_of(analysis: Analysis) -> list[object]:
    """Return the facts of an analysis, by location."""
    return [
        [(one.name, one.kind, analysis.span(one.node), one.certainty) for one in analysis.uses],
        [(one.owner, analysis.span(one.node)) for one in analysis.unknown],
        [(one.bound, one.name, analysis.span(one.alias)) for one in analysis.imports],
        analysis.program.traits,
    ]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("file", FILES)
def test_findings_while_typing_are_those_of_the_text(file: str, seed: int) -> None:
    package, _, path = file.partition("/")
    spec = find_spec(package)
    assert spec is not None and spec.origin is not None
    text = (Path(spec.origin).parent / path).read_text()
    target, rolls, kept = load("paddle"), random.Random(f"{file} {seed}"), Kept()
    before = analyse(text, facts=target.facts)
    fresh = analyse(text, facts=target.facts)
    check_analysis(before, target=target, kept=kept)
    for typed in keystrokes(text, rolls):
        fresh = analyse(typed, replace(fresh, walked=None), facts=target.facts)
        now = analyse(typed, before, facts=target.facts)
        assert facts_of(now) == facts_of(fresh)
        findings = check_analysis(now, target=target, kept=kept)
        assert shown_of(findings) == shown_of(check_analysis(fresh, target=target))
        before = now


def test_a_plan_is_decided_again_if_the_program_changed() -> None:
    target, kept = load("paddle"), Kept()
    text = "import torch\n\n\ndef f(x):\n    return torch.nn.Linear(2, 3)\n\n\n{}\n"
    before = None
    for line in ("", "print(f(1).weight.shape)", "", "f(1).weight = None"):
        before = analyse(text.format(line), before, facts=target.facts)
        findings = check_analysis(before, target=target, kept=kept)
        assert shown_of(findings) == shown_of(check_analysis(before, target=target))


def test_a_comment_that_is_typed_has_nothing_read_again() -> None:
    text = """\
import torch

class Net(torch.nn.Module):
    def forward(self, x):
        y = x.view(2)  # {}
        return y.sum(dim=1)

def f(x):
    return torch.relu(x)  # {}
# {}
"""
    before = analyse(text.format("", "", ""))
    for typed in (("a", "", ""), ("a", "b", ""), ("a", "b", "it's")):
        now = analyse(text.format(*typed), before)
        assert [one.name for one in now.uses] == [one.name for one in before.uses] != []
        assert all(one is other for one, other in zip(now.uses, before.uses, strict=True))
        before = now


def test_the_rest_of_a_line_that_cannot_be_read_stays_hidden() -> None:
    text = "import torch\n\n\ndef f(x):\n    y = x.abs()\n    return y.view(2)\n"
    before = fresh = analyse(text)
    for typed in ("    y = x.abs( = 1 +", "    y = x.abs()"):
        lines = text.split("\n")
        lines[4] = typed
        now = analyse("\n".join(lines), before)
        fresh = analyse("\n".join(lines), replace(fresh, walked=None))
        assert facts_of(now) == facts_of(fresh)
        before = now
