"""Layers made of others: fused with their normalisation, synchronised, without a hook."""

from __future__ import annotations

import copy
from typing import Any

import paddle

from workbench.targets.paddle.layers.helpers.norm import TorchBatchNorm, TorchSyncBatchNorm
from workbench.targets.paddle.modules.helpers.utils import torch_fuse_conv_bn_weights


def torch_fuse_conv_bn_eval(conv: Any, bn: Any, transpose: bool = False) -> Any:
    """`fuse_conv_bn_eval`: a convolution that computes what both do in evaluation."""
    if conv.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    fused = copy.deepcopy(conv)
    fused.weight, fused.bias = torch_fuse_conv_bn_weights(
        fused.weight,
        fused.bias,
        bn.running_mean,
        bn.running_var,
        bn.eps,
        bn.weight,
        bn.bias,
        transpose,
    )
    return fused


def torch_fuse_linear_bn_weights(
    linear_w: paddle.Tensor,
    linear_b: Any,
    bn_rm: paddle.Tensor,
    bn_rv: paddle.Tensor,
    bn_eps: float,
    bn_w: paddle.Tensor,
    bn_b: paddle.Tensor,
) -> tuple[paddle.Tensor, paddle.Tensor]:
    """`fuse_linear_bn_weights`: a linear layer that has its normalisation in its weights."""
    bias = paddle.zeros_like(bn_rm) if linear_b is None else linear_b
    scale = bn_w * paddle.rsqrt(bn_rv + bn_eps)
    trained = linear_b is not None and not linear_b.stop_gradient
    return (
        paddle.nn.Parameter(
            (linear_w * scale.unsqueeze(-1)).detach(), requires_grad=not linear_w.stop_gradient
        ),
        paddle.nn.Parameter(((bias - bn_rm) * scale + bn_b).detach(), requires_grad=trained),
    )


def torch_fuse_linear_bn_eval(linear: Any, bn: Any) -> Any:
    """`fuse_linear_bn_eval`: a linear layer that computes what both do in evaluation."""
    if linear.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    if linear.out_features != bn.num_features and bn.num_features != 1:
        raise AssertionError(
            "To fuse, linear.out_features == bn.num_features or bn.num_features == 1"
        )
    fused = copy.deepcopy(linear)
    fused.weight, fused.bias = torch_fuse_linear_bn_weights(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias
    )
    return fused


def torch_convert_sync_batchnorm(module: Any, process_group: Any = None) -> Any:
    """`SyncBatchNorm.convert_sync_batchnorm`: layers of batch normalisation become its own."""
    made = module
    if isinstance(module, TorchBatchNorm):
        made = TorchSyncBatchNorm(
            module.num_features,
            module.eps,
            module.momentum,
            module.affine,
            module.track_running_stats,
            process_group,
        )
        if module.affine:
            made.weight, made.bias = module.weight, module.bias
        for name in ("running_mean", "running_var", "num_batches_tracked"):
            made._buffers[name] = getattr(module, name)
        made.training = module.training
    for name, child in module.named_children():
        made.add_sublayer(name, torch_convert_sync_batchnorm(child, process_group))
    return made


def torch_remove_spectral_norm(module: Any, name: str = "weight") -> Any:
    """`remove_spectral_norm`: the weight is a parameter again, with the values it has now."""
    for key, hook in module._forward_pre_hooks.items():
        if getattr(hook, "spectral_norm_of", None) == name:
            hook(module)
            weight = getattr(module, name).detach()
            for part in (f"{name}_u", f"{name}_v", name):
                module._buffers.pop(part, None)
            module._parameters.pop(f"{name}_orig")
            module.__dict__.pop(name, None)
            module.add_parameter(name, paddle.nn.Parameter(weight))
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"spectral_norm of '{name}' not found in {module}")
