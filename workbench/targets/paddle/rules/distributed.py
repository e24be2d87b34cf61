"""Several processes and devices, as far as one process shows what is right."""

from __future__ import annotations

from workbench.rules.rule import RuleSet

rules = RuleSet()

_D = "torch.distributed"
_ALONE = "run here in one process alone"
rules.row(f"{_D}.is_available", "paddle.distributed.is_available()",
          cases=["torch.distributed.is_available()"])  # fmt: skip
rules.row(f"{_D}.is_initialized", "paddle.distributed.is_initialized()",
          cases=["torch.distributed.is_initialized()",
                 "r = False and torch.distributed.is_initialized()"])  # fmt: skip
_WITHIN = "if torch.distributed.is_initialized():\n    r = torch.distributed.{}\nelse:\n    r = 0"
for _name in ("get_rank", "get_world_size"):
    rules.row(
        f"{_D}.{_name}",
        f"paddle.distributed.{_name}({{group}})",
        note=_ALONE,
        caveat="before the processes are started it answers for one process, where torch raises",
        cases=[_WITHIN.format(f"{_name}()")],
    )
_START = "processes are started by `python -m paddle.distributed.launch`"
rules.row(
    f"{_D}.init_process_group",
    "paddle.distributed.init_parallel_env()",
    ignored=dict.fromkeys(
        ("backend", "init_method", "timeout", "world_size", "rank", "group_name", "device_id",
         "pg_options", "store", "_ranks"),
        "Paddle reads it from the environment",
    ),
    note=_ALONE,
    caveat=_START,
    cases=["if False:\n    torch.distributed.init_process_group('nccl')\nr = 1",
           "if False:\n    torch.distributed.init_process_group("
           "backend='gloo', rank=0, world_size=1)\n"
           "r = 1"],
)  # fmt: skip
for _name, _target, _cases in (
    ("destroy_process_group", "destroy_process_group({group})", "destroy_process_group()"),
    ("barrier", "barrier({group})", "barrier()"),
    ("new_group", "new_group({ranks})", "new_group([0])"),
    ("all_reduce", "all_reduce({tensor}, op={op}, group={group}, sync_op=not {async_op=False})",
     "all_reduce(x)"),
    ("broadcast", "broadcast({tensor}, src={src}, group={group}, sync_op=not {async_op=False})",
     "broadcast(x, src=0)"),
    ("reduce", "reduce({tensor}, dst={dst}, op={op}, group={group}, sync_op=not {async_op=False})",
     "reduce(x, dst=0)"),
    ("all_gather",
     "all_gather({tensor_list}, {tensor}, group={group}, sync_op=not {async_op=False})",
     "all_gather([x], x)"),
    ("all_gather_object", "all_gather_object({object_list}, {obj}, group={group})",
     "all_gather_object([None], 1)"),
    ("broadcast_object_list", "broadcast_object_list({object_list}, src={src}, group={group})",
     "broadcast_object_list([1], src=0)"),
    ("get_backend", "get_backend({group})", "get_backend()"),
):  # fmt: skip
    _ignored = {
        "barrier": ("async_op", "device_ids"),
        "new_group": ("timeout", "backend", "group_desc"),
        "broadcast_object_list": ("device",),
    }.get(_name, ())
    rules.row(
        f"{_D}.{_name}",
        f"paddle.distributed.{_target}",
        ignored=dict.fromkeys(_ignored, "Paddle decides this by itself"),
        note=_ALONE,
        cases=[_WITHIN.format(_cases)],
    )
_OPS = {"SUM": "SUM", "PRODUCT": "PROD", "MIN": "MIN", "MAX": "MAX", "AVG": "AVG"}
for _name, _target in _OPS.items():
    rules.row(f"{_D}.ReduceOp.{_name}", f"paddle.distributed.ReduceOp.{_target}",
              cases=[f"op = torch.distributed.ReduceOp.{_name}\nr = 1"])  # fmt: skip

_MODEL = "l = nn.Linear(4, 2)\nnn.init.ones_(l.weight)\nnn.init.ones_(l.bias)\n"
rules.row(
    "torch.nn.parallel.DistributedDataParallel",
    "TorchDistributedDataParallel({module}, find_unused_parameters={find_unused_parameters=False})",
    value="TorchDistributedDataParallel",
    ignored=dict.fromkeys(
        ("device_ids", "output_device", "broadcast_buffers", "bucket_cap_mb",
         "gradient_as_bucket_view", "static_graph", "init_sync", "dim"),
        "Paddle decides this by itself",
    ),
    note=_ALONE,
    cases=[f"{_MODEL}m = l\nif False:\n    "
           "m = nn.parallel.DistributedDataParallel(l, device_ids=[0])\n"
           "r = m(x)"],
)  # fmt: skip
for _name, _answer in (
    ("is_nccl_available", "paddle.device.is_compiled_with_cuda()"),
    ("is_gloo_available", "True"),
    ("is_mpi_available", "False"),
    ("is_ucc_available", "False"),
):
    rules.row(f"{_D}.{_name}", _answer, cases=[f"torch.distributed.{_name}()"])
