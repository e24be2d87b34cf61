"""Compiled operators of torchvision, and layers that use them.

They load only with their own torch version: tests compare their replacements with their definition.
"""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.upstream.facts import load

rules = RuleSet()

_O = "torchvision.ops"
_NOTE = "compared with its definition, not with torchvision's compiled operator"

for _name, _helper in (
    ("nms", "torch_suppressed_boxes"),
    ("batched_nms", "torch_suppressed_by_class"),
    ("roi_pool", "torch_roi_pool"),
    ("ps_roi_pool", "torch_ps_roi_pool"),
    ("deform_conv2d", "torch_deform_conv2d"),
):
    rules.counterpart(f"{_O}.{_name}", _helper, note=_NOTE)
for _name in (
    "RoIPool",
    "PSRoIPool",
    "DeformConv2d",
):
    rules.counterpart(f"{_O}.{_name}", f"Torch{_name}", note=_NOTE)
    for _one in sorted(load().inside(f"{_O}.{_name}")):
        _member = _one.rpartition(".")[2]
        if _member in ("__init__", "forward") or _member == "reset_parameters":
            pass
        else:
            pass
        rules.keep(_one)
