"""Comparison of a lowered graph with torch, node by node, to find the first difference.

Each statement of the generated code runs on torch's own values (teacher-forced: which operation is
wrong), or on the results of the statements before it (free-running: how differences accumulate).
Rounding is measured: every node also runs in float64, and a difference is compared with the
distance of torch's own float32 result from that.
"""

from __future__ import annotations

import operator
import time
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import torch
from torch.fx import Node as FxNode
from torch.utils import _pytree as pytree

from workbench.capture.figures import Verdict
from workbench.capture.graph import Location
from workbench.compare.nodes.rounding import distance, is_narrow, judge, wide, wide_dtype
from workbench.compare.processes import worker
from workbench.lower.liveness import draws

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from workbench.lower import Line, Lowered

Mode = Literal["teacher-forced", "free-running"]


@dataclass(frozen=True)
class NodeRow:
    """One node's value on both sides.

    `difference` and `gap` are the largest absolute ones of any element; `limit` is the difference
    that still counts as rounding. `reason` describes the error, or is empty. `random` marks a
    random draw, whose values are not compared. Times are the shortest of all calls, in ms. Memory
    is that of the results, as no framework reports the temporary memory of kernels on a CPU.
    """

    node: str
    op: str
    module: str
    location: Location | None
    line: int
    code: str
    shape: tuple[int, ...] | None
    dtype: str
    difference: float
    gap: float
    limit: float
    reason: str
    random: bool
    torch_ms: float
    target_ms: float
    nbytes: int
    target_nbytes: int

    @property
    def equal(self) -> bool:
        """Return whether the two sides agree."""
        return not self.reason

    @property
    def verdict(self) -> Verdict:
        """Return what a graph shows of the node."""
        if not self.equal:
            return Verdict.DIFFERENT
        if self.random:
            return Verdict.UNKNOWN
        return Verdict.ROUNDING if self.difference else Verdict.SAME

    @property
    def excess(self) -> float:
        """Return the difference divided by its limit; infinity if shapes differ."""
        if self.limit > 0:
            return self.difference / self.limit
        return 0.0 if self.equal else float("inf")


@dataclass(frozen=True)
class LineCost:
    """Times (ms) of the nodes of one source line, bytes of their results, and whether all agree."""

    torch_ms: float = 0.0
    target_ms: float = 0.0
    nbytes: int = 0
    target_nbytes: int = 0
    equal: bool = True


@dataclass(frozen=True)
class NodeComparison:
    """Every node of a graph on both sides, in the order of the generated code."""

    mode: Mode
    rows: tuple[NodeRow, ...]

    @property
    def equal(self) -> bool:
        """Return whether all nodes agree."""
        return all(row.equal for row in self.rows)

    @property
    def first(self) -> NodeRow | None:
        """The first node that differs, or None if all agree."""
        return next((row for row in self.rows if not row.equal), None)

    def by_line(self) -> dict[str, LineCost]:
        """Return the cost of every source line, `file:line`, on both sides."""
        totals: dict[str, LineCost] = {}
        for row in self.rows:
            place = str(row.location) if row.location else row.module
            so_far = totals.get(place, LineCost())
            totals[place] = LineCost(
                so_far.torch_ms + row.torch_ms,
                so_far.target_ms + row.target_ms,
                so_far.nbytes + row.nbytes,
                so_far.target_nbytes + row.target_nbytes,
                so_far.equal and row.equal,
            )
        return totals

    def as_dict(self) -> dict[str, Any]:
        """Return the comparison as plain data for JSON."""
        rows = [{**asdict(row), "location": str(row.location or "")} for row in self.rows]
        return {"mode": self.mode, "equal": self.equal, "rows": rows}

    def __str__(self) -> str:
        first = self.first
        if first is None:
            return f"{len(self.rows)} nodes agree ({self.mode})"
        place = f"{first.location}: " if first.location else ""
        return f"{place}{first.node} ({first.op}) differs: {first.reason}"


