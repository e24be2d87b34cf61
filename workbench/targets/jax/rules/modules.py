"""Classes of layers and their members."""

from __future__ import annotations

import ast

from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Refusal, Rewrite
from workbench.rules.rule import RuleSet
from workbench.source.uses import UseKind
from workbench.upstream.supplement import COMMON_TYPES

rules = RuleSet()

rules.row("torch.nn.Module", "nnx.Module()", value="nnx.Module")


@rules.rule("torch.nn.Module.__init__")
def constructor(match: Match) -> Outcome:
    """Keep the call."""
    alone = _is_alone(match)
    return Keep() if alone else Refusal("the call returns None in JAX", "call it on its own line")


@rules.rule("torch.nn.Module.eval")
def evaluated(match: Match) -> Outcome:
    """Keep the call, or write one that returns the model."""
    return Keep() if _is_alone(match) else Rewrite("torch_with_mode({self}, training=False)")


@rules.rule("torch.nn.Module.train")
def train(match: Match) -> Outcome:
    """Write flax's call for the mode, which has no argument and returns nothing."""
    mode = match.constant("mode", True)
    if match.use.kind is UseKind.SUPER:
        return Refusal("flax's train() has no argument", "model.train() or model.eval()")
    if mode not in (True, False) or not _is_alone(match):
        return Rewrite("torch_with_mode({self}, training={mode=True})")
    called = "train" if mode else "eval"
    return Rewrite(f"{{self}}.{called}()", consumed=frozenset(match.arguments))


def _is_alone(match: Match) -> bool:
    """Return whether a call is a statement of its own."""
    statement = match.use.statement
    return isinstance(statement, ast.Expr) and statement.value is match.use.node


# JAX chooses the device.
rules.row(
    "torch.nn.Module.to",
    "{self}",
    ignored={"device": "JAX chooses the device", "memory_format": "XLA lays out arrays"},
)
rules.row("torch.nn.Module.cpu", "{self}")
rules.row("torch.nn.Module.cuda", "{self}", ignored={"device": "JAX chooses the device"})
rules.row("torch.nn.Module.forward", "{self}.__call__(...)", value="{self}.__call__")
rules.row("torch.nn.Module.training", "not {self}.deterministic")
rules.row("torch.manual_seed", "nnx.Rngs({seed})")
for _name, _text in COMMON_TYPES.items():
    rules.row(_name, _text)
