"""`torch.nn.attention`: the choice of attention kernels, and attention with functions as masks."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.upstream.facts import load
from workbench.words import words

rules = RuleSet()

_CHOICE = "Paddle chooses the kernel itself; the values are the same"
rules.counterpart("torch.nn.attention.sdpa_kernel", "torch_sdpa_kernel", note=_CHOICE)
_ASKED = "torch.nn.attention._cur_sdpa_kernel_backends"
rules.counterpart(_ASKED, "torch_sdpa_backends", note=_CHOICE)
rules.row("torch.nn.attention.SDPBackend", "TorchSDPBackend({value})", value="TorchSDPBackend")
_MEMBERS = words("MATH FLASH_ATTENTION EFFICIENT_ATTENTION CUDNN_ATTENTION OVERRIDEABLE ERROR")
for _name in _MEMBERS:
    rules.row(f"torch.nn.attention.SDPBackend.{_name}", f"TorchSDPBackend.{_name}", note=_CHOICE)


_TAKEN = {rule.name for rule in rules.rules}
_REST = [
    name
    for name in sorted(load().names)
    if name.startswith("torch.nn.attention.") and name not in _TAKEN and not load().is_module(name)
]
rules.refuse(
    *_REST,
    reason="Paddle cannot compile attention from Python functions, and has no choice of kernels",
    instead="`F.scaled_dot_product_attention` with a mask",
)
