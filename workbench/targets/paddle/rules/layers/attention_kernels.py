"""`torch.nn.attention`: which kernel computes attention, and attention with functions as masks."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.upstream.facts import load

rules = RuleSet()

_CHOICE = "Paddle chooses the kernel itself; the values are the same"
rules.row(
    "torch.nn.attention.sdpa_kernel",
    "torch_sdpa_kernel(...)",
    value="torch_sdpa_kernel",
    note=_CHOICE,
    cases=[
        "from torch.nn.attention import SDPBackend, sdpa_kernel\n"
        "with sdpa_kernel(SDPBackend.MATH):\n    v = F.scaled_dot_product_attention(a, a, a)",
        "with torch.nn.attention.sdpa_kernel([torch.nn.attention.SDPBackend.MATH]):\n"
        "    v = F.scaled_dot_product_attention(a, a, a, is_causal=True)",
        "from torch.nn.attention import SDPBackend, sdpa_kernel\n"
        "@sdpa_kernel(SDPBackend.MATH)\ndef own(v):\n"
        "    return F.scaled_dot_product_attention(v, v, v)\nr = own(a)",
    ],
)
_ASKED = "torch.nn.attention._cur_sdpa_kernel_backends"
rules.row(
    _ASKED,
    "torch_sdpa_backends(...)",
    value="torch_sdpa_backends",
    note=_CHOICE,
    cases=[
        f"r = [one.name for one in {_ASKED}()], [one.value for one in {_ASKED}(True)]",
        "from torch.nn.attention import SDPBackend, sdpa_kernel\n"
        "with sdpa_kernel([SDPBackend.MATH, SDPBackend.FLASH_ATTENTION], set_priority=True):\n"
        f"    r = [one.name for one in {_ASKED}()]\n"
        f"    s = [one.name for one in {_ASKED}(with_priority=True)]\n"
        f"    with sdpa_kernel(SDPBackend.EFFICIENT_ATTENTION):\n"
        f"        t = [one.name for one in {_ASKED}()]\n"
        f"u = len({_ASKED}())",
    ],
)
rules.row(
    "torch.nn.attention.SDPBackend",
    "TorchSDPBackend({value})",
    value="TorchSDPBackend",
    signature="(value)",
    cases=[
        "from torch.nn.attention import SDPBackend\nr = isinstance(SDPBackend.MATH, SDPBackend)",
        "from torch.nn.attention import SDPBackend\nr = SDPBackend(1) == SDPBackend.MATH",
    ],
)
_MEMBERS = (
    "MATH",
    "FLASH_ATTENTION",
    "EFFICIENT_ATTENTION",
    "CUDNN_ATTENTION",
    "OVERRIDEABLE",
    "ERROR",
)
for _name in _MEMBERS:
    rules.row(
        f"torch.nn.attention.SDPBackend.{_name}",
        f"TorchSDPBackend.{_name}",
        note=_CHOICE,
        cases=[
            f"_b = torch.nn.attention.SDPBackend.{_name}\nint(_b), str(_b)",
            f"r = torch.nn.attention.SDPBackend.{_name}.name",
        ],
    )


_TAKEN = {rule.name for rule in rules.rules}
_REST = [
    name
    for name in sorted(load().names)
    if name.startswith("torch.nn.attention.") and name not in _TAKEN and not load().is_module(name)
]
rules.refuse(
    *_REST,
    reason="Paddle has no attention that is compiled from Python functions, nor kernels to choose",
    instead="`F.scaled_dot_product_attention` with a mask",
)
