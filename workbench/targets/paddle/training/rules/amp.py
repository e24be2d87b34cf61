"""Automatic mixed precision and loss scaling."""

from __future__ import annotations

import ast

from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Refusal, Rewrite
from workbench.rules.rule import RuleSet
from workbench.source.uses import UseKind
from workbench.words import words

rules = RuleSet()

_ON_CPU = "on a CPU Paddle casts nothing: results are float32, in torch bfloat16"
_LISTS = "Paddle has its own list of operators that compute in low precision"


def _context(match: Match) -> str:
    """Return Paddle's context, or a helper if it is kept, since it can be entered only once."""
    if match.use.kind is UseKind.PARTIAL:
        return "paddle.amp.auto_cast"  # each call of it makes one
    statement = match.use.statement
    entered: list[ast.expr] = list(getattr(statement, "decorator_list", ()))
    if isinstance(statement, ast.With | ast.AsyncWith):
        entered = [item.context_expr for item in statement.items]
    elif isinstance(statement, ast.Return):
        entered = [statement.value] if statement.value else []
    elif isinstance(statement, ast.Expr):  # `stack.enter_context(torch.autocast("cuda"))`
        entered = [statement.value]
    at_once = any(match.use.node is part for one in entered for part in ast.walk(one))
    return "paddle.amp.auto_cast" if at_once else "TorchAutocast"


@rules.rule("torch.autocast", value="paddle.amp.auto_cast")
def autocast(match: Match) -> Outcome:
    """Write the context; on a CPU torch computes in bfloat16, and Paddle changes nothing."""
    device, enabled = match.constant("device_type"), match.constant("enabled", True)
    off = enabled is False
    caveat: str | None = _LISTS
    if off:
        caveat = None
    elif device == "cpu":
        caveat = _ON_CPU
    elif not isinstance(device, str):
        caveat = f"on a CPU nothing is cast; {_LISTS}"
    given = frozenset({"device_type", "cache_enabled", "dtype"}) & match.arguments.keys()
    return Rewrite(
        f"{_context(match)}(enable={{enabled}}, dtype={{dtype}})",
        consumed=given - {"dtype"},
        caveat=caveat,
    )


@rules.rule("torch.cpu.amp.autocast")
def cpu_autocast(match: Match) -> Outcome:
    """Write the context, which changes nothing in Paddle on a CPU."""
    off = match.constant("enabled", True) is False
    return Rewrite(
        f"{_context(match)}(enable=False)",
        consumed=frozenset(match.arguments),
        caveat=None if off else _ON_CPU,
    )


@rules.rule("torch.cuda.amp.autocast", value="paddle.amp.auto_cast")
def gpu_autocast(match: Match) -> Outcome:
    """Write the context; Paddle always caches its casts."""
    return Rewrite(
        f"{_context(match)}(enable={{enabled}}, dtype={{dtype}})",
        consumed=frozenset({"cache_enabled"}) & match.arguments.keys(),
        caveat=_LISTS,
    )


rules.row(
    "torch.amp.is_autocast_available",
    "({device_type} == 'cuda')",
    caveat="Paddle casts only on a GPU",
)
rules.counterpart("torch.GradScaler", "TorchGradScaler")
rules.row(
    "torch.cuda.amp.GradScaler",
    "TorchGradScaler(init_scale={init_scale}, growth_factor={growth_factor}, "
    "backoff_factor={backoff_factor}, growth_interval={growth_interval}, enabled={enabled})",
    value="TorchGradScaler",
)
for _member in words(
    "get_scale is_enabled scale get_growth_factor get_backoff_factor get_growth_interval "
    "state_dict set_growth_factor set_backoff_factor set_growth_interval load_state_dict "
    "update"
):
    rules.keep(f"torch.GradScaler.{_member}")
rules.keep("torch.GradScaler.step")
rules.keep("torch.GradScaler.unscale_")
for _name, _function in (("custom_fwd", "fwd"), ("custom_bwd", "bwd")):
    for _place in ("amp", "cuda.amp"):
        rules.row(
            f"torch.{_place}.{_name}",
            f"torch_custom_autocast({{{_function}}})",
            value="torch_custom_autocast",
            ignored={
                "device_type": "in Paddle the caller's context decides",
                "cast_inputs": "inputs keep their dtype",
            },
            caveat="in mixed precision the function computes in the dtype of its caller",
        )
rules.refuse(
    "torch.set_autocast_enabled",
    "torch.set_autocast_cpu_enabled",
    "torch.set_autocast_dtype",
    "torch.set_autocast_gpu_dtype",
    "torch.set_autocast_cpu_dtype",
    "torch.set_autocast_cache_enabled",
    "torch.autocast_increment_nesting",
    "torch.autocast_decrement_nesting",
    reason="Paddle's mixed precision has no settings outside paddle.amp.auto_cast",
    instead="paddle.amp.auto_cast",
)
_ON_GPU = "on a CPU Paddle has no mixed precision, and returns the value for full precision"
_GPU_DTYPE = "getattr(paddle, paddle.get_autocast_gpu_dtype())"
rules.row("torch.get_autocast_gpu_dtype", _GPU_DTYPE, caveat=_ON_GPU)
rules.row(
    "torch.get_autocast_cpu_dtype",
    "paddle.bfloat16",
    note="the value that torch returns outside mixed precision; Paddle has mixed precision"
    " only on a GPU",
)
rules.row("torch.is_autocast_cpu_enabled", "False", note="Paddle has mixed precision only on a GPU")
rules.row("torch.is_autocast_cache_enabled", "True", note="Paddle manages cached casts itself")
rules.row("torch.clear_autocast_cache", "None", note="Paddle manages cached casts itself")


@rules.rule("torch.get_autocast_dtype")
def autocast_dtype(match: Match) -> Outcome:
    """Return the dtype that Paddle casts to on a GPU, or torch's default for a CPU."""
    given = frozenset({"device_type"})
    device = match.constant("device_type")
    if device == "cuda":
        return Rewrite(_GPU_DTYPE, consumed=given, caveat=_ON_GPU)
    if device == "cpu":
        return Rewrite("paddle.bfloat16", consumed=given)
    return Refusal("Paddle has mixed precision only on a GPU", "write the dtype itself")


rules.row(
    "torch.is_autocast_enabled",
    "paddle.is_autocast_enabled()",
    ignored={"device_type": "Paddle has one state for all devices"},
    caveat="Paddle has one state for all devices",
)
