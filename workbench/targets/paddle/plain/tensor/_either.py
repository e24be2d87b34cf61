"""What forms of a function and of the method of its name share: `torch.sign(x)`, `x.sign()`."""

from __future__ import annotations

from workbench.rules.difference import Differs
from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Rewrite
from workbench.source.types.lattice import Tensor, Value


def tensor_of(match: Match) -> Value:
    """What is known of the tensor, be it a method's own or a function's first argument."""
    return match.value("input") if match.use.receiver is None else match.use.receiver_value


def first(match: Match) -> str:
    """What stands for that tensor in a template."""
    return "{input}" if match.use.receiver is None else "{self}"


def same(match: Match, differs: Differs = ()) -> Outcome:
    """The same call, of the function or the method."""
    if match.use.receiver is not None:
        return Keep(differs=differs)
    callee = match.use.name.replace("torch.", "paddle.", 1)
    return Rewrite(callee, callee_only=True, differs=differs)


def is_bool(value: Value) -> bool:
    """Whether a value is known to be a tensor of truth values."""
    return isinstance(value, Tensor) and value.dtype == "bool"
