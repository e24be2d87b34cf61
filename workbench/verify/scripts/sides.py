"""How the original's script and the port's are read while they run: both are a `Reader`."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from copy import copy
from typing import Any

import torch

from workbench.errors import TorchferryError
from workbench.streams.draws import Stream
from workbench.streams.torch_recorder import FreshWeights, Recorder, outermost, patched
from workbench.targets.port import Around, Ports
from workbench.verify.checks.judging import ROUNDING
from workbench.verify.locating.tracing import Trace, port_trace, torch_trace
from workbench.verify.pairing.bound import Bound
from workbench.verify.pairing.candidates import tensors_of
from workbench.verify.scripts.following import Step
from workbench.verify.sides.places import caller
from workbench.verify.sides.shelf import Shelf
from workbench.verify.sides.sides import Sides
from workbench.verify.sides.task import SEED
from workbench.verify.sides.values import each, nudged


class Original:
    """torch's side: it notes its draws, and what its models were first called with.

    Names of tensors begin with that of their model, but for the first one's.
    """

    def __init__(self) -> None:
        self.models: list[torch.nn.Module] = []
        self.names: list[str] = []
        self.before = Shelf()
        self.examples: list[tuple[tuple[Any, ...], dict[str, Any]]] = []
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

        def turn(run: Callable[[], Any], schedule: Any, *_: Any, **__: Any) -> Any:
            return around.turn(run, schedule)

        stepped, turned = outermost(step), outermost(turn)
        with ExitStack() as stack:
            stack.enter_context(patched(torch.nn.Module, "__call__", outermost(call)))
            stack.enter_context(patched(torch.Tensor, "backward", outermost(backward)))
            for kind in _kinds(torch.optim.Optimizer):
                stack.enter_context(patched(kind, "step", stepped))
            for kind in _kinds(torch.optim.lr_scheduler.LRScheduler):
                if "step" in vars(kind):
                    stack.enter_context(patched(kind, "step", turned))
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

    def records(self) -> bool:
        """True unless under `no_grad`."""
        return torch.is_grad_enabled()

    def parameters(self, module: torch.nn.Module) -> list[torch.Tensor]:
        """The module's parameters."""
        return list(module.parameters())

    def parts(self, module: torch.nn.Module) -> Iterable[torch.nn.Module]:
        """The module and those in it."""
        return module.modules()

    def begin(self, model: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Note the model with its fresh weights."""
        number = len(self.models) + 1
        self.names.append(f"{type(model).__name__} ({number}): " if self.models else "")
        self.models.append(model)
        self.examples.append(each((args, kwargs), self.read))
        for name, tensor in tensors_of(model).items():
            self.before[self.names[-1] + name] = tensor

    def catch_up(self, model: int) -> None:
        """It is where it should be."""

    def gradients(self) -> Iterator[tuple[str, torch.Tensor | None]]:
        """By the names of the parameters."""
        for name, model in zip(self.names, self.models, strict=True):
            for inner, parameter in model.named_parameters():
                yield name + inner, parameter.grad

    def weights(self, model: int | None = None) -> Iterator[tuple[str, torch.Tensor]]:
        """Weights and buffers by their names."""
        for number, (name, one) in enumerate(zip(self.names, self.models, strict=True)):
            if model in (None, number):
                for inner, tensor in tensors_of(one).items():
                    yield name + inner, tensor

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
    """torch's side again, each step from the weights that it began with, moved by one rounding."""

    def __init__(self, steps: list[Step]) -> None:
        super().__init__()
        self._steps = steps
        self._step = 0
        self._late: set[int] = set()  # models that have not been moved in this step

    def begin(self, model: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Move the fresh weights."""
        super().begin(model, args, kwargs)
        self._move(len(self.models) - 1, self.before)

    def proceed(self, step: int) -> None:
        """Those that the original had now are to be moved."""
        self._step = step
        self._late = set(range(len(self.models))) if step < len(self._steps) else set()

    def catch_up(self, model: int) -> None:
        """Move the weights that the original began the step with."""
        if model in self._late:
            self._late.remove(model)
            self._move(model, self._steps[self._step].start)

    def _move(self, model: int, values: Shelf) -> None:
        generator = torch.Generator().manual_seed(SEED + self._step)
        with torch.no_grad():
            for name, tensor in tensors_of(self.models[model]).items():
                value = values[self.names[model] + name]
                assert value is not None
                tensor.copy_(nudged(value, generator, ROUNDING))


class Port:
    """The port's side: each step begins with the original's weights, and draws what it drew.

    Args:
        original: the other side, which has run.
        steps: what it did.
        pair: pairs the tensors of one of the original's models, by its number, with those of one
            of this side's.
    """

    def __init__(
        self,
        original: Original,
        steps: list[Step],
        pair: Callable[[int, Any], Sides],
        ports: Ports,
    ) -> None:
        self._original, self._steps, self._pair = original, steps, pair
        self._ports = ports
        self._step = 0
        self._late: set[int] = set()  # models that have not got the weights of this step
        self.sides: list[Sides] = []  # of each model that has been called
        self.problem = ""
        self.traced = Trace(ports.package)

    def bound(self) -> list[tuple[str, Sides, Bound]]:
        """All pairs, each with the name of its model and both sides of it."""
        names = self._original.names
        pairs = zip(names, self.sides, strict=False)
        return [(name, sides, one) for name, sides in pairs for one in sides.bound()]

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

    def records(self) -> bool:
        """True unless nothing is recorded for a backward pass."""
        return self._ports.records()

    def parameters(self, module: Any) -> list[Any]:
        """The module's parameters."""
        return list(module.parameters())

    def parts(self, module: Any) -> Iterable[Any]:
        """The module and those in it."""
        return self._ports.parts(module).values()

    def begin(self, model: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Pair the model with the original's, and give it that one's fresh weights.

        Raises:
            TorchferryError: the original has no such model, or the two cannot be paired.
        """
        number = len(self.sides)
        if number == len(self._original.models):
            raise TorchferryError(
                f"{caller()}: the port trains a model more than the original here"
                f" ({type(model).__name__}); verify each by name, as in train.py:Net"
            )
        modes = [(part, part.training) for part in self.parts(model)]
        self._put_back(number, self._original.before)
        self.sides.append(self._pair(number, model))
        self.sides[-1].carry()
        for part, training in modes:
            self._ports.set_training(part, training)

    def catch_up(self, model: int) -> None:
        """Take the weights that the original began the step with."""
        if model in self._late:
            self._late.remove(model)
            self._put_back(model, self._steps[self._step].start)
            self.sides[model].carry()

    def gradients(self) -> Iterator[tuple[str, torch.Tensor | None]]:
        """By the names of the pairs."""
        for name, _, bound in self.bound():
            yield name + bound.pair.name, bound.read_gradient()

    def weights(self, model: int | None = None) -> Iterator[tuple[str, torch.Tensor]]:
        """Weights and buffers by the names of the pairs."""
        for name, sides, bound in self.bound():
            if model is None or sides is self.sides[model]:
                yield name + bound.pair.name, bound.read()

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
        """The original's weights of now are to be taken."""
        self._step = step
        self._late = set(range(len(self.sides))) if step < len(self._steps) else set()

    def trace(self) -> AbstractContextManager[None]:
        """While open, all operations are noted."""
        return port_trace(self.traced, self._ports)

    def _put_back(self, model: int, values: Shelf) -> None:
        """Have one of the original's models as it was."""
        before = self._original.names[model]
        with torch.no_grad():
            for name, tensor in tensors_of(self._original.models[model]).items():
                value = values[before + name]
                assert value is not None
                tensor.copy_(value)


def _kinds(kind: Any) -> Iterator[Any]:
    """A class and all that derive from it: torch gives each a step of its own when it is used."""
    yield kind
    for one in kind.__subclasses__():
        yield from _kinds(one)
