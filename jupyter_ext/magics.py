"""`%%convert`: a cell in torch, the same cell in another framework, and proof that they agree."""

from __future__ import annotations

import logging
import re
import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from IPython.core.interactiveshell import InteractiveShell
from IPython.core.magic import (
    Magics,
    cell_magic,
    line_magic,
    magics_class,
    output_can_be_silenced,
)

from jupyter_ext.display.muted import muted
from jupyter_ext.display.output import Shown, publish
from jupyter_ext.errors import ConvertError
from jupyter_ext.installed import installed_only
from jupyter_ext.notebook_command import notebook_parser
from jupyter_ext.options import convert_parser, read_convert
from jupyter_ext.outcomes import forget, keep
from jupyter_ext.own_rules import revoke_rules, rule_messages, rules_here, trust_rules
from jupyter_ext.own_run import OwnText, raise_as_own
from jupyter_ext.progress import Importing, Progress
from workbench.compare.guard import reason
from workbench.compare.result import Comparison, Run
from workbench.convert.configuration.settings import settings_for
from workbench.errors import TorchferryError
from workbench.targets import DEFAULT

if TYPE_CHECKING:
    import workbench
    from jupyter_ext.options import ConvertOptions
    from workbench.compare.cells.options import Options
    from workbench.compare.cells.session import Session

log = logging.getLogger(__name__)
_last: list[Comparison] = []


def last_comparison() -> Comparison:
    """Return the comparison of the last `%%convert` cell that ran.

    Raises:
        LookupError: no `%%convert` cell has run yet.
    """
    if not _last:
        raise LookupError("no %%convert cell has run yet")
    return _last[-1]


