"""The plan of a project's folder, read from its two files and written to them."""

from __future__ import annotations

from pathlib import Path

from workbench import files
from workbench.convert.project.file_job import digest
from workbench.convert.project.vcs import kept_files
from workbench.errors import TorchferryError
from workbench.ports.page import edited, marked, rest, without, written
from workbench.ports.plan import FACTS, PLAN, Plan, Step, as_json, from_json


def open_plan(folder: Path) -> tuple[Plan, str]:
    """Return a folder's plan as a person has edited it, and the text of its Markdown file.

    Raises:
        TorchferryError: there is none, or a file of it cannot be understood.
    """
    page, facts = folder / PLAN, folder / FACTS
    if not page.exists() or not facts.exists():
        where = "" if folder == Path() else f" {folder}"
        missing = facts if page.exists() else page
        raise TorchferryError(
            f"{missing}: no such file; write a plan with torchferry plan{where}, or, if a port has"
            " begun, switch to its branch with git switch torchferry/TARGET"
        )
    try:
        text = files.read(page).decode("utf-8")
    except UnicodeDecodeError as error:
        raise TorchferryError(f"{page}: not UTF-8 ({error}); save it as UTF-8") from error
    return edited(from_json(files.read(facts), str(facts)), text), text


def save(folder: Path, plan: Plan, notes: str = "") -> None:
    """Write a plan's two files."""
    text = written(plan, notes)
    _write(folder, plan, text)


def save_step(folder: Path, plan: Plan, step: Step) -> None:
    """Write a plan after the state of a step has changed; other lines of the page stay."""
    text = files.read(folder / PLAN).decode("utf-8")
    _write(folder, plan, marked(text, step.path, step.done))


def drop_step(folder: Path, plan: Plan, path: str) -> None:
    """Remove a step that a plan has no more from the plan's files; other lines stay."""
    page = folder / PLAN
    _write(folder, plan, without(files.read(page).decode("utf-8"), path))


def _write(folder: Path, plan: Plan, text: str) -> None:
    plan.page = digest(rest(text).encode())
    files.write(folder / PLAN, text.encode())
    files.write(folder / FACTS, as_json(plan))


def refuse_lost(folder: Path, old: Plan | None, page: str) -> None:
    """Refuse to write a plan again over words that would be lost.

    Decisions and notes are kept. Other words that a person wrote are kept by git alone.

    Raises:
        TorchferryError: there are such words, and git does not have them.
    """
    place = folder / PLAN
    if not place.exists() or (old is not None and digest(rest(page).encode()) == old.page):
        return
    try:
        lost = place.resolve() not in kept_files(place)
    except TorchferryError:
        lost = True
    if lost:
        raise TorchferryError(
            f"{place}: it has words outside the steps and the notes, which would be lost, and git"
            " does not have them; commit it first, or use --force"
        )
