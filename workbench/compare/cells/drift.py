"""Measurement of torch's own drift: a cell that trains runs again with perturbed rounding.

Training accumulates rounding. Two frameworks that compute the same diverge more with every step,
and so does torch on another machine. Before a module's first call and each optimizer step, the
weights are perturbed by a few roundings, and the gradients by the rounding of a sum. A difference
of the target is compared with the resulting change of torch's values.

A short cell that differentiates, such as a check of gradients against finite differences, may be as
sensitive without training. There each result of arithmetic is perturbed by one rounding.
"""

from __future__ import annotations

import io
import os
import warnings
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch.nn.modules.module import register_module_forward_pre_hook
from torch.nn.parameter import is_lazy
from torch.optim.optimizer import register_optimizer_step_pre_hook

from workbench.compare.carry.inside import attributes
from workbench.compare.carry.pairing import all_numbers
from workbench.compare.cells.reach import called, reach
from workbench.compare.cells.shared import Shared
from workbench.compare.cells.snapshot import Snapshot
from workbench.compare.cells.written_files import Files
from workbench.compare.judging.drift import Drift, Kept, Leaves
from workbench.compare.judging.torch_side import Heard, watching
from workbench.compare.judging.values import is_table
from workbench.streams.torch_recorder import FreshWeights, patched

RUNS = 2
LONGEST = 60.0  # seconds; longer cells do not run again
_LONGEST_BY_OPERATION = 2.0  # as well, where each operation is perturbed, which takes longer
# Functions that write files without Python's `open`, so they cannot be redirected.
_WRITERS = frozenset(
    ["imwrite", "push_to_hub", "save_file", "save_model", "save_pretrained", "to_hdf", "to_parquet"]
)
# Runs diverge when a ReLU or a maximum switches, which one rounding causes only once in many runs:
# with this many roundings both runs show it.
_ROUNDINGS = 32
_COARSE = 1e-4  # a rounding of 16-bit floats is large enough by itself
_SUMMED = 4  # rounding error of a gradient, in roundings of its largest element
_OUT = "Out"  # the rows of the value of a cell's last expression
_DEPTH = 6
_ITEMS = 2000


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """The finished run of a cell's torch side, which may run again.

    Attributes:
        shared: what the session's cells share.
        source: the cell's source.
        begin: the state before the cell, or None if it was not kept.
        seconds: the time that the run took.
        heard: what was observed during the run.
        file: the name of the file that Python has for the cell.
        line_of: returns the source line of a line of that file, both 0-based.
        again: runs it in the namespace's present state, and returns its last expression's value.
        result: this value of the finished run.
    """

    shared: Shared
    source: str
    begin: Snapshot | None
    seconds: float
    heard: Heard
    file: str
    line_of: Callable[[int], int]
    again: Callable[[], Any]
    result: Any = None


def measure(
    run: FinishedRun,
    names: Collection[str],
    *,
    disturbed: Callable[[int], AbstractContextManager[None]],
    known: Drift | None = None,
) -> Drift | None:
    """Run torch's side of a cell again, perturbed, and restore its final state.

    `names` are the names whose values are compared, `disturbed` perturbs a run of a given number,
    and `known` is the drift that was measured in another way. The user's files are not modified.
    Returns None if the final state cannot be restored, in which case nothing runs, or if the cell
    raises.
    """
    namespace = run.shared.namespace
    end = Snapshot(namespace, reach(names, namespace), run.begin)
    if end.incomplete or run.begin is None:
        return None
    drift = known or Drift()
    before = _leaves(namespace, names) | _leaves({_OUT: run.result}, [_OUT])
    try:
        for number in range(RUNS):
            run.begin.restore()
            again = Heard()
            printed = io.StringIO()
            with (
                redirect_stdout(printed),
                redirect_stderr(io.StringIO()),
                warnings.catch_warnings(action="ignore"),
                run.shared.quiet(),
                Files().apart(),
                patched(torch, "save", _by_python),
                watching(again, FreshWeights(), run.file, run.line_of),
                disturbed(number),
            ):
                result = run.again()
            drift.note(before, _leaves(namespace, names) | _leaves({_OUT: result}, [_OUT]))
            drift.note_losses(run.heard, again)
            drift.outputs.append(printed.getvalue())
    except Exception:
        return None
    finally:
        end.restore()
    return drift


def why_not_repeatable(run: FinishedRun) -> str:
    """Return why a cell's torch side cannot run again, or "" if it can."""
    if run.begin is None:
        return "a library runs the training, not the cell's own code"
    if run.begin.incomplete:
        return f"{', '.join(run.begin.incomplete)} cannot be restored"
    if run.seconds > LONGEST:
        return f"the cell takes more than {LONGEST:.0f} s; train fewer steps to measure it"
    writes = _WRITERS & called(run.source, run.shared.namespace)
    if writes:
        return f"{min(writes)} would write files again"
    return ""


