"""Conversion of a file or a whole project: to a new place, in place, or as a diff."""

from __future__ import annotations

import logging
import time
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from workbench.convert.configuration.settings import settings_for
from workbench.convert.configuration.trust import trusted
from workbench.convert.project.file_job import Order
from workbench.convert.project.folder_run import FolderRun, Tick, check_no_link
from workbench.convert.project.single_file import convert_file
from workbench.convert.report.report import Report
from workbench.errors import TorchferryError
from workbench.targets import load

logger = logging.getLogger(__name__)


def convert_project(
    source: Path | str,
    output: Path | str,
    *,
    target: str | None = None,
    style: str | None = None,
    init: str | None = None,
    force: bool = False,
    workers: int | None = None,
    trust_rules: bool = False,
) -> Report:
    """Convert a file or a folder to a new place, with the settings of its pyproject.toml.

    Args:
        source: the file or folder to convert.
        output: the destination; it must not be, or be inside, the source.
        target: the framework to convert to; None for the one in the settings.
        style: `plain` or `exact`; None for the one in the settings.
        init: `torch` or `native` distribution of new weights; None for the one in the settings.
        force: overwrite files that no earlier run has written.
        workers: the maximum number of processes; None for the number of cores.
        trust_rules: run the project's own rules, which are code. Without it they are skipped,
            with a line in the log, unless `torchferry rules trust` allowed them.

    Raises:
        TorchferryError: source and output conflict, or there is no room left; other files that fail
            are named in the report, and the rest is converted.
    """
    order = order_for(
        Path(source),
        target=target,
        style=style,
        init=init,
        force=force,
        trust_rules=trust_rules,
    )
    return convert_path(Path(source), Path(output), order, workers=workers)


def order_for(
    source: Path,
    *,
    target: str | None = None,
    style: str | None = None,
    init: str | None = None,
    force: bool = False,
    trust_rules: bool = False,
) -> Order:
    """Return the order for a file or a folder, with the settings of its pyproject.toml.

    Raises:
        TorchferryError: the settings are wrong, or the target or style is unknown.
    """
    settings = settings_for(source).but(target=target, style=style, init=init)
    load(settings.target, settings.style, settings.init)
    rules = settings.rules
    if settings.file is not None and rules is not None:
        folder = settings.file.parent
        if not trust_rules and not trusted(folder):
            logger.warning("The project's own rules are left out: nobody trusted %s", rules)
            rules = None
    return Order(settings.target, settings, force=force, helpers=settings.helpers, rules=rules)


def convert_path(
    source: Path,
    output: Path | None,
    order: Order,
    *,
    workers: int | None = None,
    only: Collection[Path] | None = None,
    tick: Tick = lambda done, total: None,
) -> Report:
    """Convert a file to a file, or a folder to a folder.

    Args:
        source: the file or folder to convert.
        output: the destination; it must not be, or be inside, the source. None writes nothing, or
            overwrites the source if the order is in place.
        order: the options.
        workers: the maximum number of processes; None for the number of cores.
        only: convert only these files of a folder; None for all.
        tick: called with the number of files done, and of all.

    Raises:
        TorchferryError: source and output conflict, or there is no room left; other files that fail
            are reported instead, and the rest is converted.
    """
    started = time.perf_counter()
    if not source.exists():
        raise TorchferryError(f"{source}: no such file or folder; check the path")
    if output is None:
        order = replace(order, write=order.write and order.in_place)
    report = Report(str(source), order.target)
    if source.is_file():
        report.single = True
        convert_file(source, output, order, report)
        tick(1, 1)
    else:
        if output is not None:
            _check_output(source, output)
        FolderRun(source, output, order, report, workers, only, tick).run()
    report.files.sort(key=lambda file: file.path)
    report.seconds = time.perf_counter() - started
    return report


def _check_output(source: Path, output: Path) -> None:
    if output.resolve() == source.resolve() or source.resolve() in output.resolve().parents:
        raise TorchferryError(
            f"{output} is inside the source folder; give a location outside it with -o"
        )
    if output.resolve() in source.resolve().parents:
        raise TorchferryError(
            f"{output} contains the source folder; give a separate location with -o"
        )
    if output.exists() and not output.is_dir():
        raise TorchferryError(f"{output} is a file; give a folder with -o")
    check_no_link(output)
