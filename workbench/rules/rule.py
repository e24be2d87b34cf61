"""Rules and their registry.

A regular rule is a row: a torch name and a template. An irregular rule is a function. A rule set
belongs to one file; a target's registry consists of all its sets. `Registry.verify` raises if two
rules claim one name, or if a rule names a parameter that torch does not have.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from workbench.errors import RuleError
from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Refusal, Rewrite
from workbench.rules.same_call import same_call
from workbench.rules.template import compile_template, only_given
from workbench.upstream.calls import call_signatures
from workbench.upstream.cases import cases_of
from workbench.upstream.facts import Entry, Facts, Signature, parse_signature

Function = Callable[[Match], Outcome]
_NOTHING: Mapping[str, str] = {}  # one object for all: of 16,000 rules hardly one ignores anything


@dataclass(frozen=True, slots=True)
class Rule:
    """How one torch name is written in a target.

    Attributes:
        name: the qualified torch name.
        templates: rows, tried in order; the first that holds every given argument is used.
        function: decides instead of templates.
        value: replaces the name where it is used as a value instead of called.
        store: for a data member that is assigned: the target's member, and the template of the
            value, in which `{value}` is the assigned value and `{self}` the receiver.
        ignored: parameters without effect in the target, with the reason.
        note: additional information for the user.
        caveat: when the result may differ.
        own_cases: cases in addition to those of `workbench.upstream.cases` for the name.
        own_signatures: signatures of a name that torch does not define.
        legacy: further orders of the arguments that torch accepts with a warning.
        base: the torch class that a class of the user's own derives from.
        refusal: the reason if there is no equivalent.
        keep: the name is written the same in the target.
        unpacked: a template such as `torch_zeros(...)` for calls with `*` or `**`; derived from
            `templates` if possible.
        warns: returns a caveat for single uses that have none yet.
    """

    name: str
    templates: tuple[str, ...] = ()
    function: Function | None = None
    value: str | None = None
    store: tuple[str, str] | None = None
    ignored: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    note: str | None = None
    caveat: str | None = None
    own_cases: tuple[str, ...] = ()
    own_signatures: tuple[Signature, ...] = ()
    legacy: tuple[Signature, ...] = ()
    base: str | None = None
    refusal: Refusal | None = None
    keep: bool = False
    unpacked: str | None = None
    warns: Callable[[Match], str | None] | None = None

    @property
    def cases(self) -> tuple[str, ...]:
        """Source code that exercises the rule, for its proof and its documentation."""
        return () if self.refusal is not None else (*cases_of(self.name), *self.own_cases)

    @property
    def signatures(self) -> tuple[Signature, ...]:
        """The signatures to bind arguments to; empty if those of the facts are right."""
        return self.own_signatures or call_signatures(self.name)

    def signatures_of(self, entry: Entry) -> tuple[Signature, ...]:
        """Return the signatures to bind arguments to: the rule's, else the entry's."""
        return self.signatures or entry.signatures

    def apply(self, match: Match) -> Outcome:
        """Return the outcome for one use."""
        outcome = self._decide(match)
        if isinstance(outcome, Rewrite):
            outcome = _without_none(outcome, match)
        return self.warned(outcome, match)

    def warned(self, outcome: Outcome, match: Match) -> Outcome:
        """Return an outcome with the caveat for a single use, if it has none yet."""
        if self.warns is None or isinstance(outcome, Refusal) or outcome.caveat is not None:
            return outcome
        return replace(outcome, caveat=self.warns(match))

    def _decide(self, match: Match) -> Outcome:
        if self.refusal is not None:
            return self.refusal
        if self.function is not None:
            return self.function(match)
        if self.keep:
            return Keep(self.note, self.caveat)
        refusal = Refusal(f"{self.name} has no equivalent for these arguments")
        for template in self.templates:
            outcome = self._fill(template, match)
            if isinstance(outcome, Rewrite):
                return outcome
            refusal = outcome
        return refusal

    def _fill(self, text: str, match: Match) -> Rewrite | Refusal:
        template = compile_template(text)
        if template.passes_on:
            return Rewrite(text, note=self.note, caveat=self.caveat)
        consumed = set()
        for name in match.arguments:
            if name in template.placeholders:
                continue
            if not match.is_default(name) and name not in self.ignored:
                return Refusal(f"its argument `{name}` has no equivalent")
            consumed.add(name)
        for name in template.placeholders:
            known = name in match.arguments or name in template.literals or name == "self"
            if not known and name not in template.optional:
                return Refusal(f"it needs the argument `{name}`, which is not given here")
        if (missing := template.displaced({*match.arguments, "self"})) is not None:
            return Refusal(f"it needs the argument `{missing}`, since later ones are given")
        return Rewrite(text, consumed=frozenset(consumed), note=self.note, caveat=self.caveat)


def _without_none(outcome: Rewrite, match: Match) -> Rewrite:
    """Return the rewrite without arguments that are None, if None is torch's default.

    The target's default may differ from its behaviour for None.
    """
    template = compile_template(outcome.template)
    if outcome.callee_only or template.passes_on:
        return outcome
    names = {
        name
        for name in template.placeholders
        if match.constant(name) is None and match.is_default(name)
        if name in template.literals or re.search(rf"\w=\{{{name}\}}", outcome.template)
    }
    if not names:
        return outcome
    text = only_given(outcome.template, set(template.placeholders) - names)
    return replace(outcome, template=text, consumed=outcome.consumed | names)


class RuleSet:
    """The rules of one file."""

    def __init__(self) -> None:
        self.rules: list[Rule] = []
        self.older: list[tuple[str, Rule]] = []

    def row(
        self,
        name: str,
        *templates: str,
        value: str | None = None,
        store: tuple[str, str] | None = None,
        ignored: Mapping[str, str] | None = None,
        note: str | None = None,
        caveat: str | None = None,
        cases: Iterable[str] = (),
        signature: str | None = None,
        base: str | None = None,
        warns: Callable[[Match], str | None] | None = None,
    ) -> None:
        """Add a regular rule: `row("torch.cat", "paddle.concat({tensors}, axis={dim})")`."""
        self.rules.append(
            Rule(
                name,
                templates,
                value=value,
                store=store,
                ignored=ignored or _NOTHING,
                note=note,
                caveat=caveat,
                own_cases=tuple(cases),
                own_signatures=_signatures(name, signature),
                base=base,
                warns=warns,
            )
        )

    def counterpart(
        self,
        name: str,
        helper: str,
        *,
        without: tuple[str, ...] = (),
        ignored: Mapping[str, str] | None = None,
        note: str | None = None,
        caveat: str | None = None,
        base: str | None = None,
    ) -> None:
        """Add a rule that calls a helper of the target with the same arguments.

        It also replaces the name where it is a value. `without` lists parameters that the helper
        does not take.
        """
        call = same_call(name, helper, without=without) if without else f"{helper}(...)"
        self.row(name, call, value=helper, ignored=ignored, note=note, caveat=caveat, base=base)

    def rule(
        self,
        *names: str,
        value: str | None = None,
        store: tuple[str, str] | None = None,
        cases: Iterable[str] = (),
        signature: str | None = None,
        base: str | None = None,
        unpacked: str | None = None,
        note: str | None = None,
        warns: Callable[[Match], str | None] | None = None,
    ) -> Callable[[Function], Function]:
        """Return a decorator that registers a function as the rule of these names.

        The note is for uses that the function does not decide: calls with `*` and `**`, and the
        name as a value.
        """

        def register(function: Function) -> Function:
            for name in names:
                self.rules.append(
                    Rule(
                        name,
                        function=function,
                        value=value,
                        store=store,
                        own_cases=tuple(cases),
                        own_signatures=_signatures(name, signature),
                        base=base,
                        unpacked=unpacked,
                        note=note,
                        warns=warns,
                    )
                )
            return function

        return register

    def keep(
        self,
        *names: str,
        note: str | None = None,
        caveat: str | None = None,
        cases: Iterable[str] = (),
    ) -> None:
        """Register names that are written the same in the target; the first one gets `cases`."""
        for index, name in enumerate(names):
            proof = tuple(cases) if index == 0 else ()
            self.rules.append(Rule(name, keep=True, note=note, caveat=caveat, own_cases=proof))

    def before(
        self,
        version: str,
        name: str,
        *templates: str,
        value: str | None = None,
        caveat: str | None = None,
    ) -> None:
        """Register how versions of the target before this one spell a name that has a rule."""
        self.older.append((version, Rule(name, templates, value=value, caveat=caveat)))

    def refuse(self, *names: str, reason: str, instead: str | None = None) -> None:
        """Register names without an equivalent; the user reads the reason."""
        refusal = Refusal(reason, instead)
        self.rules += [Rule(name, refusal=refusal) for name in names]


def _signatures(name: str, text: str | None) -> tuple[Signature, ...]:
    if text is None:
        return ()
    try:
        return (parse_signature(text),)
    except SyntaxError as error:
        raise RuleError(
            f"{name}: the signature {text!r} does not parse ({error.msg}); write it as in"
            " '(x, dim=0) -> Tensor'"
        ) from error


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


@dataclass(slots=True)
class _Tables:
    """Rules by torch name, their older spellings, and names that two rules claim."""

    rules: dict[str, Rule] = field(default_factory=dict)
    older: dict[str, list[tuple[str, Rule]]] = field(default_factory=dict)
    twice: list[str] = field(default_factory=list)

    def take(self, sets: Iterable[RuleSet]) -> None:
        """Add the rules of these sets."""
        for rules in sets:
            for rule in rules.rules:
                if self.rules.setdefault(rule.name, rule) is not rule:
                    self.twice.append(rule.name)
            for limit, rule in rules.older:
                self.older.setdefault(rule.name, []).append((limit, rule))


# Returns the refusal of a name without a rule; takes the rule of its owner, or None.
Remaining = Callable[[str, Rule | None], Refusal | None]


class Registry:
    """All rules of a target, by torch name; their sets are loaded at the first access.

    `remaining` returns the refusal of torch names that no set has a rule for. `apart` has sets by
    prefixes of all their names; these are loaded when such a name is requested.
    """

    def __init__(
        self,
        sets: Iterable[RuleSet],
        facts: Facts,
        remaining: Remaining | None = None,
        apart: Mapping[tuple[str, ...], Iterable[RuleSet]] | None = None,
    ) -> None:
        self._facts = facts
        self._waiting = {("",): sets, **(apart or {})}
        self._remaining = remaining
        self._refused: dict[str, Rule | None] = {}
        self._read = _Tables()
        self._reading = threading.Lock()

    @property
    def _all(self) -> _Tables:
        return self._for(*(prefixes[0] for prefixes in tuple(self._waiting)))

    def _for(self, *names: str) -> _Tables:
        """Return the loaded rules, after loading all sets that may define these names."""
        if self._awaited(names):
            with self._reading:
                for prefixes in self._awaited(names):
                    self._read.take(self._waiting[prefixes])
                    # Only now, so that other threads wait for the lock until here.
                    del self._waiting[prefixes]
        return self._read

    def _awaited(self, names: tuple[str, ...]) -> list[tuple[str, ...]]:
        return [one for one in tuple(self._waiting) if any(name.startswith(one) for name in names)]

    def verify(self) -> None:
        """Check every rule, which takes too long for each start.

        Raises:
            RuleError: two rules claim one name, or a rule does not fit its torch name.
        """
        problems = [f"two rules for {name}" for name in self._all.twice]
        problems += [problem for rule in self for problem in self._problems(rule)]
        alone = self._all.older.keys() - self._all.rules.keys()
        problems += [
            (f"{name} has a rule for older versions, but none for the newest")
            for name in sorted(alone)
        ]
        if problems:
            raise RuleError("\n".join(problems))

    def _problems(self, rule: Rule) -> Iterator[str]:
        if not self._facts.has(rule.name):
            other = self._facts.canonical(rule.name)
            if self._facts.has(other):
                yield f"{rule.name} is another name of {other}: write the rule there"
            else:
                yield f"torch has no {rule.name!r}"
            return
        if rule.refusal is not None or not (rule.templates or rule.ignored):
            return
        # Signatures are parsed only for few rules: an editor loads thousands of rules.
        known = self._facts.parameter_names(rule.name)
        if rule.signatures:
            known = frozenset(p.name for one in rule.signatures for p in one.parameters)
        for text in rule.templates:
            template = compile_template(text)
            for name in template.placeholders:
                if name != "self" and name not in known:
                    yield f"{rule.name} has no parameter {name!r} (in {text!r})"
        moved = self._displaced(rule)
        if moved is not None:
            yield (
                f"{rule.name}: if {moved!r} is not given, the next argument takes its position (in"
                f" {rule.templates[0]!r}); pass that one by keyword, or give a default"
            )
        for name in rule.ignored:
            if name not in known:
                yield f"{rule.name} has no parameter {name!r} to ignore"

    def _displaced(self, rule: Rule) -> str | None:
        """Return a placeholder that another argument displaces in a signature's shortest call, or
        None.
        """
        template = compile_template(rule.templates[0]) if len(rule.templates) == 1 else None
        if template is None or not template.leading:
            return None
        entry = self._facts.get(rule.name)
        for signature in rule.signatures or (entry.signatures if entry is not None else ()):
            required = {p.name for p in signature.parameters if p.default is None}
            name = template.displaced(required | {"self"})
            if name is not None and name in {p.name for p in signature.parameters}:
                return name
        return None

    def extended(self, rules: Iterable[Rule], facts: Facts) -> Registry:
        """Return a registry with further rules, which take precedence; nothing is verified."""
        result = Registry((), facts, self._remaining)
        added = {rule.name: rule for rule in rules}
        read = self._all
        older = {name: one for name, one in read.older.items() if name not in added}
        result._read = _Tables(read.rules | added, older)
        return result

    def problems(self, rule: Rule, facts: Facts) -> list[str]:
        """Return the problems of a rule that is to be added, in words."""
        return list(Registry((), facts)._problems(rule))

    def __iter__(self) -> Iterator[Rule]:
        yield from self._all.rules.values()
        if self._remaining is not None:
            for name in sorted(self._facts.names - self._all.rules.keys()):
                if (rule := self.get(name)) is not None:
                    yield rule

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def spelled(self, rule: Rule, version: str) -> Rule:
        """Return the rule as a version of the target spells it; older versions may differ."""
        older = [
            (limit, other)
            for limit, other in self._for(rule.name).older.get(rule.name, ())
            if _numbers(version) < _numbers(limit)
        ]
        if not older:
            return rule
        _, other = min(older, key=lambda item: _numbers(item[0]))
        return replace(
            other, own_cases=rule.own_cases, own_signatures=rule.own_signatures, store=rule.store
        )

    def get(self, name: str) -> Rule | None:
        """Return the rule of exactly this canonical torch name, or None."""
        rule = self._for(name).rules.get(name)
        if rule is None and not self._inherited(name):
            rule = self._left(name)
        return rule

    def find(self, name: str) -> Rule | None:
        """Return the rule of a canonical name, or of the base-class member that it overrides, or
        None.
        """
        rule = self.get(name)
        for base in self._of_bases(name) if rule is None else ():
            rule = rule or self.find(base)
        return rule

    def _inherited(self, name: str) -> bool:
        """Return whether a set has a rule for the member of a base class."""
        above = self._of_bases(name)
        return any(base in self._for(base).rules or self._inherited(base) for base in above)

    def _of_bases(self, name: str) -> Iterator[str]:
        owner, _, attribute = name.rpartition(".")
        return (f"{base}.{attribute}" for base in self._facts.bases(owner))

    def _left(self, name: str) -> Rule | None:
        """Return the refusal of a torch name that no set has a rule for, or None."""
        if self._remaining is not None and name not in self._refused:
            owner = self._for(name).rules.get(name.rpartition(".")[0])
            known = name in self._facts.names
            refusal = self._remaining(name, owner) if known else None
            self._refused[name] = Rule(name, refusal=refusal) if refusal is not None else None
        return self._refused.get(name)
