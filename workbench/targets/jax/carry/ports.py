"""Models written for flax.nnx by hand: their tensors, settings, gradients and operations."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import torch
from flax import nnx

from workbench.errors import TorchferryError
from workbench.streams.draws import Stream
from workbench.streams.torch_recorder import patched
from workbench.targets.jax.carry import arrays, layouts, operations, replay, settings
from workbench.targets.port import Around, Called

# The names in optax's states for the state of torch's optimizers.
_MOMENTS = {"exp_avg": "mu", "exp_avg_sq": "nu", "momentum_buffer": "trace"}


@dataclass(slots=True)
class _Gradients:
    """The gradients of the last backward pass, as a state of parameters and by variable."""

    module: Any = None
    state: Any = None
    of: dict[int, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FlaxTensor:
    """`workbench.targets.port.PortTensor` for flax.nnx."""

    kept: layouts.Kept
    gradients: _Gradients

    @property
    def tensors(self) -> tuple[Any, ...]:
        """The current arrays of the variables that hold this tensor."""
        return tuple(variable.get_value() for variable in self.kept.variables)

    @property
    def trained(self) -> bool:
        """Whether it is a parameter."""
        return isinstance(self.kept.variables[0], nnx.Param)

    def read(self) -> torch.Tensor:
        """Return the value in torch's layout."""
        return self.kept.read()

    def write(self, value: torch.Tensor) -> None:
        """Set the variables."""
        self.kept.write(value)

    def gradient(self) -> torch.Tensor | None:
        """Return the gradient in torch's layout, or None."""
        return self._joined([self.gradients.of.get(id(one)) for one in self.kept.variables])

    def moment(self, optimizer: Any, name: str) -> torch.Tensor | None:
        """Return an optax optimizer's state for it, or None."""
        state = dict(nnx.to_flat_state(nnx.state(optimizer, nnx.OptState)))
        endings = [(_MOMENTS[name], *path) for path in self.kept.paths]
        found = [
            next((v[...] for path, v in state.items() if path[-len(end) :] == end), None)
            for end in endings
        ]
        return self._joined(found)

    def _joined(self, parts: list[Any]) -> torch.Tensor | None:
        present = [arrays.to_torch(part) for part in parts if part is not None]
        return self.kept.join(present) if len(present) == len(parts) else None


