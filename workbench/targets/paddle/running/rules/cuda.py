"""GPUs: their number, memory and streams."""

from __future__ import annotations

import ast

from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Refusal, Rewrite
from workbench.rules.rule import RuleSet

rules = RuleSet()

_C = "torch.cuda"
_HAVE = "(paddle.device.cuda.device_count() > 0)"
rules.row(f"{_C}.is_available", _HAVE)
rules.row(f"{_C}.is_initialized", _HAVE)
rules.row(f"{_C}.device_count", "paddle.device.cuda.device_count()")
rules.row(f"{_C}.init", "None")
_SEEDS = "it also seeds Paddle's generator of the CPU"
for _name in ("manual_seed", "manual_seed_all"):
    rules.row(f"{_C}.{_name}", "paddle.seed({seed})", note=_SEEDS)
rules.row(f"{_C}.empty_cache", "paddle.device.cuda.empty_cache()")
rules.row(f"{_C}.ipc_collect", "paddle.cuda.ipc_collect()")
_UNSEEN = "this conversion was not tested on a GPU"
for _name, _target in (
    ("max_memory_allocated", "max_memory_allocated"),
    ("max_memory_reserved", "max_memory_reserved"),
    ("max_memory_cached", "max_memory_reserved"),
    ("memory_allocated", "memory_allocated"),
    ("memory_reserved", "memory_reserved"),
    ("memory_cached", "memory_reserved"),
):
    rules.row(
        f"{_C}.{_name}", f"torch_on_gpu(paddle.device.cuda.{_target}, {{device}})", note=_UNSEEN
    )
for _name, _target in (
    ("reset_max_memory_allocated", "reset_max_memory_allocated"),
    ("reset_max_memory_cached", "reset_max_memory_reserved"),
    ("reset_peak_memory_stats", "reset_max_memory_allocated"),
):
    rules.row(f"{_C}.{_name}", f"paddle.device.cuda.{_target}({{device}})", note=_UNSEEN)
# Without a GPU both sides raise; nothing else can be run here.
for _name, _target in (
    ("synchronize", "paddle.device.synchronize({device})"),
    ("get_device_name", "paddle.device.cuda.get_device_name({device})"),
    ("get_device_capability", "paddle.device.cuda.get_device_capability({device})"),
    ("get_device_properties", "paddle.device.cuda.get_device_properties({device})"),
    ("current_device", "int(paddle.device.get_device().partition(':')[2])"),
    ("memory_summary", "paddle.device.cuda.memory_summary({device})"),
):
    rules.row(
        f"{_C}.{_name}",
        _target,
        note=_UNSEEN,
        ignored={"abbreviated": ("the summary has only one format")}
        if _name == "memory_summary"
        else {},
    )
rules.row(f"{_C}.set_device", "torch_set_gpu({device})", note=_UNSEEN)
rules.row(
    f"{_C}.is_bf16_supported",
    "(paddle.device.cuda.device_count() > 0 and paddle.amp.is_bfloat16_supported())",
    ignored={"including_emulation": "Paddle has no emulation"},
    note="Paddle emulates no bfloat16 on GPUs without it",
)
for _name in ("Stream", "Event"):
    rules.row(
        f"{_C}.{_name}",
        {
            "Stream": "paddle.device.Stream({device}, priority={priority=2})",
            "Event": "paddle.device.Event(enable_timing={enable_timing}, blocking={blocking}, "
            "interprocess={interprocess})",
        }[_name],
        note=_UNSEEN,
        value=f"paddle.device.{_name}",
    )
rules.row(f"{_C}.current_stream", "paddle.device.current_stream({device})", note=_UNSEEN)
for _name in ("stream", "StreamContext"):
    rules.row(f"{_C}.{_name}", "paddle.device.stream_guard({stream})", note=_UNSEEN)
for _name in ("Stream", "Event"):
    rules.keep(f"{_C}.{_name}.device", note=_UNSEEN)
rules.row(f"{_C}.device", "torch_gpu_guard({device})", note=_UNSEEN)
for _owner, _members in (
    ("Event", "record synchronize query elapsed_time wait"),
    ("Stream", "synchronize query wait_event wait_stream record_event"),
):
    for _member in _members.split():
        rules.keep(f"{_C}.{_owner}.{_member}", note=_UNSEEN)
rules.row(f"{_C}.set_stream", "paddle.device.set_stream({stream})", note=_UNSEEN)
for _name, _target in (("get_rng_state_all", "get"), ("set_rng_state_all", "set")):
    rules.row(
        f"{_C}.{_name}",
        f"paddle.{_target}_cuda_rng_state({'{new_states}' if _target == 'set' else ''})",
        note=_UNSEEN,
    )
