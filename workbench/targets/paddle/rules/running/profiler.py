"""Profiling: marks on the time line, profilers, and when they are on."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.upstream.facts import load

rules = RuleSet()

_P = "torch.autograd.profiler"
rules.row(
    f"{_P}.record_function",
    "paddle.profiler.RecordEvent({name})",
    ignored={"args": "Paddle notes names alone"},
    cases=[
        "with torch.profiler.record_function('step'):\n    r = x + y",
        "with torch.autograd.profiler.record_function('step'):\n    r = x * y",
    ],
)
_OWN = "its tables and traces are Paddle's"
_NEW = "torch.profiler"
_HEAD = "import tempfile\nfrom torch.profiler import ProfilerActivity, profile, schedule\n"
_TABLE = "t = type(prof.key_averages().table(sort_by='cpu_time_total', row_limit=9))\ndel prof, t"
rules.row(
    f"{_NEW}.profile",
    "TorchProfile(...)",
    value="TorchProfile",
    caveat=_OWN,
    cases=[
        f"{_HEAD}with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as prof:\n"
        f"    r = x @ sq\n{_TABLE}",
        f"{_HEAD}seen = []\nwith profile(schedule=schedule(wait=1, warmup=1, active=2), "
        "on_trace_ready=lambda p: seen.append(p.step_num)) as prof:\n    for k in range(9):\n"
        "        r = x + k\n        prof.step()\ndel prof",
        f"{_HEAD}prof = profile()\nprof.start()\nr = x * 2\nprof.stop()\ndel prof",
    ],
)
rules.row(
    f"{_P}.profile",
    "TorchProfile(...)",
    value="TorchProfile",
    caveat=_OWN,
    cases=[
        "with torch.autograd.profiler.profile(record_shapes=True) as prof:\n    r = x + y\n"
        f"{_TABLE}",
        "with torch.autograd.profiler.profile(False) as prof:\n    r = x + y\ndel prof",
    ],
)
_MADE = "prof = torch.profiler.profile()\nwith prof:\n    r = x + y\n"
_OLD = "prof = torch.autograd.profiler.profile()\nwith prof:\n    r = x + y\n"
_WRITE = (
    "import os, tempfile\nf = tempfile.mktemp(suffix='.json')\nprof.export_chrome_trace(f)\n"
    "s = os.path.exists(f)\ndel f"
)
_READ = {
    "key_averages": "s = isinstance(prof.key_averages().table(), str)",
    "export_chrome_trace": _WRITE,
    "table": "s = isinstance(prof.table(), str)",
    "step": "s = prof.step_num",
    "start": "s = prof.start is not None",
    "stop": "s = prof.stop is not None",
    "step_num": "s = prof.step_num",
    "__enter__": "s = prof.__enter__ is not None",
    "__exit__": "s = prof.__exit__ is not None",
}
for _owner, _made in (
    (f"{_NEW}.profile", _MADE),
    (f"{_NEW}.profiler._KinetoProfile", _MADE),
    (f"{_P}.profile", _OLD),
):
    for _member, _read in _READ.items():
        if f"{_owner}.{_member}" in load().names:
            rules.keep(f"{_owner}.{_member}", cases=[f"{_made}{_read}\ndel prof"])
rules.keep(
    "torch.autograd.profiler_util.EventList.table",
    cases=[
        f"{_MADE}s = isinstance(prof.key_averages().table(sort_by='self_cpu_time_total'), str)\n"
        "del prof"
    ],
)
rules.row(
    f"{_NEW}.schedule",
    "torch_profiler_schedule(...)",
    value="torch_profiler_schedule",
    cases=[
        f"{_HEAD}one = schedule(wait=1, warmup=1, active=2, repeat=1, skip_first_wait=1)\n"
        "r = [str(one(k)) for k in range(6)], [one(k).name for k in range(6)]\ndel one",
        f"{_HEAD}one = schedule(wait=1, warmup=1, active=3, repeat=2)\n"
        "r = [one(k) == torch.profiler.ProfilerAction.RECORD for k in range(12)]\n"
        "s = [one(k) == torch.profiler.ProfilerAction.NONE for k in range(12)]\ndel one",
        f"{_HEAD}one = schedule(skip_first=2, wait=0, warmup=1, active=2)\n"
        "r = [one(k) == torch.profiler.ProfilerAction.RECORD_AND_SAVE for k in range(9)]\n"
        "s = [one(k) == torch.profiler.ProfilerAction.WARMUP for k in range(9)]\ndel one",
    ],
)
for _name in ("NONE", "WARMUP", "RECORD", "RECORD_AND_SAVE"):
    rules.row(
        f"{_NEW}.ProfilerAction.{_name}",
        f"TorchProfilerAction.{_name}",
        cases=[f"{_HEAD}k = torch.profiler.ProfilerAction.{_name}\nr = k is None\ndel k"],
    )
for _name, _target in (("CPU", "CPU"), ("CUDA", "GPU"), ("XPU", "XPU")):
    rules.row(
        f"{_NEW}.ProfilerActivity.{_name}",
        f"paddle.profiler.ProfilerTarget.{_target}",
        cases=[f"{_HEAD}k = ProfilerActivity.{_name}\nr = k is not None\ndel k"],
    )
rules.row(
    f"{_NEW}.tensorboard_trace_handler",
    "torch_tensorboard_trace_handler(...)",
    value="torch_tensorboard_trace_handler",
    caveat=_OWN,
    cases=[
        "import os, tempfile\ntop = tempfile.mkdtemp()\n"
        "with torch.profiler.profile(on_trace_ready=torch.profiler.tensorboard_trace_handler(top))"
        " as prof:\n    r = x + y\ns = len(os.listdir(top))\ndel prof, top",
    ],
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
    reason="Paddle shows no such part of its graph",
    instead="tensor hooks, paddle.autograd.PyLayer",
)
