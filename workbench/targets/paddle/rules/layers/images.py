"""Padding, resampling, folding, rearranging; distances as layers; one-hot vectors."""

from __future__ import annotations

from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.rules.rule import RuleSet
from workbench.rules.same_call import same_call

rules = RuleSet()

_INPUT = {1: "a", 2: "img", 3: "img[:, :, None].repeat(1, 1, 4, 1, 1)"}


def _same(name: str, helper: str, *cases: str, value: bool = True) -> None:
    rules.row(
        f"torch.nn.{name}",
        same_call(f"torch.nn.{name}", helper),
        value=helper if value else None,
        cases=cases,
    )


for _kind in ("Constant", "Zero", "Reflection", "Replication", "Circular"):
    for _dims, _given in _INPUT.items():
        _more = ", 1.5" if _kind == "Constant" else ""
        _sizes = ", ".join(["1, 2", "0, 1", "1, 1"][:_dims])
        _same(
            f"{_kind}Pad{_dims}d",
            f"Torch{_kind}Pad{_dims}d",
            f"nn.{_kind}Pad{_dims}d(1{_more})({_given})",
            f"nn.{_kind}Pad{_dims}d(({_sizes}){_more})({_given}[0])",
        )

rules.row(
    "torch.nn.functional.pad",
    same_call("torch.nn.functional.pad", "torch_pad"),
    value="torch_pad",
    cases=[
        "F.pad(x, (1, 2))",
        "F.pad(img, [1, 1, 2, 0, 0, 1, 1, 0], value=2.5)",
        "F.pad(x, (1, -1, 0, 2), 'constant', 1.0)",
        "F.pad(img, (1, 2, 3, 0), mode='reflect')",
        "F.pad(a, (-3, 4), mode='replicate'), F.pad(img, (-2, 5, 1, -3), 'reflect')",
        "F.pad(m, (1, -1)), F.pad(i.to(torch.uint8), (1, 2), value=3)",
        "F.pad(a, pad=(1, 2), mode='replicate'), F.pad(img, (1, 1, 2, 2), 'circular')",
        "F.pad(i, (0, 1)), F.pad(m, (1, 0), value=True)",
        "F.pad(w, (1, 0)).sum().backward()\ng = w.grad",
    ],
)

