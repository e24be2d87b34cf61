"""A digest of a rule: it changes when what the rule writes may have changed."""

from __future__ import annotations

import hashlib
import inspect
import re
from functools import cache
from types import ModuleType

from workbench.proof.record import Record
from workbench.rules.rule import Rule
from workbench.targets import Target

_HELPER = re.compile(r"\b[tT]orch_?[A-Za-z]\w*")


def digest(rule: Rule, target: Target) -> str:
    """Of the rule's rows or function, its cases, and the helpers that it may call."""
    rows = [repr(getattr(rule, name)) for name in ("templates", "value", "store", "cases")]
    rows += [repr(sorted(rule.ignored.items())), repr(rule.refusal), repr(rule.keep)]
    if rule.function is not None:
        # A rule's function reads what its module defines beside it.
        rows.append(_source(inspect.getmodule(rule.function)))
    text = "\n".join(rows)
    named = [name for name in _HELPER.findall(text) if name in target.helpers]
    rows += [helper.source for helper in target.helpers.closure(named)]
    return hashlib.sha256("\n".join(rows).encode()).hexdigest()[:10]


def changed_rules(target: Target, known: Record) -> set[str]:
    """The rules that a record does not know as they are now."""
    entries = known.rules
    return {
        rule.name
        for rule in target.rules
        if (rule.refusal is None or rule.name in entries)
        and (rule.name not in entries or entries[rule.name].digest != digest(rule, target))
    }


@cache
def _source(module: ModuleType | None) -> str:
    return inspect.getsource(module) if module is not None else ""
