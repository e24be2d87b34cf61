"""Classes without a torch base that other classes combine with a module."""

from __future__ import annotations

import workbench
from tests.workbench.targets.paddle.both_sides import assert_prints_the_same

COMBINED = """
import torch
from torch import nn
class Summary:
    def count(self):
        return sum(p.numel() for p in self.parameters() if p.requires_grad)
    @property
    def dtype(self):
        return next(self.parameters()).dtype
class Frozen:
    def __init__(self, *args, frozen=(), **kwargs):
        super().__init__(*args, **kwargs)
        for name, parameter in self.named_parameters():
            if name in frozen:
                parameter.requires_grad = False
    def train(self, mode=True):
        super().train(mode)
        for module in self.modules():
            if isinstance(module, nn.BatchNorm1d):
                module.eval()
        return self
class Net(nn.Module, Summary):
    def __init__(self, width):
        super().__init__()
        self.layer = nn.Linear(3, width)
        self.norm = nn.BatchNorm1d(width)
class FrozenNet(Frozen, Net):
    pass
net = FrozenNet(4, frozen=("layer.bias",)).train()
print(net.count(), net.dtype == torch.float32, net.norm.training, net.layer.training)
"""

PASSED_ON = """
import torch
from torch import nn
class Wrapper:
    def __init__(self, model):
        self.model = model
    def __getattr__(self, name):
        return getattr(self.model, name)
    def first(self):
        return next(self.parameters()).shape
class Own:
    def parameters(self):
        return iter([1, 2])
    def first(self):
        return next(self.parameters())
print(list(Wrapper(nn.Linear(3, 2)).first()), Own().first())
"""


def test_a_class_that_others_combine_with_a_module_calls_its_methods() -> None:
    assert_prints_the_same(COMBINED)


def test_an_object_that_passes_attributes_on_calls_those_of_the_module() -> None:
    assert_prints_the_same(PASSED_ON)
    assert "return next(self.parameters())\nprint" in workbench.convert(PASSED_ON).code
