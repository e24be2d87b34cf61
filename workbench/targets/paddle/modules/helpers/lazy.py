"""Layers that learn their input's size at their first call."""

from __future__ import annotations

from typing import Any

import paddle

from workbench.targets.paddle.layers.helpers.conv import TorchConv1d, TorchConv2d, TorchConv3d
from workbench.targets.paddle.layers.helpers.conv_transpose import (
    TorchConvTranspose1d,
    TorchConvTranspose2d,
    TorchConvTranspose3d,
)
from workbench.targets.paddle.layers.helpers.linear import TorchLinear
from workbench.targets.paddle.layers.helpers.norm import (
    TorchBatchNorm1d,
    TorchBatchNorm2d,
    TorchBatchNorm3d,
)
from workbench.targets.paddle.layers.helpers.norm_group import (
    TorchInstanceNorm1d,
    TorchInstanceNorm2d,
    TorchInstanceNorm3d,
)
from workbench.targets.paddle.modules.helpers.class_names import torch_named


class TorchLazy:
    """A layer whose parameters and buffers are empty until its first call makes it one of `kind`.

    The parameters stay the same objects: an optimizer that was made before goes on with them.
    `axis` is where the input's size stands; counted from the end, it serves unbatched inputs too.
    """

    kind: Any
    size = "in_channels"
    axis = 1

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        groups = kwargs.get("groups", 1)
        if self.size == "in_channels" and len(args) > 5:
            groups = args[6 if "Transpose" in self.kind.__name__ else 5]
        made = self.kind(groups, *args, **kwargs)
        self.__dict__.update(made.__dict__)
        self.__dict__["given"] = (args, kwargs)
        self.__dict__[self.size] = 0
        for name, value in made._parameters.items():
            if value is not None:
                empty = paddle.zeros([0], dtype=value.dtype)
                self.__dict__["_parameters"][name] = paddle.nn.Parameter(empty)
        for name, value in made._buffers.items():
            if value is not None and value.ndim:
                self.__dict__["_buffers"][name] = paddle.zeros([0], dtype=value.dtype)

    def has_uninitialized_params(self) -> bool:
        return True

    def initialize_parameters(self, input: paddle.Tensor, *args: Any, **kwargs: Any) -> None:
        given, options = self.__dict__.pop("given")
        made = self.kind(input.shape[self.axis], *given, **options)
        for name, value in self.__dict__["_parameters"].items():
            if value is not None:
                new = made._parameters[name].astype(value.dtype)  # it may have been cast since
                value.value().get_tensor()._share_data_with(new.value().get_tensor())
        for name, value in self.__dict__["_buffers"].items():
            new = made._buffers[name]
            if value is not None:
                new = new.astype(value.dtype)
            self.__dict__["_buffers"][name] = new
        self.__dict__[self.size] = input.shape[self.axis]
        self.kind.reset_parameters(self)
        self.__class__ = self.kind

    def forward(self, input: paddle.Tensor, *args: Any, **kwargs: Any) -> Any:
        self.initialize_parameters(input)
        return self.forward(input, *args, **kwargs)


@torch_named
class TorchLazyLinear(TorchLazy, TorchLinear):
    """`torch.nn.LazyLinear`."""

    kind = TorchLinear
    size = "in_features"
    axis = -1


@torch_named
class TorchLazyConv1d(TorchLazy, TorchConv1d):
    """`torch.nn.LazyConv1d`."""

    kind = TorchConv1d
    axis = -2


@torch_named
class TorchLazyConv2d(TorchLazy, TorchConv2d):
    """`torch.nn.LazyConv2d`."""

    kind = TorchConv2d
    axis = -3


@torch_named
class TorchLazyConv3d(TorchLazy, TorchConv3d):
    """`torch.nn.LazyConv3d`."""

    kind = TorchConv3d
    axis = -4


@torch_named
class TorchLazyConvTranspose1d(TorchLazy, TorchConvTranspose1d):
    """`torch.nn.LazyConvTranspose1d`."""

    kind = TorchConvTranspose1d
    axis = -2


@torch_named
class TorchLazyConvTranspose2d(TorchLazy, TorchConvTranspose2d):
    """`torch.nn.LazyConvTranspose2d`."""

    kind = TorchConvTranspose2d
    axis = -3


@torch_named
class TorchLazyConvTranspose3d(TorchLazy, TorchConvTranspose3d):
    """`torch.nn.LazyConvTranspose3d`."""

    kind = TorchConvTranspose3d
    axis = -4


@torch_named
class TorchLazyBatchNorm1d(TorchLazy, TorchBatchNorm1d):
    """`torch.nn.LazyBatchNorm1d`."""

    kind = TorchBatchNorm1d
    size = "num_features"


@torch_named
class TorchLazyBatchNorm2d(TorchLazy, TorchBatchNorm2d):
    """`torch.nn.LazyBatchNorm2d`."""

    kind = TorchBatchNorm2d
    size = "num_features"


@torch_named
class TorchLazyBatchNorm3d(TorchLazy, TorchBatchNorm3d):
    """`torch.nn.LazyBatchNorm3d`."""

    kind = TorchBatchNorm3d
    size = "num_features"


class TorchLazyInstanceNorm(TorchLazy):
    """What the lazy instance normalisations share: unlike the others they learn and remember."""

    size = "num_features"

    def __init__(
        self,
        eps: float = 1e-05,
        momentum: float = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        bias: bool = True,
    ) -> None:
        super().__init__(eps, momentum, affine, track_running_stats, device, dtype, bias)


@torch_named
class TorchLazyInstanceNorm1d(TorchLazyInstanceNorm, TorchInstanceNorm1d):
    """`torch.nn.LazyInstanceNorm1d`."""

    kind = TorchInstanceNorm1d
    axis = -2


@torch_named
class TorchLazyInstanceNorm2d(TorchLazyInstanceNorm, TorchInstanceNorm2d):
    """`torch.nn.LazyInstanceNorm2d`."""

    kind = TorchInstanceNorm2d
    axis = -3


@torch_named
class TorchLazyInstanceNorm3d(TorchLazyInstanceNorm, TorchInstanceNorm3d):
    """`torch.nn.LazyInstanceNorm3d`."""

    kind = TorchInstanceNorm3d
    axis = -4
