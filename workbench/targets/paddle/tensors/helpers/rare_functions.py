"""Rarely used tensor functions in torch's forms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import paddle

from workbench.targets.paddle.math.helpers.statistics import torch_norm
from workbench.targets.paddle.modules.helpers.backward_hooks import TorchHookHandle
from workbench.targets.paddle.tensors.helpers.indexing import torch_nonzero, torch_replaced
from workbench.targets.paddle.tensors.helpers.inplace import torch_into
from workbench.targets.paddle.tensors.helpers.shapes import torch_strided_places


def torch_apply_(tensor: paddle.Tensor, function: Callable[[Any], Any]) -> paddle.Tensor:
    """Apply a Python function to each value in place."""
    values = [function(value) for value in tensor.flatten().tolist()]
    return torch_into(tensor, paddle.to_tensor(values, dtype=tensor.dtype).reshape(tensor.shape))


def torch_map_(
    tensor: paddle.Tensor, other: paddle.Tensor, function: Callable[[Any, Any], Any]
) -> paddle.Tensor:
    """Apply a Python function to each pair of values in place."""
    pairs = zip(
        tensor.flatten().tolist(),
        paddle.expand(other, tensor.shape).flatten().tolist(),
        strict=True,
    )
    values = [function(one, two) for one, two in pairs]
    return torch_into(tensor, paddle.to_tensor(values, dtype=tensor.dtype).reshape(tensor.shape))


def torch_resize_(tensor: paddle.Tensor, size: Sequence[Any]) -> paddle.Tensor:
    """Another shape in place: the first values stay, further ones are not defined."""
    if len(size) == 1 and isinstance(size[0], (list, tuple)):
        size = size[0]
    shape = [int(length) for length in size]
    count = int(np.prod(shape)) if shape else 1
    flat = tensor.detach().flatten()
    if count > flat.shape[0]:
        flat = paddle.concat([flat, paddle.zeros([count - flat.shape[0]], dtype=tensor.dtype)])
    paddle.assign(flat[:count].reshape(shape), tensor)
    return tensor


def torch_set_(tensor: paddle.Tensor, source: paddle.Tensor) -> paddle.Tensor:
    """Take the values and the shape of another tensor; without gradients, a leaf may, too."""
    stopped = tensor.stop_gradient
    tensor.stop_gradient = stopped or not paddle.is_grad_enabled()
    tensor.set_(source)
    tensor.stop_gradient = stopped
    return tensor


def torch_as_strided_scatter(
    tensor: paddle.Tensor,
    src: paddle.Tensor,
    size: Sequence[int],
    stride: Sequence[int],
    offset: int = 0,
) -> paddle.Tensor:
    """A copy with the values that strides name replaced.

    As in torch the gradient reaches the tensor at the places that are replaced, and there alone.
    """
    places = torch_strided_places(size, stride, offset or 0)
    flat, new = tensor.flatten(), src.flatten().astype(tensor.dtype)
    if paddle.is_grad_enabled() and not tensor.stop_gradient:
        change = flat[places] - flat[places].detach()
        new = new + paddle.where(change == 0, change, paddle.zeros_like(change))
    return torch_replaced(flat.detach(), places, new).reshape(tensor.shape)


def torch_nonzero_static(tensor: paddle.Tensor, size: int, fill_value: int = -1) -> paddle.Tensor:
    """The first so many places of what is not zero, filled up where there are fewer."""
    found = torch_nonzero(tensor)[:size]
    missing = size - found.shape[0]
    return paddle.concat([found, paddle.full([missing, tensor.ndim], fill_value, dtype="int64")])


def torch_norm_except_dim(tensor: paddle.Tensor, pow: int = 2, dim: int = 0) -> paddle.Tensor:
    """The norm over all dimensions but one, which keep size 1."""
    if dim == -1:
        return torch_norm(tensor, pow)
    if tensor.ndim == 1:
        return tensor.abs()
    return torch_norm(tensor, pow, [k for k in range(tensor.ndim) if k != dim], True)


def torch_nuclear_norm(
    tensor: paddle.Tensor, dim: Any = None, keepdim: bool = False
) -> paddle.Tensor:
    """The sum of singular values; the second argument may be `keepdim` alone."""
    if isinstance(dim, bool):
        dim, keepdim = None, dim
    return torch_norm(tensor, "nuc", dim, keepdim)


def torch_view_copy(tensor: paddle.Tensor, size: Any) -> paddle.Tensor:
    """A copy in another shape, or of the same bytes in another dtype."""
    return (tensor.reshape(size) if isinstance(size, (list, tuple)) else tensor.view(size)).clone()


def torch_slice(
    tensor: paddle.Tensor, dim: int = 0, start: Any = None, end: Any = None, step: int = 1
) -> paddle.Tensor:
    """A slice of a dimension."""
    at: list[Any] = [slice(None)] * tensor.ndim
    at[dim] = slice(start, end, step)
    return tensor[tuple(at)]


def torch_stft(
    tensor: paddle.Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: paddle.Tensor | None = None,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
) -> paddle.Tensor:
    """The short-time Fourier transform; without `return_complex` parts lie in a last dimension."""
    single = tensor.ndim == 1
    whole = tensor.is_complex() or (window is not None and window.is_complex())
    one = not whole if onesided is None else onesided
    if window is None and win_length not in (None, n_fft):
        window = paddle.ones([win_length], dtype=tensor.dtype)
    if center:  # Paddle wants the signal to be as long as a window before it is padded
        batch = tensor.unsqueeze(0) if tensor.ndim == 1 else tensor
        half = [n_fft // 2] * 2
        padded = paddle.nn.functional.pad(
            batch.unsqueeze(1), half, mode=pad_mode, data_format="NCL"
        )
        tensor, center = padded.squeeze(1), False
        tensor = tensor.squeeze(0) if batch.shape[0] == 1 and single else tensor
    found = paddle.signal.stft(
        tensor, n_fft, hop_length, win_length, window, center, pad_mode, normalized, one
    )
    return found if return_complex or whole else paddle.as_real(found)


def torch_istft(
    tensor: paddle.Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: paddle.Tensor | None = None,
    center: bool = True,
    normalized: bool = False,
    onesided: bool | None = None,
    length: int | None = None,
    return_complex: bool = False,
) -> paddle.Tensor:
    """The inverse of the short-time Fourier transform."""
    one = tensor.shape[-2] != n_fft if onesided is None else onesided
    return paddle.signal.istft(
        tensor,
        n_fft,
        hop_length,
        win_length,
        window,
        center,
        normalized,
        one,
        length,
        return_complex,
    )


def torch_constant_pad(tensor: paddle.Tensor, pad: Sequence[int], value: Any = 0) -> paddle.Tensor:
    """Values around the last dimensions; a negative width cuts off."""
    for place in range(len(pad) // 2):
        axis = tensor.ndim - 1 - place
        before, after = pad[2 * place], pad[2 * place + 1]
        tensor = torch_slice(tensor, axis, max(-before, 0), tensor.shape[axis] - max(-after, 0))
        parts = [tensor]
        for width, first in ((before, True), (after, False)):
            if width > 0:
                shape = [*tensor.shape[:axis], width, *tensor.shape[axis + 1 :]]
                filler = paddle.full(shape, value, dtype=tensor.dtype)
                parts = [filler, *parts] if first else [*parts, filler]
        tensor = paddle.concat(parts, axis=axis)
    return tensor


def torch_to_sparse(tensor: paddle.Tensor, sparse_dim: int | None = None) -> paddle.Tensor:
    """A sparse tensor in coordinates."""
    return tensor.to_sparse_coo(tensor.ndim if sparse_dim is None else sparse_dim)


def torch_to_dense(tensor: paddle.Tensor) -> paddle.Tensor:
    """The values with all their zeros; dense tensors as they are."""
    is_dense = isinstance(tensor, paddle.Tensor) and tensor.is_dense()
    return tensor if is_dense else tensor.to_dense()


def torch_pinned(tensor: paddle.Tensor) -> paddle.Tensor:
    """The tensor in page-locked memory, where there is a GPU to copy it to."""
    return tensor.pin_memory() if paddle.is_compiled_with_cuda() else tensor


def torch_grad_fn(tensor: paddle.Tensor) -> Any:
    """What made the tensor in the recorded graph; nothing for a leaf."""
    return None if tensor.is_leaf else tensor.grad_fn


def torch_is_set_to(tensor: paddle.Tensor, other: paddle.Tensor) -> bool:
    """Whether two tensors are the same memory seen in the same way."""
    return bool(tensor.data_ptr() == other.data_ptr() and tensor.shape == other.shape)


def torch_dim_order(tensor: paddle.Tensor) -> tuple[int, ...]:
    """The dimensions by how far their values lie apart, the farthest first."""
    return tuple(sorted(range(tensor.ndim), key=lambda dim: -tensor.get_strides()[dim]))


def torch_layout(tensor: paddle.Tensor) -> str:
    """The name of torch's layout."""
    if tensor.is_sparse_coo():
        return "torch.sparse_coo"
    return "torch.sparse_csr" if tensor.is_sparse_csr() else "torch.strided"


