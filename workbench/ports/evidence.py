"""The evidence of a port for its reviewers: what was converted, verified, and what differs."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench import files
from workbench.codes import CODES
from workbench.errors import TorchferryError
from workbench.ports.messages import STEP, UNDONE, largest_difference
from workbench.ports.plan import Plan, Step
from workbench.ports.repository import Repository
from workbench.targets import load


@dataclass(frozen=True, slots=True)
class Evidence:
    """A certificate of a port.

    Attributes:
        step: the step that it belongs to.
        call: the model.
        place: the certificate's file.
        data: its content.
    """

    step: Step
    call: str
    place: str
    data: dict[str, Any]

    @property
    def difference(self) -> float | None:
        """The largest difference of its checks, or None if none was measured."""
        return largest_difference(self.data)


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference that remains: its code, what it means, and the places that it is at."""

    code: str
    message: str
    places: tuple[str, ...]


def certificates(folder: Path, plan: Plan) -> list[Evidence]:
    """Return the certificates of a port's steps, in order.

    Raises:
        TorchferryError: one of them cannot be read.
    """
    found = []
    for step in plan.chosen:
        for one in step.done.verified if step.done else ():
            if not one.certificate:
                continue
            place = folder / one.certificate
            try:
                data = json.loads(files.read(place))
                data["checks"], data["asked"]
            except (ValueError, KeyError, TypeError) as error:
                raise TorchferryError(f"{place}: not a certificate ({error})") from error
            found.append(Evidence(step, one.call, one.certificate, data))
    return found


def differences(plan: Plan) -> list[Difference]:
    """Return the differences that remain in ported files, each message once with its places."""
    places: dict[tuple[str, str], list[str]] = {}
    for step in plan.chosen:
        for one in step.done.findings if step.done else ():
            places.setdefault((one.code, one.message), []).append(f"{step.path}:{one.line}")
    return [Difference(code, text, tuple(at)) for (code, text), at in sorted(places.items())]


def meaning(code: str, plan: Plan) -> str:
    """Return what a code says, in the name of the plan's target."""
    return CODES[code].meaning_in(load(plan.target).title) if code in CODES else ""


def edited(repository: Repository, plan: Plan) -> dict[str, bool]:
    """Map the path of each step that is done to whether its file was edited since."""
    return {
        step.path: repository.current(step.path) != step.done.written
        for step in plan.chosen
        if step.done is not None
    }


def commits(repository: Repository) -> dict[str, str]:
    """Map the path of each step to its last commit, unless that was undone."""
    found: dict[str, str] = {}
    for commit, path, undone in repository.trailers(STEP, UNDONE):
        for name in (path, undone):
            if name and name not in found:
                found[name] = commit if name == path else ""
    return {path: commit for path, commit in found.items() if commit}
