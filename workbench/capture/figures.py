"""Figures of boxes of a graph at every level: sums, and the worst verdict inside."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from workbench.capture.graph import Node


class Verdict(StrEnum):
    """Result of comparing a node's value with the other side, the best first."""

    SAME = "same"
    ROUNDING = "rounding"
    UNKNOWN = "unknown"
    DIFFERENT = "different"


_RANK = {verdict: rank for rank, verdict in enumerate(Verdict)}


@dataclass(frozen=True)
class Measured:
    """Measurements of a node on both sides.

    `excess` is the difference divided by what rounding explains. `in_torch` is true if the other
    side leaves the node to torch.
    """

    verdict: Verdict = Verdict.UNKNOWN
    excess: float = 0.0
    torch_ms: float = 0.0
    target_ms: float = 0.0
    in_torch: bool = False


@dataclass(frozen=True)
class Figures:
    """Figures of a box: `nbytes` is the memory of its results, `worst` the call with the worst
    verdict.

    `verdict` is that of the worst call; None if nothing was run. `in_torch` counts calls.
    """

    calls: int = 0
    flops: int = 0
    nbytes: int = 0
    dtypes: tuple[str, ...] = ()
    verdict: Verdict | None = None
    excess: float = 0.0
    worst: str = ""
    torch_ms: float = 0.0
    target_ms: float = 0.0
    in_torch: int = 0

    @classmethod
    def of_call(cls, nodes: Sequence[Node], measured: Mapping[str, Measured]) -> Figures:
        """Return the figures of one call; `nodes` are the call itself and its results."""
        runs = [measured[node.name] for node in nodes if node.name in measured]
        worst = max(runs, key=lambda run: (_RANK[run.verdict], run.excess), default=None)
        results = nodes[1:] or nodes
        values = [value for node in results for value in node.values if value is not None]
        return cls(
            calls=1,
            flops=sum(node.flops for node in nodes),
            nbytes=sum(value.nbytes for value in values),
            dtypes=tuple(dict.fromkeys(value.dtype for value in values)),
            verdict=worst.verdict if worst else None,
            excess=worst.excess if worst else 0.0,
            worst=nodes[0].name,
            torch_ms=sum(run.torch_ms for run in runs),
            target_ms=sum(run.target_ms for run in runs),
            in_torch=int(any(run.in_torch for run in runs)),
        )

    @classmethod
    def of_boxes(cls, boxes: Iterable[Figures]) -> Figures:
        """Return the figures of a box with these boxes inside."""
        parts = [part for part in boxes if part.calls]
        judged = [(_RANK[part.verdict], part.excess, part) for part in parts if part.verdict]
        worst = max(judged, key=lambda each: each[:2])[2] if judged else None
        return cls(
            calls=sum(part.calls for part in parts),
            flops=sum(part.flops for part in parts),
            nbytes=sum(part.nbytes for part in parts),
            dtypes=tuple(dict.fromkeys(dtype for part in parts for dtype in part.dtypes)),
            verdict=worst.verdict if worst else None,
            excess=worst.excess if worst else 0.0,
            worst=worst.worst if worst else "",
            torch_ms=sum(part.torch_ms for part in parts),
            target_ms=sum(part.target_ms for part in parts),
            in_torch=sum(part.in_torch for part in parts),
        )

    def content(self) -> dict[str, Any]:
        """Return the figures as JSON, without `excess`, which may be infinite."""
        return {
            "calls": self.calls,
            "flops": self.flops,
            "nbytes": self.nbytes,
            "dtypes": list(self.dtypes),
            "verdict": self.verdict,
            "worst": self.worst,
            "torchMs": self.torch_ms,
            "targetMs": self.target_ms,
            "inTorch": self.in_torch,
        }
