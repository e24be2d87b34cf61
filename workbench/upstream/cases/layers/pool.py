"""Pooling layers and their functions."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

CASES: dict[str, tuple[str, ...]] = {
    "torch.nn.MaxPool1d": (
        "nn.MaxPool1d(2)(a)",
        (
            "k = a.clone().requires_grad_()\nv = nn.MaxPool1d(2)(k)\nv += 1\n"
            "v.sum().backward()\ng = k.grad"
        ),
        "nn.MaxPool1d(kernel_size=2, stride=3, padding=1, ceil_mode=True)(a[0])",
        "nn.MaxPool1d(2, 1, dilation=2)(a)",
        "nn.MaxPool1d(3, 1, 1, return_indices=True)(a)",
    ),
    "torch.nn.AvgPool1d": (
        "nn.AvgPool1d(2)(a)",
        (
            "k = a.clone().requires_grad_()\nv = nn.AvgPool1d(2)(k)\nv += 1\n"
            "v.sum().backward()\ng = k.grad"
        ),
        "nn.AvgPool1d(2, 3, padding=1, ceil_mode=True)(a[0])",
        "nn.AvgPool1d(3, 2, 1, count_include_pad=False)(a)",
    ),
    "torch.nn.AdaptiveAvgPool1d": (
        "nn.AdaptiveAvgPool1d(1)(a)",
        "nn.AdaptiveAvgPool1d(3)(a[0])",
    ),
    "torch.nn.AdaptiveMaxPool1d": (
        "nn.AdaptiveMaxPool1d(2)(a[0])",
        "nn.AdaptiveMaxPool1d(3, return_indices=True)(a)",
    ),
    "torch.nn.LPPool1d": (
        "nn.LPPool1d(2, 2)(a)",
        "nn.LPPool1d(2.0, 3, stride=1)(a[0])",
    ),
    "torch.nn.MaxUnpool1d": (
        (
            "v, k = F.max_pool1d(a, 2, return_indices=True)\n"
            "nn.MaxUnpool1d(2)(v, k, output_size=a.shape)"
        ),
    ),
    "torch.nn.functional.max_pool1d": (
        "F.max_pool1d(a, 2)",
        "F.max_pool1d((a * 9).long(), 2, return_indices=True)",
        "F.max_pool1d(a, kernel_size=3, stride=2, padding=1, ceil_mode=True)",
        "v, k = F.max_pool1d(a[0], 2, 1, return_indices=True)\nv, k",
    ),
    "torch.nn.functional.max_pool1d_with_indices": (
        "F.max_pool1d_with_indices(a, 2)",
        "f = F.max_pool1d_with_indices\nf(a, 2, return_indices=False)",
    ),
    "torch.nn.functional.adaptive_max_pool1d": (
        "F.adaptive_max_pool1d(a, 2)",
        "F.adaptive_max_pool1d(a, output_size=3, return_indices=True)",
    ),
    "torch.nn.functional.adaptive_max_pool1d_with_indices": (
        "F.adaptive_max_pool1d_with_indices(a, 2)",
        "f = F.adaptive_max_pool1d_with_indices\nf(a, 2, return_indices=False)",
    ),
    "torch.nn.functional.avg_pool1d": (
        "F.avg_pool1d(a, 2)",
        "F.avg_pool1d((a * 9).long(), 2)",
        "F.avg_pool1d(a, 3, stride=2, padding=1, count_include_pad=False)",
    ),
    "torch.nn.functional.adaptive_avg_pool1d": (
        "F.adaptive_avg_pool1d(a, 1)",
        "F.adaptive_avg_pool1d(a[0], output_size=3)",
    ),
    "torch.nn.functional.lp_pool1d": (
        "F.lp_pool1d(a, 2.0, 2)",
        (
            "v = a.double().abs().requires_grad_()\nF.lp_pool1d(v, 1.5, 2).sum().backward()\n"
            "g = v.grad"
        ),
    ),
    "torch.nn.functional.max_unpool1d": (
        "v, k = F.max_pool1d(a, 2, return_indices=True)\nF.max_unpool1d(v, k, 2)",
        (
            "v, k = F.max_pool1d(a, 3, 1, return_indices=True)\nv.requires_grad_()\n"
            "(F.max_unpool1d(v, k, 3, 1) * a).sum().backward()\ng = v.grad"
        ),
    ),
    "torch.nn.MaxPool2d": (
        "nn.MaxPool2d(2)(img)",
        (
            "k = img.clone().requires_grad_()\nv = nn.MaxPool2d(2)(k)\nv += 1\n"
            "v.sum().backward()\ng = k.grad"
        ),
        "nn.MaxPool2d(kernel_size=2, stride=3, padding=1, ceil_mode=True)(img[0])",
        "nn.MaxPool2d(2, 1, dilation=2)(img)",
        "nn.MaxPool2d(3, 1, 1, return_indices=True)(img)",
    ),
    "torch.nn.AvgPool2d": (
        "nn.AvgPool2d(2)(img)",
        (
            "k = img.clone().requires_grad_()\nv = nn.AvgPool2d(2)(k)\nv += 1\n"
            "v.sum().backward()\ng = k.grad"
        ),
        "nn.AvgPool2d(2, 3, padding=1, ceil_mode=True)(img[0])",
        "nn.AvgPool2d(3, 2, 1, count_include_pad=False)(img)",
    ),
    "torch.nn.AdaptiveAvgPool2d": (
        "nn.AdaptiveAvgPool2d(1)(img)",
        "nn.AdaptiveAvgPool2d(3)(img[0])",
    ),
    "torch.nn.AdaptiveMaxPool2d": (
        "nn.AdaptiveMaxPool2d(2)(img[0])",
        "nn.AdaptiveMaxPool2d(3, return_indices=True)(img)",
    ),
    "torch.nn.LPPool2d": (
        "nn.LPPool2d(2, 2)(img)",
        "nn.LPPool2d(2.0, 3, stride=1)(img[0])",
    ),
    "torch.nn.MaxUnpool2d": (
        (
            "v, k = F.max_pool2d(img, 2, return_indices=True)\n"
            "nn.MaxUnpool2d(2)(v, k, output_size=img.shape)"
        ),
    ),
    "torch.nn.functional.max_pool2d": (
        "F.max_pool2d(img, 2)",
        "F.max_pool2d((img * 9).long(), 2, return_indices=True)",
        "F.max_pool2d(img, kernel_size=3, stride=2, padding=1, ceil_mode=True)",
        "v, k = F.max_pool2d(img[0], 2, 1, return_indices=True)\nv, k",
    ),
    "torch.nn.functional.max_pool2d_with_indices": (
        "F.max_pool2d_with_indices(img, 2)",
        "f = F.max_pool2d_with_indices\nf(img, 2, return_indices=False)",
    ),
    "torch.nn.functional.adaptive_max_pool2d": (
        "F.adaptive_max_pool2d(img, 2)",
        "F.adaptive_max_pool2d(img, output_size=3, return_indices=True)",
    ),
    "torch.nn.functional.adaptive_max_pool2d_with_indices": (
        "F.adaptive_max_pool2d_with_indices(img, 2)",
        "f = F.adaptive_max_pool2d_with_indices\nf(img, 2, return_indices=False)",
    ),
    "torch.nn.functional.avg_pool2d": (
        "F.avg_pool2d(img, 2)",
        "F.avg_pool2d((img * 9).long(), 2)",
        "F.avg_pool2d(img, 3, stride=2, padding=1, count_include_pad=False)",
    ),
    "torch.nn.functional.adaptive_avg_pool2d": (
        "F.adaptive_avg_pool2d(img, 1)",
        "F.adaptive_avg_pool2d(img[0], output_size=3)",
    ),
    "torch.nn.functional.lp_pool2d": (
        "F.lp_pool2d(img, 2.0, 2)",
        (
            "v = img.double().abs().requires_grad_()\nF.lp_pool2d(v, 1.5, 2).sum().backward()\n"
            "g = v.grad"
        ),
    ),
    "torch.nn.functional.max_unpool2d": (
        "v, k = F.max_pool2d(img, 2, return_indices=True)\nF.max_unpool2d(v, k, 2)",
        (
            "v, k = F.max_pool2d(img, 3, 1, return_indices=True)\nv.requires_grad_()\n"
            "(F.max_unpool2d(v, k, 3, 1) * img).sum().backward()\ng = v.grad"
        ),
    ),
    "torch.nn.MaxPool3d": (
        "nn.MaxPool3d(2)(img[:, :, None].repeat(1, 1, 5, 1, 1))",
        (
            "k = img[:, :, None].repeat(1, 1, 5, 1, 1).clone().requires_grad_()\n"
            "v = nn.MaxPool3d(2)(k)\nv += 1\nv.sum().backward()\ng = k.grad"
        ),
        (
            "nn.MaxPool3d(kernel_size=2, stride=3, padding=1, ceil_mode=True)(img[:, "
            ":, None].repeat(1, 1, 5, 1, 1)[0])"
        ),
        "nn.MaxPool3d(2, 1, dilation=2)(img[:, :, None].repeat(1, 1, 5, 1, 1))",
        "nn.MaxPool3d(3, 1, 1, return_indices=True)(img[:, :, None].repeat(1, 1, 5, 1, 1))",
    ),
    "torch.nn.AvgPool3d": (
        "nn.AvgPool3d(2)(img[:, :, None].repeat(1, 1, 5, 1, 1))",
        (
            "k = img[:, :, None].repeat(1, 1, 5, 1, 1).clone().requires_grad_()\n"
            "v = nn.AvgPool3d(2)(k)\nv += 1\nv.sum().backward()\ng = k.grad"
        ),
        ("nn.AvgPool3d(2, 3, padding=1, ceil_mode=True)(img[:, :, None].repeat(1, 1, 5, 1, 1)[0])"),
        ("nn.AvgPool3d(3, 2, 1, count_include_pad=False)(img[:, :, None].repeat(1, 1, 5, 1, 1))"),
    ),
    "torch.nn.AdaptiveAvgPool3d": (
        "nn.AdaptiveAvgPool3d(1)(img[:, :, None].repeat(1, 1, 5, 1, 1))",
        "nn.AdaptiveAvgPool3d(3)(img[:, :, None].repeat(1, 1, 5, 1, 1)[0])",
    ),
    "torch.nn.AdaptiveMaxPool3d": (
        "nn.AdaptiveMaxPool3d(2)(img[:, :, None].repeat(1, 1, 5, 1, 1)[0])",
        ("nn.AdaptiveMaxPool3d(3, return_indices=True)(img[:, :, None].repeat(1, 1, 5, 1, 1))"),
    ),
    "torch.nn.LPPool3d": (
        "nn.LPPool3d(2, 2)(img[:, :, None].repeat(1, 1, 5, 1, 1))",
        "nn.LPPool3d(2.0, 3, stride=1)(img[:, :, None].repeat(1, 1, 5, 1, 1)[0])",
    ),
    "torch.nn.MaxUnpool3d": (
        (
            "v, k = F.max_pool3d(img[:, :, None].repeat(1, 1, 5, 1, 1), 2, "
            "return_indices=True)\n"
            "nn.MaxUnpool3d(2)(v, k, output_size=img[:, :, None].repeat(1, 1, 5, 1, 1).shape)"
        ),
    ),
    "torch.nn.functional.max_pool3d": (
        "F.max_pool3d(img[:, :, None].repeat(1, 1, 5, 1, 1), 2)",
        (
            "F.max_pool3d((img[:, :, None].repeat(1, 1, 5, 1, 1) * 9).long(), 2, "
            "return_indices=True)"
        ),
        (
            "F.max_pool3d(img[:, :, None].repeat(1, 1, 5, 1, 1), kernel_size=3, "
            "stride=2, padding=1, ceil_mode=True)"
        ),
        (
            "v, k = F.max_pool3d(img[:, :, None].repeat(1, 1, 5, 1, 1)[0], 2, 1, "
            "return_indices=True)\nv, k"
        ),
    ),
    "torch.nn.functional.max_pool3d_with_indices": (
        "F.max_pool3d_with_indices(img[:, :, None].repeat(1, 1, 5, 1, 1), 2)",
        (
            "f = F.max_pool3d_with_indices\n"
            "f(img[:, :, None].repeat(1, 1, 5, 1, 1), 2, return_indices=False)"
        ),
    ),
    "torch.nn.functional.adaptive_max_pool3d": (
        "F.adaptive_max_pool3d(img[:, :, None].repeat(1, 1, 5, 1, 1), 2)",
        (
            "F.adaptive_max_pool3d(img[:, :, None].repeat(1, 1, 5, 1, 1), "
            "output_size=3, return_indices=True)"
        ),
    ),
    "torch.nn.functional.adaptive_max_pool3d_with_indices": (
        "F.adaptive_max_pool3d_with_indices(img[:, :, None].repeat(1, 1, 5, 1, 1), 2)",
        (
            "f = F.adaptive_max_pool3d_with_indices\n"
            "f(img[:, :, None].repeat(1, 1, 5, 1, 1), 2, return_indices=False)"
        ),
    ),
    "torch.nn.functional.avg_pool3d": (
        "F.avg_pool3d(img[:, :, None].repeat(1, 1, 5, 1, 1), 2)",
        (
            "F.avg_pool3d(img[:, :, None].repeat(1, 1, 5, 1, 1), 3, stride=2, "
            "padding=1, count_include_pad=False)"
        ),
    ),
    "torch.nn.functional.adaptive_avg_pool3d": (
        "F.adaptive_avg_pool3d(img[:, :, None].repeat(1, 1, 5, 1, 1), 1)",
        "F.adaptive_avg_pool3d(img[:, :, None].repeat(1, 1, 5, 1, 1)[0], output_size=3)",
    ),
    "torch.nn.functional.lp_pool3d": (
        "F.lp_pool3d(img[:, :, None].repeat(1, 1, 5, 1, 1), 2.0, 2)",
        (
            "v = img[:, :, None].repeat(1, 1, 5, 1, 1).double().abs().requires_grad_()\n"
            "F.lp_pool3d(v, 1.5, 2).sum().backward()\ng = v.grad"
        ),
    ),
    "torch.nn.functional.max_unpool3d": (
        (
            "v, k = F.max_pool3d(img[:, :, None].repeat(1, 1, 5, 1, 1), 2, "
            "return_indices=True)\nF.max_unpool3d(v, k, 2)"
        ),
        (
            "v, k = F.max_pool3d(img[:, :, None].repeat(1, 1, 5, 1, 1), 3, 1, "
            "return_indices=True)\nv.requires_grad_()\n"
            "(F.max_unpool3d(v, k, 3, 1) * img[:, :, None].repeat(1, 1, 5, 1, "
            "1)).sum().backward()\ng = v.grad"
        ),
    ),
    "torch.nn.FractionalMaxPool2d": (
        (
            "nn.FractionalMaxPool2d(2, output_size=3, "
            "_random_samples=torch.tensor(np.linspace(0.1, 0.9, 12, "
            "dtype='float32')).reshape(2, 3, -1))(img)"
        ),
        (
            "nn.FractionalMaxPool2d(3, output_ratio=0.5, return_indices=True, "
            "_random_samples=torch.tensor(np.linspace(0.1, 0.9, 12, "
            "dtype='float32')).reshape(2, 3, -1))(img)"
        ),
        "nn.FractionalMaxPool2d(2, output_size=4)(img).shape",
    ),
    **alike(
        "torch.nn.FractionalMaxPool2d",
        "kernel_size output_ratio return_indices",
        "nn.FractionalMaxPool2d(2, output_size=3).{name}",
    ),
    "torch.nn.FractionalMaxPool2d.output_size": (
        "nn.FractionalMaxPool2d(2, output_size=3).output_size",
    ),
    "torch.nn.functional.fractional_max_pool2d": (
        (
            "F.fractional_max_pool2d(img, 2, output_size=3, "
            "_random_samples=torch.tensor(np.linspace(0.1, 0.9, 12, "
            "dtype='float32')).reshape(2, 3, -1))"
        ),
        (
            "F.fractional_max_pool2d(img, 3, output_ratio=(0.6, 0.6), "
            "return_indices=True, _random_samples=torch.tensor(np.linspace(0.1, 0.9, "
            "12, dtype='float32')).reshape(2, 3, -1))"
        ),
    ),
    "torch.nn.FractionalMaxPool3d": (
        (
            "nn.FractionalMaxPool3d(2, output_size=3, "
            "_random_samples=torch.tensor(np.linspace(0.1, 0.9, 18, "
            "dtype='float32')).reshape(2, 3, -1))(img[:, :, None].repeat(1, 1, 8, 1, 1))"
        ),
        (
            "nn.FractionalMaxPool3d(3, output_ratio=0.5, return_indices=True, "
            "_random_samples=torch.tensor(np.linspace(0.1, 0.9, 18, "
            "dtype='float32')).reshape(2, 3, -1))(img[:, :, None].repeat(1, 1, 8, 1, 1))"
        ),
        ("nn.FractionalMaxPool3d(2, output_size=4)(img[:, :, None].repeat(1, 1, 8, 1, 1)).shape"),
    ),
    **alike(
        "torch.nn.FractionalMaxPool3d",
        "kernel_size output_ratio return_indices",
        "nn.FractionalMaxPool3d(2, output_size=3).{name}",
    ),
    "torch.nn.FractionalMaxPool3d.output_size": (
        "nn.FractionalMaxPool3d(2, output_size=3).output_size",
    ),
    "torch.nn.functional.fractional_max_pool3d": (
        (
            "F.fractional_max_pool3d(img[:, :, None].repeat(1, 1, 8, 1, 1), 2, "
            "output_size=3, _random_samples=torch.tensor(np.linspace(0.1, 0.9, 18, "
            "dtype='float32')).reshape(2, 3, -1))"
        ),
        (
            "F.fractional_max_pool3d(img[:, :, None].repeat(1, 1, 8, 1, 1), 3, "
            "output_ratio=(0.6, 0.6, 0.6), return_indices=True, "
            "_random_samples=torch.tensor(np.linspace(0.1, 0.9, 18, "
            "dtype='float32')).reshape(2, 3, -1))"
        ),
    ),
}
