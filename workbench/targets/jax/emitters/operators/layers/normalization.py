"""Normalization layers, whose variances are computed in two passes, as in torch."""

from __future__ import annotations

import torch

from workbench.lower.writing.call import Call
from workbench.targets.jax.emitters.registry import emits


def _affine(call: Call) -> str:
    """Return `weight` and `bias` as arguments if given."""
    if call.has("weight") and call.has("bias"):
        return f", {call.tensor('weight')}, {call.tensor('bias')}"
    return "".join(f", {name}={call.tensor(name)}" for name in ("weight", "bias") if call.has(name))


@emits("layer_norm")
def _layer_norm(call: Call) -> str:
    rest = f"{len(call['normalized_shape'])}, {call['eps']}{_affine(call)}"
    return f"{call.helper('_layer_norm')}({call.tensor('input')}, {rest})"


@emits("native_layer_norm")
def _native_layer_norm(call: Call) -> str:
    return f"({_layer_norm(call)}, None, None)"


@emits("group_norm")
def _group_norm(call: Call) -> str:
    rest = f"{call['num_groups']}, {call['eps']}{_affine(call)}"
    return f"{call.helper('_group_norm')}({call.tensor('input')}, {rest})"


@emits("native_group_norm")
def _native_group_norm(call: Call) -> str:
    rest = f"{call['group']}, {call['eps']}{_affine(call)}"
    return f"({call.helper('_group_norm')}({call.tensor('input')}, {rest}), None, None)"


@emits("rms_norm", "_fused_rms_norm")
def _rms_norm(call: Call) -> str:
    eps = call["eps"]
    if eps is None:
        eps = torch.finfo(call.computed(call.meta("input").dtype)).eps
    weight = f", {call.tensor('weight')}" if call.has("weight") else ""
    rest = f"{len(call['normalized_shape'])}, {eps}{weight}"
    norm = f"{call.helper('_rms_norm')}({call.tensor('input')}, {rest})"
    return f"({norm}, None)" if "_fused" in str(call.node.target) else norm


def _running(call: Call) -> str:
    x, mean, var = (call.tensor(n) for n in ("input", "running_mean", "running_var"))
    return f"{call.helper('_batch_norm')}({x}, {mean}, {var}, {call['eps']}{_affine(call)})"


@emits("_native_batch_norm_legit_no_training")
def _batch_norm_eval(call: Call) -> str:
    return f"({_running(call)}, None, None)"


@emits("_native_batch_norm_legit_functional")
def _batch_norm_train(call: Call) -> str:
    mean, var = (call.tensor(n) for n in ("running_mean", "running_var"))
    if not call["training"]:
        return f"({_running(call)}, None, None, {mean}, {var})"
    rest = f"{call['momentum']}, {call['eps']}{_affine(call)}"
    helper = call.helper("_batch_norm_training")
    return f"{helper}({call.tensor('input')}, {mean}, {var}, {rest})"


@emits("_native_batch_norm_legit.no_stats")
def _batch_norm_no_stats(call: Call) -> str:
    if not call["training"]:
        call.refuse("batch norm without statistics outside training")
    rest = f"None, None, {call['momentum']}, {call['eps']}{_affine(call)}"
    return f"{call.helper('_batch_norm_training')}({call.tensor('input')}, {rest})[:3]"


@emits("instance_norm")
def _instance_norm(call: Call) -> str:
    if not call["use_input_stats"] or call.has("running_mean"):
        call.refuse("instance norm with running statistics")
    rest = f"{call.meta('input').shape[1]}, {call['eps']}{_affine(call)}"
    return f"{call.helper('_group_norm')}({call.tensor('input')}, {rest})"
