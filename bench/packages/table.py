"""The table of packages in the documents."""

from __future__ import annotations

from collections import Counter

from bench.packages.outcomes import Outcome, Row
from bench.packages.recipes import Package

_COLUMNS = (Outcome.SAME, Outcome.REPORTED, Outcome.REFUSED, Outcome.RAISES, Outcome.WRONG)


def written(
    packages: list[Package], rows: list[Row], peer: dict[str, list[Row]], words: str
) -> str:
    """Return the document: a line for each package, then each recipe that is not the same."""
    held = [row for row in rows if row.outcome is not Outcome.LEFT_OUT]
    models = [row for row in held if not row.recipe.trains]
    loops = [row for row in held if row.recipe.trains]
    lines = [
        "# Proof by programs",
        "",
        "Public packages are converted in the default style and not edited afterwards. Their"
        " models and training loops are built on both sides, in torch and from the converted"
        " code, with the same weights. For a model, the outputs in evaluation are compared, and"
        " the outputs, the gradients of weights and inputs, and the weights of three training"
        " steps. For a training loop, the losses of three steps of its own optimizer and the"
        " final weights are compared. Constants of fresh weights have to agree before torch's"
        " weights are copied. Two values are the same if they differ by at most 1e-5 of the"
        " largest value (gradients: 1e-4), or by at most 20 times torch's own change when every"
        " weight and input is off by one rounding, or when torch computes in double precision.",
        "",
        f"**{_count(models)} of {len(models)} models and {_count(loops)} of {len(loops)} training"
        f" loops of {len(packages)} packages are the same;"
        f" silently wrong: {_count(held, Outcome.WRONG)}.** {words}",
        "",
        "- *reported*: another result or an error, at a line where the converter names the cause",
        "- *refused*: an error at a use that the converter left unchanged, with the reason",
        "- *raises*: an error at a line without a report",
        "- *silently wrong*: another result without a report",
        "",
        "Recipes are in `bench/packages/recipes.txt`; `make programs` writes this table.",
        "",
        "| package | field | models | same | reported | refused | raises | silently wrong |"
        " loops | same | PaConvert: models | loops |",
        "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for package in packages:
        lines.append(_line(package, [row for row in held if row.package == package.name], peer))
    total = [_count(models, one) for one in _COLUMNS]
    theirs = [row for found in peer.values() for row in found]
    lines.append(
        f"| **all** | | {len(models)} | {' | '.join(map(str, total))} | {len(loops)} |"
        f" {_count(loops)} | {_same_of_peer(theirs, False)} | {_same_of_peer(theirs, True)} |"
    )
    other = [row for row in held if row.outcome is not Outcome.SAME]
    if other:
        lines += ["", "## What is not the same", "", "| package | recipe | outcome | why |"]
        lines += ["|---|---|---|---|", *map(_table_row, other)]
    return "\n".join(lines) + "\n"


def _line(package: Package, rows: list[Row], peer: dict[str, list[Row]]) -> str:
    models = Counter(row.outcome for row in rows if not row.recipe.trains)
    loops = [row for row in rows if row.recipe.trains]
    theirs = peer.get(package.name, [])
    return (
        f"| {package.requirement.replace('==', ' ')} | {package.kind} | {models.total()} |"
        f" {' | '.join(str(models[one]) for one in _COLUMNS)} | {len(loops)} | {_count(loops)} |"
        f" {_same_of_peer(theirs, False)} | {_same_of_peer(theirs, True)} |"
    )


def _same_of_peer(rows: list[Row], trains: bool) -> str:
    return str(sum(r.outcome is Outcome.SAME and r.recipe.trains == trains for r in rows))


def _count(rows: list[Row], outcome: Outcome = Outcome.SAME) -> int:
    return sum(row.outcome is outcome for row in rows)


def _table_row(row: Row) -> str:
    words = row.words.replace("|", "\\|").replace("\n", " ")
    return f"| {row.package} | {row.recipe.name} | {row.outcome} | {words[:400]} |"
