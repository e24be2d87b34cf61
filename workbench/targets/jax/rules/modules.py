"""Classes of layers and their members."""

from __future__ import annotations

import ast

from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Refusal, Rewrite
from workbench.rules.rule import RuleSet
from workbench.source.uses import UseKind

rules = RuleSet()

rules.row("torch.nn.Module", "nnx.Module()", value="nnx.Module")


@rules.rule("torch.nn.Module.__init__", "torch.nn.Module.eval")
def same(match: Match) -> Outcome:
    """Keep the call, unless its result is read: flax returns nothing."""
    return _alone(match, Keep())


@rules.rule("torch.nn.Module.train")
def train(match: Match) -> Outcome:
    """Write flax's call for the mode, which has no argument."""
    mode = match.constant("mode", True)
    if match.use.kind is UseKind.SUPER or mode not in (True, False):
        return Refusal("flax's train() has no argument", "model.train() or model.eval()")
    called = "train" if mode else "eval"
    return _alone(match, Rewrite(f"{{self}}.{called}()", consumed=frozenset(match.arguments)))


def _alone(match: Match, outcome: Outcome) -> Outcome:
    alone = (
        isinstance(match.use.statement, ast.Expr) and match.use.statement.value is match.use.node
    )
    return outcome if alone else Refusal("the call returns None in JAX", "call it on its own line")


# JAX chooses the device.
rules.row("torch.nn.Module.to", "{self}", ignored={"device": "JAX chooses the device"})
rules.row("torch.nn.Module.cpu", "{self}")
rules.row("torch.nn.Module.cuda", "{self}", ignored={"device": "JAX chooses the device"})
rules.row("torch.nn.Module.forward", "{self}.__call__", value="{self}.__call__")
rules.row("torch.nn.Module.training", "not {self}.deterministic")
rules.row("torch.manual_seed", "nnx.Rngs({seed})")
