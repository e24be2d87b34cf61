"""Parameters without a part in a loss: torch's optimizers leave them, optax's see zeros.

Momentum and decay move a parameter whose gradient is zero. So a difference is open unless the text
shows that a loss uses every member of its model, or the optimizer has neither.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from workbench.convert.decide.planner import Plan
from workbench.rules.match import Match
from workbench.source.tree import inside
from workbench.targets.jax.passes.program.places import Function
from workbench.targets.jax.passes.program.structure import Structure
from workbench.targets.jax.passes.steps.parts import Gradient

# Calls that give a member a name of run time.
_BY_NAME = frozenset({"setattr", "self.add_module", "self.register_module"})


def keeps_zeros(match: Match) -> bool:
    """Return whether an optimizer leaves a parameter of zero gradients where it is."""
    return match.use.name.endswith(".SGD") and not match.given("momentum", "weight_decay")


def uses_all(gradient: Gradient, model: str, structure: Structure, plans: list[Plan]) -> bool:
    """Return whether the text shows that a loss uses all parameters of a model."""
    called = _called(gradient, model)
    classes = _classes_of(model, structure, plans)
    return classes is not None and all(_is_whole(one, called, structure) for one in classes)


def _called(gradient: Gradient, model: str) -> set[str]:
    """Return the members of a model that a loss reads; `forward` if it calls the model."""
    found = set()
    for one in (*gradient.body, gradient.loss):
        for node in inside(one):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == model:
                found.add("forward")
            elif isinstance(node, ast.Attribute) and ast.unparse(node.value) == model:
                found.add(node.attr)
            elif isinstance(node, ast.Name) and node.id == model:
                found.add("forward")  # a function that is given the model
    return found


def _classes_of(model: str, structure: Structure, plans: list[Plan]) -> list[ast.ClassDef] | None:
    """Return the classes that a model may have, none for a layer of torch, or None."""
    made = [
        node.value
        for node in structure.places.of(ast.Assign)
        if isinstance(node.value, ast.Call)
        and any(ast.unparse(aim) == model for aim in node.targets)
    ]
    planned = {id(one.use.node): one.use.name for one in plans}
    found: list[ast.ClassDef] = []
    for call in made:
        name = ast.unparse(call.func)
        if name in structure.classes:
            found.append(structure.classes[name])
        elif not planned.get(id(call), "").startswith("torch.nn."):
            return None
    return found if made else list(structure.classes.values()) or None


def _is_whole(cls: ast.ClassDef, called: set[str], structure: Structure) -> bool:
    """Return whether members of a class read all that its constructor makes."""
    made = structure.method(cls, "__init__")
    if made is None:
        return True
    members = {
        aim.attr
        for node in inside(made)
        if isinstance(node, ast.Assign) and _may_hold_parameters(node.value)
        for target in node.targets
        for aim in inside(target)
        if isinstance(aim, ast.Attribute) and ast.unparse(aim.value) == "self"
    }
    if any(
        ast.unparse(node.func) in _BY_NAME for node in inside(made) if isinstance(node, ast.Call)
    ):
        return False
    read: set[str] = set()
    left = set(called)
    while left:
        name = left.pop()
        read.add(name)
        method = structure.method(cls, name)
        if method is not None:
            left |= set(_read_by(method)) - read
    return members <= read


def _may_hold_parameters(value: ast.expr) -> bool:
    return any(isinstance(node, ast.Call) for node in inside(value))


def _read_by(method: Function) -> Iterator[str]:
    """Yield the members that a method always reads; a condition on members counts as met."""
    left: list[ast.AST] = list(method.body)
    while left:
        node = left.pop()
        if isinstance(node, ast.If | ast.IfExp) and "self." not in ast.unparse(node.test):
            left.append(node.test)
            continue
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "self":
            yield node.attr
        left += ast.iter_child_nodes(node)
