"""What an operator reads of torch's own memory, which no other framework shares."""

from __future__ import annotations

from typing import Any

from torch.fx import Node

from workbench.lower.backend import LowerError


def check_strides(node: Node, title: str) -> None:
    """Refuse `as_strided` over memory that only torch's own tensor has; `title` is the target's.

    Raises:
        LowerError: it reaches beside the tensor, or that does not lie there in order.
    """
    names = [argument.name for argument in node.target._schema.arguments]  # type: ignore[union-attr]
    given: dict[str, Any] = {**dict(zip(names, node.args, strict=False)), **node.kwargs}
    value, offset = given["self"].meta["val"], given.get("storage_offset")
    steps = zip(given["size"], given["stride"], strict=True)
    last = (offset or 0) + sum((_number(size) - 1) * _number(step) for size, step in steps)
    beside = offset is not None and value.storage_offset() != 0
    if beside or not value.is_contiguous() or last >= value.numel():
        raise LowerError(
            f"{node.name}: as_strided reads torch's memory beside or across a tensor, which"
            f" {title}'s does not share; write it by indexing"
        )


def _number(size: Any) -> Any:
    return size.meta["val"] if isinstance(size, Node) else size
