"""The recipes of a package run on one side, in a process that is ended when it hangs."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.packages.project import FOLDER, content, dependencies, recipes_file
from bench.packages.recipes import Package
from bench.packages.side import SECONDS

_ROOT = Path(__file__).resolve().parents[2]
_SIDE = Path(__file__).with_name("side.py")


def run(package: Package, side: str, code: Path) -> list[dict[str, Any]]:
    """Return the results of all recipes, in order; an earlier run of the same code is reused."""
    file = FOLDER / package.name / f"{code.name}.json"
    key = _key(package, code)
    if file.exists():
        kept = json.loads(file.read_text(encoding="utf-8"))
        if kept["key"] == key:
            return list(kept["found"])
    found = {one["number"]: one for one in _all(package, side, code)}
    ordered = [found[number] for number in range(len(package.recipes))]
    file.write_text(json.dumps({"key": key, "found": ordered}), encoding="utf-8")
    return ordered


def _key(package: Package, code: Path) -> str:
    original = content(FOLDER / package.name / "torch")
    parts = [_SIDE.read_text(encoding="utf-8"), original, content(code), repr(package)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _all(package: Package, side: str, code: Path) -> Iterator[dict[str, Any]]:
    left = list(range(len(package.recipes)))
    while left:
        last: dict[str, Any] = {"number": left[0]}
        for last in _lines(package, side, code, left):
            if last.get("done"):
                left.remove(last["number"])
                yield last
        if not last.get("done"):
            left.remove(last["number"])
            yield {**last, "raised": "its process ended or had to be ended", "frames": []}


def _lines(package: Package, side: str, code: Path, left: list[int]) -> Iterator[dict[str, Any]]:
    kept = (FOLDER / package.name / "kept").resolve()
    kept.mkdir(parents=True, exist_ok=True)
    path = os.pathsep.join(map(str, [*dependencies(package), _ROOT]))
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": path}
    command = [sys.executable, _SIDE, side, kept, recipes_file(package), *map(str, left)]
    with (FOLDER / package.name / f"{code.name}.log").open("w", encoding="utf-8") as log:
        process = subprocess.Popen(
            command, cwd=code, env=environment, stdout=subprocess.PIPE, stderr=log, text=True
        )
        assert process.stdout is not None
        watch = threading.Timer(2 * SECONDS, process.kill)
        watch.start()
        for line in process.stdout:
            if line.startswith('{"number"'):
                watch.cancel()
                watch = threading.Timer(2 * SECONDS, process.kill)
                watch.start()
                yield json.loads(line)
        process.wait()
        watch.cancel()
