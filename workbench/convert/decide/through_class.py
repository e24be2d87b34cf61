"""Methods accessed through their class, and passed as values instead of called."""

from __future__ import annotations

import re
from dataclasses import replace

from workbench.convert.decide.function_values import as_value
from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Refusal, Rewrite
from workbench.rules.rule import Rule
from workbench.rules.template import compile_template
from workbench.source.uses import Use, UseKind
from workbench.targets import Target
from workbench.upstream.facts import Entry, Signature

_NONE = Signature((), "")
_OWN_METHOD = re.compile(r"\{self\}\.(\w+)\(([^()]*)\)")


def through_class(use: Use, outcome: Outcome, target: Target) -> Outcome:
    """Decide a method of a class: `torch.Tensor.exp`, `nn.Linear.forward(self, x)`."""
    entry, unbound = target.facts.get(use.name), use.kind is UseKind.UNBOUND
    reached = unbound or (use.receiver is None and use.kind in {UseKind.CALL, UseKind.READ})
    owner, _, member = use.name.rpartition(".")
    holder = target.facts.get(owner)
    if not reached or isinstance(outcome, Refusal) or entry is None or holder is None:
        return outcome
    data = entry.is_data and holder.kind == "class"
    held = data and isinstance(outcome, Keep)
    if entry.kind != "method" and not data:
        return outcome
    rule = target.rules.get((use.owner if held else None) or owner)
    cls = rule.value if rule is not None else None
    refused = Refusal("called through the class, it has no equivalent", "call it on the object")
    if isinstance(outcome, Keep):
        if cls is None or "(" in cls:
            return refused
        return Rewrite(
            f"{cls}.{member}", note=outcome.note, caveat=outcome.caveat, callee_only=True
        )
    own = _OWN_METHOD.fullmatch(outcome.template)
    if unbound and own is not None and owner != "torch.Tensor":
        # The class as it is written, since it may be the object's own class that calls it.
        rest = f", {own[2]}" if own[2] else ""
        text = f"{cls}.{own[1]}({{self}}{rest})"
        return refused if cls is None or "(" in cls else replace(outcome, template=text)
    calls_itself = owner != "torch.Tensor" and f"{{self}}.{member}(" in outcome.template
    filled = compile_template(outcome.template).placeholders
    if (unbound and calls_itself) or (not unbound and "self" in filled):
        return refused
    return outcome


def through_method(use: Use, rule: Rule, entry: Entry, target: Target) -> Outcome:
    """Decide a tensor's method under another name, or with some of its arguments given beforehand.

    The arguments stay unchanged, since the replacement of the method takes torch's own.
    """
    read = replace(use, kind=UseKind.READ, receiver=None)
    held = through_class(read, as_value(read, rule, entry, Match(read, _NONE)), target)
    if use.kind is UseKind.INDIRECT and not isinstance(held, Refusal):
        return Keep(held.note, held.caveat or _not_of(use, rule, target))
    if not isinstance(held, Rewrite):
        return held
    return replace(held, template=f"{held.template}(...)", callee_only=False)


def _not_of(use: Use, rule: Rule, target: Target) -> str | None:
    """Return a caveat of a tensor for which the method itself would be written in another way."""
    if not rule.keep or rule.function is None or not use.values or use.call is None:
        return None
    receiver, first = use.call.args[0], use.values[0]
    called = replace(use, kind=UseKind.CALL, receiver=receiver, receiver_value=first, values=[])
    if not isinstance(rule.apply(Match(called, _NONE)), Rewrite):
        return None
    return f"called through another name, {target.title} may lack it for tensors of this dtype"
