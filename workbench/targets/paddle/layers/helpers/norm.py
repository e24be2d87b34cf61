"""Normalisation layers with torch's names, momentum and running statistics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import paddle

from workbench.targets.paddle.modules.helpers.class_names import torch_named


def torch_batch_norm(
    input: paddle.Tensor,
    running_mean: paddle.Tensor | None,
    running_var: paddle.Tensor | None,
    weight: paddle.Tensor | None = None,
    bias: paddle.Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-05,
) -> paddle.Tensor:
    """`torch.nn.functional.batch_norm`.

    Momentum is the share of the new value, and the running variance is the unbiased one; on a CPU,
    Paddle's divides by the number of values.
    """
    if input.ndim == 1 and not input.size:
        return input.clone()
    count = input.size // input.shape[1]
    if training and count == 1:
        raise ValueError("Expected more than 1 value per channel when training")
    if not training and (running_mean is None or running_var is None):
        raise RuntimeError("Expected running_mean and running_var to be given in evaluation")
    mean, var = running_mean, running_var
    dtype = weight.dtype if weight is not None else input.dtype
    if mean is None:
        mean = paddle.zeros([input.shape[1]], dtype=dtype)
    if var is None:
        var = paddle.ones([input.shape[1]], dtype=dtype)
    if training:
        # Paddle's kernel, which has its momentum in float32, leaves those of the batch alone here.
        mean, var = paddle.zeros_like(mean), paddle.zeros_like(var)
    # Paddle gives weight and bias a gradient only where both want one.
    if weight is not None and (bias is None or bias.stop_gradient):
        bias = paddle.zeros_like(weight) if bias is None else bias.detach()
        bias.stop_gradient = weight.stop_gradient
    elif bias is not None and (weight is None or weight.stop_gradient):
        weight = paddle.ones_like(bias) if weight is None else weight.detach()
        weight.stop_gradient = bias.stop_gradient
    layout = {2: "NC", 3: "NCL", 4: "NCHW", 5: "NCDHW"}[input.ndim]
    output = paddle.nn.functional.batch_norm(
        input,
        mean,
        var,
        weight,
        bias,
        training=training,
        momentum=0.0,
        epsilon=eps,
        data_format=layout,
    )
    if not training or count == 0:
        return output
    with paddle.no_grad():
        if running_mean is not None:
            paddle.assign((1 - momentum) * running_mean + momentum * mean, running_mean)
        if running_var is not None:
            # On a GPU, cuDNN computes the unbiased variance itself.
            factor = 1 if input.place.is_gpu_place() else count / (count - 1)
            share = momentum * factor
            paddle.assign((1 - momentum) * running_var + share * var, running_var)
    return output


class TorchNormBase(paddle.nn.Layer):
    """What torch's batch and instance normalisation layers share: parameters and statistics."""

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-05,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        dtype = dtype or paddle.get_default_dtype()
        ones = paddle.nn.initializer.Constant(1.0)
        shape = [num_features]
        self.weight = self.bias = None
        if affine:
            self.weight = self.create_parameter(shape, dtype=dtype, default_initializer=ones)
            if bias:
                self.bias = self.create_parameter(shape, dtype=dtype, is_bias=True)
        track = track_running_stats
        self.register_buffer("running_mean", paddle.zeros(shape, dtype) if track else None)
        self.register_buffer("running_var", paddle.ones(shape, dtype) if track else None)
        self.register_buffer("num_batches_tracked", paddle.to_tensor(0) if track else None)
        if device is not None:
            self.to(device)

    def reset_running_stats(self) -> None:
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        self.reset_running_stats()
        with paddle.no_grad():
            if self.weight is not None:
                self.weight.fill_(1)
            if self.bias is not None:
                self.bias.zero_()

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, "
            f"affine={self.affine}, bias={self.bias is not None}, "
            f"track_running_stats={self.track_running_stats}"
        )


class TorchBatchNorm(TorchNormBase):
    """What torch's batch normalisation layers share."""

    input_dims: tuple[int, ...] = (2, 3, 4, 5)

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        if input.ndim not in self.input_dims:
            raise ValueError(f"expected an input of {self.input_dims} dimensions, got {input.ndim}")
        share = 0.0 if self.momentum is None else self.momentum
        if self.training and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(paddle.ones_like(self.num_batches_tracked))
            if self.momentum is None:
                share = 1.0 / float(self.num_batches_tracked)
        own = self.training or (self.running_mean is None and self.running_var is None)
        keep = not self.training or self.track_running_stats
        return torch_batch_norm(
            input,
            self.running_mean if keep else None,
            self.running_var if keep else None,
            self.weight,
            self.bias,
            own,
            share,
            self.eps,
        )


@torch_named
class TorchBatchNorm1d(TorchBatchNorm):
    """`torch.nn.BatchNorm1d`, with torch's names and running statistics."""

    input_dims = (2, 3)


@torch_named
class TorchBatchNorm2d(TorchBatchNorm):
    """`torch.nn.BatchNorm2d`, with torch's names and running statistics."""

    input_dims = (4,)


