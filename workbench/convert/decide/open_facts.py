"""Facts that would let a use be written in its plain form.

A form is a function, and states no conditions. So it is asked again, each time with one fact
changed: the type of an argument, an argument that is left out, or an answer of the program. A fact
after which it answers is a reason why it did not.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from typing import Any

from workbench.rules.forms import Forms
from workbench.rules.match import Argument, Match
from workbench.rules.outcome import Outcome, Refusal, Rewrite
from workbench.source.traits.program import Program, Question
from workbench.source.traits.traits import Traits
from workbench.source.types.lattice import UNKNOWN, Items, Plain, Tensor, Value

_AT_MOST = 3
_TENSORS = {"float32": "a float32 tensor", "int64": "an int64 tensor", "bool": "a bool tensor"}
_LITERALS = (1, 0, -1, True, False, None)
_NAMES = re.compile(r"of (one of these names|this (last )?name)")
_NAMED = re.compile(r"\b(class|function|layer|member|variable)\b")
_HELPER = re.compile(r"\b(torch_|Torch)\w")
_UNFIT = (AssertionError, AttributeError, LookupError, TypeError, ValueError)


@dataclass(frozen=True, slots=True)
class _Change:
    """A fact as it is and as it would be, in words, and the use with the fact changed."""

    now: str
    otherwise: str
    applied: Callable[[Match], Match]


@dataclass(frozen=True, slots=True)
class OpenFact:
    """Facts after which a form answers.

    Attributes:
        now: the facts in this program, as clauses.
        otherwise: the condition under which the form would answer.
        form: the code that the form would write, or "" for the same code.
    """

    now: str
    otherwise: str
    form: str

    def __str__(self) -> str:
        result = f"`{self.form}`" if self.form else "the same code"
        return f"{self.now}; {self.otherwise}, it would be {result}"


def open_facts(name: str, match: Match, forms: Forms, written: Outcome) -> list[OpenFact]:
    """Return facts after which the plain form of a torch name answers.

    Facts that matter only together are returned as one, two at most. A form that would write the
    same as now, or a helper, is left out.
    """
    changes = list(_changes(name, match, forms))
    for together in ([(one,) for one in changes], list(combinations(changes, 2))):
        found: dict[tuple[str, str], OpenFact] = {}
        for parts in together:
            code = _code_after(name, match, forms, parts)
            if code is None or code == _code(written) or has_helper(code):
                continue
            now = " and ".join(dict.fromkeys(one.now for one in parts))
            otherwise = " and ".join(dict.fromkeys(one.otherwise for one in parts))
            found.setdefault((now, code), OpenFact(now, otherwise, code))
        if found:
            return list(found.values())[:_AT_MOST]
    return []


def _code_after(name: str, match: Match, forms: Forms, changes: tuple[_Change, ...]) -> str | None:
    """Return what the form writes after some changes, or None."""
    try:
        for one in changes:
            match = one.applied(match)
        outcome = forms.outcome(name, match)
    except _UNFIT:
        return None  # the form relies on facts that go together
    return None if outcome is None or isinstance(outcome, Refusal) else _code(outcome)


def has_helper(code: str) -> bool:
    """Return whether code calls a helper."""
    return bool(_HELPER.search(code))


def _code(outcome: Outcome) -> str:
    return outcome.template if isinstance(outcome, Rewrite) else ""


def _changes(name: str, match: Match, forms: Forms) -> Iterator[_Change]:
    """Yield a change of each fact that a form may ask about."""
    if match.use.receiver is not None:
        yield from _of_receiver(match.use.receiver, match.use.receiver_value)
    for parameter, argument in match.arguments.items():
        if len(argument.nodes) == 1 and not argument.variadic:
            yield from _of_argument(match, parameter, argument)
    program = match.program.noting()
    forms.outcome(name, replace(match, program=program))
    for question, answer in (program.noted or {}).items():
        yield from _of_program(question, answer)


def _of_receiver(receiver: ast.expr, value: Value) -> Iterator[_Change]:
    def supposing(other: Value) -> Callable[[Match], Match]:
        return lambda match: replace(match, use=replace(match.use, receiver_value=other))

    now = f"`{ast.unparse(receiver)}` is {_described(value)}"
    for words, other in _others(value):
        yield _Change(now, f"if it were {words}", supposing(other))


def _of_argument(match: Match, parameter: str, argument: Argument) -> Iterator[_Change]:
    def supposing(other: Argument | None) -> Callable[[Match], Match]:
        def applied(match: Match) -> Match:
            rest = {name: one for name, one in match.arguments.items() if name != parameter}
            return replace(match, arguments=rest | ({parameter: other} if other else {}))

        return applied

    text = ast.unparse(argument.node)
    now = f"`{text}` is {_described(argument.value)}"
    for words, other in _others(argument.value):
        changed = replace(argument, values=[other])
        yield _Change(now, f"if it were {words}", supposing(changed))
    if not isinstance(argument.node, ast.Constant):
        for literal in _LITERALS:
            changed = replace(argument, nodes=[ast.Constant(literal)])
            now = f"the value of `{text}` is not known"
            yield _Change(now, f"if it were a literal such as {literal}", supposing(changed))
    spec = match.parameter(parameter)
    if spec is not None and spec.default is not None and not match.is_default(parameter):
        yield _Change(f"the argument `{parameter}` is given", "without it", supposing(None))


def _of_program(question: Question, answer: Any) -> Iterator[_Change]:
    def supposing(other: Any) -> Callable[[Match], Match]:
        return lambda match: replace(match, program=match.program.supposing(question, other))

    clause = _clause(question)
    if isinstance(answer, bool):
        now = clause if answer else f"nothing shows that {clause}"
        yield _Change(now, "if not" if answer else "if so", supposing(not answer))
    elif isinstance(answer, frozenset):
        for one in sorted(answer, key=str):
            named = ", ".join(map(str, one)) if isinstance(one, tuple) else str(one)
            now = f"`{named}` is among {clause}"
            yield _Change(now, "without it", supposing(answer - {one}))


def _others(value: Value) -> Iterator[tuple[str, Value]]:
    """Yield other values, closest first, with words for each."""
    if isinstance(value, Tensor):
        if value.grad or value.states:
            yield "known to require no gradients", replace(value, grad=False, states=frozenset())
        if value.part is not None:
            yield "no view of another tensor", replace(value, part=None)
        for dtype, words in _TENSORS.items():
            if dtype != value.dtype:
                yield f"known to be {words}", replace(value, dtype=dtype)
        return
    if value is UNKNOWN:
        for dtype, words in _TENSORS.items():
            yield f"known to be {words}", Tensor(dtype=dtype)
        yield "known to be a whole number", Plain("int")
        yield "known to be a float", Plain("float")
        yield "known to be a tuple of whole numbers", Items("tuple", Plain("int"))


def _described(value: Value) -> str:
    match value:
        case Tensor(dtype=None):
            return "a tensor of unknown dtype"
        case Tensor(dtype="floating"):
            return "a float tensor of unknown width"
        case Tensor(dtype=dtype):
            return f"a tensor of dtype {dtype}"
        case Plain(kind):
            return f"of type {kind}"
        case Items(kind):
            return f"a {kind}"
        case _:
            return "of unknown type" if value is UNKNOWN else "of another type"


def _clause(question: Question) -> str:
    """Return what a query asks about, in the words of its docstring."""
    name, args, _ = question
    if name in {"trait", "own_trait"}:
        return _attributes().get(str(args[0]), str(args[0]))
    asked = inspect.getattr_static(Program, name)
    doc = (asked.fget if isinstance(asked, property) else asked).__doc__ or name
    words = " ".join(doc.split()).partition(". ")[0].rstrip(".")
    words = re.sub(r"^(Return )?([Ww]hether )?", "", words)
    named = " or ".join(f"`{one}`" for one in args if isinstance(one, str))
    if _NAMES.search(words):
        return _NAMES.sub(named, words)
    return f"{words} ({named})" if named and _NAMED.search(words) else words


@cache
def _attributes() -> dict[str, str]:
    """Return the descriptions of traits by their names."""
    text = inspect.cleandoc(Traits.__doc__ or "").partition("Attributes:")[2]
    parts = re.findall(r"^    (\w+): (.*(?:\n {8}.*)*)", text, re.MULTILINE)
    cut = re.compile(r"[:;.] ?.*|, except.*")
    return {name: cut.sub("", " ".join(words.split())) for name, words in parts}
