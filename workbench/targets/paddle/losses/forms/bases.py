"""The base class of torch's losses: the program's own losses derive from a plain layer."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from workbench.rules.difference import unless
from workbench.rules.forms import FormSet
from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Rewrite, StatementEdit
from workbench.source.traits.program import Program
from workbench.source.uses import UseKind

forms = FormSet()

_LAYER = "paddle.nn.Layer"
_NAME = "_Loss"
_WITHOUT_ARGUMENTS = unless(
    "the class takes no arguments and sets no `reduction` in {target}: a loss that is made with"
    " arguments elsewhere, and a read of its `reduction`, raise an error"
)


@forms.form(f"torch.nn.modules.loss.{_NAME}", whole=True)
def base(match: Match) -> Outcome | None:
    """Derive a loss from a layer, and set the one attribute that torch's base class sets."""
    use = match.use
    if use.kind is UseKind.SUPER:  # rewritten with the class; the helper takes the same arguments
        return Keep()
    if match.program.compares(_NAME) or match.program.holds_to_test(_NAME):
        return None  # a layer of Paddle that is a loss is none of the program's
    if use.kind is UseKind.ANNOTATION:
        return Rewrite(_LAYER, callee_only=True)
    cls = use.statement
    if use.kind is not UseKind.BASE or not isinstance(cls, ast.ClassDef):
        return None
    if cls.keywords or len(cls.bases) != 1:
        return None
    methods = [one for one in cls.body if isinstance(one, ast.FunctionDef)]
    init = next((one for one in methods if one.name == "__init__"), None)
    if init is None:
        alone = _needs_no_start(cls, match.program)
        return Rewrite(_LAYER, callee_only=True, differs=_WITHOUT_ARGUMENTS) if alone else None
    start = _start(cls, init)
    return Rewrite(_LAYER, callee_only=True, also=(start,)) if start is not None else None


def _needs_no_start(cls: ast.ClassDef, program: Program) -> bool:
    """Return whether a program gives a class no arguments, and reads no `reduction`."""
    made = program.constructions(cls.name)
    passed_on = program.derives(cls.name) or program.is_passed_on(cls.name)
    return not (passed_on or program.reads("reduction") or any(one.arguments for one in made))


def _start(cls: ast.ClassDef, init: ast.FunctionDef) -> StatementEdit | None:
    """Return the edit of `super().__init__(reduction=...)`, or None if a class is not simple."""
    called = list(_initialised(cls))
    if len(called) != 1 or not init.args.args:
        return None
    call = called[0]
    statement = next((one for one in init.body if getattr(one, "value", None) is call), None)
    given = call.keywords
    if not isinstance(statement, ast.Expr) or _shares_its_line(statement, init) or call.args:
        return None
    if [one.arg for one in given] not in ([], ["reduction"]):
        return None
    owner = init.args.args[0].arg
    kept = given[0].value if given else None
    start = f"{ast.unparse(call.func)}()\n{owner}.reduction = "
    return statement, start if kept is not None else f'{start}"mean"', kept, ""


def _initialised(cls: ast.ClassDef) -> Iterator[ast.Call]:
    """Yield the calls of an `__init__` in a class: that of its base, or one that names a class."""
    for node in ast.walk(cls):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", None) == "__init__":
            yield node


def _shares_its_line(statement: ast.stmt, init: ast.FunctionDef) -> bool:
    others = (one for one in init.body if one is not statement)
    ends = [init.lineno, *(line for one in others for line in (one.lineno, one.end_lineno))]
    return statement.lineno in ends or statement.end_lineno in ends
