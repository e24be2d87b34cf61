"""Both sides of a verification, and single passes: outputs, loss, gradients and draws."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import torch

from workbench.streams.draws import Stream
from workbench.streams.torch_recorder import FreshWeights, Recorder
from workbench.targets.port import Ports
from workbench.verify.pairing.bound import Bound, Pair, bind
from workbench.verify.pairing.candidates import held_once, tensors_of
from workbench.verify.pairing.layout import SUM
from workbench.verify.sides.loading import eval_mode, mode_of_call
from workbench.verify.sides.places import package_of
from workbench.verify.sides.seeds import SEED, seed_all
from workbench.verify.sides.shelf import Shelf
from workbench.verify.sides.task import Task, loss_of, separate_inputs, takes_model
from workbench.verify.sides.values import (
    Size,
    each,
    in_precision,
    nudged,
    resized,
    tensors_in,
    widened,
)

# Parameters; larger models are verified in single precision only.
_LARGE = 20_000_000
# Numbers of dimensions of tensors with channels; for three it is ambiguous.
IMAGES = (4, 5)
_MATRIX = 2
# Range of the perturbation of weights that are constant.
_UNLIKE = 0.2
# Matrices this much smaller than a variance-preserving scale count as small.
_SMALL = 2.0
Context = Callable[[], AbstractContextManager[Any]]


@dataclass
class Pass:
    """Results of one pass of one side; all are torch tensors in torch's layout."""

    outputs: dict[str, torch.Tensor] = field(default_factory=dict)
    loss: torch.Tensor | None = None
    gradients: dict[str, torch.Tensor | None] = field(default_factory=dict)
    inputs: dict[str, torch.Tensor | None] = field(default_factory=dict)
    buffers: dict[str, torch.Tensor] = field(default_factory=dict)
    stream: Stream | None = None


