"""`workbench.targets.bridge.Bridge` for JAX with flax.nnx."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
import torch
from flax import nnx

from workbench.targets.bridge import CarryError, Device, Hooks, Mismatch, Slot
from workbench.targets.jax.carry import (
    arrays,
    devices,
    modules,
    optimizers,
    replay,
    settings,
    text,
    watch,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from workbench.streams.draws import Stream

_NARROW = {
    torch.int64: torch.int32,
    torch.float64: torch.float32,
    torch.complex128: torch.complex64,
}


class Bridge:
    """JAX: arrays never change, modules hold variables, and gradients are results."""

    name = "jax"
    module = "jax"
    records_gradients = False
    by_program = True

    def __init__(self) -> None:
        self._spelling = text.Spelling()

    def names(self) -> Mapping[str, Any]:
        """Return the names that every converted cell may use."""
        return {"jax": jax, "jnp": jnp, "nnx": nnx}

    def is_tensor(self, value: object) -> bool:
        """Return whether a value is an array, a variable of a module or a kernel under its name."""
        return isinstance(value, jax.Array | nnx.Variable) or modules.is_kernel(value)

    def tensor(self, value: torch.Tensor) -> Any:
        """Return an array with the value, or a variable for a parameter."""
        if value.layout is not torch.strided or value.is_quantized:
            raise CarryError("only dense tensors have a counterpart in JAX")
        made = arrays.from_torch(value)
        return nnx.Param(made) if isinstance(value, torch.nn.Parameter) else made

    def to_torch(self, value: Any) -> torch.Tensor:
        """Return the value as a torch tensor."""
        return modules.read(value)

    def comparable(self, value: torch.Tensor) -> torch.Tensor:
        """Return the value in 32 bits unless JAX has 64."""
        if jax.config.jax_enable_x64:
            return value
        return value.to(_NARROW.get(value.dtype, value.dtype))

    def write(self, into: Any, value: torch.Tensor) -> None:
        """Set a variable's value; an array cannot change."""
        modules.write(into, value)

    def gradient(self, value: Any) -> torch.Tensor | None:
        """Return None: no array keeps its gradient."""
        return None

    def write_gradient(self, into: Any, value: torch.Tensor | None) -> None:
        """Do nothing: no array keeps its gradient."""

    def requires_grad(self, value: Any) -> bool:
        """Return False: JAX records no operations."""
        return False

    def set_requires_grad(self, value: Any, wanted: bool) -> None:
        """Do nothing: JAX differentiates functions by the arguments that they name."""

    def is_leaf(self, value: Any) -> bool:
        """Return True: no array is the result of a recorded computation."""
        return True

    def reaches(self, value: Any, leaves: Sequence[Any]) -> bool:
        """Return False: JAX records no operations."""
        return False

    def dtype(self, value: torch.dtype) -> Any:
        """Return JAX's dtype, of 32 bits unless JAX has 64."""
        return jax.dtypes.canonicalize_dtype(str(value).removeprefix("torch."))

    def is_dtype(self, value: object) -> bool:
        """Return whether a value is a dtype, as NumPy or as jnp writes it."""
        return isinstance(value, np.dtype | type(jnp.float32))

    def device(self, word: str) -> Any:
        """Return torch's name: JAX places arrays by its default device."""
        return word

    def devices(self) -> list[Device]:
        """Return the CPU, then the accelerators."""
        return devices.devices()

    def plain_text(self, value: str) -> str:
        """Return printed text in torch's spelling."""
        return self._spelling.plain(value)

    def is_module(self, value: object) -> bool:
        """Return whether a value is a flax module."""
        return isinstance(value, nnx.Module)

    def bare_module(self, kind: type) -> Any:
        """Raise: the cell's own statement makes a module of flax.

        Raises:
            CarryError: always.
        """
        raise CarryError(f"no statement of a cell makes this {kind.__name__} by itself")

    def add_part(self, module: Any, name: str, part: Any, *, persistent: bool | None) -> None:
        """Set a part of a module."""
        setattr(module, name, part)

    def set_training(self, module: Any, training: bool) -> None:
        """Set one module to training or evaluation mode."""
        for name in ("deterministic", "use_running_average"):
            if hasattr(module, name):
                setattr(module, name, not training)

    def hook_count(self, module: Any) -> int:
        """Return 0: modules of flax have no hooks."""
        return 0

    def module_slots(self, module: torch.nn.Module, twin: Any) -> Iterable[Slot | Mismatch]:
        """Return every parameter and buffer of a torch module with its variable."""
        return modules.slots(module, twin)

    def state_slots(
        self,
        module: torch.nn.Module,
        twin: Any,
        state: Mapping[str, Any],
        names: Collection[str],
    ) -> Iterable[Slot]:
        """Return nothing: the states of converted code have torch's names and layouts."""
        return ()

    def state_of(
        self, module: torch.nn.Module, twin: Any, state: Mapping[str, torch.Tensor]
    ) -> dict[str, Any]:
        """Return the state as arrays: states of converted code have torch's names and layouts."""
        return {name: arrays.from_torch(value) for name, value in state.items()}

    def torch_state(self, module: Any) -> dict[str, torch.Tensor]:
        """Return the state of a module with torch's names and layouts."""
        return {name: kept.read() for name, kept in modules.kept_of(module).items()}

    def fill(self, module: Any, state: Mapping[str, torch.Tensor]) -> None:
        """Copy a torch state to a module; raise CarryError if a tensor does not fit."""
        held = modules.kept_of(module)
        for name, value in state.items():
            if name not in held or held[name].read().shape != value.shape:
                raise CarryError(f"{name} has no place of this size in the module")
            held[name].write(value)

    def children(self, module: torch.nn.Module, twin: Any) -> Iterable[tuple[str, Any, Any]]:
        """Return the corresponding submodules of both, by torch's name."""
        return modules.children(module, twin)

    def is_optimizer(self, value: object) -> bool:
        """Return whether a value is an optimizer of flax."""
        return isinstance(value, nnx.Optimizer)

    def optimizer_slots(
        self,
        optimizer: torch.optim.Optimizer,
        twin: Any,
        partner: Callable[[torch.Tensor], Slot | None],
    ) -> Iterable[Slot | Mismatch]:
        """Return the state of torch's optimizer with that of optax."""
        return optimizers.slots(optimizer, twin, partner)

    def saved_slots(
        self,
        optimizer: torch.optim.Optimizer,
        state: Mapping[str, Any],
        held: Mapping[str, Any],
        partner: Callable[[torch.Tensor], Slot | None],
    ) -> Iterable[Slot]:
        """Return nothing: optax's saved states have other names."""
        return ()

    def in_torch_names(self, held: Mapping[str, Any]) -> dict[str, Any]:
        """Return nothing: optax's saved states have other names."""
        return {}

    def without_state(self, optimizer: Any) -> Any:
        """Raise: the state of optax cannot be saved as torch's.

        Raises:
            CarryError: always.
        """
        raise CarryError("the saved state of an optimizer has no counterpart in JAX")

    def torch_settings(self) -> Mapping[str, Mapping[str, Any]]:
        """Return nothing: converted code keeps no settings of torch."""
        return {}

    def scheduled_rate(self, scheduler: Any) -> float | None:
        """Return None: a schedule of optax is a function."""
        return None

    def prepare_optimizer(
        self,
        optimizer: torch.optim.Optimizer,
        twin: Any,
        partner: Callable[[torch.Tensor], Slot | None],
    ) -> None:
        """Set the numbers of steps that a new optimizer counts; slots hold the other state."""
        optimizers.prepare(optimizer, twin)

    def prepare_scheduler(self, scheduler: Any, twin: Any, optimizer: Any) -> None:
        """Set a schedule of converted code to the position and the rate of torch's."""
        optimizers.prepare_schedule(scheduler, twin)

    def schedule_parts(self, twin: Any) -> Sequence[Any]:
        """Return nothing: a schedule of optax is a function."""
        return ()

    def learning_rate(self, optimizer: Any) -> float | None:
        """Return the rate that an optimizer holds, or None if it is part of optax's functions."""
        return settings.of_optimizer(optimizer).get("lr")

    def seed(self, value: int) -> None:
        """Do nothing: keys belong to the program."""

    def synchronise(self) -> None:
        """Wait for what was launched last."""
        jax.block_until_ready(jnp.zeros(()))

    @contextmanager
    def replay(self, stream: Stream) -> Iterator[None]:
        """While open, let random draws take torch's values from the stream."""
        with replay.replaying(stream), watch.drawing(stream):
            yield

    @contextmanager
    def watch(self, hooks: Hooks) -> Iterator[None]:
        """While open, report losses and first calls of modules with fresh weights."""
        with ExitStack() as stack:
            stack.enter_context(watch.watching(hooks))
            stack.enter_context(self._spelling.noting())
            yield

    def join_processes(self, rank: int, count: int, port: int) -> None:
        """Raise: cells are not converted for several processes.

        Raises:
            CarryError: always.
        """
        raise CarryError("cells for several processes have no conversion to JAX")

    def launcher(self, count: int, logs: Path) -> list[str]:
        """Raise: cells are not converted for several processes.

        Raises:
            CarryError: always.
        """
        raise CarryError("cells for several processes have no conversion to JAX")

    def launched(self) -> tuple[int, int]:
        """Return the only process."""
        return 0, 1

    def log_of(self, rank: int, logs: Path) -> str:
        """Return nothing: there is no launcher."""
        return ""

    def on_device(self, word: str) -> AbstractContextManager[Any]:
        """While open, create new arrays on the device with this torch name."""
        return devices.on_device(word)
