"""The rules of the project of a notebook: of the folder that its kernel is in.

Loading them runs the project's module, which came with the notebook. A person must have agreed to
that for this folder; the answer is remembered until it is revoked.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jupyter_ext.installed import importing_as_user
from workbench.convert.configuration.settings import settings_for
from workbench.convert.configuration.trust import revoke, trust, trusted
from workbench.errors import TorchferryError
from workbench.targets import Target
from workbench.targets.own import aim, read


@dataclass(frozen=True, slots=True)
class ProjectRules:
    """A project's own rules.

    Attributes:
        folder: the folder whose pyproject.toml names them.
        module: their module.
        trusted: whether a person has said that they may run.
    """

    folder: Path
    module: Path
    trusted: bool

    @property
    def name(self) -> str:
        """The module, relative to the folder."""
        return os.path.relpath(self.module, self.folder)

    def content(self) -> dict[str, Any]:
        """Return the rules for the panel."""
        return {"folder": str(self.folder), "module": self.name, "trusted": self.trusted}


def project_rules() -> ProjectRules | None:
    """Return the rules that the nearest pyproject.toml names, or None; they are not run.

    Raises:
        TorchferryError: that file cannot be read, or holds a setting that there is not.
    """
    settings = settings_for(Path.cwd())
    if settings.rules is None or settings.file is None:
        return None
    folder = settings.file.parent
    return ProjectRules(folder, settings.rules, trusted(folder))


def trust_rules(folder: Path | None = None) -> ProjectRules:
    """Remember that the rules here may run; `folder` is the one that the person was asked about.

    Raises:
        TorchferryError: there are none here, or those of another folder.
    """
    found = _those_of(folder)
    trust(found.folder)
    return found


def revoke_rules(folder: Path | None = None) -> ProjectRules:
    """Forget that the rules here may run; as for `trust_rules`.

    Raises:
        TorchferryError: there are none here, or those of another folder.
    """
    found = _those_of(folder)
    revoke(found.folder)
    return found


def _those_of(folder: Path | None) -> ProjectRules:
    found = project_rules()
    if found is None:
        raise TorchferryError(f"no pyproject.toml names rules for {Path.cwd()}")
    if folder not in (None, found.folder):
        raise TorchferryError(
            f"the kernel's folder is now {found.folder}, not {folder}; read its rules before you"
            " decide"
        )
    return found


def rules_here() -> Path | None:
    """Return the module of rules that may run here, or None.

    Raises:
        TorchferryError: the project's settings cannot be read, or are wrong.
    """
    found = project_rules()
    return found.module if found and found.trusted else None


def target_here(spec: str, own: ProjectRules | None, style: str | None = None) -> Target:
    """Return a target with the project's own rules if they may run.

    If no style is given, it has the project's style.

    Raises:
        TorchferryError: there is no such target or style.
    """
    here = settings_for(Path.cwd())
    with importing_as_user():
        rules = own.module if own and own.trusted else None
        return aim(spec, rules, style or here.style, here.init)


def rule_messages(spec: str) -> list[str]:
    """Return how many rules are active here, and the faults of the others, a line each.

    Raises:
        TorchferryError: the project's settings cannot be read, or are wrong.
    """
    found = project_rules()
    if found is None:
        return []
    if not found.trusted:
        return [
            (
                f"the rules of {found.module} are not used: they are code, which runs only after"
                " you"
                " trust this folder with %torchferry trust"
            )
        ]
    with importing_as_user():
        own = read(spec, found.module)
    return [f"{len(own.rules)} own rules from {found.module}", *own.problems]
