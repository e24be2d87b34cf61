"""The plan of a port: what was found in the project, and the steps with what a person decided."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any

from workbench.errors import TorchferryError

# The names of the plan's two files in the project's folder.
PLAN = "torchferry-plan.md"
FACTS = "torchferry-plan.json"
# Where certificates are written, in the project's folder.
CERTIFICATES = "torchferry-certificates"

MODULE, NOTEBOOK, DEPENDENCIES = "module", "notebook", "dependencies"


@dataclass(frozen=True, slots=True)
class Trial:
    """A model of a module, built and run on both sides to verify the module.

    Attributes:
        call: its construction, with names of its module.
        inputs: its inputs, as `torchferry verify` takes them; empty if none are known.
        place: where the project builds and runs it so; empty for a person's own words.
    """

    call: str
    inputs: tuple[str, ...] = ()
    place: str = ""

    def is_same(self, other: Trial) -> bool:
        """Return whether both build and run a model alike, wherever they were found."""
        return (self.call, self.inputs) == (other.call, other.inputs)


@dataclass(frozen=True, slots=True)
class Verified:
    """The result of one trial.

    Attributes:
        call: the model.
        outcome: "certified", "differs" or "not run".
        summary: the verdict in words.
        certificate: its file in the project's folder; empty if none was written.
    """

    call: str
    outcome: str
    summary: str
    certificate: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """A finding in a file that was ported: its code, its line before the port, and its message."""

    code: str
    line: int
    message: str


@dataclass(frozen=True, slots=True)
class Done:
    """A step that was carried out.

    Attributes:
        original: the object of git with the file's content before.
        written: the object of git with its content after.
        helpers: the helpers that it imports.
        helper_module: the module that it imports them from; empty for none.
        remaining: the uses of torch that stay in it.
        verified: the result of each trial.
        imported: whether the module was imported in the target.
        remark: why it was not.
        findings: the differences and the uses that remain in it.
        is_code: whether it can run; a list of dependencies cannot.
    """

    original: str
    written: str
    helpers: tuple[str, ...] = ()
    helper_module: str = ""
    remaining: int = 0
    verified: tuple[Verified, ...] = ()
    imported: bool = False
    remark: str = ""
    findings: tuple[Found, ...] = ()
    is_code: bool = True

    @property
    def summary(self) -> str:
        """The result in a few words."""
        if not self.is_code:
            return "changed"
        certified = sum(one.outcome == "certified" for one in self.verified)
        parts = [f"{certified} of {len(self.verified)} verified"] if self.verified else []
        if not certified:
            parts.append("imported" if self.imported else "not run")
        if self.remaining:
            parts.append(f"{amount(self.remaining, 'use')} of torch left")
        return ", ".join(parts)


@dataclass(slots=True)
class Step:
    """One file to port.

    Attributes:
        path: its path in the folder.
        kind: MODULE, NOTEBOOK or DEPENDENCIES.
        lines: its number of lines.
        uses: its uses of torch.
        converted: how many of them convert.
        codes: the findings to read, counted by code.
        stays: the uses that do not convert, each with its line and the reason.
        imports: the other files of the plan that it imports directly.
        trials: what verifies it.
        dropped: models found in the project that a person has deleted or rewritten in the plan.
        needs: its models whose arguments or inputs are not known.
        pinned: its position is a person's, and stays when the plan is made again.
        accepted: why it is ported in spite of uses that stay or results that differ.
        left_out: it stays in torch.
        notes: a person's lines.
        done: its result, once it is carried out.
    """

    path: str
    kind: str = MODULE
    lines: int = 0
    uses: int = 0
    converted: int = 0
    codes: dict[str, int] = field(default_factory=dict)
    stays: list[str] = field(default_factory=list)
    imports: list[str] = field(default_factory=list)
    trials: list[Trial] = field(default_factory=list)
    dropped: list[Trial] = field(default_factory=list)
    needs: list[str] = field(default_factory=list)
    pinned: bool = False
    accepted: str = ""
    left_out: bool = False
    notes: list[str] = field(default_factory=list)
    done: Done | None = None

    @property
    def effort(self) -> str:
        """The work that is left for a person, in words."""
        if self.stays:
            return f"{amount(len(self.stays), 'use')} for a person"
        read = sum(self.codes.values())
        return f"{amount(read, 'finding')} to read" if read else "nothing to read"


@dataclass(frozen=True, slots=True)
class Package:
    """A package of torch's ecosystem that the project imports: by how many files, and its fate."""

    name: str
    files: int
    fate: str


