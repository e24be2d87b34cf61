"""The server outlives a client that means no good; `make fuzz` sends many more messages."""

from __future__ import annotations

from tests.fuzz.protocol import main


def test_it_answers_after_a_thousand_hostile_messages() -> None:
    assert main(1_000, seed=5) == 0
