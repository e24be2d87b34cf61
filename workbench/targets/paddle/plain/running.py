"""Devices, switches, recording of gradients, mixed precision and parallel runs."""

from __future__ import annotations

import ast

from workbench.rules.forms import FormSet
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.targets.paddle.plain.optimizers import names_only, native

forms = FormSet()

for _name in ("is_available", "device_count", "manual_seed", "manual_seed_all"):
    forms.row(
        f"torch.cuda.{_name}",
        to=f"paddle.cuda.{_name}",
        value=f"paddle.cuda.{_name}",
        since="3.3",
    )
for _name, _target in (
    ("no_grad", "paddle.no_grad()"),
    ("inference_mode", "paddle.no_grad()"),
    ("enable_grad", "paddle.enable_grad()"),
):
    forms.row(f"torch.{_name}", to=_target, value=_target.removesuffix("()"), decorator=_target)


@forms.form("torch.backends.cudnn", "torch.backends.cuda.matmul", whole=True)
def switch(match: Match) -> Outcome | None:
    """A switch of torch's kernels that is set and never read: the statement goes."""
    statement, node = match.use.statement, match.use.node
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Constant):
        return None
    [target, *more] = statement.targets
    if more or not isinstance(target, ast.Attribute) or target.value is not node:
        return None
    if target.attr in match.program.traits.read:
        return None
    return _without_effect(statement)


@forms.form("torch.set_float32_matmul_precision")
def precision(match: Match) -> Outcome | None:
    """A switch, too."""
    statement = match.use.statement
    called = isinstance(statement, ast.Expr) and statement.value is match.use.node
    return _without_effect(statement) if called else None


def _without_effect(statement: ast.stmt) -> Rewrite:
    return Rewrite(
        "None",
        consumed=frozenset({"precision"}),
        instead=(f"pass  # {ast.unparse(statement)}: Paddle chooses its kernels itself", None, ""),
        note="it changes how torch computes, not what",
    )


_SCALER = (
    "paddle.amp.GradScaler(enable={enabled}, init_loss_scaling={init_scale}, "
    "incr_ratio={growth_factor}, decr_ratio={backoff_factor}, "
    "incr_every_n_steps={growth_interval})"
)
# What the scaler of Paddle's does not tell, or tells of another number.
_ASKED = ("get_scale", "get_growth_factor", "get_backoff_factor", "get_growth_interval")


@forms.form(
    "torch.GradScaler",
    "torch.cuda.amp.GradScaler",
    value=lambda program: (
        "paddle.amp.GradScaler" if names_only(program) and not program.calls(*_ASKED) else None
    ),
)
def scaler(match: Match) -> Outcome | None:
    """Loss scaling on GPUs, off on a CPU in both."""
    if not native(match.program) or match.program.calls(*_ASKED):
        return None
    if match.constant("device", "cuda") == "cpu":
        return None
    return Rewrite(_SCALER, consumed=frozenset({"device"}))


@forms.form("torch.GradScaler.is_enabled")
def is_enabled(match: Match) -> Outcome | None:
    """Paddle's name for it."""
    plain = native(match.program) and not match.program.calls(*_ASKED)
    return Rewrite("{self}.is_enable()") if plain else None


def _unwrapped(match: Match) -> bool:
    """Whether nothing reads the model out of its wrapper again."""
    return not match.program.reads("module")


forms.row(
    "torch.nn.DataParallel",
    to="paddle.DataParallel({module})",
    when=lambda match: _unwrapped(match) and not match.given("device_ids", "output_device"),
    value=lambda program: None if program.reads("module") else "paddle.DataParallel",
)


@forms.form(
    "torch.nn.parallel.DistributedDataParallel",
    value=lambda program: None if program.reads("module") else "paddle.DataParallel",
)
def distributed(match: Match) -> Outcome | None:
    """Paddle's wrapper; the process decides which device its part runs on."""
    if not _unwrapped(match):
        return None
    free = ("device_ids", "output_device", "broadcast_buffers", "bucket_cap_mb", "static_graph",
            "gradient_as_bucket_view", "init_sync", "dim")  # fmt: skip
    return Rewrite(
        "paddle.DataParallel({module}, find_unused_parameters={find_unused_parameters})",
        consumed=frozenset(free),
    )
