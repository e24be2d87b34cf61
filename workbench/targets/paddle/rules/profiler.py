"""Profiling: marks on the time line; the profilers themselves differ."""

from __future__ import annotations

from workbench.rules.rule import RuleSet

rules = RuleSet()

_P = "torch.autograd.profiler"
rules.row(
    f"{_P}.record_function",
    "paddle.profiler.RecordEvent({name})",
    ignored={"args": "Paddle notes names alone"},
    cases=["with torch.profiler.record_function('step'):\n    r = x + y",
           "with torch.autograd.profiler.record_function('step'):\n    r = x * y"],
)  # fmt: skip
rules.refuse(
    f"{_P}.profile",
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
    "torch.autograd.graph.disable_saved_tensors_hooks", "torch.autograd.graph.increment_version",
    "torch.autograd.graph.get_gradient_edge", "torch.autograd.graph.Node",
    "torch.autograd.graph.Node.name", "torch.autograd.graph.Node.metadata",
    "torch.autograd.graph.Node.next_functions", "torch.autograd.graph.Node.register_hook",
    "torch.autograd.graph.Node.register_prehook", "torch.autograd.graph.GradientEdge",
    "torch.autograd.SavedTensor",
    "torch.autograd.function.InplaceFunction", "torch.autograd.NestedIOFunction",
    "torch.autograd.set_multithreading_enabled", "torch.autograd.is_multithreading_enabled",
    "torch.autograd.is_view_replay_enabled", "torch.autograd.enforce_grad_layout_policy",
    reason="Paddle shows no such part of its graph",
    instead="tensor hooks, paddle.autograd.PyLayer",
)  # fmt: skip
