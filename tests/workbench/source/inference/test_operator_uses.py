"""Operators are uses of torch where their operands are known to be of unlike dtypes."""

from __future__ import annotations

import pytest

from workbench.convert.conversion import convert
from workbench.source.analysis import analyse
from workbench.source.uses import UseKind

PRELUDE = "import torch\nx, i, b = torch.rand(2, 2), torch.arange(2), torch.rand(2) > 0.5\n"


def operators(line: str) -> list[str]:
    uses = analyse(f"{PRELUDE}{line}\n").uses
    return [use.name for use in uses if use.kind is UseKind.OPERATOR]


@pytest.mark.parametrize(
    ("line", "method"),
    [
        ("x * b", "mul"),
        ("b * x", "mul"),
        ("x + i", "add"),
        ("i - x", "sub"),
        ("i / x", "truediv"),
        ("i + i.int()", "add"),
        ("x == i", "eq"),
        ("x > b", "gt"),
        ("b & i", "and"),
        ("i & 1", "and"),
        ("1 | i", "ror"),
        ("3 in i", "contains"),
        ("3 not in i", "contains"),
        ("def f(u, v):\n    return u in v[:, [0, -1]]", "contains"),
        ("def f(k):\n    return x.T[:, k]", "getitem"),
        ("def f(u):\n    return u[:, i]", "getitem"),
        ("def f(u):\n    return u * b", "rmul"),
        ("def f(u):\n    return b + u", "add"),
        ("def f(mask):\n    return x * mask", "mul"),
        ("def f(u):\n    return x * ~u['done']", "mul"),
        ("def f(u: torch.Tensor):\n    return ~u * x", "mul"),
        ("def f(u: torch.Tensor, pad_mask):\n    return u / pad_mask", "truediv"),
        ("def f(u: torch.Tensor, v: torch.Tensor):\n    return u - v\nf(i, x)", "sub"),
        ("u = x if b.any() else i\nv = u - x", "sub"),
        ("u = {'a': x, 'b': i}\nv = u['a'] > u['b']", "gt"),
        ("u = x if b.any() else i\nv = u.abs().sum() / x", "truediv"),
        ("import numpy as np\nu = torch.from_numpy(np.array([1, 2]))\nv = u.view(1, 2) + x", "add"),
        ("u = i.mul(i.int())\nv = u - x", "sub"),
        ("x[None, i]", "getitem"),
        ("x[:, None, [0, 1]] = 1", "getitem"),
    ],
)
def test_operands_that_torch_promotes(line: str, method: str) -> None:
    assert operators(line) == [f"torch.Tensor.__{method}__"]


@pytest.mark.parametrize(
    "line",
    [
        "x * x",
        "x * 2",
        "i / 2",
        "2 ** i",
        "x / x.double()",
        "x * b.float()",
        "x / b.sum()",
        "x.sum() * i",
        "b & (x > 0)",
        "i << 1",
        "x[:, None, 0]",
        "x[i, None]",
        "def f(u):\n    return u == b",
        "def f(u):\n    return ~i * 2",
        "def f(k):\n    return x[:, k]",
        "'name' in x.__dict__",
        "x is None",
    ],
)
def test_operands_that_mean_the_same_everywhere(line: str) -> None:
    assert operators(line) == []


@pytest.mark.parametrize(
    ("line", "written"),
    [
        ("y = x * b", "y = x * b.astype(x.dtype)"),
        ("y = (i + 1) * x  # why", "y = (i + 1).astype(x.dtype) * x  # why"),
        ("y = -x < i", 'y = -x < i.astype("float32")'),
        ("y = 2 * (x * b)[0]", "y = 2 * (x * b.astype(x.dtype))[0]"),
        ("y = f'{x * b}'", "y = f'{x * b.astype(x.dtype)}'"),
        ("y = x * x + 2", "y = x * x + 2"),
    ],
)
def test_the_operand_of_the_lower_kind_is_cast(line: str, written: str) -> None:
    assert written in convert(f"{PRELUDE}{line}\n").code.split("\n")


def test_a_new_dimension_in_front_of_a_tensor_index_stays_there() -> None:
    conversion = convert(f"{PRELUDE}y = x[:, None, i]\n")
    assert not conversion.unconverted
    assert "y = TorchPlaces(x)[:, None, i]" in conversion.code


