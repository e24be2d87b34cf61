"""The survey of a project that its plan is made from: a conversion that writes nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path, PurePosixPath

from workbench import files
from workbench.convert.dependencies.file_formats import is_dependency_file
from workbench.convert.examples.pieces import in_docstrings, in_markdown
from workbench.convert.project.file_job import Order, with_deep_stack
from workbench.convert.project.folder_run import Tick
from workbench.convert.project.module_graph import Project
from workbench.convert.project.runner import convert_path
from workbench.convert.report.report import FileResult, Report
from workbench.errors import TorchferryError
from workbench.findings import Severity
from workbench.ports.ecosystem import packages_in, risks_in
from workbench.ports.models import models_in
from workbench.ports.plan import (
    CERTIFICATES,
    DEPENDENCIES,
    MODULE,
    NOTEBOOK,
    Assessment,
    Plan,
    Step,
    Trial,
)
from workbench.targets.helpers import MODULE as HELPERS

_TESTS = ("test", "conftest")


def surveyed(
    folder: Path, order: Order, workers: int | None = None, tick: Tick = lambda done, total: None
) -> Plan:
    """Return a new plan for a folder, in the order of its imports.

    Args:
        folder: the project.
        order: what is wanted of every file.
        workers: how many processes convert at most.
        tick: called with the number of files done, and of all.
    """
    report = convert_path(folder, None, replace(order, write=False), workers=workers, tick=tick)
    paths = _paths(folder, order)
    trees, documents = _read(folder, paths)
    settings = order.settings
    plan = Plan(folder.resolve().name, order.target, settings.style, settings.init)
    plan.assessment = _assessment(report, trees)
    plan.assessment.packages = packages_in(trees, order.aim)
    plan.assessment.risks = list(risks_in(folder, paths, trees))
    models = models_in(trees, documents)
    steps = [_step(result) for result in report.files if _is_step(result)]
    for step in steps:
        step.trials, step.needs = models.of(PurePosixPath(step.path))
    plan.steps = with_deep_stack(lambda: _ordered(folder, order, steps))
    return plan


def kept(new: Plan, old: Plan) -> Plan:
    """Return a new plan with the decisions and the results of an old one.

    A step that was moved next to others follows the order of imports again, unless it is pinned.
    """
    steps = []
    for step in new.steps:
        before = old.step(step.path)
        if before is None:
            steps.append(step)
            continue
        facts = step if before.done is None else before
        trials = before.trials if before.done is not None else _kept_trials(step, before)
        steps.append(
            replace(
                facts,
                trials=trials,
                dropped=before.dropped,
                imports=_kept_imports(step, before, old),
                needs=[one for one in facts.needs if not _is_given(one, trials)],
                pinned=before.pinned,
                accepted=before.accepted,
                left_out=before.left_out,
                notes=before.notes,
                done=before.done,
            )
        )
    listed = {step.path for step in steps}
    # A file that was ported has no uses of torch left, and is no step of a new survey.
    done = [one for one in old.steps if one.done is not None and one.path not in listed]
    steps = [*done, *steps]
    for number, pinned in enumerate(old.chosen):
        found = [one for one in steps if one.path == pinned.path]
        if found and pinned.pinned:
            steps.remove(found[0])
            steps.insert(number, found[0])
    # The files that are ported are no longer counted.
    counted = old.assessment if any(step.done for step in steps) else new.assessment
    return replace(new, steps=steps, branch=old.branch, assessment=counted)


def _kept_trials(step: Step, before: Step) -> list[Trial]:
    """Return the trials of a new survey in the order of the old plan, with a person's own ones.

    Those that a person deleted or rewrote stay away.
    """
    wanted = [one for one in step.trials if not any(_covers(old, one) for old in before.dropped)]
    trials: list[Trial] = []
    for old in before.trials:
        now = next((one for one in wanted if one.is_same(old)), None)
        if now is not None:
            trials.append(now)
        elif not old.place:
            trials.append(old)
    return [*trials, *(one for one in wanted if one not in trials)]


def _covers(dropped: Trial, found: Trial) -> bool:
    """Return whether a deleted trial keeps a found one away; one without inputs has all of them."""
    return dropped.is_same(found) or (dropped.call == found.call and not dropped.inputs)


def _is_given(needed: str, trials: Iterable[Trial]) -> bool:
    """Return whether a person has written arguments and inputs for a model that lacked them."""
    name = needed.partition("(")[0]
    return any(one.inputs and one.call.partition("(")[0] == name for one in trials)


def _kept_imports(step: Step, before: Step, old: Plan) -> list[str]:
    """Return a step's imports; the new survey does not have those that are ported."""
    ported = {one.path for one in old.steps if one.done is not None}
    return sorted({*step.imports, *(path for path in before.imports if path in ported)})


