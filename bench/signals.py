"""Commands ended by signals at random moments: `python -m bench.signals [COUNT]`.

Each command starts in a separate group, gets one signal after a random time, and has two seconds to
end. It counts if it ends in time with the signal's exit code, prints one line, and leaves no
process running. Only the last of these applies to SIGKILL, and to a signal that arrives while
Python still reads the command: the system or Python ends it before our first line.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)
PATIENCE = 2.0
_MARK = "TORCHFERRY_STARTED_BY"
_LINE = "torchferry: interrupted"
_MODEL = "import torch\nnet = torch.nn.Sequential(*[torch.nn.Linear(8, 8) for _ in range(40)])\n"
_CODE = """\
import torch
class Net{number}(torch.nn.Module):
    def forward(self, x):
        return torch.cat([x, x.view(-1, {number})], dim=1).contiguous()
"""


@dataclass(frozen=True, slots=True)
class Attempt:
    """How a command ended: the problem, if any, and whether the signal came too late."""

    wrong: str = ""
    late: bool = False


def project(folder: Path, files: int = 24) -> Path:
    """Create a project whose check and conversion take some seconds, and a model."""
    code = "\n\n".join(_CODE.format(number=number) for number in range(1, 120))
    (folder / "code").mkdir(parents=True)
    for number in range(files):
        (folder / "code" / f"m{number}.py").write_text(code)
    (folder / "model.py").write_text(_MODEL)
    return folder


def commands(folder: Path) -> list[tuple[list[str], float]]:
    """Return each command with the seconds within which the signal comes."""
    code, out = str(folder / "code"), str(folder / "out")
    model = [f"{folder / 'model.py'}:net", "--inputs", "2x8"]
    return [
        (["check", code, "--jobs", "1"], 4.0),
        (["check", code, "--jobs", "2"], 4.0),
        (["convert", code, "-o", out, "--jobs", "1"], 4.0),
        (["convert", code, "-o", out, "--jobs", "2"], 4.0),
        (["convert", code, "--diff"], 4.0),
        (["trace", *model], 8.0),
        (["compare", *model], 12.0),
        (["prove", "torch.cat", "--jobs", "2"], 12.0),
    ]


def attempt(
    arguments: list[str], number: signal.Signals, seconds: float, *, to_group: bool = False
) -> Attempt:
    """Start a command, signal it or its group after some seconds, and return how it ended."""
    mark = uuid.uuid4().hex
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "torchferry", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            env=os.environ | {_MARK: mark},
            start_new_session=True,
            preexec_fn=_listen,
        )
        try:
            time.sleep(seconds)
            late = process.poll() is not None
            if not late:
                (os.killpg if to_group else os.kill)(process.pid, number)
            end = time.monotonic() + PATIENCE
            while (left := _left(mark)) and time.monotonic() < end:
                time.sleep(0.02)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(max(0.0, end - time.monotonic()))
            errors.seek(0)
            output = errors.read().decode(errors="replace")
            wrong = _wrong(process.poll(), number, output, left)
        finally:
            for pid in _left(mark):
                os.kill(pid, signal.SIGKILL)
            process.wait()
    return Attempt(late=True) if late and not left else Attempt(wrong)


def _listen() -> None:
    """Restore the signals of a terminal: `nohup` and background jobs have some ignored."""
    for number in SIGNALS[:3]:
        signal.signal(number, signal.SIG_DFL)


def _wrong(code: int | None, number: signal.Signals, output: str, left: list[int]) -> str:
    if left:
        return f"{len(left)} processes left"
    if number == signal.SIGKILL:
        return ""
    # A signal during the start is handled by the system, and before any import by Python.
    ours = "torchferry/__main__" in output or "/workbench/" in output
    if not ours and (code == -number or output.endswith("KeyboardInterrupt\n")):
        return ""
    if code != 128 + number:
        return f"exit code {code}: {output}"
    lines = output.splitlines()
    return "" if len(lines) == 1 and lines[0].startswith(_LINE) else f"it said: {output}"


def _left(mark: str) -> list[int]:
    """Return the processes of one command, by a mark in their environment."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            state = (place / "stat").read_text().rpartition(")")[2].split()[0]
            if state != "Z" and f"{_MARK}={mark}".encode() in (place / "environ").read_bytes():
                found.append(int(place.name))
        except OSError:  # it has ended
            continue
    return found


def main(count: int) -> int:
    """Make this many attempts; return 0 if all succeeded."""
    chance = random.Random()
    seen: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = project(Path(name))
        for turn in range(count):
            every = commands(folder)
            arguments, most = every[turn % len(every)]
            number = SIGNALS[turn // len(every) % len(SIGNALS)]
            seconds, to_group = chance.uniform(0, most), chance.random() < 0.5
            found = attempt(arguments, number, seconds, to_group=to_group)
            seen["wrong" if found.wrong else "late" if found.late else "good"] += 1
            if found.wrong:
                where = f"{arguments[0]} {' '.join(arguments[2:])}, {number.name}, {seconds:.2f} s"
                print(f"{where}{', group' if to_group else ''}: {found.wrong}", flush=True)
            shutil.rmtree(folder / "out", ignore_errors=True)
    print(f"{count} ended: {seen['good']} as they should, {seen['late']} had ended before the")
    print(f"signal came, {seen['wrong']} otherwise")
    return 1 if seen["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 200))
