"""Which expressions are tensors, and how sure that is."""

from __future__ import annotations

import ast
import textwrap

import pytest

from workbench.findings import Certainty
from workbench.source.analysis import analyse

PROVED, ASSUMED = Certainty.PROVED, Certainty.ASSUMED


def certainty_of(source: str, member: str = "view") -> Certainty | None:
    """Return the certainty that the first `.view` is a tensor's, or None if it is not a use."""
    program = "import torch\nfrom torch import nn\n" + textwrap.dedent(source)
    for use in analyse(program).uses:
        if use.name == f"torch.Tensor.{member}":
            return use.certainty
    return None


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("torch.zeros(2).view(1, 2)", PROVED),
        ("x = torch.zeros(2)\nx.view(2)", PROVED),
        ("x, y = torch.zeros(2).max(0)\ny.view(2)", PROVED),
        ("x = torch.zeros(2) + 1\nx.view(2)", PROVED),
        ("(1 / torch.zeros(2)).view(2)", PROVED),
        ("(torch.zeros(2) > 1).view(2)", PROVED),
        ("torch.zeros(2)[0].view(1)", PROVED),
        ("def f(x: torch.Tensor):\n    x.view(2)", PROVED),
        ("def f(x: 'torch.Tensor | None' = None):\n    x.view(2)", PROVED),
        ("from typing import Optional\ndef f(x: Optional[torch.Tensor]):\n    x.view(2)", PROVED),
        ("def f(x):\n    if isinstance(x, torch.Tensor):\n        x.view(2)", PROVED),
        ("def f(x):\n    assert torch.is_tensor(x)\n    x.view(2)", PROVED),
        ("def g():\n    return torch.zeros(2)\ng().view(2)", PROVED),
        ("xs = []\nxs.append(torch.zeros(2))\nxs[0].view(2)", PROVED),
        ("for x in [torch.zeros(2)]:\n    x.view(2)", PROVED),
        ("import math\nfor x in [torch.zeros(2)] * math.ceil(1.5):\n    x.view(2)", PROVED),
        ("for x in 3 * (torch.zeros(2),):\n    x.view(2)", PROVED),
        ("[x.view(2) for x in torch.zeros(2, 2)]", PROVED),
        ("d = {'a': torch.zeros(2)}\nfor k, v in d.items():\n    v.view(2)", PROVED),
        ("x = nn.Linear(2, 2)(torch.zeros(2))\nx.view(2)", PROVED),
        ("out, (h, c) = nn.LSTM(2, 2)(torch.zeros(1, 1, 2))\nh.view(2)", PROVED),
        ("x = None\nif 1:\n    x = torch.zeros(2)\nx.view(2)", PROVED),
        ("if (x := torch.zeros(2)) is not None:\n    x.view(2)", PROVED),
        ("nn.Parameter(torch.zeros(2)).view(2)", PROVED),
        ("for p in nn.Linear(1, 1).parameters():\n    p.view(2)", PROVED),
        ("def f(x):\n    x.unsqueeze(0)\n    return x.view(2)", ASSUMED),
        ("class N(nn.Module):\n    def forward(self, x):\n        return x.view(2)", ASSUMED),
        ("for x, y in torch.utils.data.DataLoader([]):\n    x.view(2)", ASSUMED),
    ],
)
def test_tensors_are_recognised(source: str, expected: Certainty) -> None:
    assert certainty_of(source) is expected


@pytest.mark.parametrize(
    "source",
    [
        "import numpy as np\nnp.zeros(2).view(np.int64)",
        "import pandas as pd\npd.DataFrame().view()",
        "'a b'.view()",
        "open('f').read().view()",
        "[1, 2].view()",
        "torch.zeros(2).shape.view()",
        "torch.zeros(2).item().view()",
        "torch.zeros(2).numpy().view()",
        "class A:\n    def view(self): ...\nA().view()",
        "class A(nn.Module):\n    def view(self): ...\nA().view()",
        "def f(x):\n    x.view(2)",
        "def f(x: str):\n    x.view(2)",
        "x = torch.zeros(2)\nx = 'text'\nx.view(2)",
        "def f(x):\n    if isinstance(x, torch.Tensor):\n        return\n    x.view(2)",
        "import re\nre.compile('').view()",
        "from unknown import thing\nthing().view(2)",
        "class N(nn.Module):\n    def forward(self, x):\n        x['a']\n        x.view(2)",
        "class N(nn.Module):\n    def forward(self, x):\n        'a' in x and x.view(2)",
    ],
)
def test_other_receivers_are_left_alone(source: str) -> None:
    assert certainty_of(source) is None


