"""`torchferry trace`: a model's graph, its requirements on inputs, and its target code."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from workbench.commands import options
from workbench.commands.learning import lower_training
from workbench.commands.model_request import ModelRequest, Training
from workbench.commands.shown import Rows, Sheet, amount, near
from workbench.errors import TorchferryError
from workbench.targets import program_ending
from workbench.watching import Report

if TYPE_CHECKING:
    from workbench.capture.graph import Graph
    from workbench.commands.models import Subject
    from workbench.lower import Lowered

_SAVED = (".pt2", ".py", ".netron")
_NONE = Training()


@click.command(short_help="Capture a model's graph, and lower it to the target.")
@options.subject
@click.option(
    "--save",
    "saved",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="Also write the graph (.pt2), the converted module (.py), a program for serving, which is"
    " loaded and compared (.json or .stablehlo, depending on the target), or both graphs for Netron"
    " (.netron writes NAME.torch.netron and NAME.TARGET.netron).",
)
@options.training
@options.output
def trace(
    asked: ModelRequest, ending: options.Ending, training: Training, saved: tuple[Path, ...]
) -> None:
    """Capture the graph of a model, FILE:NAME, and lower it to the target.

    With --batch, --loss and --optimizer the graph is that of the loss, and the saved module
    includes the optimizer and the training step.

    Exit code 0: every node runs in the target; 1: some run in torch; 2: it cannot be captured.
    """
    ending.check()
    asked.check()
    endings = (*_SAVED, program_ending(asked.target))
    for path in saved:
        if path.suffix not in endings:
            raise TorchferryError(
                f"{path}: the name of the saved file must end in one of {', '.join(endings)}"
            )
    ending.of(partial(work, asked, saved, training=training))


def work(
    asked: ModelRequest,
    saved: tuple[Path, ...],
    report: Report,
    training: Training = _NONE,
) -> Sheet:
    """Do the command's work, in this process."""
    from workbench.commands.models import device_of

    with device_of(asked):
        if training.asked:
            subject, lowered, plan = lower_training(asked, training, report)
            source = lowered.training(*plan.made(plan.model)).source
        else:
            subject, lowered = lower_asked(asked, report)
            source = lowered.source
        for path in saved:
            report(f"saving {path}")
            _save(lowered, source, path, subject)
    return _sheet(subject, lowered)


def lower_asked(asked: ModelRequest, report: Report) -> tuple[Subject, Lowered]:
    """Return the model of the command line, captured and lowered."""
    from workbench.capture import capture
    from workbench.commands.models import dynamic_shapes, moved, open_subject
    from workbench.lower import lower

    report(f"running {asked.place}")
    subject = open_subject(asked.place, asked.inputs, train=asked.train)
    held = (subject.model, subject.args, subject.kwargs)
    subject.model, subject.args, subject.kwargs = moved(held, asked.device)
    report(f"capturing {subject.title}")
    shapes = dynamic_shapes(subject, asked.dynamic)
    graph = capture(subject.model, subject.args, subject.kwargs, dynamic_shapes=shapes)
    report(f"lowering {subject.title}")
    return subject, lower(graph, target=asked.target)


def _save(lowered: Lowered, source: str, path: Path, subject: Subject) -> None:
    from workbench import files

    if path.suffix == ".pt2":
        lowered.graph.save(path)
    elif path.suffix == ".py":
        files.write(path, source.encode())
    elif path.suffix != ".netron":
        lowered.export(path, subject.args, subject.kwargs)
    else:
        from workbench.capture.netron import encode, graph_document
        from workbench.lower.netron import lowered_document

        ours, theirs = encode(graph_document(lowered.graph)), encode(lowered_document(lowered))
        files.write(path.with_suffix(".torch.netron"), ours)
        files.write(path.with_suffix(f".{lowered.target}.netron"), theirs)


