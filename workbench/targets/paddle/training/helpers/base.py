"""Optimizers with torch's arithmetic, parameter groups and state: the base class, and SGD."""

from __future__ import annotations

import collections
import copy
from collections.abc import Callable, Iterable
from typing import Any

import paddle

from workbench.targets.paddle.modules.helpers.class_names import torch_named


def torch_clear_grad(parameter: paddle.Tensor, set_to_none: bool = True) -> None:
    """Forget a gradient; whoever holds its tensor keeps the values, which Paddle would free."""
    if set_to_none:
        parameter.grad_ = paddle.zeros([1], dtype=parameter.dtype)
        parameter.clear_gradient(False)
    else:
        with paddle.no_grad():
            parameter.grad.zero_()


@torch_named
class TorchOptimizer:
    """`torch.optim.Optimizer`: learning rates live in `param_groups`, not in a scheduler object.

    A subclass says in `update` how one parameter changes in place; parameters without a gradient
    are skipped. Paddle's own optimizers round, decay and count steps differently.
    """

    def __init__(self, params: Iterable[Any], defaults: dict[str, Any]) -> None:
        if isinstance(params, paddle.Tensor):
            raise TypeError("params must be an iterable of tensors or dicts, not one tensor")
        if float(defaults.get("lr") or 0) < 0:
            raise ValueError(f"Invalid learning rate: {defaults['lr']}")
        if defaults.get("differentiable"):
            raise NotImplementedError("Paddle cannot differentiate through an optimizer's step")
        self.defaults = defaults
        self.state: Any = collections.defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        params = param_group["params"]
        params = [params] if isinstance(params, paddle.Tensor) else list(params)
        if params and isinstance(params[0], tuple):
            param_group["param_names"] = [name for name, _ in params]
            params = [parameter for _, parameter in params]
        if not all(isinstance(parameter, paddle.Tensor) for parameter in params):
            raise TypeError("optimizer can only optimize tensors")
        if not all(parameter.is_leaf for parameter in params):
            raise ValueError("can't optimize a non-leaf Tensor")
        known = {id(parameter) for group in self.param_groups for parameter in group["params"]}
        if any(id(parameter) in known for parameter in params):
            raise ValueError("some parameters appear in more than one parameter group")
        param_group["params"] = params
        for name, default in self.defaults.items():
            param_group.setdefault(name, default)
        self.param_groups.append(param_group)

    def zero_grad(self, set_to_none: bool = True) -> None:
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    torch_clear_grad(parameter, set_to_none)

    @paddle.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        loss = None
        if closure is not None:
            with paddle.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    self._step_one(parameter, group)
        return loss

    def _step_one(self, parameter: paddle.Tensor, group: dict[str, Any]) -> None:
        grad: Any = parameter.grad
        grad = -grad if group.get("maximize") else grad.detach()
        state, lr = self.state.get(parameter, {}), float(group["lr"])
        if parameter.is_complex():
            real = paddle.as_real(parameter)
            self.update(real, paddle.as_real(grad), state, group, lr)
            paddle.assign(paddle.as_complex(real), parameter)
        else:
            self.update(parameter, grad, state, group, lr)
        if state:
            self.state[parameter] = state

    def update(
        self,
        parameter: paddle.Tensor,
        grad: paddle.Tensor,
        state: dict[str, Any],
        group: dict[str, Any],
        lr: float,
    ) -> None:
        raise NotImplementedError

    def count_step(self, state: dict[str, Any]) -> int:
        """Count a step in the state, where torch keeps the count as a tensor."""
        if "step" not in state:
            state["step"] = paddle.to_tensor(0.0, dtype="float32", place=paddle.CPUPlace())
        paddle.increment(state["step"])
        return int(state["step"])

    def run_hooks(self, kind: str, *values: Any) -> Any:
        """What the hooks of a kind, in their order, make of a state dict."""
        for handle, hook in self.__dict__.get("state_hooks", {}).get(kind, ()):
            changed = hook(self, *values) if handle.active else None
            values = values if changed is None else (changed,)
        return values[0] if values else None

    def state_dict(self) -> dict[str, Any]:
        self.run_hooks("state_dict_pre")
        everything = [p for group in self.param_groups for p in group["params"]]
        index = {id(parameter): i for i, parameter in enumerate(everything)}
        groups = []
        for group in self.param_groups:
            packed = {key: value for key, value in group.items() if key != "params"}
            packed["params"] = [index[id(parameter)] for parameter in group["params"]]
            groups.append(packed)
        state = {index.get(id(key), key): value for key, value in self.state.items()}
        result: dict[str, Any] = {"state": state, "param_groups": groups}
        return dict(self.run_hooks("state_dict_post", result))

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        state_dict = self.run_hooks("load_state_dict_pre", state_dict.copy())
        saved = copy.deepcopy(state_dict["param_groups"])
        if [len(g["params"]) for g in self.param_groups] != [len(g["params"]) for g in saved]:
            raise ValueError("loaded state dict has parameter groups of another number or size")
        parameters: dict[Any, Any] = {}
        for group, new in zip(self.param_groups, saved, strict=True):
            parameters.update(zip(new["params"], group["params"], strict=True))
            new["params"] = group["params"]
        self.state = collections.defaultdict(dict)
        for index, values in state_dict["state"].items():
            parameter = parameters.get(index, index)
            cast = {
                name: value.to(parameter.place, parameter.dtype)
                for name, value in values.items()
                if isinstance(value, paddle.Tensor) and name != "step"
            }
            self.state[parameter] = {**values, **cast}
        self.param_groups = saved
        self.run_hooks("load_state_dict_post")

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__.removeprefix('Torch')} ("]
        for number, group in enumerate(self.param_groups):
            lines += [""] * (number > 0) + [f"Parameter Group {number}"]
            lines += [f"    {key}: {group[key]}" for key in sorted(group) if key != "params"]
        return "\n".join(lines) + "\n)"


@torch_named
class TorchSGD(TorchOptimizer):
    """`torch.optim.SGD`: the first momentum is the gradient itself, whatever the dampening."""

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
            "foreach": foreach,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)

    def update(
        self,
        parameter: paddle.Tensor,
        grad: paddle.Tensor,
        state: dict[str, Any],
        group: dict[str, Any],
        lr: float,
    ) -> None:
        if group["weight_decay"] != 0:
            grad = grad + parameter * group["weight_decay"]
        momentum = group["momentum"]
        if momentum != 0:
            velocity = state.get("momentum_buffer")
            if velocity is None:
                velocity = state["momentum_buffer"] = grad.clone()
            else:
                velocity.scale_(momentum).add_(grad * (1 - group["dampening"]))
            grad = grad + velocity * momentum if group["nesterov"] else velocity
        parameter.subtract_(grad * lr)


