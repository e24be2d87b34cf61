"""Names of torch that are passed as values: their replacements, and calls through them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from workbench.convert.decide.method_values import (
    NO_VALUE,
    as_replacement,
    bound_method,
    lambda_of,
    method_value,
    of_tensors,
)
from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Refusal, Rewrite
from workbench.rules.rule import Rule
from workbench.rules.template import compile_template
from workbench.source.tree import Notes, children, inside
from workbench.source.uses import Use, UseKind
from workbench.upstream.facts import Entry, Signature

_KEYWORDS = re.compile(r"(\w+)=\{(\w+)\}")
_KIND_FIRST = re.compile(r"\w+\('")  # Recurrent('GRU', {input_size})
_TYPE_TESTS = frozenset({"isinstance", "issubclass"})

_LATER_CALLS = "later calls of it must use the target's names for keyword arguments"
OTHER_FORM = Refusal("called through another name, this form has no equivalent")


class _Compared(NamedTuple):
    """The identities of nodes that a statement compares, by `isinstance` and by other means."""

    by_type_tests: frozenset[int]
    by_other_means: frozenset[int]


_NOTHING = _Compared(frozenset(), frozenset())
_known: Notes[_Compared] = Notes("compared")


def as_value(
    use: Use, rule: Rule, entry: Entry, match: Match, *, written: str | None = None
) -> Outcome:
    """Decide a use that is not a call: a data member, a constant, or a name passed as a value.

    `written`, if given, is a callable that takes exactly the arguments of torch's function.
    """
    if isinstance(use.node, ast.Attribute | ast.Name) and isinstance(use.node.ctx, ast.Del):
        if rule.keep and entry.is_data:
            return Keep(rule.note, rule.caveat)
        return Refusal("deleting it has no equivalent")
    if use.kind is UseKind.STORE:
        return _stored(use, rule, match)
    if rule.refusal is not None:
        return rule.refusal
    if entry.is_data:
        return rule.apply(match)
    decides = rule.function is not None and use.receiver is not None  # by its operands
    if rule.keep and rule.value is None and not decides:
        return Keep(rule.note, rule.caveat)
    if written is not None:
        return as_replacement(written, rule)
    if of_tensors(entry) and use.receiver is not None:
        return bound_method(use, rule, entry)
    if rule.value is not None:
        return _value(use, rule, entry, rule.value)
    if use.receiver is not None:
        return NO_VALUE
    if of_tensors(entry):
        return method_value(use, rule, entry)
    return _callee(use, rule, entry)


def _value(use: Use, rule: Rule, entry: Entry, value: str) -> Rewrite:
    """Return the value that a rule gives for the name itself."""
    caveat = rule.caveat
    own = _takes_torchs_own(Rewrite(value), rule)
    made_elsewhere = use.kind is UseKind.READ or _inherits_its_constructor(use)
    if made_elsewhere and entry.kind == "class" and not own:
        caveat = caveat or _renamed(use, rule)
    return Rewrite(value, note=rule.note, caveat=caveat)


def _callee(use: Use, rule: Rule, entry: Entry) -> Outcome:
    """Return the name that a rule's template calls, or a lambda around what it writes."""
    callee = compile_template(rule.templates[0]).callee if rule.templates else ""
    if not callee or "{" in callee:
        return lambda_value(rule, entry) or NO_VALUE
    if _KIND_FIRST.match(rule.templates[0]) and not tests_a_type(use):
        return Refusal("passed as a value, its replacement takes the kind of layer first")
    if entry.kind == "class":
        return Rewrite(callee, note=rule.note, caveat=rule.caveat)
    return _function_value(rule, entry, callee)


def through_a_value(
    use: Use,
    rule: Rule,
    entry: Entry,
    outcome: Outcome,
    match: Match,
    *,
    written: str | None = None,
) -> Outcome:
    """Decide a call of a name that was passed as a value; only its arguments are rewritten."""
    held = as_value(use, rule, entry, match, written=written) if use.call is not None else outcome
    if use.kind is UseKind.PARTIAL and isinstance(held, Rewrite) and _takes_torchs_own(held, rule):
        return replace(held, template=f"{held.template}(...)")
    if not isinstance(outcome, Rewrite):
        return _for_later_arguments(rule, entry, match) or outcome
    if isinstance(held, Refusal):
        return held
    if outcome.callee_only and use.kind is UseKind.PARTIAL:
        return replace(outcome, template=f"{outcome.template}(...)", callee_only=False)
    if outcome.callee_only:
        return Keep(outcome.note, outcome.caveat)
    template = compile_template(outcome.template)
    if use.kind is UseKind.INDIRECT and _takes_torchs_own(held, rule):
        return Keep(outcome.note, outcome.caveat)
    if not template.is_call or "{" in template.callee:
        return Refusal("called through another name, its arguments cannot be rewritten")
    if isinstance(held, Rewrite) and template.callee != held.template:
        return OTHER_FORM
    caveat = outcome.caveat
    if use.kind is UseKind.PARTIAL:
        caveat = f"{caveat}; {_LATER_CALLS}" if caveat else _LATER_CALLS
    return replace(outcome, caveat=caveat)


def _for_later_arguments(rule: Rule, entry: Entry, match: Match) -> Outcome | None:
    """Return the function of a partial call that leaves its first argument to later calls."""
    parameters = entry.signatures[0].parameters if entry.signatures else ()
    if match.use.kind is not UseKind.PARTIAL or not parameters:
        return None
    made = None if parameters[0].name in match.arguments else lambda_value(rule, entry)
    if not isinstance(made, Rewrite) or not _takes_torchs_own(made, rule):
        return None
    return replace(made, template=f"{made.template}(...)")


