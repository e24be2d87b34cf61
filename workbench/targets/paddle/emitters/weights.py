"""Weights of live Paddle layers under torch's names and in torch's layouts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import paddle
import torch

from workbench.convert import files
from workbench.lower.backend import LowerError
from workbench.targets.paddle.emitters.loading import from_torch

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    Place = Callable[[torch.Tensor], str]

_STATISTICS = {"_mean": "running_mean", "_variance": "running_var"}


def places(module: Any) -> dict[str, Place]:
    """For each weight of a layer, by torch's name, what takes a tensor and says why it does not.

    `nn.Linear` keeps its weight the other way round than torch; `MultiHeadAttention` keeps its
    three projections apart. Which it is, the layer's type says: a square matrix has no tell.
    """
    found: dict[str, Place] = {}
    joined: set[int] = set()
    for prefix, layer in [("", module), *module.named_sublayers()]:
        dot = f"{prefix}." if prefix else ""
        if isinstance(layer, paddle.nn.MultiHeadAttention):
            parts = [layer.q_proj, layer.k_proj, layer.v_proj]
            joined |= {id(part) for part in parts}
            found[f"{dot}in_proj_weight"] = _split([p.weight for p in parts], flipped=True)
            if parts[0].bias is not None:
                found[f"{dot}in_proj_bias"] = _split([p.bias for p in parts], flipped=False)
    for prefix, layer in [("", module), *module.named_sublayers()]:
        if id(layer) in joined:
            continue
        dot = f"{prefix}." if prefix else ""
        flipped = isinstance(layer, paddle.nn.Linear)
        own = [*layer._parameters.items(), *layer._buffers.items()]
        for name, tensor in own:
            if tensor is None:
                continue
            known = _STATISTICS.get(name, name) if _is_norm(layer) else name
            if known == "scale" and _is_norm(layer):
                known = "weight"
            found[f"{dot}{known}"] = _place(tensor, flipped=flipped and name == "weight")
    return found


def save(state: Mapping[str, Any], path: Path) -> Path:
    """Write a state dict as `.pdparams`.

    Raises:
        LowerError: another ending, or a tensor that Paddle cannot write.
        TorchferryError: no room, or no right to write.
    """
    if path.suffix != ".pdparams":
        raise LowerError(f"{path}: Paddle's weights are saved as .pdparams; give such a name")
    write: Any = paddle.save
    try:
        files.fill(path, lambda name: write(dict(state), str(name)))
    except (ValueError, MemoryError, RuntimeError) as error:
        reason = str(error).partition("\n")[0]
        raise LowerError(f"{path}: Paddle cannot write these weights: {reason}") from error
    return path


def _is_norm(layer: Any) -> bool:
    return "Norm" in type(layer).__name__


def _place(tensor: Any, *, flipped: bool) -> Place:
    def take(value: torch.Tensor) -> str:
        laid = value.detach().t() if flipped and value.dim() == 2 else value.detach()
        if not flipped and laid.dim() > 1 and len(tensor.shape) == 1:
            laid = laid.reshape(-1)  # LayerNorm over several dimensions is flat in Paddle
        held = str(tensor.dtype).removeprefix("paddle.")
        given = str(laid.dtype).removeprefix("torch.")
        if list(laid.shape) != list(tensor.shape):
            return f"has shape {list(laid.shape)} where the layer has {list(tensor.shape)}"
        if held != given:
            return f"is {given} where the layer has {held}"
        with paddle.no_grad():
            tensor.set_value(from_torch(laid, share=laid.is_contiguous()))
        return ""

    return take


def _split(tensors: list[Any], *, flipped: bool) -> Place:
    takers = [_place(tensor, flipped=flipped) for tensor in tensors]

    def take(value: torch.Tensor) -> str:
        if value.shape[0] % len(takers):
            return f"has {value.shape[0]} rows, which are no {len(takers)} projections"
        parts = value.detach().chunk(len(takers))
        return next((r for t, p in zip(takers, parts, strict=True) if (r := t(p))), "")

    return take
