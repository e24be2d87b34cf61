"""Distributions of a program's own, built on what torch's base classes keep and do."""

from __future__ import annotations

import pytest

from tests.workbench.targets.paddle.both_sides import assert_prints_the_same

_CLASSES = """
import torch
from torch.distributions import Categorical, Distribution, Independent, MixtureSameFamily, Normal
class Diag(Independent):
    def __init__(self, loc, scale, ndims=1):
        super().__init__(Normal(loc, scale), ndims)
    def expand(self, batch_shape, new=None):
        new = self._get_checked_instance(Diag, new)
        return super().expand(batch_shape, new)
class Mix(Distribution):
    arg_constraints = {}
    def __init__(self, base):
        super().__init__()
        self.base = base
    @property
    def batch_shape(self):
        return self.base.batch_shape
    def log_prob(self, x):
        return self.base.log_prob(x)
class Own(Distribution):
    arg_constraints = {}
    def __init__(self, base):
        self.base = base
        super().__init__(base.batch_shape, base.event_shape)
    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(Own, _instance)
        new.base = self.base.expand(batch_shape)
        new._batch_shape, new._event_shape = torch.Size(batch_shape), self._event_shape
        return new


def normal():
    return Normal(torch.zeros(2), torch.ones(2))
"""


@pytest.mark.parametrize(
    "shown",
    [
        "d = Diag(torch.zeros(3), torch.ones(3)).expand((2,))\n"
        "print(list(d.batch_shape), d.log_prob(torch.ones(2, 3)).tolist())\n",
        "m = Mix(normal())\nprint(list(m.batch_shape), m.log_prob(torch.ones(2)).tolist())\n",
        "o = Own(normal()).expand((4, 2))\n"
        "print(list(o.batch_shape), list(o._event_shape), list(o._extended_shape((3,))))\n",
        "x = MixtureSameFamily(Categorical(torch.ones(3)), Normal(torch.arange(3.0), 1.0))\n"
        "print(list(x._pad(torch.ones(2)).shape), x.log_prob(torch.ones(2)).tolist())\n",
        "try:\n    Own(normal())._get_checked_instance(Distribution)\n"
        "except NotImplementedError:\n    print('own __init__')\n",
    ],
    ids=["independent", "property", "kept shapes", "mixture", "checked"],
)
def test_own_distributions_find_what_torch_has(shown: str) -> None:
    assert_prints_the_same(_CLASSES + shown)


def test_an_object_of_another_package_has_its_own_method() -> None:
    assert_prints_the_same(
        "import torch\nfrom fractions import Fraction\n\n\n"
        "class Lazy(Fraction):\n    def to_dense(self):\n        return torch.ones(2)\n\n\n"
        "def dense(make):\n    return make(1, 2).to_dense()\n\n\n"
        "print(dense(Lazy).tolist())\n"
    )
