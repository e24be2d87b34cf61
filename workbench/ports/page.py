"""The plan as a Markdown file that a person edits, and that later commands read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from workbench.codes import CODES
from workbench.errors import TorchferryError
from workbench.ports.plan import PLAN, Done, Plan, Step, Trial, amount
from workbench.targets import load

_HEAD = re.compile(r"(?:\d+[.)]|[-*])[ \t]+\[(?P<done>[ xX])\][ \t]+`(?P<path>[^`]+)`")
_SECTION = re.compile(r"##[ \t]+(?P<name>.*?)[ \t]*$")
_LINE = re.compile(r"[ \t]+(?:[-*][ \t]+)?(?P<text>\S.*?)[ \t]*$")
_WORDED = re.compile(
    # Only a colon makes these words of the plan: "read the paper first" is a person's note.
    r"(?P<word>(?:verify|pinned|accepted)\b|(?:needs|stays|read|done)(?=:)):?[ \t]*(?P<rest>.*)"
)
_DECISION = re.compile(r"[ \t]*[-*][ \t]+(?:verify|pinned|accepted)\b")
_QUOTED = re.compile(r"`([^`]*)`")
_FOUND = re.compile(r"\((?:as in )?(?P<place>[^()`]+)\)$")
STEPS, LEFT_OUT, NOTES = "Steps", "Left out", "Notes"
_HOW = f"""\
Edit this file before `torchferry port`, or between its steps:

- Move a step to change the order, or move it below *{LEFT_OUT}* to leave the file in torch.
- `verify:` names a model and its inputs, as `torchferry verify` takes them. Add, change or delete
  such lines: ``- verify: `Net(10, width=4)` with `2x3x32x32` ``. A deleted line does not come back.
