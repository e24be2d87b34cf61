"""Execution of a cell in several processes, with a comparison per rank.

torch's launcher or the target's starts the processes. Each runs both sides, which communicate over
gloo: torch's with torch's, and the target's with the target's. The values that the cell uses are
copied to every process; its results stay there.
"""

from __future__ import annotations

import ast
import os
import pickle
import re
import socket
import subprocess
import sys
import tempfile
import types
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.compare.carry.origin import definition, is_library
from workbench.compare.cells.reach import reach
from workbench.compare.cells.steps import free_names
from workbench.compare.processes.isolated import pickled
from workbench.compare.result import Comparison, Row, Run, RunError
from workbench.errors import TorchferryError
from workbench.targets.bridge import CarryError

if TYPE_CHECKING:
    import workbench
    from workbench.compare.cells.options import Options
    from workbench.compare.cells.session import Session

JOB, ANSWER, LOGS = "job.pickle", "rank-{}.pickle", "logs"
LAUNCHERS = ("torch", "target")
# The script for a launcher that takes a file.
_START = """from pathlib import Path
from workbench.compare.processes.rank import main
main(Path(__file__).parent)
"""
_LINES_OF_TROUBLE = 6
# The launcher's last table, which names the first failure.
_BLAMED = re.compile(r"Root Cause.*?^\s*rank\s*:\s*(?P<rank>\d+)", re.DOTALL | re.MULTILINE)


class RanksError(TorchferryError):
    """The processes of a cell could not be started, or failed."""


@dataclass(slots=True)
class Job:
    """Data for every process: imports and definitions as text, values as bytes, and the cell."""

    target: str
    source: str
    filename: str
    options: dict[str, Any]
    text: list[str] = field(default_factory=list)
    values: bytes = b""
    left: list[str] = field(default_factory=list)
    rules: Path | None = None
    style: str | None = None
    init: str | None = None


def run_ranks(
    session: Session,
    source: str,
    conversion: workbench.Conversion,
    *,
    processes: int,
    options: Options,
    seconds: float,
    launcher: str = "torch",
) -> Comparison:
    """Run a cell on several processes, and compare both sides of each.

    `launcher` selects which framework starts them: "torch" or "target".

    Raises:
        RanksError: a process failed outside of the cell, or they did not end in time.
    """
    if {options.device, options.target_device or "cpu"} != {"cpu"}:
        raise RanksError("several processes run only on the CPU, with gloo; omit the device")
    job = _job(session, source, options)
    with tempfile.TemporaryDirectory(prefix="torchferry-") as name:
        folder = Path(name)
        (folder / JOB).write_bytes(pickle.dumps(job))
        if launcher == "torch":
            command = _torch_launcher(folder, processes)
        else:
            (folder / "start.py").write_text(_START)
            command = session.bridge.launcher(processes, folder / LOGS)
            command.append(str(folder / "start.py"))
        output = _launch(command, seconds)
        answers = [folder / ANSWER.format(rank) for rank in range(processes)]
        lost = [rank for rank, answer in enumerate(answers) if not answer.exists()]
        if lost:
            first = _first_to_fail(output, lost)
            output = session.bridge.log_of(first, folder / LOGS) or output
            trouble = "\n".join(output.splitlines()[-_LINES_OF_TROUBLE:])
            raise RanksError(f"rank {first} failed: {trouble}")
        parts: list[Comparison] = [pickle.loads(answer.read_bytes()) for answer in answers]
    whole = _together(parts, source, conversion, options)
    whole.notes += [f"{name} could not be copied to the processes" for name in job.left]
    whole.notes.append("names that the cell binds stay in its processes")
    return whole


def _job(session: Session, source: str, options: Options) -> Job:
    """Return the cell with what it uses: modules as imports, code as source, the rest by value."""
    settings = {
        "tolerance": options.tolerance,
        "seed": options.seed,
        "first_line": options.first_line,
    }
    job = Job(
        session.target,
        source,
        "<cell of several processes>",
        settings,
        rules=session.rules,
        style=session.style,
        init=session.init,
    )
    used = reach(free_names(ast.parse(source).body), session.namespace)
    values: dict[str, Any] = {}
    for name in [name for name in session.namespace if name in used]:
        value = session.namespace[name]
        if name.startswith("_") or name in ("In", "Out", "get_ipython", "exit", "quit", "open"):
            continue
        if isinstance(value, types.ModuleType):
            job.text.append(f"import {value.__name__} as {name}")
        elif isinstance(value, type | types.FunctionType) and not is_library(value):
            try:
                job.text.append(definition(value).source)
            except CarryError:
                job.left.append(name)
        elif pickled(value) is None:
            job.left.append(name)
        else:
            values[name] = value
    job.values = pickled(values) or b""
    return job


def _torch_launcher(folder: Path, processes: int) -> list[str]:
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", str(processes)]
    command += ["--master-addr", "127.0.0.1", "--master-port", str(_free_port())]
    return [*command, "-m", "workbench.compare.processes.rank", str(folder)]


def _launch(command: list[str], seconds: float) -> str:
    """Start the processes, wait, and return their error output."""
    paths = os.pathsep.join(path for path in sys.path if path)
    environment = os.environ | {"PYTHONPATH": paths, "OMP_NUM_THREADS": "1"}
    # Each rank adds the working folder after it has imported our modules; see `rank`.
    environment |= {"PYTHONSAFEPATH": "1"}
    # torch's side meets at this address if the target's launcher starts the processes.
    environment |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(_free_port())}
    try:
        done = subprocess.run(
            command, env=environment, timeout=seconds, capture_output=True, text=True, check=False
        )
    except subprocess.TimeoutExpired:
        raise RanksError(f"the processes did not end within {seconds:g} s") from None
    return done.stderr


def _first_to_fail(output: str, lost: list[int]) -> int:
    """Return the rank that the launcher blames.

    The launcher ends the other ranks, often before they have written their answers.
    """
    blamed = _BLAMED.search(output)
    return int(blamed["rank"]) if blamed else lost[0]


def _together(
    parts: list[Comparison], source: str, conversion: workbench.Conversion, options: Options
) -> Comparison:
    """Return one comparison of all ranks; each row names its rank."""
    runs = Run("torch"), Run(parts[0].target_name)
    whole = Comparison.begun(source, conversion, *runs, options.first_line)
    for rank, part in enumerate(parts):
        whole.rows += [_of_rank(row, rank) for row in part.rows]
        whole.notes += [f"rank {rank}: {note}" for note in part.notes]
        whole.curves += [replace(curve, name=f"rank {rank}: {curve.name}") for curve in part.curves]
        for run, own in ((whole.torch, part.torch), (whole.target, part.target)):
            run.seconds = max(run.seconds, own.seconds)
            run.peak_memory = max(run.peak_memory or 0, own.peak_memory or 0)
            run.output += "".join(f"rank {rank}: {line}\n" for line in own.output.splitlines())
            if own.error and not run.error:
                run.error = RunError(
                    own.error.kind, f"rank {rank}: {own.error.message}", own.error.line
                )
    return whole


def _of_rank(row: Row, rank: int) -> Row:
    return replace(row, name=f"rank {rank}: {row.name}")


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
