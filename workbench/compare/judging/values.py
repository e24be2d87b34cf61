"""Rows for two values: every tensor, number and text that they contain, compared pair by pair."""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch.nn.parameter import is_lazy
from torch.utils.hooks import RemovableHandle

from workbench.compare.carry.carrier import CarriedLog
from workbench.compare.carry.origin import is_library
from workbench.compare.carry.pairing import Pair, Twins, Unpaired, Walk, all_numbers, all_text
from workbench.compare.carry.sources import NUMBERS, is_in_same_state
from workbench.compare.judging.drift import Drift
from workbench.compare.judging.tensors import tensor_row
from workbench.compare.judging.tolerance import Tolerance
from workbench.compare.judging.torch_side import Updates
from workbench.compare.result import Origin, Row
from workbench.streams import printed_text
from workbench.targets.bridge import Bridge

_DEFINITIONS = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    types.ModuleType,
    type,
)

_WITHOUT_VALUES = (torch.Generator, RemovableHandle)
# Says of a running variance that the target itself keeps without Bessel's correction.
WITH_FACTOR = "computed with torch's factor m/(m-1)"
# Decimal places to which people round what they collect: from the first to before the second.
_LEAST_PLACES, _PLACES = 3, 7


class Judge:
    """Converts pairs to rows; `notes` collects what could not be compared."""

    def __init__(
        self,
        bridge: Bridge,
        twins: Twins,
        tolerance: Tolerance,
        carried: CarriedLog,
        updates: Updates,
        drift: Drift | None = None,
    ) -> None:
        self._bridge = bridge
        self._twins = twins
        self._tolerance = tolerance
        self._carried = carried
        self._updates = updates
        self._drift = drift or Drift()
        self.tensors: dict[str, tuple[torch.Tensor, torch.Tensor]] = {}  # by the rows' names
        # Names of values that may differ, and are transferred again.
        self.by_chance: set[str] = set()
        self.notes: list[str] = []
        self._opaque: set[tuple[str, str]] = set()  # names and types that a note is about
        self._moved: dict[int, float] = {}  # by length, how far rounding moved vectors apart

    def rows(self, name: str, ours: Any, theirs: Any) -> list[Row]:
        """Return every row for two values of one name."""
        pairs = list(Walk(self._bridge, self._twins).visit(name, ours, theirs))
        noise = self._noise(pairs)
        self._moved = {}
        rows: list[Row] = []
        for pair in pairs:
            if isinstance(pair, Unpaired):
                rows.append(Row(pair.name, same=pair.same, reason=pair.reason))
            else:
                rows += self._pair(pair, noise)
        return [self._following(row) for row in rows]

    def _noise(self, pairs: list[Pair | Unpaired]) -> dict[str, float]:
        """Return the largest gradient per module or list, which sets the rounding of small ones."""
        largest: dict[str, float] = {}
        for pair in pairs:
            if isinstance(pair, Pair) and pair.slot:
                grad = pair.slot.source.grad if pair.slot.source.is_leaf else None
                if grad is not None and grad.numel():
                    top = float(grad.abs().max())
                    group = _group(pair)
                    largest[group] = max(largest.get(group, 0.0), top)
        return largest

    def _pair(self, pair: Pair, noise: dict[str, float]) -> Iterator[Row]:
        ours, theirs = pair.torch, pair.target
        if isinstance(ours, torch.dtype) and ours is theirs:
            return  # converted code that keeps torch's own has computed nothing
        if pair.slot is not None and (theirs is None or self._bridge.is_tensor(theirs)):
            yield from self._slot(pair, noise.get(_group(pair), 0.0))
        elif isinstance(ours, torch.Tensor):
            yield from self._tensor(pair.name, ours, theirs)
        elif isinstance(ours, np.ndarray | np.generic):
            yield self._array(pair.name, ours, theirs)
        elif is_table(ours):
            yield from self._table(pair.name, ours, theirs)
        elif _is_number(ours):
            yield self._number(pair.name, ours, theirs)
        elif isinstance(ours, list | tuple) and ours and all_numbers(ours):
            yield self._tensor_row(pair.name, torch.tensor(ours), torch.tensor(list(theirs)))
        elif isinstance(ours, list | tuple) and ours and all_text(ours):
            yield self._plain(pair.name, ours, theirs, list(ours) == list(theirs))
        elif isinstance(ours, torch.Size):
            same = isinstance(theirs, list | tuple) and list(ours) == list(theirs)
            yield self._plain(pair.name, tuple(ours), theirs, same)
        elif isinstance(ours, str):
            yield self._text(pair.name, ours, theirs)
        elif isinstance(ours, torch.dtype):
            yield self._plain(pair.name, ours, theirs, self._same_dtype(ours, theirs))
        elif isinstance(ours, torch.device):
            if str(self._bridge.device(str(ours))) == str(theirs):
                yield self._plain(pair.name, ours, theirs, True)
            else:
                self.notes.append(f"{pair.name} is {ours} in torch, {theirs} in the target")
        else:
            yield from self._other(pair.name, ours, theirs)

    def _slot(self, pair: Pair, noise: float) -> Iterator[Row]:
        slot = pair.slot
        assert slot is not None
        if is_lazy(slot.source):
            waits = slot.read(self._bridge).numel() == 0
            yield Row(pair.name, same=waits, reason="" if waits else "torch has no size for it yet")
            return
        twin = slot.read(self._bridge)
        origin, drift = self._origin(slot.source), self._drift.of(slot.source)
        row = self._held(pair.name, slot.source, twin, drift=drift, origin=origin)
        parameter = slot.source if pair.parameter is None else pair.parameter
        row = self._moved_by_rounding(row, self._updates.cancelled(parameter), slot.source, twin)
        moved = slot.uncorrected and bool((slot.source != 1).any())
        corrected = moved and row.same and row.origin is Origin.COMPUTED
        yield replace(row, reason=WITH_FACTOR) if corrected else row
        trained = slot.source.is_leaf and isinstance(slot.source, torch.nn.Parameter)
        if trained and self._bridge.records_gradients:
            yield from self._gradient(pair.name, slot.source, slot.gradient(self._bridge), noise)

    def _moved_by_rounding(
        self, row: Row, mask: torch.Tensor | None, ours: torch.Tensor, theirs: torch.Tensor
    ) -> Row:
        """Return the row, as the same if the vector differs only by steps due to rounding."""
        if row.same is not False or row.max_abs is None or mask is None or not mask.any():
            return row
        rest = tensor_row(row.name, ours[~mask], theirs[~mask], self._tolerance)
        if not rest.same or not bool(theirs.isfinite().all()):
            return row
        self._moved[len(ours)] = max(self._moved.get(len(ours), 0.0), row.max_abs)
        self.by_chance.add(row.name)
        return replace(row, same=True, reason="rounding alone moves it: its gradients cancel out")

    def _following(self, row: Row) -> Row:
        """Return the row of a running mean, the same if it follows a bias that rounding moves."""
        if row.same is not False or row.max_abs is None or not row.name.endswith("running_mean"):
            return row
        # A mean of the bias's values on the way, which may have been farther than its last one.
        if row.max_abs > 2 * self._moved.get((row.shape or (0,))[0], 0.0):
            return row
        self.by_chance.add(row.name)
        return replace(row, same=True, reason="it follows a bias that rounding alone moves")

    def _tensor(self, name: str, ours: torch.Tensor, theirs: Any) -> Iterator[Row]:
        if not self._bridge.is_tensor(theirs):
            yield _unlike(name, ours, theirs)
            return
        twin = self._bridge.to_torch(theirs)
        drift = self._drift.of(ours)
        yield self._held(name, ours, twin, drift=drift, origin=self._origin(ours))
        if not self._bridge.records_gradients:
            return
        # Paddle's integers, such as indices of `topk`, may ask for gradients that they never get.
        asks = self._bridge.requires_grad(theirs) and _may_have_gradient(ours)
        if asks and not ours.requires_grad and self._is_cut_off(theirs):
            self.notes.append(f"{name} requires gradients in the target, and not in torch")
        elif ours.requires_grad != asks:
            reach = "in torch alone" if ours.requires_grad else "in the target alone"
            yield Row(f"{name}.requires_grad", same=False, reason=f"gradients reach it {reach}")
        if ours.is_leaf and ours.requires_grad:
            yield from self._gradient(name, ours, self._bridge.gradient(theirs), 0.0)

    def _is_cut_off(self, theirs: Any) -> bool:
        """Return whether a tensor depends on no weight, though it requires gradients.

        In Paddle gradients themselves do, and so does what is computed from them.
        """
        return self._bridge.is_leaf(theirs) or not self._bridge.reaches(
            theirs, self._twins.leaves()
        )

    def _origin(self, tensor: torch.Tensor) -> Origin:
        return Origin.CARRIED if self._carried.holds(tensor) else Origin.COMPUTED

    def _gradient(
        self, name: str, parameter: torch.Tensor, theirs: torch.Tensor | None, noise: float
    ) -> Iterator[Row]:
        label, ours = f"{name}.grad", parameter.grad
        if ours is not None and theirs is not None:
            origin = self._origin(ours)
            drift = self._drift.of_gradient(parameter)
            yield self._held(label, ours, theirs, noise=noise, drift=drift, origin=origin)
        elif ours is not None and bool((ours != 0).any()):
            yield Row(label, tuple(ours.shape), same=False, reason="no gradient in the target")
        elif theirs is not None and bool((theirs != 0).any()):
            yield Row(label, tuple(theirs.shape), same=False, reason="no gradient in torch")

    def _array(self, name: str, ours: Any, theirs: Any) -> Row:
        if not isinstance(theirs, np.ndarray | np.generic):
            return _unlike(name, ours, theirs)
        if isinstance(ours, np.floating) and isinstance(theirs, np.floating):
            # Like Python's floats, most were float32 before: `np.mean(labels * np.log(p))`.
            return self._number(name, float(ours), float(theirs))
        try:
            a, b = (torch.from_numpy(np.array(value)) for value in (ours, theirs))
        except TypeError:  # text and objects
            same = ours.shape == theirs.shape
            same = same and bool(np.all((ours == theirs) | _nan(ours, theirs)))
            return Row(name, ours.shape, str(ours.dtype), same=same, reason=_unless(same))
        return self._tensor_row(name, a, b)

    def _table(self, name: str, ours: Any, theirs: Any) -> Iterator[Row]:
        """Yield the rows of a data frame or column: names of rows and columns, and each column."""
        if type(theirs).__name__ != type(ours).__name__ or len(ours) != len(theirs):
            yield _unlike(name, ours, theirs)
            return
        columns = list(getattr(ours, "columns", ()))
        if columns != list(getattr(theirs, "columns", ())):
            yield self._plain(f"{name}.columns", columns, list(theirs.columns), False)
            return
        if hasattr(type(getattr(ours, "index", None)), "to_numpy"):
            yield self._array(f"{name}.index", ours.index.to_numpy(), theirs.index.to_numpy())
        for column in columns:
            yield self._column(f"{name}[{column!r}]", ours[column], theirs[column])
        if not columns:
            yield self._column(name, ours, theirs)

    def _column(self, name: str, ours: Any, theirs: Any) -> Row:
        a, b = ours.to_numpy(), theirs.to_numpy()
        if a.dtype == b.dtype == np.float64:
            # Like Python's floats, those that a cell collects usually were float32 before.
            return replace(
                self._array(name, a.astype(np.float32), b.astype(np.float32)), dtype="float64"
            )
        return self._array(name, a, b)

    def _tensor_row(self, name: str, ours: torch.Tensor, theirs: torch.Tensor) -> Row:
        return self._held(name, ours, theirs, drift=self._drift.of_number(name, ours))

    def _held(self, name: str, ours: torch.Tensor, theirs: torch.Tensor, **judged: Any) -> Row:
        """Return the row of two tensors, and store them under its name."""
        ours, theirs = self._bridge.comparable(ours), self._bridge.comparable(theirs)
        self.tensors[name] = ours.detach(), theirs.detach()
        return tensor_row(name, ours, theirs, self._tolerance, **judged)

    def _number(self, name: str, ours: Any, theirs: Any) -> Row:
        if not _is_number(theirs) or isinstance(ours, bool) != isinstance(theirs, bool):
            return _unlike(name, ours, theirs)
        kind = type(ours).__name__
        if isinstance(ours, bool | int) and isinstance(theirs, bool | int):
            gap = float(abs(ours - theirs))
            return Row(name, (), kind, gap, gap / abs(ours) if ours else gap, ours == theirs)
        # Python floats are double, but those in a notebook usually were float32 before.
        a, b = (torch.tensor(value, dtype=torch.float32) for value in (ours, theirs))
        row = tensor_row(name, a, b, self._tolerance, drift=self._drift.of_number(name, a))
        row = replace(row, shape=(), dtype=kind, picture=None)
        if row.same is False and (places := _rounded_apart(float(ours), float(theirs))):
            return replace(row, same=True, reason=f"{places} places were kept: one off in the last")
        return row

    def _text(self, name: str, ours: str, theirs: Any) -> Row:
        if not isinstance(theirs, str):
            return _unlike(name, ours, theirs)
        gap = (
            "" if ours == theirs else printed_text.difference(ours, self._bridge.plain_text(theirs))
        )
        return Row(name, None, "str", same=not gap, reason=gap)

    def _plain(self, name: str, ours: Any, theirs: Any, same: bool) -> Row:
        reason = "" if same else f"{ours!r} in torch, {theirs!r} in the target"
        return Row(name, None, type(ours).__name__, same=same, reason=reason)

    def _other(self, name: str, ours: Any, theirs: Any) -> Iterator[Row]:
        if isinstance(ours, _WITHOUT_VALUES):
            return
        if ours is None or theirs is None:
            same = ours is None and theirs is None
            if not same:
                yield _unlike(name, ours, theirs)
            return
        if is_definition(ours) or callable(ours):
            return
        if inspect.isgenerator(ours):
            return
        if ours is theirs:
            return
        if isinstance(ours, NUMBERS) and is_in_same_state(ours, theirs):
            yield self._plain(name, ours, theirs, True)
            return
        if _are_equal(ours, theirs):
            yield self._plain(name, ours, theirs, True)
            return
        if isinstance(ours, bytes | set | frozenset | complex | range | slice):
            yield self._plain(name, ours, theirs, ours == theirs)
            return
        length = getattr(type(ours), "__len__", None)
        if length is not None and getattr(type(theirs), "__len__", None) is not None:
            try:
                yield self._number(f"len({name})", len(ours), len(theirs))
            except TypeError:  # a loader over a stream has no length
                return
            return
        kind, root = type(ours).__name__, re.split(r"[.\[]", name)[0]
        if (root, kind) not in self._opaque:  # one note for many in a list
            self._opaque.add((root, kind))
            self.notes.append(f"{name} ({kind}) was not compared: its values cannot be read")

    def _same_dtype(self, ours: torch.dtype, theirs: Any) -> bool:
        return self._bridge.is_dtype(theirs) and self._bridge.dtype(ours) == theirs


