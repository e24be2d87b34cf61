"""Classes of layers in JAX, and the keys for random numbers that reach them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.workbench.targets.jax.source import refused, run, written

pytestmark = pytest.mark.usefixtures("narrow")

NET = """
class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.a = nn.Linear(dim, dim)

    def forward(self, x):
        return self.a(x) + 1
"""


def test_forward_becomes_the_call() -> None:
    code = written(NET)
    assert "class Block(nnx.Module):" in code
    assert "def __call__(self, x):" in code
    assert "def __init__(self, dim, *, rngs):" in code
    assert "nnx.Linear(dim, dim, rngs=rngs" in code or ", rngs=rngs)" in code


def test_forward_is_renamed_where_it_is_called() -> None:
    code = written(
        NET
        + """
class Deep(Block):
    def forward(self, x):
        return super().forward(x) * 2

y = Deep(3).forward(torch.ones(1, 3))
"""
    )
    assert "super().__call__(x)" in code
    assert run(code)["y"].shape == (1, 3)


def test_keys_reach_layers_that_functions_and_methods_make() -> None:
    code = written(
        NET
        + """
def pair(dim):
    return nn.Sequential(Block(dim), Block(dim))

class Net(nn.Module):
    def __init__(self, *sizes, bias=True, **options):
        super().__init__()
        self.body = pair(sizes[0])
        self.head = self.make(sizes[0])

    def make(self, dim):
        return Block(dim)

    def forward(self, x):
        return self.head(self.body(x))

torch.manual_seed(3)
net = Net(3)
"""
    )
    assert "def pair(dim, *, rngs):" in code
    assert "def __init__(self, *sizes, bias=True, rngs, **options):" in code
    assert "def make(self, dim, *, rngs):" in code
    assert "rngs = nnx.Rngs(3)" in code
    assert "net = Net(3, rngs=rngs)" in code
    assert run(code)["net"](np.ones((2, 3), "float32")).shape == (2, 3)


def test_two_models_have_other_weights() -> None:
    names = run(written(NET + "one, other = Block(3), Block(3)\n"))
    assert not np.allclose(names["one"].a.kernel[...], names["other"].a.kernel[...])


def test_keys_are_shared_without_a_seed() -> None:
    code = written(NET + "def main():\n    return Block(3)\n\n\nmain()\n")
    assert "shared_rngs = nnx.Rngs(0)" in code
    assert "return Block(3, rngs=shared_rngs)" in code


def test_parameters_are_added_to_any_header() -> None:
    code = written(
        """
class Net(nn.Module):
    def __init__(
        self,
        dim: int = 3,
        name: str = ")",
    ) -> None:
        super().__init__()
        self.a = nn.Linear(dim, dim)

    def forward(self, x):
        return self.a(x)

net = Net()
"""
    )
    assert run(code)["net"](np.ones((1, 3), "float32")).shape == (1, 3)


def test_a_seed_for_all_that_follows_is_refused() -> None:
    reasons = refused("def seed(n):\n    torch.manual_seed(n)\n")
    assert any("no seed for all that follows" in reason for reason in reasons)


def test_a_class_with_both_calls_is_refused() -> None:
    reasons = refused(
        """
class Net(nn.Module):
    def __call__(self, x):
        return super().__call__(x) + 1

    def forward(self, x):
        return x
"""
    )
    assert any("both forward and __call__" in reason for reason in reasons)


def test_layers_that_draw_keep_their_keys() -> None:
    code = written(
        """
class Noise(nn.Module):
    \"\"\"It draws.\"\"\"

    def __init__(self, scale):
        super().__init__()
        self.scale = scale

    def forward(self, x):
        return x + self.scale * torch.randn_like(x)

torch.manual_seed(0)
noise = Noise(2.0)
once, again = noise(torch.zeros(2, 3)), noise(torch.zeros(2, 3))
"""
    )
    assert "scale, *, rngs):\n        self.rngs = rngs\n        self.scale" in code
    names = run(code)
    assert not np.allclose(names["once"], names["again"])


def test_the_constructor_of_flaxs_class_is_called_only_where_it_does_something() -> None:
    first = """
class First(nn.Module):
    def __init__(self):
        super().__init__()  # as always

class Second(nn.Module):
    def __init__(self, size):
        super(Second, self).__init__()
        self.layer = nn.Linear(size, size)

class Third(Second):
    def __init__(self):
        super().__init__(3)
        self.scale = 2.0

torch.manual_seed(0)
y = Third().layer(torch.ones(2, 3))
"""
    code = written(first)
    assert "super().__init__()  # as always" in code
    assert "super(Second" not in code
    assert "super().__init__(3, rngs=rngs)" in code
    assert run(code)["y"].shape == (2, 3)
    mixed = "class Mixed(Third, First):\n    pass\n\nz = Mixed().scale\n"
    assert "super(Second, self).__init__()" in written(first + mixed)


def test_the_mode_is_flaxs_flag() -> None:
    code = written(
        """
class Gate(nn.Module):
    def forward(self, x):
        return x * 2 if self.training else x

gate = Gate()
trained = gate(torch.ones(1))
gate.eval()
judged = gate(torch.ones(1))
"""
    )
    names = run(code)
    assert (names["trained"].item(), names["judged"].item()) == (2.0, 1.0)