def unpacked_through_a_value(
    use: Use, rule: Rule, entry: Entry, outcome: Rewrite, *, written: str | None = None
) -> Outcome:
    """Decide a call with `*` or `**` of a name passed as a value; it stays if torch's names fit."""
    held = as_value(use, rule, entry, Match(use, Signature((), "")), written=written)
    if not isinstance(held, Rewrite):
        return held
    if _takes_torchs_own(held, rule):
        return Keep(outcome.note, outcome.caveat)
    if compile_template(outcome.template).callee != held.template:
        return OTHER_FORM
    return outcome


def _function_value(rule: Rule, entry: Entry, callee: str) -> Outcome:
    """Return the value for a function; exact if it is called with its first arguments in order."""
    template = compile_template(rule.templates[0])
    if template.passes_all_on:
        return Rewrite(callee, note=rule.note, caveat=rule.caveat)
    order = [p.name for p in entry.signatures[0].parameters] if entry.signatures else []
    if template.passes_on or template.literals or not template.only_placeholders:
        return lambda_value(rule, entry) or NO_VALUE
    if list(template.placeholders[:1]) != order[:1]:
        return lambda_value(rule, entry) or Refusal(
            "passed as a value, its replacement would get its arguments in another order"
        )
    caveat = rule.caveat
    if len(order) > 1:
        caveat = (
            caveat or "passed as a value: its replacement has other names for keyword arguments"
        )
    return Rewrite(callee, note=rule.note, caveat=caveat)


def lambda_value(rule: Rule, entry: Entry) -> Outcome | None:
    """Return a callable with torch's own arguments, mostly a lambda, or None if there is none."""
    text = rule.unpacked
    if text is None and rule.templates and compile_template(rule.templates[0]).passes_all_on:
        text = rule.templates[0]
    text = text or lambda_of(rule, entry, method=False)
    if text is None or "{" in text:
        return None
    return as_replacement(text.removesuffix("(...)"), rule)


def _takes_torchs_own(held: Outcome, rule: Rule) -> bool:
    """Return whether the replacement of a function takes exactly the arguments of torch's."""
    if not isinstance(held, Rewrite):
        return False
    text = held.template
    return text.startswith("(lambda") or f"{text}(...)" in (rule.unpacked, *rule.templates)


def _stored(use: Use, rule: Rule, match: Match) -> Outcome:
    if rule.store is None:
        return rule.refusal or Refusal("assigning to it has no equivalent")
    statement = use.statement
    if not isinstance(statement, ast.Assign) or statement.targets != [use.node]:
        return Refusal("only a plain assignment to it can be converted")
    decided = rule.function(match) if rule.function is not None else None
    note = decided.note if isinstance(decided, Keep) else None
    return Rewrite(rule.store[0], note=note or rule.note, caveat=rule.caveat)


def _renamed(use: Use, rule: Rule) -> str | None:
    """Return a caveat if a class passed as a value has other keyword arguments in the target."""
    pairs = _KEYWORDS.findall(rule.templates[0]) if rule.templates else []
    differs = any(mine != theirs for mine, theirs in pairs)
    helper = (rule.unpacked or "").partition("(")[0]
    if not (differs or helper not in {"", rule.value}) or tests_a_type(use):
        return None
    return "passed as a value: its replacement has other names for keyword arguments"


def _inherits_its_constructor(use: Use) -> bool:
    """Return whether the use is the base of a class that does not define `__init__`."""
    cls = use.statement
    return (
        use.kind is UseKind.BASE
        and isinstance(cls, ast.ClassDef)
        and not any(getattr(one, "name", "") == "__init__" for one in cls.body)
    )


def tests_a_type(use: Use) -> bool:
    """Return whether a class is there to be compared: `isinstance(x, nn.Softmax)`."""
    return type_test(use) or id(use.node) in _compared_in(use.statement).by_other_means


def type_test(use: Use) -> bool:
    """Return whether a class is what `isinstance` or `issubclass` tests for."""
    return id(use.node) in _compared_in(use.statement).by_type_tests


def _compared_in(statement: ast.stmt) -> _Compared:
    """Return the nodes that a statement compares, without those of statements in it."""
    known = _known.get(statement)
    if known is None:
        tested: set[int] = set()
        compared: set[int] = set()
        for node in _parts(statement):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in _TYPE_TESTS:
                tested.update(map(id, inside(node)))
            for part in _compared_by(node):
                compared.update(map(id, inside(part)))
        known = _known[statement] = (
            _Compared(frozenset(tested), frozenset(compared)) if tested or compared else _NOTHING
        )
    return known


def _compared_by(node: ast.AST) -> list[ast.expr]:
    """Return what a node compares, looks up in a table or by `match`, or registers for."""
    match node:
        case ast.Compare():
            return [node]
        case ast.Dict(keys=keys):
            return [one for one in keys if one is not None]
        case ast.MatchClass(cls=cls):
            return [cls]
        case ast.Call(func=ast.Attribute(attr="register"), args=[first, *_]):
            return [first]
        case ast.Subscript(slice=key):
            return [key]
    return []


def _parts(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield the nodes of a statement that are in no statement in it."""
    for child in children(statement):
        if isinstance(child, ast.match_case):
            yield from inside(child.pattern)
            yield from inside(child.guard) if child.guard is not None else ()
        elif not isinstance(child, ast.stmt | ast.ExceptHandler):
            yield from inside(child)
