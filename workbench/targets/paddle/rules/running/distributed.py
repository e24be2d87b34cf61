"""Several processes and devices, as far as one process shows what is right."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.upstream.facts import load

rules = RuleSet()

_D = "torch.distributed"
_ALONE = "run here in one process alone"
_RANKS = "run here over gloo on a CPU, with one process and with two"
rules.row(
    f"{_D}.is_available",
    "paddle.distributed.is_available()",
    cases=["torch.distributed.is_available()"],
)
rules.row(
    f"{_D}.is_initialized",
    "paddle.distributed.is_initialized()",
    cases=[
        "torch.distributed.is_initialized()",
        "r = False and torch.distributed.is_initialized()",
    ],
)
_ONE = (
    "import tempfile\nimport torch.distributed as dist\n"
    "dist.init_process_group('gloo', init_method=f'file://{tempfile.mktemp()}', rank=0, "
    "world_size=1)\n"
)


def _alone(code: str) -> str:
    """A case in a group of one process."""
    return f"{_ONE}{code}\ndist.destroy_process_group()"


for _name in ("get_rank", "get_world_size"):
    rules.row(
        f"{_D}.{_name}",
        f"paddle.distributed.{_name}({{group}})",
        note=_RANKS,
        caveat="before the processes are started it answers for one process, where torch raises",
        cases=[_alone(f"r = dist.{_name}()")],
    )
rules.row(
    f"{_D}.init_process_group",
    "torch_init_process_group({backend=None}, init_method={init_method}, world_size={world_size}, "
    "rank={rank})",
    ignored=dict.fromkeys(
        ("timeout", "group_name", "device_id", "pg_options", "_ranks"),
        "Paddle decides this by itself",
    ),
    note=_RANKS,
    caveat="`python -m paddle.distributed.launch` starts processes in place of torchrun",
    cases=[
        _alone("r = dist.is_initialized(), dist.get_rank(), dist.get_world_size()"),
        "if False:\n    torch.distributed.init_process_group(backend='gloo')\nr = 1",
        "if False:\n    torch.distributed.init_process_group('nccl', world_size=2, rank=1)\nr = 1",
        f"{_ONE}dist.destroy_process_group()\nr = dist.is_initialized()",
        _alone("t = x.clone()\nfor k in range(2):\n    dist.all_reduce(t)"),
    ],
)
_SYNC = "sync_op=not {async_op=False}"
_SENDER = "Paddle cannot receive from whoever sends first: it needs the sender"
for _name, _target, *_cases in (
    ("destroy_process_group", "paddle.distributed.destroy_process_group({group})", "r = 1"),
    ("barrier", "paddle.distributed.barrier({group})", "dist.barrier()"),
    ("monitored_barrier", "paddle.distributed.barrier({group})", "dist.monitored_barrier()"),
    (
        "new_group",
        "torch_new_group({ranks})",
        "g = dist.new_group([0])\nt = x.clone()\ndist.all_reduce(t, group=g)\ndel g",
    ),
    (
        "all_reduce",
        "paddle.distributed.all_reduce({tensor}, op={op}, group={group}, " + _SYNC + ")",
        "t = x.clone()\ndist.all_reduce(t, op=dist.ReduceOp.MAX)",
        "t = i.clone()\nh = dist.all_reduce(t, async_op=True)\nh.wait()\ndel h",
    ),
    (
        "broadcast",
        "paddle.distributed.broadcast({tensor}, src={src}, group={group}, " + _SYNC + ")",
        "t = x.clone()\ndist.broadcast(t, src=0)",
    ),
    (
        "reduce",
        "paddle.distributed.reduce({tensor}, dst={dst}, op={op}, group={group}, " + _SYNC + ")",
        "t = x.clone()\ndist.reduce(t, dst=0)",
    ),
    (
        "scatter",
        "paddle.distributed.scatter({tensor}, {scatter_list=None}, src={src}, group={group}, "
        + _SYNC
        + ")",
        "t = x.clone()\ndist.scatter(t, [y], src=0)",
    ),
    (
        "all_gather",
        "paddle.distributed.all_gather({tensor_list}, {tensor}, group={group}, " + _SYNC + ")",
        "t = [torch.zeros(3, 4)]\nk = t[0]\ndist.all_gather(t, x)",
    ),
    (
        "all_gather_object",
        "torch_all_gather_object({object_list}, {obj}, group={group})",
        "t = [None]\ndist.all_gather_object(t, {'a': 1})",
    ),
    (
        "broadcast_object_list",
        "paddle.distributed.broadcast_object_list({object_list}, src={src}, group={group})",
        "t = [{'a': 2}]\ndist.broadcast_object_list(t, src=0)",
    ),
    (
        "scatter_object_list",
        "paddle.distributed.scatter_object_list({scatter_object_output_list}, "
        "{scatter_object_input_list}, src={src}, group={group})",
        "t = [None]\ndist.scatter_object_list(t, ['a'], src=0)",
    ),
    (
        "gather_object",
        "torch_gather_object({obj}, {object_gather_list=None}, dst={dst}, group={group})",
        "t = [None]\ndist.gather_object('a', t, dst=0)",
    ),
    (
        "gather",
        "torch_gather_tensors({tensor}, {gather_list=None}, dst={dst}, group={group}, "
        "async_op={async_op})",
        "t = [torch.zeros(3, 4)]\ndist.gather(x, t, dst=0)",
    ),
    (
        "reduce_scatter",
        "torch_reduce_scatter({output}, {input_list}, op={op}, group={group}, async_op={async_op})",
        "t = torch.zeros(3, 4)\ndist.reduce_scatter(t, [x])",
    ),
    (
        "reduce_scatter_tensor",
        "torch_reduce_scatter_tensor({output}, {input}, op={op}, "
        "group={group}, async_op={async_op})",
        "t = torch.zeros(3, 4)\ndist.reduce_scatter_tensor(t, x)",
    ),
    (
        "all_gather_into_tensor",
        "torch_all_gather_into({output_tensor}, {input_tensor}, "
        "group={group}, async_op={async_op})",
        "t = torch.zeros(3, 4)\ndist.all_gather_into_tensor(t, x)",
        "t = torch.zeros(3, 4)\nh = dist.all_gather_into_tensor(t, x, async_op=True)\n"
        "h.wait()\ndel h",
    ),
    (
        "all_to_all",
        "torch_all_to_all({output_tensor_list}, {input_tensor_list}, group={group}, "
        "async_op={async_op})",
        "t = [torch.zeros(3, 4)]\nif False:\n    dist.all_to_all(t, [x])",
    ),
    (
        "all_to_all_single",
        "torch_all_to_all_single({output}, {input}, group={group}, async_op={async_op})",
        "t = torch.zeros(3, 4)\ndist.all_to_all_single(t, x)",
    ),
    (
        "send",
        "paddle.distributed.send({tensor}, dst={dst}, group={group})",
        "if dist.get_world_size() > 1:\n    dist.send(x, dst=1)",
    ),
    (
        "recv",
        "torch_recv({tensor}, {src}, group={group})",
        "if dist.get_world_size() > 1:\n    dist.recv(x, src=1)",
    ),
    (
        "isend",
        "paddle.distributed.isend({tensor}, {dst}, group={group})",
        "if dist.get_world_size() > 1:\n    dist.isend(x, 1).wait()",
    ),
    (
        "irecv",
        "paddle.distributed.irecv({tensor}, {src}, group={group})",
        "if dist.get_world_size() > 1:\n    dist.irecv(x, src=1).wait()",
    ),
    ("get_backend", "paddle.distributed.get_backend({group}).lower()", "r = dist.get_backend()"),
):
    _ignored = {
        "barrier": ("async_op", "device_ids"),
        "monitored_barrier": ("timeout", "wait_all_ranks"),
        "new_group": ("timeout", "backend", "group_desc"),
        "broadcast_object_list": ("device",),
    }.get(_name, ())
    rules.row(
        f"{_D}.{_name}",
        _target,
        ignored=dict.fromkeys(_ignored, "Paddle decides this by itself"),
        note=_RANKS,
        caveat=_SENDER if _name == "recv" else None,
        cases=[_alone(case) for case in _cases],
    )
_IN_GROUP = "g = dist.new_group([0])\n"
for _name, _target, _case in (
    (
        "get_process_group_ranks",
        "list(({group} or paddle.distributed.get_group(0)).ranks)",
        f"{_IN_GROUP}r = dist.get_process_group_ranks(g)\ndel g",
    ),
    (
        "get_group_rank",
        "{group}.get_group_rank({global_rank})",
        f"{_IN_GROUP}r = dist.get_group_rank(g, 0)\ndel g",
    ),
    (
        "get_global_rank",
        "{group}.ranks[{group_rank}]",
        f"{_IN_GROUP}r = dist.get_global_rank(g, 0)\ndel g",
    ),
):
    rules.row(f"{_D}.{_name}", _target, note=_RANKS, cases=[_alone(_case)])
rules.row(
    f"{_D}.Backend",
    "{name}.lower()",
    value="str",
    signature="(name)",
    cases=[
        "torch.distributed.Backend('GLOO')",
        "torch.distributed.Backend('nccl') == 'nccl'",
    ],
)
for _name in ("GLOO", "NCCL", "MPI", "UCC", "XCCL", "UNDEFINED"):
    if f"{_D}.Backend.{_name}" in load().names:
        rules.row(
            f"{_D}.Backend.{_name}",
            f"'{_name.lower()}'",
            cases=[f"torch.distributed.Backend.{_name}"],
        )
rules.refuse(
    f"{_D}.P2POp",
    f"{_D}.batch_isend_irecv",
    reason="over gloo Paddle's sends wait for their receivers, so a batch of both hangs",
    instead="torch.distributed.send and recv, in an order in which each send meets its receiver",
)
rules.row(
    f"{_D}.ReduceOp",
    "paddle.distributed.ReduceOp",
    value="paddle.distributed.ReduceOp",
    signature="()",
    cases=["op = torch.distributed.ReduceOp\nr = op.SUM == op.SUM, op.MAX == op.MIN\ndel op"],
)
for _name in ("send", "recv"):
    _at = "dst" if _name == "send" else "src"
    rules.row(
        f"{_D}.{_name}_object_list",
        f"paddle.distributed.{_name}_object_list({{object_list}}, {{{_at}}}, group={{group}})",
        note=_RANKS,
        cases=[
            _alone(f"if dist.get_world_size() > 1:\n    dist.{_name}_object_list([1], {_at}=1)")
        ],
    )
rules.row(
    f"{_D}.is_torchelastic_launched",
    "False",
    note="Paddle's launcher is another",
    cases=["torch.distributed.is_torchelastic_launched()"],
)
rules.row(
    f"{_D}.is_backend_available",
    "({backend}.lower() in ('gloo', 'nccl' if paddle.device.is_compiled_with_cuda() else 'gloo'))",
    cases=[
        "torch.distributed.is_backend_available('gloo')",
        "torch.distributed.is_backend_available(backend='NCCL')",
        "torch.distributed.is_backend_available('mine')",
    ],
)
rules.row(
    f"{_D}.group.WORLD",
    "paddle.distributed.get_group(0)",
    note=_RANKS,
    cases=[_alone("t = x.clone()\ndist.all_reduce(t, group=dist.group.WORLD)")],
)
_OPS = {"SUM": "SUM", "PRODUCT": "PROD", "MIN": "MIN", "MAX": "MAX", "AVG": "AVG"}
for _name, _target in _OPS.items():
    rules.row(
        f"{_D}.ReduceOp.{_name}",
        f"paddle.distributed.ReduceOp.{_target}",
        cases=[f"op = torch.distributed.ReduceOp.{_name}\nr = 1"],
    )

_MODEL = "l = nn.Linear(4, 2)\nnn.init.ones_(l.weight)\nnn.init.ones_(l.bias)\n"
rules.row(
    "torch.nn.parallel.DistributedDataParallel",
    "TorchDistributedDataParallel({module}, find_unused_parameters={find_unused_parameters=False})",
    value="TorchDistributedDataParallel",
    ignored=dict.fromkeys(
        (
            "device_ids",
            "output_device",
            "broadcast_buffers",
            "bucket_cap_mb",
            "gradient_as_bucket_view",
            "static_graph",
            "init_sync",
            "dim",
        ),
        "Paddle decides this by itself",
    ),
    note=_ALONE,
    cases=[
        f"{_MODEL}m = l\nif False:\n    "
        "m = nn.parallel.DistributedDataParallel(l, device_ids=[0])\n"
        "r = m(x)"
    ],
)
for _name, _answer in (
    ("is_nccl_available", "paddle.device.is_compiled_with_cuda()"),
    ("is_gloo_available", "True"),
    ("is_mpi_available", "False"),
    ("is_ucc_available", "False"),
):
    rules.row(f"{_D}.{_name}", _answer, cases=[f"torch.distributed.{_name}()"])
