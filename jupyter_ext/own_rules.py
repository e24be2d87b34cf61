"""The rules of the project that a notebook belongs to: those of the folder that its kernel is in.

Loading them runs the project's module. Whoever runs the notebook's cells runs its code already.
"""

from __future__ import annotations

from pathlib import Path

from workbench.convert.settings import settings_for
from workbench.targets import Target
from workbench.targets.own import aim, read


def rules_here() -> Path | None:
    """The module that the nearest pyproject.toml names, if any does.

    Raises:
        TorchferryError: that file cannot be read, or holds a setting that there is not.
    """
    return settings_for(Path.cwd()).rules


def target_here(spec: str) -> Target:
    """A target with the project's own rules.

    Raises:
        TorchferryError: there is no such target, or the project's settings are wrong.
    """
    return aim(spec, rules_here())


def said(spec: str, rules: Path | None) -> list[str]:
    """How many rules are in force, and what is wrong with the others, a line each."""
    if rules is None:
        return []
    own = read(spec, rules)
    return [f"{len(own.rules)} own rules from {rules}", *own.problems]
