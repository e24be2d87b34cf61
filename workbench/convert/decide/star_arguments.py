"""Calls that pass arguments with `*` or `**`: where they may stay, and their new callee."""

from __future__ import annotations

import ast
import re
from itertools import takewhile

from workbench.rules.outcome import Keep, Outcome, Refusal, Rewrite
from workbench.rules.rule import Rule
from workbench.rules.template import Template, compile_template
from workbench.rules.unpacked import through_lambda
from workbench.source.types.lattice import Plain
from workbench.source.uses import Use, UseKind
from workbench.upstream.facts import Entry, Signature

_UNTOLD = "arguments passed with * or ** cannot be matched to parameters; write them out"
NO_SIGNATURE = "its arguments fit no signature of torch"
_KEYWORD = re.compile(r"\b(\w+)=")


def unpacked(use: Use, rule: Rule, entry: Entry) -> Outcome:
    """Return a call with unchanged `*args` or `**kwargs`, if the target takes torch's arguments."""
    call = use.call
    if call is None:
        return Refusal("its operand fits no signature of torch")
    if _is_of_target(use, call, rule, entry):
        return Keep()
    reason = _unbound(use)
    if reason != _UNTOLD or use.kind is UseKind.UNBOUND:
        return Refusal(reason)
    if rule.keep:
        return Keep(rule.note, rule.caveat)
    named = {keyword.arg for keyword in call.keywords if keyword.arg is not None}
    if rule.unpacked is not None and ("out" not in named or _takes_out(rule.unpacked)):
        return Rewrite(rule.unpacked, note=rule.note, caveat=rule.caveat)
    if rule.legacy and any(isinstance(v, Plain) and v.kind in {"int", "float"} for v in use.values):
        return Refusal("a number precedes a tensor, which is a deprecated order of arguments")
    if not rule.templates:
        return Refusal(reason)
    template = compile_template(rule.templates[0])
    if template.passes_on:
        return Rewrite(template.text, note=rule.note, caveat=rule.caveat)
    signatures = rule.signatures_of(entry)
    if len(named) == len(call.keywords) or _places_are_filled(call, template):
        for signature in signatures:
            names = [parameter.name for parameter in signature.parameters]
            takes = template.takes(names) and _by_name(call, template, signature)
            if takes and named <= template.keywords:
                return Rewrite(
                    template.callee, note=rule.note, caveat=rule.caveat, callee_only=True
                )
    between = None
    if len(signatures) == 1:
        method = use.receiver is not None
        between = through_lambda(
            rule.templates, signatures[0], rule.ignored, method=method, given=named
        )
    return Rewrite(between, note=rule.note, caveat=rule.caveat) if between else Refusal(reason)


def _is_of_target(use: Use, call: ast.Call, rule: Rule, entry: Entry) -> bool:
    """Return whether a call has a keyword that only the target's method of this name has.

    An earlier fix wrote it: `self.register_buffer("mean", mean, persistable=False)`.
    """
    if use.receiver is None or not rule.templates:
        return False
    template = rule.templates[0]
    known = {one.name for signature in rule.signatures_of(entry) for one in signature.parameters}
    others = {one.arg for one in call.keywords if one.arg is not None} - known
    same = compile_template(template).callee == f"{{self}}.{entry.name.rpartition('.')[2]}"
    return bool(others) and same and others <= set(_KEYWORD.findall(template))


def _takes_out(text: str) -> bool:
    """Return whether a callable with torch's arguments may accept `out`.

    The target's own functions do; a helper or a lambda does if it names `out` or passes on unnamed
    arguments.
    """
    front = text.partition("(")[0]
    return "." in front or "**" in text or re.search(r"\bout\b", text) is not None


def _by_name(call: ast.Call, template: Template, signature: Signature) -> bool:
    """Return whether no `*` can fill keyword-only or missing parameters of the target."""
    if not any(isinstance(argument, ast.Starred) for argument in call.args):
        return True
    placed = {p.name for p in signature.parameters if p.kind != "keyword"}
    return placed <= set(template.positional)


def _places_are_filled(call: ast.Call, template: Template) -> bool:
    """Return whether no `**` can fill a parameter that the target takes by position only."""
    plain = takewhile(lambda argument: not isinstance(argument, ast.Starred), call.args)
    return sum(1 for _ in plain) >= len(template.positional)


def _unbound(use: Use) -> str:
    call = use.call
    assert call is not None
    if any(isinstance(argument, ast.Starred) for argument in call.args) or any(
        keyword.arg is None for keyword in call.keywords
    ):
        return _UNTOLD
    return NO_SIGNATURE
