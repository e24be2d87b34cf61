"""Operators and utilities of torchvision."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.upstream.cases.images import IMAGES
from workbench.upstream.facts import load

rules = RuleSet()

_O = "torchvision.ops"
_U = "torchvision.utils"
_HEAD = (
    "import torchvision.ops as ops\n"
    "b = torch.tensor([[0., 1, 4, 5], [2, 2, 6, 7], [1, 0, 2, 9]])\n"
    "c = b + torch.tensor([1., -1, 2, 0.5])\nq = torch.tensor([[0, 1, 4, 5], [2, 2, 6, 7]])\n"
)


def _function(name: str, helper: str, *cases: str) -> None:
    rules.row(f"{_O}.{name}", f"{helper}(...)", value=helper, cases=[_HEAD + one for one in cases])


_function(
    "box_area", "torch_box_area", "ops.box_area(b), ops.box_area(q), ops.box_area(b[None], 'xywh')"
)
_function(
    "box_iou",
    "torch_box_iou",
    "ops.box_iou(b, c), ops.box_iou(c[:2], boxes2=b), ops.box_iou(q, q)",
    "ops.box_iou(b, c, fmt='xywh'), ops.box_iou(b, c, 'cxcywh')",
    "t = b.clone().requires_grad_()\nops.box_iou(t, c).sum().backward()\ng = t.grad",
)
_function(
    "generalized_box_iou",
    "torch_generalized_box_iou",
    "ops.generalized_box_iou(b, c), ops.generalized_box_iou(boxes1=c[:2], boxes2=b)",
)
_function(
    "box_convert",
    "torch_box_convert",
    "[ops.box_convert(b, one, two) for one in ('xyxy', 'xywh', 'cxcywh') "
    "for two in ('xyxy', 'xywh', 'cxcywh')]",
    "ops.box_convert(q, in_fmt='xyxy', out_fmt='xywh'), ops.box_convert(q, 'xywh', 'xyxy')",
    "ops.box_convert(b, 'xyxy', 'polar')",
)
_function(
    "clip_boxes_to_image",
    "torch_clip_boxes",
    "ops.clip_boxes_to_image(b, (4, 3)), ops.clip_boxes_to_image(q - 1, size=(6, 5))",
    "ops.clip_boxes_to_image(b[None] - 2, (4, 3))",
)
_function(
    "remove_small_boxes",
    "torch_remove_small_boxes",
    "ops.remove_small_boxes(b, 2), ops.remove_small_boxes(b, min_size=4.0)",
    "ops.remove_small_boxes(b, 99.0)",
)
_REGIONS = (
    "u = torch.arange(2 * 3 * 64.).reshape(2, 3, 8, 8).sin().requires_grad_()\n"
    "k = torch.tensor([[1, 0.5, 1, 5, 6], [0, 2, 2, 7.5, 4], [1, -0.5, 3, 3, 7], "
    "[0, 3, 3, 3, 3]])\n"
)  # within the images: the plain code that torchvision has for machines without its kernels errs
_function(
    "roi_align",
    "torch_roi_align",
    f"{_REGIONS}r = ops.roi_align(u, k, (3, 2))\n(r ** 2).sum().backward()\ng = u.grad",
    f"{_REGIONS}ops.roi_align(u, k, 2, spatial_scale=0.5, sampling_ratio=2, aligned=True)",
    f"{_REGIONS}ops.roi_align(u, [b / 2, b[:1]], output_size=3), ops.roi_align(u, k[:0], 2)",
)
rules.row(
    f"{_O}.RoIAlign",
    "TorchRoIAlign(...)",
    value="TorchRoIAlign",
    cases=[
        f"{_HEAD}{_REGIONS}l = ops.RoIAlign((2, 3), 1.5, sampling_ratio=0, aligned=True)\n"
        "r = l(u, k / 2), str(l)",
    ],
)
for _member in ("output_size", "spatial_scale", "sampling_ratio", "aligned"):
    rules.keep(f"{_O}.RoIAlign.{_member}", cases=[f"{_HEAD}ops.RoIAlign((2, 3), 1.5, 2).{_member}"])
rules.row(
    f"{_O}.RoIAlign.forward",
    "{self}.forward({input}, {rois})",
    cases=[f"{_HEAD}{_REGIONS}ops.RoIAlign(2, 0.5, 2).forward(u, rois=k)"],
)
_function(
    "masks_to_boxes",
    "torch_masks_to_boxes",
    "ops.masks_to_boxes(torch.stack([m, m & False, m.flip(0)])), ops.masks_to_boxes(m[:0, None])",
    "ops.masks_to_boxes((a > 0.3).float())",
)
_function(
    "sigmoid_focal_loss",
    "torch_sigmoid_focal_loss",
    "ops.sigmoid_focal_loss(x, m.float()), ops.sigmoid_focal_loss(x, p, -1, gamma=1.5)",
    "ops.sigmoid_focal_loss(x, p, reduction='mean'), ops.sigmoid_focal_loss(x, p, 0.6, 3, 'sum')",
    "ops.sigmoid_focal_loss(w, p, reduction='sum').backward()\ng = w.grad",
    "v = torch.zeros(3, requires_grad=True)\nops.sigmoid_focal_loss(v, p[0, :3]).sum().backward()\n"
    "g = v.grad",
)
_function(
    "stochastic_depth",
    "torch_stochastic_depth",
    "ops.stochastic_depth(x, 0.0, 'row'), ops.stochastic_depth(x, 1.0, mode='batch')",
    "ops.stochastic_depth(x, 0.5, 'row', training=False)",
    "r = ops.stochastic_depth(torch.ones(4000, 1), 0.25, 'row')\n"
    "s = r.unique(), bool(abs(r.mean() - 1) < 0.1)\ndel r",
    "ops.stochastic_depth(x, 0.5, 'column')",
)


def _layer(name: str, made: tuple[str, ...], given: str = "img") -> None:
    """A layer; its cases give both sides the same weights."""
    filled = (
        "n = ops.{0}{1}\nn.eval()\nwith torch.no_grad():\n"
        "    for k, each in enumerate(n.parameters()):\n"
        "        each.copy_(torch.linspace(-1, 1, each.numel()).reshape(each.shape) / (k + 1))\n"
        "r = n({2})\nk = [k for k, _ in n.named_parameters()], str(n)"
    )
    helper = f"Torch{name}"
    rules.row(
        f"{_O}.{name}",
        f"{helper}(...)",
        value=helper,
        cases=[_HEAD + filled.format(name, one, given) for one in made],
    )
    for one in sorted(load().inside(f"{_O}.{name}")):
        member = one.rpartition(".")[2]
        if member == "forward":
            passed = f"class Mine(ops.{name}):\n    def forward(self, v):\n"
            read = f"{passed}        return super().forward(v)\nn = Mine{made[0]}\nn.eval()\n"
            rules.keep(one, cases=[f"{_HEAD}{read}r = n({given}).shape"])
        elif member == "__init__":
            arguments = made[0].removeprefix("(")
            passed = f"class Mine(ops.{name}):\n    def __init__(self):\n"
            read = f"{passed}        super().__init__({arguments}\nn = Mine()\nn.eval()\n"
            rules.keep(one, cases=[f"{_HEAD}{read}r = n({given}).shape"])
        elif not member.startswith("_"):
            rules.keep(one, cases=[f"{_HEAD}n = ops.{name}{made[0]}\nn.eval()\nr = n.{member}"])


_layer(
    "Conv2dNormActivation",
    (
        "(3, 4)",
        "(3, 6, kernel_size=(3, 5), dilation=2, groups=3, norm_layer=None)",
        "(3, 4, 1, stride=2, activation_layer=nn.Hardswish, bias=True)",
        "(3, 4, activation_layer=None, norm_layer=lambda c: nn.GroupNorm(2, c))",
        "(3, 4, padding=3, activation_layer=nn.Sigmoid, inplace=None)",
    ),
)
_layer(
    "SqueezeExcitation", ("(3, 2)", "(3, 2, activation=nn.SiLU, scale_activation=nn.Hardsigmoid)")
)
_layer(
    "MLP",
    ("(4, [5, 3])", "(4, [6], dropout=0.3)", "(4, [5, 2], nn.LayerNorm, nn.Tanh, bias=False)"),
    "x",
)
_layer("Permute", ("([0, 2, 3, 1])", "(dims=(0, -1, 1, 2))"))
_layer("FrozenBatchNorm2d", ("(3)", "(num_features=3, eps=0.1)"))
_layer("StochasticDepth", ("(0.5, 'row')", "(p=0.1, mode='batch')"))

_GRID = f"{IMAGES}from torchvision.utils import make_grid, save_image\n"
rules.row(
    f"{_U}.make_grid",
    "torch_make_grid(...)",
    value="torch_make_grid",
    cases=[
        f"{_GRID}r = make_grid(img), make_grid(img, 1, padding=3, pad_value=0.5), make_grid(x)",
        f"{_GRID}t = torch.cat([img, img * 2, img + 1])[:5]\n"
        "r = make_grid(t, nrow=3, normalize=True), make_grid(t, normalize=True, scale_each=True)",
        f"{_GRID}r = make_grid([img[0], img[1]], normalize=True, value_range=(-1, 1))",
        f"{_GRID}r = make_grid(img[:, :1], 4), make_grid(img[0]), make_grid(img[:1, :1])",
        f"{_GRID}make_grid(bytes3[None].repeat(3, 1, 1, 1), nrow=2, pad_value=9)",
        f"{_GRID}make_grid(3)",
    ],
)
rules.row(
    f"{_U}.save_image",
    "torch_save_image(...)",
    value="torch_save_image",
    cases=[
        f"{_GRID}import io\nf = io.BytesIO()\nsave_image(img, f, format='png', normalize=True)\n"
        "r = np.asarray(Image.open(io.BytesIO(f.getvalue()))).tolist()",
        f"{_GRID}import io\nf = io.BytesIO()\nsave_image([p[None], p[None]], f, 'bmp', nrow=1)\n"
        "r = np.asarray(Image.open(io.BytesIO(f.getvalue()))).tolist()",
    ],
)
