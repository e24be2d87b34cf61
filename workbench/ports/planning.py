"""The plan of a folder, made or made again, and written."""

from __future__ import annotations

from pathlib import Path

from workbench.convert.project.file_job import Order
from workbench.convert.project.folder_run import Tick
from workbench.errors import TorchferryError
from workbench.ports import state as states
from workbench.ports.folder import open_plan, refuse_lost, save
from workbench.ports.page import notes_of
from workbench.ports.plan import FACTS, Plan
from workbench.ports.repository import Repository
from workbench.ports.survey import kept, surveyed


def write_plan(
    folder: Path,
    order: Order,
    *,
    force: bool = False,
    workers: int | None = None,
    tick: Tick = lambda done, total: None,
) -> Plan:
    """Write the plan of a folder, with the decisions and notes of an existing one, and return it.

    Args:
        folder: the project.
        order: what is wanted of every file.
        force: overwrite a plan with uncommitted edits.
        workers: how many processes convert at most.
        tick: called with the number of files done, and of all.

    Raises:
        TorchferryError: a step has begun, or edits would be lost.
    """
    _check_no_step(folder)
    old, page = open_plan(folder) if (folder / FACTS).exists() else (None, "")
    if not force:
        refuse_lost(folder, old, page)
    new = surveyed(folder, order, workers, tick)
    if old is not None:
        new = kept(new, old)
    save(folder, new, notes_of(page))
    return new


def _check_no_step(folder: Path) -> None:
    """Refuse to make a plan from a file that is half ported."""
    try:
        begun = states.read(Repository(folder).work)
    except TorchferryError:  # no git, so no port has begun
        return
    if begun is not None:
        raise TorchferryError(
            f"{begun.path}: this step has begun and is not committed; finish it with torchferry"
            f" port --continue, or take it back with torchferry port --undo {begun.path}"
        )
