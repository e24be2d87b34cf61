"""Normalization layers."""

from __future__ import annotations

from workbench.lower.writing.call import Call, atom
from workbench.targets.paddle.emitters.registry import emits


def _affine(call: Call) -> str:
    """Return `weight` and `bias` as keywords if given; Paddle requires flat ones."""
    parts = []
    for name in ("weight", "bias"):
        if call.has(name):
            text = call.tensor(name)
            text = f"{atom(text)}.flatten()" if call.rank(name) > 1 else text
            parts.append(f", {name}={text}")
    return "".join(parts)


@emits("layer_norm")
def _layer_norm(call: Call) -> str:
    if call["eps"] > 1e-3:
        call.refuse("Paddle's layer_norm does not accept an epsilon above 0.001")
    shape = call.text("normalized_shape")
    norm = call.helper("_layer_norm") if call.has("weight") else "F.layer_norm"
    x, rest = call.tensor("input"), f"{shape}{_affine(call)}, epsilon={call['eps']}"
    if call.rank("input") == len(call["normalized_shape"]):
        # Paddle requires a dimension that is not normalized.
        return f"{norm}({atom(x)}.unsqueeze(0), {rest}).squeeze(0)"
    return f"{norm}({x}, {rest})"


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
    axes = list(range(-len(call["normalized_shape"]), 0))
    eps = call["eps"]
    if eps is None:
        import torch

        eps = torch.finfo(call.computed(call.meta("input").dtype)).eps
    weight = f", {call.tensor('weight')}" if call.has("weight") else ""
    norm = f"{call.helper('_rms_norm')}({call.tensor('input')}, {axes}, {eps}{weight})"
    return f"({norm}, None)" if call.node.target.__name__.startswith("_fused") else norm  # type: ignore[union-attr]


@emits("_native_batch_norm_legit_no_training")
def _batch_norm_eval(call: Call) -> str:
    x, mean, var = (call.tensor(n) for n in ("input", "running_mean", "running_var"))
    rest = f"{_affine(call)}, training=False, epsilon={call['eps']}"
    return f"(F.batch_norm({x}, {mean}, {var}{rest}), None, None)"


@emits("_native_batch_norm_legit_functional")
def _batch_norm_train(call: Call) -> str:
    if not call["training"]:
        x, mean, var = (call.tensor(n) for n in ("input", "running_mean", "running_var"))
        rest = f"{_affine(call)}, training=False, epsilon={call['eps']}"
        return f"(F.batch_norm({x}, {mean}, {var}{rest}), None, None, {mean}, {var})"
    return _training(call, "running_mean", "running_var")


@emits("_native_batch_norm_legit.no_stats")
def _batch_norm_no_stats(call: Call) -> str:
    if not call["training"]:
        call.refuse("batch norm without statistics outside training")
    return _training(call)


def _training(call: Call, *stats: str) -> str:
    """Return a call of a helper, since Paddle's running variance is biased and its momentum
    inverse.
    """
    held = ", ".join(call.tensor(n) for n in stats) if stats else "None, None"
    affine = ", ".join(call.tensor(n) if call.has(n) else "None" for n in ("weight", "bias"))
    helper = call.helper("_batch_norm_training")
    result = (
        f"{helper}({call.tensor('input')}, {affine}, {held}, {call['momentum']}, {call['eps']})"
    )
    return result if stats else f"{result}[:3]"


@emits("instance_norm")
def _instance_norm(call: Call) -> str:
    if not call["use_input_stats"] or call.has("running_mean"):
        call.refuse("instance norm with running statistics")
    return f"F.instance_norm({call.tensor('input')}{_affine(call)}, eps={call['eps']})"
