"""Automatic mixed precision and loss scaling."""

from __future__ import annotations

from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Refusal, Rewrite
from workbench.rules.rule import RuleSet
from workbench.rules.same_call import same_call

rules = RuleSet()

_LISTS = "Paddle has lists of its own of the operators that compute in low precision"


@rules.rule(
    "torch.autocast",
    value="paddle.amp.auto_cast",
    cases=[
        "with torch.autocast('cuda', dtype=torch.float16):\n    r = x @ y.T",
        "with torch.autocast(device_type='cuda', enabled=False):\n    r = x @ y.T",
        "with torch.amp.autocast('cpu', enabled=False):\n    r = x @ y.T",
        "on = False\nwith torch.autocast('cuda', torch.bfloat16, on):\n    r = x @ y.T",
    ],
)
def autocast(match: Match) -> Outcome:
    """On a CPU torch computes in bfloat16, and Paddle leaves everything as it is."""
    device, enabled = match.constant("device_type"), match.constant("enabled", True)
    off = enabled is False
    if device == "cpu" and not off:
        return Refusal("Paddle has no mixed precision on a CPU")
    caveat: str | None = _LISTS
    if off:
        caveat = None
    elif not isinstance(device, str):
        caveat = f"on a CPU nothing is cast; {_LISTS}"
    given = frozenset({"device_type", "cache_enabled", "dtype"}) & match.arguments.keys()
    return Rewrite(
        "paddle.amp.auto_cast(enable={enabled}, dtype={dtype})",
        consumed=given - {"dtype"},
        caveat=caveat,
    )


@rules.rule(
    "torch.cpu.amp.autocast",
    signature="(enabled=True, dtype=torch.bfloat16, cache_enabled=True)",
    cases=["with torch.cpu.amp.autocast(enabled=False):\n    r = x @ y.T"],
)
def cpu_autocast(match: Match) -> Outcome:
    """Paddle's computes as it always does on a CPU."""
    if match.constant("enabled", True) is not False:
        return Refusal("Paddle has no mixed precision on a CPU")
    return Rewrite("paddle.amp.auto_cast(enable=False)", consumed=frozenset(match.arguments))


for _name in ("torch.cuda.amp.autocast",):
    rules.row(
        _name,
        "paddle.amp.auto_cast({enabled}, dtype={dtype})",
        ignored={"cache_enabled": "Paddle keeps casts by itself"},
        caveat=_LISTS,
        cases=[
            f"with {_name}():\n    r = x @ y.T",
            f"with {_name}(False):\n    r = x @ y.T",
            f"with {_name}(enabled=True, dtype=torch.bfloat16):\n    r = x @ y.T",
        ],
    )
rules.row(
    "torch.amp.is_autocast_available",
    "({device_type} == 'cuda')",
    caveat="Paddle casts on GPUs alone",
    cases=["torch.amp.is_autocast_available('cuda')"],
)
rules.row(
    "torch.GradScaler",
    same_call("torch.GradScaler", "TorchGradScaler"),
    value="TorchGradScaler",
    cases=[
        "q = nn.Parameter(torch.tensor([1.0, 2.0]))\no = torch.optim.SGD([q], lr=0.1)\n"
        "s = torch.amp.GradScaler('cpu', init_scale=8.0, growth_interval=2)\nscales = []\n"
        "for k in range(5):\n    o.zero_grad()\n    f = float('inf') if k == 3 else 1.0\n"
        "    s.scale((q * q).sum() * f).backward()\n    s.step(o)\n    s.update()\n"
        "    scales.append(s.get_scale())\nr = q.detach()\nd = s.state_dict()",
        "s = torch.amp.GradScaler('cuda')\nr = s.is_enabled(), s.get_scale(), s.scale(x)",
        "q = nn.Parameter(torch.tensor([3.0, 4.0]))\no = torch.optim.SGD([q], lr=0.1)\n"
        "s = torch.GradScaler(device='cpu', init_scale=4.0)\ns.scale((q * q).sum()).backward()\n"
        "s.unscale_(o)\ng = q.grad.tolist()\nn = torch.nn.utils.clip_grad_norm_([q], 1.0)\n"
        "s.step(o)\ns.update()\nr = q.detach()",
    ],
)
rules.row(
    "torch.cuda.amp.GradScaler",
    "TorchGradScaler(init_scale={init_scale}, growth_factor={growth_factor}, "
    "backoff_factor={backoff_factor}, growth_interval={growth_interval}, enabled={enabled})",
    value="TorchGradScaler",
    cases=[
        "s = torch.cuda.amp.GradScaler(enabled=False)\nr = s.get_scale(), s.scale(x)",
        "s = torch.cuda.amp.GradScaler()\nr = s.is_enabled()",
    ],
)
_MADE = "s = torch.amp.GradScaler('cpu', init_scale=4.0)\n"
for _member, _call in (
    ("get_scale", "s.get_scale()"),
    ("is_enabled", "s.is_enabled()"),
    ("scale", "s.scale(x)"),
    ("get_growth_factor", "s.get_growth_factor()"),
    ("get_backoff_factor", "s.get_backoff_factor()"),
    ("get_growth_interval", "s.get_growth_interval()"),
    ("state_dict", "s.state_dict()"),
    ("set_growth_factor", "s.set_growth_factor(3.0), s.get_growth_factor()"),
    ("set_backoff_factor", "s.set_backoff_factor(0.1), s.get_backoff_factor()"),
    ("set_growth_interval", "s.set_growth_interval(7), s.get_growth_interval()"),
    ("load_state_dict", "s.load_state_dict(s.state_dict()), s.get_scale()"),
    ("update", "s.scale(x), s.update(2.0), s.get_scale()"),
):
    rules.keep(f"torch.GradScaler.{_member}", cases=[f"{_MADE}r = {_call}"])
