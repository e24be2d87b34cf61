"""Profiling by Paddle's profiler, under the names of torch's."""

from __future__ import annotations

import contextlib
import enum
import io
from collections.abc import Callable
from typing import Any

import paddle

from workbench.targets.paddle.modules.helpers.class_names import torch_named


@torch_named
class TorchProfilerAction(enum.Enum):
    """`torch.profiler.ProfilerAction`: what is done at a step."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


def torch_profiler_schedule(
    *,
    wait: int,
    warmup: int,
    active: int,
    repeat: int = 0,
    skip_first: int = 0,
    skip_first_wait: int = 0,
) -> Callable[[int], TorchProfilerAction]:
    """`torch.profiler.schedule`: what is done at each step, in cycles."""
    cycle = wait + warmup + active

    def action(step: int) -> TorchProfilerAction:
        passed = step - skip_first
        if passed < 0:
            return TorchProfilerAction.NONE
        passed += wait if skip_first_wait else 0
        if repeat and passed >= repeat * cycle:
            return TorchProfilerAction.NONE
        place = passed % cycle
        if place < wait:
            return TorchProfilerAction.NONE
        if place < wait + warmup:
            return TorchProfilerAction.WARMUP
        last = place == cycle - 1
        return TorchProfilerAction.RECORD_AND_SAVE if last else TorchProfilerAction.RECORD

    return action


@torch_named
class TorchProfileTable:
    """What `key_averages()` returns: a table, which is Paddle's."""

    def __init__(self, profiler: Any) -> None:
        self.profiler = profiler

    def table(self, *args: Any, **kwargs: Any) -> str:
        """The summary as text; what it is sorted by and how long it is, Paddle decides."""
        text = io.StringIO()
        with contextlib.redirect_stdout(text):
            self.profiler.summary()
        return text.getvalue()

    def __str__(self) -> str:
        return self.table()


class TorchProfile:
    """`torch.profiler.profile`, and the older `torch.autograd.profiler.profile`."""

    def __init__(
        self,
        enabled: bool = True,
        *,
        activities: Any = None,
        schedule: Any = None,
        on_trace_ready: Any = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_flops: bool = False,
        **options: Any,
    ) -> None:
        self.enabled = enabled
        self.on_trace_ready = on_trace_ready
        self.options = {
            "targets": list(activities) if activities else None,
            "scheduler": schedule and (lambda step: self.state(schedule(step))),
            # Paddle would write a file where nothing is said.
            "on_trace_ready": self.ready,
            "record_shapes": record_shapes,
            "profile_memory": profile_memory,
            "with_flops": with_flops,
        }
        self.profiler: Any = None
        self.step_num = 0

    @staticmethod
    def state(action: Any) -> Any:
        """Paddle's word for an action of torch's."""
        return paddle.profiler.ProfilerState(action.value)

    def ready(self, profiler: Any) -> None:
        """A trace is there."""
        if self.on_trace_ready is not None:
            self.on_trace_ready(self)

    def start(self) -> None:
        """Begin."""
        if self.enabled:
            self.profiler = paddle.profiler.Profiler(**self.options)
            self.profiler.start()

    def stop(self) -> None:
        """End."""
        if self.enabled:
            self.profiler.stop()
            self.profiler.profiler = None  # there can be one at a time

    def step(self) -> None:
        """The next step begins."""
        self.step_num += 1
        if self.enabled:
            self.profiler.step()

    def __enter__(self) -> Any:
        self.start()
        return self

    def __exit__(self, *what: object) -> None:
        self.stop()

    def key_averages(self, *args: Any, **kwargs: Any) -> TorchProfileTable:
        """What was measured."""
        return TorchProfileTable(self.profiler)

    def table(self, *args: Any, **kwargs: Any) -> str:
        """The summary as text."""
        return self.key_averages().table()

    def export_chrome_trace(self, path: str) -> None:
        """Write what was measured for a browser."""
        self.profiler.export(path, format="json")


def torch_tensorboard_trace_handler(
    dir_name: str,
    worker_name: str | None = None,
    use_gzip: bool = False,
    use_python_export: bool = False,
) -> Any:
    """`tensorboard_trace_handler`: writes each trace into a folder."""
    write = paddle.profiler.export_chrome_tracing(dir_name, worker_name)
    return lambda profile: write(profile.profiler)
