"""Copying of live values between torch and Paddle, and Paddle's side of a comparison."""

from __future__ import annotations

import os
import sys
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

with warnings.catch_warnings():
    # Paddle warns about a missing compiler cache, which no notebook needs.
    warnings.simplefilter("ignore")
    import paddle

from workbench.streams.torch_recorder import FreshWeights
from workbench.targets.bridge import CarryError, Device, Hooks, Mismatch, Slot
from workbench.targets.paddle.carry import (
    devices,
    layouts,
    modules,
    optimizers,
    tensors,
    text,
    torch_settings,
    watch,
)
from workbench.targets.paddle.carry.replay import Replay

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    import torch

    from workbench.streams.draws import Stream

# Names that are missing in Paddle's type information.
_paddle: Any = paddle


class Bridge:
    """`workbench.targets.bridge.Bridge` for Paddle."""

    name = "paddle"
    module = "paddle"
    records_gradients = True
    by_program = False

    def __init__(self) -> None:
        # Paddle replaces the process's handlers of fatal signals; a Jupyter kernel needs its own.
        paddle.disable_signal_handler()
        self._fresh = FreshWeights()
        self._spelling = text.Spelling()

    def names(self) -> Mapping[str, Any]:
        """Return the names that every converted cell may use."""
        return {"paddle": paddle}

    def is_tensor(self, value: object) -> bool:
        """Return whether a value is a Paddle tensor, including parameters."""
        return isinstance(value, paddle.Tensor)

    def tensor(self, value: torch.Tensor) -> Any:
        """Return a new Paddle tensor with the value and its gradient."""
        return tensors.carry(value)

    def to_torch(self, value: Any) -> torch.Tensor:
        """Return the value as a detached torch tensor that shares its memory."""
        return tensors.to_torch(value)

    def comparable(self, value: torch.Tensor) -> torch.Tensor:
        """Return the tensor: Paddle has torch's dtypes."""
        return value

    def write(self, into: Any, value: torch.Tensor) -> None:
        """Set a Paddle tensor's value in place."""
        tensors.write(into, value)

    def gradient(self, value: Any) -> torch.Tensor | None:
        """Return the gradient of a Paddle tensor, or None."""
        return tensors.gradient(value)

    def write_gradient(self, into: Any, value: torch.Tensor | None) -> None:
        """Set or clear the gradient of a Paddle tensor."""
        tensors.write_gradient(into, value)

    def requires_grad(self, value: Any) -> bool:
        """Return whether Paddle records the tensor for a backward pass."""
        return not value.stop_gradient

    def set_requires_grad(self, value: Any, wanted: bool) -> None:
        """Set whether gradients reach a leaf."""
        value.stop_gradient = not wanted

    def is_leaf(self, value: Any) -> bool:
        """Return whether a tensor is not the result of a recorded computation."""
        return bool(value.is_leaf)

    def reaches(self, value: Any, leaves: Sequence[Any]) -> bool:
        """Return whether a gradient of a tensor may reach one of these leaves."""
        return tensors.reaches(value, leaves)

    def dtype(self, value: torch.dtype) -> Any:
        """Return Paddle's dtype of the same name."""
        return tensors.dtype(value)

    def is_dtype(self, value: object) -> bool:
        """Return whether a value is a Paddle dtype."""
        return tensors.is_dtype(value)

    def device(self, word: str) -> Any:
        """Return Paddle's name for a device with a torch name."""
        return devices.known(word).word

    def devices(self) -> list[Device]:
        """Return the CPU, then the accelerators that the installed Paddle can use."""
        return devices.devices()

    def plain_text(self, value: str) -> str:
        """Return printed text in torch's spelling."""
        return self._spelling.plain(value)

    def is_module(self, value: object) -> bool:
        """Return whether a value is a Paddle layer."""
        return isinstance(value, paddle.nn.Layer)

    def bare_module(self, kind: type) -> Any:
        """Return a layer without calling its constructor."""
        if not issubclass(kind, paddle.nn.Layer):
            raise CarryError(f"the converted class {kind.__name__} is not a paddle.nn.Layer")
        return modules.bare(kind)

    def add_part(self, module: Any, name: str, part: Any, *, persistent: bool | None) -> None:
        """Set a parameter, child or buffer of a bare layer."""
        modules.add_part(module, name, part, persistent=persistent)

    def set_training(self, module: Any, training: bool) -> None:
        """Set one layer to training or evaluation mode."""
        module.training = training

    def hook_count(self, module: Any) -> int:
        """Return the number of Paddle's own hooks and of those behind converted backward hooks."""
        return modules.hook_count(module)

    def module_slots(self, module: torch.nn.Module, twin: Any) -> Iterable[Slot | Mismatch]:
        """Return every parameter and buffer of a torch module with its place in the layer."""
        return modules.slots(module, twin)

    def state_slots(
        self,
        module: torch.nn.Module,
        twin: Any,
        state: Mapping[str, Any],
        names: Collection[str],
    ) -> Iterable[Slot]:
        """Return the parts of a torch module's state with their places in the layer's state."""
        return modules.state_slots(module, twin, state, names)

    def state_of(
        self, module: torch.nn.Module, twin: Any, state: Mapping[str, torch.Tensor]
    ) -> dict[str, Any]:
        """Return a state of a torch module with the layer's names and layouts."""
        return modules.state_of(module, twin, state)

    def torch_state(self, module: Any) -> dict[str, torch.Tensor]:
        """Return a layer's state with the names and layouts of torch's counterpart."""
        return layouts.torch_state(module)

    def fill(self, module: Any, state: Mapping[str, torch.Tensor]) -> None:
        """Copy a state of torch's counterpart to a layer; raise CarryError if a tensor does not
        fit.
        """
        layouts.fill(module, state)

    def children(
        self, module: torch.nn.Module, twin: Any
    ) -> Iterable[tuple[str, torch.nn.Module, Any]]:
        """Return the corresponding submodules of both, by torch's name."""
        return [(n, child, p) for n, child, p in modules.children(module, twin) if p is not None]

    def is_optimizer(self, value: object) -> bool:
        """Return whether a value is an optimizer of Paddle or of converted code."""
        return optimizers.is_optimizer(value)

    def optimizer_slots(
        self,
        optimizer: torch.optim.Optimizer,
        twin: Any,
        partner: Callable[[torch.Tensor], Slot | None],
    ) -> Iterable[Slot | Mismatch]:
        """Return the state of a torch optimizer with that of the Paddle one."""
        return optimizers.slots(optimizer, twin, partner)

    def saved_slots(
        self,
        optimizer: torch.optim.Optimizer,
        state: Mapping[str, Any],
        held: Mapping[str, Any],
        partner: Callable[[torch.Tensor], Slot | None],
    ) -> Iterable[Slot]:
        """Return the tensors of a torch optimizer's saved state with those of Paddle's state."""
        return optimizers.saved_slots(optimizer, state, held, partner)

    def in_torch_names(self, held: Mapping[str, Any]) -> dict[str, Any]:
        """Return the numbers of a schedule's, scaler's or optimizer's saved state."""
        return optimizers.in_torch_names(held)

    def schedule_parts(self, twin: Any) -> Sequence[Any]:
        """Return the schedules that the twin of a sequence or a chain runs, in order."""
        return optimizers.schedule_parts(twin)

    def learning_rate(self, optimizer: Any) -> float:
        """Return the learning rate that the optimizer will use next."""
        return optimizers.learning_rate(optimizer)

    def without_state(self, optimizer: Any) -> Any:
        """Return an optimizer of the same parameters that has taken no step."""
        return optimizers.without_state(optimizer)

    def torch_settings(self) -> Mapping[str, Mapping[str, Any]]:
        """Return torch's settings by the helper classes that keep them in converted code."""
        return torch_settings.now()

    def scheduled_rate(self, scheduler: Any) -> float | None:
        """Return the learning rate that a schedule has set last, or None for any other value."""
        return optimizers.scheduled_rate(scheduler)

    def prepare_optimizer(
        self,
        optimizer: torch.optim.Optimizer,
        twin: Any,
        partner: Callable[[torch.Tensor], Slot | None],
    ) -> None:
        """Copy the settings and the state of torch's optimizer to a new twin."""
        optimizers.prepare(optimizer, twin, partner)

    def prepare_scheduler(self, scheduler: Any, twin: Any, optimizer: Any) -> None:
        """Set a new twin of a torch schedule, and its optimizer's rate, to the state of torch's."""
        optimizers.prepare_scheduler(scheduler, twin, optimizer)

    def seed(self, value: int) -> None:
        """Seed Paddle's random streams."""
        paddle.seed(value)

    def synchronise(self) -> None:
        """Wait until all launched work has finished."""
        if _paddle.is_compiled_with_cuda() and "gpu" in paddle.device.get_device():
            paddle.device.synchronize()

    @contextmanager
    def replay(self, stream: Stream) -> Iterator[None]:
        """While open, let random draws take torch's values from the stream."""
        with Replay(stream, self._fresh.add).replaying():
            yield
        self._fresh.clear()

    @contextmanager
    def watch(self, hooks: Hooks) -> Iterator[None]:
        """While open, report losses and first calls of layers with fresh weights."""
        with watch.watching(hooks, self._fresh), self._spelling.noting():
            yield

    def join_processes(self, rank: int, count: int, port: int) -> None:
        """Set the environment that Paddle's launcher sets for one of several processes."""
        ends = [f"127.0.0.1:{port + 2 + number}" for number in range(count)]
        os.environ.update(
            PADDLE_TRAINER_ID=str(rank),
            PADDLE_RANK_IN_NODE=str(rank),
            PADDLE_TRAINERS_NUM=str(count),
            PADDLE_TRAINER_ENDPOINTS=",".join(ends),
            PADDLE_CURRENT_ENDPOINT=ends[rank],
            PADDLE_MASTER=f"127.0.0.1:{port + 1}",
            PADDLE_DISTRI_BACKEND="gloo",
        )

    def launcher(self, count: int, logs: Path) -> list[str]:
        """Return the command of Paddle's own launcher, which finds ports by itself."""
        command = [sys.executable, "-m", "paddle.distributed.launch", "--run_mode", "collective"]
        command += ["--nproc_per_node", str(count), "--max_restart", "0"]
        return [*command, "--log_dir", str(logs)]

    def launched(self) -> tuple[int, int]:
        """Return rank and count from the launcher's environment; select gloo for communication."""
        os.environ["PADDLE_DISTRI_BACKEND"] = "gloo"
        return int(os.environ["PADDLE_TRAINER_ID"]), int(os.environ["PADDLE_TRAINERS_NUM"])

    def log_of(self, rank: int, logs: Path) -> str:
        """Return the output of a process in the launcher's log."""
        log = logs / f"workerlog.{rank}"
        return log.read_text(errors="replace") if log.exists() else ""

    def on_device(self, word: str) -> AbstractContextManager[None]:
        """While open, create new tensors on the device with this torch name."""
        return devices.on_device(word)
