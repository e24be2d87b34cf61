"""Models written for Paddle by hand: their tensors, settings and operations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import paddle
import torch

from workbench.streams.torch_recorder import outermost, patched, with_own
from workbench.targets.paddle.carry import Bridge, layouts, operations, settings, tensors
from workbench.targets.port import Around, Called

_paddle: Any = paddle
# Paddle's names for the state of torch's optimizers.
_MOMENTS = {"exp_avg": "moment1", "exp_avg_sq": "moment2", "momentum_buffer": "velocity"}


@dataclass(frozen=True, slots=True)
class PaddleTensor:
    """`workbench.targets.port.PortTensor` for Paddle."""

    weight: layouts.Weight

    @property
    def tensors(self) -> tuple[Any, ...]:
        """The layer's own tensors."""
        return self.weight.tensors

    @property
    def trained(self) -> bool:
        """Return whether any of the tensors is trained."""
        return any(not tensor.stop_gradient for tensor in self.tensors)

    def read(self) -> torch.Tensor:
        """Return the value in torch's layout."""
        return self.weight.read().detach().clone()

    def write(self, value: torch.Tensor) -> None:
        """Set the layer's tensors, keeping their dtype."""
        self.weight.write(value.to(tensors.to_torch(self.tensors[0]).dtype))

    def gradient(self) -> torch.Tensor | None:
        """Return the gradient in torch's layout, or None."""
        return self._joined([tensors.gradient(tensor) for tensor in self.tensors])

    def moment(self, optimizer: Any, name: str) -> torch.Tensor | None:
        """Return a Paddle optimizer's state for it, or None."""
        kept = getattr(optimizer, "_accumulators", {}).get(_MOMENTS[name], {})
        parts = [kept.get(tensor.name) for tensor in self.tensors]
        return self._joined([None if part is None else tensors.to_torch(part) for part in parts])

    def _joined(self, parts: list[torch.Tensor | None]) -> torch.Tensor | None:
        present = [part for part in parts if part is not None]
        if len(present) < len(parts):
            return None
        value = self.weight.kept.join(present).detach().clone()
        return value if self.weight.shape is None else value.reshape(self.weight.shape)


