"""Functions of torchvision's transforms."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.upstream.cases.images import IMAGES, KEPT

rules = RuleSet()

_F = "torchvision.transforms.functional"
_HEAD = f"{IMAGES}import torchvision.transforms.functional as TF\n{KEPT}"


def _function(name: str, helper: str, *cases: str, caveat: str | None = None) -> None:
    rules.row(
        f"{_F}.{name}",
        f"{helper}(...)",
        value=helper,
        caveat=caveat,
        cases=[_HEAD + case for case in cases],
    )


_function("to_tensor", "torch_to_tensor", "TF.to_tensor(pil), TF.to_tensor(pic=array)")
_function("pil_to_tensor", "torch_pil_to_tensor", "TF.pil_to_tensor(pil), TF.pil_to_tensor(gray)")
_function(
    "to_pil_image",
    "torch_to_pil_image",
    "seen(TF.to_pil_image(bytes3)), seen(TF.to_pil_image(x, mode='F'))",
    "seen(TF.to_pil_image(p)), seen(TF.to_pil_image(i.to(torch.int16)))",
    "seen(TF.to_pil_image(bytes3[:2])), seen(TF.to_pil_image(array, 'YCbCr'))",
    "TF.to_pil_image(bytes3, 'L')",
    "TF.to_pil_image(d)",
)
_function(
    "convert_image_dtype",
    "torch_convert_image_dtype",
    "TF.convert_image_dtype(bytes3), TF.convert_image_dtype(p, torch.uint8)",
    "TF.convert_image_dtype(bytes3, dtype=torch.int32), TF.convert_image_dtype(p, torch.float64)",
    "TF.convert_image_dtype(i.to(torch.int32), torch.uint8), "
    "TF.convert_image_dtype(bytes3, torch.int16)",
    "TF.convert_image_dtype(w, torch.float64)",
)
_function(
    "normalize",
    "torch_normalize_image",
    "TF.normalize(img, [0.1, 0.2, 0.3], std=[1.0, 2.0, 3.0])",
    "t = img.clone()\nr = TF.normalize(t, [0.5], [0.25], inplace=True)",
    "TF.normalize(bytes3, [0.5], [0.5])",
    "TF.normalize(w[None], (0.5,), (0.5,)).sum().backward()\ng = w.grad",
)
_function(
    "resize",
    "torch_resize_image",
    "TF.resize(img, [5, 6]), TF.resize(img, 5), TF.resize(bytes3, size=[4], antialias=True)",
    "seen(TF.resize(pil, 5)), seen(TF.resize(pil, [4, 20], T.InterpolationMode.BICUBIC))",
    "seen(TF.resize(gray, 5, interpolation=Image.NEAREST)), seen(TF.resize(pil, 8, max_size=9))",
    "t = img.clone().requires_grad_()\nTF.resize(t, [3, 3]).sum().backward()\ng = t.grad",
)
_function(
    "pad",
    "torch_pad_image",
    "TF.pad(img, [1, 2]), TF.pad(bytes3, 1, fill=3), TF.pad(img, [1, 0, 2, 3], "
    "padding_mode='edge')",
    "seen(TF.pad(pil, (1, 2), 5)), seen(TF.pad(gray, 3, padding_mode='symmetric'))",
    "TF.pad(bytes3, 2, 0, 'symmetric'), TF.pad(img, 4, padding_mode='reflect')",
    "TF.pad(img, 9, padding_mode='reflect')",
)
_function(
    "crop",
    "torch_crop_image",
    "TF.crop(img, 1, 2, 3, 4), TF.crop(bytes3, -2, -1, 12, 6), TF.crop(img, 5, 6, 7, 8)",
    "seen(TF.crop(pil, 1, 2, 3, 4)), seen(TF.crop(pil, top=-2, left=3, height=5, width=20))",
)
_function(
    "center_crop",
    "torch_center_crop",
    "TF.center_crop(img, [3, 4]), TF.center_crop(bytes3, 5), TF.center_crop(img, [12, 3])",
    "seen(TF.center_crop(pil, 4)), seen(TF.center_crop(pil, output_size=[20, 5]))",
)
_function(
    "resized_crop",
    "torch_resized_crop",
    "TF.resized_crop(img, 1, 2, 5, 4, [3, 3]), seen(TF.resized_crop(pil, 1, 2, 5, 4, 7))",
    "TF.resized_crop(img, 1, 2, 5, 4, [3, 3], T.InterpolationMode.NEAREST)",
)
_function(
    "hflip", "torch_hflip", "TF.hflip(img), TF.hflip(bytes3), seen(TF.hflip(pil)), TF.hflip(i)"
)
_function(
    "vflip", "torch_vflip", "TF.vflip(img), TF.vflip(bytes3), seen(TF.vflip(pil)), TF.vflip(m)"
)
_function("five_crop", "torch_five_crop", "TF.five_crop(img, [3, 4]), TF.five_crop(bytes3, size=2)")
_function("ten_crop", "torch_ten_crop", "TF.ten_crop(img, 3), TF.ten_crop(bytes3, (2, 3), True)")
_function(
    "erase",
    "torch_erase",
    "TF.erase(img, 1, 2, 3, 4, torch.tensor(5.0)), TF.erase(img, 0, 0, 2, 2, v=img[..., :2, :2])",
    "t = img.clone()\nr = TF.erase(t, 1, 2, 3, 4, torch.tensor(5.0), inplace=True)",
    "TF.erase(pil, 1, 2, 3, 4, torch.tensor(5.0))",
)
_function(
    "get_dimensions", "torch_image_dimensions", "TF.get_dimensions(img), TF.get_dimensions(pil)"
)
_function("get_image_size", "torch_image_size", "TF.get_image_size(img), TF.get_image_size(pil)")
_function(
    "get_image_num_channels",
    "torch_image_channels",
    "TF.get_image_num_channels(x), TF.get_image_num_channels(pil)",
)
_function(
    "rgb_to_grayscale",
    "torch_rgb_to_grayscale",
    "TF.rgb_to_grayscale(img), TF.rgb_to_grayscale(bytes3, num_output_channels=3)",
    "seen(TF.rgb_to_grayscale(pil)), seen(TF.rgb_to_grayscale(pil, 3))",
    "TF.rgb_to_grayscale(x)",
)
_function(
    "to_grayscale",
    "torch_rgb_to_grayscale",
    "seen(TF.to_grayscale(pil)), seen(TF.to_grayscale(pil, 3))",
)
for _name in ("brightness", "contrast", "saturation"):
    _function(
        f"adjust_{_name}",
        f"torch_adjust_{_name}",
        f"[TF.adjust_{_name}(img.clamp(0, 1), f) for f in (0, 0.4, 1, 1.7)]",
        f"[TF.adjust_{_name}(bytes3, f) for f in (0, 0.4, 1.0, 1.7)]",
        f"[seen(TF.adjust_{_name}(each, f)) for f in (0, 0.4, 1.7) for each in (pil, gray)]",
        f"TF.adjust_{_name}(img[:, :1], 0.3)",
        f"TF.adjust_{_name}(img, -1)",
    )
_function(
    "adjust_hue",
    "torch_adjust_hue",
    "[TF.adjust_hue(img.clamp(0, 1), f) for f in (-0.5, -0.1, 0, 0.3)]",
    "[seen(TF.adjust_hue(each, f)) for f in (-0.5, -0.1, 0.3) for each in (pil, gray)]",
    "TF.adjust_hue(img.clamp(0, 1)[:, :1], 0.2), TF.adjust_hue(bytes3, 0.2)",
    "TF.adjust_hue(img, 0.6)",
)
_function(
    "adjust_gamma",
    "torch_adjust_gamma",
    "TF.adjust_gamma(img.clamp(0, 1), 0.7), TF.adjust_gamma(bytes3, 1.8, gain=0.9)",
    "seen(TF.adjust_gamma(pil, 0.7)), seen(TF.adjust_gamma(gray, 2, 1.1))",
    "TF.adjust_gamma(img, -1)",
)
_function("invert", "torch_invert", "TF.invert(img), TF.invert(bytes3), seen(TF.invert(pil))")
_function(
    "solarize",
    "torch_solarize",
    "TF.solarize(img, 0.4), TF.solarize(bytes3, 100), seen(TF.solarize(pil, 100))",
)
_function(
    "posterize",
    "torch_posterize",
    "TF.posterize(bytes3, 3), seen(TF.posterize(pil, bits=2))",
    "TF.posterize(img, 3)",
)
