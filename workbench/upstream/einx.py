"""Facts of einx functions, written by hand. einx supports torch and JAX, but not all frameworks."""

from __future__ import annotations

from typing import Any, Final

from workbench.words import words

PREFIX: Final = "einx."

# Functions of one value of each tensor.
ELEMENTWISE: Final = words(
    "add divide equal greater greater_equal less less_equal logical_and logical_or maximum minimum "
    "multiply not_equal subtract true_divide where"
)
OTHERS: Final = words(
    "add_at all any argmax argmin argsort count_nonzero dot flip floor_divide log_softmax "
    "logaddexp logsumexp max mean min prod rearrange roll set_at softmax sort std subtract_at "
    "sum var vmap vmap_with_axis"
)

ENTRIES: Final[dict[str, dict[str, Any]]] = {
    f"{PREFIX}{name}": {
        "kind": "function",
        "signatures": ["(description: str, *tensors: Any, **parameters: int) -> Tensor"],
    }
    for name in (*ELEMENTWISE, "get_at", *OTHERS)
}
"""Facts in the form of `torch.json`."""
