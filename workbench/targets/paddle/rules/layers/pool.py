"""Pooling layers and their functions."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.rules.same_call import same_call

rules = RuleSet()

_INPUT = {1: "a", 2: "img", 3: "img[:, :, None].repeat(1, 1, 5, 1, 1)"}
_NAN = "Paddle passes NaN by, torch hands it on"


def _layer(name: str, cases: list[str], note: str | None = None) -> None:
    rules.row(
        f"torch.nn.{name}",
        same_call(f"torch.nn.{name}", f"Torch{name}"),
        value=f"Torch{name}",
        note=note,
        cases=cases,
    )


def _function(name: str, helper: str, dims: int, cases: list[str], note: str | None = None) -> None:
    rules.row(
        f"torch.nn.functional.{name}",
        same_call(f"torch.nn.functional.{name}", helper).replace("(", f"({dims}, ", 1),
        note=note,
        cases=cases,
    )


for _dims, _given in _INPUT.items():
    _layer(
        f"MaxPool{_dims}d",
        [
            f"nn.MaxPool{_dims}d(2)({_given})",
            f"k = {_given}.clone().requires_grad_()\nv = nn.MaxPool{_dims}d(2)(k)\nv += 1\n"
            "v.sum().backward()\ng = k.grad",
            f"nn.MaxPool{_dims}d(kernel_size=2, stride=3, padding=1, ceil_mode=True)({_given}[0])",
            f"nn.MaxPool{_dims}d(2, 1, dilation=2)({_given})",
            f"nn.MaxPool{_dims}d(3, 1, 1, return_indices=True)({_given})",
        ],
        _NAN,
    )
    _layer(
        f"AvgPool{_dims}d",
        [
            f"nn.AvgPool{_dims}d(2)({_given})",
            f"k = {_given}.clone().requires_grad_()\nv = nn.AvgPool{_dims}d(2)(k)\nv += 1\n"
            "v.sum().backward()\ng = k.grad",
            f"nn.AvgPool{_dims}d(2, 3, padding=1, ceil_mode=True)({_given}[0])",
            f"nn.AvgPool{_dims}d(3, 2, 1, count_include_pad=False)({_given})",
        ],
    )
    _layer(
        f"AdaptiveAvgPool{_dims}d",
        [
            f"nn.AdaptiveAvgPool{_dims}d(1)({_given})",
            f"nn.AdaptiveAvgPool{_dims}d(3)({_given}[0])",
        ],
    )
    _layer(
        f"AdaptiveMaxPool{_dims}d",
        [
            f"nn.AdaptiveMaxPool{_dims}d(2)({_given}[0])",
            f"nn.AdaptiveMaxPool{_dims}d(3, return_indices=True)({_given})",
        ],
        _NAN,
    )
    _layer(
        f"LPPool{_dims}d",
        [
            f"nn.LPPool{_dims}d(2, 2)({_given})",
            f"nn.LPPool{_dims}d(2.0, 3, stride=1)({_given}[0])",
        ],
    )
    _layer(
        f"MaxUnpool{_dims}d",
        [
            f"v, k = F.max_pool{_dims}d({_given}, 2, return_indices=True)\n"
            f"nn.MaxUnpool{_dims}d(2)(v, k, output_size={_given}.shape)",
        ],
    )
    _function(
        f"max_pool{_dims}d",
        "torch_max_pool",
        _dims,
        [
            f"F.max_pool{_dims}d({_given}, 2)",
            f"F.max_pool{_dims}d(({_given} * 9).long(), 2, return_indices=True)",
            f"F.max_pool{_dims}d({_given}, kernel_size=3, stride=2, padding=1, ceil_mode=True)",
            f"v, k = F.max_pool{_dims}d({_given}[0], 2, 1, return_indices=True)\nv, k",
        ],
        _NAN,
    )
    rules.row(
        f"torch.nn.functional.max_pool{_dims}d_with_indices",
        same_call(
            f"torch.nn.functional.max_pool{_dims}d_with_indices",
            "torch_max_pool",
            without=("return_indices",),
        ).replace("(", f"({_dims}, ", 1)[:-1]
        + ", return_indices=True)",
        note=_NAN,
        ignored={"return_indices": "both are returned in any case"},
        cases=[
            f"F.max_pool{_dims}d_with_indices({_given}, 2)",
            f"f = F.max_pool{_dims}d_with_indices\nf({_given}, 2, return_indices=False)",
        ],
    )
    _function(
        f"adaptive_max_pool{_dims}d",
        "torch_adaptive_max_pool",
        _dims,
        [
            f"F.adaptive_max_pool{_dims}d({_given}, 2)",
            f"F.adaptive_max_pool{_dims}d({_given}, output_size=3, return_indices=True)",
        ],
        _NAN,
    )
    rules.row(
        f"torch.nn.functional.adaptive_max_pool{_dims}d_with_indices",
        same_call(
            f"torch.nn.functional.adaptive_max_pool{_dims}d_with_indices",
            "torch_adaptive_max_pool",
            without=("return_indices",),
        ).replace("(", f"({_dims}, ", 1)[:-1]
        + ", return_indices=True)",
        note=_NAN,
        ignored={"return_indices": "both are returned in any case"},
        cases=[
            f"F.adaptive_max_pool{_dims}d_with_indices({_given}, 2)",
            f"f = F.adaptive_max_pool{_dims}d_with_indices\nf({_given}, 2, return_indices=False)",
        ],
    )
    _function(
        f"avg_pool{_dims}d",
        "torch_avg_pool",
        _dims,
        [
            f"F.avg_pool{_dims}d({_given}, 2)",
            *([f"F.avg_pool{_dims}d(({_given} * 9).long(), 2)"] if _dims < 3 else []),
            f"F.avg_pool{_dims}d({_given}, 3, stride=2, padding=1, count_include_pad=False)",
        ],
    )
    _function(
        f"adaptive_avg_pool{_dims}d",
        "torch_adaptive_avg_pool",
        _dims,
        [
            f"F.adaptive_avg_pool{_dims}d({_given}, 1)",
            f"F.adaptive_avg_pool{_dims}d({_given}[0], output_size=3)",
        ],
    )
    _function(
        f"lp_pool{_dims}d",
        "torch_lp_pool",
        _dims,
        [
            f"F.lp_pool{_dims}d({_given}, 2.0, 2)",
            f"v = {_given}.double().abs().requires_grad_()\n"
            f"F.lp_pool{_dims}d(v, 1.5, 2).sum().backward()\ng = v.grad",
        ],
    )
    _function(
        f"max_unpool{_dims}d",
        "torch_max_unpool",
        _dims,
        [
            f"v, k = F.max_pool{_dims}d({_given}, 2, return_indices=True)\n"
            f"F.max_unpool{_dims}d(v, k, 2)",
            f"v, k = F.max_pool{_dims}d({_given}, 3, 1, return_indices=True)\nv.requires_grad_()\n"
            f"(F.max_unpool{_dims}d(v, k, 3, 1) * {_given}).sum().backward()\ng = v.grad",
        ],
    )

_OFFSETS = "Paddle draws other random offsets"
for _dims, _given in {2: "img", 3: "img[:, :, None].repeat(1, 1, 8, 1, 1)"}.items():
    _drawn = f"torch.tensor(np.linspace(0.1, 0.9, {6 * _dims}, dtype='float32')).reshape(2, 3, -1)"
    _layer(
        f"FractionalMaxPool{_dims}d",
        [
            f"nn.FractionalMaxPool{_dims}d(2, output_size=3, _random_samples={_drawn})({_given})",
            f"nn.FractionalMaxPool{_dims}d(3, output_ratio=0.5, return_indices=True, "
            f"_random_samples={_drawn})({_given})",
            f"nn.FractionalMaxPool{_dims}d(2, output_size=4)({_given}).shape",
        ],
        _OFFSETS,
    )
    for _member in ("kernel_size", "output_size", "output_ratio", "return_indices"):
        rules.keep(
            f"torch.nn.FractionalMaxPool{_dims}d.{_member}",
            cases=[f"nn.FractionalMaxPool{_dims}d(2, output_size=3).{_member}"],
        )
    _function(
        f"fractional_max_pool{_dims}d",
        "torch_fractional_max_pool",
        _dims,
        [
            f"F.fractional_max_pool{_dims}d({_given}, 2, output_size=3, _random_samples={_drawn})",
            f"F.fractional_max_pool{_dims}d({_given}, 3, output_ratio={(0.6,) * _dims}, "
            f"return_indices=True, _random_samples={_drawn})",
        ],
        _OFFSETS,
    )
rules.refuse(
    "torch.nn.functional.fractional_max_pool2d_with_indices",
    "torch.nn.functional.fractional_max_pool3d_with_indices",
    reason="it is what `fractional_max_pool2d` and its sister call",
    instead="`torch.nn.functional.fractional_max_pool2d(..., return_indices=True)`",
)
