"""Small projects written to disk, and conversions of them."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from pathlib import Path

from workbench.convert.configuration.settings import settings_for
from workbench.convert.project.file_job import Order
from workbench.convert.project.runner import convert_path
from workbench.convert.report.report import FileResult, Report


def write(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files by their paths; texts lose the indentation that they share."""
    for name, content in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            file.write_bytes(content)
        else:
            file.write_text(textwrap.dedent(content), encoding="utf-8")
    return folder


def converted(
    source: Path,
    output: Path | None,
    *,
    workers: int | None = None,
    style: str | None = None,
    **wanted: bool,
) -> Report:
    """Convert a project."""
    settings = settings_for(source).but(style=style)
    return convert_path(source, output, Order(settings.target, settings, **wanted), workers=workers)


def result(report: Report, path: str) -> FileResult:
    """Return the result of one file."""
    return next(file for file in report.files if file.path == path)


def tree(folder: Path) -> dict[str, bytes]:
    """Return the content of every file below a folder, without what the run notes for itself."""
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file() and not file.name.startswith(".torchferry")
    }
