"""Paddle's own batch normalisation, with torch's running variance."""

from __future__ import annotations

from typing import Any

import paddle


class TorchUnbiased:
    """Batch normalisation whose running variance is the unbiased one, as in torch."""

    def __init_subclass__(cls) -> None:
        cls.__name__ = cls.__name__.removeprefix("TorchUnbiased")

    def forward(self: Any, input: paddle.Tensor) -> paddle.Tensor:
        self._check_input_dim(input)
        variance, momentum = self._variance.clone(), self._momentum
        tensors = (input, self._mean, variance, self.weight, self.bias)
        output = paddle.nn.functional.batch_norm(*tensors, self.training, momentum, self._epsilon)
        count = input.size // input.shape[1]
        if self.training and count == 1:
            raise ValueError("Expected more than 1 value per channel when training")
        if self.training and count:
            # On a GPU, cuDNN computes the unbiased variance itself.
            factor = 1 if input.place.is_gpu_place() else count / (count - 1)
            with paddle.no_grad():
                kept = momentum * self._variance
                paddle.assign(kept + factor * (variance - kept), self._variance)
        return output


class TorchUnbiasedBatchNorm1D(TorchUnbiased, paddle.nn.BatchNorm1D):
    """`torch.nn.BatchNorm1d`."""


class TorchUnbiasedBatchNorm2D(TorchUnbiased, paddle.nn.BatchNorm2D):
    """`torch.nn.BatchNorm2d`."""


class TorchUnbiasedBatchNorm3D(TorchUnbiased, paddle.nn.BatchNorm3D):
    """`torch.nn.BatchNorm3d`."""
