"""Steps taken back: the file is torch's again, in a commit of its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from workbench import files
from workbench.convert.imports.helper_modules import extended
from workbench.errors import TorchferryError
from workbench.ports import state as states
from workbench.ports.folder import save_step
from workbench.ports.messages import undo_message
from workbench.ports.plan import FACTS, PLAN, Done, Step
from workbench.ports.steps import Porter


def undo(porter: Porter, names: Sequence[str]) -> list[str]:
    """Take steps back; return a line for each.

    Args:
        porter: the port.
        names: steps, by their number in the plan or by their path.

    Raises:
        TorchferryError: there is no such step, it is not done, or a step that is done imports it.
    """
    steps = [_step(porter, name) for name in names]
    begun = states.read(porter.repository.work)
    lines: list[str] = []
    if begun is not None and any(step.path == begun.path for step in steps):
        porter.take_back(begun)
        steps = [step for step in steps if step.path != begun.path]
        lines.append(f"{begun.path}: taken back; it was not committed")
    elif begun is not None:
        raise TorchferryError(
            f"{begun.path}: this step has begun; finish it with torchferry port --continue, or"
            f" take it back with torchferry port --undo {begun.path}"
        )
    _check(porter, steps)
    # Importers first, so that no commit has a port that imports torch's side.
    for step in sorted(steps, key=porter.plan.steps.index, reverse=True):
        lines.append(_undone(porter, step))
    return lines


def _step(porter: Porter, name: str) -> Step:
    chosen = porter.plan.chosen
    if name.isdigit() and 1 <= int(name) <= len(chosen):
        return chosen[int(name) - 1]
    path = Path(name).as_posix()
    step = porter.plan.step(path)
    if step is None:
        raise TorchferryError(
            f"--undo {name}: {PLAN} has no such step; give its path, or its number from 1 to"
            f" {len(chosen)}"
        )
    return step


def _check(porter: Porter, steps: Sequence[Step]) -> None:
    paths = {step.path for step in steps}
    for step in steps:
        if step.done is None:
            raise TorchferryError(
                f"{step.path}: this step is not done, so there is nothing to undo"
            )
        importers = [
            one.path
            for one in porter.plan.steps
            if one.done is not None
            and step.path in one.imports
            and one.path not in paths
            and step.path not in _imports_back(porter, step, one)
        ]
        if importers:
            every = " ".join(f"--undo {path}" for path in [*importers, *sorted(paths)])
            raise TorchferryError(
                f"{step.path}: it is imported by {', '.join(importers)}, ported as well; take these"
                f" back together: torchferry port {every}"
            )
    own = {PLAN, FACTS}
    changed = [path for path in porter.repository.changed() if path not in own]
    if changed:
        raise TorchferryError(f"{changed[0]}: not committed; run git commit or git stash first")


def _imports_back(porter: Porter, step: Step, other: Step) -> set[str]:
    """Return a step's path if it imports the other one too: neither comes first in a circle."""
    return {step.path} if other.path in step.imports else set()


def _undone(porter: Porter, step: Step) -> str:
    done, repository = step.done, porter.repository
    assert done is not None
    edited = repository.blob(step.path) not in (done.written, "")
    last = repository.head
    files.write(porter.folder / step.path, repository.content(done.original, step.path))
    touched = [step.path, *(one.certificate for one in done.verified if one.certificate)]
    for one in touched[1:]:
        (porter.folder / one).unlink(missing_ok=True)
    touched += _shrunk(porter, step, done)
    step.done = None
    touched += _bridged(porter)
    save_step(porter.folder, porter.plan, step)
    commit = repository.commit([*touched, PLAN, FACTS], undo_message(step.path, touched[1:]))
    kept = f"; its edits are in git show {last[:9]}:{step.path}" if edited else ""
    return f"{step.path}: undone in {commit[:9]}{kept}"


def _bridged(porter: Porter) -> list[str]:
    """Correct the lines by which files of torch use ported ones; return these files."""
    if not porter.bridges().in_use():
        return []
    changes = porter.bridges().changes(porter.plan)
    for path, data in changes.items():
        files.write(porter.folder / path, data, like=porter.folder / path)
    return list(changes)


def _shrunk(porter: Porter, step: Step, done: Done) -> list[str]:
    """Remove helpers that no other step needs, unless a person has changed their module."""
    place = porter.folder / done.helper_module
    if not done.helper_module or not place.is_file():
        return []
    users = [
        one.done
        for one in porter.plan.steps
        if one.done is not None and one.done.helper_module == done.helper_module
    ]
    every = {name for user in users for name in user.helpers}
    left = {name for user in users if user is not done for name in user.helpers}
    target = porter.order.aim
    if files.read(place) != extended("", every, target).encode():
        return []
    if left:
        files.write(place, extended("", left, target).encode())
    else:
        place.unlink()
    return [done.helper_module]
