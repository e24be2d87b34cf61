"""`torchferry compare`: both sides of a model on the same inputs, node by node."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from workbench.commands import options
from workbench.commands.learning import compared
from workbench.commands.model_request import ModelRequest, Training
from workbench.commands.shown import Rows, Sheet, amount, near
from workbench.errors import TorchferryError
from workbench.watching import Report

if TYPE_CHECKING:
    from workbench.capture.checks.soundness import Replay
    from workbench.commands.models import Subject
    from workbench.compare.nodes.comparison import Mode, NodeComparison, NodeRow
    from workbench.lower import Line, Lowered

_MODES: tuple[Mode, Mode] = ("teacher-forced", "free-running")


@click.command(short_help="Run a model in torch and in the target, node by node.")
@options.subject
@click.option(
    "--repeats",
    type=click.IntRange(1),
    default=3,
    show_default=True,
    help="How often each node runs on each side; the shortest time is reported.",
)
@click.option(
    "--save",
    "saved",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Also write the graph for Google's Model Explorer (.json), and the differences as its node"
    " data (NAME.difference.json).",
)
@options.training
@options.STEPS
@options.output
def compare(
    asked: ModelRequest,
    ending: options.Ending,
    training: Training,
    repeats: int,
    saved: Path | None,
    steps: int,
) -> None:
    """Run a model, FILE:NAME, in torch and in the target, and compare every node's value.

    Each node first gets torch's own values (teacher-forced, which shows the node at fault), then
    the values of the nodes before it (free-running, which shows how differences add up). A
    difference counts as rounding if torch's own results in float32 and float64 differ as much. The
    captured graph is also compared with the model, on other inputs and on a second call.

    With --batch, --loss and --optimizer both sides train for some steps instead, and losses and
    weights are compared.

    Exit code 0: all agree; 1: something differs; 2: it cannot be captured or run.
    """
    ending.check()
    asked.check()
    if training.asked:
        ending.of(partial(compared, asked, training, steps))
    if saved is not None and saved.suffix != ".json":
        raise TorchferryError(f"{saved}: the name of the saved file must end in .json")
    ending.of(partial(work, asked, repeats, saved=saved))


def work(asked: ModelRequest, repeats: int, report: Report, saved: Path | None = None) -> Sheet:
    """Do the command's work, in this process."""
    import torch

    from workbench.capture.checks.soundness import replay
    from workbench.commands.models import device_of
    from workbench.commands.trace import lower_asked
    from workbench.compare.nodes.comparison import compare_nodes, statement

    def watch(line: Line) -> None:
        report(statement(lowered, line))

    with device_of(asked):
        subject, lowered = lower_asked(asked, report)
        # Two frameworks with a thread for every core each would wait for each other.
        torch.set_num_threads(1)
        forced, free = [
            compare_nodes(
                lowered, subject.args, subject.kwargs, mode=mode, repeats=repeats, watch=watch
            )
            for mode in _MODES
        ]
    if saved is not None:
        report(f"saving {saved}")
        _save(lowered, forced, saved)
    report("comparing the graph with the model")
    replays = replay(lowered.graph, subject.model, subject.args, subject.kwargs, tries=2)
    return _sheet(subject, lowered, forced, free, replays)


def _save(lowered: Lowered, forced: NodeComparison, path: Path) -> None:
    from workbench import files
    from workbench.capture.model_explorer import document, node_data
    from workbench.compare.nodes.measured import measured

    found = node_data(lowered.graph, measured(lowered, forced))
    files.write(path, json.dumps(document(lowered.graph)).encode())
    files.write(path.with_suffix(".difference.json"), json.dumps(found).encode())


