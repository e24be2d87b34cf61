"""Types of live objects, in the form that the conversion of a cell takes."""

from __future__ import annotations

import sys
from typing import Any


def live_type(value: object) -> str:
    """Return the qualified name of an object's type.

    For a tensor it includes the dtype, and whether it is a scalar.

    torch is not imported for it: where it is not there, no object is a tensor.
    """
    kind = type(value)
    name = f"{kind.__module__}.{kind.__qualname__}"
    torch: Any = sys.modules.get("torch")
    if torch is None or kind not in (torch.Tensor, torch.nn.Parameter):
        return name
    tensor: Any = value
    facts = [str(tensor.dtype).removeprefix("torch."), *(["scalar"] if tensor.dim() == 0 else [])]
    return f"{name}[{', '.join(facts)}]"