class Sides:
    """A torch model, its port, and what to call them with."""

    def __init__(self, ours: Any, theirs: Any, task: Task, ports: Ports) -> None:
        self.ours, self.theirs, self.task, self.ports = ours, theirs, task, ports
        self.pairs: list[Pair] = []
        self.port_file: Path | None = None
        self.size: Size | None = None  # overrides a size of the inputs
        self.constants: set[str] = set()  # names of the original's buffers that are not random
        self.random_buffers: set[str] = set()
        self.dtype = torch.float32
        self.reads_uniform = False  # the port draws uniform numbers
        self.mirrored = False  # the port keeps the other half of the uniform draws
        self.inputs_learn = True  # gradients of the inputs are compared too
        self.has_weights = isinstance(ours, torch.nn.Module) and isinstance(
            theirs, ports.module_kind
        )
        # Parameters that the original does not train, which may be constants.
        named = ours.named_parameters() if self.has_weights else ()
        self.frozen = {name for name, p in named if not p.requires_grad}

    @property
    def large(self) -> bool:
        """Return whether double precision would take too much memory."""
        return self.has_weights and sum(p.numel() for p in self.ours.parameters()) > _LARGE

    def bound(self) -> list[Bound]:
        """Return the pairs bound to the present tensors of both sides."""
        if not self.has_weights:
            return []
        held = held_once(self.ports.held(self.theirs))
        return bind(self.pairs, tensors_of(self.ours), held)

    def fold(self) -> None:
        """Fold the original's summands into one tensor, as the port has it."""
        for bound in self.bound():
            bound.fold()

    def carry(self) -> None:
        """Copy all paired weights and buffers of the original to the port."""
        for bound in self.bound():
            bound.carry()

    @contextmanager
    def precise(self) -> Iterator[None]:
        """Run both models in double precision while open, with the original's weights on both
        sides.
        """
        before = torch.get_default_dtype()
        if isinstance(self.theirs, self.ports.module_kind):
            self.ports.cast(self.theirs, "float64")
        self._cast_original(torch.float64)
        torch.set_default_dtype(torch.float64)
        try:
            with self.ports.default_dtype("float64"):
                self.carry()
                yield
        finally:
            torch.set_default_dtype(before)
            self._cast_original(torch.float32)
            if isinstance(self.theirs, self.ports.module_kind):
                self.ports.cast(self.theirs, "float32")
            self.carry()

    def _cast_original(self, dtype: torch.dtype) -> None:
        self.dtype = dtype
        if isinstance(self.ours, torch.nn.Module):
            self.ours._apply(partial(in_precision, dtype=dtype))  # type: ignore[no-untyped-call]

    def inputs(self, step: int = 0) -> tuple[tuple[Any, ...], dict[str, Any], tuple[Any, ...]]:
        """Return a step's args, kwargs and loss targets, in the models' dtype."""
        args, kwargs, targets = widened(self.task.inputs(step), self.dtype)
        if self.size is not None:
            args, kwargs, targets = resized((args, kwargs, targets), self.size)
        if self.task.losses is None or not takes_model(self.task.losses[0]):
            args = separate_inputs(self.ours, args)
        return args, kwargs, targets

    def torch_pass(
        self,
        *,
        training: bool,
        backward: bool = False,
        step: int = 0,
        nudge: float = 0.0,
        around: Context = nullcontext,
    ) -> Pass:
        """Run one pass of the original.

        Args:
            training: use training mode, else evaluation mode.
            backward: also go backward from the loss, or from a fixed random sum of the outputs.
            step: index of the batch.
            nudge: relative size of a rounding by which every input is perturbed.
            around: a context that the pass runs in.
        """
        model = self.ours
        args, kwargs, targets = self.inputs(step)
        if nudge:
            generator = torch.Generator().manual_seed(SEED + 1)
            args, kwargs = nudged((args, kwargs), generator, nudge, masks=False)
        leaves = each((args, kwargs), lambda t: _leaf(t, backward and self.inputs_learn))
        eval_mode(model, training=training)
        stream = Stream()
        seed_all()
        with ExitStack() as stack:
            stack.enter_context(torch.set_grad_enabled(backward))
            stack.enter_context(Recorder(stream, FreshWeights()).recording())
            stack.enter_context(around())
            value, loss = self._run(0, model, leaves[0], leaves[1], targets)
        found = Pass(dict(_named(value, _is_torch)), stream=stream)
        if backward:
            self._clear(model)
            total = _total(loss, [o for _, o in tensors_in(value, _is_torch)], None)
            if total is not None and total.requires_grad:
                total.backward()
            floats = ((n, t) for n, t in _leaves(leaves) if t.is_floating_point())
            found.inputs = {n: t.grad for n, t in floats} if self.inputs_learn else {}
        found.loss = None if loss is None else loss.detach().clone()
        return found

    def port_pass(
        self,
        stream: Stream | None,
        *,
        training: bool,
        backward: bool = False,
        step: int = 0,
        around: Context = nullcontext,
    ) -> Pass:
        """Run one pass of the port, which replays the original's draws in `stream`."""
        args, kwargs, targets = self.inputs(step)
        others = each(targets, self.given)
        leaves = _leaves((args, kwargs))
        learn = backward and self.inputs_learn
        inputs = [self.given(tensor, gradient=learn) for _, tensor in leaves]
        eval_mode(self.theirs, training=training)
        self.ports.seed(SEED)
        seed_all()
        stream = stream or Stream()
        stream.mirrored = self.mirrored

        def run(model: Any, given: list[Any]) -> tuple[Any, Any]:
            rest = iter(given)
            held = each((args, kwargs), lambda _: next(rest))
            named, placed = _fitted(model, held[0], held[1])
            named = {**mode_of_call(model, training=training), **named}
            value, loss = self._run(1, model, placed, named, others)
            stream.close()
            outputs = dict(tensors_in(value, self.ports.is_tensor))
            total = _total(loss, list(outputs.values()), self) if backward else None
            return total, (outputs, loss)

        with ExitStack() as stack:
            stack.enter_context(self.ports.replay(stream))
            stack.enter_context(around())
            if backward:
                if isinstance(self.theirs, self.ports.module_kind):
                    self.ports.clear_gradients(self.theirs)
                (outputs, loss), grads = self.ports.backward(self.theirs, inputs, run)
            else:
                with self.ports.without_gradients():
                    _, (outputs, loss) = run(self.theirs, inputs)
                grads = []
        self.reads_uniform |= stream.uniform
        read = {name: self.ports.to_torch(t).clone() for name, t in outputs.items()}
        found = Pass({name: self._first(t) for name, t in read.items()}, stream=stream)
        for (name, tensor), grad in zip(leaves, grads, strict=False):
            if tensor.is_floating_point():
                found.inputs[name] = None if grad is None else self._first(grad)
        found.loss = None if loss is None else self.ports.to_torch(loss).clone()
        return found

    def given(self, value: torch.Tensor, *, gradient: bool = False) -> Any:
        """Return a tensor as the port takes it."""
        image = self.task.channels_last and value.dim() in IMAGES
        return self.ports.input(value.movedim(1, -1) if image else value, gradient=gradient)

    def _first(self, value: torch.Tensor) -> torch.Tensor:
        """Return an output of the port with its channels in torch's position."""
        image = self.task.channels_last and value.dim() in IMAGES
        return value.movedim(-1, 1) if image else value

    def like(self, output: Any, generator: torch.Generator) -> Any:
        """Return random numbers of an output's shape, equal to those for the original's output."""
        shape = self._first(torch.empty([int(n) for n in output.shape], device="meta")).shape
        return self.given(_random(shape, output.dtype, generator))

    @contextmanager
    def restored(self, *, parameters: bool = True) -> Iterator[None]:
        """Restore the original's tensors, or only its buffers, on exit."""
        if not isinstance(self.ours, torch.nn.Module):
            yield
            return
        model = self.ours
        live = dict(model.named_buffers())
        if parameters:
            live |= dict(model.named_parameters())
        before = Shelf(live.items())
        try:
            yield
        finally:
            model.zero_grad(set_to_none=True)
            with torch.no_grad():
                for name, tensor in live.items():
                    value = before[name]
                    assert value is not None
                    tensor.copy_(value)

    @contextmanager
    def original_on_disk(self) -> Iterator[None]:
        """Move the original's parameters to disk while open, as only the port runs."""
        parameters = dict(self.ours.named_parameters()) if self.has_weights else {}
        held = Shelf(parameters.items())
        for parameter in parameters.values():
            parameter.data = parameter.data.new_empty(0)
        try:
            yield
        finally:
            for name, parameter in parameters.items():
                value = held[name]
                assert value is not None
                parameter.data = value

    @contextmanager
    def gradients(self) -> Iterator[Shelf]:
        """Collect the original's gradients from backward passes, and remove them from the
        parameters.
        """
        found = Shelf()
        hooks = []
        for name, parameter in self.ours.named_parameters() if self.has_weights else ():

            def note(parameter: torch.Tensor, name: str = name) -> None:
                found[name] = parameter.grad
                parameter.grad = None

            if parameter.requires_grad:
                hooks.append(parameter.register_post_accumulate_grad_hook(note))
        try:
            yield found
        finally:
            for hook in hooks:
                hook.remove()

    @contextmanager
    def nudged(self, by: float, seed: int = 1) -> Iterator[None]:
        """Perturb every weight of the original by a rounding of relative size `by` while open."""
        with self.restored():
            if isinstance(self.ours, torch.nn.Module):
                generator = torch.Generator().manual_seed(SEED + seed)
                with torch.no_grad():
                    for tensor in tensors_of(self.ours).values():
                        tensor.copy_(nudged(tensor, generator, by))
            yield

    @contextmanager
    def unlike(
        self, names: Collection[str] | None = None, *, none_small: bool = False
    ) -> Iterator[None]:
        """Make constant weights of the original random while open, such as the ones and zeros of
        norms.

        Args:
            names: the weights to change; all by default.
            none_small: also enlarge matrices that are too small to affect the result visibly.
        """
        generator = torch.Generator().manual_seed(SEED)
        before = Shelf()
        with torch.no_grad():
            for name, tensor in tensors_of(self.ours).items():
                if not (tensor.is_floating_point() and tensor.numel()):
                    continue
                if names is not None and name not in names:
                    continue
                if tensor.min() == tensor.max():
                    before[name] = tensor
                    tensor += torch.rand(tensor.shape, generator=generator) * _UNLIKE
                elif none_small and (larger := _to_common_size(tensor)) > _SMALL:
                    before[name] = tensor
                    tensor *= larger
        try:
            yield
        finally:
            with torch.no_grad():
                for name, tensor in tensors_of(self.ours).items() if before else ():
                    if (value := before.get(name)) is not None:
                        tensor.copy_(value)

    def alike(self) -> set[str]:
        """Return the original's weights and norm statistics that the port has one to one.

        Fresh values of these hide a missing norm or a bias that is added twice.
        """
        own = {name for name, p in self.ours.named_parameters() if p.requires_grad}
        kinds = {n for n, m in self.ours.named_modules() if package_of(m) == "torch"}
        own |= {n for n, _ in self.ours.named_buffers() if n.rpartition(".")[0] in kinds}
        return own & {name for pair in self.pairs if pair.layout != SUM for name in pair.ours}

    def _run(
        self, side: int, model: Any, args: Any, kwargs: Any, targets: tuple[Any, ...]
    ) -> tuple[Any, Any]:
        losses = self.task.losses
        if losses is None:
            return model(*args, **kwargs), None
        batch = (*args, *targets)
        if not takes_model(losses[side]):
            value = model(*args, **kwargs)
            return value, loss_of(losses[side], model, value, batch, self.task.targets)
        outputs: list[Any] = []
        loss = loss_of(losses[side], _Listening(model, outputs), None, batch, 0)
        return outputs, loss

    @staticmethod
    def _clear(model: Any) -> None:
        if isinstance(model, torch.nn.Module):
            model.zero_grad(set_to_none=True)


