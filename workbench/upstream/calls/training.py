"""Signatures: gradients, optimizers, data and saved states."""

from __future__ import annotations

SIGNATURES: dict[str, tuple[str, ...]] = {
    "torch.cpu.amp.autocast": ("(enabled=True, dtype=torch.bfloat16, cache_enabled=True)",),
    "torch.amp.custom_fwd": ("(fwd=None, *, device_type=None, cast_inputs=None)",),
    "torch.cuda.amp.custom_fwd": ("(fwd=None, *, device_type=None, cast_inputs=None)",),
    "torch.amp.custom_bwd": ("(bwd=None, *, device_type=None, cast_inputs=None)",),
    "torch.cuda.amp.custom_bwd": ("(bwd=None, *, device_type=None, cast_inputs=None)",),
    "torch.get_autocast_dtype": ("(device_type)",),
    "torch.is_autocast_enabled": ("(device_type=None)",),
    "torch.autograd.grad": (
        (
            "(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, "
            "only_inputs=True, allow_unused=None, is_grads_batched=False, "
            "materialize_grads=False)"
        ),
    ),
    "torch.autograd.Function": ("()",),
    "torch.autograd.graph.save_on_cpu": ("(pin_memory=False, device_type='cuda')",),
    "torch.utils.data.DataLoader.collate_fn": ("(batch)",),
    "torch.optim.lr_scheduler.ReduceLROnPlateau.step": ("(metrics, epoch=None)",),
}
