"""Tensors that become Python numbers: by `int(x)`, in `"%.3f" % x`, `math.sqrt(x)`, `names[i]`."""

from __future__ import annotations

import pytest

import workbench
from tests.workbench.targets.paddle.both_sides import TARGET, assert_prints_the_same

_MIXED = """import torch
names = ["a", "b", "c"]

@torch.inference_mode()
def ids(n):
    return torch.ones(n).long().tolist()

x = torch.tensor([1, 2])
"""
_FUNCTION = "def decode(row):\n    return [names[int(i)] for i in row]\n"
_METHOD = (
    "class Words:\n    def decode(self, row):\n        return [float(i) + bool(i) for i in row]\n"
    "decode = Words().decode\n"
)


@pytest.mark.frameworks
@pytest.mark.parametrize("definition", [_FUNCTION, _METHOD])
@pytest.mark.parametrize(
    "calls",
    ["decode(x), decode(ids(2))", "decode(x), decode([2, 1])", "decode(ids(2)), decode(x)"],
)
def test_a_function_gets_tensors_and_numbers(definition: str, calls: str) -> None:
    assert_prints_the_same(f"{_MIXED}{definition}print({calls})\n")


@pytest.mark.parametrize(
    ("function", "kept"), [("int", "int(i)"), ("float", "float(i)"), ("bool", "bool(i)")]
)
@pytest.mark.parametrize("other", ["ids(2)[0]", "2"])
def test_a_number_that_may_be_a_tensor_is_reported(function: str, kept: str, other: str) -> None:
    text = (
        f"{_MIXED}def number(i):\n    return {function}(i)\nprint(number(x[0]), number({other}))\n"
    )
    result = workbench.convert(text, target=TARGET)
    assert kept in result.code
    assert [one.code for one in result.findings if one.range.start.line == 9] == ["TF119"]


@pytest.mark.parametrize(
    ("function", "written"),
    [("int", "int(i.item())"), ("float", "float(i.item())"), ("bool", "bool(i != 0)")],
)
def test_a_tensor_of_any_shape_becomes_a_number(function: str, written: str) -> None:
    text = f"{_MIXED}def number(i):\n    return {function}(i)\nprint(number(x[0]), number(x[:1]))\n"
    assert written in workbench.convert(text, target=TARGET).code


_SMALL = """import math
import torch
x, k, names = torch.tensor([2.0]), torch.tensor([2]), ["a", "b", "c"]

def both(v):
    return v * 2, 3
"""


@pytest.mark.frameworks
@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ('"%.3f" % x', '"%.3f" % x.item()'),
        ('"%d%% %5.1f %d" % (3, x, k)', '"%d%% %5.1f %d" % (3, x.item(), k.item())'),
        ('"%.1f" % (x * 2)', '"%.1f" % (x * 2).item()'),
        ('"%.1f" % both(x)[0]', '"%.1f" % both(x)[0].item()'),
        ("math.sqrt(x), math.pow(x, 2)", "math.sqrt(x.item()), math.pow(x.item(), 2)"),
        ("list(range(1, k))", "list(range(1, k.item()))"),
        ("names[k], names[:k]", "names[k.item()], names[:k.item()]"),
        ("names[k[0]]", "names[k[0].item()]"),
        ("math.exp(-x), int(2 - -x)", "math.exp((-x).item()), int((2 - -x).item())"),
        ("math.log(+x / -math.pi * -1)", "math.log((+x / -math.pi * -1).item())"),
        ('[0] * k, "ab" * k, k * (1, 2)', '[0] * k.item(), "ab" * k.item(), k.item() * (1, 2)'),
        ("names * (k - 1)", "names * (k - 1).item()"),
        (
            "bin(k), hex(-k), oct(k), chr(k)",
            "bin(k.item()), hex((-k).item()), oct(k.item()), chr(k.item())",
        ),
    ],
)
def test_a_tensor_of_one_value_becomes_a_number(written: str, expected: str) -> None:
    assert f"print({expected})" in assert_prints_the_same(f"{_SMALL}print({written})\n")


