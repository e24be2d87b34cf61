"""What a converted cell displays: HTML where a frontend shows it, plain text everywhere else."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from jupyter_ext.render import as_html
from workbench.compare import Comparison
from workbench.compare.plain import as_text


class Shown:
    """A comparison with the parts of it that the user wants to see."""

    def __init__(
        self, comparison: Comparison, line_map: Sequence[int], show: Collection[str]
    ) -> None:
        self._comparison = comparison
        self._line_map = line_map
        self._show = show

    def __repr__(self) -> str:
        return as_text(self._comparison)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        html = as_html(self._comparison, self._line_map, self._show)
        return {"text/plain": as_text(self._comparison), "text/html": html}