def test_attributes_set_in_a_constructor_are_known_in_other_methods() -> None:
    source = """
    class N(nn.Module):
        def __init__(self, norm_layer=nn.LayerNorm):
            super().__init__()
            self.weight = nn.Parameter(torch.zeros(2))
            self.norm = norm_layer(2)
        def other(self):
            return self.weight.view(2)
    """
    assert certainty_of(source) is PROVED


def test_calls_in_the_program_show_what_a_parameter_is() -> None:
    source = "def f(thing):\n    return thing.view(2)\nf(torch.zeros(2))\n"
    assert certainty_of(source) is PROVED


def test_a_name_that_only_numbers_and_tensors_share_is_not_guessed() -> None:
    source = "total = 0\nfor x in torch.zeros(2, 2):\n    total += x\ntotal.view(1)\n"
    assert certainty_of(source) is ASSUMED


def test_live_types_beat_inference() -> None:
    analysis = analyse("x.view(2)\n", live={"x": "torch.Tensor"})
    assert [use.name for use in analysis.uses] == ["torch.Tensor.view"]
    analysis = analyse("import torch\nx.view(2)\n", live={"x": "numpy.ndarray"})
    assert analysis.uses == []


@pytest.mark.parametrize(
    ("other_call", "left"),
    [
        ("self.block.attend(x)", True),
        ("other.block.attend(x)", False),
        ("self.block.relu()", False),
    ],
)
def test_evidence_from_calls_of_the_same_receiver_counts(other_call: str, left: bool) -> None:
    source = f"class C:\n    def f(self, x):\n        {other_call}\n        self.block.softmax(x)\n"
    assert (certainty_of(source, "softmax") is None) is left


def test_module_and_optimizer_members_are_found_by_their_class() -> None:
    source = """
    import torch
    def train(model, optimizer):
        model.train()
        optimizer.zero_grad()
    net = torch.nn.Sequential(torch.nn.Linear(1, 1))
    train(net, torch.optim.SGD(net.parameters(), lr=0.1))
    """
    found = {use.name for use in analyse(textwrap.dedent(source)).uses}
    assert {"torch.nn.Module.train", "torch.nn.Module.parameters"} <= found
    assert any(name.endswith(".zero_grad") and ".optim." in name for name in found)


@pytest.mark.parametrize(
    "source",
    [
        "def f(*xs):\n    return xs[0].view(2)\nf(torch.ones(2), torch.ones(3))",
        "import itertools\nfor x, y in itertools.product([torch.ones(2)], [1]):\n    x.view(2)",
        "import itertools\nfor x in itertools.chain([torch.ones(2)], []):\n    x.view(2)",
        "def f() -> torch.Tensor: ...\nf().view(2)",
        "def f():\n    yield torch.ones(2)\nfor x in f():\n    x.view(2)",
        "async def f():\n    return torch.ones(2)\nasync def g():\n    (await f()).view(2)",
        "class A:\n    @property\n    def w(self):\n        return torch.ones(2)\nA().w.view(2)",
        "import functools\nclass A:\n    @functools.cached_property\n    def w(self):\n"
        "        return torch.ones(2)\nA().w.view(2)",
    ],
)
def test_tensors_come_through_the_program_s_own_functions(source: str) -> None:
    assert certainty_of(source) is PROVED


def test_an_imported_module_of_the_program_is_no_tensor() -> None:
    assert certainty_of("from . import initialization as init\ninit.view_as(2)", "view_as") is None
    assert certainty_of("from .state import W\nW.view_as(2)", "view_as") is None


def test_arithmetic_of_arrays_gives_no_tensors() -> None:
    assert certainty_of("import numpy as np\nx = np.zeros(2) * 2 + 1\nx.view(2)") is None
    assert analyse("import torch, numpy as np\nx = np.zeros(2) * 2\nx.view(2)").unknown == []


def test_live_types_override_those_inferred_from_the_lines() -> None:
    earlier = "import torch\nfrom unknown import load\nx = load()\nclass Own: w = 1\no = Own()\n"
    live = {"x": "torch.Tensor", "o": "__main__.Own", "torch": "builtins.module"}
    later = "x.view(2)\no.w.view()\nx = load()\nx.view(2)\n"
    analysis = analyse(earlier + later, live=live, live_from=5)
    assert [(use.name, use.certainty) for use in analysis.uses] == [("torch.Tensor.view", PROVED)]


