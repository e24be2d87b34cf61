"""Compiled operators of torchvision, and layers that use them."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

_HEAD = (
    "import torchvision.ops as ops\nb = torch.tensor([[0., 1, 4, 5], [2, 2, 6, 7], [1, 0, 2, 9]])\n"
)

CASES: dict[str, tuple[str, ...]] = {
    "torchvision.ops.nms": (
        (_HEAD + "r = ops.nms(b, b[:, 0], iou_threshold=0.5) if False else 1"),
    ),
    "torchvision.ops.batched_nms": (
        (_HEAD + "r = ops.batched_nms(b, b[:, 0], n, iou_threshold=0.5) if False else 1"),
    ),
    "torchvision.ops.roi_pool": ((_HEAD + "r = ops.roi_pool(img, [b, b], 2) if False else 1"),),
    "torchvision.ops.ps_roi_pool": (
        (_HEAD + "r = ops.ps_roi_pool(img, [b, b], output_size=1) if False else 1"),
    ),
    "torchvision.ops.deform_conv2d": (
        (_HEAD + "r = ops.deform_conv2d(img, img, img, stride=(1, 1)) if False else 1"),
    ),
    "torchvision.ops.RoIPool": (
        (
            _HEAD + "n = ops.RoIPool((2, 3), 0.5)\n"
            "r = str(n), [(k, each.shape) for k, each in n.named_parameters()], n(img, "
            "[b, b]) if False else 1\ndel n"
        ),
    ),
    "torchvision.ops.RoIPool.__init__": (
        (
            _HEAD + "class Mine(ops.RoIPool):\n    def __init__(self, *given):\n"
            "        super().__init__((2, 3), 0.5) if not given else None\nn = Mine()\n"
            "r = len(list(n.parameters()))\ndel n"
        ),
    ),
    "torchvision.ops.RoIPool.forward": (
        (
            _HEAD + "class Mine(ops.RoIPool):\n    def forward(self, *given):\n"
            "        super().forward(img, [b, b]) if not given else None\n"
            "n = Mine((2, 3), 0.5)\nr = len(list(n.parameters()))\ndel n"
        ),
    ),
    **alike(
        "torchvision.ops.RoIPool",
        "output_size spatial_scale",
        (_HEAD + "n = ops.RoIPool((2, 3), 0.5)\nr = n.{name}\ndel n"),
    ),
    "torchvision.ops.PSRoIPool": (
        (
            _HEAD + "n = ops.PSRoIPool(2, spatial_scale=0.5)\n"
            "r = str(n), [(k, each.shape) for k, each in n.named_parameters()], n(img, "
            "rois=[b, b]) if False else 1\ndel n"
        ),
    ),
    "torchvision.ops.PSRoIPool.__init__": (
        (
            _HEAD + "class Mine(ops.PSRoIPool):\n    def __init__(self, *given):\n"
            "        super().__init__(2, spatial_scale=0.5) if not given else None\n"
            "n = Mine()\nr = len(list(n.parameters()))\ndel n"
        ),
    ),
    "torchvision.ops.PSRoIPool.forward": (
        (
            _HEAD + "class Mine(ops.PSRoIPool):\n    def forward(self, *given):\n"
            "        super().forward(img, rois=[b, b]) if not given else None\n"
            "n = Mine(2, spatial_scale=0.5)\nr = len(list(n.parameters()))\ndel n"
        ),
    ),
    "torchvision.ops.PSRoIPool.output_size": (
        (_HEAD + "n = ops.PSRoIPool(2, spatial_scale=0.5)\nr = n.output_size\ndel n"),
    ),
    "torchvision.ops.PSRoIPool.spatial_scale": (
        (_HEAD + "n = ops.PSRoIPool(2, spatial_scale=0.5)\nr = n.spatial_scale\ndel n"),
    ),
    "torchvision.ops.DeformConv2d": (
        (
            _HEAD + "n = ops.DeformConv2d(4, 6, kernel_size=(3, 1), padding=1, groups=2)\n"
            "r = str(n), [(k, each.shape) for k, each in n.named_parameters()], n(img, "
            "img, mask=None) if False else 1\ndel n"
        ),
    ),
    "torchvision.ops.DeformConv2d.__init__": (
        (
            _HEAD + "class Mine(ops.DeformConv2d):\n    def __init__(self, *given):\n"
            "        super().__init__(4, 6, kernel_size=(3, 1), padding=1, groups=2) "
            "if not given else None\nn = Mine()\nr = len(list(n.parameters()))\ndel n"
        ),
    ),
    **alike(
        "torchvision.ops.DeformConv2d",
        "bias weight",
        (
            _HEAD + "n = ops.DeformConv2d(4, 6, kernel_size=(3, 1), padding=1, groups=2)\n"
            "r = n.{name}.shape\ndel n"
        ),
    ),
    **alike(
        "torchvision.ops.DeformConv2d",
        "dilation in_channels out_channels stride",
        (
            _HEAD + "n = ops.DeformConv2d(4, 6, kernel_size=(3, 1), padding=1, groups=2)\n"
            "r = n.{name}\ndel n"
        ),
    ),
    "torchvision.ops.DeformConv2d.forward": (
        (
            _HEAD + "class Mine(ops.DeformConv2d):\n    def forward(self, *given):\n"
            "        super().forward(img, img, mask=None) if not given else None\n"
            "n = Mine(4, 6, kernel_size=(3, 1), padding=1, groups=2)\n"
            "r = len(list(n.parameters()))\ndel n"
        ),
    ),
    "torchvision.ops.DeformConv2d.groups": (
        (
            _HEAD + "n = ops.DeformConv2d(4, 6, kernel_size=(3, 1), padding=1, groups=2)\n"
            "r = n.groups\ndel n"
        ),
    ),
    "torchvision.ops.DeformConv2d.kernel_size": (
        (
            _HEAD + "n = ops.DeformConv2d(4, 6, kernel_size=(3, 1), padding=1, groups=2)\n"
            "r = n.kernel_size\ndel n"
        ),
    ),
    "torchvision.ops.DeformConv2d.padding": (
        (
            _HEAD + "n = ops.DeformConv2d(4, 6, kernel_size=(3, 1), padding=1, groups=2)\n"
            "r = n.padding\ndel n"
        ),
    ),
    "torchvision.ops.DeformConv2d.reset_parameters": (
        (
            _HEAD + "n = ops.DeformConv2d(4, 6, kernel_size=(3, 1), padding=1, groups=2)\n"
            "n.reset_parameters()\nr = n.weight.shape\ndel n"
        ),
    ),
}
