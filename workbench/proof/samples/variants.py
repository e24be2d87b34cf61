"""A rule's own cases, with their calls written in other forms."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from workbench.proof.samples.call_forms import Call, defaults_of, named
from workbench.upstream.facts import Facts, load


def variants(name: str, case: str, facts: Facts | None = None) -> Iterator[tuple[str, str]]:
    """Yield other ways to write the first call of a name in a case, with the name of the form.

    torch may not accept all of them; the caller tries torch first.
    """
    facts = facts or load()
    tree = ast.parse(case.strip("\n"))
    found = next(filter(None, (_call(node, name, facts) for node in ast.walk(tree))), None)
    if found is None:
        return
    node, call = found
    for form, text in _written(call, facts):
        replacement = ast.parse(text, mode="eval").body
        changed = _Swap(node, replacement).visit(ast.parse(case.strip("\n")))
        yield form, ast.unparse(ast.fix_missing_locations(changed))


def _call(node: ast.AST, name: str, facts: Facts) -> tuple[ast.Call, Call] | None:
    """Return a call of the rule's name without starred arguments, or None."""
    if not isinstance(node, ast.Call):
        return None
    if any(isinstance(item, ast.Starred) for item in node.args):
        return None
    if any(item.arg is None for item in node.keywords):
        return None
    positional = tuple(ast.unparse(item) for item in node.args)
    keywords = {item.arg or "": ast.unparse(item.value) for item in node.keywords}
    text = ast.unparse(node.func)
    if text.startswith("F."):
        text = f"torch.nn.functional{text[1:]}"
    elif text.startswith("nn."):
        text = f"torch.{text}"
    if facts.canonical(text) == name:
        return node, Call(text, positional, keywords)
    owner, _, member = name.rpartition(".")
    function = node.func
    if owner == "torch.Tensor" and isinstance(function, ast.Attribute) and function.attr == member:
        return node, Call(name, positional, keywords, ast.unparse(function.value))
    return None


def _written(call: Call, facts: Facts) -> Iterator[tuple[str, str]]:
    found = named(call, facts)
    if found is None:
        return
    signature, keywords = found
    if keywords and keywords != call.keywords:
        yield "keywords", call.but((), keywords).text()
    if len(keywords) > 1:
        yield "shuffled", call.but((), dict(reversed(keywords.items()))).text()
    places = [p.name for p in signature.parameters if p.kind == "any"]
    lead = list(keywords)[: len(places)]
    if call.keywords and lead == places[: len(lead)]:
        rest = {key: text for key, text in keywords.items() if key not in lead}
        yield "positional", call.but(tuple(keywords[key] for key in lead), rest).text()
    if bare := defaults_of(signature, but={*keywords, "out"}):
        yield "defaults given", call.but(call.positional, {**call.keywords, **bare}).text()


class _Swap(ast.NodeTransformer):
    """Transformer that replaces one call, identified by its position."""

    def __init__(self, old: ast.expr, new: ast.expr) -> None:
        self._place = (old.lineno, old.col_offset, old.end_lineno, old.end_col_offset)
        self._new = new

    def visit_Call(self, node: ast.Call) -> ast.AST:
        place = (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
        return self._new if place == self._place else self.generic_visit(node)