_INTERPOLATE = [
    "F.interpolate(img, scale_factor=2)",
    "F.interpolate(img, size=(5, 11), mode='bilinear', align_corners=False)",
    "F.interpolate(img, scale_factor=1.7, mode='bicubic', align_corners=True)",
    "F.interpolate(a, scale_factor=2, mode='linear'), F.interpolate(a, size=7)",
    "F.interpolate(img, (3, 3), mode='area'), F.interpolate(img, scale_factor=0.5, mode='area')",
    "F.interpolate(img[:, :, None], size=(2, 4, 5), mode='trilinear')",
    "F.interpolate(img, scale_factor=(0.6, 1.3), mode='nearest-exact')",
    "o = img[:, :, :3, :4].clone().requires_grad_()\n"
    "r = F.interpolate(o, size=(1, 5), mode='bilinear'), F.interpolate(o, 1, mode='bicubic'), "
    "F.interpolate(o, scale_factor=0.5, mode='bilinear'), F.interpolate(o, scale_factor=(1.3, 0.5),"
    " mode='bilinear', antialias=True), F.interpolate(o, scale_factor=(1.3, 2.1)), "
    "F.interpolate(o, scale_factor=1.3, mode='bicubic'), F.interpolate(o[0], scale_factor=1.3), "
    "F.interpolate((o.detach() * 9).to(torch.uint8), scale_factor=(1.3, 0.5), mode='bicubic')\n"
    "(r[0].sum() + r[1].sum()).backward()\ng = o.grad",
    "F.interpolate(img, size=3, mode='bilinear', antialias=True)",
    "F.interpolate(img, scale_factor=1.6, mode='bilinear', recompute_scale_factor=True)",
    "F.interpolate((img * 9).to(torch.uint8), scale_factor=2)",
    "v = (img * 9).to(torch.uint8)\nF.interpolate(v, size=(5, 13), mode='bilinear'), "
    "F.interpolate(v, scale_factor=0.6, mode='bicubic', antialias=True)",
    "v = img.double().requires_grad_()\n"
    "r = F.interpolate(v, (5, 11), mode='bilinear'), F.interpolate(v, scale_factor=1.7, "
    "mode='bicubic'), F.interpolate(v, 9, mode='bicubic', align_corners=True)\n"
    "sum((one ** 2).sum() for one in r).backward()\ng = v.grad",
    "F.interpolate(a.double(), size=7, mode='linear', align_corners=True), "
    "F.interpolate(img[:, :, None].double(), scale_factor=2, mode='trilinear')",
]
# The stubs say that a size is a number alone.
_SIGNATURE = (
    "(input: Tensor, size=None, scale_factor=None, mode: str='nearest', align_corners=None, "
    "recompute_scale_factor=None, antialias: bool=False) -> Tensor"
)
rules.row(
    "torch.nn.functional.interpolate",
    same_call("torch.nn.functional.interpolate", "torch_interpolate"),
    value="torch_interpolate",
    signature=_SIGNATURE,
    cases=_INTERPOLATE,
)
rules.row(
    "torch.nn.functional.upsample",
    same_call("torch.nn.functional.upsample", "torch_interpolate"),
    cases=["F.upsample(img, scale_factor=2)"],
)
rules.row(
    "torch.nn.functional.upsample_bilinear",
    "torch_interpolate({input}, size={size}, scale_factor={scale_factor}, mode='bilinear', "
    "align_corners=True)",
    cases=["F.upsample_bilinear(img, scale_factor=2)"],
)
rules.row(
    "torch.nn.functional.upsample_nearest",
    "torch_interpolate({input}, size={size}, scale_factor={scale_factor})",
    cases=["F.upsample_nearest(img, size=(5, 6))"],
)
_same(
    "Upsample",
    "TorchUpsample",
    "nn.Upsample(scale_factor=2)(img)",
    "nn.Upsample(size=(5, 6), mode='bilinear', align_corners=True)(img)",
    "nn.Upsample(scale_factor=(2, 3), mode='bicubic')(img)",
)
rules.row(
    "torch.nn.UpsamplingBilinear2d",
    "TorchUpsamplingBilinear2d(...)",
    value="TorchUpsamplingBilinear2d",
    cases=[
        "nn.UpsamplingBilinear2d(scale_factor=2)(img)",
        "l = [nn.UpsamplingBilinear2d][0]((4, 6))\nl(img), l.mode, l.align_corners",
    ],
)
rules.row(
    "torch.nn.UpsamplingNearest2d",
    "TorchUpsamplingNearest2d(...)",
    value="TorchUpsamplingNearest2d",
    cases=["nn.UpsamplingNearest2d(size=5)(img)"],
)

_same("PixelShuffle", "TorchPixelShuffle", "nn.PixelShuffle(2)(img.reshape(2, 12, 4, 4))")
_same("PixelUnshuffle", "TorchPixelUnshuffle", "nn.PixelUnshuffle(2)(img)")
_same("ChannelShuffle", "TorchChannelShuffle", "nn.ChannelShuffle(2)(img.reshape(2, 6, 4, 8))")
_same(
    "functional.pixel_shuffle",
    "torch_pixel_shuffle",
    "F.pixel_shuffle(img.reshape(1, 2, 12, 4, 4), 2)",
    "F.pixel_shuffle(img.reshape(24, 4, 4), 2), F.pixel_shuffle(i.reshape(4, 3, 1), 2)",
)
_same(
    "functional.pixel_unshuffle",
    "torch_pixel_unshuffle",
    "F.pixel_unshuffle(img[0], downscale_factor=4)",
    "F.pixel_unshuffle(i.reshape(1, 6, 2), 2)",
)
for _name in ("channel_shuffle", "native_channel_shuffle"):
    _same(
        f"functional.{_name}",
        "torch_channel_shuffle",
        f"F.{_name}(img.reshape(2, 6, 4, 8), groups=3)",
    )
_same(
    "Unfold",
    "TorchUnfold",
    "nn.Unfold(2)(img)",
    "nn.Unfold(kernel_size=(2, 3), padding=1, stride=2, dilation=(1, 2))(img[0])",
)
_same(
    "functional.unfold",
    "torch_unfold",
    "F.unfold(img, 3, padding=1)",
    "F.unfold(img, (2, 3), stride=(1, 2))",
)
_same("Fold", "TorchFold", "nn.Fold((8, 8), 2, stride=2)(img.reshape(2, 12, 16))")
_same(
    "functional.fold",
    "torch_fold",
    "F.fold(img.reshape(2, 12, 16), output_size=(5, 5), kernel_size=2)",
    "F.fold(img[0].reshape(12, 16), (8, 8), 2, stride=2)",
)

