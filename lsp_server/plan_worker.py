"""Writes the plan of a port, in a separate process; see `workers`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from workbench.convert.configuration.settings import settings_for
from workbench.convert.project.file_job import Order
from workbench.errors import TorchferryError
from workbench.ports.plan import PLAN, Plan
from workbench.ports.planning import write_plan


def main(folder: str, target: str, trust: str, style: str, helpers: str) -> None:
    """Write the plan, and print its figures; `trust` lets the project's rules run.

    Where `target`, `style` or `helpers` is empty the project's settings decide.
    """
    place = Path(folder)
    try:
        settings = settings_for(place).but(target=target, style=style, helpers=helpers)
        rules = settings.rules if trust else None
        order = Order(settings.target, settings, helpers=settings.helpers, rules=rules)
        plan = write_plan(
            place, order, tick=lambda done, total: _send({"done": done, "total": total})
        )
        _send({"result": _figures(place, plan)})
    except TorchferryError as error:
        _send({"error": str(error)})


def _figures(folder: Path, plan: Plan) -> dict[str, Any]:
    found = plan.assessment
    return {
        "plan": (folder / PLAN).resolve().as_uri(),
        "files": found.torch_files,
        "uses": found.uses,
        "converted": found.converted,
        "steps": len(plan.chosen),
        "risks": len(found.risks),
    }


def _send(message: dict[str, Any]) -> None:
    print(json.dumps(message), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
