"""Functions with their own gradients, as torch has them."""

from __future__ import annotations

from typing import Any

import paddle

from workbench.targets.paddle.modules.helpers.class_names import torch_named
from workbench.targets.paddle.tensors.helpers.grad import torch_nested_grad


class TorchFunctionContext:
    """What `forward` and `backward` of a function with its own gradient share."""

    saved_tensors: tuple[Any, ...] = ()
    needs_input_grad: tuple[bool, ...] = ()
    non_differentiable: tuple[Any, ...] = ()
    dirty: tuple[Any, ...] = ()
    materialize_grads = True

    @property
    def saved_variables(self) -> tuple[Any, ...]:
        return self.saved_tensors

    def save_for_backward(self, *tensors: Any) -> None:
        self.saved_tensors = tensors

    def save_for_forward(self, *tensors: Any) -> None:
        """Nothing: torch keeps these for forward-mode derivatives."""

    def mark_dirty(self, *tensors: Any) -> None:
        self.dirty = tensors

    def mark_non_differentiable(self, *tensors: Any) -> None:
        self.non_differentiable = tensors

    def set_materialize_grads(self, value: bool) -> None:
        self.materialize_grads = value


class TorchFunctionLayer(paddle.autograd.PyLayer):
    """Runs a torch-like function, whose backward answers for every argument, as a PyLayer."""

    @staticmethod
    def forward(ctx: Any, function: Any, context: Any, *args: Any) -> Any:
        ctx.function, ctx.context = function, context
        ctx.takes_tensor = [isinstance(item, paddle.Tensor) for item in args]
        context.needs_input_grad = tuple(
            isinstance(item, paddle.Tensor) and not item.stop_gradient for item in args
        )
        if hasattr(function, "setup_context"):
            output = function.forward(*args)
            function.setup_context(context, args, output)
        else:
            output = function.forward(context, *args)
        # Paddle takes an output that lies where an input does for one that was changed in place.
        dirty = [tensor.data_ptr() for tensor in context.dirty]
        places = {item.data_ptr() for item in args if isinstance(item, paddle.Tensor)}.difference(
            dirty
        )
        output = paddle.utils.map_structure(
            lambda item: (
                item.clone()
                if isinstance(item, paddle.Tensor) and item.data_ptr() in places
                else item
            ),
            output,
        )
        ctx.set_materialize_grads(context.materialize_grads)
        if context.non_differentiable:
            ctx.mark_non_differentiable(*context.non_differentiable)
        return output

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        answer = ctx.function.backward(ctx.context, *grads)
        answers = answer if isinstance(answer, tuple | list) else (answer,)
        needed = [
            grad if need else None
            for grad, need in zip(answers, ctx.context.needs_input_grad, strict=False)
        ]
        return tuple(grad for grad, is_one in zip(needed, ctx.takes_tensor, strict=False) if is_one)


@torch_named
class TorchFunction:
    """`torch.autograd.Function`: `backward` gives a gradient, or None, for every argument.

    Paddle's PyLayer wants gradients for the tensors alone, and calls what is saved otherwise.
    """

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError("You must implement the forward function")

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        raise NotImplementedError("You must implement either the backward or vjp method")

    @classmethod
    def apply(cls, *args: Any) -> Any:
        return TorchFunctionLayer.apply(cls, TorchFunctionContext(), *args)


def torch_as_variable(data: Any, requires_grad: bool = False) -> Any:
    """`torch.autograd.Variable`: a tensor of the same values, and the beginning of a graph."""
    tensor = data.detach()
    tensor.stop_gradient = not requires_grad
    return tensor


class TorchVariables(type):
    """Every tensor is a variable."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, paddle.Tensor)


class TorchVariable(metaclass=TorchVariables):
    """`torch.autograd.Variable` where it is handed on, and asked for."""

    def __new__(cls, data: Any, requires_grad: bool = False) -> Any:
        return torch_as_variable(data, requires_grad)


class TorchDetectAnomaly:
    """`set_detect_anomaly`, as a call or as a context: Paddle's check for NaN and infinity."""

    def __init__(self, mode: bool) -> None:
        name = "FLAGS_check_nan_inf"
        self.before = paddle.get_flags(name)[name]
        paddle.set_flags({name: mode})

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: Any) -> None:
        paddle.set_flags({"FLAGS_check_nan_inf": self.before})


def torch_grad_of(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Any, ...]:
    """`torch.autograd.grad`; with `materialize_grads` zeros for inputs that have no part."""
    if is_grads_batched:
        raise NotImplementedError("Paddle has no batched gradients: loop over the batch")
    places = [inputs] if isinstance(inputs, paddle.Tensor) else list(inputs)
    unused = materialize_grads if allow_unused is None else allow_unused
    found = torch_nested_grad(
        outputs, places, grad_outputs, retain_graph, create_graph, allow_unused=unused
    )
    if not materialize_grads:
        return tuple(found)
    return tuple(
        paddle.zeros_like(place).detach() if grad is None else grad
        for grad, place in zip(found, places, strict=True)
    )
