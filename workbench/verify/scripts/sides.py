"""How the original's script and the port's are read while they run: both are a `Reader`."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from copy import copy
from typing import Any

import torch

from workbench.streams.draws import Stream
from workbench.streams.torch_recorder import FreshWeights, Recorder, outermost, patched
from workbench.targets.port import Around, Ports
from workbench.verify.checks.judging import ROUNDING
from workbench.verify.locating.tracing import Trace, port_trace, torch_trace
from workbench.verify.pairing.candidates import tensors_of
from workbench.verify.scripts.following import Step
from workbench.verify.sides.shelf import Shelf
from workbench.verify.sides.sides import Sides
from workbench.verify.sides.task import SEED
from workbench.verify.sides.values import each, nudged


class Original:
    """torch's side: it notes its draws, and what its model was made with and first called with."""

    def __init__(self) -> None:
        self.model: Any = None
        self.before = Shelf()
        self.example: tuple[tuple[Any, ...], dict[str, Any]] = ((), {})
        self.streams: list[Stream] = []
        self.traced = Trace("torch")

    @contextmanager
    def training(self, around: Around) -> Iterator[None]:
        """While open, what the script does happens as `around` has it."""

        def call(run: Callable[[], Any], module: Any, *args: Any, **kwargs: Any) -> Any:
            return around.call(run, module, args, kwargs)

        def backward(run: Callable[[], Any], loss: Any, *_: Any, **__: Any) -> Any:
            return around.backward(run, loss)

        def step(run: Callable[[], Any], optimizer: Any, *_: Any, **__: Any) -> Any:
            return around.step(run, optimizer)

        stepped = outermost(step)
        with ExitStack() as stack:
            stack.enter_context(patched(torch.nn.Module, "__call__", outermost(call)))
            stack.enter_context(patched(torch.Tensor, "backward", outermost(backward)))
            for kind in _kinds(torch.optim.Optimizer):
                stack.enter_context(patched(kind, "step", stepped))
            yield

    def is_tensor(self, value: Any) -> bool:
        """True for torch's tensors."""
        return isinstance(value, torch.Tensor)

    def read(self, tensor: torch.Tensor) -> torch.Tensor:
        """The value, as a copy."""
        return tensor.detach().clone()

    def learns(self, tensor: torch.Tensor) -> bool:
        """Whether a backward pass would reach a tensor."""
        return tensor.requires_grad

    def parameters(self, module: torch.nn.Module) -> list[torch.Tensor]:
        """The module's parameters."""
        return list(module.parameters())

    def begin(self, model: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Note the model with its fresh weights."""
        self.model = model
        self.before = Shelf(tensors_of(model).items())
        self.example = each((args, kwargs), self.read)

    def gradients(self) -> Iterator[tuple[str, torch.Tensor | None]]:
        """By the names of the parameters."""
        for name, parameter in self.model.named_parameters():
            yield name, parameter.grad

    def weights(self) -> Iterator[tuple[str, torch.Tensor]]:
        """Weights and buffers by their names."""
        yield from tensors_of(self.model).items()

    def rate(self, optimizer: torch.optim.Optimizer) -> torch.Tensor | None:
        """The learning rate; None where groups have different ones."""
        rates = {float(group["lr"]) for group in optimizer.param_groups}
        return torch.tensor(rates.pop()) if len(rates) == 1 else None

    @contextmanager
    def draws(self, step: int) -> Iterator[None]:
        """Note the draws of a step."""
        self.streams[step:] = [Stream()]
        with Recorder(self.streams[step], FreshWeights()).recording():
            yield

    def proceed(self, step: int) -> None:
        """Each step goes on from where the one before has led."""

    def trace(self) -> AbstractContextManager[None]:
        """While open, all operations are noted."""
        return torch_trace(self.traced)


class Moved(Original):
    """torch's side again, each step from the weights that it had, moved by one rounding."""

    def __init__(self, steps: list[Step]) -> None:
        super().__init__()
        self._steps = steps

    def begin(self, model: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Move the fresh weights."""
        super().begin(model, args, kwargs)
        self._move(self.before, 0)

    def proceed(self, step: int) -> None:
        """Move those that the original had now."""
        if step <= len(self._steps):
            self._move(self._steps[step - 1].after, step)

    def _move(self, values: Shelf, step: int) -> None:
        generator = torch.Generator().manual_seed(SEED + step)
        with torch.no_grad():
            for name, tensor in tensors_of(self.model).items():
                value = values[name]
                assert value is not None
                tensor.copy_(nudged(value, generator, ROUNDING))


class Port:
    """The port's side: each step begins with the original's weights, and draws what it drew.

    Args:
        original: the other side, which has run.
        steps: what it did.
        pair: pairs the tensors of the original's model with those of this one's.
    """

    def __init__(
        self,
        original: Original,
        steps: list[Step],
        pair: Callable[[Any], Sides],
        ports: Ports,
    ) -> None:
        self._original, self._steps, self._pair = original, steps, pair
        self._ports = ports
        self._sides: Sides | None = None
        self.problem = ""
        self.traced = Trace(ports.package)

    @property
    def sides(self) -> Sides:
        """Both models, once the port's has been called."""
        assert self._sides is not None
        return self._sides

    def training(self, around: Around) -> AbstractContextManager[None]:
        """While open, what the script does happens as `around` has it."""
        return self._ports.training(around)

    def is_tensor(self, value: Any) -> bool:
        """True for the target's tensors."""
        return self._ports.is_tensor(value)

    def read(self, tensor: Any) -> torch.Tensor:
        """The value, as a copy."""
        return self._ports.to_torch(tensor).clone()

    def learns(self, tensor: Any) -> bool:
        """Whether a backward pass would reach a tensor."""
        return self._ports.requires_grad(tensor)

    def parameters(self, module: Any) -> list[Any]:
        """The module's parameters."""
        return list(module.parameters())

    def begin(self, model: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Pair the two models, and give this one the other's fresh weights."""
        modes = [(part, part.training) for part in self._ports.parts(model).values()]
        self._put_back(self._original.before)
        self._sides = self._pair(model)
        self._sides.carry()
        for part, training in modes:
            self._ports.set_training(part, training)

    def gradients(self) -> Iterator[tuple[str, torch.Tensor | None]]:
        """By the names of the pairs."""
        for bound in self.sides.bound():
            yield bound.pair.name, bound.read_gradient()

    def weights(self) -> Iterator[tuple[str, torch.Tensor]]:
        """Weights and buffers by the names of the pairs."""
        for bound in self.sides.bound():
            yield bound.pair.name, bound.read()

    def rate(self, optimizer: Any) -> torch.Tensor | None:
        """The learning rate."""
        rate = self._ports.optimizer_settings(optimizer).get("lr")
        return None if rate is None else torch.tensor(rate)

    @contextmanager
    def draws(self, step: int) -> Iterator[None]:
        """Draw what the original drew in a step."""
        streams = self._original.streams
        stream = copy(streams[step]) if step < len(streams) else Stream()
        stream.draws = deque(stream.draws)
        with self._ports.replay(stream):
            yield
        if stream.problem and not self.problem:
            self.problem = f"step {step + 1}: {stream.problem}"

    def proceed(self, step: int) -> None:
        """Take the original's weights of now."""
        if step <= len(self._steps):
            self._put_back(self._steps[step - 1].after)
            self.sides.carry()

    def trace(self) -> AbstractContextManager[None]:
        """While open, all operations are noted."""
        return port_trace(self.traced, self._ports)

    def _put_back(self, values: Shelf) -> None:
        """Have the original's model as it was."""
        with torch.no_grad():
            for name, tensor in tensors_of(self._original.model).items():
                value = values[name]
                assert value is not None
                tensor.copy_(value)


def _kinds(kind: Any) -> Iterator[Any]:
    """A class and all that derive from it: torch gives each a step of its own when it is used."""
    yield kind
    for one in kind.__subclasses__():
        yield from _kinds(one)
