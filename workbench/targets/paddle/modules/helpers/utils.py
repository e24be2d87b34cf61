"""`torch.nn.utils`: gradients clipped at once, parameters as one vector, layers fused."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import paddle


def torch_gradients(parameters: Any) -> list[paddle.Tensor]:
    """The gradients of one parameter or of many, of those that have one."""
    one = isinstance(parameters, paddle.Tensor)
    return [value.grad for value in ([parameters] if one else parameters) if value.grad is not None]


def torch_get_total_norm(
    tensors: Any, norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: Any = None
) -> paddle.Tensor:
    """`get_total_norm`: the norm of all tensors as one vector."""
    values = [tensors] if isinstance(tensors, paddle.Tensor) else list(tensors)
    if not values:
        return paddle.to_tensor(0.0)
    norms = [paddle.linalg.norm(value.flatten(), p=float(norm_type)) for value in values]
    total = paddle.linalg.norm(paddle.stack(norms), p=float(norm_type))
    if error_if_nonfinite and not bool(paddle.isfinite(total)):
        raise RuntimeError("the total norm of the gradients is not finite, so it cannot be clipped")
    return total


def torch_clip_grads_with_norm_(
    parameters: Any, max_norm: float, total_norm: paddle.Tensor, foreach: Any = None
) -> None:
    """`clip_grads_with_norm_`: scale the gradients, in place, to a total norm known already."""
    with paddle.no_grad():
        scale = paddle.clip(max_norm / (total_norm + 1e-6), max=1.0)
        for grad in torch_gradients(parameters):
            paddle.assign(grad * scale.astype(grad.dtype), grad)


def torch_clip_grad_norm_(
    parameters: Any,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: Any = None,
) -> paddle.Tensor:
    """`clip_grad_norm_`: clip the gradients that are there, in place, and return their norm."""
    values = [parameters] if isinstance(parameters, paddle.Tensor) else list(parameters)
    with paddle.no_grad():
        total = torch_get_total_norm(torch_gradients(values), norm_type, error_if_nonfinite)
    torch_clip_grads_with_norm_(values, max_norm, total)
    return total


def torch_clip_grad_value_(parameters: Any, clip_value: float, foreach: Any = None) -> None:
    """`clip_grad_value_`: clip each gradient's elements, in place."""
    bound = float(clip_value)
    with paddle.no_grad():
        for grad in torch_gradients(parameters):
            paddle.assign(paddle.clip(grad, -bound, bound), grad)


def torch_parameters_to_vector(parameters: Iterable[paddle.Tensor]) -> paddle.Tensor:
    """`parameters_to_vector`."""
    return paddle.concat([value.flatten() for value in parameters])


def torch_vector_to_parameters(vec: paddle.Tensor, parameters: Iterable[paddle.Tensor]) -> None:
    """`vector_to_parameters`: the parameters become views of a vector's parts, as in torch."""
    start = 0
    for value in parameters:
        value.data = vec[start : start + value.size].view(value.shape)
        start += value.size


def torch_fuse_conv_bn_weights(
    conv_w: paddle.Tensor,
    conv_b: Any,
    bn_rm: paddle.Tensor,
    bn_rv: paddle.Tensor,
    bn_eps: float,
    bn_w: Any,
    bn_b: Any,
    transpose: bool = False,
) -> tuple[paddle.Tensor, paddle.Tensor]:
    """`fuse_conv_bn_weights`: a convolution that has its batch normalisation in its weights."""
    conv_b = paddle.zeros_like(bn_rm) if conv_b is None else conv_b
    bn_w = paddle.ones_like(bn_rm) if bn_w is None else bn_w
    bn_b = paddle.zeros_like(bn_rm) if bn_b is None else bn_b
    scale = bn_w * paddle.rsqrt(bn_rv + bn_eps)
    shape = [1] * conv_w.ndim
    shape[1 if transpose else 0] = -1
    weight = (conv_w * scale.reshape(shape)).detach()
    return (
        paddle.nn.Parameter(weight, requires_grad=not conv_w.stop_gradient),
        paddle.nn.Parameter(
            ((conv_b - bn_rm) * scale + bn_b).detach(), requires_grad=not conv_b.stop_gradient
        ),
    )


