"""Backward hooks of modules, which Paddle's layers do not have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import paddle


class TorchGradTap(paddle.autograd.PyLayer):
    """Hands tensors on unchanged, and their gradients through a function."""

    @staticmethod
    def forward(ctx: Any, function: Callable[..., Any], *tensors: paddle.Tensor) -> Any:
        ctx.function = function
        return tuple(tensor.clone() for tensor in tensors)

    @staticmethod
    def backward(ctx: Any, *grads: paddle.Tensor) -> Any:
        # Gradients of gradients do not pass here, so what the hooks see is not followed further.
        return tuple(ctx.function([grad.detach() for grad in grads]))


class TorchBackwardHooks:
    """The backward hooks of one module: taps around its inputs and its outputs."""

    def __init__(self, module: paddle.nn.Layer) -> None:
        self.hooks: list[Callable[..., Any]] = []
        self.pre_hooks: list[Callable[..., Any]] = []
        self.calls: list[dict[str, Any]] = []
        self.taps = [
            module.register_forward_pre_hook(self.enter),
            module.register_forward_post_hook(self.leave),
        ]

    def enter(self, module: paddle.nn.Layer, inputs: tuple[Any, ...]) -> Any:
        call: dict[str, Any] = {"count": len(inputs), "places": self.places(inputs)}
        self.calls.append(call)
        if not call["places"] or not self.hooks:
            return None

        def arrived(grads: Any) -> Any:
            given: list[Any] = [None] * call["count"]
            for place, grad in zip(call["places"], grads, strict=True):
                given[place] = grad
            changed = self.call_hooks(module, tuple(given), call["grad_output"])
            return [changed[place] for place in call["places"]]

        return self.tapped(arrived, inputs, call["places"])

    def leave(self, module: paddle.nn.Layer, inputs: tuple[Any, ...], outputs: Any) -> Any:
        call = self.calls.pop()
        single = isinstance(outputs, paddle.Tensor)
        values = (outputs,) if single else outputs
        if not isinstance(values, (tuple, list)):
            return None
        places = self.places(values)
        if not places or not (self.hooks or self.pre_hooks):
            return None

        def arrived(grads: Any) -> Any:
            given: list[Any] = [None] * len(values)
            for place, grad in zip(places, grads, strict=True):
                given[place] = grad
            call["grad_output"] = tuple(given)
            for hook in list(self.pre_hooks):
                changed = hook(module, call["grad_output"])
                if changed is not None:
                    changed = changed if isinstance(changed, tuple) else (changed,)
                    call["grad_output"] = changed
            if not call["places"]:
                self.call_hooks(module, (None,) * call["count"], call["grad_output"])
            return [call["grad_output"][place] for place in places]

        tapped = self.tapped(arrived, values, places)
        return tapped[0] if single else type(outputs)(tapped)

    def call_hooks(self, module: paddle.nn.Layer, grad_input: Any, grad_output: Any) -> Any:
        for hook in list(self.hooks):
            changed = hook(module, grad_input, grad_output)
            if changed is not None:
                grad_input = changed if isinstance(changed, tuple) else (changed,)
        return grad_input

    @staticmethod
    def places(values: Any) -> list[int]:
        """Where the tensors stand that gradients flow to."""
        if not paddle.is_grad_enabled():
            return []
        tensors = [isinstance(value, paddle.Tensor) for value in values]
        return [i for i, it_is in enumerate(tensors) if it_is and not values[i].stop_gradient]

    @staticmethod
    def tapped(function: Callable[..., Any], values: Any, places: list[int]) -> tuple[Any, ...]:
        tapped = TorchGradTap.apply(function, *(values[place] for place in places))
        result = list(values)
        for place, value in zip(places, tapped, strict=True):
            result[place] = value
        return tuple(result)


class TorchHookHandle:
    """What registering a hook returns."""

    def __init__(self, hooks: list[Any], hook: Any) -> None:
        self.hooks = hooks
        self.hook = hook

    def remove(self) -> None:
        if self.hook in self.hooks:
            self.hooks.remove(self.hook)

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *what: object) -> None:
        self.remove()


class TorchBackwardHandle(TorchHookHandle):
    """The handle of a backward hook; the last one takes the taps of the module away."""

    def __init__(self, module: paddle.nn.Layer, hooks: list[Any], hook: Any) -> None:
        super().__init__(hooks, hook)
        self.module = module

    def remove(self) -> None:
        super().remove()
        registered = self.module.__dict__.get("_torch_backward_hooks")
        if registered is not None and not registered.hooks + registered.pre_hooks:
            del self.module.__dict__["_torch_backward_hooks"]
            for tap in registered.taps:
                tap.remove()


def torch_register_backward_hook(
    module: paddle.nn.Layer, hook: Callable[..., Any], prepend: bool = False, pre: bool = False
) -> TorchBackwardHandle:
    """`register_full_backward_hook`, and `register_full_backward_pre_hook`."""
    if "_torch_backward_hooks" not in module.__dict__:
        module.__dict__["_torch_backward_hooks"] = TorchBackwardHooks(module)
    registered = module.__dict__["_torch_backward_hooks"]
    hooks = registered.pre_hooks if pre else registered.hooks
    hooks.insert(0 if prepend else len(hooks), hook)
    return TorchBackwardHandle(module, hooks, hook)