def _are_equal(ours: Any, theirs: Any) -> bool:
    """Return whether a library's values, such as paths and dates, say that they are equal."""
    kind = type(ours)
    by_identity = getattr(kind, "__eq__", None) is object.__eq__
    if kind is not type(theirs) or by_identity or not is_library(kind):
        return False
    try:
        return (ours == theirs) is True
    except Exception:
        return False


def _nan(ours: Any, theirs: Any) -> Any:
    """Return where both arrays have a value that differs from itself, such as a missing value."""
    return (ours != ours) & (theirs != theirs)


def _group(pair: Pair) -> str:
    return pair.group or pair.name.partition("[")[0]


def _may_have_gradient(tensor: torch.Tensor) -> bool:
    """Return whether gradients exist for a tensor's dtype."""
    return tensor.is_floating_point() or tensor.is_complex()


def is_table(value: object) -> bool:
    """Return whether it is a data frame or a column, as in pandas and polars."""
    return hasattr(type(value), "to_numpy") and hasattr(type(value), "__len__")


def is_definition(value: object) -> bool:
    """Return whether it is a function, class or module, which is compared by its results only."""
    return isinstance(value, _DEFINITIONS)


def _rounded_apart(ours: float, theirs: float) -> int:
    """Return the decimal places of two rounded numbers that are one apart in the last, or 0.

    One unit has to be small next to them, as it is in printed output.
    """
    for places in range(_LEAST_PLACES, _PLACES):
        if ours == round(ours, places) and theirs == round(theirs, places):
            near = abs(ours - theirs) <= min(
                1.01 * 10.0**-places, printed_text.RELATIVE * abs(ours)
            )
            return places if near else 0
    return 0


def _is_number(value: object) -> bool:
    return isinstance(value, bool | int | float) and not isinstance(value, np.generic)


def _unlike(name: str, ours: Any, theirs: Any) -> Row:
    return Row(
        name,
        tuple(ours.shape) if isinstance(ours, torch.Tensor | np.ndarray) else None,
        same=False,
        reason=f"{_with_article(ours)} in torch, {_with_article(theirs)} in the target",
    )


def _with_article(value: object) -> str:
    return "None" if value is None else f"{type(value).__name__} {str(value)[:40]!r}"


def _unless(same: bool) -> str:
    return "" if same else "the values differ"
