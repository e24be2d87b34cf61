"""Operators and utilities of torchvision."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.upstream.facts import load

rules = RuleSet()

_O = "torchvision.ops"
_U = "torchvision.utils"


def _function(name: str, helper: str) -> None:
    rules.counterpart(f"{_O}.{name}", helper)


_function("box_area", "torch_box_area")
_function("box_iou", "torch_box_iou")
_function("generalized_box_iou", "torch_generalized_box_iou")
_function("box_convert", "torch_box_convert")
_function("clip_boxes_to_image", "torch_clip_boxes")
_function("remove_small_boxes", "torch_remove_small_boxes")
_function("roi_align", "torch_roi_align")
rules.counterpart(f"{_O}.RoIAlign", "TorchRoIAlign")
for _member in ("output_size", "spatial_scale", "sampling_ratio", "aligned"):
    rules.keep(f"{_O}.RoIAlign.{_member}")
rules.row(f"{_O}.RoIAlign.forward", "{self}.forward({input}, {rois})")
_function("masks_to_boxes", "torch_masks_to_boxes")
_function("sigmoid_focal_loss", "torch_sigmoid_focal_loss")
_function("stochastic_depth", "torch_stochastic_depth")


def _layer(name: str) -> None:
    """Add the rules of a layer and its members."""
    helper = f"Torch{name}"
    rules.counterpart(f"{_O}.{name}", helper)
    for one in sorted(load().inside(f"{_O}.{name}")):
        member = one.rpartition(".")[2]
        if member == "forward" or member == "__init__" or not member.startswith("_"):
            rules.keep(one)


_layer("Conv2dNormActivation")
_layer("SqueezeExcitation")
_layer("MLP")
_layer("Permute")
_layer("FrozenBatchNorm2d")
_layer("StochasticDepth")
rules.counterpart(f"{_U}.make_grid", "torch_make_grid")
rules.counterpart(f"{_U}.save_image", "torch_save_image")
