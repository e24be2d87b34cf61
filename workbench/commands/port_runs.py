"""The runs of a port's steps: models, tests and imports, each in a separate process."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from workbench import files
from workbench.commands.watched import watched
from workbench.errors import TorchferryError
from workbench.importing import home_of
from workbench.ports.plan import Trial, Verified, amount
from workbench.ports.runs import CERTIFIED, DIFFERS, NOT_RUN
from workbench.targets.installed import lacking, missing_packages
from workbench.watching import Report

if TYPE_CHECKING:
    from workbench.verify.sides.loading import Source

_FEW = 3
_ORIGINAL = "running the original"


@dataclass(frozen=True)
class ProcessRuns:
    """Runs in processes that are ended when they hang.

    Attributes:
        target: the port's framework.
        patience: the maximum seconds of a run without a report.
    """

    target: str
    patience: float

    def model(self, original: Path, ported: Path, trial: Trial, certificate: Path) -> Verified:
        """Verify a model of a file; see `workbench.ports.runs.Runs`."""
        args = (str(original), str(ported), trial, self.target, certificate)
        if missing := missing_packages(self.target):
            return Verified(trial.call, NOT_RUN, lacking(missing))
        try:
            outcome, summary = watched(_model, *args, patience=self.patience)
        except TorchferryError as error:  # the process hung or crashed
            outcome = NOT_RUN if _ORIGINAL in str(error) else DIFFERS
            summary = str(error)
        return Verified(trial.call, outcome, summary)

    def tests(self, original: Path, ported: Path, path: str) -> Verified:
        """Run a file of tests on both sides; see `workbench.ports.runs.Runs`."""
        call = f"tests of {path}"
        if missing := missing_packages(self.target):
            return Verified(call, NOT_RUN, lacking(missing))
        before = _tested(original, path, self.patience)
        wanted = [name for name, failed in before.items() if failed is None]
        if not wanted:
            reasons = [reason for reason in before.values() if reason]
            why = f": {reasons[0]}" if reasons else ""
            return Verified(call, NOT_RUN, f"no test of it passes in torch here{why}")
        after = _tested(ported, path, self.patience)
        off = [name for name in wanted if after.get(name, "not run") is not None]
        if not off:
            return Verified(call, CERTIFIED, f"pass on both sides: {amount(len(wanted), 'test')}")
        shown = "; ".join(f"{name}: {after.get(name, 'not run')}" for name in off[:_FEW])
        more = f"; and {len(off) - _FEW} more" if len(off) > _FEW else ""
        which = f"{len(off)} of {amount(len(wanted), 'test')} fail in the port"
        return Verified(call, DIFFERS, f"{which}: {shown}{more}")

    def imports(self, original: Path, ported: Path) -> Verified:
        """Import a file's port; see `workbench.ports.runs.Runs`."""
        if missing := missing_packages(self.target):
            return Verified("", NOT_RUN, lacking(missing))
        try:
            failed = watched(_imported, ported, patience=self.patience)
            if failed is None:
                return Verified("", CERTIFIED, "imported")
            there = watched(_imported, original, patience=self.patience)
        except TorchferryError as error:
            return Verified("", NOT_RUN, str(error))
        if there is not None:
            return Verified("", NOT_RUN, f"the original does not run here: {there}")
        return Verified("", DIFFERS, failed)