def test_registered_buffers_are_tensors() -> None:
    source = """
    class N(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("mask", torch.zeros(2))
        def forward(self):
            return self.mask.view(2)
    """
    assert certainty_of(source) is PROVED


def test_module_members_of_unknown_receivers_are_reported() -> None:
    analysis = analyse("import torch\nfrom unknown import make\nmake().load_state_dict({})\n")
    assert [(one.owner, one.node.attr) for one in analysis.unknown] == [
        ("torch.nn.Module", "load_state_dict")
    ]


@pytest.mark.parametrize("number", ["math.sqrt(2)", "2", "group['bias']"])
def test_a_quotient_by_a_number_may_be_a_tensor(number: str) -> None:
    source = f"""
    import math

    def step(state, group):
        return (state["v"].sqrt() / {number}).add_(group["eps"])
    """
    assert certainty_of(source, "add_") is ASSUMED


@pytest.mark.parametrize(
    "part", ["net.conv", "net.body.conv", "net.layers[-1]", "getattr(net, 'conv')", "thing.part"]
)
def test_hooks_of_parts_are_of_modules(part: str) -> None:
    source = (
        f"import torch\n\n\ndef f(net, thing):\n    {part}.register_full_backward_hook(print)\n"
    )
    (use,) = analyse(source).uses
    assert use.name == "torch.nn.Module.register_full_backward_hook"
    assert use.certainty is ASSUMED


@pytest.mark.parametrize("part", ["net.act", "net.layers[-1]", "getattr(net, 'act')", "thing"])
@pytest.mark.parametrize("table", ["_forward_hooks", "_forward_pre_hooks_with_kwargs"])
def test_tables_of_hooks_are_of_modules(part: str, table: str) -> None:
    (use,) = analyse(f"import torch\n\n\ndef f(net, thing):\n    len({part}.{table})\n").uses
    assert (use.name, use.certainty) == (f"torch.nn.Module.{table}", ASSUMED)


def test_attributes_of_a_constructor_are_known_without_an_object() -> None:
    source = """
    class Layer(nn.Module):
        def __init__(self, size):
            super().__init__()
            self.weight = nn.Parameter(torch.empty(size))
            self.reset_parameters()
        def reset_parameters(self):
            self.weight.view(2)
    """
    assert certainty_of(source) is PROVED


@pytest.mark.parametrize(
    ("function", "call"),
    [
        ("@staticmethod\n    def f(a, b)", "C.f(torch.zeros(2), 4)"),
        ("@staticmethod\n    def f(a, b)", "C().f(torch.zeros(2), 4)"),
        ("@classmethod\n    def f(cls, a, b)", "C.f(torch.zeros(2), 4)"),
        ("def f(self, a, b)", "C().f(torch.zeros(2), 4)"),
        ("def f(self, a, b)", "C.f(C(), torch.zeros(2), 4)"),
    ],
)
def test_methods_are_called_with_positional_arguments(function: str, call: str) -> None:
    code = f"import torch\nclass C:\n    {function}:\n        a.size(), b.size()\n{call}\n"
    assert [use.name for use in analyse(code).uses].count("torch.Tensor.size") == 1


@pytest.mark.parametrize(
    "call",
    [
        "torch.func.vmap(lambda a: a.max(-1).values)",
        "torch.autograd.functional.jacobian(lambda a: a.max(-1).values, torch.ones(2, 2))",
        "torch.ones(2, requires_grad=True).register_hook(lambda a: a.max(-1).values)",
        "nn.ReLU().register_forward_hook(lambda m, i, o: i[0].max(-1).values)",
        "nn.ReLU().register_forward_hook(lambda m, i, k, o: o.max(-1).values, with_kwargs=True)",
        "nn.ReLU().register_full_backward_hook(lambda m, gi, go: (go[0].max(-1).values,))",
        "nn.TripletMarginWithDistanceLoss(distance_function=lambda a, b: (a - b).max(-1).values)",
    ],
)
def test_functions_that_torch_calls_get_tensors(call: str) -> None:
    analysis = analyse(f"import torch\nfrom torch import nn\n{call}\n")
    assert "torch.Tensor.max" in [use.name for use in analysis.uses]
    assert not analysis.unknown


def test_collections_of_tensors_are_no_tensors_for_what_torch_calls() -> None:
    source = "import torch\ndef f(params, x):\n    return params.values()\ntorch.func.grad(f)\n"
    assert not [use for use in analyse(source).uses if use.name.startswith("torch.Tensor")]


