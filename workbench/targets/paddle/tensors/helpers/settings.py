"""Names of types, buffers and default types."""

from __future__ import annotations

from typing import Any

import numpy as np
import paddle

from workbench.targets.paddle.tensors.helpers.conversion import torch_type_name


def torch_typename(value: Any) -> str:
    """The name of a value's type; of a tensor's as torch writes it."""
    if isinstance(value, paddle.Tensor):
        return torch_type_name(value)
    kind = value if isinstance(value, type) else type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


def torch_set_default_tensor_type(kind: Any) -> None:
    """The default dtype by the name of a tensor type, or by a type that stands for one."""
    name = kind if isinstance(kind, str) else kind.__name__
    dtypes = {"Float": "float32", "Double": "float64", "Half": "float16", "BFloat16": "bfloat16"}
    paddle.set_default_dtype(dtypes[name.rpartition(".")[2].removesuffix("Tensor")])


def torch_frombuffer(
    buffer: Any, dtype: Any, count: int = -1, offset: int = 0, requires_grad: bool = False
) -> paddle.Tensor:
    """A tensor over the bytes of a buffer."""
    array = np.frombuffer(buffer, str(dtype).rpartition(".")[2], count, offset)
    tensor = paddle.from_dlpack(array) if array.flags.writeable else paddle.to_tensor(array)
    tensor.stop_gradient = not requires_grad
    return tensor


def torch_set_printoptions(
    precision: int | None = None,
    threshold: int | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """How tensors are printed; a profile stands for settings, others of which are kept."""
    settings = {
        "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
        "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
        "full": {"precision": 4, "threshold": 2147483647, "edgeitems": 3, "linewidth": 80},
    }.get(profile or "", {})
    given = {
        "precision": precision,
        "threshold": threshold,
        "edgeitems": edgeitems,
        "linewidth": linewidth,
        "sci_mode": sci_mode,
    }
    settings.update((name, value) for name, value in given.items() if value is not None)
    paddle.set_printoptions(**settings)
