"""The words of a step: its commit's message, and the figures of a certificate."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from workbench.ports.plan import DEPENDENCIES, Step, Verified, amount

# The trailers of commits, by which a step's commits are found.
STEP, UNDONE, ORIGINAL = "Torchferry-Step", "Torchferry-Undone", "Torchferry-Original"
_WIDTH = 72
_FEW = 10


def commit_message(step: Step, remarks: Sequence[str], title: str) -> str:
    """Return the message of a step's commit: the findings, the figures, and what is left.

    Args:
        step: the step, which is done.
        remarks: the uses of torch that are left, or what became of dependencies.
        title: the name of the target.
    """
    parts = [f"port: {step.path} to {title}\n", *_paragraphs(step, remarks)]
    return "\n".join([*parts, f"{STEP}: {step.path}", ""])


def _paragraphs(step: Step, remarks: Sequence[str]) -> Iterator[str]:
    if step.uses:
        words = f"{step.converted:,} of {amount(step.uses, 'use')} of torch converted."
        if step.codes:
            found = ", ".join(f"{code} ({count})" for code, count in sorted(step.codes.items()))
            words += f" Findings to read: {found}."
        yield f"{_filled(words)}\n"
    if step.done is not None and step.done.verified:
        lines = [
            _filled(f"- {one.call}: {one.outcome}{f', {one.summary}' if one.summary else ''}", "  ")
            for one in step.done.verified
        ]
        yield "Verified:\n" + "\n".join(lines) + "\n"
    elif step.done is not None and step.done.imported:
        yield "Imported in the target; no model of it was run.\n"
    if step.done is not None and step.done.remark:
        yield f"{_filled(f'Not imported: {step.done.remark}')}\n"
    if remarks:
        lines = [_filled(f"- {one}", "  ") for one in remarks[:_FEW]]
        more = [f"- and {len(remarks) - _FEW} more"] if len(remarks) > _FEW else []
        head = "Left in torch" if step.kind != DEPENDENCIES else "Dependencies"
        yield f"{head}:\n" + "\n".join([*lines, *more]) + "\n"
    if step.accepted:
        yield f"{_filled(f'Accepted: {step.accepted}')}\n"


def undo_message(path: str, others: Sequence[str]) -> str:
    """Return the message of the commit that undoes a step."""
    also = f"\nWith it: {', '.join(others)}.\n" if others else ""
    return f"port: undo {path}\n{also}\n{UNDONE}: {path}\n"


def sync_message(
    original: str,
    changed: Sequence[str],
    removed: Sequence[str],
    verified: Sequence[tuple[str, Verified]],
) -> str:
    """Return the message of the commit that takes over a change of the original."""
    parts = [f"sync: follow the original to {original[:9]}\n"]
    for head, paths in (("Merged", changed), ("Removed", removed)):
        if paths:
            parts.append(f"{head}:\n" + "\n".join(f"- {path}" for path in paths) + "\n")
    if verified:
        lines = [
            _filled(f"- {path}, {one.call or 'import'}: {one.outcome}, {one.summary}", "  ")
            for path, one in verified
        ]
        parts.append("Verified:\n" + "\n".join(lines) + "\n")
    return "\n".join([*parts, f"{ORIGINAL}: {original}", ""])


def figures(certificate: dict[str, Any]) -> str:
    """Return a certificate's figures in a few words: its checks and the largest difference."""
    checks = [one for one in certificate["checks"] if one["outcome"] != "not run"]
    words = amount(len(checks), "check")
    largest = largest_difference(certificate)
    if largest is not None:
        words += f", largest difference {largest:.1e}"
    reported = [one["name"] for one in checks if one["outcome"] == "reported"]
    return words + (f", differences reported: {', '.join(reported)}" if reported else "")


def largest_difference(certificate: dict[str, Any]) -> float | None:
    """Return the largest difference that a certificate measured, or None.

    Running variances are left out: a target may keep them without torch's correction, which the
    conversion reports.
    """
    found = [
        one["difference"]
        for check in certificate["checks"]
        for one in check["figures"]
        if isinstance(one["difference"], int | float) and not one["name"].endswith("running_var")
    ]
    return max(found, default=None)


def _filled(text: str, indent: str = "") -> str:
    return textwrap.fill(
        text, _WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
