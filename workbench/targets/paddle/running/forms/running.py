"""Devices, switches, recording of gradients, mixed precision and parallel runs."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from workbench.rules.forms import FormSet
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.source.traits.program import Program
from workbench.targets.paddle.training.forms.optimizers import names_only, native
from workbench.words import words

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

_NOT_COMPILED = "paddle.jit.not_to_static"
forms.row(
    "torch.jit.unused",
    to=f"{_NOT_COMPILED}({{fn}})",
    when=lambda match: False,  # Paddle's raises an error for a static method or property
    value=_NOT_COMPILED,
    decorator=_NOT_COMPILED,
)


@forms.form("torch.jit.ignore", value=_NOT_COMPILED)
def ignored(match: Match) -> Outcome | None:
    """Remove `@torch.jit.ignore`, with or without brackets; `drop` would raise in a call."""
    return Rewrite(_NOT_COMPILED) if not match.given("drop") else None


# Nodes without side effects, as the value of a switch.
_SETTLED = (ast.Constant, ast.Name, ast.Attribute, ast.UnaryOp, ast.unaryop, ast.expr_context)


@forms.form("torch.backends.cudnn", "torch.backends.cuda.matmul", whole=True)
def switch(match: Match) -> Outcome | None:
    """Remove a statement that sets a switch of torch's kernels that is never read."""
    statement, node = match.use.statement, match.use.node
    if not isinstance(statement, ast.Assign):
        return None
    if not all(isinstance(part, _SETTLED) for part in ast.walk(statement.value)):
        return None
    [target, *more] = statement.targets
    if more or not isinstance(target, ast.Attribute) or target.value is not node:
        return None
    if target.attr in match.program.traits.read:
        return None
    return _without_effect(statement)


# Other switches, with the names that read their state.
_SWITCHES = {
    "torch.set_float32_matmul_precision": "get_float32_matmul_precision",
    "torch.set_num_threads": "get_num_threads",
    "torch.set_num_interop_threads": "get_num_interop_threads",
    "torch.use_deterministic_algorithms": "are_deterministic_algorithms_enabled",
    "torch.multiprocessing.set_sharing_strategy": "get_sharing_strategy",
}
_OWN_WAYS = {"torch.multiprocessing.set_sharing_strategy": "shares memory through files"}


@forms.form(*_SWITCHES)
def setting(match: Match) -> Outcome | None:
    """Remove a call that sets a switch."""
    use = match.use
    called = isinstance(use.statement, ast.Expr) and use.statement.value is use.node
    given = [part for one in match.arguments.values() for part in ast.walk(one.node)]
    plain = all(isinstance(part, _SETTLED) for part in given)
    if not called or not plain or match.program.calls(_SWITCHES[use.name]):
        return None
    way = _OWN_WAYS.get(use.name, _KERNELS)
    return _without_effect(use.statement, *match.arguments, way=way)


_KERNELS = "chooses its kernels itself"


def _without_effect(statement: ast.stmt, *consumed: str, way: str = _KERNELS) -> Rewrite:
    return Rewrite(
        "None",
        consumed=frozenset(consumed),
        instead=(f"# {ast.unparse(statement)}: Paddle {way}", None, ""),
        note="it selects how torch computes, and does not change the result",
    )


# Kernels of attention --------------------------------------------------------------------------


_UNKNOWN = words(
    "CUDNN_ATTENTION OVERRIDEABLE enable_cudnn _cur_sdpa_kernel_backends flash_sdp_enabled "
    "math_sdp_enabled mem_efficient_sdp_enabled cudnn_sdp_enabled"
)


def _known_kernels(program: Program) -> bool:
    """Return whether the program names, requests and prints no kernel that Paddle lacks."""
    return not program.reads(*_UNKNOWN) and not program.calls("str", "repr", *_UNKNOWN)


def _attention(name: str) -> Callable[[Program], str | None]:
    return lambda program: f"paddle.nn.attention.{name}" if _known_kernels(program) else None


for _name in words(
    "SDPBackend SDPBackend.MATH SDPBackend.FLASH_ATTENTION SDPBackend.EFFICIENT_ATTENTION "
    "SDPBackend.ERROR sdpa_kernel"
):
    forms.row(
        f"torch.nn.attention.{_name}",
        to=f"paddle.nn.attention.{_name}",
        when=lambda match: _known_kernels(match.program),
        value=_attention(_name),
        since="3.3",
    )
_KERNEL = "paddle.nn.functional.flash_attention.sdp_kernel"


def _with_options(match: Match) -> Outcome | None:
    """Write the kernels from options, if Paddle has all that the program names."""
    return Rewrite(_KERNEL, callee_only=True) if _known_kernels(match.program) else None