def facts(subject: Subject, graph: Graph) -> tuple[tuple[str, str], ...]:
    """Return the facts of a graph, line by line."""
    from workbench.capture.checks.contract import clauses

    weights = [n for n in graph.nodes if n.kind in ("parameter", "buffer")]
    held = sum(v.nbytes for n in weights for v in n.values if v)
    count = sum(v.numel for n in weights for v in n.values if v and n.kind == "parameter")
    return (
        ("model", subject.title),
        ("mode", "training" if graph.training else "evaluation"),
        ("inputs", "; ".join(f"{n}: {graph.node(n).values[0]}" for n in graph.inputs)),
        ("outputs", "; ".join(f"{n}: {graph.node(n).values[0]}" for n in graph.outputs)),
        *((("condition", str(clause))) for clause in clauses(graph)),
        ("nodes", f"{len(graph.calls):,}"),
        ("parameters", f"{count:,} ({amount(held, 'B')} with buffers)"),
        (
            "one call",
            f"{amount(graph.flops, 'FLOP')} and"
            f" {amount(sum(n.bytes for n in graph.calls), 'B')} read and written (estimates)",
        ),
    )


def _sheet(subject: Subject, lowered: Lowered) -> Sheet:
    graph = lowered.graph
    away = {f.node: f for f in lowered.fallbacks}
    nodes = _nodes(lowered)
    left = len(away)
    verdict = (
        f"all {len(nodes):,} nodes lower to {lowered.target}"
        if not left
        else f"{left} of {len(nodes):,} nodes run in torch, in {len(lowered.islands)} island(s)"
    )
    lowering_caveats = lowered.caveat_lines
    return Sheet(
        title=f"Graph of {graph.name}",
        verdict=verdict,
        facts=facts(subject, graph),
        remarks=(*graph.warnings, *lowering_caveats),
        tables=_tables(lowered, nodes),
        data={
            "model": subject.title,
            "target": lowered.target,
            "facts": [list(pair) for pair in facts(subject, graph)],
            "warnings": list(graph.warnings),
            "caveats": lowering_caveats,
            "flops": graph.flops,
            "nodes": nodes,
            "fallbacks": [{**asdict(f), "location": str(f.location or "")} for f in away.values()],
            "source": lowered.source,
        },
        good=not left,
    )


def _nodes(lowered: Lowered) -> list[dict[str, Any]]:
    """Return the facts of each node, for JSON."""
    away = {f.node: f for f in lowered.fallbacks}
    written = {line.node: line for line in lowered.lines}
    return [
        {
            "node": node.name,
            "op": node.op,
            "module": node.module,
            "location": str(node.location or ""),
            "value": ", ".join(str(v) for v in node.values if v),
            "flops": node.flops,
            "bytes": node.bytes,
            "line": written[node.name].number if node.name in written else None,
            "code": written[node.name].code if node.name in written else "",
            "in_torch": away[node.name].reason if node.name in away else "",
        }
        for node in lowered.graph.calls
    ]


def _tables(lowered: Lowered, nodes: list[dict[str, Any]]) -> tuple[Rows, ...]:
    """Return the graph by the user's lines, what stays in torch, and node by node."""
    lines: dict[str, list[dict[str, Any]]] = {}
    for row in nodes:
        lines.setdefault(str(row["location"] or row["module"]), []).append(row)
    quoted = {str(n.location): n.location.code for n in lowered.graph.calls if n.location}
    return (
        Rows(
            "By line of your code",
            ("location", "code", "nodes", "FLOP", "bytes"),
            tuple(
                (
                    near(where),
                    quoted.get(where, ""),
                    str(len(rows)),
                    amount(sum(int(str(r["flops"])) for r in rows)),
                    amount(sum(int(str(r["bytes"])) for r in rows), "B"),
                )
                for where, rows in lines.items()
            ),
        ),
        Rows(
            f"In torch, not in {lowered.target}",
            ("node", "op", "location", "why", "bytes crossing"),
            tuple(
                (f.node, f.op, near(f.location), f.reason, amount(f.bytes, "B"))
                for f in lowered.fallbacks
            ),
            frozenset(range(len(lowered.fallbacks))),
        ),
        Rows(
            "Nodes",
            ("node", "op", "module", "location", "value", f"{lowered.target} code"),
            tuple(
                tuple(str(r[k]) for k in ("node", "op", "module", "location", "value", "code"))
                for r in nodes
            ),
            frozenset(i for i, r in enumerate(nodes) if r["in_torch"]),
            detail=True,
        ),
    )
