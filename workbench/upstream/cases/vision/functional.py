"""Functions of torchvision's transforms."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike
from workbench.upstream.cases.preludes import FUNCTIONAL

CASES: dict[str, tuple[str, ...]] = {
    "torchvision.transforms.functional.to_tensor": (
        (FUNCTIONAL + "TF.to_tensor(pil), TF.to_tensor(pic=array)"),
    ),
    "torchvision.transforms.functional.pil_to_tensor": (
        (FUNCTIONAL + "TF.pil_to_tensor(pil), TF.pil_to_tensor(gray)"),
    ),
    "torchvision.transforms.functional.to_pil_image": (
        (FUNCTIONAL + "seen(TF.to_pil_image(bytes3)), seen(TF.to_pil_image(x, mode='F'))"),
        (FUNCTIONAL + "seen(TF.to_pil_image(p)), seen(TF.to_pil_image(i.to(torch.int16)))"),
        (FUNCTIONAL + "seen(TF.to_pil_image(bytes3[:2])), seen(TF.to_pil_image(array, 'YCbCr'))"),
        (FUNCTIONAL + "TF.to_pil_image(bytes3, 'L')"),
        (FUNCTIONAL + "TF.to_pil_image(d)"),
    ),
    "torchvision.transforms.functional.convert_image_dtype": (
        (FUNCTIONAL + "TF.convert_image_dtype(bytes3), TF.convert_image_dtype(p, torch.uint8)"),
        (
            FUNCTIONAL + "TF.convert_image_dtype(bytes3, dtype=torch.int32), "
            "TF.convert_image_dtype(p, torch.float64)"
        ),
        (
            FUNCTIONAL + "TF.convert_image_dtype(i.to(torch.int32), torch.uint8), "
            "TF.convert_image_dtype(bytes3, torch.int16)"
        ),
        (FUNCTIONAL + "TF.convert_image_dtype(w, torch.float64)"),
    ),
    "torchvision.transforms.functional.normalize": (
        (FUNCTIONAL + "TF.normalize(img, [0.1, 0.2, 0.3], std=[1.0, 2.0, 3.0])"),
        (FUNCTIONAL + "t = img.clone()\nr = TF.normalize(t, [0.5], [0.25], inplace=True)"),
        (FUNCTIONAL + "TF.normalize(bytes3, [0.5], [0.5])"),
        (FUNCTIONAL + "TF.normalize(w[None], (0.5,), (0.5,)).sum().backward()\ng = w.grad"),
    ),
    "torchvision.transforms.functional.resize": (
        (
            FUNCTIONAL + "TF.resize(img, [5, 6]), TF.resize(img, 5), TF.resize(bytes3, size=[4], "
            "antialias=True)"
        ),
        (
            FUNCTIONAL + "seen(TF.resize(pil, 5)), seen(TF.resize(pil, [4, 20], "
            "T.InterpolationMode.BICUBIC))"
        ),
        (
            FUNCTIONAL + "seen(TF.resize(gray, 5, interpolation=Image.NEAREST)), "
            "seen(TF.resize(pil, 8, max_size=9))"
        ),
        (
            FUNCTIONAL + "t = img.clone().requires_grad_()\nTF.resize(t, [3, 3]).sum().backward()\n"
            "g = t.grad"
        ),
    ),
    "torchvision.transforms.functional.pad": (
        (
            FUNCTIONAL
            + "TF.pad(img, [1, 2]), TF.pad(bytes3, 1, fill=3), TF.pad(img, [1, 0, 2, 3], "
            "padding_mode='edge')"
        ),
        (
            FUNCTIONAL
            + "seen(TF.pad(pil, (1, 2), 5)), seen(TF.pad(gray, 3, padding_mode='symmetric'))"
        ),
        (FUNCTIONAL + "TF.pad(bytes3, 2, 0, 'symmetric'), TF.pad(img, 4, padding_mode='reflect')"),
        (FUNCTIONAL + "TF.pad(img, 9, padding_mode='reflect')"),
    ),
    "torchvision.transforms.functional.crop": (
        (
            FUNCTIONAL
            + "TF.crop(img, 1, 2, 3, 4), TF.crop(bytes3, -2, -1, 12, 6), TF.crop(img, 5, 6, 7, 8)"
        ),
        (
            FUNCTIONAL + "seen(TF.crop(pil, 1, 2, 3, 4)), seen(TF.crop(pil, top=-2, left=3, "
            "height=5, width=20))"
        ),
    ),
    "torchvision.transforms.functional.center_crop": (
        (
            FUNCTIONAL + "TF.center_crop(img, [3, 4]), TF.center_crop(bytes3, 5), "
            "TF.center_crop(img, [12, 3])"
        ),
        (
            FUNCTIONAL
            + "seen(TF.center_crop(pil, 4)), seen(TF.center_crop(pil, output_size=[20, 5]))"
        ),
    ),
    "torchvision.transforms.functional.resized_crop": (
        (
            FUNCTIONAL
            + "TF.resized_crop(img, 1, 2, 5, 4, [3, 3]), seen(TF.resized_crop(pil, 1, 2, "
            "5, 4, 7))"
        ),
        (FUNCTIONAL + "TF.resized_crop(img, 1, 2, 5, 4, [3, 3], T.InterpolationMode.NEAREST)"),
    ),
    "torchvision.transforms.functional.hflip": (
        (FUNCTIONAL + "TF.hflip(img), TF.hflip(bytes3), seen(TF.hflip(pil)), TF.hflip(i)"),
    ),
    "torchvision.transforms.functional.vflip": (
        (FUNCTIONAL + "TF.vflip(img), TF.vflip(bytes3), seen(TF.vflip(pil)), TF.vflip(m)"),
    ),
    "torchvision.transforms.functional.five_crop": (
        (FUNCTIONAL + "TF.five_crop(img, [3, 4]), TF.five_crop(bytes3, size=2)"),
    ),
    "torchvision.transforms.functional.ten_crop": (
        (FUNCTIONAL + "TF.ten_crop(img, 3), TF.ten_crop(bytes3, (2, 3), True)"),
    ),
    "torchvision.transforms.functional.erase": (
        (
            FUNCTIONAL + "TF.erase(img, 1, 2, 3, 4, torch.tensor(5.0)), TF.erase(img, 0, 0, 2, 2, "
            "v=img[..., :2, :2])"
        ),
        (
            FUNCTIONAL
            + "t = img.clone()\nr = TF.erase(t, 1, 2, 3, 4, torch.tensor(5.0), inplace=True)"
        ),
        (FUNCTIONAL + "TF.erase(pil, 1, 2, 3, 4, torch.tensor(5.0))"),
    ),
    **alike(
        "torchvision.transforms.functional",
        "get_dimensions get_image_size",
        (FUNCTIONAL + "TF.{name}(img), TF.{name}(pil)"),
    ),
    "torchvision.transforms.functional.get_image_num_channels": (
        (FUNCTIONAL + "TF.get_image_num_channels(x), TF.get_image_num_channels(pil)"),
    ),
    "torchvision.transforms.functional.rgb_to_grayscale": (
        (
            FUNCTIONAL
            + "TF.rgb_to_grayscale(img), TF.rgb_to_grayscale(bytes3, num_output_channels=3)"
        ),
        (FUNCTIONAL + "seen(TF.rgb_to_grayscale(pil)), seen(TF.rgb_to_grayscale(pil, 3))"),
        (FUNCTIONAL + "TF.rgb_to_grayscale(x)"),
    ),
    "torchvision.transforms.functional.to_grayscale": (
        (FUNCTIONAL + "seen(TF.to_grayscale(pil)), seen(TF.to_grayscale(pil, 3))"),
    ),
    **alike(
        "torchvision.transforms.functional",
        "adjust_brightness adjust_contrast adjust_saturation",
        (FUNCTIONAL + "[TF.{name}(img.clamp(0, 1), f) for f in (0, 0.4, 1, 1.7)]"),
        (FUNCTIONAL + "[TF.{name}(bytes3, f) for f in (0, 0.4, 1.0, 1.7)]"),
        (FUNCTIONAL + "[seen(TF.{name}(each, f)) for f in (0, 0.4, 1.7) for each in (pil, gray)]"),
        (FUNCTIONAL + "TF.{name}(img[:, :1], 0.3)"),
        (FUNCTIONAL + "TF.{name}(img, -1)"),
    ),
    "torchvision.transforms.functional.adjust_hue": (
        (FUNCTIONAL + "[TF.adjust_hue(img.clamp(0, 1), f) for f in (-0.5, -0.1, 0, 0.3)]"),
        (
            FUNCTIONAL
            + "[seen(TF.adjust_hue(each, f)) for f in (-0.5, -0.1, 0.3) for each in (pil, gray)]"
        ),
        (FUNCTIONAL + "TF.adjust_hue(img.clamp(0, 1)[:, :1], 0.2), TF.adjust_hue(bytes3, 0.2)"),
        (FUNCTIONAL + "TF.adjust_hue(img, 0.6)"),
    ),
    "torchvision.transforms.functional.adjust_gamma": (
        (
            FUNCTIONAL
            + "TF.adjust_gamma(img.clamp(0, 1), 0.7), TF.adjust_gamma(bytes3, 1.8, gain=0.9)"
        ),
        (FUNCTIONAL + "seen(TF.adjust_gamma(pil, 0.7)), seen(TF.adjust_gamma(gray, 2, 1.1))"),
        (FUNCTIONAL + "TF.adjust_gamma(img, -1)"),
    ),
    "torchvision.transforms.functional.invert": (
        (FUNCTIONAL + "TF.invert(img), TF.invert(bytes3), seen(TF.invert(pil))"),
    ),
    "torchvision.transforms.functional.solarize": (
        (
            FUNCTIONAL
            + "TF.solarize(img, 0.4), TF.solarize(bytes3, 100), seen(TF.solarize(pil, 100))"
        ),
    ),
    "torchvision.transforms.functional.posterize": (
        (FUNCTIONAL + "TF.posterize(bytes3, 3), seen(TF.posterize(pil, bits=2))"),
        (FUNCTIONAL + "TF.posterize(img, 3)"),
    ),
}
