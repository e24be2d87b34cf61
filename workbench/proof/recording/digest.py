"""Digests of rules, which change if the code written for a name may have changed.

Each rule has one digest for the exact style and one for the plain style. The latter includes the
rule's form and the calls that stay unchanged, so a changed form is proved again without the exact
style. Sentences are no part of a digest: a reworded message needs no new proof.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import re
from collections.abc import Iterator, Mapping, Set
from functools import cache
from types import FunctionType, ModuleType

from workbench.proof.recording.record import Record
from workbench.rules import forms
from workbench.rules.rule import Rule
from workbench.rules.same import SameCalls
from workbench.targets import EXACT, Target
from workbench.words import words

_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_WORDS = re.compile(r"\b[a-z]+ [a-z]+ [a-z]+\b")
_PLACEHOLDER = re.compile(r"\{[^{}]*\}")
_HELPER = re.compile(r"\b[tT]orch_?[A-Za-z]\w*")


def digest(rule: Rule, target: Target) -> str:
    """Return the exact style's digest: of the rule, its cases, and the helpers that it may call."""
    rows = [repr(getattr(rule, name)) for name in ("templates", "value", "store", "cases")]
    rows += [repr(sorted(rule.ignored)), repr(rule.refusal is not None), repr(rule.keep)]
    if rule.function is not None:
        # A rule's function may use anything that its module defines.
        rows.append(_source(inspect.getmodule(rule.function)))
    text = "\n".join(rows)
    named = [name for name in _HELPER.findall(text) if name in target.helpers]
    rows += [_meaning(helper.source) for helper in target.helpers.closure(named)]
    return _short(rows)


def plain_digest(rule: Rule, target: Target) -> str:
    """Return the plain style's digest: of the form, and of the rule as its fallback."""
    rows = [digest(rule, target)]
    if target.forms is not None:
        form = target.forms.get(rule.name, target.version)
        if isinstance(target.forms.same, SameCalls):
            rows += _shown(target.forms.same.row(rule.name))
        if form is not None:
            rows += [form.since, *form.cases, str((form.base, form.partial, form.whole))]
            rows += [form.decorator or ""]
            for part in (form.decide, form.value, form.spread):
                rows += _shown(part)
    return _short(rows)


def digest_in(style: str, rule: Rule, target: Target) -> str:
    """Return the digest of a rule in one of the styles."""
    return digest(rule, target) if style == EXACT else plain_digest(rule, target)


def changed_rules(target: Target, known: Record, style: str = EXACT) -> set[str]:
    """Return the names of rules whose digest in a style differs from the record's."""
    entries = known.rules

    def same(rule: Rule) -> bool:
        entry = entries.get(rule.name)
        if entry is None:
            return False
        had = entry.digest if style == EXACT else entry.plain.digest
        return had == digest_in(style, rule, target)

    return {
        rule.name
        for rule in target.rules
        if (rule.refusal is None or rule.name in entries) and not same(rule)
    }


def _short(rows: list[str]) -> str:
    return hashlib.sha256("\n".join(rows).encode()).hexdigest()[:10]


def _shown(value: object) -> Iterator[str]:
    """Yield texts that identify a value; for a function its module's source and its closure."""
    if isinstance(value, FunctionType):
        module = inspect.getmodule(value)
        if module is not forms:  # its functions only interpret rows
            yield _source(module)
        for cell in value.__closure__ or ():
            yield from _shown(cell.cell_contents)
    elif isinstance(value, Mapping):
        for key, one in value.items():
            yield from (repr(key), *_shown(one))
    elif isinstance(value, Set):
        yield from sorted(map(repr, value))
    elif isinstance(value, tuple | list):
        for one in value:
            yield from _shown(one)
    elif isinstance(value, str):
        yield "" if _is_sentence(value) else repr(value)
    elif isinstance(value, int | float | None):
        yield repr(value)


@cache
def _source(module: ModuleType | None) -> str:
    return _meaning(inspect.getsource(module)) if module is not None else ""


@cache
def _meaning(source: str) -> str:
    """Return a source text's syntax tree without imports, comments, layout and sentences."""
    tree = _Displays().visit(ast.parse(source))
    tree.body = [one for one in tree.body if not isinstance(one, ast.Import | ast.ImportFrom)]
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            del node.body[0]
        elif isinstance(node, ast.Constant) and _is_sentence(node.value):
            node.value = ""
    return ast.dump(tree)


class _Displays(ast.NodeTransformer):
    """Writes tables of words, which look like sentences, as displays of their words."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        first = node.args[0] if len(node.args) == 1 else None
        if name == words.__name__ and isinstance(first, ast.Constant):
            return ast.Tuple([ast.Constant(word) for word in words(str(first.value))], ast.Load())
        if not isinstance(first, ast.Tuple):
            return node
        if name == list.__name__:
            return ast.List(first.elts, ast.Load())
        if name == set.__name__:
            return ast.Set(first.elts)
        if name == frozenset.__name__:
            node.args = [ast.Set(first.elts)]
        return node


def _is_sentence(value: object) -> bool:
    """Return whether a text consists of words, and not of code or of a template of code."""
    if not isinstance(value, str) or _WORDS.search(value) is None:
        return False
    try:
        ast.parse(_PLACEHOLDER.sub("x", value).strip())
    except (SyntaxError, ValueError):
        return True
    return False
