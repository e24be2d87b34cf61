"""The evidence of a port for its reviewers: what was converted, verified, and what differs."""

from __future__ import annotations

import json
import re
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

# Counts of a file's uses, and what a message assumes; both differ where the difference is one.
_OF_FILE = re.compile(r" \(this use and \d+ more in this file\)| \(assuming that .*\)$")
_USE = re.compile(r"(?P<name>torch\.\S+?(?: becomes .+?)?)(?: is written the same in \w+)?: ")


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
    outcome: str

    @property
    def difference(self) -> float | None:
        """The largest difference of its checks, or None if none was measured."""
        return largest_difference(self.data)


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference that remains.

    Attributes:
        code: its code.
        text: what differs.
        names: the uses that differ so: `torch.sqrt becomes paddle.sqrt`.
        places: where they are.
    """

    code: str
    text: str
    names: tuple[str, ...]
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
            found.append(Evidence(step, one.call, one.certificate, data, one.outcome))
    return found


def differences(plan: Plan) -> list[Difference]:
    """Return the differences that remain in ported files, each once with its uses and places."""
    found: dict[tuple[str, str], tuple[list[str], list[str]]] = {}
    for step in plan.chosen:
        for one in step.done.findings if step.done else ():
            name, text = _parted(one.message)
            names, places = found.setdefault((one.code, text), ([], []))
            names += [name] if name and name not in names else []
            places.append(f"{step.path}:{one.line}")
    return [
        Difference(code, text, tuple(names), tuple(places))
        for (code, text), (names, places) in sorted(found.items())
    ]


def _parted(message: str) -> tuple[str, str]:
    """Return the use that a message is about, and what it says of it, without counts."""
    plain = _OF_FILE.sub("", message)
    named = _USE.match(plain)
    if named is None:
        return "", plain
    return named["name"], plain[named.end() :]


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
