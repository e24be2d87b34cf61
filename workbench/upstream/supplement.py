"""The little that torch's source does not say of itself, or says only where no reader looks."""

from __future__ import annotations

from typing import Final

_HANDLE: Final = "torch.utils.hooks.RemovableHandle"
_UNIQUE: Final = (
    "Tensor",
    "tuple[Tensor, Tensor]",
    "tuple[Tensor, Tensor]",
    "tuple[Tensor, Tensor, Tensor]",
)

RETURNS: Final[dict[str, str | tuple[str, ...]]] = {
    "torch.Tensor.__array__": "numpy.ndarray",
    "torch.Tensor.__deepcopy__": "Tensor",
    "torch.Tensor.__format__": "str",
    "torch.Tensor.__hash__": "int",
    "torch.Tensor.__iter__": "Iterator[Tensor]",
    "torch.Tensor.__len__": "int",
    "torch.Tensor.__reversed__": "Tensor",
    "torch.Tensor.backward": "None",
    "torch.Tensor.dim_order": "tuple[int, ...]",
    "torch.Tensor.is_shared": "bool",
    "torch.Tensor.is_xla": "bool",
    "torch.Tensor.lu": "tuple[Tensor, ...]",
    "torch.Tensor.norm": "Tensor",
    "torch.Tensor.register_hook": _HANDLE,
    "torch.Tensor.register_post_accumulate_grad_hook": _HANDLE,
    "torch.Tensor.resize": "Tensor",
    "torch.Tensor.resize_as": "Tensor",
    "torch.Tensor.share_memory_": "Self",
    "torch.Tensor.stft": "Tensor",
    "torch.Tensor.storage": "torch.TypedStorage",
    "torch.Tensor.to_sparse_coo": "Tensor",
    "torch.Tensor.unique": "Tensor | tuple[Tensor, ...]",
    "torch.Tensor.unique_consecutive": "Tensor | tuple[Tensor, ...]",
    "torch.atleast_1d": "Tensor | tuple[Tensor, ...]",
    "torch.atleast_2d": "Tensor | tuple[Tensor, ...]",
    "torch.atleast_3d": "Tensor | tuple[Tensor, ...]",
    "torch.block_diag": "Tensor",
    "torch.broadcast_shapes": "torch.Size",
    "torch.broadcast_tensors": "tuple[Tensor, ...]",
    "torch.cdist": "Tensor",
    "torch.chain_matmul": "Tensor",
    "torch.cuda.ipc_collect": "None",
    "torch.cuda.is_bf16_supported": "bool",
    "torch.cuda.is_initialized": "bool",
    "torch.cuda.set_stream": "None",
    "torch.distributed.all_gather": "torch.distributed.Work | None",
    "torch.distributed.all_reduce": "torch.distributed.Work | None",
    "torch.distributed.barrier": "torch.distributed.Work | None",
    "torch.distributed.broadcast": "torch.distributed.Work | None",
    "torch.distributed.destroy_process_group": "None",
    "torch.distributed.gather": "torch.distributed.Work | None",
    "torch.distributed.new_group": "torch.distributed.ProcessGroup",
    "torch.distributed.reduce": "torch.distributed.Work | None",
    "torch.distributed.reduce_scatter": "torch.distributed.Work | None",
    "torch.distributed.scatter": "torch.distributed.Work | None",
    "torch.distributions.Distribution.expand": "Self",
    "torch.jit.load": "torch.jit.ScriptModule",
    "torch.lu": "tuple[Tensor, ...]",
    "torch.nn.functional.sigmoid": "Tensor",
    "torch.nn.functional.softsign": "Tensor",
    "torch.nn.functional.tanh": "Tensor",
    "torch.nn.functional.tanhshrink": "Tensor",
    "torch.nn.functional.upsample": "Tensor",
    "torch.nn.functional.upsample_bilinear": "Tensor",
    "torch.nn.functional.upsample_nearest": "Tensor",
    "torch.nn.utils.skip_init": "torch.nn.Module",
    "torch.norm": "Tensor",
    "torch.set_printoptions": "None",
    "torch.tensordot": "Tensor",
    "torch.unique": _UNIQUE,
    "torch.unique_consecutive": _UNIQUE,
    # Of those that were made without return_indices, as nearly all are.
    **{
        f"torch.nn.{kind}MaxPool{dimensions}d.forward": "Tensor"
        for kind, counts in (("", "123"), ("Adaptive", "123"), ("Fractional", "23"))
        for dimensions in counts
    },
    "torch.nn.Module._get_name": "str",
    "torch.nn.Module.load_state_dict": "torch.nn.modules.module._IncompatibleKeys",
    "torch.nn.Module.named_modules": "Iterator[tuple[str, torch.nn.Module]]",
    "torch.nn.Module.register_load_state_dict_post_hook": _HANDLE,
    "torch.nn.Module.register_load_state_dict_pre_hook": _HANDLE,
    "torch.nn.Module.register_state_dict_post_hook": _HANDLE,
    "torch.nn.Module.register_state_dict_pre_hook": _HANDLE,
}
"""What functions return that are not annotated; a text for each overload where they differ."""

_OTHER: Final = "other: Tensor | int | float | bool | complex"

SIGNATURES: Final[dict[str, str]] = {
    "torch.Size": "(iterable: Iterable[int]=())",
    "torch.Tensor.__ipow__": f"({_OTHER}) -> Self",
    "torch.Tensor.__itruediv__": f"({_OTHER}) -> Self",
}
"""The signatures of what torch is silent about."""

_PRECISION: Final = {"fp32_precision": "str"}

SETTINGS: Final[dict[str, dict[str, str]]] = {
    "torch.backends.cuda.matmul": {
        "allow_bf16_reduced_precision_reduction": "bool",
        "allow_fp16_accumulation": "bool",
        "allow_fp16_reduced_precision_reduction": "bool",
        "allow_tf32": "bool",
        **_PRECISION,
    },
    "torch.backends.cudnn.conv": _PRECISION,
    "torch.backends.cudnn.rnn": _PRECISION,
    "torch.backends.mkldnn.conv": _PRECISION,
    "torch.backends.mkldnn.matmul": _PRECISION,
    "torch.backends.mkldnn.rnn": _PRECISION,
}
"""Attributes that objects of torch.backends make up when they are asked for them."""


def complete(name: str, texts: list[str]) -> list[str]:
    """The signatures of a name with what torch does not tell of them."""
    if not texts and name in SIGNATURES:
        return [SIGNATURES[name]]
    known = RETURNS.get(name)
    if known is None:
        return texts
    results = (known,) * len(texts) if isinstance(known, str) else known
    return [
        text if ") -> " in text else f"{text} -> {result}"
        for text, result in zip(texts, results, strict=True)
    ]