def _to_common_size(weight: torch.Tensor) -> float:
    """Return the factor that makes a matrix or kernel variance-preserving; 1 for vectors."""
    if weight.dim() < _MATRIX:
        return 1.0
    rows = weight.shape[0]
    return 1 / (math.sqrt(max(rows, weight.numel() // rows)) * float(weight.std()))


class _Listening:
    """A model that stores its outputs while a loss function calls it."""

    def __init__(self, model: Any, outputs: list[Any]) -> None:
        self._model, self._outputs = model, outputs

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return the model's output, and store it."""
        value = self._model(*args, **kwargs)
        self._outputs.append(value)
        return value

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)


def _is_torch(value: Any) -> bool:
    return isinstance(value, torch.Tensor)


def _leaf(tensor: torch.Tensor, gradient: bool) -> torch.Tensor:
    own = tensor.detach().clone()
    return own.requires_grad_(gradient and own.is_floating_point())


def _named(value: Any, is_tensor: Callable[[Any], bool]) -> Iterator[tuple[str, torch.Tensor]]:
    for name, tensor in tensors_in(value, is_tensor):
        yield name, tensor.detach().clone()


def _leaves(given: tuple[Any, Any]) -> list[tuple[str, torch.Tensor]]:
    """Return the tensors of a model's arguments, by name."""
    return [*tensors_in(given[0], _is_torch, "input"), *tensors_in(given[1], _is_torch)]


def _total(loss: Any, outputs: list[Any], sides: Sides | None) -> Any:
    """Return the start of a backward pass: the loss, or a fixed random sum of all float outputs."""
    if loss is not None:
        return loss
    generator = torch.Generator().manual_seed(SEED)
    total = None
    for output in outputs:
        if "float" not in str(output.dtype):
            continue
        if sides is None:
            part = (output * _random(output.shape, output.dtype, generator)).sum()
        else:
            part = (output * sides.like(output, generator)).sum()
        total = part if total is None else total + part
    return total


def _random(shape: torch.Size, dtype: Any, generator: torch.Generator) -> torch.Tensor:
    """Return random numbers in the framework's dtype with torch's name of it."""
    made = torch.randn(shape, generator=generator, dtype=torch.float64)
    return made.to(getattr(torch, str(dtype).rpartition(".")[2]))


def _fitted(model: Any, args: Any, kwargs: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """Return the keyword arguments that the port knows, else pass them by position."""
    try:
        known = inspect.signature(getattr(model, "forward", model)).parameters
    except (TypeError, ValueError):
        return kwargs, args
    if all(name in known for name in kwargs) or any(p.kind == 4 for p in known.values()):
        return kwargs, args
    return {}, (*args, *kwargs.values())
