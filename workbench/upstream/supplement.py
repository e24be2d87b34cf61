"""Additions to the facts that torch's source lacks or has where no reader looks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from workbench.upstream.facts import EntryKind

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
    # Results of layers without return_indices, which nearly all are.
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
"""The results of unannotated functions, with a text for each overload if they differ."""

_OTHER: Final = "other: Tensor | int | float | bool | complex"

SIGNATURES: Final[dict[str, str]] = {
    "torch.Size": "(iterable: Iterable[int]=())",
    "torch.Tensor.__ipow__": f"({_OTHER}) -> Self",
    "torch.Tensor.__itruediv__": f"({_OTHER}) -> Self",
}
"""The signatures of names for which torch has none."""

# torch.multiprocessing adopts the functions of Python's module, where no reader sees them.
_PROCESSES: Final = {
    "Array": "(typecode_or_type, size_or_initializer, *, lock=True)",
    "AuthenticationError": "(*args)",
    "Barrier": "(parties, action=None, timeout=None)",
    "BoundedSemaphore": "(value=1)",
    "BufferTooShort": "(*args)",
    "Condition": "(lock=None)",
    "Event": "()",
    "JoinableQueue": "(maxsize=0)",
    "Lock": "()",
    "Manager": "()",
    "Pipe": "(duplex=True)",
    "Pool": "(processes=None, initializer=None, initargs=(), maxtasksperchild=None)",
    "Process": "(group=None, target=None, name=None, args=(), kwargs={}, *, daemon=None)",
    "ProcessError": "(*args)",
    "Queue": "(maxsize=0)",
    "RLock": "()",
    "RawArray": "(typecode_or_type, size_or_initializer)",
    "RawValue": "(typecode_or_type, *args)",
    "Semaphore": "(value=1)",
    "SimpleQueue": "()",
    "TimeoutError": "(*args)",
    "Value": "(typecode_or_type, *args, lock=True)",
    "active_children": "()",
    "cpu_count": "() -> int",
    "current_process": "()",
    "freeze_support": "()",
    "get_all_start_methods": "()",
    "get_context": "(method=None)",
    "get_logger": "()",
    "get_start_method": "(allow_none=False)",
    "log_to_stderr": "(level=None)",
    "parent_process": "()",
    "set_executable": "(executable)",
    "set_forkserver_preload": "(module_names)",
    "set_start_method": "(method, force=False)",
}
_CUDNN_FLAGS: Final = (
    "enabled=False, benchmark=False, benchmark_limit=10, deterministic=False, allow_tf32=True, "
    "fp32_precision='none', depthwise_kernel='auto'"
)
_MKLDNN_FLAGS: Final = "enabled=False, deterministic=False, allow_tf32=True, fp32_precision='none'"

# Names for annotations of scripted modules, from before Python's own names were supported.
_TYPING: Final = ("Any", "Dict", "List", "Optional", "Tuple", "Union")


def _one_or(kind: str, several: str) -> str:
    """Return the type of one value or a tuple: `int | tuple[int, int]` for `int` and `int, int`."""
    return f"{kind} | tuple[{several}]"


COMMON_TYPES: Final[dict[str, str]] = {
    **{
        f"torch.nn.common_types._size_{count}_t": _one_or("int", ", ".join(["int"] * count))
        for count in range(1, 7)
    },
    **{
        f"torch.nn.common_types._size_{count}_opt_t": _one_or(
            "int | None", ", ".join(["int | None"] * count)
        )
        for count in (2, 3)
    },
    **{
        f"torch.nn.common_types._ratio_{count}_t": _one_or("float", ", ".join(["float"] * count))
        for count in (2, 3)
    },
    "torch.nn.common_types._size_any_t": _one_or("int", "int, ..."),
    "torch.nn.common_types._size_any_opt_t": _one_or("int | None", "int | None, ..."),
    "torch.nn.common_types._ratio_any_t": _one_or("float", "float, ..."),
}
"""Types of layers' arguments, which programs import for their annotations, in Python's terms."""

HIDDEN: Final[dict[str, tuple[EntryKind, str]]] = {
    **{f"torch.multiprocessing.{name}": ("function", text) for name, text in _PROCESSES.items()},
    "torch.Tensor._backward_hooks": ("attribute", ""),
    "torch.Tensor._base": ("attribute", "() -> Tensor"),
    "torch.Tensor._grad": ("attribute", "() -> Tensor"),
    "torch.Tensor._grad_fn": ("attribute", ""),
    "torch.Tensor._indices": ("method", "() -> Tensor"),
    "torch.Tensor._is_view": ("method", "() -> bool"),
    "torch.Tensor._make_subclass": (
        "method",
        "(cls, data: Tensor, require_grad: bool=False) -> Tensor",
    ),
    "torch.Tensor._nnz": ("method", "() -> int"),
    "torch.Tensor._values": ("method", "() -> Tensor"),
    "torch.Tensor._version": ("attribute", "() -> int"),
    "torch.backends.cudnn.flags": ("function", f"({_CUDNN_FLAGS})"),
    "torch.backends.cudnn.is_acceptable": ("function", "(tensor: Tensor) -> bool"),
    "torch.backends.cudnn.is_available": ("function", "() -> bool"),
    "torch.backends.cudnn.set_flags": (
        "function",
        "(_enabled=None, _benchmark=None, _benchmark_limit=None, _deterministic=None, "
        "_allow_tf32=None, _fp32_precision='none', _depthwise_kernel=None)",
    ),
    "torch.backends.cudnn.version": ("function", "() -> int | None"),
    "torch.backends.mkldnn.flags": ("function", f"({_MKLDNN_FLAGS})"),
    "torch.backends.opt_einsum.enabled": ("attribute", "() -> bool"),
    "torch.backends.opt_einsum.is_available": ("function", "() -> bool"),
    "torch.backends.opt_einsum.strategy": ("attribute", "() -> str"),
    # Private, but called by mixtures of experts; a public name was added later.
    "torch._grouped_mm": (
        "function",
        "(self: Tensor, mat2: Tensor, offs: Tensor | None=None, bias: Tensor | None=None, "
        "out_dtype: torch.dtype | None=None) -> Tensor",
    ),
    "torch.jit.Final": ("constant", ""),
    # Private, but imported by optimizers that are written after torch's own.
    "torch.optim.optimizer._default_to_fused_or_foreach": (
        "function",
        "(params, differentiable: bool, use_fused: bool=False) -> tuple[bool, bool]",
    ),
    "torch.optim.optimizer._get_value": ("function", "(x)"),
    "torch.optim.optimizer._use_grad_for_differentiable": ("function", "(func)"),
    "torch.utils._foreach_utils._group_tensors_by_device_and_dtype": (
        "function",
        "(tensorlistlist, with_indices: bool=False)",
    ),
    **{f"torch.jit.annotations.{name}": ("constant", "") for name in _TYPING},
    **dict.fromkeys(COMMON_TYPES, ("constant", "")),
    "torch.distributed.group.WORLD": ("attribute", "() -> torch.distributed.ProcessGroup"),
    "torch.utils.dlpack.to_dlpack": ("function", "(data: Tensor) -> Any"),
}
"""Undeclared names in objects that replace a module, and in modules that adopt another."""

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
"""Attributes that objects of torch.backends compute on access."""


def complete(name: str, texts: list[str]) -> list[str]:
    """Return the signatures of a name, with the additions for it."""
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
