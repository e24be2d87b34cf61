"""The origin of an assumption: the parameter without an annotation."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from workbench.findings import Certainty, Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workbench.positions import Range
    from workbench.source.analysis import Analysis

_RECEIVER = re.compile(r"([^\W\d]\w*)(?:\.\w+|\[[^\[\]]*\]|\(\))*\.$")


class Origins:
    """Finds the parameters that findings of one program rest on."""

    def __init__(self, analysis: Analysis) -> None:
        self._analysis = analysis
        self._functions: list[_Function] | None = None

    def of(self, finding: Finding) -> tuple[Range, str] | None:
        """Return the parameter behind an assumption and the remedy, or None for others."""
        if finding.certainty is Certainty.PROVED:
            return None
        start = finding.range.start
        match = _RECEIVER.search(self._analysis.lines.line(start.line)[: start.column])
        if match is None or match[1] in ("self", "cls"):
            return None
        if self._functions is None:
            self._functions = list(_functions(self._analysis.tree.body))
        line = start.line + 1
        for function in reversed(self._functions):
            if function.lineno <= line <= (function.end_lineno or line):
                argument = _parameter(function, match[1])
                if argument is None:
                    continue
                message = f"`{match[1]}` is a parameter; annotate its type here"
                return self._analysis.range(argument), message  # type: ignore[arg-type]
        return None


_Function = ast.FunctionDef | ast.AsyncFunctionDef


def _functions(body: list[ast.stmt]) -> Iterator[_Function]:
    """Yield all functions in statements, outer ones before those inside them."""
    for statement in body:
        if isinstance(statement, _Function):
            yield statement
        for field in ("body", "orelse", "finalbody"):
            yield from _functions(getattr(statement, field, []))
        for handler in getattr(statement, "handlers", []):
            yield from _functions(handler.body)


def _parameter(function: _Function, name: str) -> ast.arg | None:
    taken = function.args
    every = [*taken.posonlyargs, *taken.args, *taken.kwonlyargs]
    return next((each for each in every if each.arg == name and each.annotation is None), None)
