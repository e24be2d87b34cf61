"""Plain forms of torch's names, which take precedence over their rules.

A form says how an expert of the target writes a use. It answers if this program's text makes that
right, or leaves only a small difference, which is reported. If no form answers, the rule does: it
computes as torch does for all inputs, with a helper if necessary.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from workbench.errors import RuleError
from workbench.rules.difference import Differs
from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Rewrite
from workbench.rules.template import compile_template
from workbench.source.traits.program import Program
from workbench.source.uses import UseKind

Decide = Callable[[Match], Outcome | None]
Value = Callable[[Program], str | None]
Same = Callable[[str, Match], Outcome | None]


@dataclass(frozen=True, slots=True)
class Form:
    """The plain form of one torch name.

    Attributes:
        name: the qualified torch name.
        decide: returns the outcome for a call, or for a member that is read; None leaves the use to
            the rule.
        value: returns the text that replaces the name where it is used as a value or in
            `isinstance`; None uses the rule's value.
        tested: returns the text for `isinstance` if it differs from `value`.
        base: the value may also replace the name as a base class.
        value_differs: differences of the value where it is passed on and called under another name.
        whole: `decide` also answers for a name that is read or assigned, and may replace the whole
            statement.
        decorator: replaces the name as a decorator without parentheses.
        spread: returns the outcome for a call with starred arguments.
        partial: the form also applies in `functools.partial`, which leaves arguments for later.
        tried: if `decide` returns None, the unchanged call may do, as trials have shown.
        since: the first version of the target that supports the form.
        cases: source code that exercises the form in addition to the rule's cases.
    """

    name: str
    decide: Decide | None = None
    value: Value | None = None
    since: str = ""
    cases: tuple[str, ...] = ()
    spread: Decide | None = None
    base: bool = False
    partial: bool = False
    decorator: str | None = None
    whole: bool = False
    value_differs: Differs = ()
    tried: bool = False
    tested: Value | None = None


class FormSet:
    """The plain forms of one file; `since` is the target's first version that supports them."""

    def __init__(self, since: str = "") -> None:
        self.forms: list[Form] = []
        self._since = since

    def row(
        self,
        *names: str,
        to: str | tuple[str, ...],
        when: Callable[[Match], bool] = lambda match: True,
        differs: Differs = (),
        value: str | Value | None = None,
        since: str = "",
        cases: Iterable[str] = (),
        base: bool = False,
        decorator: str | None = None,
    ) -> None:
        """Add forms for names: the first of the templates in `to` that holds all given arguments.

        A template that is only a dotted name keeps the call's own arguments as they are written;
        `...` keeps the whole use.
        """
        templates = (to,) if isinstance(to, str) else to

        def decide(match: Match) -> Outcome | None:
            return _first_fitting(match, templates, differs) if when(match) else None

        self._add(names, decide, value, since, cases, base=base, decorator=decorator)

    def form(
        self,
        *names: str,
        value: str | Value | None = None,
        since: str = "",
        cases: Iterable[str] = (),
        spread: Decide | None = None,
        partial: bool = False,
        whole: bool = False,
        value_differs: Differs = (),
        tried: bool = False,
        tested: Value | None = None,
    ) -> Callable[[Decide], Decide]:
        """Return a decorator that registers a function as the plain form of these names.

        The function returns None to leave a use to the rule.
        """

        def register(decide: Decide) -> Decide:
            self._add(
                names,
                decide,
                value,
                since,
                cases,
                spread,
                partial=partial,
                whole=whole,
                value_differs=value_differs,
                tried=tried,
                tested=tested,
            )
            return decide

        return register

    def _add(
        self,
        names: tuple[str, ...],
        decide: Decide | None,
        value: str | Value | None,
        since: str,
        cases: Iterable[str],
        spread: Decide | None = None,
        base: bool = False,
        partial: bool = False,
        decorator: str | None = None,
        whole: bool = False,
        value_differs: Differs = (),
        tried: bool = False,
        tested: Value | None = None,
    ) -> None:
        value_of = value if callable(value) or value is None else _always(value)
        for index, name in enumerate(names):
            shown = tuple(cases) if not index else ()
            self.forms.append(
                Form(
                    name,
                    decide,
                    value_of,
                    since or self._since,
                    shown,
                    spread,
                    base=base,
                    partial=partial,
                    decorator=decorator,
                    whole=whole,
                    value_differs=value_differs,
                    tried=tried,
                    tested=tested,
                )
            )


