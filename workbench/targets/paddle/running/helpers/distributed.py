"""Processes that work together, as `torch.distributed` has them, on top of Paddle's."""

from __future__ import annotations

import os
import socket
from typing import Any
from urllib.parse import parse_qs, urlsplit

import paddle


def torch_init_process_group(
    backend: Any = None, init_method: Any = None, world_size: int = -1, rank: int = -1
) -> None:
    """`init_process_group`: Paddle's launcher tells each process its part, or else torch's ways do.

    These are arguments, the address, and the variables that torchrun sets.
    """
    env = os.environ
    if "PADDLE_TRAINERS_NUM" not in env:
        address = urlsplit(init_method or "env://")
        told = {name: int(values[0]) for name, values in parse_qs(address.query).items()}
        rank = rank if rank >= 0 else told.get("rank", int(env.get("RANK", "0")))
        if world_size < 0:
            world_size = told.get("world_size", int(env.get("WORLD_SIZE", "1")))
        if world_size == 1:
            torch_lone_process_group()
            return
        if address.scheme not in ("env", "tcp"):
            raise ValueError(f"Paddle's processes meet at an address, not by {init_method!r}")
        host = address.hostname or env.get("MASTER_ADDR", "127.0.0.1")
        port = address.port or int(env.get("MASTER_PORT", "29500"))
        ends = [f"{host}:{port + 1 + number}" for number in range(world_size)]
        env.update(
            PADDLE_TRAINER_ID=str(rank),
            PADDLE_RANK_IN_NODE=env.get("LOCAL_RANK", str(rank)),
            PADDLE_TRAINERS_NUM=str(world_size),
            PADDLE_TRAINER_ENDPOINTS=",".join(ends),
            PADDLE_CURRENT_ENDPOINT=ends[rank],
            PADDLE_MASTER=f"{host}:{port}",
        )
    on_gpu = paddle.device.is_compiled_with_cuda()
    if not on_gpu or str(backend or "").lower() == "gloo":
        env.setdefault("PADDLE_DISTRI_BACKEND", "gloo")
    if int(env["PADDLE_TRAINERS_NUM"]) == 1:
        torch_lone_process_group()
    else:
        paddle.distributed.init_parallel_env()


def torch_lone_process_group() -> None:
    """A group of this process alone, which Paddle's own initialization does not make."""
    collective = paddle.distributed.collective

    class Alone(collective.Group):  # type: ignore[name-defined,misc]
        def is_member(self) -> bool:
            return True

    os.environ.setdefault("PADDLE_TRAINER_ID", "0")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    store = paddle.base.core.TCPStore("127.0.0.1", port, True, 1, 30)
    name = collective._default_group_name
    collective._set_default_backend("gloo")
    collective._set_default_store(store)
    number = collective._new_ring_id()  # Paddle takes none again, even once the group is gone
    made = collective._new_process_group_impl("gloo", store, 0, 1, name, None, number)
    group = Alone(0, 0, [0], pg=made, name=name)
    collective._group_map_by_name[name] = collective._group_map[0] = group
    collective._group_map_backend[group] = "gloo"
    collective._add_new_group(group)


def torch_group_size(group: Any = None) -> int:
    """How many processes a group has."""
    return paddle.distributed.get_world_size(group) if group is None else group.nranks


def torch_group_place(group: Any = None) -> int:
    """The number of this process in a group."""
    return paddle.distributed.get_rank() if group is None else group.rank


def torch_all_gathered(tensor: paddle.Tensor, group: Any = None) -> list[paddle.Tensor]:
    """What each process of the group has, in their order."""
    gathered: list[paddle.Tensor] = []
    paddle.distributed.all_gather(gathered, tensor.contiguous(), group=group)
    return gathered


class TorchWork:
    """What an operation returns that is done already."""

    def wait(self, timeout: Any = None) -> bool:
        """It is done."""
        return True

    def is_completed(self) -> bool:
        """It is."""
        return True


def torch_done(async_op: bool) -> TorchWork | None:
    """What torch returns of an operation, which none of these leaves open."""
    return TorchWork() if async_op else None


