"""A verification read the other way: the original is in the target, and its port in torch.

The same checks run with torch's side first. Only their words name the sides by their roles.
"""

from __future__ import annotations

import re
from dataclasses import replace

from workbench.verify.result import Check, Figure, Verification, Where

_ROLE = re.compile(r"\bthe (original|port)\b")
_OTHER = {"original": "port", "port": "original"}


def exchanged(found: Verification) -> Verification:
    """Return a verification with the roles of its two sides exchanged."""
    return replace(found, checks=[_check(one) for one in found.checks])


def _check(check: Check) -> Check:
    return replace(
        check,
        summary=_text(check.summary),
        figures=[_figure(one) for one in check.figures],
        places=[_place(one) for one in check.places],
    )


def _figure(figure: Figure) -> Figure:
    return replace(figure, reason=_text(figure.reason))


def _place(place: Where) -> Where:
    return replace(
        place,
        port=place.original,
        original=place.port,
        what=_text(place.what),
        cause=_text(place.cause),
    )


def _text(text: str) -> str:
    return _ROLE.sub(lambda role: f"the {_OTHER[role[1]]}", text)
