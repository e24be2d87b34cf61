"""Types that annotations name: the handle of a hook, and the sizes of a layer."""

from __future__ import annotations

from workbench.rules.family import Family
from workbench.upstream.supplement import COMMON_TYPES

rules = Family()

rules.keep("torch.utils.hooks.RemovableHandle.remove")
rules.row("torch.utils.hooks.RemovableHandle", "paddle.nn.layer.layers.HookRemoveHelper")
for _name, _text in COMMON_TYPES.items():
    rules.row(_name, _text)
