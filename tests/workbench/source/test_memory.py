"""What an analysis takes up goes with it."""

from __future__ import annotations

import gc

from workbench.source.analysis import analyse

SOURCE = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.own = self
        self.layers = nn.ModuleList([nn.Linear(2, 2) for _ in range(3)])

    @property
    def last(self):
        return self.layers[-1]

    def forward(self, x):
        def inner(y):
            return [layer(y) for layer in self.layers]
        return inner(x.view(2)), (lambda z: self.last(z))(x)

net = Net()
net(torch.ones(2, 2))
"""


def test_an_analysis_is_freed_without_the_garbage_collector() -> None:
    analyse(SOURCE)
    gc.collect()
    gc.disable()
    try:
        analysis = analyse(SOURCE)
        assert analysis.uses
        del analysis
        assert gc.collect() == 0
    finally:
        gc.enable()
