"""Layers that infer the size of their input in their first call."""

from __future__ import annotations

from workbench.rules.rule import RuleSet

rules = RuleSet()


def _lazy(name: str) -> None:
    """Add the rule of a lazy layer, which has torch's parameters."""
    rules.counterpart(f"torch.nn.{name}", f"Torch{name}")


_lazy("LazyLinear")
for _dims in (1, 2, 3):
    _lazy(f"LazyConv{_dims}d")
    _lazy(f"LazyConvTranspose{_dims}d")
    _lazy(f"LazyBatchNorm{_dims}d")
    _lazy(f"LazyInstanceNorm{_dims}d")
for _name in ("in_channels", "out_channels", "kernel_size", "groups", "transposed"):
    rules.keep(f"torch.nn.modules.conv._LazyConvXdMixin.{_name}")
for _dims in (1, 2, 3):
    for _name in (f"torch.nn.LazyConv{_dims}d", f"torch.nn.LazyConvTranspose{_dims}d"):
        rules.keep(f"{_name}.weight")
        rules.keep(f"{_name}.bias")
for _name in ("weight", "bias"):
    rules.keep(f"torch.nn.modules.batchnorm._LazyNormBase.{_name}")
rules.keep(
    "torch.nn.parameter.UninitializedTensorMixin.shape",
    caveat="before the first call it is [0]; torch raises an error",
)
rules.refuse(
    "torch.nn.UninitializedParameter",
    "torch.nn.UninitializedBuffer",
    "torch.nn.modules.lazy.LazyModuleMixin",
    "torch.nn.parameter.is_lazy",
    reason="Paddle has no uninitialized parameters",
    instead="torch.nn.LazyLinear and the other lazy layers",
)
