"""Profiling: marks on the timeline, profilers, and their schedules."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.upstream.facts import load
from workbench.words import words

rules = RuleSet()

_P = "torch.autograd.profiler"
rules.row(
    f"{_P}.record_function",
    "paddle.profiler.RecordEvent({name})",
    ignored={"args": "Paddle records only names"},
)
_OWN = "its tables and traces have Paddle's format"
_NEW = "torch.profiler"
rules.counterpart(f"{_NEW}.profile", "TorchProfile", caveat=_OWN)
rules.counterpart(f"{_P}.profile", "TorchProfile", caveat=_OWN)
_READ = words("key_averages export_chrome_trace table step start stop step_num __enter__ __exit__")
for _owner in (
    f"{_NEW}.profile",
    f"{_NEW}.profiler._KinetoProfile",
    f"{_P}.profile",
):
    for _member in _READ:
        if f"{_owner}.{_member}" in load().names:
            rules.keep(f"{_owner}.{_member}")
rules.keep("torch.autograd.profiler_util.EventList.table")
rules.counterpart(f"{_NEW}.schedule", "torch_profiler_schedule")
for _name in ("NONE", "WARMUP", "RECORD", "RECORD_AND_SAVE"):
    rules.row(f"{_NEW}.ProfilerAction.{_name}", f"TorchProfilerAction.{_name}")
for _name, _target in (("CPU", "CPU"), ("CUDA", "GPU"), ("XPU", "XPU")):
    rules.row(f"{_NEW}.ProfilerActivity.{_name}", f"paddle.profiler.ProfilerTarget.{_target}")
rules.counterpart(
    f"{_NEW}.tensorboard_trace_handler", "torch_tensorboard_trace_handler", caveat=_OWN
)
rules.refuse(
    f"{_P}.emit_nvtx",
    f"{_P}.emit_itt",
    f"{_P}.load_nvprof",
    f"{_P}.parse_nvprof_trace",
    f"{_P}.KinetoStepTracker",
    f"{_P}.EnforceUnique",
    reason="Paddle's profiler has another interface",
    instead="paddle.profiler.Profiler",
)
rules.refuse(
    "torch.autograd.graph.register_multi_grad_hook",
    "torch.autograd.graph.allow_mutation_on_saved_tensors",
    "torch.autograd.graph.disable_saved_tensors_hooks",
    "torch.autograd.graph.increment_version",
    "torch.autograd.graph.get_gradient_edge",
    "torch.autograd.graph.Node",
    "torch.autograd.graph.Node.name",
    "torch.autograd.graph.Node.metadata",
    "torch.autograd.graph.Node.next_functions",
    "torch.autograd.graph.Node.register_hook",
    "torch.autograd.graph.Node.register_prehook",
    "torch.autograd.graph.GradientEdge",
    "torch.autograd.SavedTensor",
    "torch.autograd.function.InplaceFunction",
    "torch.autograd.NestedIOFunction",
    "torch.autograd.set_multithreading_enabled",
    "torch.autograd.is_multithreading_enabled",
    "torch.autograd.is_view_replay_enabled",
    "torch.autograd.enforce_grad_layout_policy",
    reason="Paddle does not expose this part of its graph",
    instead="tensor hooks, paddle.autograd.PyLayer",
)
