"""Implementations of `Reader` for the original's script and the port's."""

from __future__ import annotations

import math
from collections import defaultdict, deque
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
from workbench.verify.pairing.bound import Bound, bind
from workbench.verify.pairing.candidates import held_once, tensors_of
from workbench.verify.scripts.following import Step, variables
from workbench.verify.sides.places import caller
from workbench.verify.sides.seeds import SEED
from workbench.verify.sides.shelf import Shelf
from workbench.verify.sides.sides import Sides
from workbench.verify.sides.values import each, nudged, tensors_in


class Original:
    """The torch script, which records random draws and the arguments of each model's first call.

    Names of tensors start with the name of their model, except for the first model.
    """

    def __init__(self) -> None:
        self.models: list[torch.nn.Module] = []
        self.names: list[str] = []
        self.before = Shelf()
        self.examples: list[tuple[tuple[Any, ...], dict[str, Any]]] = []
        self.modes: list[bool] = []  # whether each was in training mode at its first call
        # Copies that are never called, with the index of their model.
        self.idle: list[tuple[int, torch.nn.Module]] = []
        self.streams: list[Stream] = []
        self.traced = Trace("torch")

    @contextmanager
    def training(self, around: Around) -> Iterator[None]:
        """Route the script's events to the callbacks of `around` while open."""

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

    @property
    def module_kind(self) -> type:
        """torch's class of modules."""
        return torch.nn.Module

    def is_tensor(self, value: Any) -> bool:
        """Return whether a value is a torch tensor."""
        return isinstance(value, torch.Tensor)

    def read(self, tensor: torch.Tensor) -> torch.Tensor:
        """Return a copy of the value."""
        return tensor.detach().clone()

    def learns(self, tensor: torch.Tensor) -> bool:
        """Return whether a backward pass would reach a tensor."""
        return tensor.requires_grad

    def records(self) -> bool:
        """Return False under `no_grad`."""
        return torch.is_grad_enabled()

    def parameters(self, module: torch.nn.Module) -> list[torch.Tensor]:
        """Return the module's parameters."""
        return list(module.parameters())

    def parts(self, module: torch.nn.Module) -> Iterable[torch.nn.Module]:
        """Return the module and its submodules."""
        return module.modules()

    def begin(self, model: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> int:
        """Register the model, store its fresh weights and return its index."""
        number = len(self.models) + 1
        self.names.append(f"{type(model).__name__} ({number}): " if self.models else "")
        self.models.append(model)
        self.examples.append(each((args, kwargs), self.read))
        self.modes.append(model.training)
        for name, tensor in tensors_of(model).items():
            self.before[self.names[-1] + name] = tensor
        return number - 1

    def catch_up(self, model: int) -> None:
        """Do nothing: the original's weights are the reference."""

    def gradients(self) -> Iterator[tuple[str, torch.Tensor | None]]:
        """Yield gradients by the names of the parameters."""
        for name, model in zip(self.names, self.models, strict=True):
            for inner, parameter in model.named_parameters():
                yield name + inner, parameter.grad

    def weights(self, model: int | None = None) -> Iterator[tuple[str, torch.Tensor]]:
        """Yield weights and buffers by name."""
        for number, (name, one) in enumerate(zip(self.names, self.models, strict=True)):
            if model in (None, number):
                for inner, tensor in tensors_of(one).items():
                    yield name + inner, tensor

    def twin(self, module: torch.nn.Module) -> int | None:
        """Return the index of a model of the same class with equal names and shapes, or None."""
        own = [(name, t.shape) for name, t in tensors_of(module).items()]
        for number, one in enumerate(self.models):
            if type(one) is type(module) and own == [
                (n, t.shape) for n, t in tensors_of(one).items()
            ]:
                return number
        return None

    def compared_tensors(
        self, module: torch.nn.Module, model: int
    ) -> Iterator[tuple[str, torch.Tensor]]:
        """Yield its parameters by name, without buffers, which correct ports may update
        differently.
        """
        if all(one is not module for _, one in self.idle):
            self.idle.append((model, module))
        number = next(i for i, (_, one) in enumerate(self.idle) if one is module)
        for name, tensor in module.named_parameters():
            yield idle_name(number, module) + name, tensor

    def rate(self, optimizer: torch.optim.Optimizer) -> torch.Tensor | None:
        """Return the learning rate, or None if groups have different ones."""
        rates = {float(group["lr"]) for group in optimizer.param_groups}
        return torch.tensor(rates.pop()) if len(rates) == 1 else None

    @contextmanager
    def draws(self, step: int) -> Iterator[None]:
        """Record the draws of a step while open."""
        self.streams[step:] = [Stream()]
        with Recorder(self.streams[step], FreshWeights()).recording():
            yield

    def proceed(self, step: int) -> None:
        """Do nothing: each step continues from the one before."""

    def trace(self) -> AbstractContextManager[None]:
        """Record all operations while open."""
        return torch_trace(self.traced)


class Moved(Original):
    """torch's side again, each step from the original's weights, perturbed by one rounding."""

    def __init__(self, steps: list[Step]) -> None:
        super().__init__()
        self._steps = steps
        self._step = 0
        self._late: set[int] = set()  # models not yet perturbed in this step

    def begin(self, model: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> int:
        """Register the model and perturb its fresh weights."""
        number = super().begin(model, args, kwargs)
        self._move(number, self.before)
        return number

    def proceed(self, step: int) -> None:
        """Mark all models for a perturbation in this step."""
        self._step = step
        self._late = set(range(len(self.models))) if step < len(self._steps) else set()

    def catch_up(self, model: int) -> None:
        """Perturb the weights with which the original began the step."""
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
    """The port's side: each step starts with the original's weights and replays its draws.

    Args:
        original: the other side, after its run.
        steps: the original's steps.
        pair: pairs the tensors of one of the original's models, by index, with those of a model of
            this side.
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
        self._late: set[int] = set()  # models without the weights of this step
        self.sides: dict[int, Sides] = {}  # by the index of each model that has been called
        # As the original's, with their pairs.
        self.idle: list[tuple[int, Any, str, list[Bound]]] = []
        self.problem = ""
        self.traced = Trace(ports.package)

    def bound(self) -> list[tuple[str, Sides, Bound]]:
        """Return all pairs, each with the name of its model and both sides of it."""
        pairs = (
            (self._original.names[number], self.sides[number]) for number in sorted(self.sides)
        )
        return [(name, sides, one) for name, sides in pairs for one in sides.bound()]

    def training(self, around: Around) -> AbstractContextManager[None]:
        """Route the script's events to the callbacks of `around` while open."""
        return self._ports.training(around)

    @property
    def module_kind(self) -> type:
        """The target's class of modules."""
        return self._ports.module_kind

    def is_tensor(self, value: Any) -> bool:
        """Return whether a value is a tensor of the target."""
        return self._ports.is_tensor(value)

    def read(self, tensor: Any) -> torch.Tensor:
        """Return a copy of the value as a torch tensor."""
        return self._ports.to_torch(tensor).clone()

    def learns(self, tensor: Any) -> bool:
        """Return whether a backward pass would reach a tensor."""
        return self._ports.requires_grad(tensor)

    def records(self) -> bool:
        """Return False while no backward pass is recorded."""
        return self._ports.records()

    def parameters(self, module: Any) -> list[Any]:
        """Return the module's parameters."""
        return list(module.parameters())

    def parts(self, module: Any) -> Iterable[Any]:
        """Return the module and its submodules."""
        return self._ports.parts(module).values()

    def begin(self, model: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> int:
        """Pair the model with one of the original's, load that one's fresh weights and return its
        index.

        Raises:
            TorchferryError: the original has no such model, or the two cannot be paired.
        """
        left = [n for n in range(len(self._original.models)) if n not in self.sides]
        if not left:
            raise TorchferryError(
                f"{caller()}: the port trains one more model than the original"
                f" ({type(model).__name__}); verify each by name, as in train.py:Net"
            )
        fitting = [n for n in left if self._may_be(model, (args, kwargs), n)]
        alike = [n for n in fitting if self._original.modes[n] == model.training]
        number = (alike or fitting or left)[0]
        modes = [(part, part.training) for part in self.parts(model)]
        copies = list(self._copies(model))
        self._restore_model(number, self._original.before)
        self.sides[number] = self._pair(number, model)
        self.sides[number].carry()
        for container, key, tensor in copies:
            container[key] = self._ports.input(self._ports.to_torch(tensor).clone(), gradient=False)
        for part, training in modes:
            self._ports.set_training(part, training)
        return number

    def _may_be(self, model: Any, given: Any, number: int) -> bool:
        """Return whether a model's first inputs and its number of trained elements fit the
        original's.
        """
        taken = [tuple(t.shape) for _, t in tensors_in(given, self.is_tensor)]
        wanted = [
            tuple(t.shape)
            for _, t in tensors_in(self._original.examples[number], self._original.is_tensor)
        ]
        sizes = (
            sum(math.prod(p.shape) for p in side.parameters(one) if side.learns(p))
            for side, one in ((self, model), (self._original, self._original.models[number]))
        )
        return taken == wanted and len(set(sizes)) == 1

    def _copies(self, model: Any) -> Iterator[tuple[Any, Any, Any]]:
        """Yield copies of a model's fresh weights that the script keeps, such as a future average.

        Each is the dict or list that holds it, its key there, and the weight.
        """
        weights: dict[torch.Size, list[tuple[Any, torch.Tensor]]] = defaultdict(list)
        for one in self._ports.held(model).values():
            for tensor in one.tensors:
                value = self._ports.to_torch(tensor)
                weights[value.shape].append((tensor, value))
        for container in {id(one): one for one in variables()}.values():
            if type(container) not in (dict, list):
                continue
            entries = container.items() if isinstance(container, dict) else enumerate(container)
            for key, held in list(entries):
                if not self.is_tensor(held):
                    continue
                value = self._ports.to_torch(held)
                for tensor, weight in weights[value.shape]:
                    if held is not tensor and value.dtype == weight.dtype and value.equal(weight):
                        yield container, key, tensor
                        break

    def catch_up(self, model: int) -> None:
        """Load the weights with which the original began the step."""
        if model in self._late:
            self._late.remove(model)
            self._restore_model(model, self._steps[self._step].start)
            self.sides[model].carry()

    def gradients(self) -> Iterator[tuple[str, torch.Tensor | None]]:
        """Yield gradients by the names of the pairs."""
        for name, _, bound in self.bound():
            yield name + bound.pair.name, bound.read_gradient()

    def weights(self, model: int | None = None) -> Iterator[tuple[str, torch.Tensor]]:
        """Yield weights and buffers by the names of the pairs."""
        for name, sides, bound in self.bound():
            if model is None or sides is self.sides[model]:
                yield name + bound.pair.name, bound.read()

    def twin(self, module: Any) -> int | None:
        """Return the index of a model of the same class with equal names and shapes, or None."""
        for number, one in self.sides.items():
            if type(one.theirs) is type(module) and self._shapes(one.theirs) == self._shapes(
                module
            ):
                return number
        return None

    def compared_tensors(self, module: Any, model: int) -> Iterator[tuple[str, torch.Tensor]]:
        """Yield its tensors by the names of the pairs, except at its first use; then load the
        original's.
        """
        known = next((one for one in self.idle if one[1] is module), None)
        if known is not None:
            for bound in known[3]:
                yield known[2] + bound.pair.name, bound.read()
        else:
            taken = sum(own == model for own, *_ in self.idle)
            same = [i for i, (own, _) in enumerate(self._original.idle) if own == model]
            if taken == len(same):
                return
            ours = self._original.idle[same[taken]][1]
            held = held_once(self._ports.held(module))
            bounds = bind(self.sides[model].pairs, tensors_of(ours), held)
            known = model, module, idle_name(same[taken], ours), bounds
            self.idle.append(known)
        if self._step < len(self._steps):
            for bound in known[3]:
                value = bound.of(self._steps[self._step].start, known[2])
                if value is not None:
                    bound.write(value)

    def _shapes(self, module: Any) -> list[tuple[str, Any]]:
        held = held_once(self._ports.held(module))
        return [(name, one.read().shape) for name, one in held.items()]

    def rate(self, optimizer: Any) -> torch.Tensor | None:
        """Return the learning rate, or None."""
        rate = self._ports.optimizer_settings(optimizer).get("lr")
        return None if rate is None else torch.tensor(rate)

    @contextmanager
    def draws(self, step: int) -> Iterator[None]:
        """Replay the original's draws of a step while open."""
        streams = self._original.streams
        stream = copy(streams[step]) if step < len(streams) else Stream()
        stream.draws = deque(stream.draws)
        with self._ports.replay(stream):
            yield
        if stream.problem and not self.problem:
            self.problem = f"step {step + 1}: {stream.problem}"

    def proceed(self, step: int) -> None:
        """Mark all models for loading the original's weights of this step."""
        self._step = step
        self._late = set(self.sides) if step < len(self._steps) else set()

    def trace(self) -> AbstractContextManager[None]:
        """Record all operations while open."""
        return port_trace(self.traced, self._ports)

    def _restore_model(self, model: int, values: Shelf) -> None:
        """Restore one of the original's models to earlier values."""
        before = self._original.names[model]
        with torch.no_grad():
            for name, tensor in tensors_of(self._original.models[model]).items():
                value = values[before + name]
                assert value is not None
                tensor.copy_(value)


def idle_name(number: int, module: Any) -> str:
    """Return the prefix of tensor names for a module that is never called."""
    return f"{type(module).__name__} never called ({number + 1}): "


def _kinds(kind: Any) -> Iterator[Any]:
    """Yield a class and all its subclasses: torch wraps each one's step when it is first used."""
    yield kind
    for one in kind.__subclasses__():
        yield from _kinds(one)