_LOOP = (
    "q = nn.Parameter(torch.tensor([1.0, 2.0]))\no = torch.optim.SGD([q], lr=0.1)\n"
    f"{_MADE}s.scale((q * q).sum()).backward()\n"
)
rules.keep("torch.GradScaler.step", cases=[f"{_LOOP}s.step(o)\nr = q.detach()"])
rules.keep("torch.GradScaler.unscale_", cases=[f"{_LOOP}s.unscale_(o)\nr = q.grad.tolist()"])


_DECORATED = (
    "class Double(torch.autograd.Function):\n"
    "    @staticmethod\n    @torch.{place}.custom_fwd{given}\n"
    "    def forward(ctx, t):\n        return t * 2\n"
    "    @staticmethod\n    @torch.{place}.custom_bwd{given}\n"
    "    def backward(ctx, g):\n        return g * 2\n"
    "r = Double.apply(w)\nr.sum().backward()\ng = w.grad"
)
for _name, _function in (("custom_fwd", "fwd"), ("custom_bwd", "bwd")):
    for _place in ("amp", "cuda.amp"):
        _device = "device_type='cpu'" if _place == "amp" else ""
        rules.row(
            f"torch.{_place}.{_name}",
            f"torch_custom_autocast({{{_function}}})",
            value="torch_custom_autocast",
            signature=f"({_function}=None, *, device_type=None, cast_inputs=None)",
            ignored={
                "device_type": "mixed precision is a matter of the call in Paddle",
                "cast_inputs": "inputs keep their dtype",
            },
            caveat="inside of mixed precision the function computes as what calls it does",
            cases=[_DECORATED.format(place=_place, given=f"({_device})" if _device else "")],
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
    reason="Paddle's mixed precision has no settings outside its context",
    instead="paddle.amp.auto_cast",
)
_ON_GPU = "on a CPU Paddle enters no mixed precision, and answers as outside of it"
_GPU_DTYPE = "getattr(paddle, paddle.get_autocast_gpu_dtype())"
rules.row(
    "torch.get_autocast_gpu_dtype",
    _GPU_DTYPE,
    caveat=_ON_GPU,
    cases=["torch.get_autocast_gpu_dtype()"],
)
rules.row(
    "torch.get_autocast_cpu_dtype",
    "paddle.bfloat16",
    note="what torch says outside of its mixed precision, which Paddle has on GPUs alone",
    cases=["torch.get_autocast_cpu_dtype()"],
)
rules.row(
    "torch.is_autocast_cpu_enabled",
    "False",
    note="Paddle has mixed precision on GPUs alone",
    cases=["torch.is_autocast_cpu_enabled()"],
)
rules.row(
    "torch.is_autocast_cache_enabled",
    "True",
    note="Paddle keeps casts by itself",
    cases=["torch.is_autocast_cache_enabled()"],
)
rules.row(
    "torch.clear_autocast_cache",
    "None",
    note="Paddle keeps casts by itself",
    cases=["r = torch.clear_autocast_cache()"],
)


@rules.rule(
    "torch.get_autocast_dtype",
    signature="(device_type)",
    cases=["torch.get_autocast_dtype('cuda'), torch.get_autocast_dtype(device_type='cpu')"],
)
def autocast_dtype(match: Match) -> Outcome:
    """That of GPUs, where Paddle casts, or what torch says of a CPU outside of its own casts."""
    given = frozenset({"device_type"})
    device = match.constant("device_type")
    if device == "cuda":
        return Rewrite(_GPU_DTYPE, consumed=given, caveat=_ON_GPU)
    if device == "cpu":
        return Rewrite("paddle.bfloat16", consumed=given)
    return Refusal("Paddle has mixed precision on GPUs alone", "the dtype that is wanted")


rules.row(
    "torch.is_autocast_enabled",
    "paddle.is_autocast_enabled()",
    signature="(device_type=None)",
    ignored={"device_type": "Paddle has one state for all devices"},
    caveat="Paddle has one state for all devices",
    cases=["torch.is_autocast_enabled()", "torch.is_autocast_enabled('cuda')"],
)
