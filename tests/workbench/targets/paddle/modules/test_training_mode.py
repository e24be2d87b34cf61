"""Modules with a `train` of their own, which torch calls for every module inside another one."""

from __future__ import annotations

from textwrap import dedent

import pytest

from tests.workbench.targets.paddle.both_sides import TARGET, assert_prints_the_same
from workbench.convert.conversion import convert

FROZEN = dedent(
    """
    import torch
    from torch import nn
    class Frozen(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm = nn.BatchNorm1d(2)
            self.calls = []
        def train(self, mode=True):
            {base}
            self.calls.append(mode)
            for m in self.modules():
                if isinstance(m, nn.BatchNorm1d):
                    m.eval()
            return self
    net = nn.Sequential(nn.Sequential(Frozen(), nn.Flatten()), nn.Dropout(0.5))
    """
)
SHOWN = "print([m.training for m in net.modules()], net[0][0].calls)\n"


@pytest.mark.parametrize("base", ["super().train(mode)", "nn.Module.train(self, mode)"])
@pytest.mark.parametrize(
    "line",
    [
        "net.eval()",
        "net.train()",
        "net.train(False)",
        "net.train(mode=True).eval()",
        "for m in net.children():\n    m.eval()",
        "net[0][0].eval()",
        "def run(model):\n    model.eval()\nrun(net)",
    ],
)
def test_a_train_of_a_nested_module_runs(base: str, line: str) -> None:
    assert_prints_the_same(f"{FROZEN.format(base=base)}{line}\n{SHOWN}")


def test_modes_are_set_plainly_where_no_module_has_its_own_train() -> None:
    text = (
        "from torch import nn\nnet = nn.ReLU()\nnet.eval()\nnet.train()\n"
        "class Trainer:\n    def train(self, epochs):\n        net.train()\nTrainer().train(2)\n"
    )
    code = convert(text, target=TARGET).code
    assert "net.eval()\nnet.train()" in code
    assert "torch_train" not in code
