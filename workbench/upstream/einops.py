"""Facts of einops functions that differ in other frameworks, written by hand."""

from __future__ import annotations

from typing import Any, Final

PREFIX: Final = "einops."

ENTRIES: Final[dict[str, dict[str, Any]]] = {
    "einops.reduce": {
        "kind": "function",
        "signatures": [
            "(tensor: Tensor, pattern: str, reduction: Any, **axes_lengths: int) -> Tensor"
        ],
    },
    "einops.layers.torch.Reduce": {
        "kind": "function",
        "signatures": ["(pattern: str, reduction: Any, **axes_lengths: int) -> Any"],
    },
}
"""Facts in the form of `torch.json`. Their imports stay; their arguments are converted."""
