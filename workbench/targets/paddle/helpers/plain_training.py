"""What plain training code needs where one expression has to do what Paddle does in two."""

from __future__ import annotations

from typing import Any


def torch_scheduled(optimizer: Any, schedule: Any) -> Any:
    """The schedule, which sets the optimizer's rate from now on."""
    optimizer.set_lr_scheduler(schedule)
    return schedule
