"""Functions and classes of torch as values, and what they are given, in JAX."""

from __future__ import annotations

import textwrap

import numpy as np
import pytest

from tests.workbench.targets.jax.source import HEAD, refused, run, written
from workbench.convert.conversion import convert

pytestmark = pytest.mark.usefixtures("narrow")
_F = "import torch.nn.functional as F\n"
_PROGRAMS = {
    "functions in a table": """
        table = {"relu": F.relu, "gelu": F.gelu, "leaky": F.leaky_relu, "own": lambda x: x * 2}
        result = sum(one(torch.tensor([-1.0, 0.5])) for one in table.values())
        """,
    "a function as an argument": """
        def applied(x, act_fn=F.silu):
            return act_fn(x)

        result = applied(torch.tensor([-1.0, 2.0])) + applied(torch.tensor([1.0, 2.0]), F.relu)
        """,
    "classes as arguments": """
        class Net(nn.Module):
            def __init__(self, act=nn.GELU, out=nn.Identity, leak=nn.LeakyReLU):
                super().__init__()
                self.act, self.out, self.leak = act(), out(), leak(0.1)

            def forward(self, x):
                return self.out(self.act(x) + self.leak(x))

        result = Net()(torch.tensor([-1.0, 2.0])) + Net(act=nn.Tanh)(torch.tensor([-1.0, 2.0]))
        """,
    "a mode that is set within an expression": """
        net = nn.Sequential(nn.Dropout(0.5), nn.ReLU()).eval()
        result = net(torch.ones(3)) + net.train(False)(torch.ones(3))
        """,
    "another name": """
        places = torch.arange
        result = places(4) + places(4, 0, -1) + places(1, 5)
        """,
    "data or a size": """
        def made(data):
            return torch.FloatTensor(data * 2)

        result = made(np.ones((2, 3))) + torch.Tensor([[1.0, 2.0, 3.0]])
        """,
    "arrays one by one": """
        a, b = map(torch.from_numpy, (np.ones(2, "float32"), np.zeros(2, "float32")))
        result = a + b
        """,
    "a variable of old torch": """
        from torch.autograd import Variable

        result = Variable(torch.ones(2)) * 2
        """,
}


@pytest.mark.parametrize("name", _PROGRAMS)
def test_values_compute_the_same(name: str) -> None:
    text = _F + textwrap.dedent(_PROGRAMS[name])
    converted = run(written(text))["result"]
    expected = run(HEAD + text)["result"].detach().numpy()
    np.testing.assert_allclose(np.asarray(converted), expected, rtol=1e-5, atol=1e-6)


def test_a_layer_without_weights_has_no_class() -> None:
    text = "def f(layer):\n    return isinstance(layer, nn.ReLU)\n"
    assert any("which has no class" in one for one in refused(text))


def test_a_class_made_with_inplace_is_reported() -> None:
    text = "def f(act=nn.ReLU):\n    return act(inplace=True)\n"
    conversion = convert(HEAD + text, target="jax")
    assert any("inplace=True" in one.message for one in conversion.findings)


def test_a_size_that_is_given_as_one_value_is_reported() -> None:
    text = "def f(size):\n    return torch.Tensor(size)\n"
    conversion = convert(HEAD + text, target="jax")
    assert any("torch.Size" in one.message for one in conversion.findings)


def test_a_method_of_an_unknown_object_that_computes_otherwise_is_information() -> None:
    conversion = convert(HEAD + "def f(x):\n    return x.spread.std()\n", target="jax")
    found = [one for one in conversion.findings if one.code == "TF300"]
    assert [one.severity.name for one in found] == ["INFORMATION"]