def _sheet(
    subject: Subject,
    lowered: Lowered,
    forced: NodeComparison,
    free: NodeComparison,
    replays: list[Replay],
) -> Sheet:
    from workbench.commands.trace import facts

    lowering_caveats = lowered.caveat_lines
    baked = [f"{r.inputs}, call {r.call}: {r.reason}" for r in replays if not r.agrees]
    first = forced.first or free.first
    total = sum(r.torch_ms for r in forced.rows), sum(r.target_ms for r in forced.rows)
    away = sorted({f.op for f in lowered.fallbacks})
    known = facts(subject, lowered.graph)
    more = (
        ("time in torch", f"{total[0]:.2f} ms, node by node, on one thread"),
        (f"time in {lowered.target}", f"{total[1]:.2f} ms, node by node"),
        *((("run in torch", ", ".join(away)),) if away else ()),
    )
    return Sheet(
        title=f"{lowered.graph.name} in torch and in {lowered.target}",
        verdict=_verdict(forced, first, baked),
        facts=known + more,
        remarks=(*lowered.graph.warnings, *lowering_caveats, *baked),
        tables=_tables(lowered, forced, free),
        data={
            "model": subject.title,
            "target": lowered.target,
            "equal": first is None and not baked,
            "first": _plain(first) if first else None,
            "facts": [list(pair) for pair in known],
            "warnings": list(lowered.graph.warnings),
            "caveats": lowering_caveats,
            "baked_in": baked,
            "in_torch": away,
            "teacher_forced": forced.as_dict(),
            "free_running": free.as_dict(),
            "lines": {where: vars(cost) for where, cost in forced.by_line().items()},
            "source": lowered.source,
        },
        good=first is None and not baked,
    )


def _verdict(forced: NodeComparison, first: NodeRow | None, baked: list[str]) -> str:
    """Return the first node that differs, if one does, in a sentence."""
    if first is not None:
        at = f"{first.location}: " if first.location else ""
        return f"{at}{first.node} ({first.op}) is the first node that differs: {first.reason}"
    if baked:
        return f"the captured graph gives other results than the model: {baked[0]}"
    return f"all {len(forced.rows):,} nodes agree, one by one and end to end"


def _tables(lowered: Lowered, forced: NodeComparison, free: NodeComparison) -> tuple[Rows, ...]:
    """Return the nodes that differ, the costs of the user's lines, and all nodes."""
    running = {row.node: row for row in free.rows}
    costs = forced.by_line()
    return (
        Rows(
            "Nodes that differ",
            ("node", "op", "location", "what", "difference", "limit", "code"),
            tuple(
                (
                    r.node,
                    r.op,
                    near(r.location or r.module),
                    r.reason,
                    f"{r.difference:.2g}",
                    f"{r.limit:.2g}",
                    r.code,
                )
                for r in forced.rows
                if not r.equal
            ),
        ),
        Rows(
            "By line of your code",
            (
                "location",
                "torch ms",
                f"{lowered.target} ms",
                "torch's results, bytes",
                f"{lowered.target}'s results, bytes",
            ),
            tuple(
                (
                    near(where),
                    f"{c.torch_ms:.3f}",
                    f"{c.target_ms:.3f}",
                    amount(c.nbytes, "B"),
                    amount(c.target_nbytes, "B"),
                )
                for where, c in costs.items()
            ),
            frozenset(i for i, c in enumerate(costs.values()) if not c.equal),
        ),
        Rows(
            "Nodes",
            (
                "node",
                "op",
                "location",
                "difference",
                "running difference",
                "limit",
                "torch ms",
                f"{lowered.target} ms",
                "result bytes",
            ),
            tuple(_node(row, running.get(row.node)) for row in forced.rows),
            frozenset(i for i, r in enumerate(forced.rows) if not r.equal),
            detail=True,
        ),
    )


def _node(row: NodeRow, running: NodeRow | None) -> tuple[str, ...]:
    drawn = "drawn" if row.random else f"{row.difference:.2g}"
    free = "" if running is None else "drawn" if running.random else f"{running.difference:.2g}"
    times = f"{row.torch_ms:.3f}", f"{row.target_ms:.3f}"
    where = near(row.location or row.module)
    return row.node, row.op, where, drawn, free, f"{row.limit:.2g}", *times, amount(row.nbytes, "B")


def _plain(row: NodeRow) -> dict[str, Any]:
    return {**vars(row), "location": str(row.location or "")}