def torch_skip_init(module_cls: Any, *args: Any, **kwargs: Any) -> Any:
    """`torch.nn.utils.skip_init`: Paddle has no layers without values, so it has its usual ones."""
    return module_cls(*args, **kwargs)


def torch_norm_except(weight: paddle.Tensor, dim: int | None) -> paddle.Tensor:
    """The norm over all dimensions but one, which keep their place with size 1."""
    if dim is None or dim == -1:
        return weight.square().sum().sqrt()
    axes = [axis for axis in range(weight.ndim) if axis != dim % weight.ndim]
    return weight.square().sum(axis=axes, keepdim=True).sqrt()


class TorchWeightNorm:
    """A hook that computes a layer's weight from its magnitude and its direction."""

    def __init__(self, name: str, dim: int | None) -> None:
        self.name = name
        self.dim = dim
        self.handle: Any = None

    def compute_weight(self, module: Any) -> paddle.Tensor:
        g, v = getattr(module, f"{self.name}_g"), getattr(module, f"{self.name}_v")
        return v * (g / torch_norm_except(v, self.dim))

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module))


def torch_weight_norm(module: Any, name: str = "weight", dim: int | None = 0) -> Any:
    """`torch.nn.utils.weight_norm`: parameters `weight_g`, as torch shapes it, and `weight_v`."""
    hook = TorchWeightNorm(name, dim)
    weight = module._parameters.pop(name)
    magnitude = torch_norm_except(weight.detach(), dim)
    module.add_parameter(f"{name}_g", paddle.nn.Parameter(magnitude))
    module.add_parameter(f"{name}_v", paddle.nn.Parameter(weight.detach()))
    setattr(module, name, hook.compute_weight(module))
    hook.handle = module.register_forward_pre_hook(hook)
    return module


def torch_remove_weight_norm(module: Any, name: str = "weight") -> Any:
    """`torch.nn.utils.remove_weight_norm`: the weight becomes a parameter again."""
    for hook in list(module._forward_pre_hooks.values()):
        if isinstance(hook, TorchWeightNorm) and hook.name == name:
            weight = hook.compute_weight(module).detach()
            hook.handle.remove()
            delattr(module, name)
            del module._parameters[f"{name}_g"], module._parameters[f"{name}_v"]
            module.add_parameter(name, paddle.nn.Parameter(weight))
            return module
    raise ValueError(f"weight_norm of '{name}' not found")


def torch_weight_matrix(weight: paddle.Tensor, dim: int) -> paddle.Tensor:
    """A weight as a matrix: one dimension is its rows, all others its columns."""
    order = [dim, *(axis for axis in range(weight.ndim) if axis != dim)]
    return weight.transpose(order).reshape([weight.shape[dim], -1])


def torch_unit(vector: paddle.Tensor, eps: float) -> paddle.Tensor:
    """A vector of length one in the same direction."""
    return vector / paddle.clip(vector.norm(), min=eps)


def torch_spectral_norm(
    module: Any,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> Any:
    """`torch.nn.utils.spectral_norm`: parameter `weight_orig`, buffers `weight_u`, `weight_v`."""
    if dim is None:
        dim = 1 if getattr(module, "transposed", False) else 0
    weight = module._parameters.pop(name)

    def compute(layer: Any, inputs: Any = None) -> None:
        original = getattr(layer, f"{name}_orig")
        u, v = getattr(layer, f"{name}_u"), getattr(layer, f"{name}_v")
        flat = torch_weight_matrix(original, dim)
        if layer.training and inputs is not None:
            with paddle.no_grad():
                for _ in range(n_power_iterations):
                    paddle.assign(torch_unit(paddle.mv(flat.T, u), eps), v)
                    paddle.assign(torch_unit(paddle.mv(flat, v), eps), u)
        u, v = u.clone(), v.clone()
        setattr(layer, name, original / paddle.dot(u, paddle.mv(flat, v)))

    compute.spectral_norm_of = name  # type: ignore[attr-defined]
    rows, columns = torch_weight_matrix(weight, dim).shape
    module.add_parameter(f"{name}_orig", weight)
    for buffer, size in ((f"{name}_u", rows), (f"{name}_v", columns)):
        module.register_buffer(buffer, torch_unit(paddle.randn([size], dtype=weight.dtype), eps))
    module.register_forward_pre_hook(compute)
    # Until the first call `weight` is the parameter itself, which initializers may set.
    object.__setattr__(module, name, weight)
    return module
