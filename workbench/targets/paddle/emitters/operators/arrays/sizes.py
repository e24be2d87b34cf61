"""Sizes and single values of tensors: dynamic shapes stay dynamic."""

from __future__ import annotations

from workbench.lower.writing.call import Call
from workbench.targets.paddle.emitters.registry import emits, writes

writes({"item _local_scalar_dense": "{self}.item()"}, native=True)


@emits("sym_size.int", native=True)
def _size(call: Call) -> str:
    return f"{call.text('self')}.shape[{call.text('dim')}]"


@emits("sym_numel", native=True)
def _numel(call: Call) -> str:
    return f"{call.text('self')}.size"