class Ports:
    """`workbench.targets.port.Ports` for flax.nnx."""

    package = "flax"
    module_kind = nnx.Module
    optimizer_kind = nnx.Optimizer
    schedule_kinds: tuple[type, ...] = ()
    hooks = False

    def __init__(self) -> None:
        self._gradients = _Gradients()
        self._taps = operations.Taps()

    def needs(self, function: Any) -> dict[str, Any]:
        """Return keys for drawing if a class or function has a parameter `rngs`."""
        try:
            made = function.__init__ if inspect.isclass(function) else function
            taken = inspect.signature(made).parameters
        except (TypeError, ValueError):
            return {}
        wanted = "rngs" in taken and taken["rngs"].default is inspect.Parameter.empty
        return {"rngs": nnx.Rngs(0)} if wanted else {}

    def is_tensor(self, value: object) -> bool:
        """Return whether a value is an array, including one that is being differentiated."""
        return isinstance(value, jax.Array)

    def to_torch(self, value: Any) -> torch.Tensor:
        """Return the value as a torch tensor with its own memory."""
        return arrays.to_torch(value)

    def requires_grad(self, value: Any) -> bool:
        """Return False: no JAX value records operations."""
        return False

    def records(self) -> bool:
        """Return False: JAX differentiates functions instead of recording operations."""
        return False

    def seed(self, value: int) -> None:
        """Do nothing: keys belong to modules."""

    def replay(self, stream: Stream) -> AbstractContextManager[None]:
        """While open, let random draws take torch's values from the stream."""
        return replay.replaying(stream)

    def held(self, module: Any) -> Mapping[str, FlaxTensor]:
        """Return every tensor of a module, by the names in torch's counterpart."""
        return {name: FlaxTensor(kept, self._gradients) for name, kept in layouts.all_kept(module)}

    def owner(self, module: Any, name: str) -> Any:
        """Return the part of a module that holds a tensor."""
        return self.parts(module).get(name.rpartition(".")[0], module)

    def raw(self, module: Any, name: str) -> bool:
        """Return whether a user's module holds it, in the module's own layout."""
        return not type(self.owner(module, name)).__module__.startswith("flax.")

    def uncorrected(self, module: Any, name: str) -> bool:
        """Return whether this is a running variance of flax's own layers."""
        return name.endswith("running_var") and isinstance(self.owner(module, name), nnx.BatchNorm)

    def parts(self, module: Any) -> Mapping[str, Any]:
        """Return a module's parts by dotted name, sorted by their depth."""
        found = sorted(nnx.iter_modules(module), key=lambda part: len(part[0]))
        return {".".join(map(str, path)): part for path, part in found}

    def settings(self, module: Any) -> dict[str, Any]:
        """Return the settings of a layer of flax, in torch's terms."""
        return settings.of_layer(module)

    def set_setting(self, module: Any, name: str, value: Any) -> bool:
        """Change a setting of a layer of flax, in torch's terms; return whether it was possible."""
        return settings.set_layer(module, name, value)

    def optimizer_settings(self, optimizer: Any) -> dict[str, Any]:
        """Return the settings of an optimizer, as far as optax exposes them."""
        return settings.of_optimizer(optimizer)

    def schedule(self, optimizer: Any) -> Any:
        """Return None: schedules in optax are functions."""
        return None

    def clips(self, optimizer: Any) -> bool:
        """Return False: clipping is an optax transformation that is not recognisable."""
        return False

    def cast(self, module: Any, dtype: str) -> None:
        """Cast all floats of a module to `float32` or `float64`, in place."""
        with jax.enable_x64(True):
            for _, part in nnx.iter_modules(module):
                own = vars(part).get("dtype")  # the dtype in which flax's own layers compute
                if own is not None and jnp.issubdtype(own, jnp.floating):
                    part.dtype = jnp.dtype(dtype)
            for _, variable in _saved(module):
                value = variable.get_value()
                if jnp.issubdtype(value.dtype, jnp.floating):
                    variable.set_value(value.astype(dtype))

    def default_dtype(self, dtype: str) -> AbstractContextManager[None]:
        """While open, keep 64-bit values in JAX if they are requested."""
        found: AbstractContextManager[None] = jax.enable_x64(dtype == "float64")
        return found

    def without_gradients(self) -> AbstractContextManager[None]:
        """Return an empty context: JAX records only what is differentiated."""
        return nullcontext()

    def input(self, value: torch.Tensor, *, gradient: bool) -> Any:
        """Return an input with the value."""
        return arrays.from_torch(value)

    def backward(
        self, module: Any, inputs: list[Any], run: Callable[[Any, list[Any]], tuple[Any, Any]]
    ) -> tuple[Any, list[torch.Tensor | None]]:
        """Run a function and differentiate the number that it returns."""
        floats = [n for n, value in enumerate(inputs) if jnp.issubdtype(value.dtype, jnp.floating)]
        live = isinstance(module, nnx.Module)
        split = nnx.split(module, nnx.Param, ...) if live else (None, {}, {})

        def number(weights: Any, given: list[Any]) -> tuple[Any, Any]:
            model = nnx.merge(split[0], weights, split[2], copy=True) if live else module
            held = list(inputs)
            for place, value in zip(floats, given, strict=True):
                held[place] = value
            total, wanted = run(model, held)
            after = nnx.state(model, nnx.Not(nnx.Param)) if live else {}
            return jnp.zeros(()) if total is None else total, (wanted, after)

        start = split[1], [inputs[place] for place in floats]
        total, pull, (wanted, after) = jax.vjp(number, *start, has_aux=True)
        self._taps.closed = True
        try:
            weights, given = pull(jnp.ones_like(total))
        finally:
            self._taps.closed = False
        if live:
            nnx.update(module, after)
            mine = nnx.to_flat_state(nnx.state(module, nnx.Param))
            flat = nnx.to_flat_state(weights)
            found = {id(own): one[...] for (_, own), (_, one) in zip(mine, flat, strict=True)}
            self._gradients.module, self._gradients.state = module, weights
            self._gradients.of.clear()
            self._gradients.of.update(found)
        of_inputs: list[torch.Tensor | None] = [None] * len(inputs)
        for place, value in zip(floats, given, strict=True):
            of_inputs[place] = arrays.to_torch(value)
        return wanted, of_inputs

    def noting(self, note: Callable[[Called], None]) -> AbstractContextManager[None]:
        """While open, report every operation."""
        return operations.noting(note, self._taps)

    def note_gradient(self, value: Any, note: Callable[[torch.Tensor], None]) -> None:
        """Register a callback for the gradient of a value that an operation reported."""
        self._taps.ask(value, lambda gradient: note(arrays.to_torch(gradient)))

    @contextmanager
    def calls(self, note: Callable[[Any], AbstractContextManager[None]]) -> Iterator[None]:
        """While open, run every call of a module within `note(module)`."""

        def make(original: Any) -> Any:
            def call(module: Any, *args: Any, **kwargs: Any) -> Any:
                with note(module):
                    return original(module, *args, **kwargs)

            return call

        with ExitStack() as stack:
            for kind in _kinds(nnx.Module):
                if "__call__" in vars(kind):
                    stack.enter_context(patched(kind, "__call__", make))
            yield

    def training(self, around: Around) -> AbstractContextManager[None]:
        """Raise an error, since scripts are not followed.

        Raises:
            TorchferryError: always; a training step in JAX is a function of the user's.
        """
        raise TorchferryError(
            "a training script for JAX cannot be compared step by step; name both models, their"
            " loss and their optimizer: torchferry verify train.py:Net port.py:Net --batch batch"
            " --loss loss --optimizer optimizer"
        )

    def set_training(self, module: Any, training: bool) -> None:
        """Set a module to training or evaluation mode."""
        if training:
            module.train()
        else:
            module.eval()

    def clear_gradients(self, module: Any) -> None:
        """Forget the gradients of the last backward pass."""
        self._taps.forget()
        self._gradients.module = self._gradients.state = None
        self._gradients.of.clear()

    def state(self, module: Any) -> dict[str, Any]:
        """Return the module's state, without keys for drawing."""
        return {".".join(map(str, path)): v[...] for path, v in _saved(module)}

    def entries(self, module: Any) -> Mapping[str, Any]:
        """Return the current arrays of the module's state themselves."""
        return {".".join(map(str, path)): one.get_value() for path, one in _saved(module)}

    def load_state(self, module: Any, state: Mapping[str, Any]) -> None:
        """Load such a state."""
        for path, variable in _saved(module):
            variable.set_value(state[".".join(map(str, path))])

    def step(self, optimizer: Any) -> None:
        """Make a step with the gradients of the last backward pass, and clear them."""
        optimizer.update(self._gradients.module, self._gradients.state)
        self.clear_gradients(self._gradients.module)

    def step_schedule(self, optimizer: Any) -> None:
        """Do nothing: a schedule of optax counts updates by itself."""


def _saved(module: Any) -> list[tuple[tuple[Any, ...], Any]]:
    """Return the variables of a module with their paths; plain arrays are constants of its code."""
    found = nnx.to_flat_state(nnx.state(module, nnx.Not(nnx.RngState)))
    return [(path, one) for path, one in found if isinstance(one, nnx.Variable)]


def _kinds(kind: type[Any]) -> Iterator[type[Any]]:
    for below in kind.__subclasses__():
        yield below
        yield from _kinds(below)
