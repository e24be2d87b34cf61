"""A ported notebook run cell by cell, and compared with the original's saved outputs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from workbench import files
from workbench.compare.result import Outcome
from workbench.convert.notebook.notebook_files import Cell, Notebook, open_notebook
from workbench.convert.notebook.port_record import (
    KEY,
    Changed,
    changed_cells,
    content_hash,
    facts_of,
    record_of,
    text_of,
)
from workbench.errors import TorchferryError
from workbench.streams import printed_text
from workbench.targets import load
from workbench.targets.bridge import load_bridge
from workbench.verify.notebook_kernel import Result, run_cells
from workbench.version import __version__

_WIDGET = "application/vnd.jupyter.widget-view+json"
_OWN = "application/vnd.torchferry."
_MODULE = re.compile(r"^(?:\w+\((?:\n {2,}.*)+\n\)|\w+\(in_\w+=[^()\n]*\))$", re.MULTILINE)
_TIMES = re.compile(r"^(?:CPU times: |Wall time: |.* per loop \(mean).*\n?", re.MULTILINE)
_DEVICE = re.compile(r"device\(type='(\w+)'(?:, index=(\d+))?\)")
_COMMANDS = re.compile(r"(?:%%(?:bash|sh|script)\b.*(?:\n.*)*|(?:[!#].*|\s*)(?:\n(?:[!#].*|\s*))*)")
_BREAK = re.compile(r"\s+|\\n")  # also one within the text of a string
# A second run draws other random numbers, so that what depends on them shows.
_OTHER_SEEDS = """\
def _with_other_seeds(module, name):
    own = getattr(module, name, None)
    if own is not None:
        setattr(module, name, lambda seed=0, *rest: own(int(seed or 0) + 7919, *rest))
import numpy, random, {module}
for _module in (numpy.random, random, {module}):
    _with_other_seeds(_module, "seed")
    _with_other_seeds(_module, "manual_seed")
del _with_other_seeds, _module, numpy, random, {module}
"""
_VERSIONS = """\
import json, sys, {module}
print(json.dumps(dict(version={module}.__version__, torch="torch" in sys.modules)))
"""


@dataclass(frozen=True, slots=True)
class CellCheck:
    """How one code cell of the port compares with the original's saved outputs."""

    number: int
    first_line: str
    outcome: Outcome
    detail: str = ""

    def __str__(self) -> str:
        detail = " ".join(self.detail.split())[:120]
        return f"{self.number:>4}  {self.outcome.word:<18} {self.first_line:<40}  {detail}".rstrip()


@dataclass(frozen=True, slots=True)
class NotebookCheck:
    """Outcome of running a port.

    Attributes:
        cells: its code cells.
        changed: cells whose text changed on either side since the port was written.
        imports_torch: it still loads torch.
    """

    cells: tuple[CellCheck, ...]
    changed: tuple[Changed, ...]
    imports_torch: bool

    @property
    def agrees(self) -> bool:
        """Return whether no cell differs or raises on only one side."""
        return all(cell.outcome.agrees is not False for cell in self.cells)

    def __str__(self) -> str:
        counts = [(one, sum(cell.outcome is one for cell in self.cells)) for one in Outcome]
        total = ", ".join(f"{count} {one.word}" for one, count in counts if count)
        lines = [*map(str, self.cells), f"verified: {total}" if total else "no code cells"]
        if self.imports_torch:
            lines.append("the port still imports torch")
        lines += [f"must be checked again: {one}" for one in self.changed]
        return "\n".join(lines)


def verify_notebook(original: Path, port: Path) -> NotebookCheck:
    """Run a port in a separate kernel, and compare what its cells show with the original's.

    The port keeps its new outputs. The metadata of a cell that agrees gets `verified`: the time
    and the versions.

    Raises:
        TorchferryError: a file is not a notebook or not a port, or nbclient is missing.
    """
    ours, theirs = open_notebook(original), open_notebook(port)
    facts = facts_of(theirs)
    if facts is None:
        raise TorchferryError(f"{port} is not a port of a notebook; torchferry port writes one")
    target = str(facts["target"])
    module = load(target).module
    versions = _VERSIONS.format(module=module)
    ran = run_cells(theirs.text, port, after=versions)
    pairs = list(_pairs(ours, theirs))
    plain = _plain(target)
    checks = [_check(pair, result, plain) for pair, result in zip(pairs, ran.cells, strict=True)]
    if any(check.outcome is Outcome.DIFFERENT for check in checks):
        again = run_cells(theirs.text, port, before=_OTHER_SEEDS.format(module=module))
        checks = [
            _unless_random(check, *both, plain)
            for check, both in zip(checks, zip(ran.cells, again.cells, strict=True), strict=True)
        ]
    _record(theirs, ran.cells, checks, {target.partition("=")[0]: ran.facts.get("version")})
    files.write(port, theirs.dumped().encode(), like=port)
    changed = tuple(changed_cells(ours, theirs))
    return NotebookCheck(tuple(checks), changed, bool(ran.facts.get("torch")))


def _plain(target: str) -> Callable[[str], str]:
    """Return the function that converts a target's printed text to torch's spelling."""
    try:
        return load_bridge(target).plain_text
    except ImportError as error:
        raise TorchferryError(
            f"{error.name} is not installed here; run: pip install 'torchferry[torch,{target}]'"
        ) from error