def compare_nodes(
    lowered: Lowered,
    args: Sequence[Any] | torch.Tensor = (),
    kwargs: Mapping[str, Any] | None = None,
    *,
    mode: Mode = "teacher-forced",
    module: Any = None,
    repeats: int = 1,
    watch: Callable[[Line], None] | None = None,
) -> NodeComparison:
    """Run both sides on the same inputs and compare every node.

    Args:
        lowered: the graph with its generated code.
        args: positional inputs, as for the captured model.
        kwargs: keyword inputs.
        mode: `"teacher-forced"` or `"free-running"`.
        module: the loaded target module; loaded if not given.
        repeats: how often each side of a node runs; its time is the shortest.
        watch: called with each statement before it runs, to identify one that hangs.

    Returns:
        One row for each node that the generated code computes.

    Raises:
        ValueError: the inputs do not have the structure that the model was captured with.
    """
    args = (args,) if isinstance(args, torch.Tensor) else tuple(args)
    loaded = lowered.loaded(share=False) if module is None else module
    run = _Run(lowered, mode, loaded, max(1, repeats), watch)
    with torch.no_grad():
        return NodeComparison(mode, tuple(run.rows(args, dict(kwargs or {}))))


def compare_nodes_apart(
    lowered: Lowered,
    args: Sequence[Any] | torch.Tensor = (),
    kwargs: Mapping[str, Any] | None = None,
    *,
    patience: float = 60.0,
) -> NodeComparison:
    """Run `compare_nodes` in a forked process, so that this one survives hangs and crashes.

    Run it in this process if it cannot be forked.

    Args:
        lowered: the graph with its generated code.
        args: positional inputs.
        kwargs: keyword inputs.
        patience: seconds that one statement may take on both sides.

    Raises:
        TorchferryError: a statement hung or crashed; the message names it and the user's line.
    """
    if not (worker.can_fork() and lowered.backend.can_fork()):
        return compare_nodes(lowered, args, kwargs)

    def work(report: Callable[[str], None]) -> NodeComparison:
        return compare_nodes(
            lowered, args, kwargs, watch=lambda line: report(statement(lowered, line))
        )

    found: NodeComparison = worker.in_fork(work, patience=patience)
    return found


def statement(lowered: Lowered, line: Line) -> str:
    """Return a description of a running statement, with the user's line."""
    location = lowered.graph.node(line.node).location
    at = f" ({location})" if location else ""
    return f"{lowered.target} ran line {line.number}, {line.code}{at}"


