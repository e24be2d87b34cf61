"""Words about single values that both the same calls and the plain forms report."""

from __future__ import annotations

RELU_OF_NAN = "relu(NaN) is 0 in {target}, NaN in torch"
