"""Words about single values that both the same calls and the plain forms report."""

from __future__ import annotations

RELU_OF_NAN = (
    "relu(NaN) is 0 in {target}, NaN in torch, and an infinite gradient of a value that is not"
    " positive is NaN, 0 in torch"
)
