"""Reads of torch's own memory, which no other framework shares."""

from __future__ import annotations

from typing import Any

from torch.fx import Node

from workbench.lower.backend import LowerError


def memory_order(node: Node, title: str) -> list[int]:
    """Return the dimensions of `as_strided`'s input in the order of torch's memory.

    Raises:
        LowerError: it reads memory outside the tensor or between its elements; `title` is the
            target's name.
    """
    names = [argument.name for argument in node.target._schema.arguments]  # type: ignore[union-attr]
    given: dict[str, Any] = {**dict(zip(names, node.args, strict=False)), **node.kwargs}
    value, offset = given["self"].meta["val"], given.get("storage_offset")
    order = list(range(value.dim()))
    if not value.is_contiguous():
        order.sort(key=lambda dim: (-value.stride(dim), dim))
    steps = zip(given["size"], given["stride"], strict=True)
    last = (offset or 0) + sum((_number(size) - 1) * _number(step) for size, step in steps)
    offset_differs = offset is not None and value.storage_offset() != 0
    if offset_differs or last >= value.numel() or not value.permute(order).is_contiguous():
        raise LowerError(
            f"{node.name}: as_strided reads torch's memory outside a tensor, which {title} does"
            " not have; use indexing instead"
        )
    return order


def _number(size: Any) -> Any:
    return size.meta["val"] if isinstance(size, Node) else size
