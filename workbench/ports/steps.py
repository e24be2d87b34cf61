"""The steps of a port: each is converted, verified and committed, or stops with the reason."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from workbench import files
from workbench.convert.imports.helper_modules import extended
from workbench.convert.project.file_job import Order
from workbench.errors import TorchferryError
from workbench.findings import Severity
from workbench.ports import state as states
from workbench.ports.bridges import Bridges
from workbench.ports.folder import open_plan, save_step
from workbench.ports.messages import commit_message, figures
from workbench.ports.plan import (
    CERTIFICATES,
    DEPENDENCIES,
    FACTS,
    MODULE,
    PLAN,
    Done,
    Found,
    Plan,
    Step,
    Trial,
    Verified,
    amount,
)
from workbench.ports.repository import Repository
from workbench.ports.runs import CERTIFIED, DIFFERS, Runs
from workbench.ports.state import State
from workbench.ports.survey import is_test, remaining
from workbench.ports.trees import Trees

_FEW = 5  # the lines of a reason that are shown


@dataclass(frozen=True, slots=True)
class Stop:
    """A step that needs a person: the reason, its details, and what can be done next."""

    step: Step
    reason: str
    details: tuple[str, ...] = ()
    ways: tuple[str, ...] = ()


class Porter:
    """Carries out the plan of a folder.

    Args:
        folder: the project.
        repository: its repository.
        order: what is wanted of every file.
        runs: runs models and tests.
        say: prints a line for the user.
    """

    def __init__(
        self,
        folder: Path,
        repository: Repository,
        order: Order,
        runs: Runs,
        say: Callable[[str], None],
    ) -> None:
        self.folder, self.repository, self.order = folder, repository, order
        self._runs, self._say = runs, say
        self.plan: Plan = open_plan(folder)[0]
        self._trees = Trees(repository, order)
        self._bridges = False

    def run(
        self,
        branch: str,
        *,
        resume: bool,
        steps: int | None,
        workers: int | None = None,
        bridge: bool = False,
    ) -> Stop | None:
        """Carry out open steps in order.

        Args:
            branch: the branch to commit to; it is made before the first step.
            resume: a step that stopped is taken as a person has left it.
            steps: at most so many; None for all.
            workers: how many processes convert at most.
            bridge: files that are still torch's get lines by which they use ported ones.

        Returns:
            The step that needs a person, or None.

        Raises:
            TorchferryError: the working tree has changes that git has not kept, another branch is
                checked out, or a step stopped and `resume` is not given.
        """
        begun = self._begun(resume)
        self._check_clean(begun)
        self._bridges = bridge or self.bridges().in_use()
        if self.plan.next is None:
            return None
        self._check_branch(branch)
        self._say("converting the project")
        self._trees.prepare(self.plan, begun.path if begun else "", workers)
        done = 0
        while (step := self.plan.next) is not None and done != steps:
            if begun is not None:
                step = self.plan.step(begun.path) or step
            stop = self._carry_out(step, begun)
            if stop is not None:
                return stop
            begun, done = None, done + 1
        return None

    # Another change of the port -----------------------------------------------------------------

    def check_ready(self) -> None:
        """Refuse to change the port while a step has begun, or with uncommitted changes.

        Raises:
            TorchferryError: that is so, or another branch is checked out.
        """
        begun = states.read(self.repository.work)
        if begun is not None:
            raise TorchferryError(
                f"{begun.path}: this step has begun; finish it with torchferry port --continue, or"
                f" take it back with torchferry port --undo {begun.path}"
            )
        self._check_clean(None)
        if self.plan.branch:
            self._check_branch(self.plan.branch)

    def prepare(self, workers: int | None = None) -> None:
        """Write the trees of the original and of the port as they are now."""
        self._trees.prepare(self.plan, "", workers)

    def verify_again(self, step: Step, revision: str) -> tuple[list[Verified], list[str]]:
        """Verify a step that is done; return the results, and the certificates written.

        Args:
            step: the step; its results are replaced.
            revision: the commit that has the original.
        """
        begun = State(step.path, revision)
        found = self._verified(step, begun)
        states.clear(self.repository.work)
        if step.done is not None:
            models = tuple(one for one in found if one.call)
            imported = any(one.outcome == CERTIFIED for one in found)
            step.done = replace(
                step.done,
                verified=models,
                imported=imported,
                findings=self._findings(step),
                helpers=self._helpers(step),
            )
        return found, list(begun.files)

    # Before a step ----------------------------------------------------------------------------

    def _begun(self, resume: bool) -> State | None:
        """Return the step that stopped; undo what a killed run has left of one."""
        begun = states.read(self.repository.work)
        if begun is None:
            return None
        if self._is_committed(begun):
            states.clear(self.repository.work)
            return None
        if begun.reason and not resume:
            raise TorchferryError(
                f"{begun.path}: this step has stopped ({begun.reason}); continue with torchferry"
                f" port --continue, or take it back with torchferry port --undo {begun.path}"
            )
        if begun.reason:
            return begun
        self.take_back(begun)
        return None

    def _is_committed(self, begun: State) -> bool:
        step = self.plan.step(begun.path)
        return (
            self.repository.head != begun.head
            and step is not None
            and step.done is not None
            and not set(begun.files) & set(self.repository.changed())
        )

    def bridges(self) -> Bridges:
        """Return the bridges from files of torch to ported ones, as the files are now."""
        return Bridges(self.folder, self.order, self.repository.tracked())

    def take_back(self, begun: State) -> None:
        """Restore the files of a step that is not committed.

        Raises:
            TorchferryError: a person has edited one of them since.
        """
        for path, blob in begun.files.items():
            now = self.repository.current(path)
            if now not in (self.repository.blob(path), blob):
                raise TorchferryError(
                    f"{path}: it was edited since the step began, and git does not have the edit;"
                    f" go on from it with torchferry port --continue, or discard it with git"
                    f" restore {path}"
                )
        self.repository.restore(list(begun.files))
        step = self.plan.step(begun.path)
        if step is not None and step.done is not None:
            step.done = None
            save_step(self.folder, self.plan, step)
        states.clear(self.repository.work)

    def _check_clean(self, begun: State | None) -> None:
        own = {PLAN, FACTS, *(begun.files if begun else ())}
        changed = [path for path in self.repository.changed() if path not in own]
        if changed:
            more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
            # A plain `git commit -a` would commit a step that stopped as well.
            alone = f" {' '.join(changed)}" if begun and len(changed) <= _FEW else ""
            again = " --continue" if begun else " again"
            raise TorchferryError(
                f"{changed[0]}{more}: not committed; run git commit{alone} or git stash first, then"
                f" torchferry port{again}"
            )

    def _check_branch(self, name: str) -> None:
        """Switch to the port's branch before the first step; later it must be checked out."""
        current = self.repository.branch
        if not self.plan.branch:
            if current != name:
                if self.repository.has_branch(name):
                    raise TorchferryError(
                        f"{name}: there is such a branch already; give another with --branch"
                    )
                self.repository.switch_to_new(name)
            self.plan.branch = name
        elif current != self.plan.branch:
            raise TorchferryError(
                f"the port is on the branch {self.plan.branch}; run git switch {self.plan.branch}"
            )

    # A step -----------------------------------------------------------------------------------

    def _carry_out(self, step: Step, begun: State | None) -> Stop | None:
        number = f"{self.plan.number(step)}/{len(self.plan.chosen)}"
        self._say(f"[{number}] {step.path}")
        if begun is None:
            result = self._trees.results.get(step.path)
            if result is None or result.failure or not self.repository.blob(step.path):
                return self._unreadable(step, result.failure if result else None)
            begun = self._write(step)
            left = remaining(result)
        else:
            self._trees.take(step.path)
            again = self._trees.again(step.path)
            left = [again.failure] if again.failure else remaining(again)
        if left and not step.accepted and step.kind != DEPENDENCIES:
            reason = f"{amount(len(left), 'use')} of torch left"
            return self._stopped(step, begun, reason, self._left_now(step) or left)
        if (error := self._compiled(step)) is not None:
            return self._stopped(step, begun, "its port does not compile", [error])
        verified = self._verified(step, begun)
        imports = [one for one in verified if not one.call]
        verified = [one for one in verified if one.call]
        off = [one for one in (*imports, *verified) if one.outcome == DIFFERS]
        if off and not step.accepted:
            what = "does not run" if off[0] in imports else "differs from the original"
            return self._stopped(step, begun, f"its port {what}", [_line(one) for one in off])
        step.done = Done(
            original=self.repository.blob(step.path),
            written=self.repository.current(step.path),
            helpers=self._helpers(step),
            helper_module=next(
                (one for one in begun.files if one in self._trees.helper_modules), ""
            ),
            remaining=len(left),
            verified=tuple(verified),
            imported=any(one.outcome == CERTIFIED for one in (*verified, *imports)),
            findings=self._findings(step),
            is_code=step.kind != DEPENDENCIES,
            remark="; ".join(one.summary for one in imports if one.outcome != CERTIFIED),
        )
        self._commit(step, begun, left)
        return None

    def _left_now(self, step: Step) -> list[str]:
        """Return the uses of torch in a step's port, at its own lines."""
        self._trees.take(step.path)
        again = self._trees.again(step.path)
        return [] if again.failure else remaining(again)

    def _unreadable(self, step: Step, failure: str | None) -> Stop:
        if not self.repository.blob(step.path):
            reason = "git does not have this file"
            ways = (f"git add {step.path} && git commit, then: torchferry port",)
        else:
            reason = failure or "no conversion of this file was found"
            ways = ("correct the file, commit it, then: torchferry port",)
        return Stop(step, reason, (), (*ways, f"leave it out: move the step in {PLAN}"))

    def _write(self, step: Step) -> State:
        """Write a step's files into the working tree, after recording what they will be."""
        written = {step.path: files.read(self._trees.ported / step.path)}
        module = self._trees.helper_module(step.path, written[step.path])
        if module:
            there = self.folder / module
            text = files.decode(there, files.read(there))[0] if there.exists() else ""
            if there.exists() and not self.repository.blob(module):
                raise TorchferryError(
                    f"{there}: the port needs this name for its helpers, and git does not have the"
                    " file; move it away or commit it"
                )
            written[module] = extended(text, self._helpers(step), self.order.aim).encode()
        if self._bridges:
            self._say_what_is_missing(step)
            written = {**self.bridges().changes(self.plan, step.path), **written}
        blobs = {path: self.repository.blob_of(path, data) for path, data in written.items()}
        begun = State(step.path, self.repository.head, blobs)
        states.write(self.repository.work, begun)
        for path, data in written.items():
            place = self.folder / path
            files.write(place, data, like=place if place.exists() else None)
        return begun

    def _say_what_is_missing(self, step: Step) -> None:
        """Name the imports of a ported file that are still torch's, which have no bridge."""
        steps = [self.plan.step(path) for path in step.imports]
        for one in steps:
            if one is not None and one.done is None and one.path != step.path:
                self._say(f"    it imports {one.path}, still torch's: it runs when that is ported")

    def _helpers(self, step: Step) -> tuple[str, ...]:
        result = self._trees.results.get(step.path)
        return result.helpers if result is not None else ()

    def _findings(self, step: Step) -> tuple[Found, ...]:
        """Return what a reader of the port should know about a file."""
        result = self._trees.results.get(step.path)
        rows = result.rows if result is not None else []
        return tuple(
            Found(row.code, row.line, row.message) for row in rows if row.severity != Severity.HINT
        )

    def _compiled(self, step: Step) -> str | None:
        """Return why a file does not compile, or None."""
        if not step.path.endswith(".py"):
            return None
        try:
            compile(files.read(self.folder / step.path), step.path, "exec", dont_inherit=True)
        except (SyntaxError, ValueError) as error:
            return f"{step.path}:{getattr(error, 'lineno', None) or 1}: {error}"
        return None

    def _verified(self, step: Step, begun: State) -> list[Verified]:
        """Run what verifies a step; the result of importing it has no call."""
        original, ported = self._trees.original, self._trees.ported
        if step.kind != MODULE or not step.path.endswith(".py"):
            return []
        if is_test(PurePosixPath(step.path)):
            return [self._runs.tests(original, ported, step.path)]
        found = [self._model(step, trial, begun) for trial in step.trials]
        if any(one.certificate for one in found):
            return found
        if is_script(files.read(original / step.path)):
            return found
        return [*found, self._runs.imports(original / step.path, ported / step.path)]

    def _model(self, step: Step, trial: Trial, begun: State) -> Verified:
        """Verify one model, and write its certificate with paths of the project."""
        self._say(f"    {trial.call}")
        original, ported = self._trees.original / step.path, self._trees.ported / step.path
        place = self._certificate(step, trial)
        fresh = self.repository.work / "certificate.json"
        fresh.unlink(missing_ok=True)
        found = self._runs.model(original, ported, trial, fresh)
        if not fresh.exists():
            return found
        data = json.loads(files.read(fresh))
        for side, file in (("original", original), ("port", ported)):
            held = data["sides"][side]
            held["file"] = step.path
            held["place"] = held["place"].replace(str(file), _near(file, self.folder, ported, step))
        data["sides"]["original"]["revision"] = begun.head
        for part in ("places", "checks"):
            held = json.dumps(data[part], ensure_ascii=False, default=str)
            data[part] = json.loads(self._trees.named(held))
        text = (json.dumps(data, indent=2, default=str) + "\n").encode()
        begun.files[place] = self.repository.blob_of(place, text)
        states.write(self.repository.work, begun)
        files.write(self.folder / place, text)
        summary = self._trees.named(found.summary) or figures(data)
        return replace(found, certificate=place, summary=summary)

    def _certificate(self, step: Step, trial: Trial) -> str:
        """Return the file of a trial's certificate."""
        name = ".".join(PurePosixPath(step.path).with_suffix("").parts)
        model = trial.call.partition("(")[0]
        same = [one for one in step.trials if one.call.partition("(")[0] == model]
        number = f"-{same.index(trial) + 1}" if len(same) > 1 else ""
        return f"{CERTIFICATES}/{name}.{model}{number}.json"

    def _stopped(self, step: Step, begun: State, reason: str, details: Sequence[str]) -> Stop:
        begun.reason = reason
        states.write(self.repository.work, begun)
        more = len(details) - _FEW
        shown = (*details[:_FEW], *([f"and {more} more"] if more > 0 else []))
        ways = (
            f"edit {step.path}, which is converted and not committed, or another ported file, and"
            " commit that one; then: torchferry port --continue",
            f"write 'accepted: REASON' below the step in {PLAN}, then: torchferry port --continue",
            f"take the step back, to change the original first or to leave the file out:"
            f" torchferry port --undo {step.path}",
        )
        return Stop(step, reason, tuple(shown), ways)

    def _commit(self, step: Step, begun: State, left: Sequence[str]) -> None:
        save_step(self.folder, self.plan, step)
        result = self._trees.results.get(step.path)
        found = [row.message for row in result.rows] if result and step.kind == DEPENDENCIES else []
        message = commit_message(step, [*found, *left], self.order.aim.title)
        commit = self.repository.commit([*begun.files, PLAN, FACTS], message)
        states.clear(self.repository.work)
        assert step.done is not None
        self._say(f"    {commit[:9]}: {step.done.summary}")


def is_script(data: bytes) -> bool:
    """Return whether importing a file would do more than define names, as in a training script."""
    try:
        body = ast.parse(data).body
    except (SyntaxError, ValueError):
        return False
    calls = [one for one in body if isinstance(one, ast.Expr) and isinstance(one.value, ast.Call)]
    loops = any(isinstance(one, ast.For | ast.While | ast.With) for one in body)
    return loops or any(not _is_harmless(one.value) for one in calls)


def _is_harmless(call: ast.expr) -> bool:
    """Return whether a call at the top of a module is one of those that libraries make."""
    text = ast.unparse(call)
    return text.startswith(
        ("warnings.", "logging.", "logger.", "sys.path.", "torch.set_", "__all__")
    )


def _line(one: Verified) -> str:
    return f"{one.call}: {one.summary}" if one.call else one.summary


def _near(file: Path, folder: Path, ported: Path, step: Step) -> str:
    """Return a file as the certificate names it: the port by its place in the project."""
    return step.path if file == ported else file.as_posix()
