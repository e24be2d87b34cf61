"""GPUs: their number, memory and streams."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

CASES: dict[str, tuple[str, ...]] = {
    "torch.cuda.is_available": (
        "torch.cuda.is_available()",
        "d = 'cuda' if torch.cuda.is_available() else 'cpu'",
    ),
    "torch.cuda.is_initialized": ("torch.cuda.is_initialized()",),
    **alike(
        "torch",
        "cuda.device_count accelerator.device_count mps.device_count "
        "xpu.device_count mtia.device_count",
        "torch.{owner}.device_count()",
    ),
    "torch.cuda.init": ("r = 1 if torch.cuda.is_available() else 0",),
    "torch.cuda.manual_seed": ("torch.cuda.manual_seed(3)\nr = torch.rand(2).shape",),
    "torch.cuda.manual_seed_all": ("torch.cuda.manual_seed_all(3)\nr = torch.rand(2).shape",),
    **alike(
        "torch.cuda",
        "empty_cache max_memory_allocated max_memory_reserved max_memory_cached "
        "memory_allocated memory_reserved memory_cached",
        "r = torch.cuda.{name}()",
    ),
    "torch.cuda.ipc_collect": (
        "try:\n    torch.cuda.ipc_collect()\nexcept Exception:\n    r = 'no GPU'",
    ),
    **alike(
        "torch.cuda",
        "reset_max_memory_allocated reset_max_memory_cached "
        "reset_peak_memory_stats mem_get_info cudart",
        "if torch.cuda.is_available():\n    torch.cuda.{name}()\nr = 1",
    ),
    **alike(
        "torch.cuda",
        "synchronize get_device_name get_device_capability get_device_properties memory_summary",
        "if torch.cuda.is_available():\n    torch.cuda.{name}()\nr = 1",
        "if torch.cuda.device_count() > 1:\n    n = torch.cuda.{name}(0)\nr = 1",
    ),
    "torch.cuda.current_device": (
        "if torch.cuda.is_available():\n    torch.cuda.current_device()\nr = 1",
        "if torch.cuda.device_count() > 1:\n    n = torch.cuda.current_device()\nr = 1",
    ),
    "torch.cuda.set_device": (
        "if torch.cuda.is_available():\n    torch.cuda.set_device(0)\nr = 1",
    ),
    "torch.cuda.is_bf16_supported": (
        "torch.cuda.is_bf16_supported()",
        "r = torch.cuda.is_available() and torch.cuda.is_bf16_supported()",
    ),
    **alike(
        "torch.cuda",
        "Stream Event current_stream",
        "if torch.cuda.is_available():\n    s = torch.cuda.{name}()\nr = 1",
    ),
    "torch.cuda.stream": (
        (
            "if torch.cuda.is_available():\n    with torch.cuda.stream(torch.cuda.Stream()):\n"
            "        r = 1\nr = 1"
        ),
    ),
    "torch.cuda.StreamContext": (
        (
            "if torch.cuda.is_available():\n"
            "    with torch.cuda.StreamContext(torch.cuda.Stream()):\n        r = 1\nr = 1"
        ),
    ),
    "torch.cuda.Stream.device": (
        "r = torch.cuda.Stream().device if torch.cuda.is_available() else 'cpu'",
    ),
    "torch.cuda.Event.device": (
        "r = torch.cuda.Event().device if torch.cuda.is_available() else 'cpu'",
    ),
    "torch.cuda.device": (
        "with torch.cuda.device(-1):\n    r = x + 1",
        ("if torch.cuda.is_available():\n    with torch.cuda.device(0):\n        r = 1\nr = 1"),
    ),
    **alike(
        "torch.cuda.Event",
        "record synchronize query elapsed_time wait",
        "if torch.cuda.is_available():\n    s = torch.cuda.Event()\n    t = s.{name}\nr = 1",
    ),
    **alike(
        "torch.cuda.Stream",
        "synchronize query wait_event wait_stream record_event",
        ("if torch.cuda.is_available():\n    s = torch.cuda.Stream()\n    t = s.{name}\nr = 1"),
    ),
    "torch.cuda.set_stream": (
        ("if torch.cuda.is_available():\n    torch.cuda.set_stream(torch.cuda.Stream())\nr = 1"),
    ),
    **dict.fromkeys(
        ("torch.cuda.get_rng_state_all", "torch.cuda.set_rng_state_all"),
        (
            (
                "if torch.cuda.is_available():\n"
                "    torch.cuda.set_rng_state_all(torch.cuda.get_rng_state_all())\nr = 1"
            ),
        ),
    ),
    "torch.cuda.initial_seed": (
        "r = torch.cuda.initial_seed() if torch.cuda.is_available() else 0",
    ),
    "torch.cuda.get_rng_state": (
        "if torch.cuda.is_available():\n    torch.cuda.get_rng_state('cuda')\nr = 1",
    ),
    "torch.cuda.set_rng_state": (
        (
            "if torch.cuda.is_available():\n"
            "    torch.cuda.set_rng_state(torch.cuda.get_rng_state(0), device=0)\nr = 1"
        ),
    ),
    "torch.cuda.check_error": (
        "if torch.cuda.is_available():\n    torch.cuda.check_error(0)\nr = 1",
    ),
    "torch.cuda.nvtx.range_push": (
        "if torch.cuda.is_available():\n    torch.cuda.nvtx.range_push('step')\nr = 1",
    ),
    "torch.cuda.nvtx.range_pop": (
        "if torch.cuda.is_available():\n    torch.cuda.nvtx.range_pop()\nr = 1",
    ),
    "torch.cuda.is_current_stream_capturing": (
        "r = torch.cuda.is_available() and torch.cuda.is_current_stream_capturing()",
    ),
    "torch.cuda.set_per_process_memory_fraction": (
        (
            "if torch.cuda.is_available():\n"
            "    torch.cuda.set_per_process_memory_fraction(0.5, 0)\nr = 1"
        ),
    ),
    "torch.nn.parallel.comm.broadcast": (
        (
            "import torch.cuda.comm as comm\nif torch.cuda.device_count() > 1:\n"
            "    parts = comm.broadcast(x, devices=[0, 1])\nr = 1"
        ),
    ),
    "torch.Tensor.record_stream": (
        (
            "if torch.cuda.is_available():\n    s = torch.cuda.Stream()\n"
            "    x.record_stream(s)\nr = x"
        ),
        ("if torch.cuda.is_available():\n    x.record_stream(torch.cuda.current_stream())\nr = x"),
    ),
    "torch.version.cuda": ("torch.version.cuda",),
    "torch.version.hip": ("torch.version.hip",),
    **alike(
        "torch.cpu", "is_available device_count current_device synchronize", "torch.cpu.{name}()"
    ),
    "torch.cpu.set_device": ("r = torch.cpu.set_device('cpu')",),
    **alike(
        "torch",
        "accelerator.is_available mps.is_available xpu.is_available mtia.is_available",
        "torch.{owner}.is_available()",
    ),
    "torch.accelerator.current_accelerator": (
        "torch.accelerator.current_accelerator()",
        "torch.accelerator.current_accelerator(check_available=True)",
        (
            "d = torch.accelerator.current_accelerator().type if "
            "torch.accelerator.is_available() else 'cpu'\nx.to(d)"
        ),
    ),
    "torch.get_device_module": (
        "r = torch.get_device_module('cpu') is not None",
        "r = torch.get_device_module().__name__.rpartition('.')[2]",
    ),
}
