"""One thread, so that sums run in the same order each time."""

from __future__ import annotations

from collections.abc import Iterator

import paddle
import pytest
import torch

paddle.disable_signal_handler()


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    paddle.seed(0)
    yield
    torch.set_num_threads(threads)
