"""Multiple processes and devices, as far as a single process can test them."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.upstream.facts import load
from workbench.words import words

rules = RuleSet()

_D = "torch.distributed"
_ALONE = "tested in one process only"
_RANKS = "tested with gloo on a CPU, in one process and in two"
rules.row(f"{_D}.is_available", "paddle.distributed.is_available()")
rules.row(f"{_D}.is_initialized", "paddle.distributed.is_initialized()")


for _name in ("get_rank", "get_world_size"):
    rules.row(
        f"{_D}.{_name}",
        f"paddle.distributed.{_name}({{group}})",
        note=_RANKS,
        caveat="before the process group is initialized it answers as for one process; torch raises"
        " an error",
    )
rules.row(
    f"{_D}.init_process_group",
    "torch_init_process_group({backend=None}, init_method={init_method}, world_size={world_size}, "
    "rank={rank})",
    ignored=dict.fromkeys(
        ("timeout", "group_name", "device_id", "pg_options", "_ranks"),
        "Paddle has no such setting",
    ),
    note=_RANKS,
    caveat="start the processes with `python -m paddle.distributed.launch`, which replaces"
    " torchrun",
)
_SYNC = ", sync_op=not {async_op}"
_SENDER = "Paddle cannot receive from any sender: pass the sender's rank"
for _name, _target in (
    ("destroy_process_group", "paddle.distributed.destroy_process_group({group})"),
    ("barrier", "paddle.distributed.barrier({group})"),
    ("monitored_barrier", "paddle.distributed.barrier({group})"),
    ("new_group", "torch_new_group({ranks})"),
    (
        "all_reduce",
        "paddle.distributed.all_reduce({tensor}, op={op}, group={group}" + _SYNC + ")",
    ),
    (
        "broadcast",
        "paddle.distributed.broadcast({tensor}, src={src}, group={group}" + _SYNC + ")",
    ),
    (
        "reduce",
        "paddle.distributed.reduce({tensor}, dst={dst}, op={op}, group={group}" + _SYNC + ")",
    ),
    (
        "scatter",
        "paddle.distributed.scatter({tensor}, {scatter_list=None}, src={src}, group={group}"
        + _SYNC
        + ")",
    ),
    (
        "all_gather",
        "paddle.distributed.all_gather({tensor_list}, {tensor}, group={group}" + _SYNC + ")",
    ),
    ("all_gather_object", "torch_all_gather_object({object_list}, {obj}, group={group})"),
    (
        "broadcast_object_list",
        "paddle.distributed.broadcast_object_list({object_list}, src={src}, group={group})",
    ),
    (
        "scatter_object_list",
        "paddle.distributed.scatter_object_list({scatter_object_output_list}, "
        "{scatter_object_input_list}, src={src}, group={group})",
    ),
    (
        "gather_object",
        "torch_gather_object({obj}, {object_gather_list=None}, dst={dst}, group={group})",
    ),
    (
        "gather",
        "torch_gather_tensors({tensor}, {gather_list=None}, dst={dst}, group={group}, "
        "async_op={async_op})",
    ),
    (
        "reduce_scatter",
        "torch_reduce_scatter({output}, {input_list}, op={op}, group={group}, async_op={async_op})",
    ),
    (
        "reduce_scatter_tensor",
        "torch_reduce_scatter_tensor({output}, {input}, op={op}, "
        "group={group}, async_op={async_op})",
    ),
    (
        "all_gather_into_tensor",
        "torch_all_gather_into({output_tensor}, {input_tensor}, "
        "group={group}, async_op={async_op})",
    ),
    (
        "all_to_all",
        "torch_all_to_all({output_tensor_list}, {input_tensor_list}, group={group}, "
        "async_op={async_op})",
    ),
    (
        "all_to_all_single",
        "torch_all_to_all_single({output}, {input}, group={group}, async_op={async_op})",
    ),
    ("send", "paddle.distributed.send({tensor}, dst={dst}, group={group})"),
    ("recv", "torch_recv({tensor}, {src}, group={group})"),
    ("isend", "paddle.distributed.isend({tensor}, {dst}, group={group})"),
    ("irecv", "paddle.distributed.irecv({tensor}, {src}, group={group})"),
    ("get_backend", "paddle.distributed.get_backend({group}).lower()"),
):
    _ignored = {
        "barrier": ("async_op", "device_ids"),
        "monitored_barrier": ("timeout", "wait_all_ranks"),
        "new_group": ("timeout", "backend", "group_desc"),
        "broadcast_object_list": ("device",),
    }.get(_name, ())
    rules.row(
        f"{_D}.{_name}",
        *dict.fromkeys((_target.replace(_SYNC, ""), _target)),
        ignored=dict.fromkeys(_ignored, "Paddle has no such setting"),
        note=_RANKS,
        caveat=_SENDER if _name == "recv" else None,
    )
for _name, _target in (
    ("get_process_group_ranks", "list(({group} or paddle.distributed.get_group(0)).ranks)"),
    ("get_group_rank", "{group}.get_group_rank({global_rank})"),
    ("get_global_rank", "{group}.ranks[{group_rank}]"),
):
    rules.row(f"{_D}.{_name}", _target, note=_RANKS)
rules.row(f"{_D}.Backend", "{name}.lower()", value="str")
for _name in ("GLOO", "NCCL", "MPI", "UCC", "XCCL", "UNDEFINED"):
    if f"{_D}.Backend.{_name}" in load().names:
        rules.row(f"{_D}.Backend.{_name}", f"'{_name.lower()}'")
rules.refuse(
    f"{_D}.P2POp",
    f"{_D}.batch_isend_irecv",
    reason="with gloo a send in Paddle waits for its receiver, so a batch of sends and receives"
    " hangs",
    instead="torch.distributed.send and recv, in an order in which each send has a waiting"
    " receiver",
)
rules.row(f"{_D}.ReduceOp", "paddle.distributed.ReduceOp", value="paddle.distributed.ReduceOp")
for _name in ("send", "recv"):
    _at = "dst" if _name == "send" else "src"
    rules.row(
        f"{_D}.{_name}_object_list",
        f"paddle.distributed.{_name}_object_list({{object_list}}, {{{_at}}}, group={{group}})",
        note=_RANKS,
    )
rules.row(f"{_D}.is_torchelastic_launched", "False", note="Paddle has another launcher")
rules.row(
    f"{_D}.is_backend_available",
    "({backend}.lower() in ('gloo', 'nccl' if paddle.device.is_compiled_with_cuda() else 'gloo'))",
)
rules.row(f"{_D}.group.WORLD", "paddle.distributed.get_group(0)", note=_RANKS)
_OPS = {"SUM": "SUM", "PRODUCT": "PROD", "MIN": "MIN", "MAX": "MAX", "AVG": "AVG"}
for _name, _target in _OPS.items():
    rules.row(f"{_D}.ReduceOp.{_name}", f"paddle.distributed.ReduceOp.{_target}")
rules.row(
    "torch.nn.parallel.DistributedDataParallel",
    "TorchDistributedDataParallel({module}, find_unused_parameters={find_unused_parameters=False})",
    value="TorchDistributedDataParallel",
    ignored=dict.fromkeys(
        words(
            "device_ids output_device broadcast_buffers bucket_cap_mb gradient_as_bucket_view "
            "static_graph init_sync dim"
        ),
        "Paddle has no such setting",
    ),
    note=_ALONE,
)
rules.row("torch.nn.parallel.DistributedDataParallel.module", "{self}.module")
for _name, _answer in (
    ("is_nccl_available", "paddle.device.is_compiled_with_cuda()"),
    ("is_gloo_available", "True"),
    ("is_mpi_available", "False"),
    ("is_ucc_available", "False"),
):
    rules.row(f"{_D}.{_name}", _answer)
