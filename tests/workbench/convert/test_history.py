"""Reasons of decisions."""

from __future__ import annotations

import pytest

from workbench.convert.history import decisions
from workbench.source.analysis import analyse
from workbench.targets import PLAIN, load


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("getattr(torch, kind)(x)", "are decided without a rule"),
        ("torch.no_such_name(x)", "no rule decides it"),
    ],
)
def test_a_use_without_a_rule_says_what_decided(line: str, reason: str) -> None:
    target = load("paddle")
    analysis = analyse(f"import torch\n{line}\n", facts=target.facts)
    [text] = decisions(analysis, target, 2)
    assert reason in text


def explained(line: str, before: str = "") -> str:
    target = load("paddle", PLAIN)
    text = f"import torch\nimport torch.nn as nn\n{line}\n{before}\n"
    return "\n".join(decisions(analyse(text, facts=target.facts), target, 3))


@pytest.mark.parametrize(
    ("line", "rest", "reason"),
    [
        (
            "lstm = nn.LSTM(3, 4, batch_first=True)",
            "nn.utils.rnn.pack_padded_sequence(x, n)",
            "`pack_padded_sequence` or `pack_sequence` is called; if not, it would be",
        ),
        (
            "act = nn.LeakyReLU(0.2, inplace=True)",
            "act(x)\nact(x)",
            "the argument `inplace` is given; without it, it would be `paddle.nn.LeakyReLU",
        ),
        (
            "norm = nn.LayerNorm(3)",
            "for p in norm.parameters(): p.requires_grad = False",
            "`requires_grad` is turned off for parameters; if not, it would be",
        ),
    ],
)
def test_a_helper_names_the_fact_that_would_make_it_plain(
    line: str, rest: str, reason: str
) -> None:
    assert reason in explained(line, rest)


def test_a_rule_without_a_helper_needs_no_reason() -> None:
    assert "does not fit" not in explained("def f(net): return net(torch.zeros(3)).expand(2, 3)")


def test_a_form_that_relies_on_the_code_around_it_says_what_it_does() -> None:
    text = explained("sign, size = torch.linalg.slogdet(torch.eye(3))", "sign.backward()")
    assert "it depends on the code around it" in text
