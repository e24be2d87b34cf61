"""What optimizers that are written by hand import from torch's own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import paddle


class TorchRequired:
    """`torch.optim.optimizer.required`: the default of an option that the caller has to give."""


def torch_group_tensors(
    tensorlistlist: Sequence[Sequence[paddle.Tensor | None]], with_indices: bool = False
) -> dict[Any, tuple[list[list[paddle.Tensor | None]], list[int]]]:
    """The tensors of all lists, by the device and dtype of the first list's, with their places."""
    groups: dict[Any, tuple[list[list[paddle.Tensor | None]], list[int]]] = {}
    for index, tensors in enumerate(zip(*tensorlistlist, strict=True)):
        key = (str(tensors[0].place), tensors[0].dtype)
        lists, indices = groups.setdefault(key, ([[] for _ in tensorlistlist], []))
        for column, tensor in zip(lists, tensors, strict=True):
            column.append(tensor)
        if with_indices:
            indices.append(index)
    return groups


def torch_number(x: Any) -> Any:
    """The number of a tensor with one element; any other value as it is."""
    return x.item() if isinstance(x, paddle.Tensor) else x
