"""Paddle's printed text in torch's spelling, so that printed output can be compared."""

from __future__ import annotations

import re

_TENSOR = re.compile(
    r"(?:Parameter containing:\s*)?Tensor\(shape=\[[^\]]*\], dtype=\w+, place=Place\([^)]*\), "
    r"stop_gradient=\w+,\s*(?P<body>[^()]*)\)"
)
_NAME = re.compile(r"\bpaddle\.(?=(?:Size|float|int|uint|bool|bfloat|complex)\w*)")


def plain(text: str) -> str:
    """The text with tensors as `tensor(values)`, and shapes and dtypes as torch names them."""
    return _NAME.sub("torch.", _TENSOR.sub(lambda match: f"tensor({match['body']})", text))
