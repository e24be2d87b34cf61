"""Observation of a training script, step by step, while it runs unchanged.

A step consists of the model calls, the backward passes and the optimizer step since the previous
optimizer step. `sides.py` in this folder reads either framework.
"""

from __future__ import annotations

import contextlib
import io
import runpy
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import torch

from workbench.capture.explain import innermost_line
from workbench.errors import TorchferryError
from workbench.importing import without_bytecode
from workbench.streams.torch_recorder import outermost, patched
from workbench.targets.port import Around
from workbench.verify.locating.tracing import Trace
from workbench.verify.sides.loading import forget_namesakes
from workbench.verify.sides.places import Place, caller, callers, calls, is_users
from workbench.verify.sides.seeds import python_random_state_kept, seed_all
from workbench.verify.sides.shelf import Shelf
from workbench.verify.sides.values import tensors_in

Tensors = dict[str, torch.Tensor]


@dataclass(frozen=True, slots=True)
class CalledIn:
    """A call of a model: its index, whether it was in training mode, and the script's line.

    `switched` holds the lines where the script last switched it to training mode, and last to
    evaluation mode.
    """

    model: int
    training: bool
    line: Place | None
    switched: tuple[Place | None, Place | None]


@dataclass
class Step:
    """Activity of a script up to an optimizer step; all values are torch tensors.

    Attributes:
        inputs: the inputs of the models, numbered from `input 1` over all calls in the step; other
            models than the first have a prefix.
        outputs: their outputs, by the same names.
        losses: the values that backward passes started from.
        gradients: the gradients of the weights after the last backward pass.
        changed: the ratio by which the script changed the gradients' norm before the optimizer
            step.
        modes: the calls of models, with their modes.
        start: weights and buffers of the models when they were first used in the step.
        passes: the number of backward passes.
        cleared: gradients were cleared when a further pass began.
        within: the script's lines that led to the step, the innermost first.
        turns: how often the learning-rate schedule had stepped.
        turned_within: the number of lines that led to the schedule's last step.
        rate: the learning rate, if all weights share one.
        after: weights and buffers after the step.
        optimizer: the optimizer of the step.
        lines: the script's lines of the model call, the backward pass, the step, and the schedule's
            last step.
    """

    inputs: Tensors = field(default_factory=dict)
    outputs: Tensors = field(default_factory=dict)
    losses: Tensors = field(default_factory=dict)
    gradients: Shelf = field(default_factory=Shelf)
    changed: float = 1.0
    modes: list[CalledIn] = field(default_factory=list)
    start: Shelf = field(default_factory=Shelf)
    passes: int = 0
    cleared: bool = False
    within: tuple[Place, ...] = ()
    turns: int | None = None
    turned_within: int = 0
    rate: torch.Tensor | None = None
    after: Shelf = field(default_factory=Shelf)
    optimizer: Any = None
    lines: dict[str, Place | None] = field(default_factory=dict)