@pytest.mark.parametrize(
    ("code", "noted"),
    [
        ("def f(steps): return steps[:, None] * torch.rand(3)[None, :]", True),
        ("def f(steps): return steps.unsqueeze(1) * torch.rand(3).unsqueeze(0)", True),
        ("def f(scale): return torch.arange(3)[:, None] * torch.as_tensor(scale)", True),
        ("def f(scale): return torch.rand(3)[None] * scale", False),
    ],
)
def test_a_factor_of_unknown_dtype_may_need_promotion(code: str, noted: bool) -> None:
    names = [use.name for use in analyse(f"import torch\n{code}\n").uses]
    assert ("torch.Tensor.__mul__" in names or "torch.Tensor.__rmul__" in names) == noted


@pytest.mark.parametrize(
    "code",
    [
        "_, best = outputs.max(1)",
        "values, order = outputs.sort()",
        "total = outputs.sum(dim=1)",
        "best = outputs.max(1, keepdim=True)",
        "best = outputs.max(1)[1] + 1",
        "low = outputs.sort()[0]",
        "best = outputs.max(1).values",
        "where = outputs.min(-1).indices.sum()",
        "order = outputs.sort(descending=True)",
        "rows = outputs.size(0)",
        "last = outputs.size(-1)",
        "width = outputs.size()[2]",
        "table = outputs.view(-1, rows)",
        "row = outputs.view(-1)",
        "row = outputs.flatten(1, 2)",
        "wide = outputs.expand(rows, -1)",
    ],
)
def test_the_call_of_a_method_shows_that_its_receiver_is_a_tensor(code: str) -> None:
    uses = analyse(f"import torch\ndef f(outputs):\n    {code}\n").uses
    assert any(use.name.startswith("torch.Tensor.") for use in uses)


@pytest.mark.parametrize(
    "code",
    [
        "low, high = bounds.min()",
        "mean = data.mean(dim='time')",
        "bounds.sort()",
        "row = data.max(axis=1)[0]",
        "best = data.max()[0]",
        "best = data.max(1).values()",
        "count = data.size['rows']",
        "count = data.size()['rows']",
        "import pandas\n    count = data.size()[0]",
        "low = data.view(dtype)",
        "row = data.flatten('C')",
        "side = data.view(2)",
        "best = data.max(1).values()",
        "import pandas\n    best = data.max(1).values",
    ],
)
def test_a_call_that_other_packages_accept_shows_nothing(code: str) -> None:
    uses = analyse(f"import torch\ndef f(bounds, data):\n    {code}[:2]\n").uses
    assert not uses


def test_the_inputs_and_gradients_of_an_autograd_function_are_tensors() -> None:
    code = """
class Half(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, k):
        return input.size(), k.size()
    @staticmethod
    def backward(ctx, g):
        input, = ctx.saved_tensors
        return g.size(), input.size()
"""
    uses = analyse(f"import torch\n{code}").uses
    assert [use.name for use in uses].count("torch.Tensor.size") == 3
    uses = analyse(f"import torch\n{code}".replace("g)", "*g)").replace("g.", "g[0].")).uses
    assert [use.name for use in uses].count("torch.Tensor.size") == 3


def test_a_method_that_is_read_and_not_called_makes_no_tensor() -> None:
    uses = analyse("import torch\ndef f(settings):\n    return settings.stride == 1\n").uses
    assert not uses


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("torch.nn.Sequential(x) + torch.nn.Sequential()", "torch.nn.Sequential.__add__"),
        ("torch.nn.Sequential(x) * 2", "torch.nn.Sequential.__mul__"),
        ("Numbers() + Numbers()", "torch.utils.data.Dataset.__add__"),
        ("(Numbers() + Numbers()) + Numbers()", "torch.utils.data.Dataset.__add__"),
    ],
)
def test_joined_containers_and_datasets(line: str, name: str) -> None:
    own = "class Numbers(torch.utils.data.Dataset): ...\n"
    assert set(operators(f"{own}{line}")) == {name}


def test_a_method_that_only_torch_calls_is_reported_at_its_definition() -> None:
    source = """
import torch
class Net(torch.nn.Module):
    def get_extra_state(self):
        return {}
"""
    (finding,) = (one for one in convert(source).findings if not one.converts)
    assert (finding.name, finding.range.start.line) == ("torch.nn.Module.get_extra_state", 3)


def test_numbers_of_unlike_kinds_in_a_list_make_one_dtype() -> None:
    code = convert(
        "import torch\nx = torch.tensor([1.0, 2, 4])\ny = torch.tensor([[1, 2, 3]])\n"
        "z = torch.tensor([[1, 2, 3], [4, 5, 6.5]])\na = x + y\nb = z - y\n"
    ).code
    assert "a = x + y.astype(x.dtype)" in code
    assert "b = z - y.astype(z.dtype)" in code
