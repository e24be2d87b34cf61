"""Lines converted a second, beside PaConvert on the same files."""

from __future__ import annotations

import importlib.util
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.sources import models
from bench.table import Row
from workbench import convert

_ROUNDS = 3


def rows() -> Iterator[Row]:
    """Whole commands on a folder, start-up taken off, and the engine alone on one core."""
    files = models(12)
    lines = sum(file.read_text(encoding="utf-8").count("\n") for file in files)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "src").mkdir()
        (folder / "empty").mkdir()
        (folder / "empty" / "a.py").write_text("import torch\n", encoding="utf-8")
        for index, file in enumerate(files):
            shutil.copy(file, folder / "src" / f"m{index}_{file.name}")
        ours = _rate(folder, lines, _torchferry)
        yield Row("conversion, whole command", f"{ours:,.0f} lines/s")
        if importlib.util.find_spec("paconvert") is None:
            yield Row("PaConvert on the same files", "not installed: pip install paconvert")
        else:
            theirs = _rate(folder, lines, _paconvert)
            yield Row("PaConvert on the same files", f"{theirs:,.0f} lines/s", ours / theirs)
    texts = [file.read_text(encoding="utf-8") for file in files]
    for text in texts:
        convert(text)
    times = []
    for _ in range(_ROUNDS):
        start = time.process_time()  # what else runs on the machine is not counted
        for text in texts:
            convert(text)
        times.append(time.process_time() - start)
    rate = lines / statistics.median(times)
    yield Row("conversion, engine alone, one core", f"{rate:,.0f} lines/s", budget="15,000 lines/s")


def _rate(folder: Path, lines: int, command: Callable[[Path, Path], list[str]]) -> float:
    """Lines a second, the median of a few runs, without the time that an empty file takes."""

    def run(source: str) -> float:
        output = folder / "out"
        shutil.rmtree(output, ignore_errors=True)
        arguments = command(folder / source, output)
        return _timed(lambda: _finished(arguments))

    start = statistics.median(run("empty") for _ in range(_ROUNDS))
    return lines / max(statistics.median(run("src") for _ in range(_ROUNDS)) - start, 1e-3)


def _finished(arguments: list[str]) -> None:
    """Run a command that may leave torch in the code, which is no failure."""
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    if done.returncode > 1:
        raise RuntimeError(f"{' '.join(arguments)}: {done.stderr.strip()[-500:]}")


def _torchferry(source: Path, output: Path) -> list[str]:
    return [sys.executable, "-m", "workbench.cli", "convert", str(source), "-o", str(output)]


def _paconvert(source: Path, output: Path) -> list[str]:
    return [sys.executable, "-m", "paconvert.main", "-i", str(source), "-o", str(output)]


def _timed(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start
