"""The plain forms of torch's names: the upper rungs of the ladder on which a rule stands.

A form says how an expert of the target writes a use where this program's text makes it right, or
leaves a small difference that is told. Where no form answers, the rule itself does: torch in every
corner, with a helper where it needs one.
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
    """How one torch name is written plainly.

    Attributes:
        name: the qualified torch name.
        decide: what becomes of a call, or of a member that is read; None where no plain form is
            right, so that the rule decides.
        value: what stands for the name where it is handed on, or tested for with `isinstance`;
            None where the rule's own value does.
        tested: what `isinstance` tests for in its place, where that is more than the value.
        base: the value stands for the name as the base of a class too.
        handed: what differs where the value is handed on, to be called under another name.
        whole: `decide` answers for a name that is read or set, too, with what takes the place of
            the whole statement.
        decorator: what stands for it as a decorator without brackets.
        spread: what becomes of a call whose arguments are given with stars in part.
        partial: the form is asked, too, where `functools.partial` leaves arguments to later.
        tried: where `decide` gives None, the call as it stands may do, as trials have shown.
        since: the first version of the target that takes it.
        cases: source code that exercises the form beside the rule's own cases.
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
    handed: Differs = ()
    tried: bool = False
    tested: Value | None = None


class FormSet:
    """The plain forms of one file; of a version of the target and later ones where one is given."""

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
        """Add forms that one of the templates in `to` writes: the first with all given arguments.

        A template that is a dotted name alone takes the call's own arguments as they are written;
        `...` keeps the use as it is.
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
        handed: Differs = (),
        tried: bool = False,
        tested: Value | None = None,
    ) -> Callable[[Decide], Decide]:
        """Register a function as the plain form of these names; None leaves a use to the rule."""

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
                handed=handed,
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
        handed: Differs = (),
        tried: bool = False,
        tested: Value | None = None,
    ) -> None:
        stands = value if callable(value) or value is None else _always(value)
        for index, name in enumerate(names):
            shown = tuple(cases) if not index else ()
            self.forms.append(
                Form(
                    name,
                    decide,
                    stands,
                    since or self._since,
                    shown,
                    spread,
                    base=base,
                    partial=partial,
                    decorator=decorator,
                    whole=whole,
                    handed=handed,
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
    """All plain forms of a target, by torch name; they are read when one is asked for.

    `same` tells what becomes of a use of which the target takes the very call, if it does.
    """

    def __init__(self, sets: Iterable[FormSet], same: Same = lambda name, match: None) -> None:
        self._sets = sets
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
        """The form of exactly this canonical torch name that a version of the target takes."""
        form = self._forms.get(name)
        if form is None or _numbers(version) < _numbers(form.since):
            return None
        return form

    def __iter__(self) -> Iterator[Form]:
        return iter(self._forms.values())

    def outcome(self, name: str, match: Match) -> Outcome | None:
        """What becomes of a use in the plainest form that is right; None leaves it to the rule."""
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
    """Whether every required argument is there, as it is not in `functools.partial`."""
    if match.use.kind is not UseKind.PARTIAL:
        return True
    given = match.arguments
    parameters = match.signature.parameters
    return all(p.name in given or p.default is not None or "var" in p.kind for p in parameters)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part)
