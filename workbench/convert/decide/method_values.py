"""Methods of tensors passed as values: `torch.Tensor.sum`, or `x.sum` of one tensor."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Refusal, Rewrite
from workbench.rules.rule import Rule
from workbench.rules.template import only_given
from workbench.rules.unpacked import through_lambda
from workbench.source.uses import Use
from workbench.upstream.facts import Entry, Signature

_TENSORS = "torch.Tensor."
_OWN = re.compile(r"(\{self\}\.\w+)\(\.\.\.\)")
NO_VALUE = Refusal("passed as a value instead of called, it has no equivalent")


def of_tensors(entry: Entry) -> bool:
    """Return whether a name is a method of tensors, such as `torch.Tensor.exp`."""
    return entry.kind == "method" and entry.name.startswith(_TENSORS)


def method_value(use: Use, rule: Rule, entry: Entry) -> Outcome:
    """Return a tensor's method: what takes the tensor, and then torch's own arguments."""
    if rule.value is not None:
        return as_replacement(rule.value, rule)
    text = rule.unpacked or lambda_of(rule, entry, method=True)
    if text is not None and (front := text.removesuffix("({self}, ...)")) != text:
        return as_replacement(front, rule)
    if text is not None:
        body = text.replace("{self}", "self").replace("...", "*args, **kwargs")
        return as_replacement(f"(lambda self, *args, **kwargs: {body})", rule)
    return _without_arguments(use, rule, entry)


def bound_method(use: Use, rule: Rule, entry: Entry) -> Outcome:
    """Return the bound method of one tensor: `x.sum` as a function of the other arguments."""
    plain = _without_arguments(use, rule, entry)
    if isinstance(plain, Keep):
        return plain
    own = _OWN.fullmatch(rule.unpacked or "")
    if own is not None:
        return as_replacement(own[1], rule)
    takes_more = any(signature.parameters for signature in rule.signatures_of(entry))
    decided = isinstance(plain, Rewrite) and not takes_more
    of_any = plain if decided else method_value(use, rule, entry)
    if not isinstance(of_any, Rewrite):
        return of_any
    if any(part.value is use.node for part in _members(use)):
        return Refusal("a member of the method is read, which its replacement does not have")
    return replace(of_any, template=f"functools.partial({of_any.template}, {{self}})")


def _members(use: Use) -> Iterator[ast.Attribute]:
    return (part for part in ast.walk(use.statement) if isinstance(part, ast.Attribute))


def lambda_of(rule: Rule, entry: Entry, *, method: bool) -> str | None:
    """Return a lambda around the rule's templates, if all of torch's signatures give the same."""
    made = {
        through_lambda(rule.templates, signature, rule.ignored, method=method)
        for signature in rule.signatures_of(entry)
    }
    return made.pop() if len(made) == 1 else None


def as_replacement(text: str, rule: Rule) -> Rewrite:
    """Return the replacement of a name that is passed as a value."""
    note = rule.note or ("a lambda replaces it" if text.startswith("(lambda") else None)
    return Rewrite(text, note=note, caveat=rule.caveat)


def _without_arguments(use: Use, rule: Rule, entry: Entry) -> Outcome:
    """Return the rule's outcome for a call without arguments, as a function of the tensor only."""
    takes = [
        [one for one in signature.parameters if one.name != "memory_format"]
        for signature in rule.signatures_of(entry)
    ]
    if takes and all(any(one.default is None for one in taken) for taken in takes):
        return NO_VALUE
    outcome = rule.apply(Match(use, Signature((), "")))
    caveat = outcome.caveat if not isinstance(outcome, Refusal) else None
    if any(takes):
        caveat = caveat or "passed as a value: its replacement takes the tensor only"
    if isinstance(outcome, Rewrite) and not outcome.callee_only and not outcome.texts:
        body = only_given(outcome.template, {"self"}).replace("{self}", "self")
        if "{" not in body:
            return replace(as_replacement(f"(lambda self: {body})", rule), caveat=caveat)
    return replace(outcome, caveat=caveat) if isinstance(outcome, Keep) else NO_VALUE
