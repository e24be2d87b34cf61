"""The rules whose cases `make test` runs: all that changed since they were proved, and a share.

`make prove` runs the cases of every rule and records the outcome. The share is another one for
each commit, so that it goes through all rules in turn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from zlib import crc32

from tests import seed
from workbench.targets import EXACT, PLAIN

if TYPE_CHECKING:
    import pytest

FILE: Final = "tests/workbench/targets/paddle/test_rules.py"
SHARE: Final = 50  # one rule in so many
_WORKER_INPUT = "rules_to_prove"


def select_rules() -> dict[str, list[str]]:
    """Return the names of the rules to prove in each style."""
    from workbench.proof.recording import record
    from workbench.proof.recording.digest import changed_rules
    from workbench.targets import load

    target = load("paddle", EXACT)
    known = record.read(target.name)
    holds = {name for name, entry in known.rules.items() if entry.holds}
    names = [rule.name for rule in target.rules if rule.cases]
    return {
        style: [
            name for name in names if name in changed or name not in holds or _drawn(style, name)
        ]
        for style in (EXACT, PLAIN)
        for changed in [changed_rules(target, known, style)]
    }


def send_to_worker(config: pytest.Config, worker_input: dict[str, object]) -> None:
    """Select the rules once for all workers of a run that includes their tests."""
    if any(FILE.startswith(path.partition("::")[0].rstrip("/")) for path in config.args):
        if not hasattr(config, _WORKER_INPUT):
            setattr(config, _WORKER_INPUT, select_rules())
        worker_input[_WORKER_INPUT] = getattr(config, _WORKER_INPUT)


def selected(config: pytest.Config) -> dict[str, list[str]]:
    """Return the selection that this worker was sent; without workers, make it."""
    sent = getattr(config, "workerinput", {})
    return sent[_WORKER_INPUT] if _WORKER_INPUT in sent else select_rules()


def _drawn(style: str, name: str) -> bool:
    return crc32(f"{seed.current()} {style} {name}".encode()) % SHARE == 0
