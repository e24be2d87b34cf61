"""Parametrizations: a layer's tensor computed by other layers whenever it is read."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import paddle

from workbench.targets.paddle.modules.helpers.utils import (
    torch_norm_except,
    torch_unit,
    torch_weight_matrix,
)


class TorchParametrizationList(paddle.nn.LayerList):
    """The layers that compute one tensor, and the `original` parameters that they start from."""

    def __init__(self, layers: Any, original: paddle.Tensor) -> None:
        super().__init__(layers)
        values: Any = original.detach()
        for layer in reversed(list(self)):
            if hasattr(layer, "right_inverse"):
                values = layer.right_inverse(values)
        self.is_tensor = isinstance(values, paddle.Tensor)
        values = [values] if self.is_tensor else list(values)
        self.names = ["original" if self.is_tensor else f"original{i}" for i in range(len(values))]
        trained = not original.stop_gradient
        for name, value in zip(self.names, values, strict=True):
            if isinstance(original, paddle.nn.Parameter) or trained:
                parameter = paddle.nn.Parameter(value.detach(), requires_grad=trained)
                self.add_parameter(name, parameter)
            else:
                self.register_buffer(name, value.detach())

    def forward(self) -> paddle.Tensor:
        first, *others = list(self)
        value = first(*(getattr(self, name) for name in self.names))
        for layer in others:
            value = layer(value)
        return value

    def right_inverse(self, value: Any) -> None:
        """Set the `original` parameters to those from which the layers compute `value`."""
        with paddle.no_grad():
            for layer in reversed(list(self)):
                if not hasattr(layer, "right_inverse"):
                    kind = type(layer).__name__
                    raise RuntimeError(f"parametrization {kind} does not implement right_inverse.")
                value = layer.right_inverse(value)
            values = [value] if self.is_tensor else value
            for name, each in zip(self.names, values, strict=True):
                original = getattr(self, name)
                if each.dtype != original.dtype:
                    raise ValueError(f"right_inverse returned {each.dtype} for {original.dtype}")
                original.get_tensor()._share_data_with(each.get_tensor())


def torch_parametrized_class(kind: Any) -> Any:
    """Return the class of layers whose parametrized tensors are set by their `right_inverse`."""

    def set_attribute(layer: Any, name: str, value: Any) -> None:
        lists = layer._sub_layers.get("parametrizations")
        if lists is None or name not in lists._sub_layers:
            kind.__setattr__(layer, name, value)
        elif isinstance(value, paddle.nn.Parameter):
            raise KeyError(f"attribute '{name}' already exists")
        else:
            lists[name].right_inverse(value)

    members = {"_torch_plain": kind, "__setattr__": set_attribute}
    return type(f"Parametrized{kind.__name__}", (kind,), members)


def torch_register_parametrization(
    module: Any, tensor_name: str, parametrization: Any, unsafe: bool = False
) -> Any:
    """`register_parametrization`: the tensor becomes what the layer makes of its original."""
    lists = module._sub_layers.get("parametrizations")
    if lists is not None and tensor_name in lists._sub_layers:
        lists._sub_layers[tensor_name].append(parametrization)
        return module
    if tensor_name in module._parameters:
        original = module._parameters.pop(tensor_name)
    elif tensor_name in module._buffers:
        original = module._buffers.pop(tensor_name)
    else:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element "
            f"with name '{tensor_name}'"
        )
    if lists is None:
        lists = paddle.nn.LayerDict()
        module.add_sublayer("parametrizations", lists)
        module.__class__ = torch_parametrized_class(type(module))
    lists[tensor_name] = TorchParametrizationList([parametrization], original)

    def read(layer: Any) -> paddle.Tensor:
        return layer._sub_layers["parametrizations"][tensor_name]()

    setattr(type(module), tensor_name, property(read))
    return module


def torch_remove_parametrizations(
    module: Any, tensor_name: str, leave_parametrized: bool = True
) -> Any:
    """`remove_parametrizations`: the tensor is a parameter again."""
    lists = module._sub_layers["parametrizations"]
    made = lists[tensor_name]
    if not leave_parametrized and not made.is_tensor:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is "
            "parametrized in terms of a sequence of tensors."
        )
    value = (made() if leave_parametrized else made.original).detach()
    trained = any(not each.stop_gradient for each in made.parameters())
    delattr(type(module), tensor_name)
    del lists[tensor_name]
    parameter = getattr(made, "original", None)
    if isinstance(parameter, paddle.nn.Parameter) and parameter.shape == value.shape:
        with paddle.no_grad():  # it stays the object that an optimizer may have
            paddle.assign(value, parameter)
    else:
        parameter = paddle.nn.Parameter(value, requires_grad=trained)
    module.add_parameter(tensor_name, parameter)
    if len(lists) == 0:
        del module._sub_layers["parametrizations"]
        module.__class__ = module._torch_plain
    return module


def torch_is_parametrized(module: Any, tensor_name: str | None = None) -> bool:
    """`is_parametrized`: whether the layer, or one tensor of it, is computed by others."""
    lists = module._sub_layers.get("parametrizations")
    if lists is None:
        return False
    return tensor_name in lists._sub_layers if tensor_name is not None else len(lists) > 0


@contextlib.contextmanager
def torch_parametrizations_cached() -> Iterator[None]:
    """`parametrize.cached`: the tensors are computed anew all the same, with the same values."""
    yield


class TorchWeightNormParametrization(paddle.nn.Layer):
    """A weight from its magnitude and its direction."""

    def __init__(self, dim: int | None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, magnitude: paddle.Tensor, direction: paddle.Tensor) -> paddle.Tensor:
        return direction * (magnitude / torch_norm_except(direction, self.dim))

    def right_inverse(self, weight: paddle.Tensor) -> tuple[paddle.Tensor, paddle.Tensor]:
        return torch_norm_except(weight, self.dim), weight


class TorchSpectralNormParametrization(paddle.nn.Layer):
    """A weight divided by its largest singular value, which power iteration estimates."""

    def __init__(
        self, weight: paddle.Tensor, n_power_iterations: int, dim: int, eps: float
    ) -> None:
        super().__init__()
        self.dim = dim if weight.ndim > 1 else 0
        self.n_power_iterations = n_power_iterations
        self.eps = eps
        if weight.ndim > 1:
            rows, columns = torch_weight_matrix(weight, self.dim).shape
            self.register_buffer("_u", torch_unit(paddle.randn([rows], dtype=weight.dtype), eps))
            self.register_buffer("_v", torch_unit(paddle.randn([columns], dtype=weight.dtype), eps))
            self.iterate(torch_weight_matrix(weight.detach(), self.dim), 15)

    def iterate(self, matrix: paddle.Tensor, steps: int) -> None:
        with paddle.no_grad():
            for _ in range(steps):
                paddle.assign(torch_unit(paddle.mv(matrix, self._v), self.eps), self._u)
                paddle.assign(torch_unit(paddle.mv(matrix.T, self._u), self.eps), self._v)

    def forward(self, weight: paddle.Tensor) -> paddle.Tensor:
        if weight.ndim == 1:
            return weight / paddle.clip(weight.norm(), min=self.eps)
        matrix = torch_weight_matrix(weight, self.dim)
        if self.training:
            self.iterate(matrix, self.n_power_iterations)
        u, v = self._u.clone(), self._v.clone()
        return weight / paddle.dot(u, paddle.mv(matrix, v))

    def right_inverse(self, value: paddle.Tensor) -> paddle.Tensor:
        return value


def torch_parametrized_weight_norm(module: Any, name: str = "weight", dim: int | None = 0) -> Any:
    """`torch.nn.utils.parametrizations.weight_norm`."""
    return torch_register_parametrization(module, name, TorchWeightNormParametrization(dim))


def torch_parametrized_spectral_norm(
    module: Any,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> Any:
    """`torch.nn.utils.parametrizations.spectral_norm`."""
    if dim is None:
        dim = 1 if getattr(module, "transposed", False) else 0
    weight = getattr(module, name)
    layer = TorchSpectralNormParametrization(weight, n_power_iterations, dim, eps)
    return torch_register_parametrization(module, name, layer)
