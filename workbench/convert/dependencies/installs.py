"""Lines of notebooks that install torch: `!pip install torch`, `%conda install pytorch`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.codes import DEPENDENCY_KEPT
from workbench.convert.dependencies.requirement import Family, torch_requirement
from workbench.findings import Finding, Severity
from workbench.positions import Lines
from workbench.targets import Target

_INSTALL = re.compile(
    r"[ \t]*[!%]{1,2}[ \t]*(?:[\w./{}$-]+[ \t]+)*?(?:pip3?|conda|mamba|micromamba)"
    r"(?:[ \t]+[\w-]+)*?[ \t]+(?:install|add)[ \t]+(?P<what>.*)"
)
_CONDA = {"pytorch": "torch", "pytorch-cuda": "torch"}


def installs(source: str, target: Target) -> Iterator[Finding]:
    """Yield a finding for each line of a cell that installs packages of torch's family.

    The line stays: where it runs, and what else it brings, is not for a conversion to decide.
    """
    family = Family(target.packages, target.version, frozenset(), target.brings_all)
    lines = Lines(source)
    for number in range(len(lines)):
        match = _INSTALL.match(lines.line(number))
        if match is None:
            continue
        asked = [word.strip("'\"") for word in match["what"].split() if not word.startswith("-")]
        found = [torch_requirement(_CONDA.get(word, word), family) for word in asked]
        names = list(dict.fromkeys(one.name for one in found if one is not None))
        if not names:
            continue
        others = dict.fromkeys(family.instead(name) or "" for name in names)
        start = lines.start(number)
        yield Finding(
            code=DEPENDENCY_KEPT,
            severity=Severity.WARNING,
            message=f"this line installs {', '.join(names)} and stays; the converted cells need"
            f" {', '.join(others)}",
            range=lines.range(start + match.start("what"), start + match.end("what")),
            name=names[0],
        )
