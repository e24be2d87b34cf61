"""Arithmetic of torch whose results are perturbed by one rounding each."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from workbench.words import words

# Operations whose results are rounded, by torch's internal names without the mark of in-place ones.
# Others choose, move or count values, which stay as they are.
_ROUNDED = frozenset(
    words(
        "acos acosh add addbmm addcdiv addcmul addmm addmv addr asin asinh atan atan2 atanh baddbmm"
        " bmm cos cosh cumprod cumsum digamma div dot erf erfc erfinv exp exp2 expm1 hypot lerp"
        " lgamma linalg_vector_norm log log10 log1p log2 log_sigmoid_forward logaddexp logcumsumexp"
        " logit logsumexp mean mm mse_loss mul mv norm pow prod reciprocal rsqrt rsub sigmoid"
        " sigmoid_backward silu sin sinh softplus sqrt std sub sum tan tanh tanh_backward var"
        " _log_softmax _softmax _native_batch_norm_legit convolution convolution_backward gelu"
        " native_batch_norm native_group_norm native_layer_norm"
    )
)


class _Rounding(TorchDispatchMode):  # type: ignore[no-untyped-call]
    def __init__(self, seed: int) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._generator = torch.Generator().manual_seed(seed)

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        name = func.overloadpacket.__name__
        if name.removesuffix("_") in _ROUNDED:
            for part in result if isinstance(result, tuple | list) else (result,):
                if isinstance(part, torch.Tensor):
                    self._perturb(part)
        return result

    def _perturb(self, tensor: torch.Tensor) -> None:
        """Change values by at most one rounding; whole numbers are likely to be exact."""
        if not tensor.dtype.is_floating_point or tensor.layout is not torch.strided:
            return
        if tensor.device.type != "cpu" or not tensor.numel():
            return
        shape = tensor.shape
        steps = torch.randint(-1, 2, shape, generator=self._generator).to(tensor.dtype)
        off = tensor * steps * torch.finfo(tensor.dtype).eps
        tensor.add_(torch.where(tensor == tensor.round(), 0.0, off).to(tensor.dtype))


@contextmanager
def rounded(seed: int) -> Iterator[None]:
    """Perturb the results of torch's arithmetic by one rounding while open."""
    with _Rounding(seed):
        yield