@magics_class
class ConvertMagics(Magics):
    """The cell magic and the sessions behind it, one per target."""

    def __init__(self, shell: InteractiveShell) -> None:
        super().__init__(shell=shell)
        self._kernel: Any = shell
        self.sessions: dict[str, Session] = {}
        self.sources: list[str] = []
        self.settings: list[str] = []  # options that every `%%convert` begins with
        self._cell: str | None = None  # the id of the running cell, if it has one

    def remember(self, info: Any) -> None:
        """Note the source of a cell that is about to run, as context of later cells."""
        self._cell = getattr(info, "cell_id", None)
        source = getattr(info, "raw_cell", None)
        if isinstance(source, str):
            self.sources.append(source)

    @output_can_be_silenced
    @cell_magic
    def convert(self, line: str, cell: str) -> Any:
        """Convert the cell, run it and its conversion side by side, and show where they differ.

        The cell runs in your namespace as if the first line were not there; its conversion runs in
        a mirror namespace that stays alive, so that the next converted cell goes on from it.
        """
        options = read_convert(line, self.settings)
        running = self._cell  # magics within the cell run without an id
        own = OwnText(cell, self._kernel, options.first_line)
        own.check()
        source = own.converted
        if not source.strip():
            return self._magics_alone(cell, own, options)
        packages = ("torch", options.target.partition("=")[0])
        with Importing(packages, shown=bool(options.show)):
            session = self._session(options.target, options.style, options.init)
        conversion, shown, problem = self._converted(session, source, options)
        if not options.run:
            comparison = _unrun(session, source, conversion, problem, options)
        else:
            comparison = self._run(session, own, conversion, problem, options)
        _last[:] = [comparison]
        if shown is not None:
            comparison.code = shown.code
            if not shown.code.strip():
                target = session.bridge.name
                comparison.notes.append(f"no code is left: {target} needs none of these imports")
        line_map = shown.line_map if shown else ()
        if running is not None:
            keep(running, cell, comparison, line_map)
        if options.show:
            publish(Shown(comparison, line_map, options.show))
        if options.result != "mirror":
            self._place(session, comparison, options)
        error = comparison.torch.values.get("__exception__")
        if error is not None:
            raise_as_own(error, self._kernel, own.filename)
        return comparison.torch.result

    @line_magic
    def torchferry(self, line: str) -> None:
        """Show the targets in use, the contents of their mirror namespaces, and the devices here.

        %torchferry             shows all of this, and the settings
        %torchferry devices     shows only the devices, and why others are not offered
        %torchferry set OPTIONS adds these options, such as --rtol 1e-4, to every %%convert
        %torchferry reset       clears the mirror namespaces and the settings
        %torchferry trust       allows this folder's own rules, which are code, to run
        %torchferry revoke      withdraws this permission
        """
        with installed_only():
            from jupyter_ext.status import devices, status

        word, _, rest = line.strip().partition(" ")
        if word == "reset":
            self.sessions.clear()
            self.settings.clear()
            forget()
        elif word == "set":
            read_convert(rest)
            self.settings = shlex.split(rest)
        elif word in ("trust", "revoke"):
            self._decide(word)
            return
        elif word not in ("", "devices"):
            known = "reset, set, devices, trust, revoke"
            raise ConvertError(f"unknown argument {word} of %torchferry; use one of {known}")
        sessions = self.sessions or {DEFAULT: self._session(DEFAULT)}
        try:
            print(devices(sessions) if word == "devices" else status(sessions, self.settings))
        except TorchferryError as error:
            raise ConvertError(str(error)) from None

    @line_magic
    def convert_notebook(self, line: str) -> None:
        """Write a notebook's port next to it, with the modules that it imports, and a report."""
        from jupyter_ext.notebook_command import read_notebook_line, run_line

        for text in run_line(read_notebook_line(line), self._kernel.user_ns):
            print(text)

    def _decide(self, word: str) -> None:
        """Take the person's answer about the rules of this folder."""
        try:
            found = trust_rules() if word == "trust" else revoke_rules()
        except TorchferryError as error:
            raise ConvertError(str(error)) from None
        print(
            f"{found.module} runs with the next %%convert; %torchferry revoke withdraws this"
            if word == "trust"
            else f"{found.module} no longer runs"
        )

    def _place(self, session: Session, comparison: Comparison, options: ConvertOptions) -> None:
        """Put the converted code into the notebook, where it runs unchanged."""
        from jupyter_ext.inserted import inserted

        if session.bridge.by_program:
            print(
                f"The cell stays: its code for {session.bridge.name} depends on the cells above."
                " %convert_notebook writes all of them."
            )
            return
        if options.result == "insert":
            changed, names = _changed(comparison), self._kernel.user_ns
            try:
                code = inserted(session, comparison.source, names, changed)
            except ConvertError as error:
                print(error)
            else:
                self._kernel.set_next_input(code)
            return
        if comparison.ran and comparison.outcome.agrees is not True:
            print("The cell is not replaced: its conversion gives other results.")
            return
        foreign = session.foreign(comparison.source)
        if foreign:
            print(
                "The cell is not replaced: first replace the cell that creates"
                f" {', '.join(foreign)}."
            )
            return
        code = session.convert(comparison.source, placed=True).code.strip("\n")
        self._kernel.set_next_input(code, replace=True)

    def _session(self, target: str, style: str | None = None, init: str | None = None) -> Session:
        session = self.sessions.get(target)
        try:
            rules, here = rules_here(), settings_for(Path.cwd())
            if session is None or session.rules != rules:
                for line in rule_messages(target):
                    print(f"torchferry: {line}")
            if session is None:
                session = self.sessions[target] = self._new_session(target)
        except TorchferryError as error:
            raise ConvertError(str(error)) from None
        session.rules, session.style, session.init = rules, style or here.style, init or here.init
        return session

    def _new_session(self, target: str) -> Session:
        try:
            with installed_only():
                from workbench.compare.cells.session import Session

                return Session(
                    self._kernel.user_ns, target, earlier=lambda: self.sources[:-1], quiet=muted
                )
        except ModuleNotFoundError as error:
            raise ConvertError(
                f"{error.name} is not installed here; install it next to torch: pip install"
                f" 'torchferry[torch,{target}]'"
            ) from None
        except ImportError as error:
            raise ConvertError(str(error)) from None

    def _converted(
        self, session: Session, source: str, options: ConvertOptions
    ) -> tuple[workbench.Conversion | None, workbench.Conversion | None, str]:
        """Return the conversion and the one to show, or the reason why there is none."""
        try:
            if options.show:
                return *session.convert_to_show(source), ""
            conversion = session.convert(source)
            return conversion, conversion, ""
        except Exception as error:
            log.debug("a cell was not converted", exc_info=error)
            why = str(error) if isinstance(error, TorchferryError) else reason(error)
            return None, None, why

    def _magics_alone(self, cell: str, own: OwnText, options: ConvertOptions) -> Any:
        """Run a cell that consists of magics, unchanged."""
        if not cell.strip() and options.first_line > 1:
            raise ConvertError("the cell is empty: there is nothing to convert")
        statements = own.statements
        if not statements:
            return None
        from workbench.compare.cells.statements import run_statements

        try:
            return run_statements(statements, own.filename, self._kernel.user_ns, True)
        except Exception as error:
            raise_as_own(error, self._kernel, own.filename)

    def _run(
        self,
        session: Session,
        own: OwnText,
        conversion: workbench.Conversion | None,
        problem: str,
        options: ConvertOptions,
    ) -> Comparison:
        from workbench.compare.cells.options import Options
        from workbench.compare.judging.tolerance import Tolerance
        from workbench.targets.bridge import CarryError

        settings = Options(
            device=options.device,
            target_device=options.target_device,
            tolerance=Tolerance(options.relative, options.absolute),
            seed=options.seed,
            first_line=options.first_line,
            repeats=options.repeats,
            executed=own.executed,
        )
        source = own.converted
        try:
            if conversion is None:
                return session.alone(source, problem, filename=own.filename, options=settings)
            if session.bridge.by_program and (options.processes > 1 or options.isolated):
                raise ConvertError(
                    f"--processes and --isolated have no {session.bridge.name}: omit them"
                )
            if options.processes > 1:
                return self._several(session, source, conversion, options, settings)
            if options.isolated:
                return self._isolated(session, source, conversion, own.filename, options, settings)
            with Progress(shown=bool(options.show)) as progress:
                settings = replace(settings, progress=progress.step)
                return session.run(source, conversion, filename=own.filename, options=settings)
        except (CarryError, TorchferryError) as error:
            raise ConvertError(str(error)) from None
        except KeyboardInterrupt as error:
            raise_as_own(error, self._kernel, own.filename)

    def _several(
        self,
        session: Session,
        source: str,
        conversion: workbench.Conversion,
        options: ConvertOptions,
        settings: Options,
    ) -> Comparison:
        from workbench.compare.processes.ranks import run_ranks

        comparison = run_ranks(
            session,
            source,
            conversion,
            processes=options.processes,
            launcher=options.launcher,
            options=settings,
            seconds=options.timeout,
        )
        print(comparison.torch.output, end="")
        return comparison

    def _isolated(
        self,
        session: Session,
        source: str,
        conversion: workbench.Conversion,
        filename: str,
        options: ConvertOptions,
        settings: Options,
    ) -> Comparison:
        from workbench.compare.processes.isolated import Limits, run_isolated

        most = None if options.memory is None else int(options.memory * (1 << 30))
        comparison = run_isolated(
            session,
            source,
            conversion,
            filename=filename,
            options=settings,
            limits=Limits(options.timeout, most),
        )
        print(comparison.torch.output, end="")
        return comparison


def _changed(comparison: Comparison) -> set[str]:
    """Return the names that a cell bound, or whose values it changed."""
    return {re.split(r"\W", row.name)[0] for row in comparison.rows}


def _unrun(
    session: Session,
    source: str,
    conversion: workbench.Conversion | None,
    problem: str,
    options: ConvertOptions,
) -> Comparison:
    """Return the comparison of a cell that is converted and not run."""
    if conversion is None:
        raise ConvertError(problem)
    runs = Run("torch"), Run(session.bridge.name)
    comparison = Comparison.begun(source, conversion, *runs, options.first_line)
    comparison.ran = False
    return comparison


# `%%convert?` and `%convert_notebook?` print the text above and every option.
ConvertMagics.convert.__doc__ = f"{ConvertMagics.convert.__doc__}\n{convert_parser().format_help()}"
ConvertMagics.convert_notebook.__doc__ = (
    f"{ConvertMagics.convert_notebook.__doc__}\n\n{notebook_parser().format_help()}"
)
