"""What later versions of Paddle have, in the words of earlier ones."""

from __future__ import annotations

from typing import Any

import paddle


def torch_older_parameter(data: paddle.Tensor, requires_grad: bool = True) -> paddle.Tensor:
    """`nn.Parameter`, which Paddle has since 3.2."""
    kind: Any = paddle.base.framework.EagerParamBase
    return kind.from_tensor(data.detach(), trainable=requires_grad)


def torch_older_requires_grad(tensor: paddle.Tensor, requires_grad: bool = True) -> paddle.Tensor:
    """`Tensor.requires_grad_`, which Paddle has since 3.3."""
    tensor.stop_gradient = not requires_grad
    return tensor
