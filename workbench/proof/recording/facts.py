"""Facts about one name: its signatures, and what proves its rule."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from workbench.proof.recording.record import entry_of, sentence
from workbench.targets import EXACT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workbench.targets import Target
    from workbench.upstream.facts import Facts, Parameter, Signature

_NAME = re.compile(r"[^\W\d]\w*")
_MOST = 3  # overloads to show


def signatures_of(name: str, facts: Facts) -> list[str]:
    """Return the signatures of a name as its package would write them; empty for a value."""
    entry = facts.get(name)
    if entry is None or entry.kind not in ("function", "method", "class"):
        return []
    shown = name.removeprefix("torch.") if entry.kind == "method" else name
    texts = [_written(shown, each) for each in entry.signatures]
    more = len(texts) - _MOST
    return [*texts[:_MOST], *([f"# and {more} more"] if more > 0 else [])]


def _written(name: str, signature: Signature) -> str:
    returns = f" -> {signature.returns}" if signature.returns else ""
    return f"{name}({', '.join(_parameters(signature))}){returns}"


def _parameters(signature: Signature) -> Iterator[str]:
    starred = False
    positional = False
    for each in signature.parameters:
        if positional and each.kind != "positional":
            yield "/"
        positional = each.kind == "positional"
        if each.kind == "keyword" and not starred:
            yield "*"
        starred = starred or each.kind in ("keyword", "var_positional")
        yield _parameter(each)
    if positional:
        yield "/"


def _parameter(each: Parameter) -> str:
    stars = {"var_positional": "*", "var_keyword": "**"}.get(each.kind, "")
    typed = f": {each.type}" if each.type else ""
    if each.default is None or stars:
        return f"{stars}{each.name}{typed}"
    return f"{each.name}{typed} = {each.default}" if typed else f"{each.name}={each.default}"


def proof_of(name: str, target: Target) -> str | None:
    """Return a sentence about the proof of a name's rule, or None if nothing was run."""
    entry = target.facts.get(name)
    rule = entry.alias_of or entry.name if entry else name
    return sentence(rule, target.name, target.title)


def rule_page(name: str, target: Target) -> str:
    """Return a name's rule as Markdown: its code in the target, and the cases that prove it."""
    entry = target.facts.get(name)
    rule = target.rules.find(entry.alias_of or entry.name) if entry else None
    if rule is None:
        return f"There is no rule for `{name}` yet."
    parts: list[str] = []
    proof = entry_of(rule.name, target.name)
    if proof is not None and (plainly := proof.plain.sentence(target.title)):
        parts.append(f"## In the plain style\n\n{plainly}")
    if rule.templates and EXACT in target.styles:
        written = "\n".join(rule.templates)
        parts.append(f"## In the exact style\n\n```python\n{written}\n```")
        called = [each for each in _NAME.findall(written) if each in target.helpers]
        helpers = [each for each in target.helpers.closure(called) if each.name in called]
        parts += [f"```python\n{each.source}\n```" for each in helpers]
    if rule.refusal is not None:
        instead = f" Instead: {rule.refusal.instead}." if rule.refusal.instead else ""
        parts.append(f"## Refused\n\n{rule.refusal.reason}.{instead}")
    remarks = [
        *(f"- `{parameter}`: {reason}" for parameter, reason in rule.ignored.items()),
        *(f"- {remark}" for remark in (rule.caveat, rule.note) if remark),
    ]
    if remarks:
        parts.append("## Worth knowing\n\n" + "\n".join(remarks))
    if rule.cases:
        cases = "\n\n".join(rule.cases)
        parts.append(f"## What was run on both sides\n\n```python\n{cases}\n```")
    return "\n\n".join(parts)