def _by_python(save: Any) -> Any:
    """Return a `torch.save` that opens its file in Python, where it can be redirected."""

    def run(content: Any, file: Any, *args: Any, **kwargs: Any) -> None:
        if isinstance(file, str | os.PathLike):
            with open(file, "wb") as opened:  # noqa: PTH123  the one that is patched
                save(content, opened, *args, **kwargs)
        else:
            save(content, file, *args, **kwargs)

    return run


def may_repeat_by_operation(run: FinishedRun) -> bool:
    """Return whether torch's side is short enough to run again with each operation perturbed."""
    return run.seconds <= _LONGEST_BY_OPERATION and not why_not_repeatable(run)


@contextmanager
def disturbed_training(seed: int) -> Iterator[None]:
    """Perturb weights by some roundings before first calls and optimizer steps while open."""
    generator = torch.Generator().manual_seed(seed)
    begun: set[int] = set()

    def before_forward(module: torch.nn.Module, _: Any) -> None:
        for parameter in module.parameters(recurse=False):
            if id(parameter) not in begun:
                begun.add(id(parameter))
                _disturb(parameter, generator)

    def before_step(optimizer: torch.optim.Optimizer, *_: Any) -> None:
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                _disturb(parameter, generator)
                if parameter.grad is not None:
                    _disturb_gradient(parameter.grad, generator)

    handles = (
        register_module_forward_pre_hook(before_forward),
        register_optimizer_step_pre_hook(before_step),
    )
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def _disturb(parameter: torch.Tensor, generator: torch.Generator) -> None:
    if _can_move(parameter):
        signs = torch.randint(0, 2, parameter.shape, generator=generator) * 2 - 1
        # Through `data`, as a recorded graph still expects the value to be unmodified.
        parameter.data.mul_(1 + _off(parameter) * signs.to(parameter))


def _disturb_gradient(gradient: torch.Tensor, generator: torch.Generator) -> None:
    if _can_move(gradient):
        noise = torch.randn(gradient.shape, generator=generator).to(gradient)
        gradient.data.add_(noise * gradient.data.abs().max() * (_SUMMED * _off(gradient)))


def _can_move(tensor: torch.Tensor) -> bool:
    return (
        tensor.is_floating_point()
        and tensor.layout is torch.strided
        and not is_lazy(tensor)
        and tensor.numel() > 0
    )


def _off(tensor: torch.Tensor) -> float:
    rounding = torch.finfo(tensor.dtype).eps
    return rounding if rounding > _COARSE else _ROUNDINGS * rounding


def _leaves(namespace: Mapping[str, Any], names: Collection[str]) -> Leaves:
    found: Leaves = {}
    seen: set[int] = set()
    for name in names:
        if name in namespace:
            _visit(name, namespace[name], found, seen, 0)
    return found


def _visit(path: str, value: Any, found: Leaves, seen: set[int], depth: int) -> None:
    if isinstance(value, torch.Tensor):
        found[path] = _kept(value)
    elif isinstance(value, bool | str) or value is None:
        return
    elif isinstance(value, int | float | np.number):
        found[path] = torch.tensor(float(value), dtype=torch.float64)
    elif isinstance(value, np.ndarray):
        if value.dtype.kind in "fiu":
            found[path] = torch.from_numpy(value.astype(np.float64))
    elif id(value) in seen or depth > _DEPTH:
        return
    else:
        seen.add(id(value))
        for key, part in _parts(value):
            _visit(f"{path}{key}", part, found, seen, depth + 1)


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the parts of a value, by the names that rows use."""
    if isinstance(value, torch.nn.Module):
        for name, tensor in (*value.named_parameters(), *value.named_buffers()):
            yield f".{name}", tensor
    elif isinstance(value, torch.optim.Optimizer):
        for number, state in enumerate(value.state.values()):
            for key, part in state.items():
                yield f"[{number}].{key}", part
    elif is_table(value):
        columns = getattr(value, "columns", ())
        yield from ((f"[{column!r}]", value[column].to_numpy()) for column in columns)
        if not len(columns):
            yield "", value.to_numpy()
    elif isinstance(value, list | tuple | deque):
        if len(value) > 1 and all_numbers(value):
            yield "", np.array(value, dtype=np.float64)
        else:
            yield from ((f"[{index}]", part) for index, part in zip(range(_ITEMS), value))  # noqa: B905
    elif isinstance(value, dict):
        yield from ((f"[{key!r}]", part) for key, part in list(value.items())[:_ITEMS])
    elif type(value).__module__ == "__main__":
        yield from ((f".{key}", part) for key, part in attributes(value))


def _kept(tensor: torch.Tensor) -> Kept | None:
    if tensor.layout is not torch.strided or is_lazy(tensor):
        return None
    gradient = tensor.grad if tensor.is_leaf else None
    copy = None if gradient is None else gradient.detach().clone()
    return Kept(tensor, tensor.detach().clone(), copy)
