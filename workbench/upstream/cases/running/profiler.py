"""Profiling: marks on the timeline, profilers, and when they are on."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

_MADE = "prof = torch.profiler.profile()\nwith prof:\n    r = x + y\n"
_OLD = "prof = torch.autograd.profiler.profile()\nwith prof:\n    r = x + y\n"
_HEAD = "import tempfile\nfrom torch.profiler import ProfilerActivity, profile, schedule\n"

CASES: dict[str, tuple[str, ...]] = {
    "torch.autograd.profiler.record_function": (
        "with torch.profiler.record_function('step'):\n    r = x + y",
        "with torch.autograd.profiler.record_function('step'):\n    r = x * y",
    ),
    "torch.profiler.profile": (
        (
            _HEAD + "with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as prof:\n"
            "    r = x @ sq\n"
            "t = type(prof.key_averages().table(sort_by='cpu_time_total', row_limit=9))\n"
            "del prof, t"
        ),
        (
            _HEAD + "seen = []\n"
            "with profile(schedule=schedule(wait=1, warmup=1, active=2), "
            "on_trace_ready=lambda p: seen.append(p.step_num)) as prof:\n"
            "    for k in range(9):\n        r = x + k\n        prof.step()\ndel prof"
        ),
        (_HEAD + "prof = profile()\nprof.start()\nr = x * 2\nprof.stop()\ndel prof"),
    ),
    "torch.autograd.profiler.profile": (
        (
            "with torch.autograd.profiler.profile(record_shapes=True) as prof:\n    r = x + y\n"
            "t = type(prof.key_averages().table(sort_by='cpu_time_total', row_limit=9))\n"
            "del prof, t"
        ),
        "with torch.autograd.profiler.profile(False) as prof:\n    r = x + y\ndel prof",
    ),
    "torch.profiler.profile.step": ((_MADE + "s = prof.step_num\ndel prof"),),
    "torch.profiler.profile.step_num": ((_MADE + "s = prof.step_num\ndel prof"),),
    **alike(
        "torch.profiler",
        "profile.__enter__ profile.__exit__ profiler._KinetoProfile.start "
        "profiler._KinetoProfile.stop",
        (_MADE + "s = prof.{name} is not None\ndel prof"),
    ),
    "torch.profiler.profiler._KinetoProfile.key_averages": (
        (_MADE + "s = isinstance(prof.key_averages().table(), str)\ndel prof"),
    ),
    "torch.profiler.profiler._KinetoProfile.export_chrome_trace": (
        (
            _MADE + "import os, tempfile\nf = tempfile.mktemp(suffix='.json')\n"
            "prof.export_chrome_trace(f)\ns = os.path.exists(f)\ndel f\ndel prof"
        ),
    ),
    "torch.autograd.profiler.profile.key_averages": (
        (_OLD + "s = isinstance(prof.key_averages().table(), str)\ndel prof"),
    ),
    "torch.autograd.profiler.profile.export_chrome_trace": (
        (
            _OLD + "import os, tempfile\nf = tempfile.mktemp(suffix='.json')\n"
            "prof.export_chrome_trace(f)\ns = os.path.exists(f)\ndel f\ndel prof"
        ),
    ),
    "torch.autograd.profiler.profile.table": (
        (_OLD + "s = isinstance(prof.table(), str)\ndel prof"),
    ),
    "torch.autograd.profiler.profile.__enter__": (
        (_OLD + "s = prof.__enter__ is not None\ndel prof"),
    ),
    "torch.autograd.profiler.profile.__exit__": (
        (_OLD + "s = prof.__exit__ is not None\ndel prof"),
    ),
    "torch.autograd.profiler_util.EventList.table": (
        (
            _MADE
            + "s = isinstance(prof.key_averages().table(sort_by='self_cpu_time_total'), str)\n"
            "del prof"
        ),
    ),
    "torch.profiler.schedule": (
        (
            _HEAD + "one = schedule(wait=1, warmup=1, active=2, repeat=1, skip_first_wait=1)\n"
            "r = [str(one(k)) for k in range(6)], [one(k).name for k in range(6)]\ndel one"
        ),
        (
            _HEAD + "one = schedule(wait=1, warmup=1, active=3, repeat=2)\n"
            "r = [one(k) == torch.profiler.ProfilerAction.RECORD for k in range(12)]\n"
            "s = [one(k) == torch.profiler.ProfilerAction.NONE for k in range(12)]\ndel one"
        ),
        (
            _HEAD + "one = schedule(skip_first=2, wait=0, warmup=1, active=2)\n"
            "r = [one(k) == torch.profiler.ProfilerAction.RECORD_AND_SAVE for k in range(9)]\n"
            "s = [one(k) == torch.profiler.ProfilerAction.WARMUP for k in range(9)]\ndel one"
        ),
    ),
    **alike(
        "torch.profiler.ProfilerAction",
        "NONE WARMUP RECORD RECORD_AND_SAVE",
        (_HEAD + "k = torch.profiler.ProfilerAction.{name}\nr = k is None\ndel k"),
    ),
    **alike(
        "torch.profiler.ProfilerActivity",
        "CPU CUDA XPU",
        (_HEAD + "k = ProfilerActivity.{name}\nr = k is not None\ndel k"),
    ),
    "torch.profiler.tensorboard_trace_handler": (
        (
            "import os, tempfile\ntop = tempfile.mkdtemp()\n"
            "with "
            "torch.profiler.profile(on_trace_ready=torch.profiler.tensorboard_trace_han"
            "dler(top)) as prof:\n    r = x + y\ns = len(os.listdir(top))\ndel prof, top"
        ),
    ),
}
