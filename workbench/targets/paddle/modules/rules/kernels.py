"""Functions that torch's layers are composed of."""

from __future__ import annotations

from workbench.rules.rule import RuleSet

rules = RuleSet()

_F = "torch.nn.functional"
rules.counterpart(f"{_F}.conv_tbc", "torch_conv_tbc")
rules.counterpart(f"{_F}.multi_head_attention_forward", "torch_multi_head_attention_forward")
_SIDES = (1, 2, 3)
for _dims in _SIDES:
    for _what in (
        "input",
        "weight",
    ):
        _name = f"torch.nn.grad.conv{_dims}d_{_what}"
        rules.row(_name, f"torch_conv_{_what}_gradient({_dims}, ...)")
