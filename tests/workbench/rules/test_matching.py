"""Which signatures of torch take the arguments of a use, as far as types tell."""

from __future__ import annotations

import pytest

from workbench.rules.match import matches
from workbench.source.analysis import analyse
from workbench.upstream.facts import Signature, load


def signatures(call: str) -> list[tuple[Signature, bool]]:
    """Return the signatures that a call may mean, each with whether that is certain."""
    source = f"import torch\nx, k = torch.ones(2), 3\ndef f(unknown):\n    {call}\n"
    use = next(use for use in analyse(source).uses if use.statement.lineno == 4 and use.call)
    entry = load().get(use.name)
    assert entry is not None
    return [(match.signature, match.certain) for match in matches(use, entry, "")]


@pytest.mark.parametrize(
    ("call", "first"),
    [
        ("x.max(0)", "dim"),
        ("x.max(x)", "other"),
        ("x.view(2)", "size"),
        ("x.view(torch.int32)", "dtype"),
        ("torch.zeros((2, 3))", "size"),
    ],
)
def test_types_choose_the_overload(call: str, first: str) -> None:
    found = [signature for signature, certain in signatures(call) if certain]
    assert found[0].parameters[0].name == first


def test_a_number_is_no_sequence_of_numbers() -> None:
    kinds = [signature.parameters[0].kind for signature, _ in signatures("torch.zeros(k)")]
    assert kinds == ["var_positional"]


def test_what_no_type_fits_is_left_to_the_names_and_the_number_of_arguments() -> None:
    found = signatures("torch.bmm(x, 2)")
    assert [certain for _, certain in found] == [False]


def test_an_unknown_type_leaves_every_overload_open() -> None:
    assert len(signatures("x.max(unknown)")) == 2


def test_a_call_of_too_many_arguments_fits_nothing() -> None:
    assert signatures("torch.relu(x, x, x)") == []
