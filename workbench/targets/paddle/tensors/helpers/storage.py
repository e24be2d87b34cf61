"""The memory under a tensor, of which it may show a part."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import paddle

from workbench.targets.paddle.modules.helpers.class_names import torch_named


@torch_named
class TorchTypedStorage:
    """`torch.TypedStorage`: all values of the memory that a tensor is a view of, in order."""

    def __init__(self, tensor: paddle.Tensor) -> None:
        count = tensor._holder_size() // tensor.element_size()
        self.values = paddle.as_strided(tensor.detach(), [count], [1], 0)
        self.dtype = tensor.dtype

    def size(self) -> int:
        """How many values there are."""
        return int(self.values.shape[0])

    def __len__(self) -> int:
        return self.size()

    def nbytes(self) -> int:
        """How many bytes there are."""
        return self.size() * self.element_size()

    def element_size(self) -> int:
        """The bytes of one value."""
        return self.values.element_size()

    def data_ptr(self) -> int:
        """Where the memory begins."""
        return self.values.data_ptr()

    def tolist(self) -> list[Any]:
        """The values."""
        return self.values.tolist()

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())

    def __getitem__(self, place: int) -> Any:
        return self.values[place].item()

    def __setitem__(self, place: Any, value: Any) -> None:
        self.values[place] = value

    def fill_(self, value: Any) -> Any:
        """Write one value everywhere."""
        self.values[:] = value
        return self

    def untyped(self) -> Any:
        """The bytes."""
        return TorchUntypedStorage(self.values)


@torch_named
class TorchUntypedStorage:
    """`torch.UntypedStorage`: the bytes of the memory that a tensor is a view of."""

    def __init__(self, tensor: paddle.Tensor) -> None:
        count = tensor._holder_size() // tensor.element_size()
        self.values = paddle.as_strided(tensor.detach(), [count], [1], 0)

    def size(self) -> int:
        """How many bytes there are."""
        return int(self.values.shape[0]) * self.values.element_size()

    def __len__(self) -> int:
        return self.size()

    def nbytes(self) -> int:
        """How many bytes there are."""
        return self.size()

    def element_size(self) -> int:
        """That of a byte."""
        return 1

    def untyped(self) -> Any:
        """The same bytes."""
        return self

    def data_ptr(self) -> int:
        """Where the memory begins."""
        return self.values.data_ptr()

    def tolist(self) -> list[int]:
        """The bytes as numbers."""
        return list(self.values.numpy().tobytes())

    def __iter__(self) -> Iterator[int]:
        return iter(self.tolist())

    def __getitem__(self, place: int) -> int:
        return self.tolist()[place]
