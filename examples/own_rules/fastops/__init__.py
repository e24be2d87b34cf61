"""A wrapper library around a custom operator: importing it makes `torch.ops.fastops` known."""

import os
import shutil
from pathlib import Path

import torch

_SCHEMA = "soft_clip(Tensor x, float limit=1.0) -> Tensor"


def _in_python() -> None:
    """The same operator for machines without a compiler."""
    library = torch.library.Library("fastops", "DEF")
    library.define(_SCHEMA)

    def soft_clip(x: torch.Tensor, limit: float = 1.0) -> torch.Tensor:
        if limit <= 0:
            raise RuntimeError(f"soft_clip: limit must be above 0, and is {limit}")
        return torch.tanh(x / limit) * limit

    library.impl("soft_clip", soft_clip, "CompositeImplicitAutograd")
    globals()["_library"] = library  # the operator lives as long as this does


def _compiled() -> None:
    from torch.utils.cpp_extension import load

    source = Path(__file__).with_name("soft_clip.cpp")
    load(name="fastops_soft_clip", sources=[str(source)], is_python_module=False)


if os.environ.get("FASTOPS_PYTHON") or not (shutil.which("c++") and shutil.which("ninja")):
    _in_python()
else:
    _compiled()