@dataclass(frozen=True, slots=True)
class Risk:
    """A part of the project that no conversion of its files covers."""

    kind: str
    place: str
    advice: str


@dataclass(slots=True)
class Assessment:
    """The size of the project and what was found in it.

    Attributes:
        files: the number of files of code.
        torch_files: how many of them use torch.
        lines: the lines of these.
        uses: their uses of torch.
        converted: how many of the uses convert.
        codes: the findings by code.
        packages: packages of torch's ecosystem.
        risks: parts that need other work.
        failures: files that could not be read, with the reason.
    """

    files: int = 0
    torch_files: int = 0
    lines: int = 0
    uses: int = 0
    converted: int = 0
    codes: dict[str, int] = field(default_factory=dict)
    packages: list[Package] = field(default_factory=list)
    risks: list[Risk] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Plan:
    """A plan.

    Attributes:
        name: the name of the project's folder.
        target: the framework to port to, optionally with a version.
        style: the style of the converted code.
        init: the initialization of new weights.
        assessment: what was found.
        steps: in order; those that are left out come last.
        branch: the branch of git that the steps are committed to; empty before the first.
        page: the content hash of the words outside the steps and the notes, as last written.
    """

    name: str
    target: str
    style: str
    init: str
    assessment: Assessment = field(default_factory=Assessment)
    steps: list[Step] = field(default_factory=list)
    branch: str = ""
    page: str = ""

    @property
    def chosen(self) -> list[Step]:
        """The steps that are not left out, in order."""
        return [step for step in self.steps if not step.left_out]

    @property
    def next(self) -> Step | None:
        """The first step that is not done, or None if all are."""
        return next((step for step in self.chosen if step.done is None), None)

    def step(self, path: str) -> Step | None:
        """Return the step of a file, or None if the plan has none."""
        return next((step for step in self.steps if step.path == path), None)

    def number(self, step: Step) -> int:
        """Return a step's number in the Markdown file, from 1."""
        return self.chosen.index(step) + 1


def amount(count: int, noun: str) -> str:
    """Return a number of things in words: `1 use`, `3 uses`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def as_json(plan: Plan) -> bytes:
    """Return a plan as the content of its JSON file."""
    return (json.dumps(asdict(plan), indent=1, ensure_ascii=False) + "\n").encode()


def from_json(data: bytes, place: str) -> Plan:
    """Return the plan in a JSON file.

    Raises:
        TorchferryError: the file is not one.
    """
    try:
        held = json.loads(data)
        assessment = held.pop("assessment")
        packages = [Package(**one) for one in assessment.pop("packages")]
        risks = [Risk(**one) for one in assessment.pop("risks")]
        steps = [_step(one) for one in held.pop("steps")]
        found = Assessment(**assessment, packages=packages, risks=risks)
        return Plan(**held, assessment=found, steps=steps)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise TorchferryError(
            f"{place}: not the facts of a plan ({error}); write them again with torchferry plan"
        ) from error


def _step(held: dict[str, Any]) -> Step:
    trials = [_trial(one) for one in held.pop("trials")]
    dropped = [_trial(one) for one in held.pop("dropped", ())]
    done = held.pop("done")
    if done is not None:
        verified = tuple(Verified(**one) for one in done.pop("verified"))
        findings = tuple(Found(**one) for one in done.pop("findings", ()))
        done["helpers"] = tuple(done["helpers"])
        done = Done(**done, verified=verified, findings=findings)
    return Step(**held, trials=trials, dropped=dropped, done=done)


def _trial(held: dict[str, Any]) -> Trial:
    return Trial(held["call"], tuple(held["inputs"]), held["place"])
