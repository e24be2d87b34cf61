"""Tests for the class of a layer: `isinstance(m, nn.Linear)` with flax's class."""

from __future__ import annotations

import ast
from dataclasses import replace

from workbench.convert.decide.planner import Plan
from workbench.convert.passes import Draft
from workbench.rules.outcome import Refusal, Rewrite
from workbench.source.uses import UseKind
from workbench.targets.jax.passes.program.places import places_of

_N = "torch.nn."
_WHY = "a test for the class of a layer"
_NAMED = "TorchSequential"
_CLASSES = {
    "Linear": "nnx.Linear",
    "LayerNorm": "nnx.LayerNorm",
    "Sequential": "nnx.Sequential",
    "ModuleList": "nnx.List",
    "ModuleDict": "nnx.Dict",
    "modules.conv._ConvNd": "(TorchConv, TorchConvTranspose)",
    "modules.batchnorm._BatchNorm": "TorchBatchNorm",
    "Embedding": "(nnx.Embed, TorchEmbedding)",
    "RNNBase": "TorchRecurrent",
}
# Classes of torch that are one class in JAX.
_FAMILIES = {
    "TorchConv": ("Conv1d", "Conv2d", "Conv3d"),
    "TorchConvTranspose": ("ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"),
    "TorchBatchNorm": ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d"),
    "TorchRecurrent": ("LSTM", "GRU", "RNN"),
    "TorchGroupNorm": ("GroupNorm", "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d"),
    "nnx.Dropout": ("Dropout", "Dropout1d", "Dropout2d", "Dropout3d"),
}
_FAMILY = {name: one for one, names in _FAMILIES.items() for name in names}


def test_classes(draft: Draft) -> Draft:
    """Write the classes of layers in tests; one that JAX does not tell apart is refused."""
    tested = _tested(draft)
    if not tested:
        return draft
    made = {one.use.name.removeprefix(_N) for one in draft.plans if one.use.call is not None}
    if any(_is_named(one) for one in draft.plans):
        made.add(_NAMED)
    decided = {id(one): _decided(one, group, made) for one, group in tested}
    return replace(draft, plans=[decided.get(id(one), one) for one in draft.plans])


def _is_named(plan: Plan) -> bool:
    """Return whether a use makes a sequence of layers with names, or a class of such."""
    outcome = plan.outcome
    return isinstance(outcome, Rewrite) and outcome.template.startswith(_NAMED)


def _tested(draft: Draft) -> list[tuple[Plan, set[str]]]:
    """Return the plans of classes that objects are tested for, and all that are tested with it."""
    read = {
        id(one.use.node): one
        for one in draft.plans
        if one.use.kind is UseKind.READ and one.use.name.startswith(_N)
    }
    if not read:
        return []
    found: list[tuple[Plan, set[str]]] = []
    places = places_of(draft.analysis.tree)
    for node in places.of(ast.Call, ast.Compare):
        parts = [read[id(part)] for part in _classes(node) if id(part) in read]
        group = {one.use.name.removeprefix(_N) for one in parts}
        found += [(one, group) for one in parts]
    return found


def _classes(node: ast.AST) -> list[ast.expr]:
    """Return the classes that an expression tests for."""
    match node:
        case ast.Call(func=ast.Name(id="isinstance" | "issubclass"), args=[_, given]):
            return given.elts if isinstance(given, ast.Tuple) else _alternatives(given)
        case ast.Compare(left=ast.Call(func=ast.Name(id="type")), comparators=[given]):
            return list(given.elts) if isinstance(given, ast.Tuple | ast.List) else [given]
    return []


def _alternatives(node: ast.expr) -> list[ast.expr]:
    """Return the operands of `nn.Linear | nn.Conv2d`."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return [*_alternatives(node.left), *_alternatives(node.right)]
    return [node]


def _decided(plan: Plan, group: set[str], made: set[str]) -> Plan:
    name = plan.use.name.removeprefix(_N)
    family = _FAMILY.get(name)
    if family is None:
        text = _CLASSES.get(name)
        if name == "Sequential" and _NAMED in made:
            text = f"({text}, {_NAMED})"
        return plan if text is None else plan.decided(Rewrite(text), _WHY)
    others = [one for one in _FAMILIES[family] if one in made and one not in group]
    if others or name not in made | group:
        refusal = Refusal(f"{' and '.join(others)} of this file are the same class in JAX")
        return plan.decided(refusal, _WHY)
    return plan.decided(Rewrite(family), _WHY)
