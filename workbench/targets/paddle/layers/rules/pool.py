"""Pooling layers and their functions."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.rules.same_call import same_call

rules = RuleSet()

_NAN = "a maximum ignores NaN in Paddle; in torch it is NaN"


def _layer(name: str, note: str | None = None) -> None:
    rules.counterpart(f"torch.nn.{name}", f"Torch{name}", note=note)


def _function(name: str, helper: str, dims: int, note: str | None = None) -> None:
    rules.row(
        f"torch.nn.functional.{name}",
        same_call(f"torch.nn.functional.{name}", helper).replace("(", f"({dims}, ", 1),
        note=note,
    )


for _dims in (1, 2, 3):
    _layer(f"MaxPool{_dims}d", _NAN)
    _layer(f"AvgPool{_dims}d")
    _layer(f"AdaptiveAvgPool{_dims}d")
    _layer(f"AdaptiveMaxPool{_dims}d", _NAN)
    _layer(f"LPPool{_dims}d")
    _layer(f"MaxUnpool{_dims}d")
    _function(f"max_pool{_dims}d", "torch_max_pool", _dims, _NAN)
    rules.row(
        f"torch.nn.functional.max_pool{_dims}d_with_indices",
        same_call(
            f"torch.nn.functional.max_pool{_dims}d_with_indices",
            "torch_max_pool",
            without=("return_indices",),
        ).replace("(", f"({_dims}, ", 1)[:-1]
        + ", return_indices=True)",
        note=_NAN,
        ignored={"return_indices": "values and indices are always returned"},
    )
    _function(f"adaptive_max_pool{_dims}d", "torch_adaptive_max_pool", _dims, _NAN)
    rules.row(
        f"torch.nn.functional.adaptive_max_pool{_dims}d_with_indices",
        same_call(
            f"torch.nn.functional.adaptive_max_pool{_dims}d_with_indices",
            "torch_adaptive_max_pool",
            without=("return_indices",),
        ).replace("(", f"({_dims}, ", 1)[:-1]
        + ", return_indices=True)",
        note=_NAN,
        ignored={"return_indices": "values and indices are always returned"},
    )
    _function(f"avg_pool{_dims}d", "torch_avg_pool", _dims)
    _function(f"adaptive_avg_pool{_dims}d", "torch_adaptive_avg_pool", _dims)
    _function(f"lp_pool{_dims}d", "torch_lp_pool", _dims)
    _function(f"max_unpool{_dims}d", "torch_max_unpool", _dims)

_OFFSETS = "Paddle draws other random offsets"
for _dims in (2, 3):
    _layer(f"FractionalMaxPool{_dims}d", _OFFSETS)
    for _member in ("kernel_size", "output_size", "output_ratio", "return_indices"):
        rules.keep(f"torch.nn.FractionalMaxPool{_dims}d.{_member}")
    _function(f"fractional_max_pool{_dims}d", "torch_fractional_max_pool", _dims, _OFFSETS)
rules.refuse(
    "torch.nn.functional.fractional_max_pool2d_with_indices",
    "torch.nn.functional.fractional_max_pool3d_with_indices",
    reason="it is an internal function of `fractional_max_pool2d` and `fractional_max_pool3d`",
    instead="`torch.nn.functional.fractional_max_pool2d(..., return_indices=True)`",
)
