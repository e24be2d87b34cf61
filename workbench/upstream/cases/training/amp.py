"""Automatic mixed precision and loss scaling."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

_MADE = "s = torch.amp.GradScaler('cpu', init_scale=4.0)\n"
_LOOP = (
    "q = nn.Parameter(torch.tensor([1.0, 2.0]))\no = torch.optim.SGD([q], lr=0.1)\n"
    "s = torch.amp.GradScaler('cpu', init_scale=4.0)\n"
    "s.scale((q * q).sum()).backward()\n"
)

CASES: dict[str, tuple[str, ...]] = {
    "torch.autocast": (
        "with torch.autocast('cuda', dtype=torch.float16):\n    r = x @ y.T",
        "with torch.autocast(device_type='cuda', enabled=False):\n    r = x @ y.T",
        "with torch.amp.autocast('cpu', enabled=False):\n    r = x @ y.T",
        "on = False\nwith torch.autocast('cuda', torch.bfloat16, on):\n    r = x @ y.T",
        "c = torch.autocast('cpu', enabled=False)\nwith c, c:\n    r = x @ y.T",
    ),
    "torch.cpu.amp.autocast": ("with torch.cpu.amp.autocast(enabled=False):\n    r = x @ y.T",),
    "torch.cuda.amp.autocast": (
        "with torch.cuda.amp.autocast():\n    r = x @ y.T",
        "with torch.cuda.amp.autocast(False):\n    r = x @ y.T",
        "c = torch.cuda.amp.autocast(False)\nwith c, c:\n    r = x @ y.T",
        "with torch.cuda.amp.autocast(enabled=True, dtype=torch.bfloat16):\n    r = x @ y.T",
    ),
    "torch.amp.is_autocast_available": ("torch.amp.is_autocast_available('cuda')",),
    "torch.GradScaler": (
        (
            "q = nn.Parameter(torch.tensor([1.0, 2.0]))\no = torch.optim.SGD([q], lr=0.1)\n"
            "s = torch.amp.GradScaler('cpu', init_scale=8.0, growth_interval=2)\nscales = []\n"
            "for k in range(5):\n    o.zero_grad()\n    f = float('inf') if k == 3 else 1.0\n"
            "    s.scale((q * q).sum() * f).backward()\n    s.step(o)\n    s.update()\n"
            "    scales.append(s.get_scale())\nr = q.detach()\nd = s.state_dict()"
        ),
        "s = torch.amp.GradScaler('cuda')\nr = s.is_enabled(), s.get_scale(), s.scale(x)",
        (
            "q = nn.Parameter(torch.tensor([3.0, 4.0]))\no = torch.optim.SGD([q], lr=0.1)\n"
            "s = torch.GradScaler(device='cpu', init_scale=4.0)\n"
            "s.scale((q * q).sum()).backward()\ns.unscale_(o)\ng = q.grad.tolist()\n"
            "n = torch.nn.utils.clip_grad_norm_([q], 1.0)\ns.step(o)\ns.update()\n"
            "r = q.detach()"
        ),
    ),
    "torch.cuda.amp.GradScaler": (
        "s = torch.cuda.amp.GradScaler(enabled=False)\nr = s.get_scale(), s.scale(x)",
        "s = torch.cuda.amp.GradScaler()\nr = s.is_enabled()",
    ),
    **alike(
        "torch.GradScaler",
        "get_scale is_enabled get_growth_factor get_backoff_factor get_growth_interval state_dict",
        (_MADE + "r = s.{name}()"),
    ),
    "torch.GradScaler.scale": ((_MADE + "r = s.scale(x)"),),
    "torch.GradScaler.set_growth_factor": (
        (_MADE + "r = s.set_growth_factor(3.0), s.get_growth_factor()"),
    ),
    "torch.GradScaler.set_backoff_factor": (
        (_MADE + "r = s.set_backoff_factor(0.1), s.get_backoff_factor()"),
    ),
    "torch.GradScaler.set_growth_interval": (
        (_MADE + "r = s.set_growth_interval(7), s.get_growth_interval()"),
    ),
    "torch.GradScaler.load_state_dict": (
        (_MADE + "r = s.load_state_dict(s.state_dict()), s.get_scale()"),
    ),
    "torch.GradScaler.update": ((_MADE + "r = s.scale(x), s.update(2.0), s.get_scale()"),),
    "torch.GradScaler.step": ((_LOOP + "s.step(o)\nr = q.detach()"),),
    "torch.GradScaler.unscale_": ((_LOOP + "s.unscale_(o)\nr = q.grad.tolist()"),),
    **alike(
        "torch.amp",
        "custom_fwd custom_bwd",
        (
            "class Double(torch.autograd.Function):\n    @staticmethod\n"
            "    @torch.amp.custom_fwd(device_type='cpu')\n    def forward(ctx, t):\n"
            "        return t * 2\n    @staticmethod\n"
            "    @torch.amp.custom_bwd(device_type='cpu')\n    def backward(ctx, g):\n"
            "        return g * 2\nr = Double.apply(w)\nr.sum().backward()\ng = w.grad"
        ),
    ),
    **alike(
        "torch.cuda.amp",
        "custom_fwd custom_bwd",
        (
            "class Double(torch.autograd.Function):\n    @staticmethod\n"
            "    @torch.cuda.amp.custom_fwd\n    def forward(ctx, t):\n        return t * 2\n"
            "    @staticmethod\n    @torch.cuda.amp.custom_bwd\n    def backward(ctx, g):\n"
            "        return g * 2\nr = Double.apply(w)\nr.sum().backward()\ng = w.grad"
        ),
    ),
    **alike(
        "torch",
        "get_autocast_gpu_dtype get_autocast_cpu_dtype is_autocast_cpu_enabled "
        "is_autocast_cache_enabled",
        "torch.{name}()",
    ),
    "torch.clear_autocast_cache": ("r = torch.clear_autocast_cache()",),
    "torch.get_autocast_dtype": (
        "torch.get_autocast_dtype('cuda'), torch.get_autocast_dtype(device_type='cpu')",
    ),
    "torch.is_autocast_enabled": (
        "torch.is_autocast_enabled()",
        "torch.is_autocast_enabled('cuda')",
    ),
}
