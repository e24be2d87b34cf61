"""Other names of `torch.nn`: dunder methods of containers, sizes of unpooling."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.words import words

rules = RuleSet()
for _name in words(
    "ModuleList.__setitem__ ModuleList.__delitem__ ModuleDict.__setitem__ "
    "ModuleDict.__delitem__ ModuleDict.__iter__ ParameterList.__getitem__ "
    "ParameterList.__setitem__ ParameterList.__iter__ ParameterDict.__getitem__ "
    "ParameterDict.__setitem__ ParameterDict.__delitem__ ParameterDict.__iter__ "
    "Module._forward_hooks Module._forward_pre_hooks"
):
    if _name == "Module._forward_hooks":
        rules.row(f"torch.nn.{_name}", "{self}._forward_post_hooks")
    else:
        rules.keep(f"torch.nn.{_name}")
for _dims in (1, 2, 3):
    for _name in ("kernel_size", "stride", "padding"):
        rules.keep(f"torch.nn.MaxUnpool{_dims}d.{_name}")
rules.row("torch.nn.GELU.approximate", "'tanh' if {self}._approximate else 'none'")
