"""What a rule answers for one use: a rewrite, the same code, or a refusal with its reason."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from workbench.rules.difference import Differs

# A statement, and the code before and behind one of its expressions in its place.
Anew = tuple[ast.stmt, str, ast.expr | None, str]


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Write the use as `template`.

    A template is an expression of the target with placeholders: `{dim}` stands for the argument
    of that upstream parameter and its target argument is left out where it was not given;
    `{dim=-1}` stands for `-1` where it was not given; `{self}` is the receiver; a variadic
    parameter becomes a list. `texts` gives code for placeholders that are no parameters.
    `consumed` names given parameters that need no placeholder, since the rule took care of them.

    `callee_only` writes the template in place of what is called and keeps the arguments as they
    are. `assigned` assigns it to the receiver, in a statement that is nothing but the use. `note`
    is worth knowing, `caveat` says where the result may differ. `differs` are the kinds of
    difference that remain, reported once per kind and file, an open
    fact at each use. `after` is a statement that follows the
    one that the use is in. `around` is an expression that begins with the use and is written anew
    as a whole: `optimizer.param_groups[0]["lr"]`. `instead` takes the place of the whole statement:
    the code before and behind one of its expressions, which stays. `also` are other statements that
    are written anew with the use, each as `instead` says; lines are indented from the statement on.
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
    also: tuple[Anew, ...] = ()


@dataclass(frozen=True, slots=True)
class Keep:
    """The code means the same in the target as it stands."""

    note: str | None = None
    caveat: str | None = None
    differs: Differs = ()


@dataclass(frozen=True, slots=True)
class Refusal:
    """The use stays as it is. `instead` is how a person would write it, where there is a way."""

    reason: str
    instead: str | None = None


Outcome = Rewrite | Keep | Refusal


def in_a_copy(outcome: Rewrite | Keep, method: str) -> Rewrite | None:
    """What a method does to its receiver, done to a copy that is assigned to the receiver.

    None where the receiver is written otherwise than once.
    """
    new = outcome
    if isinstance(new, Keep):
        new = Rewrite(f"{{self}}.{method}(...)", note=new.note, differs=new.differs)
    if new.template.count("{self}") != 1 or new.callee_only:
        return None
    text = new.template.replace("{self}", "{self}.clone()")
    return replace(new, template=text, assigned=True)
