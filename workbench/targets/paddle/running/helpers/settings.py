"""Settings of torch that Paddle has not: they keep their values, and nothing else."""

from __future__ import annotations

import contextlib
from typing import Any


class TorchSettings:
    """What torch's setters were last given; Paddle computes the same either way."""

    deterministic = False
    matmul_precision = "highest"
    threads = 1
    interop_threads = 1
    warn_always = False
    sharing_strategy = "file_descriptor"
    flash_sdp = True
    math_sdp = True
    mem_efficient_sdp = True
    cudnn_sdp = True


class TorchCudnn:
    """`torch.backends.cudnn`: Paddle chooses its algorithms by flags that it reads at the start."""

    allow_tf32 = True
    benchmark = False
    deterministic = False
    enabled = True
    fp32_precision = "none"


class TorchCudaMatmul:
    """`torch.backends.cuda.matmul`."""

    allow_tf32 = False
    allow_fp16_reduced_precision_reduction = True
    allow_bf16_reduced_precision_reduction = True


def torch_without_effect(*args: Any, **kwargs: Any) -> contextlib.AbstractContextManager[None]:
    """A context whose settings Paddle does not have."""
    return contextlib.nullcontext()


def torch_same(function: Any) -> Any:
    """The function itself: for decorators without effect in Paddle."""
    return function
