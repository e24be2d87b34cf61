"""What `torch.nn.Module` does that `paddle.nn.Layer` does otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import paddle

from workbench.targets.paddle.helpers.class_names import torch_named
from workbench.targets.paddle.helpers.optim import torch_clear_grad


class TorchIncompatibleKeys(NamedTuple):
    """What `load_state_dict` returns."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return (
            f"_IncompatibleKeys(missing_keys={self.missing_keys}, "
            f"unexpected_keys={self.unexpected_keys})"
        )


def torch_load_state_dict(
    module: paddle.nn.Layer, state_dict: Mapping[str, Any], strict: bool = True
) -> Any:
    """`Module.load_state_dict`: casts to each parameter's dtype and raises where shapes differ.

    Paddle skips what does not fit with a warning, and refuses other dtypes.
    """
    own = module.state_dict()
    missing = [
        name
        for name in own
        if name not in state_dict and name.rpartition(".")[2] != "num_batches_tracked"
    ]
    unexpected = [name for name in state_dict if name not in own]
    problems = []
    for name, value in own.items():
        given = state_dict.get(name)
        if given is None:
            continue
        if list(given.shape) != list(value.shape):
            problems.append(
                f"size mismatch for {name}: {list(given.shape)} given, {list(value.shape)} needed"
            )
            continue
        value.set_value(paddle.to_tensor(given).astype(value.dtype))
    if strict and missing:
        problems.append(f"missing keys: {', '.join(missing)}")
    if strict and unexpected:
        problems.append(f"unexpected keys: {', '.join(unexpected)}")
    if problems:
        raise RuntimeError("cannot load the state dict:\n\t" + "\n\t".join(problems))
    return TorchIncompatibleKeys(missing, unexpected)


def torch_module_to(module: paddle.nn.Layer, *places: Any, dtype: Any = None) -> paddle.nn.Layer:
    """`Module.to`: takes a device, a dtype or a tensor; only floating-point values change dtype.

    Paddle would cast integer buffers as well.
    """
    device: Any = None
    for place in places:
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
    return module


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
        tensor.grad = tensor.grad.cast(dtype)


def torch_size_tuple(x: Any, n: int) -> tuple[Any, ...]:
    """`torch.nn.modules.utils._pair` and its kin: what is no sequence is repeated."""
    if isinstance(x, Iterable):
        return tuple(x)
    return (x,) * n


def torch_strip_prefix(state_dict: dict[str, Any], prefix: str) -> None:
    """`consume_prefix_in_state_dict_if_present`: rename the keys, in place."""
    for key in list(state_dict):
        if key.startswith(prefix):
            state_dict[key[len(prefix) :]] = state_dict.pop(key)


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