def _paths(folder: Path, order: Order) -> list[PurePosixPath]:
    found = files.walk(folder, lambda file, message: None)
    own = [file for file in found if not order.settings.excludes(file)]
    paths = [PurePosixPath(file.relative_to(folder).as_posix()) for file in own]
    return [path for path in paths if path.parts[0] != CERTIFICATES]


def _read(
    folder: Path, paths: Iterable[PurePosixPath]
) -> tuple[dict[PurePosixPath, ast.Module], dict[PurePosixPath, list[ast.Module]]]:
    """Return the trees of a project's files of Python, and those of the code in its documents."""
    trees: dict[PurePosixPath, ast.Module] = {}
    documents: dict[PurePosixPath, list[ast.Module]] = {}
    for path in paths:
        if path.suffix not in files.MARKDOWN and path.suffix != ".py":
            continue
        try:
            text = files.decode(folder / path, files.read(folder / path))[0]
            if path.suffix == ".py":
                trees[path] = ast.parse(text)
                pieces = in_docstrings(text, trees[path]) if ">>> " in text else []
            else:
                pieces = in_markdown(text)
            documents[path] = [ast.parse(piece.code) for piece in pieces]
        except (TorchferryError, SyntaxError, ValueError, RecursionError):
            continue  # the survey reports it, or it is no code
    return trees, documents


def _assessment(report: Report, trees: dict[PurePosixPath, ast.Module]) -> Assessment:
    code = [file for file in report.files if file.kind in ("python", "notebook")]
    own = [file for file in code if file.uses or file.rows]
    asking = {row.code for _, row in report.rows() if row.severity != Severity.HINT}
    counts = {name: count for name, count in report.by_code() if name in asking}
    return Assessment(
        files=len(code),
        torch_files=len(own),
        lines=sum(file.lines for file in own),
        uses=report.total("uses"),
        converted=report.total("converted_uses"),
        codes=counts,
        failures=[file.failure for file in report.files if file.failure],
    )


def _is_step(result: FileResult) -> bool:
    if result.excluded or result.failure or PurePosixPath(result.path).stem == HELPERS:
        return False
    code = result.kind in ("python", "notebook") and bool(result.uses)
    return code or (result.kind == "dependencies" and result.changed) or result.changed


def _step(result: FileResult) -> Step:
    kinds = {"notebook": NOTEBOOK, "dependencies": DEPENDENCIES}
    kind = DEPENDENCIES if is_dependency_file(result.path) else kinds.get(result.kind, MODULE)
    codes: dict[str, int] = {}
    for row in result.rows:
        if row.severity in (Severity.INFORMATION, Severity.WARNING):
            codes[row.code] = codes.get(row.code, 0) + 1
    return Step(
        result.path,
        kind,
        lines=result.lines,
        uses=result.uses,
        converted=result.converted_uses,
        codes=codes,
        stays=remaining(result),
    )


def remaining(result: FileResult) -> list[str]:
    """Return the uses of torch that stay in a file, each with its line and the reason."""
    rows = (row for row in result.rows if row.severity == Severity.ERROR)
    return [f"line {row.place}: {row.code} {row.message}" for row in rows]


def is_test(path: PurePosixPath) -> bool:
    """Return whether a file has tests, or is used by tests alone."""
    named = path.name.startswith(_TESTS) or path.stem.endswith("_test")
    return named or bool({"tests", "test"} & set(path.parts[:-1]))


def _ordered(folder: Path, order: Order, steps: list[Step]) -> list[Step]:
    """Return the steps in the order of imports: tests, notebooks and dependencies come last."""
    project = Project(folder, order.settings, order.aim.facts)
    listed = {step.path for step in steps}
    for step in steps:
        if step.kind == MODULE:
            found = project.direct_imports(folder / step.path)
            paths = (path.relative_to(folder).as_posix() for path in found)
            step.imports = sorted(path for path in paths if path in listed and path != step.path)

    def turn(step: Step) -> tuple[int, bool, tuple[int, int], str]:
        kinds = {MODULE: 0, NOTEBOOK: 1, DEPENDENCIES: 2}
        test = is_test(PurePosixPath(step.path))
        place = project.turn(folder / step.path) if step.kind == MODULE else (0, 0)
        return kinds[step.kind], test, place, step.path

    return sorted(steps, key=turn)
