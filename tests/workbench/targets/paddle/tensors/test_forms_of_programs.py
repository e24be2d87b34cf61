"""Forms for what ordinary programs write: queues, old constructors, gradients set to None."""

from __future__ import annotations

import pytest

import workbench
from tests.workbench.targets.paddle.both_sides import assert_prints_the_same
from workbench.proof.cases import prove_case
from workbench.targets import PLAIN, load

TARGET = load("paddle", PLAIN)
HEAD = "import collections\n\nimport torch\nfrom torch.autograd import Variable\n\n"


def _last(line: str, before: str = "") -> str:
    conversion = workbench.convert(f"{HEAD}{before}{line}\n")
    assert not conversion.helpers and not conversion.unconverted
    return conversion.code.splitlines()[-1]


@pytest.mark.parametrize(
    ("torch", "paddle"),
    [
        ("torch.Tensor()", "paddle.empty([0])"),
        ("torch.LongTensor()", 'paddle.empty([0], dtype="int64")'),
        ("torch.BoolTensor([True])", 'paddle.to_tensor([True], dtype="bool")'),
        ("torch.LongTensor(range(3))", 'paddle.to_tensor(list(range(3)), dtype="int64")'),
        ("torch.DoubleTensor([k for k in u])", 'paddle.to_tensor([k for k in u], dtype="float64")'),
        ("torch.tensor(collections.deque(u))", "paddle.tensor(list(collections.deque(u)))"),
        ("Variable(torch.zeros(2))", "paddle.zeros(2)"),
        ("Variable(u, requires_grad=False)", "u.detach()"),
        ('torch.einsum("i,i->i", [x, x.clone()])', 'paddle.einsum("i,i->i", x, x.clone())'),
        ("torch.max(x, y)", "paddle.maximum(x, y)"),
        ("torch.min(x, other=y)", "paddle.minimum(x, y)"),
        ("b.scatter(0, k, b)", "b.int().scatter(0, k, b.int()).bool()"),
        ("x.new_empty(2).bernoulli_(0.5)", "x.new_empty(2).bernoulli_(0.5)"),
        ("x.to(u, memory_format=torch.channels_last)", "x.to(u)"),
    ],
)
def test_a_value_is_written_as_an_expert_would(torch: str, paddle: str) -> None:
    before = "x = torch.ones(2)\ny = torch.ones(2)\nb = x > 0\nk = torch.tensor([1, 0])\n"
    assert _last(f"r = {torch}", before) == f"r = {paddle}"


@pytest.mark.parametrize(
    "case",
    [
        "import collections\nr = torch.tensor(collections.deque([1.0, 2.0]))",
        "r = torch.LongTensor(range(3)), torch.DoubleTensor([0.5, 2])",
        "r = torch.Tensor(), torch.IntTensor(), torch.BoolTensor([[1, 0], [0, 2]])",
        "b = x > 0\nr = b.scatter(1, x.argsort(1), b)",
        "r = torch.einsum('ij,kj->ik', [x, y])",
        "w.sum().backward()\nw.grad = None\n(2 * w).sum().backward()\nr = w.grad.norm().item()",
        "w.sum().backward()\nwith torch.no_grad():\n    v = w * 2\nw.grad.zero_()\nr = w.grad",
        "v = torch.zeros(3)\nm = torch.tensor([True, False, True])\n"
        "v[m] = torch.tensor([[1.0, 4.0], [3.0, 2.0]]).max(1).values",
        "v = torch.zeros(3)\nm = torch.tensor([True, False, True])\n"
        "v[m] = torch.tensor([[1.0, 4.0], [3.0, 2.0]]).max(1)[0].detach()",
    ],
)
def test_it_computes_what_torch_does(case: str) -> None:
    assert prove_case("torch.tensor", case, target=TARGET).problem is None
    assert not workbench.convert(f"import torch\n{case}\n").helpers


def test_a_gradient_is_set_to_none_where_nothing_holds_it() -> None:
    loop = "for p in model.parameters():\n    print(p.grad.norm())\n    p.grad = None"
    assert _last(loop, "model = torch.nn.ReLU()\n") == "    p.grad = None"


@pytest.mark.parametrize(
    ("torch", "paddle"),
    [
        ('"lora" in name', '"lora" not in name'),
        ('name not in ("a", "b")', 'name in ("a", "b")'),
        ("name == kept", "not (name == kept)"),
        ('name == "a"', 'name != "a"'),
    ],
)
def test_a_condition_is_turned_round(torch: str, paddle: str) -> None:
    line = f"for name, p in torch.nn.ReLU().named_parameters():\n    p.requires_grad = {torch}"
    assert _last(line) == f"    p.stop_gradient = {paddle}"


def test_a_type_that_depends_on_the_device_is_one_dtype() -> None:
    chosen = "T = torch.cuda.FloatTensor if torch.cuda.is_available() else torch.FloatTensor\n"
    code = workbench.convert(f"{HEAD}{chosen}r = torch.ones(2).type(T)\n").code
    assert code.endswith('r = paddle.ones(2).astype("float32")\n')
    mixed = chosen.replace("else torch.Float", "else torch.Double")
    code = workbench.convert(f"{HEAD}{mixed}r = torch.ones(2).type(T)\n").code
    assert code.endswith("r = torch_as_type(paddle.ones(2), T)\n")


def test_a_device_that_paddle_never_has_is_no_choice() -> None:
    rest = '"mps" if torch.backends.mps.is_available() else "cpu"'
    line = f'd = "cuda" if torch.cuda.is_available() else {rest}'
    assert _last(line) == 'd = "cuda" if paddle.cuda.is_available() else "cpu"'


def test_saving_by_unpacked_arguments_needs_no_helper() -> None:
    lines = "def save(*args, **kwargs):\n    torch.save(*args, **kwargs)"
    assert _last(lines) == "    paddle.save(*args, **kwargs)"


PARTS = """
import torch

x = torch.linspace(-1, 1, 24).view(2, 3, 4).requires_grad_()
parts = torch.view_as_real(torch.fft.rfft(x))
{line}
print(x.grad.tolist(), tuple(parts.shape))
"""


@pytest.mark.parametrize(
    "line",
    [
        "(parts.permute(0, 3, 1, 2) * torch.arange(3.0)).sum().backward()",
        "parts.transpose(1, 3).reshape(4, -1).square().sum().backward()",
        "torch.cat([parts.movedim(-1, 0), parts.movedim(-1, 0)]).exp().sum().backward()",
    ],
)
def test_parts_of_complex_numbers_hand_back_gradients_with_gaps(line: str) -> None:
    assert "paddle.as_real(paddle.fft.rfft(x)).clone()" in assert_prints_the_same(
        PARTS.format(line=line)
    )
