"""The server outlives a client that means no good; `make fuzz` sends many more messages."""

from __future__ import annotations

from tests.fuzz.protocol import main


def test_it_answers_after_hundreds_of_hostile_messages(seed: int) -> None:
    assert main(300, seed=seed) == 0