@torch_named
class TorchBatchNorm3d(TorchBatchNorm):
    """`torch.nn.BatchNorm3d`, with torch's names and running statistics."""

    input_dims = (5,)


@torch_named
class TorchSyncBatchNorm(TorchBatchNorm):
    """`torch.nn.SyncBatchNorm` in one process."""

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-05,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        process_group: Any = None,
        device: Any = None,
        dtype: Any = None,
        bias: bool = True,
    ) -> None:
        made = (affine, track_running_stats, device, dtype, bias)
        super().__init__(num_features, eps, momentum, *made)
        self.process_group = process_group


def torch_layer_norm(
    input: paddle.Tensor,
    normalized_shape: int | Sequence[int],
    weight: paddle.Tensor | None = None,
    bias: paddle.Tensor | None = None,
    eps: float = 1e-05,
) -> paddle.Tensor:
    """`torch.nn.functional.layer_norm`: weights have the normalized shape, Paddle's are flat."""
    if not 0 <= eps <= 1e-3 or input.dtype == paddle.float64:
        # Paddle's kernel takes no other epsilon, and rounds it to float32.
        shape = [normalized_shape] if isinstance(normalized_shape, int) else normalized_shape
        axes = list(range(-len(shape), 0))
        centred = input - input.mean(axis=axes, keepdim=True)
        output = centred * paddle.rsqrt(centred.square().mean(axis=axes, keepdim=True) + eps)
        output = output if weight is None else output * weight
        return output if bias is None else output + bias
    whole = not isinstance(normalized_shape, int) and len(normalized_shape) == input.ndim
    learns = paddle.is_grad_enabled() and not input.stop_gradient
    if weight is not None and weight.stop_gradient and learns:
        # Paddle's gradient passes a frozen weight by: it is multiplied by here.
        output = torch_layer_norm(input, normalized_shape, None, None, eps) * weight
        return output if bias is None else output + bias
    output = paddle.nn.functional.layer_norm(
        input.unsqueeze(0) if whole else input,  # Paddle wants a dimension that it leaves alone
        normalized_shape,
        None if weight is None else weight.flatten(),
        None if bias is None else bias.flatten(),
        eps,
    )
    return output.squeeze(0) if whole else output


@torch_named
class TorchLayerNorm(paddle.nn.Layer):
    """`torch.nn.LayerNorm`: its weight has the normalized shape."""

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-05,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        shape = [normalized_shape] if isinstance(normalized_shape, int) else normalized_shape
        self.normalized_shape = tuple(shape)
        self.eps = self._epsilon = eps  # as torch and Paddle call it
        self.elementwise_affine = elementwise_affine
        dtype = dtype or paddle.get_default_dtype()
        ones = paddle.nn.initializer.Constant(1.0)
        self.weight = self.bias = None
        if elementwise_affine:
            self.weight = self.create_parameter(list(shape), dtype=dtype, default_initializer=ones)
            if bias:
                self.bias = self.create_parameter(list(shape), dtype=dtype, is_bias=True)
        if device is not None:
            self.to(device)

    def reset_parameters(self) -> None:
        with paddle.no_grad():
            if self.weight is not None:
                self.weight.fill_(1)
            if self.bias is not None:
                self.bias.zero_()

    def forward(self, input: paddle.Tensor) -> paddle.Tensor:
        return torch_layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, "
            f"elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}"
        )


def torch_rms_norm(
    input: paddle.Tensor,
    normalized_shape: int | Sequence[int],
    weight: paddle.Tensor | None = None,
    eps: float | None = None,
) -> paddle.Tensor:
    """`torch.nn.functional.rms_norm`, computed in float32 at least; eps is the dtype's own."""
    shape = [normalized_shape] if isinstance(normalized_shape, int) else list(normalized_shape)
    if list(input.shape[-len(shape) :]) != shape:
        raise RuntimeError(f"expected an input whose last dimensions are {shape}")
    short = input.dtype in (paddle.float16, paddle.bfloat16)
    wide = input.astype("float32") if short else input
    tiny = paddle.finfo(wide.dtype).eps if eps is None else eps
    axes = list(range(-len(shape), 0))
    output = wide * paddle.rsqrt(wide.square().mean(axis=axes, keepdim=True) + tiny)
    if weight is not None:
        output = output * weight
    return output.astype(input.dtype)


@torch_named
class TorchRMSNorm(paddle.nn.Layer):
    """`torch.nn.RMSNorm`."""

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        shape = [normalized_shape] if isinstance(normalized_shape, int) else normalized_shape
        self.normalized_shape = tuple(shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self.weight = None
        if elementwise_affine:
            self.weight = self.create_parameter(
                list(shape),
                dtype=dtype or paddle.get_default_dtype(),
                default_initializer=paddle.nn.initializer.Constant(1.0),
            )
        if device is not None:
            self.to(device)

    def reset_parameters(self) -> None:
        if self.weight is not None:
            with paddle.no_grad():
                self.weight.fill_(1)

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        return torch_rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"
        )