def torch_before_step(optimizer: TorchOptimizer, hook: Callable[..., Any]) -> Any:
    """`register_step_pre_hook`: the hook may replace the arguments of `step`."""
    step = optimizer.step
    handle = TorchStepHook()

    def hooked(*args: Any, **kwargs: Any) -> Any:
        if handle.active and (changed := hook(optimizer, (optimizer, *args), kwargs)) is not None:
            args, kwargs = changed[0][1:], changed[1]
        return step(*args, **kwargs)

    optimizer.step = hooked  # type: ignore[method-assign]
    return handle


def torch_after_step(optimizer: TorchOptimizer, hook: Callable[..., Any]) -> Any:
    """`register_step_post_hook`."""
    step = optimizer.step
    handle = TorchStepHook()

    def hooked(*args: Any, **kwargs: Any) -> Any:
        result = step(*args, **kwargs)
        if handle.active:
            hook(optimizer, (optimizer, *args), kwargs)
        return result

    optimizer.step = hooked  # type: ignore[method-assign]
    return handle


def torch_register_state_hook(
    optimizer: TorchOptimizer, kind: str, hook: Callable[..., Any], prepend: bool = False
) -> Any:
    """`register_state_dict_pre_hook` of an optimizer, and its sisters."""
    handle = TorchStepHook()
    hooks = optimizer.__dict__.setdefault("state_hooks", {}).setdefault(kind, [])
    hooks.insert(0 if prepend else len(hooks), (handle, hook))
    return handle


class TorchStepHook:
    """What registering a hook returns: `remove()` ends it."""

    active = True

    def remove(self) -> None:
        self.active = False
