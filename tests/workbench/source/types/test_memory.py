"""The memory of an analysis is freed with it."""

from __future__ import annotations

import subprocess
import sys

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


COUNTED = """
import gc
import sys

from workbench.convert.checking import check_analysis
from workbench.source.analysis import analyse

check_analysis(analyse(sys.argv[1]))
gc.collect()
gc.disable()
analysis = analyse(sys.argv[1])
findings = check_analysis(analysis)
assert findings
gc.collect()
del analysis, findings
print(gc.collect())
"""


def test_an_analysis_and_its_findings_are_freed_without_the_garbage_collector() -> None:
    # In a separate process: other tests leave objects here that are collected at any time.
    command = [sys.executable, "-c", COUNTED, SOURCE]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "0"
