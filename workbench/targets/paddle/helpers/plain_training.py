"""What plain training code needs where one expression has to do what Paddle does in two."""

from __future__ import annotations

from typing import Any

import paddle


def torch_scheduled(optimizer: Any, schedule: Any) -> Any:
    """The schedule, which sets the optimizer's rate from now on."""
    optimizer.set_lr_scheduler(schedule)
    return schedule


def torch_loader(
    dataset: Any,
    batch_size: int | None = 1,
    shuffle: bool | None = False,
    sampler: Any = None,
    batch_sampler: Any = None,
    num_workers: int = 0,
    collate_fn: Any = None,
    pin_memory: bool = False,
    drop_last: bool = False,
    **options: Any,
) -> paddle.io.DataLoader:
    """`paddle.io.DataLoader` of torch's arguments; memory is never pinned."""
    options |= {"num_workers": num_workers, "collate_fn": collate_fn}
    options["use_shared_memory"] = False  # with it workers die or wait where they read tensors
    options.pop("pin_memory_device", None)
    if sampler is not None:
        batch_sampler = paddle.io.BatchSampler(
            sampler=sampler, batch_size=batch_size, drop_last=drop_last
        )
    if batch_sampler is not None:
        return paddle.io.DataLoader(dataset, batch_sampler=batch_sampler, **options)
    return paddle.io.DataLoader(
        dataset, batch_size=batch_size, shuffle=bool(shuffle), drop_last=drop_last, **options
    )
