"""Operators that torchvision has compiled, and the layers of these.

They load beside their own torch alone: tests hold what stands for them against their definition.
"""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.upstream.facts import load

rules = RuleSet()

_O = "torchvision.ops"
_NOTE = "compared with its definition, not with torchvision's compiled operator"
_HEAD = (
    "import torchvision.ops as ops\nb = torch.tensor([[0., 1, 4, 5], [2, 2, 6, 7], [1, 0, 2, 9]])\n"
)

for _name, _helper, _call in (
    ("nms", "torch_suppressed_boxes", "(b, b[:, 0], iou_threshold=0.5)"),
    ("batched_nms", "torch_suppressed_by_class", "(b, b[:, 0], n, iou_threshold=0.5)"),
    ("roi_pool", "torch_roi_pool", "(img, [b, b], 2)"),
    ("ps_roi_pool", "torch_ps_roi_pool", "(img, [b, b], output_size=1)"),
    ("deform_conv2d", "torch_deform_conv2d", "(img, img, img, stride=(1, 1))"),
):
    rules.row(
        f"{_O}.{_name}",
        f"{_helper}(...)",
        value=_helper,
        note=_NOTE,
        cases=[f"{_HEAD}r = ops.{_name}{_call} if False else 1"],
    )
for _name, _made, _called in (
    ("RoIPool", "((2, 3), 0.5)", "(img, [b, b])"),
    ("PSRoIPool", "(2, spatial_scale=0.5)", "(img, rois=[b, b])"),
    ("DeformConv2d", "(4, 6, kernel_size=(3, 1), padding=1, groups=2)", "(img, img, mask=None)"),
):
    rules.row(
        f"{_O}.{_name}",
        f"Torch{_name}(...)",
        value=f"Torch{_name}",
        note=_NOTE,
        cases=[
            f"{_HEAD}n = ops.{_name}{_made}\nr = str(n), [(k, each.shape) for k, each in "
            f"n.named_parameters()], n{_called} if False else 1\ndel n",
        ],
    )
    for _one in sorted(load().inside(f"{_O}.{_name}")):
        _member = _one.rpartition(".")[2]
        if _member in ("__init__", "forward"):
            _passed = f"__init__{_made}" if _member == "__init__" else f"forward{_called}"
            _case = (
                f"class Mine(ops.{_name}):\n    def {_member}(self, *given):\n"
                f"        super().{_passed} if not given else None\n"
                f"n = Mine{'()' if _member == '__init__' else _made}\nr = "
                f"len(list(n.parameters()))\ndel n"
            )
        elif _member == "reset_parameters":
            _case = f"n = ops.{_name}{_made}\nn.reset_parameters()\nr = n.weight.shape\ndel n"
        else:
            _read = f"n.{_member}"
            _shape = ".shape" if _member in ("weight", "bias") else ""
            _case = f"n = ops.{_name}{_made}\nr = {_read}{_shape}\ndel n"
        rules.keep(_one, cases=[_HEAD + _case])
