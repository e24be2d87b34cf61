"""Settings of torch that Paddle does not have, and that helper classes of converted code keep."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch


def now() -> Mapping[str, Mapping[str, Any]]:
    """Return torch's settings as they are now, by the names of helper classes."""
    cudnn: Any = torch.backends.cudnn
    matmul: Any = torch.backends.cuda.matmul
    reductions = "allow_fp16_reduced_precision_reduction", "allow_bf16_reduced_precision_reduction"
    return {
        "TorchCudnn": {
            name: getattr(cudnn, name)
            for name in ("allow_tf32", "benchmark", "deterministic", "enabled")
        },
        "TorchCudaMatmul": {name: getattr(matmul, name) for name in ("allow_tf32", *reductions)},
        "TorchSettings": {
            "deterministic": torch.are_deterministic_algorithms_enabled(),
            "matmul_precision": torch.get_float32_matmul_precision(),
            "threads": torch.get_num_threads(),
            "interop_threads": torch.get_num_interop_threads(),
        },
    }
