"""Sizes and single values of tensors: dynamic shapes stay dynamic."""

from __future__ import annotations

from workbench.targets.paddle.emitters.registry import writes

writes({"item _local_scalar_dense": "{self}.item()"}, native=True)