- `pinned` keeps a step's position when the plan is made again.
- `accepted: REASON` ports a file in spite of uses that stay in torch or results that differ.
- Any other line below a step, and the section *{NOTES}*, are yours, and stay.
"""


def written(plan: Plan, notes: str = "") -> str:
    """Return a plan as Markdown.

    Args:
        plan: the plan.
        notes: the section of a person's notes, with its heading; empty for an empty one.
    """
    title = load(plan.target).title
    parts = [
        f"# Port of {plan.name} to {title}\n",
        _HOW,
        *_assessment(plan, title),
        *_questions(plan),
        f"## {STEPS}\n",
    ]
    chosen = plan.chosen
    parts += ["\n".join(_step(step, f"{n}.") for n, step in enumerate(chosen, 1)) + "\n"]
    left_out = [step for step in plan.steps if step.left_out]
    parts.append(f"## {LEFT_OUT}\n")
    parts += ["\n".join(_step(step, "-") for step in left_out) + "\n"] if left_out else []
    parts.append(notes.rstrip("\n") + "\n" if notes else f"## {NOTES}\n")
    return "\n".join(parts)


def _assessment(plan: Plan, title: str) -> list[str]:
    found = plan.assessment
    share = f" ({_share(found.converted, found.uses)})" if found.uses else ""
    rows = [
        ("files of code", f"{found.files:,}"),
        ("of them with torch", f"{found.torch_files:,}"),
        ("lines of these", f"{found.lines:,}"),
        ("uses of torch", f"{found.uses:,}"),
        ("of them converted", f"{found.converted:,}{share}"),
        ("for a person", f"{found.uses - found.converted:,}"),
    ]
    parts = ["## Assessment\n", _table(("", "number"), rows)]
    if found.codes:
        rows3 = [
            (code, f"{count:,}", CODES[code].meaning_in(title))
            for code, count in sorted(found.codes.items(), key=lambda one: (-one[1], one[0]))
        ]
        parts.append("### Findings\n\n" + _table(("code", "number", "meaning"), rows3))
    if found.packages:
        packages = [(f"`{one.name}`", f"{one.files:,}", one.fate) for one in found.packages]
        parts.append("### Packages\n\n" + _table(("package", "files", "in the port"), packages))
    if found.risks:
        lines = [f"- **{one.kind}**, `{one.place}`: {one.advice}" for one in found.risks]
        parts.append("### Risks\n\n" + "\n".join(lines) + "\n")
    if found.failures:
        lines = [f"- {one}" for one in found.failures]
        parts.append("### Not read\n\n" + "\n".join(lines) + "\n")
    return parts


def _questions(plan: Plan) -> list[str]:
    asked = [
        f"- `{step.path}`: {amount(len(step.stays), 'use')} of torch without an equivalent. Change"
        " the lines in torch first, write `accepted: REASON` below the step, or leave it out?"
        for step in plan.chosen
        if step.stays and not step.accepted and step.done is None
    ]
    lacking = [step for step in plan.chosen if step.needs and step.done is None]
    if lacking:
        asked.append(
            f"- {_named(lacking)}: arguments or inputs of models are unknown. Write `verify:` lines"
            " below the step; else inputs are guessed, and models that lack arguments are not run."
        )
    for step in plan.steps:
        importers = [one for one in plan.chosen if step.path in one.imports]
        if step.left_out and importers:
            asked.append(
                f"- `{step.path}` is left out, and"
                f" {_named(importers)} import it: how do they call it?"
            )
    return ["## Questions\n", "\n".join(asked) + "\n"] if asked else []


def _named(steps: Sequence[Step]) -> str:
    """Return the paths of steps in words; only the first three if there are many."""
    paths = ", ".join(f"`{one.path}`" for one in steps[:3])
    return f"{paths} and {len(steps) - 3} more" if len(steps) > 3 else paths


def _step(step: Step, mark: str) -> str:
    size = f"{amount(step.lines, 'line')}, {amount(step.uses, 'use')} of torch"
    text = step.kind if step.kind == "dependencies" else f"{size}, {step.effort}"
    lines = [f"{mark} [{'x' if step.done else ' '}] `{step.path}`: {text}"]
    lines += [f"   - verify: {_trial(one)}" for one in step.trials]
    if step.needs:
        lines.append(
            f"   - needs: arguments or inputs of {', '.join(f'`{o}`' for o in step.needs)}"
        )
    if step.codes:
        counts = ", ".join(f"{code} ({count})" for code, count in sorted(step.codes.items()))
        lines.append(f"   - read: {counts}")
    lines += [f"   - stays: {one}" for one in step.stays]
    lines += ["   - pinned"] if step.pinned else []
    lines += [f"   - accepted: {step.accepted}"] if step.accepted else []
    lines += [f"   - {one}" for one in step.notes]
    lines += [_done(step.done)] if step.done else []
    return "\n".join(lines)


def _done(done: Done) -> str:
    return f"   - done: {done.summary}"


def _trial(trial: Trial) -> str:
    inputs = ", ".join(f"`{one}`" for one in trial.inputs)
    place = f" (as in {trial.place})" if trial.place else ""
    return f"`{trial.call}`{f' with {inputs}' if inputs else ''}{place}"


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def _share(part: int, whole: int) -> str:
    """Return a share in per cent, rounded down, so that 100 % means all."""
    per_mille = 1000 * part // whole
    return "100 %" if per_mille == 1000 else f"{per_mille / 10:.1f} %"


# Reading ---------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Entry:
    """A step as the Markdown file has it; `line` is that of its head, and `last` its last one."""

    path: str
    line: int
    last: int
    left_out: bool
    trials: list[Trial] = field(default_factory=list)
    pinned: bool = False
    accepted: str = ""
    notes: list[str] = field(default_factory=list)


def edited(plan: Plan, text: str) -> Plan:
    """Return a plan with what a person decided in its Markdown file.

    A step whose lines were deleted is left out.

    Raises:
        TorchferryError: the file names a path that is no step, or one twice, or has no steps, or
            a decision is outside them.
    """
    entries = _entries(text)
    if not any(not one.left_out for one in entries) and plan.chosen:
        raise TorchferryError(
            f"{PLAN}: it has no steps below '## {STEPS}'; write it again with torchferry plan"
        )
    _refuse_misplaced(text)
    steps: list[Step] = []
    for entry in entries:
        step = plan.step(entry.path)
        if step is None:
            raise TorchferryError(
                f"{PLAN}:{entry.line + 1}: the plan has no step {entry.path}; correct the path, or"
                " find new files with torchferry plan"
            )
        if any(one.path == entry.path for one in steps):
            raise TorchferryError(
                f"{PLAN}:{entry.line + 1}: {entry.path} is there twice; delete one of them"
            )
        trials, dropped = _trials(step, entry.trials)
        if entry.left_out and not trials:  # its head may have been moved without its lines
            trials, dropped = step.trials, step.dropped
        steps.append(
            replace(
                step,
                trials=trials,
                dropped=dropped,
                pinned=entry.pinned,
                accepted=entry.accepted,
                notes=entry.notes,
                left_out=entry.left_out,
            )
        )
    listed = {step.path for step in steps}
    deleted = [replace(one, left_out=True) for one in plan.steps if one.path not in listed]
    kept = [one for one in steps if not one.left_out]
    return replace(plan, steps=[*kept, *(one for one in steps if one.left_out), *deleted])


def _trials(step: Step, lines: list[Trial]) -> tuple[list[Trial], list[Trial]]:
    """Return the trials that a person left below a step, and those that they deleted or rewrote.

    A rewritten line is the person's own, even if it still names a place of the project.
    """
    trials = [
        one if not one.place or one in step.trials else replace(one, place="") for one in lines
    ]
    found = [*step.dropped, *(one for one in step.trials if one not in step.dropped)]
    return trials, [one for one in found if not any(one.is_same(trial) for trial in trials)]


def notes_of(text: str) -> str:
    """Return the section of a person's notes, with its heading; empty if there is none."""
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines):
        section = _SECTION.match(line)
        if section is not None and section["name"] == NOTES:
            return "".join(lines[number:])
    return ""


