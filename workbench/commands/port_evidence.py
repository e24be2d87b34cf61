"""The page of a port for a pull request, as Markdown or HTML."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from workbench import files
from workbench.commands.shown import Rows, Sheet, page
from workbench.compare.result import Curve
from workbench.errors import TorchferryError
from workbench.ports.evidence import (
    Evidence,
    certificates,
    commits,
    differences,
    edited,
    meaning,
)
from workbench.ports.plan import Plan, amount
from workbench.ports.repository import Repository
from workbench.ports.runs import CERTIFIED, DIFFERS
from workbench.targets import load

KINDS = (".md", ".html")
# So many uses and locations of a difference are named.
_FEW = 4


def evidence_of(folder: Path, plan: Plan, repository: Repository) -> Sheet:
    """Return the evidence of a port as a sheet.

    Raises:
        TorchferryError: no step is done, or a certificate cannot be read.
    """
    done = [step for step in plan.chosen if step.done is not None]
    if not done:
        raise TorchferryError(f"{folder}: no step is done; carry the plan out with torchferry port")
    found = certificates(folder, plan)
    open_ = len(plan.chosen) - len(done)
    left = sum(step.done.remaining for step in done if step.done)
    uses = sum(step.uses for step in done)
    verified = [one for step in done if step.done for one in step.done.verified]
    certified = sum(one.outcome == CERTIFIED for one in verified)
    facts = (
        ("files ported", f"{len(done)} of {len(plan.chosen)}"),
        ("uses of torch converted", f"{sum(step.converted for step in done):,} of {uses:,}"),
        ("uses of torch left", f"{left:,}"),
        ("models and files of tests verified", f"{certified} of {len(verified)}"),
        ("target", f"{load(plan.target).title} {load(plan.target).version}"),
        ("style", plan.style),
        ("branch", plan.branch),
    )
    off = sum(one.outcome == DIFFERS for one in verified)
    good = not open_ and not left and not off
    verdict = "every step is done" if not open_ else f"{amount(open_, 'step')} open"
    verdict += f"; {certified} of {len(verified)} models and files of tests agree with torch"
    not_run = len(verified) - certified - off
    verdict += f", {off} {'differ' if off > 1 else 'differs'}" if off else ""
    verdict += f", {not_run} {'were' if not_run > 1 else 'was'} not run" if not_run else ""
    verdict += f"; {amount(left, 'use')} of torch left" if left else ""
    return Sheet(
        title=f"Port of {plan.name} to {load(plan.target).title}",
        verdict=verdict,
        facts=facts,
        tables=tuple(_tables(plan, found, repository)),
        curves=tuple(_curves(found)),
        other="the port",
        good=good,
    )


def _tables(plan: Plan, found: list[Evidence], repository: Repository) -> Iterator[Rows]:
    yield _converted(plan, repository)
    yield _verified(found, load(plan.target).title)
    yield _not_verified(plan)
    yield Rows(
        "Differences that remain",
        ("code", "what differs", "uses", "where"),
        tuple(
            (one.code, one.text or meaning(one.code, plan), _few(one.names), _few(one.places))
            for one in differences(plan)
        ),
    )
    accepted = [step for step in plan.chosen if step.accepted and step.done]
    rows = tuple((step.path, step.accepted) for step in accepted)
    yield Rows("Accepted by a person", ("file", "reason"), rows)
    left_out = tuple((one.path, "; ".join(one.notes)) for one in plan.steps if one.left_out)
    yield Rows("Left in torch", ("file", "notes"), left_out)
    yield _weights(found)


def _converted(plan: Plan, repository: Repository) -> Rows:
    by_path, changed = commits(repository), edited(repository, plan)
    rows = []
    for step in plan.chosen:
        state = step.done.summary if step.done else "open"
        state += ", edited since" if changed.get(step.path) else ""
        uses = f"{step.converted:,} of {step.uses:,}" if step.uses else ""
        rows.append((step.path, uses, state, by_path.get(step.path, "")[:9]))
    return Rows("What was converted", ("file", "uses converted", "result", "commit"), tuple(rows))


def _verified(found: list[Evidence], title: str) -> Rows:
    rows = []
    for one in found:
        times = one.data.get("milliseconds", {})
        differs = one.difference
        rows.append(
            (
                one.call,
                one.step.path,
                ", ".join(one.data["asked"]["inputs"]),
                one.outcome,
                "" if differs is None else f"{differs:.1e}",
                *(f"{times[side]:.3g}" if side in times else "" for side in ("original", "port")),
            )
        )
    head = ("model", "file", "inputs", "outcome", "largest difference", "torch ms", f"{title} ms")
    off = frozenset(n for n, one in enumerate(found) if one.outcome == DIFFERS)
    return Rows("Models that were verified", head, tuple(rows), off)


def _not_verified(plan: Plan) -> Rows:
    rows = []
    for step in plan.chosen:
        for one in step.done.verified if step.done else ():
            if not one.certificate or one.outcome != CERTIFIED:
                what = "tests" if one.call == f"tests of {step.path}" else one.call
                rows.append((what, step.path, one.outcome, one.summary))
        if step.done and step.done.remark:
            rows.append(("import", step.path, "not run", step.done.remark))
        elif step.done and step.done.imported and not step.done.verified:
            rows.append(("import", step.path, "imported", "no model of it was run"))
    head = ("what", "file", "outcome", "reason")
    return Rows("Tests, and what was not verified", head, tuple(rows))


def _weights(found: list[Evidence]) -> Rows:
    rows = [(one.call, pair) for one in found for pair in one.data.get("pairs", ())]
    return Rows("Weights, torch's name and the port's", ("model", "pair"), tuple(rows), detail=True)


def _curves(found: list[Evidence]) -> Iterator[Curve]:
    for one in found:
        for check in one.data["checks"]:
            for curve in check.get("curves", ()):
                held = Curve(**curve)
                yield replace(held, name=f"{one.call}: {held.name}")


def _few(texts: tuple[str, ...]) -> str:
    more = len(texts) - _FEW
    return ", ".join(texts[:_FEW]) + (f" and {more} more" if more > 0 else "")


def write(sheet: Sheet, place: Path) -> None:
    """Write the page, as the ending of its name says.

    Raises:
        TorchferryError: another ending.
    """
    if place.suffix not in KINDS:
        raise TorchferryError(f"{place}: a page's name ends in one of {', '.join(KINDS)}")
    text = page(sheet) if place.suffix == ".html" else markdown(sheet)
    files.write(place, text.encode("utf-8", "backslashreplace"))


def markdown(sheet: Sheet) -> str:
    """Return a sheet as Markdown, with its details folded."""
    parts = [f"# {sheet.title}\n", f"**{sheet.verdict}**\n", _rows(("", ""), sheet.facts)]
    for rows in sheet.tables:
        if not rows.rows:
            continue
        table = _rows(rows.columns, rows.rows)
        if rows.detail:
            head = f"<summary>{rows.title} ({len(rows.rows):,})</summary>"
            parts.append(f"<details>{head}\n\n{table}\n</details>\n")
        else:
            parts.append(f"## {rows.title}\n\n{table}")
    if sheet.curves:
        names = ", ".join(curve.name for curve in sheet.curves)
        parts.append(f"Curves, drawn in the page of HTML: {names}\n")
    return "\n".join(parts)


def _rows(head: tuple[str, ...], rows: tuple[tuple[str, ...], ...]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "".join(f"| {' | '.join(map(_cell, line))} |\n" for line in lines)


def _cell(text: str) -> str:
    flat = " ".join(text.split())
    for sign in "\\|<":
        flat = flat.replace(sign, f"\\{sign}")
    return flat
