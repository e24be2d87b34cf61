"""Outcomes of a rule for one use: a rewrite, the same code, or a refusal with its reason."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from workbench.rules.difference import Differs

# A statement, and its new code before and after one of its expressions.
StatementEdit = tuple[ast.stmt, str, ast.expr | None, str]
# Two offsets in the program's text, and the new text between them.
TextEdit = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Write the use as `template`.

    A template is an expression of the target with placeholders. `{dim}` is the argument of that
    upstream parameter; its target argument is omitted if it was not given. `{dim=-1}` is `-1` if it
    was not given; `{self}` is the receiver; a variadic parameter becomes a list.

    Attributes:
        template: the template.
        texts: code for placeholders that are not parameters.
        consumed: given parameters that need no placeholder, because the rule handles them.
        note: additional information for the user.
        caveat: when the result may differ.
        callee_only: replace only what is called, and keep the arguments as they are.
        assigned: assign the result to the receiver; the statement is only the use.
        differs: remaining differences, reported once per kind and file; open facts at each use.
        after: a statement to insert after the use's statement.
        around: a larger expression that begins with the use and is replaced as a whole, such as
            `optimizer.param_groups[0]["lr"]`.
        instead: replaces the whole statement: the code before and after one of its expressions,
            which stays.
        also: other statements to replace with the use, in the form of `instead`; lines are indented
            relative to the statement.
        elsewhere: text to replace with the use, outside of all expressions, as in the header of a
            function.
        pieces: replaces the whole statement by texts and its expressions, which are converted and
            may stand in any order.
        wrapped: a function of Python that is called with the result, such as `tuple`.
    """

    template: str
    texts: Mapping[str, str] = field(default_factory=dict)
    consumed: frozenset[str] = frozenset()
    note: str | None = None
    caveat: str | None = None
    callee_only: bool = False
    assigned: bool = False
    differs: Differs = ()
    after: str | None = None
    around: ast.expr | None = None
    instead: tuple[str, ast.expr | None, str] | None = None
    also: tuple[StatementEdit, ...] = ()
    elsewhere: tuple[TextEdit, ...] = ()
    pieces: tuple[str | ast.expr, ...] = ()
    wrapped: str | None = None


@dataclass(frozen=True, slots=True)
class Keep:
    """The code has the same meaning in the target. `elsewhere` is as in Rewrite."""

    note: str | None = None
    caveat: str | None = None
    differs: Differs = ()
    elsewhere: tuple[TextEdit, ...] = ()


@dataclass(frozen=True, slots=True)
class Refusal:
    """The use stays unchanged. `instead` says how a person would write it, if there is a way."""

    reason: str
    instead: str | None = None


@dataclass(frozen=True, slots=True)
class Shared(Refusal):
    """A change in place, which is refused unless no other name refers to what it changes.

    Attributes:
        result: the changed copy, as a value of the use.
    """

    result: Rewrite | Keep | None = None


Outcome = Rewrite | Keep | Refusal


def as_rewrite(kept: Keep, callee: str) -> Rewrite:
    """Return the rewrite of a kept call, for what changes around its callee or its arguments."""
    return Rewrite(
        callee,
        callee_only=True,
        note=kept.note,
        caveat=kept.caveat,
        differs=kept.differs,
        elsewhere=kept.elsewhere,
    )


def in_a_copy(outcome: Rewrite | Keep, method: str, *, assigned: bool = True) -> Rewrite | None:
    """Return the rewrite that applies a method to a copy, and assigns that to the receiver.

    A method that is not in place makes the copy itself. Returns None unless the receiver occurs
    exactly once in the template.
    """
    new = outcome
    if isinstance(new, Keep):
        new = Rewrite(f"{{self}}.{method}(...)", note=new.note, differs=new.differs)
    if new.template.count("{self}") != 1 or new.callee_only:
        return None
    if _NEW.match(new.template) is not None:
        return replace(new, assigned=assigned)
    text = new.template.replace("{self}", "{self}.clone()")
    return replace(new, template=text, assigned=assigned)


# A method of the receiver that is not in place.
_NEW = re.compile(r"\{self\}\.\w*[a-z0-9]\(")
