"""Helpers that are handed a call's arguments as they are written take what torch takes."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

import workbench.targets.paddle
from workbench.rules.rule import Rule
from workbench.rules.template import compile_template
from workbench.targets import load
from workbench.upstream.facts import Signature
from workbench.upstream.facts import load as facts

_FOLDER = Path(workbench.targets.paddle.__file__).parent
_PASSED_ON = [
    rule
    for rule in load("paddle").rules
    if rule.templates
    and compile_template(rule.templates[0]).passes_on
    and not compile_template(rule.templates[0]).callee.startswith("paddle.")
]


@cache
def definitions() -> dict[str, ast.FunctionDef | ast.ClassDef]:
    """Return the helper functions and classes by their names."""
    trees = [
        ast.parse(file.read_text(encoding="utf-8"))
        for file in _FOLDER.glob("*/helpers/**/[!_]*.py")
    ]
    return {
        node.name: node
        for tree in trees
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }


def parameters(callee: str) -> list[str]:
    """Return the parameters of a helper, of a helper class's constructor, or of a class method."""
    name, _, member = callee.partition(".")
    node = definitions()[name]
    if isinstance(node, ast.FunctionDef):
        return _names(node)
    wanted = member or "__init__"
    for part in node.body:
        if isinstance(part, ast.FunctionDef) and part.name == wanted:
            static = any(ast.unparse(one) == "staticmethod" for one in part.decorator_list)
            return _names(part)[0 if static else 1 :]
    if not node.bases:
        return []
    return parameters(".".join([ast.unparse(node.bases[0]), *([member] if member else [])]))


def _names(node: ast.FunctionDef) -> list[str]:
    if node.args.kwarg is not None:
        pytest.skip("it takes any keyword")
    return [arg.arg for arg in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]


def _upstream(rule: Rule) -> tuple[Signature, ...]:
    entry = facts().get(rule.name)
    assert entry is not None
    return rule.signatures or entry.signatures


@pytest.mark.parametrize("rule", _PASSED_ON, ids=lambda rule: rule.name)
def test_parameters_have_the_names_and_order_of_torch(rule: Rule) -> None:
    if rule.name.endswith(".__init__"):
        pytest.skip("the constructor is checked with its class")
    template = compile_template(rule.templates[0])
    in_front = template.text.count(",")
    mine = parameters(template.callee)[in_front:]
    for signature in _upstream(rule):
        theirs = [p.name for p in signature.parameters if not p.kind.startswith("var_")]
        if not theirs:
            continue
        at_most = min(len(mine), len(theirs))
        assert mine[:at_most] == theirs[:at_most]
        assert len(mine) >= len(theirs), f"{template.callee} does not take {theirs[at_most:]}"
