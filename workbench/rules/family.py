"""One row for the forms of a torch name: function, method, `out=` and in-place.

`torch.abs(x)`, `torch.abs(x, out=y)`, `x.abs()`, `x.abs_()` and `torch.abs_(x)` mean one thing; a
family writes it once, with `{input}` for the tensor that comes first. The helpers `torch_out` and
`torch_inplace`, which the other forms are written with, are the target's own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, replace
from typing import Any

from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.rules.rule import Rule, RuleSet
from workbench.source.types.lattice import Tensor, Value
from workbench.upstream.calls import call_signatures
from workbench.upstream.facts import load, parse_signature

# Helpers that the forms of a family call: each target defines them, or refuses these uses.
HELPERS = ("torch_inplace", "torch_out")
_CALL = re.compile(r"([\w.]+)\((.*)\)$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Simpler:
    """A template that is exact where `holds` says so of a use."""

    template: str
    holds: Callable[[Match], bool]


class Family(RuleSet):
    """A rule set whose rows serve several forms of a name."""

    def row(self, name: str, *templates: str, **options: Any) -> None:
        """As any rule set's; torch's `out=` is added where the row says nothing of it."""
        super().row(name, *templates, **options)
        self.rules[-1] = _with_out(self.rules[-1])

    def as_values(self, callables: Mapping[str, str]) -> None:
        """Set the callables that replace functions used as values; they take torch's arguments."""
        for at, rule in enumerate(self.rules):
            if (text := callables.get(rule.name)) is not None:
                self.rules[at] = replace(rule, value=text, unpacked=f"{text}(...)")

    def unpacking(self, callables: Mapping[str, str]) -> None:
        """Set the callables that replace methods called with `*` and `**`: `f({self}, ...)`."""
        for at, rule in enumerate(self.rules):
            if (text := callables.get(rule.name)) is not None:
                self.rules[at] = replace(rule, unpacked=text)

    def legacy(self, name: str, *signatures: str) -> None:
        """Add the argument orders that torch accepts from old code, to all forms of a name."""
        parsed = [parse_signature(text) for text in signatures]
        methods = tuple(
            replace(one, parameters=tuple(p for p in one.parameters if p.name != "input"))
            for one in parsed
        )
        out = parse_signature("(*, out=None)").parameters
        functions = tuple(replace(one, parameters=one.parameters + out) for one in parsed)
        forms = {f"torch.{name}": functions} | dict.fromkeys(
            (f"torch.Tensor.{name}", f"torch.Tensor.{name}_"), methods
        )
        for at, rule in enumerate(self.rules):
            if rule.name in forms:
                self.rules[at] = replace(rule, legacy=forms[rule.name])

    def both(
        self,
        name: str,
        *templates: str,
        keep: bool = False,
        inplace: str | None = None,
        ignored: Mapping[str, str] | None = None,
        note: str | None = None,
        caveat: str | None = None,
        simpler: Simpler | None = None,
    ) -> None:
        """Add the rules of `torch.<name>` and `torch.Tensor.<name>`, as far as they exist.

        Args:
            name: without `torch.`.
            templates: of the function, with `{input}` for the first argument.
            keep: the method is written, and means, the same in the target.
            inplace: template of the in-place forms, or `keep`; made from `templates` otherwise.
            ignored: parameters without effect.
            note: said of every form.
            caveat: said of every form.
            simpler: a template for where what is known of the arguments allows it; not for the
                in-place forms.
        """
        form = _Form(name, templates, ignored or {}, note, caveat)
        for rule in (form.function(), form.method(keep)):
            if rule is not None:
                self.rules.append(simplified(rule, simpler) if simpler else rule)
        self.rules += form.inplace(inplace)


class _Form:
    def __init__(
        self,
        name: str,
        templates: tuple[str, ...],
        ignored: Mapping[str, str],
        note: str | None,
        caveat: str | None,
    ) -> None:
        self.name = name
        self.templates = templates
        self.ignored = ignored
        self.note = note
        self.caveat = caveat

    def function(self) -> Rule | None:
        name = f"torch.{self.name}"
        if name not in load().names:
            return None
        templates = self.templates
        if "out" in _parameters(name):
            templates += tuple(f"torch_out({template}, {{out}})" for template in templates)
        return self._rule(name, templates)

    def method(self, keep: bool) -> Rule | None:
        name = f"torch.Tensor.{self.name}"
        if name not in load().names:
            return None
        if keep:
            return Rule(name, keep=True, note=self.note, caveat=self.caveat)
        templates = tuple(_of_method(template) for template in self.templates)
        return self._rule(name, templates)

    def inplace(self, template: str | None) -> list[Rule]:
        found = []
        for name in (f"torch.Tensor.{self.name}_", f"torch.{self.name}_"):
            if name not in load().names:
                continue
            method = ".Tensor." in name
            texts = (template,) if template else self.templates
            written = tuple(text if template else _inplace(text) for text in texts)
            if method:
                written = tuple(_of_method(text) for text in written)
            if template == "keep":
                if method:
                    found.append(Rule(name, keep=True, caveat=self.caveat))
                    continue
                written = (f"{{input}}.{self.name}_()",)
            found.append(self._rule(name, written))
        return found

    def _rule(self, name: str, templates: tuple[str, ...]) -> Rule:
        known = _parameters(name)
        return Rule(
            name,
            templates,
            ignored={k: v for k, v in self.ignored.items() if k in known},
            note=self.note,
            caveat=self.caveat,
        )


def _parameters(name: str) -> Set[str]:
    """Return the names of the parameters of a torch name, from all its signatures."""
    called = {p.name for one in call_signatures(name) for p in one.parameters}
    return called or load().parameter_names(name)


def _with_out(rule: Rule) -> Rule:
    """Return the rule with torch's parameter `out`, unless its own templates have it."""
    has_out = any("{out}" in text or text.endswith("...)") for text in rule.templates)
    if has_out or not any(p.name == "out" for s in rule.signatures for p in s.parameters):
        return rule
    written = tuple(f"torch_out({text}, {{out}})" for text in rule.templates)
    return replace(rule, templates=(*rule.templates, *written))


def warns_of_dtype(dtype: str, caveat: str) -> Callable[[Match], str | None]:
    """Return a function for a rule's `warns`: a caveat for tensors known to have a dtype."""

    def warns(match: Match) -> str | None:
        tensor = subject(match)
        return caveat if isinstance(tensor, Tensor) and tensor.dtype == dtype else None

    return warns


def subject(match: Match) -> Value:
    """Return the value of the tensor that a family's function or method works on."""
    use = match.use
    return use.receiver_value if use.receiver is not None else match.value("input")


def simplified(rule: Rule, simpler: Simpler) -> Rule:
    """Return the rule with a simpler template for the uses that allow it."""
    template = simpler.template
    if ".Tensor." in rule.name:
        template = _of_method(template)
    written: tuple[str, ...] = (template,)
    if any("{out}" in text for text in rule.templates):
        written += (f"torch_out({template}, {{out}})",)
    simple = replace(rule, templates=written, keep=False)

    def decide(match: Match) -> Outcome:
        outcome = simple.apply(match) if simpler.holds(match) else None
        return outcome if isinstance(outcome, Rewrite) else rule.apply(match)

    return replace(rule, function=decide)


def _of_method(template: str) -> str:
    return template.replace("{input}", "{self}")


def _inplace(template: str) -> str:
    """Return `torch_inplace(f, {input})` for `f({input})`."""
    match = _CALL.match(template)
    assert match is not None, template
    return f"torch_inplace({match.group(1)}, {match.group(2)})"
