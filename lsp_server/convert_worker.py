"""Converts a file or a folder to another place, in a separate process; see `workers`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from workbench.convert.configuration.settings import Settings, settings_for
from workbench.convert.project.file_job import Order
from workbench.convert.project.runner import convert_path
from workbench.convert.report.written_report import as_json, write_report
from workbench.errors import TorchferryError


def main(
    source: str,
    destination: str,
    target: str,
    report: str,
    trust: str,
    style: str = "",
    helpers: str = "",
) -> None:
    """Convert, and say on standard output how it went; `trust` lets the project's rules run.

    Where `target`, `style` or `helpers` is empty the project's settings decide.
    """
    try:
        settings = settings_for(Path(source)).but(target=target, style=style, helpers=helpers)
        _send({"result": _convert(Path(source), Path(destination), settings, report, trust)})
    except TorchferryError as error:
        _send({"error": str(error)})


def _convert(
    source: Path, destination: Path, settings: Settings, place: str, trust: str
) -> dict[str, Any]:
    rules = settings.rules if trust else None
    report = convert_path(
        source,
        destination,
        Order(settings.target, settings, helpers=settings.helpers, rules=rules),
        tick=lambda done, total: _send({"done": done, "total": total}),
    )
    if place:
        write_report(report, Path(place))
    found = as_json(report)
    del found["files"]
    failures = [f"{each.path}: {each.failure}" for each in report.failures()]
    return {
        **found,
        "destination": str(destination),
        "report": place or None,
        "shown_share": report.shown_share,
        "failures": failures,
    }


def _send(message: dict[str, Any]) -> None:
    print(json.dumps(message), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
