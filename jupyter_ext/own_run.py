"""A cell as its author runs it: the text that IPython makes of it, and errors as it shows them.

Nothing of ours is to be seen in it: no frame in a traceback, no other kind of error.
"""

from __future__ import annotations

import ast
import types
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

import workbench
from jupyter_ext.errors import ConvertError

_OURS = (str(Path(__file__).parent), str(Path(workbench.__file__).parent))


class OwnText:
    """A cell's text as IPython runs it, and what of it is converted: its lines are the same."""

    def __init__(self, cell: str, shell: Any, first_line: int) -> None:
        """Transform a cell; `first_line` is the reader's number of the line below the magic."""
        above = len(cell) - len(cell.lstrip("\n"))
        self.executed = "\n" * above + str(shell.transform_cell(cell[above:]))
        self._shell = shell
        # Keep the magic's line if the cell has it, so that lines count as in the cell.
        before = first_line - 1
        number = shell.execution_count - 1  # incremented before the cell runs
        self._code = "\n" * before + self.executed
        self.filename: str = shell.compile.cache(
            self._code, number, raw_code="%%convert\n" * before + cell
        )

    @property
    def converted(self) -> str:
        """The text without its magics and commands, which are not Python."""
        lines = self.executed.splitlines(keepends=True)
        for statement in ast.parse(self.executed).body:
            if isinstance(statement, ast.Expr) and _calls_shell(statement):
                for number in range(statement.lineno - 1, statement.end_lineno or 0):
                    lines[number] = "\n"
        return "".join(lines)

    @property
    def statements(self) -> list[ast.stmt]:
        """The statements to run, numbered as the reader numbers them."""
        return ast.parse(self._code).body

    def check(self) -> None:
        """Parse the cell as IPython does.

        Raises:
            Exception: a syntax error. IPython adds frames to each SyntaxError that a magic raises,
                so it is another class of that name, which shows only the text.
            ConvertError: the cell awaits, which a magic cannot.
        """
        try:
            if self._shell.should_run_async(self.executed, transformed_cell=self.executed):
                raise ConvertError(
                    "a cell with `await` cannot run on both sides: run it without %%convert"
                )
            self._shell.compile.ast_parse(self._code, self.filename)
        except SyntaxError as error:
            shown = self._shell.SyntaxTB.structured_traceback(type(error), error, [])
            alike: type[Exception] = type(type(error).__name__, (Exception,), {})
            unparsed = alike(str(error))
            _show(unparsed, shown)
            raise unparsed from None


def raise_as_own(error: BaseException, shell: Any, filename: str) -> NoReturn:
    """Raise an exception of the person's cell, shown from the cell's own code on.

    `filename` is the name under which the cell was compiled.
    """
    for each in _chain(error):
        each.__traceback__ = _without_ours(each.__traceback__)
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename != filename:
        trace = trace.tb_next
    kept = trace or error.__traceback__
    _show(error, shell.InteractiveTB.structured_traceback(type(error), error, kept))
    raise error


def _calls_shell(statement: ast.stmt) -> bool:
    return any(
        isinstance(node, ast.Name) and node.id == "get_ipython" for node in ast.walk(statement)
    )


def _show(error: BaseException, lines: list[str]) -> None:
    with suppress(AttributeError):  # a class may not allow the attribute
        error._render_traceback_ = lambda: lines  # type: ignore[attr-defined]


def _chain(error: BaseException) -> list[BaseException]:
    """Return an exception and its causes."""
    found: list[BaseException] = []
    waiting: list[BaseException | None] = [error]
    while waiting:
        one = waiting.pop()
        if one is not None and not any(one is each for each in found):
            found.append(one)
            waiting += [one.__cause__, one.__context__]
    return found


def _without_ours(trace: types.TracebackType | None) -> types.TracebackType | None:
    """Return a traceback without the frames of our code."""
    frames = []
    while trace is not None:
        if not trace.tb_frame.f_code.co_filename.startswith(_OURS):
            frames.append(trace)
        trace = trace.tb_next
    made: types.TracebackType | None = None
    for each in reversed(frames):
        made = types.TracebackType(made, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return made
