"""Futures of `torch.jit.fork`, which calls its function at once outside TorchScript."""

from __future__ import annotations

from tests.workbench.targets.paddle.both_sides import assert_prints_the_same


def test_branches_of_a_model_that_are_forked() -> None:
    assert_prints_the_same("""from typing import List
import torch
import torch.nn as nn
from torch.jit import fork, wait


class Branches(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleList(nn.ReLU() for _ in range(2))

    def forward(self, x):
        futures: List[torch.jit.Future[torch.Tensor]] = []
        for part in self.parts:
            futures.append(torch.jit.fork(part, x))
        return torch.stack([torch.jit.wait(one) for one in futures])


print(Branches()(torch.tensor([1.0, -2.0])).tolist())
print(wait(fork(lambda x, k=1: x * k, torch.ones(2), k=3)).tolist())
""")


def test_an_error_is_raised_where_the_function_is_forked() -> None:
    assert_prints_the_same("""import torch

try:
    future = torch.jit.fork(lambda x: x / 0, 1)
except ZeroDivisionError:
    print("raised by fork")
""")


def test_a_future_that_the_program_completes() -> None:
    assert_prints_the_same("""import torch
from torch.futures import Future, collect_all

first, seen = Future(), []
first.add_done_callback(lambda one: seen.append(one.value()))
second = first.then(lambda one: one.wait() + 1)
failing = first.then(lambda one: one.wait() / 0)
first.set_result(3)
print(second.wait(), seen, collect_all([first, second]).wait()[1].value())
try:
    failing.wait()
except RuntimeError as error:
    print("ZeroDivisionError" in str(error))
""")
