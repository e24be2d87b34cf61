"""Functions of torchvision's transforms."""

from __future__ import annotations

from workbench.rules.rule import RuleSet

rules = RuleSet()

_F = "torchvision.transforms.functional"


def _function(name: str, helper: str, *, caveat: str | None = None) -> None:
    rules.counterpart(f"{_F}.{name}", helper, caveat=caveat)


_function("to_tensor", "torch_to_tensor")
_function("pil_to_tensor", "torch_pil_to_tensor")
_function("to_pil_image", "torch_to_pil_image")
_function("convert_image_dtype", "torch_convert_image_dtype")
_function("normalize", "torch_normalize_image")
_function("resize", "torch_resize_image")
_function("pad", "torch_pad_image")
_function("crop", "torch_crop_image")
_function("center_crop", "torch_center_crop")
_function("resized_crop", "torch_resized_crop")
_function("hflip", "torch_hflip")
_function("vflip", "torch_vflip")
_function("five_crop", "torch_five_crop")
_function("ten_crop", "torch_ten_crop")
_function("erase", "torch_erase")
_function("get_dimensions", "torch_image_dimensions")
_function("get_image_size", "torch_image_size")
_function("get_image_num_channels", "torch_image_channels")
_function("rgb_to_grayscale", "torch_rgb_to_grayscale")
_function("to_grayscale", "torch_rgb_to_grayscale")
for _name in ("brightness", "contrast", "saturation"):
    _function(f"adjust_{_name}", f"torch_adjust_{_name}")
_function("adjust_hue", "torch_adjust_hue")
_function("adjust_gamma", "torch_adjust_gamma")
_function("invert", "torch_invert")
_function("solarize", "torch_solarize")
_function("posterize", "torch_posterize")
