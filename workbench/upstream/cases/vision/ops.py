"""Operators and utilities of torchvision."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike
from workbench.upstream.cases.preludes import IMAGES

_REGIONS = (
    "u = torch.arange(2 * 3 * 64.).reshape(2, 3, 8, 8).sin().requires_grad_()\n"
    "k = torch.tensor([[1, 0.5, 1, 5, 6], [0, 2, 2, 7.5, 4], [1, -0.5, 3, 3, "
    "7], [0, 3, 3, 3, 3]])\n"
)
_HEAD = (
    "import torchvision.ops as ops\n"
    "b = torch.tensor([[0., 1, 4, 5], [2, 2, 6, 7], [1, 0, 2, 9]])\n"
    "c = b + torch.tensor([1., -1, 2, 0.5])\n"
    "q = torch.tensor([[0, 1, 4, 5], [2, 2, 6, 7]])\n"
)
_RUN = (
    "\nn.eval()\nwith torch.no_grad():\n    for k, each in enumerate(n.parameters()):\n"
    "        each.copy_(torch.linspace(-1, 1, "
    "each.numel()).reshape(each.shape) / (k + 1))\nr = n(img)\n"
    "k = [k for k, _ in n.named_parameters()], str(n)"
)
_GRID = IMAGES + "from torchvision.utils import make_grid, save_image\n"

CASES: dict[str, tuple[str, ...]] = {
    "torchvision.ops.box_area": (
        (_HEAD + "ops.box_area(b), ops.box_area(q), ops.box_area(b[None], 'xywh')"),
    ),
    "torchvision.ops.box_iou": (
        (_HEAD + "ops.box_iou(b, c), ops.box_iou(c[:2], boxes2=b), ops.box_iou(q, q)"),
        (_HEAD + "ops.box_iou(b, c, fmt='xywh'), ops.box_iou(b, c, 'cxcywh')"),
        (_HEAD + "t = b.clone().requires_grad_()\nops.box_iou(t, c).sum().backward()\ng = t.grad"),
    ),
    "torchvision.ops.generalized_box_iou": (
        (_HEAD + "ops.generalized_box_iou(b, c), ops.generalized_box_iou(boxes1=c[:2], boxes2=b)"),
    ),
    "torchvision.ops.box_convert": (
        (
            _HEAD + "[ops.box_convert(b, one, two) for one in ('xyxy', 'xywh', 'cxcywh') for "
            "two in ('xyxy', 'xywh', 'cxcywh')]"
        ),
        (
            _HEAD + "ops.box_convert(q, in_fmt='xyxy', out_fmt='xywh'), ops.box_convert(q, "
            "'xywh', 'xyxy')"
        ),
        (_HEAD + "ops.box_convert(b, 'xyxy', 'polar')"),
    ),
    "torchvision.ops.clip_boxes_to_image": (
        (_HEAD + "ops.clip_boxes_to_image(b, (4, 3)), ops.clip_boxes_to_image(q - 1, size=(6, 5))"),
        (_HEAD + "ops.clip_boxes_to_image(b[None] - 2, (4, 3))"),
    ),
    "torchvision.ops.remove_small_boxes": (
        (_HEAD + "ops.remove_small_boxes(b, 2), ops.remove_small_boxes(b, min_size=4.0)"),
        (_HEAD + "ops.remove_small_boxes(b, 99.0)"),
    ),
    "torchvision.ops.roi_align": (
        (
            _HEAD
            + _REGIONS
            + "r = ops.roi_align(u, k, (3, 2))\n(r ** 2).sum().backward()\ng = u.grad"
        ),
        (
            _HEAD
            + _REGIONS
            + "ops.roi_align(u, k, 2, spatial_scale=0.5, sampling_ratio=2, aligned=True)"
        ),
        (
            _HEAD
            + _REGIONS
            + "ops.roi_align(u, [b / 2, b[:1]], output_size=3), ops.roi_align(u, k[:0], 2)"
        ),
    ),
    "torchvision.ops.RoIAlign": (
        (
            _HEAD + _REGIONS + "l = ops.RoIAlign((2, 3), 1.5, sampling_ratio=0, aligned=True)\n"
            "r = l(u, k / 2), str(l)"
        ),
    ),
    **alike(
        "torchvision.ops.RoIAlign",
        "output_size spatial_scale sampling_ratio aligned",
        (_HEAD + "ops.RoIAlign((2, 3), 1.5, 2).{name}"),
    ),
    "torchvision.ops.RoIAlign.forward": (
        (_HEAD + _REGIONS + "ops.RoIAlign(2, 0.5, 2).forward(u, rois=k)"),
    ),
    "torchvision.ops.masks_to_boxes": (
        (
            _HEAD + "ops.masks_to_boxes(torch.stack([m, m & False, m.flip(0)])), "
            "ops.masks_to_boxes(m[:0, None])"
        ),
        (_HEAD + "ops.masks_to_boxes((a > 0.3).float())"),
    ),
    "torchvision.ops.sigmoid_focal_loss": (
        (
            _HEAD
            + "ops.sigmoid_focal_loss(x, m.float()), ops.sigmoid_focal_loss(x, p, -1, gamma=1.5)"
        ),
        (
            _HEAD + "ops.sigmoid_focal_loss(x, p, reduction='mean'), ops.sigmoid_focal_loss(x, "
            "p, 0.6, 3, 'sum')"
        ),
        (_HEAD + "ops.sigmoid_focal_loss(w, p, reduction='sum').backward()\ng = w.grad"),
        (
            _HEAD + "v = torch.zeros(3, requires_grad=True)\n"
            "ops.sigmoid_focal_loss(v, p[0, :3]).sum().backward()\ng = v.grad"
        ),
    ),
    "torchvision.ops.stochastic_depth": (
        (_HEAD + "ops.stochastic_depth(x, 0.0, 'row'), ops.stochastic_depth(x, 1.0, mode='batch')"),
        (_HEAD + "ops.stochastic_depth(x, 0.5, 'row', training=False)"),
        (
            _HEAD + "r = ops.stochastic_depth(torch.ones(4000, 1), 0.25, 'row')\n"
            "s = r.unique(), bool(abs(r.mean() - 1) < 0.1)\ndel r"
        ),
        (_HEAD + "ops.stochastic_depth(x, 0.5, 'column')"),
    ),
    "torchvision.ops.Conv2dNormActivation": (
        (_HEAD + "n = ops.Conv2dNormActivation(3, 4)" + _RUN),
        (
            _HEAD + "n = ops.Conv2dNormActivation(3, 6, kernel_size=(3, 5), dilation=2, "
            "groups=3, norm_layer=None)" + _RUN
        ),
        (
            _HEAD + "n = ops.Conv2dNormActivation(3, 4, 1, stride=2, "
            "activation_layer=nn.Hardswish, bias=True)" + _RUN
        ),
        (
            _HEAD + "n = ops.Conv2dNormActivation(3, 4, activation_layer=None, "
            "norm_layer=lambda c: nn.GroupNorm(2, c))" + _RUN
        ),
        (
            _HEAD + "n = ops.Conv2dNormActivation(3, 4, padding=3, "
            "activation_layer=nn.Sigmoid, inplace=None)" + _RUN
        ),
    ),
    "torchvision.ops.Conv2dNormActivation.__init__": (
        (
            _HEAD + "class Mine(ops.Conv2dNormActivation):\n    def __init__(self):\n"
            "        super().__init__(3, 4)\nn = Mine()\nn.eval()\nr = n(img).shape"
        ),
    ),
    "torchvision.ops.SqueezeExcitation": (
        (_HEAD + "n = ops.SqueezeExcitation(3, 2)" + _RUN),
        (
            _HEAD + "n = ops.SqueezeExcitation(3, 2, activation=nn.SiLU, "
            "scale_activation=nn.Hardsigmoid)" + _RUN
        ),
    ),
    "torchvision.ops.SqueezeExcitation.__init__": (
        (
            _HEAD + "class Mine(ops.SqueezeExcitation):\n    def __init__(self):\n"
            "        super().__init__(3, 2)\nn = Mine()\nn.eval()\nr = n(img).shape"
        ),
    ),
    **alike(
        "torchvision.ops.SqueezeExcitation",
        "activation avgpool fc1 fc2 scale_activation",
        (_HEAD + "n = ops.SqueezeExcitation(3, 2)\nn.eval()\nr = n.{name}"),
    ),
    "torchvision.ops.SqueezeExcitation.forward": (
        (
            _HEAD + "class Mine(ops.SqueezeExcitation):\n    def forward(self, v):\n"
            "        return super().forward(v)\nn = Mine(3, 2)\nn.eval()\nr = n(img).shape"
        ),
    ),
    "torchvision.ops.MLP": (
        (
            _HEAD + "n = ops.MLP(4, [5, 3])\nn.eval()\nwith torch.no_grad():\n"
            "    for k, each in enumerate(n.parameters()):\n"
            "        each.copy_(torch.linspace(-1, 1, "
            "each.numel()).reshape(each.shape) / (k + 1))\nr = n(x)\n"
            "k = [k for k, _ in n.named_parameters()], str(n)"
        ),
        (
            _HEAD + "n = ops.MLP(4, [6], dropout=0.3)\nn.eval()\nwith torch.no_grad():\n"
            "    for k, each in enumerate(n.parameters()):\n"
            "        each.copy_(torch.linspace(-1, 1, "
            "each.numel()).reshape(each.shape) / (k + 1))\nr = n(x)\n"
            "k = [k for k, _ in n.named_parameters()], str(n)"
        ),
        (
            _HEAD + "n = ops.MLP(4, [5, 2], nn.LayerNorm, nn.Tanh, bias=False)\nn.eval()\n"
            "with torch.no_grad():\n    for k, each in enumerate(n.parameters()):\n"
            "        each.copy_(torch.linspace(-1, 1, "
            "each.numel()).reshape(each.shape) / (k + 1))\nr = n(x)\n"
            "k = [k for k, _ in n.named_parameters()], str(n)"
        ),
    ),
    "torchvision.ops.MLP.__init__": (
        (
            _HEAD + "class Mine(ops.MLP):\n    def __init__(self):\n"
            "        super().__init__(4, [5, 3])\nn = Mine()\nn.eval()\nr = n(x).shape"
        ),
    ),
    "torchvision.ops.Permute": (
        (_HEAD + "n = ops.Permute([0, 2, 3, 1])" + _RUN),
        (_HEAD + "n = ops.Permute(dims=(0, -1, 1, 2))" + _RUN),
    ),
    "torchvision.ops.Permute.__init__": (
        (
            _HEAD + "class Mine(ops.Permute):\n    def __init__(self):\n"
            "        super().__init__([0, 2, 3, 1])\nn = Mine()\nn.eval()\nr = n(img).shape"
        ),
    ),
    "torchvision.ops.Permute.dims": (
        (_HEAD + "n = ops.Permute([0, 2, 3, 1])\nn.eval()\nr = n.dims"),
    ),
    "torchvision.ops.Permute.forward": (
        (
            _HEAD + "class Mine(ops.Permute):\n    def forward(self, v):\n"
            "        return super().forward(v)\nn = Mine([0, 2, 3, 1])\nn.eval()\n"
            "r = n(img).shape"
        ),
    ),
    "torchvision.ops.FrozenBatchNorm2d": (
        (_HEAD + "n = ops.FrozenBatchNorm2d(3)" + _RUN),
        (_HEAD + "n = ops.FrozenBatchNorm2d(num_features=3, eps=0.1)" + _RUN),
    ),
    "torchvision.ops.FrozenBatchNorm2d.__init__": (
        (
            _HEAD + "class Mine(ops.FrozenBatchNorm2d):\n    def __init__(self):\n"
            "        super().__init__(3)\nn = Mine()\nn.eval()\nr = n(img).shape"
        ),
    ),
    "torchvision.ops.FrozenBatchNorm2d.eps": (
        (_HEAD + "n = ops.FrozenBatchNorm2d(3)\nn.eval()\nr = n.eps"),
    ),
    "torchvision.ops.FrozenBatchNorm2d.forward": (
        (
            _HEAD + "class Mine(ops.FrozenBatchNorm2d):\n    def forward(self, v):\n"
            "        return super().forward(v)\nn = Mine(3)\nn.eval()\nr = n(img).shape"
        ),
    ),
    "torchvision.ops.StochasticDepth": (
        (_HEAD + "n = ops.StochasticDepth(0.5, 'row')" + _RUN),
        (_HEAD + "n = ops.StochasticDepth(p=0.1, mode='batch')" + _RUN),
    ),
    "torchvision.ops.StochasticDepth.__init__": (
        (
            _HEAD + "class Mine(ops.StochasticDepth):\n    def __init__(self):\n"
            "        super().__init__(0.5, 'row')\nn = Mine()\nn.eval()\nr = n(img).shape"
        ),
    ),
    "torchvision.ops.StochasticDepth.forward": (
        (
            _HEAD + "class Mine(ops.StochasticDepth):\n    def forward(self, v):\n"
            "        return super().forward(v)\nn = Mine(0.5, 'row')\nn.eval()\n"
            "r = n(img).shape"
        ),
    ),
    **alike(
        "torchvision.ops.StochasticDepth",
        "mode p",
        (_HEAD + "n = ops.StochasticDepth(0.5, 'row')\nn.eval()\nr = n.{name}"),
    ),
    "torchvision.utils.make_grid": (
        (_GRID + "r = make_grid(img), make_grid(img, 1, padding=3, pad_value=0.5), make_grid(x)"),
        (
            _GRID + "t = torch.cat([img, img * 2, img + 1])[:5]\n"
            "r = make_grid(t, nrow=3, normalize=True), make_grid(t, normalize=True, "
            "scale_each=True)"
        ),
        (_GRID + "r = make_grid([img[0], img[1]], normalize=True, value_range=(-1, 1))"),
        (_GRID + "r = make_grid(img[:, :1], 4), make_grid(img[0]), make_grid(img[:1, :1])"),
        (_GRID + "make_grid(bytes3[None].repeat(3, 1, 1, 1), nrow=2, pad_value=9)"),
        (_GRID + "make_grid(3)"),
    ),
    "torchvision.utils.save_image": (
        (
            _GRID
            + "import io\nf = io.BytesIO()\nsave_image(img, f, format='png', normalize=True)\n"
            "r = np.asarray(Image.open(io.BytesIO(f.getvalue()))).tolist()"
        ),
        (
            _GRID
            + "import io\nf = io.BytesIO()\nsave_image([p[None], p[None]], f, 'bmp', nrow=1)\n"
            "r = np.asarray(Image.open(io.BytesIO(f.getvalue()))).tolist()"
        ),
    ),
}
