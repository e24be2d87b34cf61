"""Multiple processes and devices, as far as a single process can test them."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

_IN_GROUP = "g = dist.new_group([0])\n"
_ONE = (
    "import tempfile\nimport torch.distributed as dist\n"
    "dist.init_process_group('gloo', "
    "init_method=f'file://{tempfile.mktemp()}', rank=0, world_size=1)\n"
)

CASES: dict[str, tuple[str, ...]] = {
    **alike(
        "torch.distributed",
        "is_available is_torchelastic_launched is_nccl_available is_gloo_available "
        "is_mpi_available is_ucc_available",
        "torch.distributed.{name}()",
    ),
    "torch.distributed.is_initialized": (
        "torch.distributed.is_initialized()",
        "r = False and torch.distributed.is_initialized()",
    ),
    **alike(
        "torch.distributed",
        "get_rank get_world_size get_backend",
        (_ONE + "r = dist.{name}()\ndist.destroy_process_group()"),
    ),
    "torch.distributed.init_process_group": (
        (
            _ONE + "r = dist.is_initialized(), dist.get_rank(), dist.get_world_size()\n"
            "dist.destroy_process_group()"
        ),
        "if False:\n    torch.distributed.init_process_group(backend='gloo')\nr = 1",
        (
            "if False:\n"
            "    torch.distributed.init_process_group('nccl', world_size=2, rank=1)\nr = 1"
        ),
        (_ONE + "dist.destroy_process_group()\nr = dist.is_initialized()"),
        (
            _ONE + "t = x.clone()\nfor k in range(2):\n    dist.all_reduce(t)\n"
            "dist.destroy_process_group()"
        ),
    ),
    "torch.distributed.destroy_process_group": ((_ONE + "r = 1\ndist.destroy_process_group()"),),
    **alike(
        "torch.distributed",
        "barrier monitored_barrier",
        (_ONE + "dist.{name}()\ndist.destroy_process_group()"),
    ),
    "torch.distributed.new_group": (
        (
            _ONE
            + _IN_GROUP
            + "t = x.clone()\ndist.all_reduce(t, group=g)\ndel g\ndist.destroy_process_group()"
        ),
    ),
    "torch.distributed.all_reduce": (
        (
            _ONE + "t = x.clone()\ndist.all_reduce(t, op=dist.ReduceOp.MAX)\n"
            "dist.destroy_process_group()"
        ),
        (
            _ONE + "t = i.clone()\nh = dist.all_reduce(t, async_op=True)\nh.wait()\ndel h\n"
            "dist.destroy_process_group()"
        ),
    ),
    "torch.distributed.broadcast": (
        (_ONE + "t = x.clone()\ndist.broadcast(t, src=0)\ndist.destroy_process_group()"),
    ),
    "torch.distributed.reduce": (
        (_ONE + "t = x.clone()\ndist.reduce(t, dst=0)\ndist.destroy_process_group()"),
    ),
    "torch.distributed.scatter": (
        (_ONE + "t = x.clone()\ndist.scatter(t, [y], src=0)\ndist.destroy_process_group()"),
    ),
    "torch.distributed.all_gather": (
        (
            _ONE + "t = [torch.zeros(3, 4)]\nk = t[0]\ndist.all_gather(t, x)\n"
            "dist.destroy_process_group()"
        ),
    ),
    "torch.distributed.all_gather_object": (
        (_ONE + "t = [None]\ndist.all_gather_object(t, {'a': 1})\ndist.destroy_process_group()"),
    ),
    "torch.distributed.broadcast_object_list": (
        (
            _ONE
            + "t = [{'a': 2}]\ndist.broadcast_object_list(t, src=0)\ndist.destroy_process_group()"
        ),
    ),
    "torch.distributed.scatter_object_list": (
        (
            _ONE + "t = [None]\ndist.scatter_object_list(t, ['a'], src=0)\n"
            "dist.destroy_process_group()"
        ),
    ),
    "torch.distributed.gather_object": (
        (_ONE + "t = [None]\ndist.gather_object('a', t, dst=0)\ndist.destroy_process_group()"),
    ),
    "torch.distributed.gather": (
        (_ONE + "t = [torch.zeros(3, 4)]\ndist.gather(x, t, dst=0)\ndist.destroy_process_group()"),
    ),
    "torch.distributed.reduce_scatter": (
        (_ONE + "t = torch.zeros(3, 4)\ndist.reduce_scatter(t, [x])\ndist.destroy_process_group()"),
    ),
    **alike(
        "torch.distributed",
        "reduce_scatter_tensor all_to_all_single",
        (_ONE + "t = torch.zeros(3, 4)\ndist.{name}(t, x)\ndist.destroy_process_group()"),
    ),
    "torch.distributed.all_gather_into_tensor": (
        (
            _ONE + "t = torch.zeros(3, 4)\ndist.all_gather_into_tensor(t, x)\n"
            "dist.destroy_process_group()"
        ),
        (
            _ONE + "t = torch.zeros(3, 4)\nh = dist.all_gather_into_tensor(t, x, async_op=True)\n"
            "h.wait()\ndel h\ndist.destroy_process_group()"
        ),
    ),
    "torch.distributed.all_to_all": (
        (
            _ONE + "t = [torch.zeros(3, 4)]\nif False:\n    dist.all_to_all(t, [x])\n"
            "dist.destroy_process_group()"
        ),
    ),
    "torch.distributed.send": (
        (
            _ONE + "if dist.get_world_size() > 1:\n    dist.send(x, dst=1)\n"
            "dist.destroy_process_group()"
        ),
    ),
    "torch.distributed.recv": (
        (
            _ONE + "if dist.get_world_size() > 1:\n    dist.recv(x, src=1)\n"
            "dist.destroy_process_group()"
        ),
    ),
    "torch.distributed.isend": (
        (
            _ONE + "if dist.get_world_size() > 1:\n    dist.isend(x, 1).wait()\n"
            "dist.destroy_process_group()"
        ),
    ),
    "torch.distributed.irecv": (
        (
            _ONE + "if dist.get_world_size() > 1:\n    dist.irecv(x, src=1).wait()\n"
            "dist.destroy_process_group()"
        ),
    ),
    "torch.distributed.get_process_group_ranks": (
        (
            _ONE
            + _IN_GROUP
            + "r = dist.get_process_group_ranks(g)\ndel g\ndist.destroy_process_group()"
        ),
    ),
    **alike(
        "torch.distributed",
        "get_group_rank get_global_rank",
        (_ONE + _IN_GROUP + "r = dist.{name}(g, 0)\ndel g\ndist.destroy_process_group()"),
    ),
    "torch.distributed.Backend": (
        "torch.distributed.Backend('GLOO')",
        "torch.distributed.Backend('nccl') == 'nccl'",
    ),
    **alike(
        "torch.distributed.Backend",
        "GLOO NCCL MPI UCC XCCL UNDEFINED",
        "torch.distributed.Backend.{name}",
    ),
    "torch.distributed.ReduceOp": (
        "op = torch.distributed.ReduceOp\nr = op.SUM == op.SUM, op.MAX == op.MIN\ndel op",
    ),
    "torch.distributed.send_object_list": (
        (
            _ONE + "if dist.get_world_size() > 1:\n    dist.send_object_list([1], dst=1)\n"
            "dist.destroy_process_group()"
        ),
    ),
    "torch.distributed.recv_object_list": (
        (
            _ONE + "if dist.get_world_size() > 1:\n    dist.recv_object_list([1], src=1)\n"
            "dist.destroy_process_group()"
        ),
    ),
    "torch.distributed.is_backend_available": (
        "torch.distributed.is_backend_available('gloo')",
        "torch.distributed.is_backend_available(backend='NCCL')",
        "torch.distributed.is_backend_available('mine')",
    ),
    "torch.distributed.group.WORLD": (
        (
            _ONE + "t = x.clone()\ndist.all_reduce(t, group=dist.group.WORLD)\n"
            "dist.destroy_process_group()"
        ),
    ),
    **alike(
        "torch.distributed.ReduceOp",
        "SUM PRODUCT MIN MAX AVG",
        "op = torch.distributed.ReduceOp.{name}\nr = 1",
    ),
    "torch.nn.parallel.DistributedDataParallel": (
        (
            "l = nn.Linear(4, 2)\nnn.init.ones_(l.weight)\nnn.init.ones_(l.bias)\nm = l\n"
            "if False:\n    m = nn.parallel.DistributedDataParallel(l, device_ids=[0])\n"
            "r = m(x)"
        ),
    ),
    "torch.nn.parallel.DistributedDataParallel.module": (
        (
            "def unwrapped(m, wraps):\n    if wraps:\n"
            "        m = nn.parallel.DistributedDataParallel(m, device_ids=[0])\n"
            "        m = m.module\n    return m\n"
            "r = unwrapped(nn.Identity(), False)(x)"
        ),
    ),
}