class _Run:
    def __init__(
        self,
        lowered: Lowered,
        mode: Mode,
        module: Any,
        repeats: int,
        watch: Callable[[Line], None] | None,
    ) -> None:
        self._lowered = lowered
        self._mode = mode
        self._repeats = repeats
        self._watch = watch or (lambda line: None)
        self._session = lowered.session(module)
        self._graph = lowered.graph.program.graph
        self._exact: dict[FxNode, Any] = {}
        self._held: dict[FxNode, Any] = {}
        self._times: dict[FxNode, float] = {}
        self._gaps: dict[FxNode, float | None] = {}
        self._nodes = {node.name: node for node in self._graph.nodes}
        self._random: set[FxNode] = set()
        self._narrow: set[FxNode] = set()

    def rows(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[NodeRow]:
        self._torch_side(args, kwargs)
        back = self._lowered.backend
        for node in self._graph.nodes:
            if node.op == "placeholder" and node.name in self._lowered.graph.inputs:
                value = self._held[node]
                moved = back.from_torch(value) if isinstance(value, torch.Tensor) else value
                self._session.bind(node.name, moved)
        variables = self._lowered.written.variables
        by_variable = {variable: name for name, variable in variables.items()}
        for line in self._lowered.lines:
            targets = [v.strip() for v in line.name.split(",") if v.strip() not in ("", "_")]
            # A statement that assigns nothing is a check of the model's own.
            nodes = [self._nodes[by_variable[variable]] for variable in targets]
            if self._mode == "teacher-forced":
                self._force(line)
            self._watch(line)
            # A random draw would give other values if repeated.
            drawn = any(node in self._random for node in nodes)
            try:
                step = partial(self._session.step, line)
                least = 2 if self._session.compiles else 1
                spent, _ = _shortest(step, 1 if drawn else max(self._repeats, least))
            except Exception as error:
                node = nodes[0] if nodes else self._nodes[line.node]
                yield self._row(node, line, None, 0.0, f"raises {_short(error)}")
                if self._mode == "free-running":
                    return
                continue
            for node in nodes:
                value = back.to_torch(self._session.read(node.name))
                yield self._row(node, line, value, spent / len(nodes), "")

    def _force(self, line: Line) -> None:
        """Bind torch's values of everything that a statement reads."""
        island = next(
            (i for i in self._lowered.islands if any(n.name == line.node for n in i.nodes)), None
        )
        sources = island.inputs if island else self._nodes[line.node].all_input_nodes
        for source in sources:
            if source.op != "call_function" or source.name not in self._lowered.written.variables:
                continue
            value = self._held[source]
            back = self._lowered.backend
            moved = back.from_torch(value) if isinstance(value, torch.Tensor) else value
            self._session.bind(source.name, moved)

    # torch's side.

    def _torch_side(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        program = self._lowered.graph.program
        flat = iter(program._graph_module_flat_inputs(args, kwargs))
        for node in self._graph.nodes:
            if node.op == "placeholder":
                self._held[node] = next(flat)
                if is_narrow(self._held[node]):
                    self._narrow.add(node)
                self._exact[node] = wide(self._held[node])
            elif node.op == "get_attr":
                self._held[node] = getattr(program.graph_module, str(node.target))
                self._exact[node] = self._held[node]
            elif node.op == "call_function" and "_assert" not in str(node.target):
                self._compute(node)

    def _compute(self, node: FxNode) -> None:
        drawn = draws(node)
        unpacks = node.target is operator.getitem
        # Values that depend on a draw are compared only if torch's own draw is the input.
        spreads = unpacks or self._mode == "free-running"
        if drawn or (spreads and any(n in self._random for n in node.all_input_nodes)):
            self._random.add(node)
        spent, value = _shortest(
            lambda: _called(node, self._held), 1 if node in self._random else self._repeats
        )
        self._times[node] = self._times[node.all_input_nodes[0]] if unpacks else spent
        self._held[node] = value
        if is_narrow(value) or any(n in self._narrow for n in node.all_input_nodes):
            self._narrow.add(node)
        source = self._exact
        if self._mode == "teacher-forced" and not unpacks:
            source = {n: wide(self._held[n]) for n in node.all_input_nodes}
        try:
            exact = _called(node, source, double=True)
        except Exception:
            # Some kernels exist in one precision only; then only units in the last place count.
            self._exact[node], self._gaps[node] = wide(value), None
            return
        self._exact[node] = exact
        self._gaps[node] = None if node in self._random else distance(value, exact)

    def _row(self, node: FxNode, line: Line, ours: Any, spent: float, reason: str) -> NodeRow:
        fact = self._lowered.graph.node(node.name)
        theirs = self._held.get(node)
        tensor = theirs if isinstance(theirs, torch.Tensor) else None
        gap = self._gaps.get(node) or 0.0
        random = node in self._random
        difference, limit = 0.0, 0.0
        if not reason:
            given = [self._held[source] for source in node.all_input_nodes]
            # A value that was rounded to float32 before keeps that rounding in any dtype.
            rounded = self._mode == "free-running" and node in self._narrow
            difference, limit, reason = judge(
                ours, theirs, gap, given, values=not random, rounded=rounded
            )
        return NodeRow(
            node=node.name,
            op=fact.op,
            module=fact.module,
            location=fact.location,
            line=line.number,
            code=line.code,
            shape=tuple(tensor.shape) if tensor is not None else None,
            dtype=str(tensor.dtype).removeprefix("torch.") if tensor is not None else "",
            difference=difference,
            gap=gap,
            limit=limit,
            reason=reason,
            random=random,
            torch_ms=self._times.get(node, 0.0),
            target_ms=spent,
            nbytes=tensor.nbytes if tensor is not None else 0,
            target_nbytes=ours.nbytes if isinstance(ours, torch.Tensor) else 0,
        )


def _shortest(call: Callable[[], Any], repeats: int) -> tuple[float, Any]:
    """Return the shortest time of some calls, in ms, and the last result."""
    best, value = float("inf"), None
    for _ in range(repeats):
        started = time.perf_counter()
        value = call()
        best = min(best, (time.perf_counter() - started) * 1e3)
    return best, value


def _called(node: FxNode, values: Mapping[FxNode, Any], *, double: bool = False) -> Any:
    """Run a node's operation on these values; with `double`, replace narrower dtypes by float64."""

    def load(item: Any) -> Any:
        return values[item] if isinstance(item, FxNode) else item

    args = torch.fx.node.map_aggregate(node.args, load)
    kwargs = torch.fx.node.map_aggregate(node.kwargs, load)
    if double:
        args, kwargs = pytree.tree_map(wide_dtype, (args, kwargs))
    target: Any = node.target
    return target(*args, **kwargs)


def _short(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[-1] if lines else ''}"[:300]