def torch_after_grad(
    tensor: paddle.Tensor, hook: Callable[[paddle.Tensor], Any]
) -> TorchHookHandle:
    """Call a hook with a leaf whenever its gradient has been added to."""
    hooks = [hook]

    @paddle.no_grad()
    def call_all(*_: Any) -> None:
        for call in [*hooks]:
            call(tensor)

    tensor._register_backward_hook(call_all)
    return TorchHookHandle(hooks, hook)


def torch_retains_grad(tensor: paddle.Tensor) -> bool:
    """Whether a tensor within the graph keeps its gradient, known once it has one."""
    return not tensor.is_leaf and tensor.grad is not None


def torch_share_memory_(tensor: Any) -> Any:
    """The tensor, of which is remembered that it is shared."""
    tensor.is_in_shared_memory = True
    return tensor


def torch_is_shared(tensor: Any) -> bool:
    """Whether the tensor was said to be shared."""
    return getattr(tensor, "is_in_shared_memory", False)


def torch_nbytes(tensor: paddle.Tensor) -> int:
    """How many bytes the values take."""
    return int(tensor.size) * int(tensor.element_size())


def torch_storage_offset(tensor: paddle.Tensor) -> int:
    """How many values of the memory come before the first one."""
    return int(tensor.offset) // int(tensor.element_size())