@forms.form(
    "torch.backends.cuda.sdp_kernel",
    spread=_with_options,
    cases=[
        "k = dict(enable_flash=False, enable_math=True)\n"
        "with torch.backends.cuda.sdp_kernel(**k):\n"
        "    v = F.scaled_dot_product_attention(a, a, a)"
    ],
    since="3.3",
)
def kernel(match: Match) -> Outcome | None:
    """Write which kernels attention may use; the default is all in both."""
    if "enable_cudnn" in match:
        return None
    return Rewrite(
        f"{_KERNEL}(enable_flash={{enable_flash}}, enable_math={{enable_math=True}}, "
        "enable_mem_efficient={enable_mem_efficient})"
    )


# GPUs ------------------------------------------------------------------------------------------

# torch returns 0 for the memory of a missing GPU; Paddle raises an error.
for _name in ("memory_allocated", "memory_reserved"):
    for _most in ("", "max_"):
        forms.row(
            f"torch.cuda.{_most}{_name}",
            to=f"paddle.device.cuda.{_most}{_name}({{device}})",
            when=lambda match: match.program.calls("is_available"),
        )
_NUMBER = re.compile(r".*(rank|gpu|gpus|gpu_id|device_id|device_index|index)(\(\))?")


@forms.form("torch.cuda.set_device")
def set_device(match: Match) -> Outcome | None:
    """Set the device by its number; Paddle refuses the name that another value would make."""
    given = match.arguments.get("device")
    if given is None:
        return None
    text = ast.unparse(given.node)
    if isinstance(match.constant("device"), int) and not isinstance(match.constant("device"), bool):
        return Rewrite(f'paddle.device.set_device("gpu:{text}")', consumed=frozenset({"device"}))
    if not _NUMBER.fullmatch(text) or any(one in text for one in "\"'{}\\\n"):
        return None
    texts = {"place": f'f"gpu:{{{text}}}"'}
    return Rewrite("paddle.device.set_device({place})", texts=texts, consumed=frozenset({"device"}))


_SCALER = (
    "paddle.amp.GradScaler(enable={enabled}, init_loss_scaling={init_scale}, "
    "incr_ratio={growth_factor}, decr_ratio={backoff_factor}, "
    "incr_every_n_steps={growth_interval})"
)
# Members that Paddle's scaler lacks, or for which it returns another number.
_ASKED = ("get_scale", "get_growth_factor", "get_backoff_factor", "get_growth_interval")


@forms.form(
    "torch.GradScaler",
    "torch.cuda.amp.GradScaler",
    value=lambda program: (
        "paddle.amp.GradScaler" if names_only(program) and not program.calls(*_ASKED) else None
    ),
)
def scaler(match: Match) -> Outcome | None:
    """Write loss scaling on GPUs, which is off on a CPU in both."""
    if not native(match.program) or match.program.calls(*_ASKED):
        return None
    if match.constant("device", "cuda") == "cpu":
        return None
    return Rewrite(_SCALER, consumed=frozenset({"device"}))


@forms.form("torch.GradScaler.is_enabled")
def is_enabled(match: Match) -> Outcome | None:
    """Write Paddle's name for it."""
    plain = native(match.program) and not match.program.calls(*_ASKED)
    return Rewrite("{self}.is_enable()") if plain else None


def _wrapper(program: Program) -> str | None:
    """Return Paddle's single wrapper, if nothing unwraps the model or tests the wrapper's class."""
    wrappers = ("DataParallel", "DistributedDataParallel")
    both = all(map(program.calls, wrappers)) and any(map(program.compares, wrappers))
    return None if both or program.reads("module") else "paddle.DataParallel"


forms.row(
    "torch.nn.DataParallel",
    to="paddle.DataParallel({module})",
    when=lambda match: (
        _wrapper(match.program) is not None and not match.given("device_ids", "output_device")
    ),
    value=_wrapper,
)


@forms.form(
    "torch.nn.parallel.DistributedDataParallel",
    value=_wrapper,
)
def distributed(match: Match) -> Outcome | None:
    """Write Paddle's wrapper; the process decides which device it runs on."""
    if _wrapper(match.program) is None:
        return None
    free = (
        "device_ids",
        "output_device",
        "broadcast_buffers",
        "bucket_cap_mb",
        "static_graph",
        "gradient_as_bucket_view",
        "init_sync",
        "dim",
    )
    return Rewrite(
        "paddle.DataParallel({module}, find_unused_parameters={find_unused_parameters})",
        consumed=frozenset(free),
    )
