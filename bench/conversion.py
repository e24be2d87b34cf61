"""Lines converted per second, compared with PaConvert on the same files."""

from __future__ import annotations

import importlib.util
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from bench.sources import models
from bench.table import Row
from workbench import convert

_ROUNDS = 3


def rows() -> Iterator[Row]:
    """Yield the rates of whole commands on a folder, with one and two cores, and of the engine."""
    files = models(32)
    with tempfile.TemporaryDirectory() as name:
        lines = _copied(files, Path(name))
        installed = importlib.util.find_spec("paconvert") is not None
        theirs = _rate(Path(name), lines, _paconvert) if installed else None
        speed = f"{theirs:,.0f} lines/s" if theirs else "not installed: pip install paconvert"
        yield Row("PaConvert, whole command", speed)
        for jobs, processes in ((1, "one process"), (2, "two processes")):
            ours = _rate(Path(name), lines, partial(_torchferry, jobs))
            ratio = ours / theirs if theirs else None
            yield Row(f"conversion, whole command, {processes}", f"{ours:,.0f} lines/s", ratio)
    with tempfile.TemporaryDirectory() as name:
        many = _copied(models(1_000), Path(name))
        one, two = (_rate(Path(name), many, partial(_torchferry, jobs)) for jobs in (1, 2))
        yield Row(f"{many:,} lines, two processes, beside one", f"{two:,.0f} lines/s", two / one)
    texts = [file.read_text(encoding="utf-8") for file in files]
    for text in texts:
        convert(text)
    times = []
    for _ in range(_ROUNDS):
        start = time.process_time()  # other load on the machine is not counted
        for text in texts:
            convert(text)
        times.append(time.process_time() - start)
    rate = _lines(files) / statistics.median(times)
    yield Row("conversion, engine alone, one core", f"{rate:,.0f} lines/s", budget="15,000 lines/s")


def _copied(files: list[Path], folder: Path) -> int:
    """Copy files into a folder's source; return the number of their lines."""
    (folder / "src").mkdir()
    for index, file in enumerate(files):
        shutil.copy(file, folder / "src" / f"m{index}_{file.name}")
    return _lines(files)


def _lines(files: list[Path]) -> int:
    return sum(file.read_text(encoding="utf-8").count("\n") for file in files)


def _rate(folder: Path, lines: int, command: Callable[[Path, Path], list[str]]) -> float:
    """Return the lines per second of a whole command, the median of a few runs."""
    times = []
    for _ in range(_ROUNDS):
        output = folder / "out"
        shutil.rmtree(output, ignore_errors=True)
        start = time.perf_counter()
        _finished(command(folder / "src", output))
        times.append(time.perf_counter() - start)
    return lines / statistics.median(times)


def _finished(arguments: list[str]) -> None:
    """Run a command that may leave torch in the code, which is not a failure."""
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    if done.returncode > 1:
        raise RuntimeError(f"{' '.join(arguments)}: {done.stderr.strip()[-500:]}")


def _torchferry(jobs: int, source: Path, output: Path) -> list[str]:
    command = [sys.executable, "-m", "workbench.cli", "convert", str(source), "-o", str(output)]
    return [*command, "--jobs", str(jobs)]


def _paconvert(source: Path, output: Path) -> list[str]:
    return [sys.executable, "-m", "paconvert.main", "-i", str(source), "-o", str(output)]
