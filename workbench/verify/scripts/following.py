"""A training script, followed step by step while it runs as it stands.

A step is what lies between two steps of an optimizer: the calls of the models, the backward passes,
and the optimizer's own. `sides.py` beside this file knows how either framework is read.
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
from workbench.streams.torch_recorder import outermost, patched
from workbench.targets.port import Around
from workbench.verify.locating.tracing import Trace
from workbench.verify.sides.places import Place, caller, callers, calls, is_users
from workbench.verify.sides.seeds import python_draws_kept, seed_all
from workbench.verify.sides.shelf import Shelf
from workbench.verify.sides.values import tensors_in

Tensors = dict[str, torch.Tensor]


@dataclass(frozen=True, slots=True)
class CalledIn:
    """A call of a model: its number, whether it was in training mode, and the script's line.

    `said` are the lines where the script last put it into training mode, and last out of it.
    """

    model: int
    training: bool
    line: Place | None
    said: tuple[Place | None, Place | None]


@dataclass
class Step:
    """What a script did up to a step of its optimizer; all values are torch's.

    Attributes:
        inputs: what the models took, `input 1` the first, over all calls of one in the step; what
            others than the first model took says which.
        outputs: what they gave, by the same names.
        losses: what backward passes began from.
        gradients: those of the weights after the last backward pass.
        changed: by what the script has changed them when the optimizer steps: their norms' ratio.
        modes: the calls of its models, with the mode that each was in.
        start: weights and buffers of the models as they had them when they were first used in it.
        passes: how many backward passes there were.
        cleared: whether gradients were gone when a further one began.
        within: the script's lines that led to the step, the innermost first.
        turns: how often the schedule of the rate had stepped.
        turned_within: how many lines led to the last step of the schedule.
        rate: the learning rate, where all weights share one.
        after: weights and buffers after the step.
        optimizer: what made it.
        lines: the script's lines of the model's call, the backward pass, the step, and of the last
            step of the schedule.
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
    """How one side is read while its script runs."""

    def training(self, around: Around) -> AbstractContextManager[None]:
        """While open, what `around` names happens in the script as it has it."""

    @property
    def module_kind(self) -> type:
        """The base class of the framework's modules."""

    def is_tensor(self, value: Any) -> bool:
        """True for the framework's tensors."""

    def read(self, tensor: Any) -> torch.Tensor:
        """A tensor's value, as a copy."""

    def learns(self, tensor: Any) -> bool:
        """Whether a backward pass would reach a tensor."""

    def records(self) -> bool:
        """True unless nothing is recorded for a backward pass now, as under `no_grad`."""

    def parameters(self, module: Any) -> list[Any]:
        """A module's parameters."""

    def parts(self, module: Any) -> Iterable[Any]:
        """A module and those in it."""

    def begin(self, model: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> int:
        """A model is about to be called for the first time; its number, the same on both sides."""

    def catch_up(self, model: int) -> None:
        """A model is about to compute, or to be changed: it takes the weights that it should have.

        Not before: what it computed last may still wait for its backward pass.
        """

    def gradients(self) -> Iterator[tuple[str, torch.Tensor | None]]:
        """Those that the models' parameters hold."""

    def weights(self, model: int | None = None) -> Iterator[tuple[str, torch.Tensor]]:
        """Weights and buffers of one of the models, or of all."""

    def rate(self, optimizer: Any) -> torch.Tensor | None:
        """An optimizer's learning rate, if it has one alone."""

    def draws(self, step: int) -> AbstractContextManager[None]:
        """While open, the random draws of a step are noted, or those that were noted are drawn."""

    def twin(self, module: Any) -> int | None:
        """The number of the model that a module is another one of, such as an average of it."""

    def look_at(self, module: Any, model: int) -> Iterator[tuple[str, torch.Tensor]]:
        """What is compared of such a module, which nobody has called yet."""

    def proceed(self, step: int) -> None:
        """A step is about to begin: the first one is 1, after as many as were made."""

    @property
    def traced(self) -> Trace:
        """All operations that were noted."""

    def trace(self) -> AbstractContextManager[None]:
        """While open, all operations are noted."""


class _Enough(BaseException):
    """As many steps were made as are looked at."""


class StoppedError(TorchferryError):
    """A script fails at a line, after the steps that it made."""

    def __init__(self, line: str, step: int, error: BaseException) -> None:
        self.at = line
        super().__init__(
            f"{line}: the script stops in step {step} ({type(error).__name__}: {error})"
        )


class Following:
    """A run of a script.

    Args:
        file: the script; it runs as `python FILE` would.
        reader: its side.
        wanted: the run ends after so many steps.
        traced: what is noted operation by operation: of the last step what leads to its `batch`,
            what its models do for their `outputs`, or, for anything else, all from their first call
            to the first backward pass.
    """

    def __init__(self, file: Path, reader: Reader, wanted: int, traced: str = "") -> None:
        self.file, self.reader, self.wanted, self.traced = file, reader, wanted, traced
        self.steps: list[Step] = []
        self.losses: list[Any] = []  # modules without weights that the script calls, in order
        self.copies: dict[str, None] = {}  # lists of tensors like a model's, by their variables
        self._proxies: dict[str, Any] = {}  # by the variables that hold dicts of such tensors
        self._roots: list[Any] = []  # the models
        self._models: dict[int, int] = {}  # of each module of a model, by identity, the model
        self._used: set[int] = set()  # models that this step has begun with
        self._turned: tuple[tuple[Place, ...], int] | None = None  # the schedule's last step
        # Where each module was last put into training mode, and out of it, by identity.
        self._said: dict[tuple[int, bool], Place | None] = {}
        self._step = Step()
        self._norm = 0.0
        self._draws = ExitStack()
        self._trace = ExitStack()
        self._noting = False
        self._between = ExitStack()  # calls of models

    def run(self) -> list[Step]:
        """Run it, and give the steps that it made.

        Raises:
            StoppedError: the script fails.
            TorchferryError: it makes no step.
        """
        around = Around(self._call, self._backward, self._make_step, self._turn)
        with (
            self._trace,
            self._draws,
            self.reader.training(around),
            self._modes_said(),
            _as_main(self.file),
        ):
            self._draws.enter_context(self.reader.draws(0))
            try:
                runpy.run_path(str(self.file), run_name="__main__")
            except (_Enough, SystemExit):
                pass
            except (KeyboardInterrupt, TorchferryError):
                raise
            except BaseException as error:
                line = innermost_line(error) or str(self.file)
                raise StoppedError(line, len(self.steps) + 1, error) from error
        if not self.steps:
            raise TorchferryError(
                f"{self.file}: the script ends without a step of an optimizer; name the model and"
                " what trains it: --batch, --loss and --optimizer"
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
                with python_draws_kept():  # pairing calls the models as well
                    number = read.begin(module, args, kwargs)
                self._models |= dict.fromkeys(map(id, read.parts(module)), number)
                if hasattr(module, "state_dict"):
                    self._roots.append(module)
            # What is not trained is held to the original's once its changes have been noted; a
            # model that is evaluated may have other weights for so long. One in training mode
            # changes its own statistics, with gradients or without.
            if module.training or (read.records() and any(map(read.learns, parameters))):
                self._catch_up(self._models[id(module)])
        model = self._models[id(module)]
        said = self._said.get((id(module), True)), self._said.get((id(module), False))
        self._step.modes.append(CalledIn(model, module.training, caller(), said))
        if self.traced == "batch":
            self._trace.close()
        elif self._last and not self._step.inputs and not self._noting:
            self._noting = True  # as a teacher's call may before the student's
            self._trace.enter_context(read.trace())
        of = f"{model + 1}: " if model else ""
        taken = self._tensors(f"{of}input", self._step.inputs, (args, kwargs))
        self._between.close()
        result = run()
        if self.traced == "outputs":
            self._between.enter_context(read.traced.paused())
        given = tensors_in(result, read.is_tensor)
        # What one side detaches, the other may compute without gradients.
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
                for name, tensor in self.reader.look_at(module, twin):
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
            raise _Enough
        self._step = Step()
        self._used.clear()
        number = len(self.steps)
        self.reader.proceed(number)
        self._draws.enter_context(self.reader.draws(number))
        if self._last and self.traced == "batch":
            self._trace.enter_context(self.reader.trace())
        return result

    def _look_at_copies(self, step: Step) -> None:
        """Compare dicts of tensors by the names of a model's, as a copy of the model is compared.

        Lists are noted alone: nothing says whose their tensors are.
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
        for name, tensor in self.reader.look_at(proxy, twin):
            step.start[name] = tensor
        state = proxy.state_dict()
        for name, tensor in held.items():
            if hasattr(tensor, "set_value"):  # a port's, which has the original's from now on
                tensor.set_value(state[name])

    def _like(self, held: list[Any]) -> Any:
        """The model with as many tensors of these shapes, none of which is one of these itself."""
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
    def _modes_said(self) -> Iterator[None]:
        """While open, the lines are noted that put a model into a mode."""

        def said(run: Callable[[], Any], module: Any, *_: Any, **__: Any) -> Any:
            result = run()
            for part in self.reader.parts(module):  # any of which the script may call
                self._said[id(part), bool(module.training)] = caller()
            return result

        around = outermost(said)
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
        """Whether the step that is traced is under way."""
        return bool(self.traced) and len(self.steps) + 1 == self.wanted

    def _tensors(self, name: str, held: Tensors, value: Any) -> Tensors:
        """The tensors of a value by a name and a number, which goes on from those that are held."""
        before = sum(one.startswith(f"{name} ") for one in held)
        found = [tensor for _, tensor in tensors_in(value, self.reader.is_tensor)]
        with self.reader.traced.paused():
            return {f"{name} {before + i}": self.reader.read(t) for i, t in enumerate(found, 1)}


def variables() -> Iterator[Any]:
    """What the user's functions under way have as variables, and objects among these keep."""
    return (value for _, value in named_variables())


def named_variables() -> Iterator[tuple[str, Any]]:
    """The same with their names."""
    for _, frame in calls():
        for name, value in list(frame.f_locals.items()):
            yield name, value
            held = vars(value) if is_users(_file_of(type(value))) else {}
            yield from ((f"{name}.{inner}", one) for inner, one in list(held.items()))


def _file_of(kind: type) -> str:
    return str(getattr(sys.modules.get(kind.__module__), "__file__", None) or "<")


@contextmanager
def _as_main(file: Path) -> Iterator[None]:
    """While open, a script finds what `python FILE` would give it, and seeds that are the same."""
    arguments, path = sys.argv, list(sys.path)
    sys.argv = [str(file)]
    sys.path.insert(0, str(file.resolve().parent))
    seed_all()
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            yield
    finally:
        sys.argv, sys.path[:] = arguments, path


def _norm(gradients: Any) -> float:
    squares = [float(g.double().square().sum()) for g in gradients if g is not None]
    return float(sum(squares) ** 0.5)