def torch_all_gather_into(
    output: paddle.Tensor, tensor: paddle.Tensor, group: Any = None, async_op: bool = False
) -> TorchWork | None:
    """`all_gather_into_tensor`: one after the other, or stacked."""
    gathered = paddle.concat([each.flatten() for each in torch_all_gathered(tensor, group)])
    paddle.assign(gathered.reshape(output.shape), output)
    return torch_done(async_op)


def torch_all_gather_object(object_list: list[Any], obj: Any, group: Any = None) -> None:
    """`all_gather_object`: the list has a place for each process, where Paddle would append."""
    gathered: list[Any] = []
    paddle.distributed.all_gather_object(gathered, obj, group=group)
    object_list[:] = gathered


def torch_gather_tensors(
    tensor: paddle.Tensor,
    gather_list: list[paddle.Tensor] | None = None,
    dst: int = 0,
    group: Any = None,
    async_op: bool = False,
) -> TorchWork | None:
    """`gather`: into the tensors of one process."""
    gathered = torch_all_gathered(tensor, group)
    if paddle.distributed.get_rank() == dst:
        for place, value in zip(gather_list or (), gathered, strict=True):
            paddle.assign(value, place)
    return torch_done(async_op)


def torch_gather_object(
    obj: Any, object_gather_list: list[Any] | None = None, dst: int = 0, group: Any = None
) -> None:
    """`gather_object`: into the list of one process."""
    gathered: list[Any] = []
    paddle.distributed.all_gather_object(gathered, obj, group=group)
    if paddle.distributed.get_rank() == dst and object_gather_list is not None:
        object_gather_list[:] = gathered


def torch_reduce_scatter(
    output: paddle.Tensor, input_list: Any, op: Any = 0, group: Any = None, async_op: bool = False
) -> TorchWork | None:
    """`reduce_scatter`: each process gets its own of the reduced tensors."""
    parts = paddle.stack(list(input_list))
    paddle.distributed.all_reduce(parts, op=op, group=group)
    paddle.assign(parts[torch_group_place(group)], output)
    return torch_done(async_op)


def torch_reduce_scatter_tensor(
    output: paddle.Tensor,
    input: paddle.Tensor,
    op: Any = 0,
    group: Any = None,
    async_op: bool = False,
) -> TorchWork | None:
    """`reduce_scatter_tensor`: the parts come in one tensor, one after the other or stacked."""
    parts = input.reshape([torch_group_size(group), *output.shape])
    return torch_reduce_scatter(output, parts, op, group, async_op)


def torch_all_to_all(
    output_tensor_list: list[paddle.Tensor],
    input_tensor_list: list[paddle.Tensor],
    group: Any = None,
    async_op: bool = False,
) -> TorchWork | None:
    """`all_to_all`: each process gives one tensor to each, all of one shape."""
    mine = torch_group_place(group)
    rows = torch_all_gathered(paddle.stack(input_tensor_list), group)
    for place, row in zip(output_tensor_list, rows, strict=True):
        paddle.assign(row[mine], place)
    return torch_done(async_op)


def torch_all_to_all_single(
    output: paddle.Tensor, input: paddle.Tensor, group: Any = None, async_op: bool = False
) -> TorchWork | None:
    """`all_to_all_single`: the parts come in one tensor, and go into one."""
    mine, count = torch_group_place(group), torch_group_size(group)
    rows = torch_all_gathered(input, group)
    parts = [paddle.chunk(row, count)[mine] for row in rows]
    paddle.assign(paddle.concat(parts).reshape(output.shape), output)
    return torch_done(async_op)


def torch_recv(tensor: paddle.Tensor, src: int, group: Any = None) -> int:
    """`recv`: from whom it came."""
    paddle.distributed.recv(tensor, src=src, group=group)
    return src


def torch_new_group(ranks: Any = None) -> Any:
    """`new_group`, of one process too, which Paddle would leave without a member."""
    if paddle.distributed.get_world_size() > 1:
        return paddle.distributed.new_group(ranks)
    return paddle.distributed.get_group(0)
