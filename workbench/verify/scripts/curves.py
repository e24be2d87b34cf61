"""Comparison of two recorded loss curves: the step of divergence, and whether rounding explains it.

Rounding grows by a small factor from step to step. A bug changes its own step at once.
"""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

from workbench import files
from workbench.compare.result import Curve
from workbench.errors import TorchferryError
from workbench.verify.result import Check, Outcome, Verification

KINDS = (".csv", ".json")
# Relative to the loss. Printed numbers have few digits: half of the last digit is no difference.
_ROUNDING = 1e-6
# Rounding does not grow by this factor from one step to the next.
_JUMP = 10.0
# Keeps numbers as text, since their last digit matters.
_AS_WRITTEN: dict[str, Any] = {"parse_float": str, "parse_int": str}


def verify_curves(original: Path, port: Path) -> Verification:
    """Compare two loss curves.

    Raises:
        TorchferryError: a file contains no losses.
    """
    ours, theirs = (_read(file) for file in (original, port))
    count = min(len(ours), len(theirs))
    first, second = tuple(v for v, _ in ours[:count]), tuple(v for v, _ in theirs[:count])
    check = Check(f"losses of {count} steps", curves=[Curve("loss", first, second)])
    gaps = [abs(a - b) for a, b in zip(first, second, strict=True)]
    slack = [
        max(_ROUNDING * abs(a), half, other)
        for (a, half), (_, other) in zip(ours[:count], theirs[:count], strict=True)
    ]
    apart = [i for i in range(count) if not gaps[i] <= slack[i]]
    if not apart:
        check.summary = "they agree in all digits of the files"
        return Verification([check])
    jumps = [i for i in apart if not gaps[i] <= _JUMP * max([slack[i], *gaps[:i]])]
    step = next(iter(jumps), apart[0])
    check.curves = [replace(check.curves[0], parts=step + 1)]
    check.outcome = Outcome.DIFFERS
    if apart[0] == 0:
        summary = (
            f"they diverge in the first step, by {gaps[0]:.3g}: the weights, the data, the model or"
            " the loss differ"
        )
    elif jumps:
        summary = (
            f"they agree up to step {step}, and diverge abruptly in step {step + 1}, by"
            f" {gaps[step]:.3g}: check what step {step} does to the weights, and what step"
            f" {step + 1}"
            " does"
        )
    else:
        check.outcome = Outcome.SKIPPED
        summary = (
            f"they diverge slowly from step {step + 1}, by at most {max(gaps):.3g}, as trainings do"
            " that differ in rounding; a small difference of settings has the same effect"
        )
    check.summary = f"{summary}. Next step: torchferry verify train.py port.py --steps {step + 2}"
    return Verification([check])


def _read(file: Path) -> list[tuple[float, float]]:
    """Return the losses, each with half a unit of its last written digit.

    Raises:
        TorchferryError: the file contains no losses.
    """
    text = files.read(file).decode(errors="replace")
    try:
        is_json = file.suffix == ".json"
        words = _of_json(json.loads(text, **_AS_WRITTEN)) if is_json else _of_csv(text)
        losses = [(float(word), _half_of_last_digit(word)) for word in words]
    except ValueError:
        losses = []
    if not losses:
        raise TorchferryError(
            f"{file}: no losses; give a list of numbers as JSON, or a CSV with a column `loss`"
        )
    return losses


def _of_json(held: Any) -> list[str]:
    if isinstance(held, dict):
        held = held.get("loss", held.get("losses", []))
    rows = held if isinstance(held, list) else []
    return [str(row.get("loss", "")) if isinstance(row, dict) else str(row) for row in rows]


def _of_csv(text: str) -> list[str]:
    rows = [row for row in csv.reader(StringIO(text)) if row]
    head = [word.strip().lower() for word in rows[0]] if rows else []
    if "loss" in head:
        return [row[head.index("loss")].strip() for row in rows[1:]]
    return [row[-1].strip() for row in rows]


def _half_of_last_digit(word: str) -> float:
    digits, _, power = word.lower().partition("e")
    places = len(digits.partition(".")[2])
    return 0.5 * 10.0 ** (int(power or 0) - places)
