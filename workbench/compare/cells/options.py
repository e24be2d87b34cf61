"""Options of running one cell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from workbench.compare.judging.tolerance import Tolerance


@dataclass(frozen=True, slots=True)
class Options:
    """Options of running one cell.

    Attributes:
        device: torch's device.
        target_device: the target's device, in torch's words; the same by default.
        tolerance: the limits of differences.
        seed: seeds both sides if given.
        first_line: the number of the first source line for the user.
        repeats: the number of timed runs.
        executed: the source that torch's side runs if it differs: the same lines with magics as
            calls of the shell.
        progress: called with the numbers of finished steps and of all steps.
        entering: called with the side and the line that is about to run.
    """

    device: str = "cpu"
    target_device: str | None = None
    tolerance: Tolerance = field(default_factory=Tolerance)
    seed: int | None = None
    first_line: int = 1
    repeats: int = 1
    executed: str | None = None
    progress: Callable[[int, int], None] = lambda done, steps: None
    entering: Callable[[str, int], None] = lambda side, line: None
