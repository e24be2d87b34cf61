"""How often code in the wild uses each torch name, and the share of these uses that converts.

    python -m workbench.proof.uses timm torchvision transformers

counts in the installed packages, which are read and not imported, and writes `uses.json`.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from workbench.convert.decide.planner import plan
from workbench.errors import TorchferryError
from workbench.source.analysis import analyse
from workbench.targets import DEFAULT, load

_RECORD = Path(__file__).with_name("uses.json")


@dataclass(frozen=True, slots=True)
class Row:
    """Counts for one package.

    Attributes:
        package: its name.
        version: its version.
        uses: uses of torch in its source.
        converting: how many of these convert.
        names: distinct torch names that are used.
        converting_names: names whose uses all convert.
    """

    package: str
    version: str
    uses: int
    converting: int
    names: int
    converting_names: int


def read() -> list[Row]:
    """Return the committed counts."""
    if not _RECORD.exists():
        return []
    return [Row(**row) for row in json.loads(_RECORD.read_text(encoding="utf-8"))]


def count(package: str) -> Row:
    """Count the uses in an installed package.

    Raises:
        TorchferryError: it is not installed.
    """
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise TorchferryError(f"{package} is not installed; run: pip install --no-deps {package}")
    files = sorted(Path(spec.origin).parent.rglob("*.py"))
    uses: Counter[str] = Counter()
    left: Counter[str] = Counter()
    with ProcessPoolExecutor() as pool:
        for found, remaining in pool.map(_in_file, files, chunksize=20):
            uses.update(found)
            left.update(remaining)
    total = sum(uses.values())
    return Row(
        package,
        version(package),
        total,
        total - sum(left.values()),
        len(uses),
        sum(name not in left for name in uses),
    )


def _in_file(path: Path) -> tuple[Counter[str], Counter[str]]:
    """Return the torch names of a file's uses, and those of the uses that do not convert."""
    target = load(DEFAULT)
    uses: Counter[str] = Counter()
    left: Counter[str] = Counter()
    for use in analyse(path.read_text(encoding="utf-8")).uses:
        uses[use.name] += 1
        if not plan(use, target).converts:
            left[use.name] += 1
    return uses, left


def main(packages: Iterable[str]) -> None:
    """Count, and write the record."""
    rows = [asdict(count(package)) for package in packages]
    _RECORD.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
