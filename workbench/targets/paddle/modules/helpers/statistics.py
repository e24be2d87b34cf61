"""Parameters and buffers where Paddle lists BatchNorm's running statistics as parameters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import paddle


def torch_named_parameters(model: Any, **options: Any) -> Iterator[Any]:
    """`named_parameters`, without the running statistics that Paddle's BatchNorm lists there."""
    kind = paddle.nn.layer.norm._BatchNormBase
    norms = [layer for layer in model.sublayers(include_self=True) if isinstance(layer, kind)]
    statistics = {id(value) for layer in norms for value in (layer._mean, layer._variance)}
    return (pair for pair in model.named_parameters(**options) if id(pair[1]) not in statistics)


def torch_layer_parameters(model: Any, **options: Any) -> list[Any]:
    """`parameters`, without the running statistics that Paddle's BatchNorm lists there."""
    return [parameter for _, parameter in torch_named_parameters(model, **options)]


def torch_layer_requires_grad(model: Any, requires_grad: bool = True) -> Any:
    """`requires_grad_` of the parameters, without BatchNorm's running statistics."""
    for parameter in torch_layer_parameters(model):
        parameter.stop_gradient = not requires_grad
    return model


def torch_named_buffers(model: Any, recurse: bool = True, prefix: str = "") -> Iterator[Any]:
    """`named_buffers`, with the running statistics that Paddle's BatchNorm lists as parameters."""
    seen = set()
    for path, layer in model.named_sublayers(prefix, include_self=True):
        held = dict(layer._buffers)
        if isinstance(layer, paddle.nn.layer.norm._BatchNormBase):
            held = {"running_mean": layer._mean, "running_var": layer._variance}
        for name, buffer in held.items():
            if buffer is not None and id(buffer) not in seen:
                seen.add(id(buffer))
                yield f"{path}.{name}".lstrip("."), buffer
        if not recurse:
            return


def torch_buffers(model: Any, recurse: bool = True) -> Iterator[Any]:
    """`buffers`, with the running statistics that Paddle's BatchNorm lists as parameters."""
    return (buffer for _, buffer in torch_named_buffers(model, recurse))
