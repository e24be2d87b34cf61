"""Milliseconds per training step: converted programs compared with manual Paddle versions.

Each program lies in `bench/programs` twice, in torch and, as `NAME_plain.py`, in plain Paddle. The
two take turns in one process, so that both meet the same machine, and the fastest round of each
counts: on a shared machine whatever else runs only ever adds.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import workbench
from bench.table import Row

_PROGRAMS = Path(__file__).parent / "programs"
_NAMES = ("cnn", "gpt", "lstm", "vae")
_ROUNDS, _STEPS = 80, 4
# Prints the milliseconds per step of both, round by round; the first round warms up.
_SIDE = """\
import sys, time
sys.path[:0] = [{converted!r}, {by_hand!r}]
import paddle, {name}, {name}_plain
sides = [{name}, {name}_plain]
states = [side.build() for side in sides]
times = [[], []]
for round in range({rounds} + 1):
    order = (0, 1) if round % 2 else (1, 0)
    for which in order:
        start = time.perf_counter()
        sides[which].train(states[which], {steps})
        times[which].append((time.perf_counter() - start) * 1000 / {steps})
for one in times:
    print(*one[1:])
"""


def rows() -> Iterator[Row]:
    """Yield the time of each program in each style."""
    for style in ("plain", "exact"):
        budget = "1.10 × by hand" if style == "plain" else ""
        for name in _NAMES:
            ours, theirs = map(min, measure(name, style))
            ratio = ours / theirs
            figures = f"{ours:.2f} ms, {ratio:.2f} × by hand"
            yield Row(f"training step, {name}, {style}", figures, 1 / ratio, budget)


def measure(name: str, style: str) -> tuple[list[float], list[float]]:
    """Return the milliseconds per step, round by round, of the converted and of the manual program.

    Raises:
        RuntimeError: one of the two does not run.
    """
    source = (_PROGRAMS / f"{name}.py").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        code = workbench.convert(source, style=style).code
        (Path(folder) / f"{name}.py").write_text(code, encoding="utf-8")
        script = _SIDE.format(
            converted=folder, by_hand=str(_PROGRAMS), name=name, rounds=_ROUNDS, steps=_STEPS
        )
        command = [sys.executable, "-c", script]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{name}, {style}: {done.stderr.strip()[-500:]}")
    ours, theirs = ([float(one) for one in line.split()] for line in done.stdout.splitlines()[-2:])
    return ours, theirs