def rest(text: str) -> str:
    """Return the lines outside the steps and the notes, which a new plan does not keep."""
    return "\n".join(line for _, line in _outside(text))


def _refuse_misplaced(text: str) -> None:
    """Raise TorchferryError for a decision that is written outside the steps."""
    for number, line in _outside(text):
        found = _DECISION.match(line)
        if found is not None:
            raise TorchferryError(
                f"{PLAN}:{number + 1}: no step has this line; move it below the step that it is"
                f" about, in the section '## {STEPS}'"
            )


def _outside(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines outside the steps and the notes, with their numbers from 0."""
    section = ""
    for number, line in enumerate(text.splitlines()):
        heading = _SECTION.match(line)
        section = heading["name"] if heading else section
        if section == NOTES:
            break
        if section not in (STEPS, LEFT_OUT):
            yield number, line


def marked(text: str, path: str, done: Done | None) -> str:
    """Return the Markdown file with a step marked as done, or as open if `done` is None.

    All other lines stay byte for byte.
    """
    entry = next((one for one in _entries(text) if one.path == path), None)
    if entry is None:
        return text
    lines = text.splitlines(keepends=True)
    head = _HEAD.match(lines[entry.line])
    assert head is not None
    at = head.start("done")
    lines[entry.line] = (
        f"{lines[entry.line][:at]}{'x' if done else ' '}{lines[entry.line][at + 1 :]}"
    )
    own = lines[entry.line + 1 : entry.last + 1]
    kept = [line for line in own if _word(line) != "done"]
    if done is not None:
        kept = [one if one.endswith("\n") else f"{one}\n" for one in kept]
        lines[entry.line] = f"{lines[entry.line].rstrip()}\n"
        kept.append(f"{_done(done)}\n")
    lines[entry.line + 1 : entry.last + 1] = kept
    return "".join(lines)


def without(text: str, path: str) -> str:
    """Return the Markdown file without a step; all other lines stay byte for byte."""
    entry = next((one for one in _entries(text) if one.path == path), None)
    lines = text.splitlines(keepends=True)
    if entry is not None:
        del lines[entry.line : entry.last + 1]
    return "".join(lines)


def _entries(text: str) -> list[_Entry]:
    found: list[_Entry] = []
    section = ""
    open_entry: _Entry | None = None
    for number, line in enumerate(text.splitlines()):
        if heading := _SECTION.match(line):
            section, open_entry = heading["name"], None
            continue
        if section not in (STEPS, LEFT_OUT):
            continue
        if head := _HEAD.match(line):
            open_entry = _Entry(head["path"], number, number, section == LEFT_OUT)
            found.append(open_entry)
        elif (own := _LINE.match(line)) and open_entry is not None:
            open_entry.last = number
            _read(open_entry, own["text"], number)
    return found


def _word(line: str) -> str:
    own = _LINE.match(line)
    worded = _WORDED.match(own["text"]) if own else None
    return worded["word"] if worded else ""


def _read(entry: _Entry, text: str, number: int) -> None:
    """Read one of the lines below a step's head."""
    worded = _WORDED.match(text)
    if worded is None:
        entry.notes.append(text)
        return
    word, rest = worded["word"], worded["rest"]
    if word == "verify":
        entry.trials.append(_read_trial(rest, number))
    elif word == "pinned" and not rest:
        entry.pinned = True
    elif word == "accepted":
        if not rest:
            raise TorchferryError(
                f"{PLAN}:{number + 1}: give the reason, as in accepted: only used for plots"
            )
        entry.accepted = rest
    elif word == "pinned":
        entry.notes.append(text)


def _read_trial(text: str, number: int) -> Trial:
    quoted = _QUOTED.findall(text)
    if not quoted:
        raise TorchferryError(
            f"{PLAN}:{number + 1}: write the model and its inputs in backquotes, as in"
            " verify: `Net(10)` with `2x3x32x32`"
        )
    place = _FOUND.search(text)
    return Trial(quoted[0], tuple(quoted[1:]), place["place"] if place else "")