class Ports(Bridge):
    """`workbench.targets.port.Ports` for Paddle."""

    package = "paddle"
    module_kind = paddle.nn.Layer
    optimizer_kind = paddle.optimizer.Optimizer
    schedule_kinds: tuple[type, ...] = (paddle.optimizer.lr.LRScheduler,)
    hooks = True

    def needs(self, function: Any) -> dict[str, Any]:
        """Return no arguments."""
        return {}

    def held(self, module: Any) -> Mapping[str, PaddleTensor]:
        """Return every tensor of a layer, by the names in torch's counterpart."""
        return {name: PaddleTensor(weight) for name, weight in layouts.weights(module).items()}

    def owner(self, module: Any, name: str) -> Any:
        """Return the part of a layer that holds a tensor."""
        path = name.rpartition(".")[0]
        return self.parts(module).get(path, module)

    def raw(self, module: Any, name: str) -> bool:
        """Return whether a user's layer holds it, in the layer's own layout."""
        return not type(self.owner(module, name)).__module__.startswith("paddle.")

    def uncorrected(self, module: Any, name: str) -> bool:
        """Return whether this is a running variance of Paddle's own layers."""
        owner = type(self.owner(module, name))
        return layouts.uncorrected(owner, name.rpartition(".")[2])

    def parts(self, module: Any) -> Mapping[str, Any]:
        """Return a layer's parts by dotted name."""
        return dict(module.named_sublayers(include_self=True))

    def settings(self, module: Any) -> dict[str, Any]:
        """Return the settings of a layer of Paddle, in torch's terms."""
        return settings.of_layer(module)

    def set_setting(self, module: Any, name: str, value: Any) -> bool:
        """Change a setting of a Paddle layer, in torch's terms; return whether it was possible."""
        return settings.set_layer(module, name, value)

    def optimizer_settings(self, optimizer: Any) -> dict[str, Any]:
        """Return the settings of an optimizer, in torch's terms."""
        return settings.of_optimizer(optimizer)

    def schedule(self, optimizer: Any) -> Any:
        """Return the schedule of an optimizer's rate, or None if the rate is a number."""
        rate = getattr(optimizer, "_learning_rate", None)
        return rate if isinstance(rate, paddle.optimizer.lr.LRScheduler) else None

    def clips(self, optimizer: Any) -> bool:
        """Return whether an optimizer clips gradients."""
        return getattr(optimizer, "_grad_clip", None) is not None

    def cast(self, module: Any, dtype: str) -> None:
        """Cast all floats of a layer to `float32` or `float64`, in place.

        Paddle's own cast empties the weights of recurrent layers, and casts integers too.
        """
        for layer in module.sublayers(include_self=True):
            layer._dtype = dtype
            for tensor in (*layer._parameters.values(), *layer._buffers.values()):
                if tensor is not None and tensor.is_floating_point():
                    made = tensor.detach().astype(dtype)
                    tensor.value().get_tensor()._share_data_with(made.value().get_tensor())

    @contextmanager
    def default_dtype(self, dtype: str) -> Iterator[None]:
        """While open, give new floats this dtype."""
        before = paddle.get_default_dtype()
        paddle.set_default_dtype(dtype)
        try:
            yield
        finally:
            paddle.set_default_dtype(before)

    def records(self) -> bool:
        """Return True except in `no_grad`."""
        return bool(_paddle.is_grad_enabled())

    def without_gradients(self) -> AbstractContextManager[None]:
        """While open, record nothing for a backward pass."""
        return _paddle.no_grad()

    def input(self, value: torch.Tensor, *, gradient: bool) -> Any:
        """Return an input with the value."""
        made = tensors.carry(value.detach().clone())
        made.stop_gradient = not (gradient and value.is_floating_point())
        return made

    def backward(
        self, module: Any, inputs: list[Any], run: Callable[[Any, list[Any]], tuple[Any, Any]]
    ) -> tuple[Any, list[torch.Tensor | None]]:
        """Run a function and differentiate the number that it returns."""
        total, wanted = run(module, inputs)
        if total is not None and self.requires_grad(total):
            total.backward()
        return wanted, [self.gradient(value) for value in inputs]

    def noting(self, note: Callable[[Called], None]) -> AbstractContextManager[None]:
        """While open, report every operation."""
        return operations.noting(note)

    def note_gradient(self, value: Any, note: Callable[[torch.Tensor], None]) -> None:
        """Register a callback for the gradient of a value."""

        def receive(gradient: Any) -> None:
            if gradient is not None:  # None if there is no gradient
                note(self.to_torch(gradient))

        if self.requires_grad(value):
            value.register_hook(receive)

    @contextmanager
    def calls(self, note: Callable[[Any], AbstractContextManager[None]]) -> Iterator[None]:
        """While open, run every call of a layer within `note(layer)`."""

        def make(original: Any) -> Any:
            def call(layer: Any, *args: Any, **kwargs: Any) -> Any:
                with note(layer):
                    return original(layer, *args, **kwargs)

            return call

        with ExitStack() as stack:
            stack.enter_context(patched(paddle.nn.Layer, "__call__", make))
            yield

    @contextmanager
    def training(self, around: Around) -> Iterator[None]:
        """While open, run a script's calls, backward passes and steps through `around`."""

        def call(run: Callable[[], Any], layer: Any, *args: Any, **kwargs: Any) -> Any:
            return around.call(run, layer, args, kwargs)

        def backward(run: Callable[[], Any], loss: Any, *_: Any, **__: Any) -> Any:
            return around.backward(run, loss)

        def turned(run: Callable[[], Any], schedule: Any, *_: Any, **__: Any) -> Any:
            return around.turn(run, schedule)

        with ExitStack() as stack:
            stack.enter_context(patched(paddle.nn.Layer, "__call__", outermost(call)))
            stack.enter_context(patched(paddle.Tensor, "backward", outermost(backward)))
            step, turn = outermost(around.step), outermost(turned)
            for kind in with_own(paddle.optimizer.Optimizer, "step"):
                stack.enter_context(patched(kind, "step", step))
            for kind in with_own(paddle.optimizer.lr.LRScheduler, "step"):
                stack.enter_context(patched(kind, "step", turn))
            yield

    def clear_gradients(self, module: Any) -> None:
        """Forget the gradients of a layer's parameters."""
        for parameter in module.parameters():
            parameter.clear_gradient(False)

    def state(self, module: Any) -> dict[str, Any]:
        """Return copies of the layer's state."""
        return {name: value.clone() for name, value in self.entries(module).items()}

    def entries(self, module: Any) -> Mapping[str, Any]:
        """Return the tensors of the layer's state themselves."""
        return dict(module.state_dict())

    def load_state(self, module: Any, state: Mapping[str, Any]) -> None:
        """Load such a state."""
        module.set_state_dict(dict(state))

    def step(self, optimizer: Any) -> None:
        """Make one step and clear the gradients."""
        optimizer.step()
        optimizer.clear_grad()

    def step_schedule(self, optimizer: Any) -> None:
        """Make one step of the schedule of an optimizer's rate, if it has one."""
        if (rate := self.schedule(optimizer)) is not None:
            rate.step()
