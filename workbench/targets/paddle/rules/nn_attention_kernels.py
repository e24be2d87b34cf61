"""`torch.nn.attention`: which kernel computes attention, and attention with functions as masks."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.upstream.facts import load

rules = RuleSet()

_CHOICE = "Paddle chooses the kernel itself; the values are the same"
rules.row(
    "torch.nn.attention.sdpa_kernel",
    "torch_any_kernel(...)",
    value="torch_any_kernel",
    note=_CHOICE,
    cases=[
        "from torch.nn.attention import SDPBackend, sdpa_kernel\n"
        "with sdpa_kernel(SDPBackend.MATH):\n    v = F.scaled_dot_product_attention(a, a, a)",
        "with torch.nn.attention.sdpa_kernel([torch.nn.attention.SDPBackend.MATH]):\n"
        "    v = F.scaled_dot_product_attention(a, a, a, is_causal=True)",
    ],
)
for _name in ("MATH", "FLASH_ATTENTION", "EFFICIENT_ATTENTION", "CUDNN_ATTENTION", "ERROR"):
    rules.row(
        f"torch.nn.attention.SDPBackend.{_name}",
        f"'{_name}'",
        note=_CHOICE,
        cases=[f"_b = torch.nn.attention.SDPBackend.{_name}\n_b is not None"],
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
