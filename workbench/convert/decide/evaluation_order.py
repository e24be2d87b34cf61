"""Checks that a rewrite evaluates each argument once, and in its written order."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial

from workbench.rules.match import Argument, Match
from workbench.rules.outcome import Refusal, Rewrite
from workbench.rules.template import compile_template, only_given
from workbench.rules.unpacked import through_lambda
from workbench.source.tree import unparsed
from workbench.source.uses import Use, UseKind

# Functions of torch, and of a target under the same names, without effects: those that only create
# a value from arguments, or only ask.
_MAKERS = frozenset(
    {"tensor", "zeros", "ones", "full", "arange", "linspace", "eye", "empty", "device"}
)
_QUESTIONS = frozenset({"cuda.is_available", "cuda.device_count", "default_backend", "devices"})


def unsafe(match: Match, outcome: Rewrite, target: Collection[str]) -> Refusal | None:
    """Return a refusal if the rewrite changes how often or in what order it evaluates a part.

    `target` has the names of the target's modules: parts of the use may be converted already.
    """
    if outcome.callee_only or compile_template(outcome.template).passes_on:
        return None
    if outcome.pieces:  # they are the statement's own expressions
        return None
    arguments = dict(match.arguments)
    template = compile_template(outcome.template)
    missing = template.displaced({*arguments, *outcome.texts, "self"})
    if missing is not None:
        return Refusal(f"it needs the argument `{missing}`, since later ones are given")
    receiver = match.use.receiver
    if receiver is not None:
        arguments["self"] = Argument([receiver], [], [1 if _is_on_the_right(match.use) else -1])
    costly = {name: one for name, one in arguments.items() if not _all(_pure_node, one)}
    if not costly:
        return None
    unnoticed = partial(_unnoticed, frameworks={"torch", *target})
    impure = {name: one for name, one in costly.items() if not _all(unnoticed, one)}
    for name in costly:
        count = outcome.template.count("{" + name + "}") + outcome.template.count("{" + name + "=")
        if count > 1:
            return Refusal(f"its argument `{name}` would be evaluated twice; give it a name first")
        if count == 0 and name in outcome.consumed and name in impure:
            return Refusal(f"its argument `{name}` would not be evaluated; give it a name first")
    order = [impure[name].indexes[0] for name in template.placeholders if name in impure]
    positional = [impure[n].indexes[0] for n in template.positional if n in impure]
    keywords = sorted(index for index in order if index not in positional)
    written = positional + keywords if template.is_call else order
    if written != sorted(written):
        return Refusal("its arguments would be evaluated in another order; give them names first")
    return None


def _is_on_the_right(use: Use) -> bool:
    """Return whether the tensor of an operation is its right operand: `f() / x.sum()`."""
    node = use.node
    if isinstance(node, ast.Compare):
        return use.kind is UseKind.OPERATOR and use.receiver is node.comparators[0]
    return isinstance(node, ast.BinOp) and use.receiver is node.right


def refused_choice(use: Use) -> Refusal | None:
    """Return a refusal if torch's name is chosen among values of which one has an effect.

    Args:
        use: any; of `[torch, f()][0].float32` the call of `f` would be lost.
    """
    node: ast.expr | ast.AugAssign = use.call.func if use.call is not None else use.node
    while isinstance(node, ast.Attribute):
        node = node.value
    if use.receiver is not None or not isinstance(node, ast.Subscript):
        return None
    if not isinstance(node.value, ast.Tuple | ast.List) or _unnoticed(node):
        return None
    return Refusal(f"`{unparsed(node)}` would not be evaluated; give it a name first")


def as_written(match: Match, outcome: Rewrite) -> Rewrite | None:
    """Return the rewrite behind a lambda, which evaluates its arguments once and in their order."""
    call = match.use.call
    if call is None or match.use.kind is not UseKind.CALL or outcome.texts:
        return None
    if not {keyword.arg for keyword in call.keywords} <= match.arguments.keys():
        return None
    method = match.use.receiver is not None
    given = (p for p in match.signature.parameters if p.name in match.arguments)
    taken = tuple(replace(parameter, default=None) for parameter in given)
    signature = replace(match.signature, parameters=taken)
    template = only_given(outcome.template, {*match.arguments, "self"})
    text = through_lambda((template,), signature, outcome.consumed, method=method)
    return replace(outcome, template=text) if text else None


def _all(test: Callable[[ast.expr], bool], argument: Argument) -> bool:
    return all(test(node) for node in argument.nodes)


def _unnoticed(node: ast.expr, frameworks: Collection[str] = ("torch",)) -> bool:
    """Return True for expressions that may be evaluated earlier or later, and nobody can tell."""
    unnoticed = partial(_unnoticed, frameworks=frameworks)
    if isinstance(node, ast.IfExp):
        return all(map(unnoticed, (node.test, node.body, node.orelse)))
    if isinstance(node, ast.Compare):
        return all(map(unnoticed, (node.left, *node.comparators)))
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return unnoticed(node.value)  # `jax.devices()[0]`
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        framework, _, name = unparsed(node.func).partition(".")
        if framework not in frameworks:
            return False
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        return not given if name in _QUESTIONS else name in _MAKERS and all(map(unnoticed, given))
    return _pure_node(node)


def _pure_node(node: ast.expr) -> bool:
    """Return whether evaluating an expression has no effect: names, literals, members of them."""
    if isinstance(node, ast.Name | ast.Constant | ast.Lambda):
        return True
    if isinstance(node, ast.Attribute | ast.Starred):
        return _pure_node(node.value)
    if isinstance(node, ast.UnaryOp):
        return _pure_node(node.operand)
    if isinstance(node, ast.BinOp):
        return _pure_node(node.left) and _pure_node(node.right)
    if isinstance(node, ast.Tuple | ast.List):
        return all(_pure_node(item) for item in node.elts)
    if isinstance(node, ast.Subscript):
        return _pure_node(node.value) and _pure_node(node.slice)
    return isinstance(node, ast.Slice)
