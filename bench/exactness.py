"""Short pieces of torch code, converted here in both styles and by its rivals, run on both sides.

The pieces are torch's own, the examples of its documentation and samples of its operator database
in many call forms, and ordinary programs of a few lines. Each is judged by what it binds: values,
dtypes, shapes and `requires_grad`; of programs by their result. What is wrong or raises without a
finding (PaConvert's mark is `>>>>>>`) is silent; a finding on what is equal is an alarm. In the
plain style the target may raise, which nobody overlooks. Paddle's own import hook,
`enable_compat()`, converts nothing: `import torch` gives Paddle.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from bench import ordinary
from bench.table import Row
from workbench.convert.conversion import convert
from workbench.errors import TorchferryError
from workbench.findings import Severity
from workbench.proof.jobs import Job
from workbench.proof.snippet import Outcome, Result, Snippet
from workbench.proof.worker import Worker, run_all
from workbench.targets import Target, load

_PER_OPERATOR = 4
_SHARE = 0.02  # of the operator database's samples, from which these are taken
_PROGRAMS, _SEED = 1500, 0  # every template at least once
_IN_A_JOB = 40
_ALARM = "alarm"
_PLAIN, _EXACT, _THEIRS, _HOOK = "plain", "exact", "PaConvert", "Paddle's hook"
_ALL = (_PLAIN, _EXACT, _THEIRS, _HOOK)
_MARK = ">>>>>>"


def rows() -> Iterator[Row]:
    """Yield the shares of equal and silently wrong results, by kind of pieces."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        kinds = {
            "torch's documented examples": _examples(),
            "torch's operator samples": _samples(),
            ordinary.NAME: ordinary.snippets(_PROGRAMS, _SEED),
        }
        for kind, pieces in kinds.items():
            yield from _shares(kind, _counted(pieces, folder / kind.replace(" ", "-")))


def _examples() -> list[Snippet]:
    from workbench.proof.samples import examples

    return [piece for name in examples.names() for piece in examples.snippets(name)]


