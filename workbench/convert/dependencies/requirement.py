"""One requirement, such as `torch[extra]>=2.1; python_version > "3.8"`, for another framework."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

_REQUIREMENT = re.compile(
    r"(?P<name>[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)"
    r"(?P<extras>\s*\[[^\]]*\])?"
    r"(?P<spec>\s*(?:\(?\s*(?:[<>=!~]=?=?|===)[^;#@]*|@\s*[^;]+?)?)"
    r"(?P<marker>\s*;.*)?\s*$"
)


@dataclass(frozen=True, slots=True)
class Family:
    """The replacement of torch's packages in a project.

    Attributes:
        packages: the target's distributions, by those of torch.
        version: the version that the code was converted for.
        needed: packages of torch's family that converted code still imports.
        brings_all: a requirement that brings the target and what its code imports besides, if the
            target's own distribution does not.
    """

    packages: Mapping[str, str]
    version: str
    needed: Collection[str]
    brings_all: str = ""

    def instead(self, name: str) -> str | None:
        """Return the requirement that replaces a package, or None if it is not one of torch's."""
        other = self.packages.get(name)
        return other and (self.brings_all or f"{other}>={self.version}")


@dataclass(frozen=True, slots=True)
class Requirement:
    """A requirement of one of torch's packages."""

    name: str
    spec: str
    marker: str


def torch_requirement(text: str, family: Family) -> Requirement | None:
    """Return the requirement in a text, where it is all of it and of torch's family."""
    match = _REQUIREMENT.match(text.strip())
    if match is None:
        return None
    name = re.sub(r"[-_.]+", "-", match["name"]).lower()
    if name not in family.packages:
        return None
    spec = match["spec"]
    space = spec[len(spec.rstrip()) :]
    return Requirement(name, spec.strip(), space + match["marker"] if match["marker"] else "")