rules.row(
    f"{_C}.initial_seed",
    "paddle.base.core.default_cuda_generator("
    "int(paddle.device.get_device().partition(':')[2])).initial_seed()",
    note=_UNSEEN,
)
for _name, _target in (
    ("get_rng_state", "paddle.cuda.get_rng_state({device})"),
    ("set_rng_state", "paddle.cuda.set_rng_state({new_state}, {device})"),
    ("mem_get_info", "paddle.cuda.mem_get_info({device})"),
    ("cudart", "paddle.cuda.cudart()"),
    ("check_error", "paddle.cuda.check_error({res})"),
    ("nvtx.range_push", "paddle.cuda.nvtx.range_push({msg})"),
    ("nvtx.range_pop", "paddle.cuda.nvtx.range_pop()"),
):
    rules.row(f"{_C}.{_name}", _target, note=_UNSEEN)
rules.row(
    f"{_C}.is_current_stream_capturing", "paddle.cuda.is_current_stream_capturing()", note=_UNSEEN
)
rules.row(
    f"{_C}.set_per_process_memory_fraction",
    "paddle.set_flags({{'FLAGS_fraction_of_gpu_memory_to_use': {fraction}}})",
    ignored={"device": "Paddle has one fraction for all GPUs"},
    caveat="this conversion was not tested on a GPU; Paddle reads the fraction only before the"
    " GPU's first use",
)
rules.row(
    "torch.nn.parallel.comm.broadcast", "torch_broadcast_to({tensor}, {devices})", note=_UNSEEN
)


@rules.rule("torch.Tensor.record_stream")
def record_stream(match: Match) -> Outcome:
    """Write None, or the argument if evaluating it may have an effect."""
    named = isinstance(match.arguments["s"].node, ast.Name)
    return Rewrite(
        "None" if named else "{s}",
        consumed=frozenset({"s"}),
        caveat="Paddle does not keep the memory for another stream: synchronize that stream before"
        " the tensor is freed",
    )


rules.row(
    "torch.version.cuda",
    "(paddle.version.cuda() if paddle.device.is_compiled_with_cuda() else None)",
    caveat="on a GPU it is the CUDA version that Paddle was built with",
)
rules.row("torch.version.hip", "None", note="Paddle gives ROCm's version elsewhere")
rules.row("torch.cpu.is_available", "True")
rules.row("torch.cpu.device_count", "1")
rules.row("torch.cpu.current_device", "'cpu'")
rules.row("torch.cpu.set_device", "None", ignored={"device": "there is only one CPU device"})
rules.row("torch.cpu.synchronize", "None", ignored={"device": "there is only one CPU device"})
rules.row("torch.accelerator.is_available", _HAVE)
rules.row("torch.accelerator.device_count", "paddle.device.cuda.device_count()")


@rules.rule("torch.accelerator.current_accelerator")
def current_accelerator(match: Match) -> Outcome:
    """Write the kind of device that the framework was built for, present or not."""
    checked = match.constant("check_available", False)
    if not isinstance(checked, bool):
        return Refusal("`check_available` must be a constant")
    there = _HAVE if checked else "paddle.device.is_compiled_with_cuda()"
    return Rewrite(
        f"(paddle.device('cuda') if {there} else None)", consumed=frozenset({"check_available"})
    )


rules.row(
    "torch.get_device_module",
    "paddle.device.get_device_module({device=None})",
    caveat="it is Paddle's module, which has Paddle's functions",
)
for _device in ("mps", "xpu", "mtia"):
    rules.row(f"torch.{_device}.is_available", "False", note="Paddle's devices have other names")
    rules.row(f"torch.{_device}.device_count", "0", note="Paddle's devices have other names")

rules.refuse(
    f"{_C}.CUDAGraph",
    f"{_C}.graph",
    f"{_C}.make_graphed_callables",
    f"{_C}.graph_pool_handle",
    f"{_C}.MemPool",
    f"{_C}.use_mem_pool",
    f"{_C}.CUDAPluggableAllocator",
    f"{_C}.change_current_allocator",
    f"{_C}.memory_snapshot",
    f"{_C}.memory_stats",
    f"{_C}.memory_stats_as_nested_dict",
    f"{_C}.utilization",
    f"{_C}.temperature",
    f"{_C}.power_draw",
    f"{_C}.clock_rate",
    f"{_C}.memory_usage",
    f"{_C}.ExternalStream",
    f"{_C}.get_arch_list",
    f"{_C}.get_gencode_flags",
    f"{_C}.can_device_access_peer",
    f"{_C}.get_sync_debug_mode",
    f"{_C}.set_sync_debug_mode",
    f"{_C}.list_gpu_processes",
    reason="Paddle has no counterpart of this GPU function",
)