class Reader(Protocol):
    """Access to one framework while its script runs."""

    def training(self, around: Around) -> AbstractContextManager[None]:
        """Route the script's events to the callbacks of `around` while open."""

    @property
    def module_kind(self) -> type:
        """The base class of the framework's modules."""

    def is_tensor(self, value: Any) -> bool:
        """Return whether a value is a tensor of the framework."""

    def read(self, tensor: Any) -> torch.Tensor:
        """Return a copy of a tensor's value."""

    def learns(self, tensor: Any) -> bool:
        """Return whether a backward pass would reach a tensor."""

    def records(self) -> bool:
        """Return False while no backward pass is recorded, as under `no_grad`."""

    def parameters(self, module: Any) -> list[Any]:
        """Return a module's parameters."""

    def parts(self, module: Any) -> Iterable[Any]:
        """Return a module and its submodules."""

    def begin(self, model: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> int:
        """Register a model before its first call and return its index, the same on both sides."""

    def catch_up(self, model: int) -> None:
        """Load a model's expected weights before it computes or is changed.

        Not earlier: its last result may still wait for its backward pass.
        """

    def gradients(self) -> Iterator[tuple[str, torch.Tensor | None]]:
        """Yield the gradients of the models' parameters."""

    def weights(self, model: int | None = None) -> Iterator[tuple[str, torch.Tensor]]:
        """Yield weights and buffers of one model, or of all."""

    def rate(self, optimizer: Any) -> torch.Tensor | None:
        """Return an optimizer's learning rate, or None if its groups differ."""

    def draws(self, step: int) -> AbstractContextManager[None]:
        """Record the random draws of a step while open, or replay recorded ones."""

    def twin(self, module: Any) -> int | None:
        """Return the index of the model that a module is a copy of, such as an average of it, or
        None.
        """

    def compared_tensors(self, module: Any, model: int) -> Iterator[tuple[str, torch.Tensor]]:
        """Yield the tensors to compare of a copy that has not been called."""

    def proceed(self, step: int) -> None:
        """Begin step number `step`, counted from 0."""

    @property
    def traced(self) -> Trace:
        """All recorded operations."""

    def trace(self) -> AbstractContextManager[None]:
        """Record all operations while open."""


class _StepsReached(BaseException):
    """Raised when the wanted number of steps is reached."""


class StoppedError(TorchferryError):
    """Failure of a script at a line, with the number of its step."""

    def __init__(self, line: str, step: int, error: BaseException) -> None:
        self.at = line
        super().__init__(
            f"{line}: the script stops in step {step} ({type(error).__name__}: {error})"
        )


class Following:
    """One observed run of a script.

    Args:
        file: the script; it runs as `python FILE` would.
        reader: its framework.
        wanted: the run ends after this many steps.
        traced: what to record operation by operation in the last step: the computation of its
            `batch`, its models' computation of their `outputs`, or, for any other value, everything
            from the first model call to the first backward pass.
    """

    def __init__(self, file: Path, reader: Reader, wanted: int, traced: str = "") -> None:
        self.file, self.reader, self.wanted, self.traced = file, reader, wanted, traced
        self.steps: list[Step] = []
        self.losses: list[Any] = []  # modules without weights that the script calls, in order
        # Variables that hold lists of tensors shaped like a model's.
        self.copies: dict[str, None] = {}
        # Copies of the model, by the variables that hold such dicts.
        self._proxies: dict[str, Any] = {}
        self._roots: list[Any] = []  # the models
        # The model's index by the identity of each of its modules.
        self._models: dict[int, int] = {}
        self._used: set[int] = set()  # models already used in this step
        self._turned: tuple[tuple[Place, ...], int] | None = None  # the schedule's last step
        # Lines that last switched each module to training and to evaluation mode, by identity.
        self._switched: dict[tuple[int, bool], Place | None] = {}
        self._step = Step()
        self._norm = 0.0
        self._draws = ExitStack()
        self._trace = ExitStack()
        self._noting = False
        self._between = ExitStack()  # open between calls of models

    def run(self) -> list[Step]:
        """Run the script and return its steps.

        Raises:
            StoppedError: the script fails.
            TorchferryError: it makes no step.
        """
        around = Around(self._call, self._backward, self._make_step, self._turn)
        with (
            self._trace,
            self._draws,
            self.reader.training(around),
            self._record_modes(),
            _as_main(self.file),
            without_bytecode(),
        ):
            self._draws.enter_context(self.reader.draws(0))
            try:
                runpy.run_path(str(self.file), run_name="__main__")
            except (_StepsReached, SystemExit):
                pass
            except (KeyboardInterrupt, TorchferryError):
                raise
            except BaseException as error:
                line = innermost_line(error) or str(self.file)
                raise StoppedError(line, len(self.steps) + 1, error) from error
        if not self.steps:
            raise TorchferryError(
                f"{self.file}: the script ends without a step of an optimizer; give the model and"
                " its"
                " training: --batch, --loss and --optimizer"
            )
        return self.steps

    def _call(
        self, run: Callable[[], Any], module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        read = self.reader
        parameters = read.parameters(module)
        if not parameters:
            if all(module is not one for one in self.losses):
                self.losses.append(module)
            return run()
        with read.traced.paused():
            if id(module) not in self._models:
                with python_random_state_kept():  # pairing calls the models as well
                    number = read.begin(module, args, kwargs)
                self._models |= dict.fromkeys(map(id, read.parts(module)), number)
                if hasattr(module, "state_dict"):
                    self._roots.append(module)
            # Recorded changes of untrained models are replaced by the original's weights, except
            # while a model is evaluated with other weights on purpose. A model in training mode
            # changes its own statistics, with gradients or without.
            if module.training or (read.records() and any(map(read.learns, parameters))):
                self._catch_up(self._models[id(module)])
        model = self._models[id(module)]
        switched = self._switched.get((id(module), True)), self._switched.get((id(module), False))
        self._step.modes.append(CalledIn(model, module.training, caller(), switched))
        if self.traced == "batch":
            self._trace.close()
        elif self._last and not self._step.inputs and not self._noting:
            self._noting = True  # a teacher's call may come before the student's
            self._trace.enter_context(read.trace())
        of = f"{model + 1}: " if model else ""
        taken = self._tensors(f"{of}input", self._step.inputs, (args, kwargs))
        self._between.close()
        result = run()
        if self.traced == "outputs":
            self._between.enter_context(read.traced.paused())
        given = tensors_in(result, read.is_tensor)
        # One side may detach what the other computes without gradients.
        if module.training or any(read.learns(tensor) for _, tensor in given):
            self._step.lines.setdefault("call", caller())
            self._step.inputs |= taken
            self._step.outputs |= self._tensors(f"{of}output", self._step.outputs, result)
        return result

    def _backward(self, run: Callable[[], Any], loss: Any) -> Any:
        if not self._models:
            return run()
        self._trace.close()
        step = self._step
        step.lines.setdefault("backward", caller())
        step.passes += 1
        if step.passes > 1:
            step.cleared = step.cleared or not _norm(g for _, g in self.reader.gradients())
        self._step.losses |= self._tensors("loss", self._step.losses, loss)
        result = run()
        self._step.gradients = Shelf(self.reader.gradients())
        self._norm = _norm(self._step.gradients.values())
        return result

    def _make_step(self, run: Callable[[], Any], optimizer: Any) -> Any:
        if not self._models:
            return run()
        step = self._step
        step.optimizer = optimizer
        step.within = tuple(callers())
        step.lines["step"] = next(iter(step.within), None)
        step.rate = self.reader.rate(optimizer)
        norm = _norm(gradient for _, gradient in self.reader.gradients())
        step.changed = norm / self._norm if self._norm else 1.0
        for model in sorted(set(self._models.values())):
            self._catch_up(model)
        kind = self.reader.module_kind
        found = {id(one): one for one in variables() if isinstance(one, kind)}
        for module in found.values():
            if id(module) not in self._models and (twin := self.reader.twin(module)) is not None:
                for name, tensor in self.reader.compared_tensors(module, twin):
                    step.start[name] = tensor
        with self.reader.traced.paused():
            self._look_at_copies(step)
        if self._turned is not None:
            lines, step.turns = self._turned
            step.lines["schedule"], step.turned_within = next(iter(lines), None), len(lines)
        result = run()
        step.after = Shelf(self.reader.weights())
        self.steps.append(step)
        self._draws.close()
        if len(self.steps) == self.wanted:
            raise _StepsReached
        self._step = Step()
        self._used.clear()
        number = len(self.steps)
        self.reader.proceed(number)
        self._draws.enter_context(self.reader.draws(number))
        if self._last and self.traced == "batch":
            self._trace.enter_context(self.reader.trace())
        return result

    def _look_at_copies(self, step: Step) -> None:
        """Compare dicts of tensors with the names of a model's state, as copies of the model.

        Lists are only reported, since nothing says which model their tensors belong to.
        """
        seen: set[int] = set()
        for name, value in named_variables() if self._roots else ():
            held = list(value.values()) if isinstance(value, dict) else value
            if id(value) in seen or not isinstance(held, list) or not held:
                continue
            seen.add(id(value))
            if not all(map(self.reader.is_tensor, held)) or (root := self._like(held)) is None:
                continue
            known = root.state_dict()
            if not isinstance(value, dict) or not value.keys() <= known.keys():
                self.copies[name] = None
                continue
            if name not in self._proxies:
                self._proxies[name] = deepcopy(root)
            self._look_at_dict(step, value, self._proxies[name])

    def _look_at_dict(self, step: Step, held: dict[str, Any], proxy: Any) -> None:
        load = getattr(proxy, "load_state_dict", None)
        load(held, strict=False) if load else proxy.set_state_dict(held)
        if (twin := self.reader.twin(proxy)) is None:
            return
        for name, tensor in self.reader.compared_tensors(proxy, twin):
            step.start[name] = tensor
        state = proxy.state_dict()
        for name, tensor in held.items():
            if hasattr(tensor, "set_value"):  # a port's tensor, which gets the original's value
                tensor.set_value(state[name])

    def _like(self, held: list[Any]) -> Any:
        """Return a model with tensors of these shapes but without shared storage, or None."""
        shapes = [tuple(one.shape) for one in held]
        places = {one.data_ptr() for one in held}
        for root in self._roots:
            own = [*root.state_dict().values()]
            parameters = [tuple(one.shape) for one in self.reader.parameters(root)]
            if places.isdisjoint(one.data_ptr() for one in own) and shapes in (
                parameters,
                [tuple(one.shape) for one in own],
            ):
                return root
        return None

    def _turn(self, run: Callable[[], Any], schedule: Any) -> Any:
        result = run()
        self._turned = tuple(callers()), schedule.last_epoch
        return result

    @contextmanager
    def _record_modes(self) -> Iterator[None]:
        """Record the lines that switch a model's mode while open."""

        def record_switch(run: Callable[[], Any], module: Any, *_: Any, **__: Any) -> Any:
            result = run()
            for part in self.reader.parts(module):  # the script may call any of these
                self._switched[id(part), bool(module.training)] = caller()
            return result

        around = outermost(record_switch)
        with ExitStack() as stack:
            for name in ("train", "eval"):
                stack.enter_context(patched(self.reader.module_kind, name, around))
            yield

    def _catch_up(self, model: int) -> None:
        if model not in self._used:
            self._used.add(model)
            for name, tensor in self.reader.weights(model):
                self._step.start[name] = tensor
            self.reader.catch_up(model)

    @property
    def _last(self) -> bool:
        """True while the traced step runs."""
        return bool(self.traced) and len(self.steps) + 1 == self.wanted

    def _tensors(self, name: str, held: Tensors, value: Any) -> Tensors:
        """Return the tensors in a value, named and numbered after those in `held`."""
        before = sum(one.startswith(f"{name} ") for one in held)
        found = [tensor for _, tensor in tensors_in(value, self.reader.is_tensor)]
        with self.reader.traced.paused():
            return {f"{name} {before + i}": self.reader.read(t) for i, t in enumerate(found, 1)}


def variables() -> Iterator[Any]:
    """Return the local variables of running user functions, and the attributes of user objects in
    them.
    """
    return (value for _, value in named_variables())


def named_variables() -> Iterator[tuple[str, Any]]:
    """Yield these variables with their names."""
    for _, frame in calls():
        for name, value in list(frame.f_locals.items()):
            yield name, value
            held = vars(value) if is_users(_file_of(type(value))) else {}
            yield from ((f"{name}.{inner}", one) for inner, one in list(held.items()))


def _file_of(kind: type) -> str:
    return str(getattr(sys.modules.get(kind.__module__), "__file__", None) or "<")


@contextmanager
def _as_main(file: Path) -> Iterator[None]:
    """Provide a script with the argv, path and seeds of a fresh `python FILE` while open."""
    arguments, path = sys.argv, list(sys.path)
    sys.argv = [str(file)]
    folder = file.resolve().parent
    sys.path.insert(0, str(folder))
    forget_namesakes(folder)
    seed_all()
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            yield
    finally:
        sys.argv, sys.path[:] = arguments, path


def _norm(gradients: Any) -> float:
    squares = [float(g.double().square().sum()) for g in gradients if g is not None]
    return float(sum(squares) ** 0.5)
