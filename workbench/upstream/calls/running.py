"""Signatures: devices, processes, compiling and profiling."""

from __future__ import annotations

SIGNATURES: dict[str, tuple[str, ...]] = {
    "torch.backends.mkldnn.is_available": ("()",),
    "torch.backends.opt_einsum.is_available": ("()",),
    "torch.set_num_threads": ("(int)",),
    "torch.set_num_interop_threads": ("(int)",),
    "torch.set_warn_always": ("(b)",),
    "torch.set_flush_denormal": ("(mode)",),
    "torch.get_device_module": ("(device=None)",),
    "torch.distributed.Backend": ("(name)",),
    "torch.distributed.ReduceOp": ("()",),
}