def _always(text: str) -> Value:
    return lambda program: text


def _first_fitting(match: Match, templates: Iterable[str], differs: Differs) -> Outcome | None:
    for text in templates:
        if text == "...":
            return Keep(differs=differs)
        template = compile_template(text)
        if not template.is_call and not template.placeholders and match.use.call is not None:
            return Rewrite(text, callee_only=True, differs=differs)
        given = [name for name in match.arguments if not match.is_default(name)]
        if all(name in template.placeholders for name in given):
            consumed = frozenset(match.arguments) - set(template.placeholders)
            return Rewrite(text, consumed=consumed, differs=differs)
    return None


class Forms:
    """All plain forms of a target, by torch name, loaded at the first access.

    `same` returns the outcome of a use that the target accepts unchanged, or None. `lacks_kernel`
    returns whether both would raise for the tensors of a use. Plain forms of the names in `once`
    have no second derivative; their rules have. The names in `never_twice` have none, whichever way
    they are written, and those in `not_thrice` have no third. `depends` returns the differences
    that plain forms have for some tensors of a use. Functions in `lists` return a list
    in their plain form and a tuple in torch.
    """

    def __init__(
        self,
        sets: Iterable[FormSet],
        same: Same = lambda name, match: None,
        once: frozenset[str] = frozenset(),
        never_twice: frozenset[str] = frozenset(),
        not_thrice: frozenset[str] = frozenset(),
        lacks_kernel: Callable[[str, Match], bool] = lambda name, match: False,
        depends: Callable[[str, Match], Differs] = lambda name, match: (),
        lists: frozenset[str] = frozenset(),
    ) -> None:
        self._sets = sets
        self._once = once
        self._never_twice = never_twice
        self._not_thrice = not_thrice
        self._lacks_kernel = lacks_kernel
        self.depends = depends
        self.lists = lists
        self.same = same
        self._read: dict[str, Form] | None = None
        self._reading = threading.Lock()

    @property
    def _forms(self) -> dict[str, Form]:
        if self._read is None:
            with self._reading:
                if self._read is None:
                    self._read = _by_name(self._sets)
        return self._read

    def get(self, name: str, version: str) -> Form | None:
        """Return the form of a canonical torch name, if the target's version supports it, else
        None.
        """
        form = self._forms.get(name)
        if form is None or _numbers(version) < _numbers(form.since):
            return None
        return form

    def __iter__(self) -> Iterator[Form]:
        return iter(self._forms.values())

    def suits(self, name: str, match: Match) -> bool:
        """Return whether plain forms of a name support a use's tensors and the program's
        derivatives.
        """
        if self._lacks_kernel(name, match):
            return False
        return name not in self._once or not match.program.differentiates_twice

    def is_differentiable_once(self, name: str) -> bool:
        """Return whether the plain form of a name has no second derivative, but its rule has."""
        return name in self._once

    def lacks_second_derivative(self, name: str, match: Match) -> bool:
        """Return whether the program takes a derivative of a name that the target lacks."""
        return name in self._never_twice and match.program.differentiates_twice

    def lacks_third_derivative(self, name: str, match: Match) -> bool:
        """Return whether the program takes a third derivative of a name that the target lacks."""
        return name in self._not_thrice and match.program.differentiates_thrice

    def outcome(self, name: str, match: Match) -> Outcome | None:
        """Return the outcome of a use in its plain form, or None to leave the use to the rule."""
        form = self.get(name, match.target)
        asked = form is not None and (form.partial or _is_whole(match))
        if asked and form is not None and form.decide is not None:
            return form.decide(match)
        return None


def _by_name(sets: Iterable[FormSet]) -> dict[str, Form]:
    found: dict[str, Form] = {}
    for form in (form for forms in sets for form in forms.forms):
        if form.name in found:
            raise RuleError(f"two plain forms for {form.name}")
        found[form.name] = form
    return found


def _is_whole(match: Match) -> bool:
    """Return whether all required arguments are given; `functools.partial` may lack some."""
    if match.use.kind is not UseKind.PARTIAL:
        return True
    given = match.arguments
    parameters = match.signature.parameters
    return all(p.name in given or p.default is not None or "var" in p.kind for p in parameters)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part)
