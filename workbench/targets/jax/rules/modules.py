"""Classes of layers and their members."""

from __future__ import annotations

import ast

from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Refusal, Rewrite
from workbench.rules.rule import RuleSet
from workbench.source.uses import UseKind

rules = RuleSet()

rules.row("torch.nn.Module", "nnx.Module()", value="nnx.Module")


@rules.rule("torch.nn.Module.__init__")
def same(match: Match) -> Outcome:
    """Keep the call, unless its result is read: flax returns nothing."""
    return Keep() if _is_alone(match) else Refusal("the call returns None in JAX")


@rules.rule("torch.nn.Module.eval")
def evaluate(match: Match) -> Outcome:
    """Keep the call; flax returns nothing."""
    return Keep() if _is_alone(match) else Rewrite("torch_eval({self})")


@rules.rule("torch.nn.Module.train")
def train(match: Match) -> Outcome:
    """Write flax's call for the mode, which has no argument."""
    mode = match.constant("mode", True)
    if match.use.kind is UseKind.SUPER or mode not in (True, False):
        return Refusal("flax's train() has no argument", "model.train() or model.eval()")
    called = "train" if mode else "eval"
    text = f"{{self}}.{called}()" if _is_alone(match) else f"torch_{called}({{self}})"
    return Rewrite(text, consumed=frozenset(match.arguments))


def _is_alone(match: Match) -> bool:
    """Return whether a call is a statement, so that nothing reads its result."""
    statement = match.use.statement
    return isinstance(statement, ast.Expr) and statement.value is match.use.node


# JAX chooses the device.
rules.row("torch.nn.Module.to", "{self}", ignored={"device": "JAX chooses the device"})
rules.row("torch.nn.Module.cpu", "{self}")
rules.row("torch.nn.Module.cuda", "{self}", ignored={"device": "JAX chooses the device"})
rules.row("torch.nn.Module.forward", "{self}.__call__", value="{self}.__call__")
rules.row("torch.nn.Module.training", "not {self}.deterministic")
rules.row("torch.manual_seed", "nnx.Rngs({seed})")