@dataclass(frozen=True, slots=True)
class _Pair:
    """A cell of the port and the cell that it was written from."""

    cell: Cell
    original: dict[str, Any] | None
    why: str = ""  # the reason if there is none


def _pairs(original: Notebook, port: Notebook) -> Iterator[_Pair]:
    waiting: dict[str, list[dict[str, Any]]] = {}
    for cell in original.cells:
        waiting.setdefault(content_hash(text_of(cell.data)), []).append(cell.data)
    for cell in port.cells:
        record = record_of(cell.data)
        found = waiting.get(str(record.get("original")))
        why = (
            ("the original's cell has changed since then")
            if record
            else "the original has no such cell"
        )
        yield _Pair(cell, found.pop(0)) if found else _Pair(cell, None, why)


def _check(pair: _Pair, result: Result, plain: Callable[[str], str]) -> CellCheck:
    lines = (line.strip() for line in pair.cell.source.splitlines())
    first = next((line for line in lines if line and not line.startswith("#")), "")[:40]
    outcome, detail = _outcome(pair, result, plain)
    return CellCheck(pair.cell.number, first, outcome, detail)


def _outcome(pair: _Pair, result: Result, plain: Callable[[str], str]) -> tuple[Outcome, str]:
    if pair.original is None:
        return Outcome.UNCHECKED, pair.why
    saved = list(pair.original.get("outputs") or [])
    ours, theirs = _error(saved), _error(result.outputs)
    if ours and theirs:
        return Outcome.RAISED, theirs
    if ours or theirs:
        return (
            Outcome.RAISED_ALONE,
            f"only {'torch' if ours else 'the port'} raises {ours or theirs}",
        )
    if not pair.cell.source.strip():
        return Outcome.UNCHECKED, "the cell is empty in the port"
    if _COMMANDS.fullmatch(pair.cell.source):
        return Outcome.UNCHECKED, "the output of commands is not compared"
    if not saved and pair.original.get("execution_count") is None:
        return Outcome.UNCHECKED, "the original has no saved outputs: it was not run"
    return _shown(_text(saved), plain(_text(result.outputs)), saved)


def _shown(ours: str, theirs: str, saved: list[Any]) -> tuple[Outcome, str]:
    """Return how the displays of both sides compare."""
    ours = _DEVICE.sub(_device, ours)
    modules = bool(_MODULE.search(ours))
    if modules:
        ours, theirs = (_MODULE.sub("<module>", text) for text in (ours, theirs))
    if gap := _difference(ours, theirs):
        return Outcome.DIFFERENT, gap
    if any("image/png" in output.get("data", {}) for output in saved):
        return Outcome.UNCHECKED, "pictures are not compared"
    if modules and ours.strip() == "<module>":
        return Outcome.UNCHECKED, "the frameworks describe modules in different words"
    return Outcome.SAME, ""


def _device(found: re.Match[str]) -> str:
    """Return a device that torch displayed, as a target displays it."""
    kind, index = found.groups()
    return f"'{kind}'" if kind == "cpu" else f"'{kind}:{index or 0}'"


def _difference(ours: str, theirs: str) -> str:
    """Return where two texts diverge; IPython breaks lines by the length of their content."""
    gap = printed_text.difference(ours, theirs, timed=True)
    one, other = (" ".join(_BREAK.split(text)) for text in (ours, theirs))
    return gap and printed_text.difference(one, other) and gap


def _unless_random(
    check: CellCheck, result: Result, again: Result, plain: Callable[[str], str]
) -> CellCheck:
    """Change a difference to unchecked if other seeds give the port another text."""
    first, second = (plain(_text(each.outputs)) for each in (result, again))
    if check.outcome is not Outcome.DIFFERENT or not _difference(first, second):
        return check
    detail = "it depends on random numbers, which the two frameworks draw differently"
    return CellCheck(check.number, check.first_line, Outcome.UNCHECKED, detail)


def _error(outputs: list[Any]) -> str:
    found = (one for one in outputs if one.get("output_type") == "error")
    return next((f"{one.get('ename')}: {one.get('evalue')}" for one in found), "")


def _text(outputs: list[Any]) -> str:
    """Return the text that a cell prints and displays."""
    parts = []
    for output in outputs:
        if output.get("output_type") == "stream":
            parts.append(_joined(output.get("text", "")) if output.get("name") == "stdout" else "")
        if not _is_own(output):
            parts.append(_joined((output.get("data") or {}).get("text/plain", "")))
    text = "\n".join(part.strip("\n") for part in parts if part.strip())
    return _TIMES.sub("", text)


def _is_own(output: Any) -> bool:
    """Return whether an output is Torchferry's, or a widget, which is displayed elsewhere."""
    data = output.get("data") or {}
    own = any(kind.startswith(_OWN) for kind in data) or KEY in (output.get("metadata") or {})
    return own or _WIDGET in data


def _joined(text: str | list[str]) -> str:
    return text if isinstance(text, str) else "".join(text)


def _record(
    port: Notebook, results: list[Result], checks: list[CellCheck], versions: dict[str, Any]
) -> None:
    """Put the new outputs into the port, and what each cell came to into its metadata."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    for cell, result, check in zip(port.cells, results, checks, strict=True):
        cell.data.update(outputs=result.outputs, execution_count=result.count)
        record = record_of(cell.data)
        record.pop("verified", None)
        if check.outcome is Outcome.SAME:
            record["verified"] = {"at": now, "torchferry": __version__, **versions}
            cell.data.setdefault("metadata", {})[KEY] = record
