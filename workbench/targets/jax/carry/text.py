"""JAX's printed text in torch's spelling, for the comparison of printed output."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import jax.numpy as jnp

from workbench.streams.torch_recorder import patched
from workbench.targets.jax.carry import arrays

_ARRAY = re.compile(r"\bArray\((?P<body>[^()]*?)(?:,\s*dtype=\w+)?(?:,\s*weak_type=\w+)?\)")
_MOST = 2000  # stored texts; further arrays are compared by the digits that JAX prints


class Spelling:
    """Torch's spelling of texts that JAX printed."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    @contextmanager
    def noting(self) -> Iterator[None]:
        """While open, store the texts of arrays, with torch's for the same values."""
        with ExitStack() as stack:
            for name in ("__str__", "__repr__"):
                stack.enter_context(patched(type(jnp.zeros(())), name, self._wrap))
            yield

    def plain(self, text: str) -> str:
        """Return the text with torch's spelling of arrays."""
        for known in sorted(self._known, key=len, reverse=True):
            text = text.replace(known, self._known[known])
        return _ARRAY.sub(lambda match: f"tensor({match['body']})", text)

    def _wrap(self, original: Any) -> Any:
        def show(value: Any) -> str:
            own: str = original(value)
            if len(self._known) < _MOST and value.ndim:  # a number may be part of another text
                self._known[own] = str(arrays.to_torch(value))
            return own

        return show