_GRID = "k = torch.tensor(np.sin(np.arange(64.0) * 3).reshape(2, 4, 4, 2).astype('float32'))\n"


rules.row(
    "torch.nn.functional.grid_sample",
    "torch_grid_sample(...)",
    value="torch_grid_sample",
    cases=[
        f"{_GRID}how = {{'padding_mode': 'border', 'align_corners': True}}\n"
        "F.grid_sample(img, k, **how)",
        f"{_GRID}F.grid_sample(img, k)",
        f"{_GRID}F.grid_sample(img, k, mode='nearest', padding_mode='border', align_corners=True)",
        f"{_GRID}F.grid_sample(img, k, 'bilinear', 'reflection', False)",
        f"{_GRID}how = 'bicubic'\nF.grid_sample(img, k * 1.5, how, 'reflection')",
        f"{_GRID}v = img.clone().requires_grad_()\nk.requires_grad_()\n"
        "F.grid_sample(v, k, mode='bicubic', align_corners=True).sum().backward()\n"
        "r = v.grad, k.grad",
        f"{_GRID}F.grid_sample(img, grid=k * 2, mode='bicubic', padding_mode='border')",
        f"{_GRID}F.grid_sample(img, k * 3, 'bicubic', 'reflection', True)",
        f"{_GRID}k.requires_grad_()\nF.grid_sample(img, k).sum().backward()\nr = k.grad",
    ],
)


@rules.rule(
    "torch.nn.functional.affine_grid",
    unpacked="torch_affine_grid(...)",
    value="torch_affine_grid",
    cases=[
        "F.affine_grid(a[:, :2, :3], [2, 3, 4, 5])",
        "F.affine_grid(a[:, :2, :3], size=(2, 3, 4, 5), align_corners=True)",
        "F.affine_grid(a[:, :2, :3], (2, 3, 1, 5), True)",
        "F.affine_grid(w.reshape(1, 3, 4), (1, 1, 2, 1, 3), align_corners=True)",
    ],
)
def affine_grid(match: Match) -> Outcome:
    """Paddle's own, but for single places between corners, where it divides by zero."""
    if match.constant("align_corners", None) in (None, False):
        return Rewrite(
            "paddle.nn.functional.affine_grid({theta}, {size}, align_corners={align_corners=False})"
        )
    return Rewrite("torch_affine_grid({theta}, {size}, {align_corners})")


rules.row(
    "torch.nn.Flatten",
    "paddle.nn.Flatten(start_axis={start_dim}, stop_axis={end_dim})",
    value="paddle.nn.Flatten",
    cases=[
        "nn.Flatten()(img)",
        "nn.Flatten(0)(x)",
        "nn.Flatten(start_dim=2, end_dim=-1)(img)",
        "nn.Flatten(end_dim=1)(img)",
    ],
)
rules.row(
    "torch.nn.Unflatten",
    "paddle.nn.Unflatten({dim}, {unflattened_size})",
    value="paddle.nn.Unflatten",
    cases=["nn.Unflatten(1, (2, 2))(x)", "nn.Unflatten(dim=-1, unflattened_size=[2, -1])(x)"],
)
_same(
    "PairwiseDistance",
    "TorchPairwiseDistance",
    "nn.PairwiseDistance()(x, y)",
    "nn.PairwiseDistance(p=1, keepdim=True)(x, y)",
)
_same(
    "CosineSimilarity",
    "TorchCosineSimilarity",
    "nn.CosineSimilarity()(x, y)",
    "nn.CosineSimilarity(dim=0, eps=1e-3)(x, y)",
)
rules.row(
    "torch.nn.functional.one_hot",
    "torch_one_hot({input}, num_classes={num_classes})",
    cases=["F.one_hot(n)", "F.one_hot(i, num_classes=5)", "F.one_hot(torch.tensor(1), 3)"],
)
rules.row(
    "torch.nn.functional.gumbel_softmax",
    "paddle.nn.functional.gumbel_softmax({logits}, temperature={tau}, hard={hard}, axis={dim})",
    ignored={"eps": "torch ignores it as well"},
    note="the two frameworks draw different numbers from one seed",
    cases=[
        "F.gumbel_softmax(x).shape",
        "F.gumbel_softmax(x * 1000, tau=0.1, hard=True, dim=1).sum(1)",
    ],
)