def _model(
    original: str, ported: str, trial: Trial, target: str, certificate: Path, report: Report
) -> tuple[str, str]:
    """Verify a model if the original runs here; return the outcome and a summary."""
    import torch

    from workbench.commands.guessed_inputs import guessed_inputs, runs
    from workbench.commands.verify import Written, work
    from workbench.verify.sides.loading import load
    from workbench.verify.sides.places import Births

    report(_ORIGINAL)
    place = f"{original}:{trial.call}"
    if (failed := _failure_of_import(Path(original))) is not None:
        return NOT_RUN, f"the original does not run here: {failed}"
    torch.manual_seed(0)
    try:
        source = load(place, torch.nn.Module, Births(), torch.optim.Optimizer)
        model = source.make()
    except TorchferryError as error:
        return NOT_RUN, f"the original cannot be made here: {error}"
    inputs = trial.inputs
    named = any(source.has(name) for name in ("example_inputs", "batch"))
    if not inputs and not named:
        inputs = guessed_inputs(model, source.module)
        if not inputs:
            return NOT_RUN, "its inputs are not known; write them in the plan"
    elif inputs and (failed := runs(model, inputs, source.module)) is not None:
        return NOT_RUN, f"the original does not run with these inputs: {failed}"
    asked: dict[str, Any] = {"inputs": list(inputs), "batch": "", "loss": "", "optimizer": ""}
    asked |= {"steps": 5, "maps": [], "channels_last": False}
    try:
        sheet = work(place, f"{ported}:{trial.call}", asked, target, Written(certificate), report)
    except TorchferryError as error:
        return DIFFERS, str(error)
    if sheet.good:
        report("timing both sides")
        _add_times(certificate, source, f"{ported}:{trial.call}", inputs, target)
        return CERTIFIED, ""
    outcomes = {check["outcome"] for check in sheet.data["checks"]}
    return (DIFFERS if "differs" in outcomes else NOT_RUN), sheet.verdict


def _add_times(
    certificate: Path, source: Source, port: str, inputs: tuple[str, ...], target: str
) -> None:
    """Add the times of both sides to a certificate, if they can be measured."""
    from workbench.commands.side_times import side_times

    data = json.loads(files.read(certificate))
    with contextlib.suppress(Exception):  # the verification itself has run both sides
        data["milliseconds"] = side_times(source, port, inputs, target)
        files.write(certificate, (json.dumps(data, indent=2) + "\n").encode())


def _imported(file: Path, report: Report) -> str | None:
    """Import a file; return why it fails, or None."""
    report("importing the file")
    return _failure_of_import(file)


def _failure_of_import(file: Path) -> str | None:
    """Import a file by its full name, with its package; return why it fails, or None.

    A port may import its helpers from its package while the original imports nothing of it. With
    their packages, both fail if a package fails.
    """
    from workbench.subjects import module_of, run_file

    home = home_of(file)
    parts = file.resolve().relative_to(home).with_suffix("").parts
    name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    try:
        with contextlib.chdir(home):
            if len(parts) > 1 and all(part.isidentifier() for part in parts):
                module_of(name)
            else:
                run_file(file)
    except TorchferryError as error:
        return str(error)
    except Exception as error:
        from workbench.capture.explain import innermost_line

        return f"{innermost_line(error) or file}: {type(error).__name__}: {error}"
    return None


def _tested(root: Path, path: str, patience: float) -> dict[str, str | None]:
    """Run a file of tests; return each test with None if it passes, otherwise the reason."""
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results.xml"
        roots = [str(root), str(root / "src"), os.environ.get("PYTHONPATH", "")]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, roots))}
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        try:
            subprocess.run(
                [*command, f"--junitxml={results}", path],
                cwd=root,
                env=environment,
                capture_output=True,
                timeout=patience,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return {}
        return _results(results) if results.exists() else {}


def _results(file: Path) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for case in ElementTree.parse(file).iter("testcase"):
        name = f"{case.get('classname', '').rpartition('.')[2]}.{case.get('name')}"
        bad = next((one for one in case if one.tag in ("failure", "error", "skipped")), None)
        message = None if bad is None else _message(bad)
        found[name] = message if found.get(name) is None else found[name]
    return found


def _message(bad: ElementTree.Element) -> str:
    """Return why a test did not pass: the error itself, if its module could not be imported."""
    lines = [line[1:].strip() for line in (bad.text or "").splitlines() if line.startswith("E ")]
    message = (bad.get("message") or bad.tag).partition("\n")[0]
    return lines[-1] if lines and message == "collection failure" else message
