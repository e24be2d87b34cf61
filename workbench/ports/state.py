"""The step that has begun and is not committed, recorded outside the working tree.

It is there while a step runs, so that a killed run is recognised, and while a person works on a
step that stopped.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from workbench import files
from workbench.errors import TorchferryError


@dataclass(slots=True)
class State:
    """A step that has begun.

    Attributes:
        path: its file.
        head: the commit before it.
        files: the files that it writes, each with the object of its content.
        reason: why it stopped; empty while it runs, and after it was killed.
    """

    path: str
    head: str
    files: dict[str, str] = field(default_factory=dict)
    reason: str = ""


def read(work: Path) -> State | None:
    """Return the step that has begun, or None."""
    place = work / "step.json"
    if not place.exists():
        return None
    try:
        return State(**json.loads(files.read(place)))
    except (ValueError, TypeError) as error:
        raise TorchferryError(
            f"{place}: it cannot be read ({error}); see git status, then delete this file"
        ) from error


def write(work: Path, state: State) -> None:
    """Record a step that has begun."""
    files.write(work / "step.json", json.dumps(asdict(state), indent=1).encode())


def clear(work: Path) -> None:
    """Record that no step has begun."""
    (work / "step.json").unlink(missing_ok=True)