@pytest.mark.parametrize(
    "line",
    [
        'print("%.3f %.2f" % (x.sum(), x.mean()), math.sqrt(x.sum() / 3))',
        'print("%s %r" % (x, k), f"{x.sum():.3f}")',
        'print("%*d" % (3, k), "%(one)s" % {"one": x})',
        "print({2: 3}, math.sqrt(4), list(range(3)), names[1])",
        "print(math.fsum(x), math.dist(x, x))",
    ],
)
def test_what_python_makes_no_number_stays(line: str) -> None:
    assert line in workbench.convert(f"{_SMALL}{line}\n", target=TARGET).code


@pytest.mark.frameworks
@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ('"%.3f" % x.reshape(1, 1)', '"%.3f" % x.reshape(1, 1).item()'),
        ('"%d %.1f" % (k, x.neg())', '"%d %.1f" % (k.item(), x.neg().item())'),
        ("math.exp(x.neg())", "math.exp(x.neg().item())"),
        (
            "math.pow(torch.neg(x), torch.abs(k))",
            "math.pow(paddle.neg(x).item(), paddle.abs(k).item())",
        ),
        ("math.pow(x.size(0), x.neg())", "math.pow(x.size(0), x.neg().item())"),
        ("math.exp(x.neg() if x else x)", "math.exp(x.neg().item() if x else x.item())"),
        ("[0] * k.view(1)", "[0] * k.reshape(1).item()"),
        ("names[:k.view(1)]", "names[:k.reshape(1).item()]"),
    ],
)
def test_the_result_of_a_call_becomes_a_number(written: str, expected: str) -> None:
    assert f"print({expected})" in assert_prints_the_same(f"{_SMALL}print({written})\n")


@pytest.mark.frameworks
def test_a_tensor_is_an_index_that_is_written_to() -> None:
    code = assert_prints_the_same(
        f"{_SMALL}names[k] = 'd'\nnames[k - 1] += 'e'\ndel names[0]\nprint(names)\n"
    )
    assert "names[k.item()] = 'd'\nnames[(k - 1).item()] += 'e'\n" in code


@pytest.mark.frameworks
@pytest.mark.parametrize("index", ["torch.tensor(1)", "torch.tensor([1])", "torch.ones(1).sum()"])
def test_a_tensor_is_the_index_of_a_layer(index: str) -> None:
    text = f"""import torch
import torch.nn as nn

class Layers(nn.ModuleList):
    def forward(self, x, i: torch.Tensor):
        return self[i](x)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = Layers([nn.Linear(2, 2), nn.Identity()])
        self.more = nn.ModuleList([nn.Linear(2, 3), nn.Identity()])
        self.kept = nn.ParameterList([nn.Parameter(torch.ones(1)), nn.Parameter(torch.ones(2))])
        self.all = nn.Sequential(nn.Linear(2, 3), nn.Identity())

    def forward(self, x, i):
        x = self.more[i](self.layers(x, i))
        return self.all[i](x) * self.kept[i]

net = Net()
x, i = torch.ones(1, 2), ({index}).long()
print(net(x, i).tolist())
net.more[i] = nn.Flatten()
print(len(net.more), net(x, i).tolist())
"""
    assert "net.more[i.item()] = nn.Flatten()" in assert_prints_the_same(text)


@pytest.mark.frameworks
@pytest.mark.parametrize("written", ['"%.2f" % v', "math.exp(v)", '"%d %.1f" % (1, v)'])
def test_a_caller_passes_a_tensor_or_a_number(written: str) -> None:
    text = f"{_SMALL}def shown(v):\n    return {written}\nprint(shown(x[0]), shown(0.5))\n"
    assert written in assert_prints_the_same(text)
    found = workbench.convert(text, target=TARGET).findings
    assert "TF119" in [one.code for one in found if one.range.start.line == 7]