def _samples() -> list[Snippet]:
    """Return a few pieces for each operator, spread over its samples and forms."""
    from workbench.proof.samples import operators

    chosen: list[Snippet] = []
    for name in operators.names():
        pieces = list(operators.snippets(name, _SHARE))
        step = max(1, len(pieces) // _PER_OPERATOR)
        chosen += pieces[::step][:_PER_OPERATOR]
    return chosen


def _counted(pieces: list[Snippet], folder: Path) -> dict[str, Counter[str]]:
    """Return the numbers of outcomes by converter."""
    jobs = []
    for start in range(0, len(pieces), _IN_A_JOB):
        some = pieces[start : start + _IN_A_JOB]
        batch = folder / str(start)
        source, output = batch / "in", batch / "out"
        source.mkdir(parents=True)
        for index, piece in enumerate(some):
            (source / f"piece{index}.py").write_text(piece.source(), encoding="utf-8")
        if find_spec("paconvert") is not None:
            _convert_by_paconvert(source, output)
        pickled = batch / "pieces.pickle"
        pickled.write_bytes(pickle.dumps((some, output)))
        jobs.append(Job("example", str(pickled), (str(pickled),)))
    counts: dict[str, Counter[str]] = {converter: Counter() for converter in _ALL}
    workers = [Worker("paddle", make=_trials, patience=60) for _ in range(os.cpu_count() or 1)]
    for _, results in run_all(jobs, workers):
        for place, result in enumerate(results):
            # The result of a crash lacks the converter's name, but they take turns.
            converter = _ALL[place % len(_ALL)]
            counts[converter][result.outcome] += 1
            counts[converter][_ALARM] += result.detail == _ALARM
    return counts


def _convert_by_paconvert(source: Path, output: Path) -> None:
    """Convert the whole folder, then the missing files one by one, since a file can end its run."""

    def run(given: Path, made: Path) -> None:
        command = [sys.executable, "-m", "paconvert.main", "-i", str(given), "-o", str(made)]
        subprocess.run(command, capture_output=True, check=False)

    run(source, output)
    for file in sorted(source.iterdir()):
        if not (output / file.name).exists():
            run(file, output / file.name)


def _trials(job: Job, target: str, share: float) -> Iterator[tuple[str, Callable[[], Result]]]:
    """Yield each piece as converted by each converter in turn."""
    pieces, output = pickle.loads(Path(job.name).read_bytes())
    sys.path.insert(0, str(output))  # PaConvert's helpers are next to its files
    sys.modules.pop("paddle_utils", None)
    for index, piece in enumerate(pieces):
        for style in (_PLAIN, _EXACT):
            yield piece.source(), partial(_ours, piece, load(target, style))
        yield piece.source(), partial(_theirs, piece, output / f"piece{index}.py")
        yield piece.source(), partial(_hooked, piece)


def _ours(piece: Snippet, target: Target) -> Result:
    try:
        conversion = convert(piece.source(), target=target)
    except TorchferryError:
        return _result(piece, Outcome.FAILS)
    if conversion.unconverted:
        return _result(piece, Outcome.REFUSED)
    reported = any(finding.severity is not Severity.HINT for finding in conversion.findings)
    return _judged(piece, conversion.code, reported=reported, raises=target.plain is not None)


def _theirs(piece: Snippet, output: Path) -> Result:
    if not output.exists():
        return _result(piece, Outcome.FAILS)
    code = output.read_text(encoding="utf-8")
    return (
        _result(piece, Outcome.REFUSED) if _MARK in code else _judged(piece, code, reported=False)
    )


def _hooked(piece: Snippet) -> Result:
    """Return the result of the unchanged piece with Paddle in place of torch."""
    code = f"with _torch_is_paddle():\n    exec({piece.source()!r}, globals())\n"
    head = f"from {__name__} import _torch_is_paddle\n"
    return _judged(piece, head + code, reported=False)


@contextlib.contextmanager
def _torch_is_paddle() -> Iterator[None]:
    import paddle

    real = {name: one for name, one in sys.modules.items() if name.split(".")[0] == "torch"}
    for name in real:
        del sys.modules[name]
    paddle.enable_compat(silent=True)
    try:
        yield
    finally:
        paddle.disable_compat()
        for name in [name for name in sys.modules if name.split(".")[0] == "torch"]:
            del sys.modules[name]
        sys.modules.update(real)


def _judged(piece: Snippet, code: str, *, reported: bool, raises: bool = False) -> Result:
    from workbench.proof.trial import compare, execute, in_float64
    from workbench.proof.values import difference

    expected, error = execute(piece.source(), piece.arrays)
    if error:
        return _result(piece, Outcome.SKIPPED)
    actual, error = execute(code, piece.arrays)
    if error:
        unreported = Outcome.RAISES if raises else Outcome.FAILS
        return _result(piece, Outcome.CAVEAT if reported else unreported)
    if piece.rule == ordinary.NAME:
        expected = {"result": expected.get("result")}
    if piece.random or piece.undefined:
        found = difference(expected["result"], actual.get("result"), values=False)
    else:
        found = compare(expected, actual, lambda: in_float64(piece.source(), piece.arrays))
    if found:
        return _result(piece, Outcome.CAVEAT if reported else Outcome.WRONG)
    return _result(piece, Outcome.EQUAL, _ALARM if reported else "")


def _result(piece: Snippet, outcome: str, detail: str = "") -> Result:
    return Result(piece.rule, piece.form, piece.dtype, outcome, detail)  # type: ignore[arg-type]


def _shares(title: str, counts: dict[str, Counter[str]]) -> Iterator[Row]:
    """Yield a row for each converter: the shares of equal, silent and reported results."""
    for converter, count in counts.items():
        alarms = count.pop(_ALARM, 0)
        judged = sum(count.values()) - count[Outcome.SKIPPED]
        if converter == _THEIRS and find_spec("paconvert") is None:
            yield Row(f"{title}, {converter}", "is not installed: pip install paconvert")
            continue
        raising = count[Outcome.FAILS] + count[Outcome.HANGS]
        shares = [count[Outcome.EQUAL], count[Outcome.WRONG], count[Outcome.RAISES] + raising]
        equal, wrong, raises = (f"{one / max(judged, 1):.2%}" for one in shares)
        summary = f"{equal} equal; without a finding: {wrong} wrong, {raises} raise"
        name, budget = converter, ""
        if converter in (_PLAIN, _EXACT):
            name, budget = f"Torchferry {converter}", "97 % equal, 0.3 % wrong, a third alarms"
            summary += f"; {alarms / max(count[Outcome.EQUAL], 1):.1%} of the equal reported"
        yield Row(f"{title} ({judged:,}), {name}", summary, budget=budget)
