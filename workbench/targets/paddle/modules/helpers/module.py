"""What `torch.nn.Module` does that `paddle.nn.Layer` does otherwise."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import paddle

from workbench.targets.paddle.modules.helpers.class_names import torch_named
from workbench.targets.paddle.tensors.helpers.conversion import torch_as_type
from workbench.targets.paddle.tensors.helpers.rare_functions import torch_share_memory_
from workbench.targets.paddle.training.helpers.base import torch_clear_grad


def torch_module_to(
    module: paddle.nn.Layer,
    *places: Any,
    device: Any = None,
    dtype: Any = None,
    tensor: paddle.Tensor | None = None,
    non_blocking: bool = False,
    memory_format: Any = None,
) -> paddle.nn.Layer:
    """`Module.to`: takes a device, a dtype or a tensor; only floating-point values change dtype.

    Paddle would cast integer buffers as well.
    """
    for place in (*places, tensor):
        if isinstance(place, paddle.Tensor):
            device, dtype = place.place, place.dtype
        elif isinstance(place, paddle.dtype):
            dtype = place
        elif isinstance(place, int) and not isinstance(place, bool):
            device = f"gpu:{place}"
        elif place is not None and not isinstance(place, bool):
            device = place
    if device is not None:
        module.to(device=device)
    if dtype is not None:
        with paddle.no_grad():
            for value in [*module.parameters(), *module.buffers()]:
                if paddle.is_floating_point(value):
                    torch_cast_in_place(value, dtype)
    return getattr(module, "__self__", module)  # of `super()`, the layer itself


def torch_train(
    layer: paddle.nn.Layer, mode: bool = True, of_base: bool = False
) -> paddle.nn.Layer:
    """`Module.train`: it calls the `train` that a class has, also of the layers inside."""
    layer = getattr(layer, "__self__", layer)  # of `super()`, the layer itself
    if not of_base and type(layer).train is not paddle.nn.Layer.train:
        return layer.train(mode)
    paddle.nn.Layer.train(layer, mode)
    for one in layer.children():
        torch_train(one, mode)
    return layer


def torch_module_zero_grad(module: paddle.nn.Layer, set_to_none: bool = True) -> None:
    """`Module.zero_grad`: whoever holds a gradient keeps its values, which Paddle would free."""
    for parameter in module.parameters():
        if parameter.grad is not None:
            torch_clear_grad(parameter, set_to_none)


def torch_cast_in_place(tensor: paddle.Tensor, dtype: Any) -> None:
    """Give a parameter or buffer another dtype, without making it another object."""
    cast = tensor.cast(dtype)
    tensor.value().get_tensor()._share_data_with(cast.value().get_tensor())
    if tensor.grad is not None:
        grad = tensor.grad.cast(dtype)
        tensor.grad = None  # Paddle would copy into it, and raise for another dtype
        tensor.grad = grad


def torch_module_type(module: paddle.nn.Layer, dst_type: Any) -> paddle.nn.Layer:
    """`Module.type`: takes what torch calls a tensor type, too."""
    return module.to(dtype=torch_as_type(paddle.zeros([]), dst_type).dtype)


def torch_module_share_memory(module: paddle.nn.Layer) -> paddle.nn.Layer:
    """`Module.share_memory`: of the tensors is remembered that they are shared."""
    for tensor in [*module.parameters(), *module.buffers()]:
        torch_share_memory_(tensor)
    return module


def torch_size_tuple(x: Any, n: int) -> tuple[Any, ...]:
    """`torch.nn.modules.utils._pair` and its kin: what is no sequence is repeated."""
    if isinstance(x, Iterable):
        return tuple(x)
    return (x,) * n


def torch_parse_ntuple(n: int, name: str = "parse") -> Callable[[Any], tuple[Any, ...]]:
    """`torch.nn.modules.utils._ntuple`."""

    def parse(x: Any) -> tuple[Any, ...]:
        return torch_size_tuple(x, n)

    parse.__name__ = name
    return parse


def torch_strip_prefix(state_dict: dict[str, Any], prefix: str) -> None:
    """`consume_prefix_in_state_dict_if_present`: rename the keys, in place."""
    for key in list(state_dict):
        if key.startswith(prefix):
            state_dict[key[len(prefix) :]] = state_dict.pop(key)


def torch_data_parallel(
    module: Any,
    inputs: Any,
    device_ids: Any = None,
    output_device: Any = None,
    dim: int = 0,
    module_kwargs: dict[str, Any] | None = None,
) -> Any:
    """`torch.nn.parallel.data_parallel` on one device: the call itself."""
    return module(*(inputs if isinstance(inputs, tuple) else (inputs,)), **(module_kwargs or {}))


@torch_named
class TorchDataParallel(paddle.nn.Layer):
    """`torch.nn.DataParallel` on one device: hands its calls on, and has the `module` in it."""

    def __init__(
        self, module: Any, device_ids: Any = None, output_device: Any = None, dim: int = 0
    ) -> None:
        super().__init__()
        self.module = module
        self.device_ids = device_ids
        self.output_device = output_device
        self.dim = dim

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        return self.module(*inputs, **kwargs)