def test_a_distribution_that_is_expanded_is_one_still() -> None:
    source = "import torch\ntorch.distributions.Normal(0.0, 1.0).expand((2,)).mean\n"
    assert "torch.Tensor.mean" not in [use.name for use in analyse(source).uses]


CLASSES = """
import torch
from torch import nn
class Pair(nn.Module):
    def forward(self, x):
        return x, x
class One(nn.Module):
    def forward(self, x):
        return x
x = torch.eye(3)
"""


@pytest.mark.parametrize(
    "calls",
    [
        "def seeded(net, seed):\n    return net\n"
        "a, b = seeded(Pair(), 1)(x)\ny = seeded(One(), 2)(x)\n",
        "def run(net, x):\n    return net(x)\na, b = run(Pair(), x)\ny = run(One(), x)\n",
        "def same(x):\n    return x\na, b = same((x, x))\ny = same(x)\n",
    ],
)
def test_a_call_has_the_result_of_its_own_arguments(calls: str) -> None:
    uses = analyse(f"{CLASSES}{calls}best = y.max(1)[1]\n").uses
    assert any(use.name == "torch.Tensor.max" for use in uses)


def test_a_parameter_that_is_rebound_is_not_returned_as_passed() -> None:
    code = "def dim(x):\n    x = x.shape\n    return x\ny = dim(torch.eye(3))\nz = y.max(1)[1]\n"
    assert not any(use.name == "torch.Tensor.max" for use in analyse(f"import torch\n{code}").uses)


@pytest.mark.parametrize("calls", ["count(x), count(x.shape)", "count(x.shape), count(x)"])
def test_a_parameter_of_two_kinds_is_no_proof(calls: str) -> None:
    source = f"import torch\ndef count(v):\n    return v.numel()\nx = torch.ones(2)\nr = {calls}\n"
    [use] = [use for use in analyse(source).uses if use.name.endswith("numel")]
    assert (use.name, use.certainty) == ("torch.Tensor.numel", Certainty.ASSUMED)


def test_an_object_with_an_own_method_of_the_name_is_no_tensor() -> None:
    source = (
        "import torch\nclass Own:\n    def numel(self):\n        return 3\n"
        "def count(v):\n    return v.numel()\nr = count(torch.ones(2)), count(Own())\n"
    )
    assert not [use for use in analyse(source).uses if use.name.endswith("numel")]


@pytest.mark.parametrize(
    ("call", "imported", "uses"),
    [
        ("v.split(split_size=2)", "", 1),
        ("v.transpose(dim0=0, dim1=1)", "", 1),
        ("v.div(scale)", "", 1),
        ("v.eq(0)", "", 1),
        ("v.div(scale)", "import pandas\n", 0),
        ("v.div(scale, fill_value=0)", "", 0),
        ("v.split(',')", "", 0),
    ],
)
def test_a_call_that_only_tensors_support_is_evidence(call: str, imported: str, uses: int) -> None:
    source = f"import torch\n{imported}def f(v, scale):\n    return {call}\n"
    assert len([use for use in analyse(source).uses if use.receiver is not None]) == uses


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("return F.relu(x.real) + x.view(2)", ASSUMED),
        ("return torch.exp(x) / x.view(2)", ASSUMED),
        ("return torch.matmul(y, x).view(2), x.view(2)", ASSUMED),
        ("return torch.full((2,), x), x.view(2)", None),
        ("return torch.full_like(y, x), x.view(2)", None),
        ("return torch.as_tensor(x), x.view(2)", None),
        ("return numpy.exp(x), x.view(2)", None),
        ("return torch.exp(x), x.view(2), x.nnz", None),
    ],
)
def test_an_argument_of_a_function_of_tensors_is_one(line: str, expected: Certainty | None) -> None:
    source = f"import numpy\nimport torch.nn.functional as F\ndef f(x, y):\n    {line}"
    program = "import torch\nfrom torch import nn\n" + source
    found = [one for one in analyse(program).uses if one.name == "torch.Tensor.view"]
    found = [one for one in found if ast.unparse(one.receiver or one.node) == "x"]
    assert [one.certainty for one in found] == ([expected] if expected else [])


@pytest.mark.parametrize("flow", ["flow", "flow.last", "flow.parts[0]"])
def test_a_method_with_more_arguments_than_a_tensors_is_no_evidence(flow: str) -> None:
    text = "def f(flow, z):\n    z, change = {}.inverse({})\n    change.view(2)\n"
    assert certainty_of(text.format(flow, "z"), "inverse") is None
    assert certainty_of(text.format(flow, "z")) is None
    assert certainty_of(text.format(flow, ""), "inverse") is ASSUMED
