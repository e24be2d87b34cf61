"""Padding, resampling, folding, rearranging; distances as layers; one-hot vectors."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

_GRID = "k = torch.tensor(np.sin(np.arange(64.0) * 3).reshape(2, 4, 4, 2).astype('float32'))\n"

CASES: dict[str, tuple[str, ...]] = {
    "torch.nn.ConstantPad1d": (
        "nn.ConstantPad1d(1, 1.5)(a)",
        "nn.ConstantPad1d((1, 2), 1.5)(a[0])",
    ),
    "torch.nn.ConstantPad2d": (
        "nn.ConstantPad2d(1, 1.5)(img)",
        "nn.ConstantPad2d((1, 2, 0, 1), 1.5)(img[0])",
    ),
    "torch.nn.ConstantPad3d": (
        "nn.ConstantPad3d(1, 1.5)(img[:, :, None].repeat(1, 1, 4, 1, 1))",
        ("nn.ConstantPad3d((1, 2, 0, 1, 1, 1), 1.5)(img[:, :, None].repeat(1, 1, 4, 1, 1)[0])"),
    ),
    **alike(
        "torch.nn",
        "ZeroPad1d ReflectionPad1d ReplicationPad1d CircularPad1d",
        "nn.{name}(1)(a)",
        "nn.{name}((1, 2))(a[0])",
    ),
    **alike(
        "torch.nn",
        "ZeroPad2d ReflectionPad2d ReplicationPad2d CircularPad2d",
        "nn.{name}(1)(img)",
        "nn.{name}((1, 2, 0, 1))(img[0])",
    ),
    **alike(
        "torch.nn",
        "ZeroPad3d ReflectionPad3d ReplicationPad3d CircularPad3d",
        "nn.{name}(1)(img[:, :, None].repeat(1, 1, 4, 1, 1))",
        "nn.{name}((1, 2, 0, 1, 1, 1))(img[:, :, None].repeat(1, 1, 4, 1, 1)[0])",
    ),
    "torch.nn.functional.pad": (
        "F.pad(x, (1, 2))",
        "F.pad(img, [1, 1, 2, 0, 0, 1, 1, 0], value=2.5)",
        "F.pad(x, (1, -1, 0, 2), 'constant', 1.0)",
        "F.pad(img, (1, 2, 3, 0), mode='reflect')",
        "F.pad(a, (-3, 4), mode='replicate'), F.pad(img, (-2, 5, 1, -3), 'reflect')",
        "F.pad(m, (1, -1)), F.pad(i.to(torch.uint8), (1, 2), value=3)",
        "F.pad(a, pad=(1, 2), mode='replicate'), F.pad(img, (1, 1, 2, 2), 'circular')",
        "F.pad(i, (0, 1)), F.pad(m, (1, 0), value=True)",
        "F.pad(w, (1, 0)).sum().backward()\ng = w.grad",
    ),
    "torch.nn.functional.interpolate": (
        "F.interpolate(img, scale_factor=2)",
        "def f(t, mode='nearest', corners=None):\n"
        "    return F.interpolate(t, scale_factor=2.0, mode=mode, align_corners=corners)\n"
        "r = f(img), f(img, 'bilinear', True), F.interpolate(img, size=(3, 3), align_corners=None)",
        "F.interpolate(img, size=(5, 11), mode='bilinear', align_corners=False)",
        "F.interpolate(img, scale_factor=1.7, mode='bicubic', align_corners=True)",
        "F.interpolate(a, scale_factor=2, mode='linear'), F.interpolate(a, size=7)",
        (
            "F.interpolate(img, (3, 3), mode='area'), F.interpolate(img, "
            "scale_factor=0.5, mode='area')"
        ),
        "F.interpolate(img[:, :, None], size=(2, 4, 5), mode='trilinear')",
        "F.interpolate(img, scale_factor=(0.6, 1.3), mode='nearest-exact')",
        (
            "o = img[:, :, :3, :4].clone().requires_grad_()\n"
            "r = F.interpolate(o, size=(1, 5), mode='bilinear'), F.interpolate(o, 1, "
            "mode='bicubic'), F.interpolate(o, scale_factor=0.5, mode='bilinear'), "
            "F.interpolate(o, scale_factor=(1.3, 0.5), mode='bilinear', "
            "antialias=True), F.interpolate(o, scale_factor=(1.3, 2.1)), "
            "F.interpolate(o, scale_factor=1.3, mode='bicubic'), F.interpolate(o[0], "
            "scale_factor=1.3), F.interpolate((o.detach() * 9).to(torch.uint8), "
            "scale_factor=(1.3, 0.5), mode='bicubic')\n(r[0].sum() + r[1].sum()).backward()\n"
            "g = o.grad"
        ),
        "F.interpolate(img, size=3, mode='bilinear', antialias=True)",
        "F.interpolate(img, scale_factor=1.6, mode='bilinear', recompute_scale_factor=True)",
        "F.interpolate((img * 9).to(torch.uint8), scale_factor=2)",
        (
            "v = (img * 9).to(torch.uint8)\n"
            "F.interpolate(v, size=(5, 13), mode='bilinear'), F.interpolate(v, "
            "scale_factor=0.6, mode='bicubic', antialias=True)"
        ),
        (
            "v = img.double().requires_grad_()\n"
            "r = F.interpolate(v, (5, 11), mode='bilinear'), F.interpolate(v, "
            "scale_factor=1.7, mode='bicubic'), F.interpolate(v, 9, mode='bicubic', "
            "align_corners=True)\nsum((one ** 2).sum() for one in r).backward()\ng = v.grad"
        ),
        (
            "F.interpolate(a.double(), size=7, mode='linear', align_corners=True), "
            "F.interpolate(img[:, :, None].double(), scale_factor=2, mode='trilinear')"
        ),
    ),
    "torch.nn.functional.upsample": ("F.upsample(img, scale_factor=2)",),
    "torch.nn.functional.upsample_bilinear": ("F.upsample_bilinear(img, scale_factor=2)",),
    "torch.nn.functional.upsample_nearest": ("F.upsample_nearest(img, size=(5, 6))",),
    "torch.nn.Upsample": (
        "nn.Upsample(scale_factor=2)(img)",
        "nn.Upsample(size=(5, 6), mode='bilinear', align_corners=True)(img)",
        "nn.Upsample(scale_factor=(2, 3), mode='bicubic')(img)",
    ),
    "torch.nn.UpsamplingBilinear2d": (
        "nn.UpsamplingBilinear2d(scale_factor=2)(img)",
        "l = [nn.UpsamplingBilinear2d][0]((4, 6))\nl(img), l.mode, l.align_corners",
    ),
    "torch.nn.UpsamplingNearest2d": ("nn.UpsamplingNearest2d(size=5)(img)",),
    "torch.nn.PixelShuffle": ("nn.PixelShuffle(2)(img.reshape(2, 12, 4, 4))",),
    "torch.nn.PixelUnshuffle": ("nn.PixelUnshuffle(2)(img)",),
    "torch.nn.ChannelShuffle": ("nn.ChannelShuffle(2)(img.reshape(2, 6, 4, 8))",),
    "torch.nn.functional.pixel_shuffle": (
        "F.pixel_shuffle(img.reshape(1, 2, 12, 4, 4), 2)",
        "F.pixel_shuffle(img.reshape(24, 4, 4), 2), F.pixel_shuffle(i.reshape(4, 3, 1), 2)",
    ),
    "torch.nn.functional.pixel_unshuffle": (
        "F.pixel_unshuffle(img[0], downscale_factor=4)",
        "F.pixel_unshuffle(i.reshape(1, 6, 2), 2)",
    ),
    "torch.nn.functional.channel_shuffle": (
        "F.channel_shuffle(img.reshape(2, 6, 4, 8), groups=3)",
    ),
    "torch.nn.functional.native_channel_shuffle": (
        "F.native_channel_shuffle(img.reshape(2, 6, 4, 8), groups=3)",
    ),
    "torch.nn.Unfold": (
        "nn.Unfold(2)(img)",
        "nn.Unfold(kernel_size=(2, 3), padding=1, stride=2, dilation=(1, 2))(img[0])",
    ),
    "torch.nn.functional.unfold": (
        "F.unfold(img, 3, padding=1)",
        "F.unfold(img, (2, 3), stride=(1, 2))",
    ),
    "torch.nn.Fold": ("nn.Fold((8, 8), 2, stride=2)(img.reshape(2, 12, 16))",),
    "torch.nn.functional.fold": (
        "F.fold(img.reshape(2, 12, 16), output_size=(5, 5), kernel_size=2)",
        "F.fold(img[0].reshape(12, 16), (8, 8), 2, stride=2)",
    ),
    "torch.nn.functional.grid_sample": (
        (
            _GRID + "how = {'padding_mode': 'border', 'align_corners': True}\n"
            "F.grid_sample(img, k, **how)"
        ),
        (_GRID + "F.grid_sample(img, k)"),
        (
            _GRID
            + "F.grid_sample(img, k, mode='nearest', padding_mode='border', align_corners=True)"
        ),
        (_GRID + "F.grid_sample(img, k, 'bilinear', 'reflection', False)"),
        (_GRID + "how = 'bicubic'\nF.grid_sample(img, k * 1.5, how, 'reflection')"),
        (
            _GRID + "v = img.clone().requires_grad_()\nk.requires_grad_()\n"
            "F.grid_sample(v, k, mode='bicubic', align_corners=True).sum().backward()\n"
            "r = v.grad, k.grad"
        ),
        (_GRID + "F.grid_sample(img, grid=k * 2, mode='bicubic', padding_mode='border')"),
        (_GRID + "F.grid_sample(img, k * 3, 'bicubic', 'reflection', True)"),
        (_GRID + "k.requires_grad_()\nF.grid_sample(img, k).sum().backward()\nr = k.grad"),
    ),
    "torch.nn.functional.affine_grid": (
        "F.affine_grid(a[:, :2, :3], [2, 3, 4, 5])",
        "F.affine_grid(a[:, :2, :3], size=(2, 3, 4, 5), align_corners=True)",
        "F.affine_grid(a[:, :2, :3], (2, 3, 1, 5), True)",
        "F.affine_grid(w.reshape(1, 3, 4), (1, 1, 2, 1, 3), align_corners=True)",
    ),
    "torch.nn.Flatten": (
        "nn.Flatten()(img)",
        "nn.Flatten(0)(x)",
        "nn.Flatten(start_dim=2, end_dim=-1)(img)",
        "nn.Flatten(end_dim=1)(img)",
    ),
    "torch.nn.Unflatten": (
        "nn.Unflatten(1, (2, 2))(x)",
        "nn.Unflatten(dim=-1, unflattened_size=[2, -1])(x)",
    ),
    "torch.nn.PairwiseDistance": (
        "nn.PairwiseDistance()(x, y)",
        "nn.PairwiseDistance(p=1, keepdim=True)(x, y)",
    ),
    "torch.nn.CosineSimilarity": (
        "nn.CosineSimilarity()(x, y)",
        "nn.CosineSimilarity(dim=0, eps=1e-3)(x, y)",
    ),
    "torch.nn.functional.one_hot": (
        "F.one_hot(n)",
        "F.one_hot(i, num_classes=5)",
        "F.one_hot(torch.tensor(1), 3)",
    ),
    "torch.nn.functional.gumbel_softmax": (
        "F.gumbel_softmax(x).shape",
        "F.gumbel_softmax(x * 1000, tau=0.1, hard=True, dim=1).sum(1)",
    ),
}
