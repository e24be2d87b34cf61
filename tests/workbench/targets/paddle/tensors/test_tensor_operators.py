"""Operators in plain Paddle: factors of unlike dtypes are cast, comparisons are kept."""

from __future__ import annotations

import pytest

from tests.workbench.targets.paddle.both_sides import assert_prints_the_same
from workbench.convert.conversion import convert
from workbench.proof.cases import prove_case
from workbench.targets import PLAIN, load

TARGET = load("paddle", PLAIN)

CAST = [
    ("x * mask", "x * (mask * 1.0)"),
    ("mask * x", "mask * 1.0 * x"),
    ("(x - u) * (x > 0)", '(x - u) * (x > 0).astype("float32")'),
    ("(~u) * (x > 0)", "(~u) * (x > 0)"),
    ("x * ~u", "x * (~u * 1.0)"),
    ("~u[:, None] * x.softmax(-1)", "~u[:, None] * 1.0 * x.softmax(-1)"),
    ("u[:, None] * x[None, :]", "u[:, None] * 1.0 * x[None, :]"),
    ("x * torch.arange(4)", "x * paddle.arange(4).astype(x.dtype)"),
    ("(x > 1) * (u < 2)", "(x > 1) * (u < 2)"),
    (
        "(torch.arange(4) * u)[:, None] + torch.arange(3)",
        "(paddle.arange(4) * u)[:, None] + paddle.arange(3)",
    ),
    ("x.sum(1) / torch.arange(1, 4)", 'x.sum(1) / paddle.arange(1, 4).astype("float32")'),
    ("x / torch.arange(1, 5)", "x / paddle.arange(1, 5).astype(x.dtype)"),
]

REACHED = [
    ('x.mul(u["lr"])', 'x * u["lr"]'),
    ("x.mul(u).add(mask)", "(x * u) + mask"),
    ("x.div(torch.ones(4))", "x.div(paddle.ones(4))"),
]
COMPARED = [
    ("x.argmax(1) == u.to(device)", "x.argmax(1) == u.to(device)"),
    ("x.argmax(1) == x", "x.argmax(1).astype(x.dtype) == x"),
    ("x.argmax(1) < u.to(device)", "x.argmax(1) < u.to(device)"),
]


def _written(line: str) -> str:
    head = "import torch\n\n\ndef f(u, mask, device):\n    x = torch.randn(3, 4)\n"
    code = convert(f"{head}    r = {line}\n", target=TARGET).code
    return code.splitlines()[-1].strip().removeprefix("r = ")


@pytest.mark.parametrize(("line", "plain"), CAST)
def test_one_factor_is_cast(line: str, plain: str) -> None:
    assert _written(line) == plain


@pytest.mark.parametrize(("line", "plain"), REACHED)
def test_possible_numbers_are_added_by_the_operator(line: str, plain: str) -> None:
    assert _written(line) == plain


@pytest.mark.parametrize(("line", "plain"), COMPARED)
def test_tensors_are_compared_by_paddles_own(line: str, plain: str) -> None:
    assert _written(line) == plain


def test_a_factor_that_may_be_anything_keeps_its_helper() -> None:
    assert _written("u * (x > 0)") == "torch_multiplied(u, x > 0)"


@pytest.mark.parametrize(
    "case",
    [
        "mask = x > 0\nx * mask, d * mask, i * mask, mask * i",
        "mask = (x > 0).float()\nx * mask",
        "u = i[0]\nx.float()[:, None] * u[None, :]",
        "(d - x) * (x > 0)",
        "(~m) * (x > 0)",
        "x * torch.arange(4), d * torch.arange(4)",
        "(w * (x > 0)).sum().backward()\ng = w.grad.detach()",
        "(x > 0) * (y < 0)",
        "(i * 2)[:, None] + i, x.sum(1) / torch.arange(1, 4), d / torch.arange(1, 5)",
    ],
)
def test_the_product_is_torchs(case: str) -> None:
    assert prove_case("torch.mul", case, target=TARGET).problem is None


HEAD = "import torch\n\n\ndef f(u, w, mask: torch.Tensor, x: torch.Tensor):\n"


@pytest.mark.parametrize(
    ("line", "written"),
    [
        ("labels * mask[..., None]", "torch_multiplied(labels, mask[..., None])"),
        ("w.get_ids(u) * mask", "torch_multiplied(w.get_ids(u), mask)"),
        ("mask * u.pad_mask", "torch_multiplied(mask, u.pad_mask)"),
        ("labels.x.sum(1) / mask.sum(1)", "torch_divided(labels.x.sum(1), mask.sum(1))"),
        ("mask.sum(1) / x", "torch_divided(mask.sum(1), x)"),
        ("x * (x > 0)", "x * (x > 0).astype(x.dtype)"),
        ("x.to(torch.complex64) * (x > 0)", "x.to(paddle.complex64) * (x > 0)"),
    ],
)
def test_no_cast_is_written_to_a_dtype_that_may_lose_something(line: str, written: str) -> None:
    code = convert(f"{HEAD}    return {line}\n", target=TARGET).code
    assert code.splitlines()[-1].strip() == f"return {written}"


@pytest.mark.parametrize(
    "line", ["x * w", "u * w", "x + u", "(x - u) / w", "x.exp() * w", "w * x.sigmoid()"]
)
def test_an_operator_of_unknown_dtypes_is_reported_at_its_line(line: str) -> None:
    result = convert(f"{HEAD}    return {line}\n", target=TARGET)
    reported = [one for one in result.findings if one.code == "TF118"]
    assert line in result.code
    assert {one.range.start.line for one in reported} == {4}
    assert all("raises an error if one operand is an integer" in one.message for one in reported)


@pytest.mark.parametrize(
    "line",
    [
        *("x * 2", "x.float() * w.float()", "x * x.mean()", "x - x.mean(1)", "1 - w", "x > w"),
        *("x * torch.sigmoid(x)", "x + x.exp()", "x.to(torch.complex64) * w", "w / x.sum()"),
    ],
)
def test_an_operator_that_paddle_takes_is_not_reported(line: str) -> None:
    result = convert(f"{HEAD}    return {line}\n", target=TARGET)
    assert "TF118" not in {one.code for one in result.findings}


@pytest.mark.parametrize(
    ("line", "written"),
    [
        ("u * mask[..., None]", "u * (mask[..., None] * 1.0)"),
        ("mask.unsqueeze(-1) * u.net(w)", "mask.unsqueeze(-1) * 1.0 * u.net(w)"),
        ("(x - u) * w.pad_mask", "(x - u) * (w.pad_mask * 1.0)"),
        ("x.sum(1) / mask.sum(1)", "x.sum(1) / (mask.sum(1) * 1.0)"),
        ("u.sum(1) / mask.sum(1).clamp(min=1)", "u.sum(1) / (mask.sum(1).clamp(min=1) * 1.0)"),
    ],
)
def test_a_mask_becomes_floating_and_the_line_says_when_this_matters(
    line: str, written: str
) -> None:
    result = convert(f"{HEAD}    return {line}\n", target=TARGET)
    assert result.code.splitlines()[-1].strip() == f"return {written}"
    [reported] = [one for one in result.findings if one.code == "TF119"]
    assert reported.range.start.line == 4
    assert "a tensor of integers" in reported.message


@pytest.mark.parametrize("line", ["x.sum() / mask.sum()", "mask.sum() * x", "mask * x.sum()"])
def test_an_operand_without_dimensions_has_any_dtype(line: str) -> None:
    result = convert(f"{HEAD}    return {line}\n", target=TARGET)
    assert result.code.endswith(f"    return {line}\n")
    assert "TF119" not in {one.code for one in result.findings}


MASKED = """
import torch


def masked(u: torch.Tensor, mask):
    return u * mask


for dtype in (torch.float32, torch.float64):
    u = torch.arange(6, dtype=dtype).reshape(2, 3)
    for mask in (u > 2, (u > 2).long(), (u > 2).double()):
        product = globals()["masked"](u, mask)
        print(str(product.dtype).split(".")[1], product.tolist())
"""


def test_floats_are_masked_as_in_torch() -> None:
    assert "u * (mask * 1.0)" in assert_prints_the_same(MASKED)


@pytest.mark.parametrize("line", ["mask.to(x) * x", "x * u.type_as(x)", "u.to(x.dtype) * x"])
def test_a_factor_that_is_cast_to_the_other_dtype_stays(line: str) -> None:
    result = convert(f"{HEAD}    return {line}\n", target=TARGET)
    assert "torch_multiplied" not in result.code
    assert "TF119" not in {one.code for one in result.findings}


SLOPES = """
import torch


def slopes(n):
    return torch.tensor([{item} for i in range(n)])


distance = torch.arange(3)
print((slopes(2)[:, None] * distance).tolist(), (distance[:2] - slopes(2)).tolist())
"""


@pytest.mark.parametrize(
    "item", ["2 ** (-8 * (i + 1) / n)", "n / 2", "(i + 1) / (n + 1) * 3", "2**i"]
)
def test_a_quotient_of_whole_numbers_is_a_float(item: str) -> None:
    assert_prints_the_same(SLOPES.format(item=item))


@pytest.mark.parametrize(
    "change", ["slow += x", "slow -= 2 * x", "slow *= 3", "slow.add_(x, alpha=2)"]
)
@pytest.mark.parametrize("entries", ["defaultdict(dict)", "{'p': {}}"])
def test_a_tensor_that_a_dictionary_sets_by_default_changes_in_place(
    change: str, entries: str
) -> None:
    assert_prints_the_same(
        "import torch\nfrom collections import defaultdict\n"
        f"state = {entries}\nx = torch.ones(2)\n"
        "for step in range(3):\n"
        "    slow = state['p'].setdefault('slow', x.clone())\n"
        f"    {change}\n"
        "print(state['p']['slow'].tolist())\n"
    )


@pytest.mark.parametrize("change", ["p *= masks[n]", "p /= masks[n] + 1", "p += masks[n]"])
def test_parameters_of_a_model_change_by_what_a_dictionary_holds(change: str) -> None:
    assert_prints_the_same(
        "import torch\nfrom torch import nn\n"
        "class Pruner:\n"
        "    def __init__(self, model):\n"
        "        masks = {}\n"
        "        for n, p in model.named_parameters():\n"
        "            masks[n] = (p.detach().abs() > 1).to(p.dtype)\n"
        "            with torch.no_grad():\n"
        f"                {change}\n"
        "net = nn.Linear(2, 2)\n"
        "with torch.no_grad():\n"
        "    for p in net.parameters():\n"
        "        p.copy_(torch.arange(p.numel()).reshape(p.shape))\n"
        "Pruner(net)\n"
        "print([p.tolist() for p in net.parameters()])\n"
    )


@pytest.mark.parametrize(
    ("line", "is_reported"),
    [
        ("self.total += torch.bincount(i)", True),
        ("x[:, 1:] += torch.arange(2)", True),
        ("x[0] *= torch.arange(3) > 1", True),
        ("x[0] *= x[1]", False),
        ("x[0] += torch.arange(3).sum()", False),
        ("i[1:] += torch.arange(2)", False),
        ("x += torch.arange(3)", False),
    ],
)
def test_a_change_by_integers_that_stays_is_reported_at_its_line(
    line: str, is_reported: bool
) -> None:
    text = "import torch\nx, i = torch.rand(2, 3), torch.arange(3)\ndef change(self):\n"
    result = convert(f"{text}    global x, i\n    {line}\n", target=TARGET)
    reported = [one.range.start.line for one in result.findings if one.code == "TF118"]
    assert reported == [4] * is_reported


def test_bits_meet_numbers_whatever_the_dtype() -> None:
    assert_prints_the_same("""import numpy as np
import torch

a = torch.from_numpy(np.arange(6).reshape(2, 3))
print((a.bitwise_right_shift(torch.tensor(1)) & 1).tolist(), (a.bitwise_xor(1) | 8).tolist())


def odd(x):
    return (x & 1).bool(), 3 ^ x


print([one.tolist() for one in odd(a)], [one.tolist() for one in odd(a.int())])
""")


@pytest.mark.parametrize(
    "loss",
    [
        "nn.CrossEntropyLoss(weight=torch.tensor([0.5, 1.0, 2.0]))(scores, labels)",
        "nn.functional.cross_entropy(scores, labels, weight=torch.tensor([0.5, 1.0, 2.0]))",
        "nn.MSELoss()(scores, torch.zeros(4, 3))",
        "nn.functional.silu(scores).sum()",
    ],
)
def test_a_loss_that_is_added_to_keeps_its_gradient(loss: str) -> None:
    assert_prints_the_same(f"""\
import torch
from torch import nn

w = torch.arange(12.0).reshape(4, 3).requires_grad_(True)
labels = torch.tensor([0, 1, 2, 1])


def step(scores):
    loss = {loss}
    loss += 0.5 * scores.square().mean()
    loss.backward()
    return loss.item()


print(step(w * 0.1), w.grad.tolist())
""")


def test_a_factor_that_some_calls_give_as_a_number_meets_a_mask() -> None:
    assert_prints_the_same(
        "import torch\n"
        "def scaled(u, mask):\n    return u * mask, mask * u\n"
        "x = torch.tensor([1.5, -2.0])\n"
        "print([p.tolist() for p in scaled(x, x > 0)], [p.tolist() for p in scaled(2.0, x > 0)])\n"
    )


def test_the_second_result_of_these_calls_is_of_whole_numbers() -> None:
    assert_prints_the_same(
        "import torch\nfrom torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence\n\n"
        "def means(x, n):\n"
        "    packed = pack_padded_sequence(x, n, batch_first=True)\n"
        "    out, lengths = pad_packed_sequence(packed, batch_first=True)\n"
        "    mantissa, exponent = torch.frexp(x)\n"
        "    return out.sum(1) / lengths[:, None], x / exponent, x * x.frexp()[1]\n\n"
        "for one in means(torch.arange(1.0, 13.0).reshape(2, 3, 2), torch.tensor([3, 2])):\n"
        "    print(one.tolist(), one.dtype == torch.float32)\n"
    )


def test_what_is_inverted_holds_no_floats() -> None:
    assert_prints_the_same(
        "import pickle\nimport torch\n\n"
        "def targets(reward, q, rows):\n"
        "    done = torch.tensor(rows)\n"
        "    later = 0.9 * q.gather(1, torch.zeros(2, 1, dtype=torch.long)).squeeze(1)\n"
        "    return reward + later * (~done), reward + later * ~done, (~done).unsqueeze(1) * q\n\n"
        "rows = pickle.loads(pickle.dumps([True, False]))\n"
        "for one in targets(torch.ones(2), torch.ones(2, 3), rows):\n"
        "    print(one.dtype == torch.float32, one.tolist())\n"
    )


def test_a_total_of_an_open_dtype_takes_a_result_that_may_be_a_number() -> None:
    code = assert_prints_the_same(
        "import torch\nfrom torch import nn\n\n\n"
        "class Half(nn.Module):\n    def forward(self, z):\n        return z / 2, 0\n\n\n"
        "class Net(nn.Module):\n    def __init__(self, scale):\n        super().__init__()\n"
        "        self.scale, self.flows = scale, nn.ModuleList([])\n"
        "        self.flows += [Half()]\n\n"
        "    def forward(self, z):\n"
        "        total = torch.zeros(len(z), dtype=z.dtype, device=z.device)\n"
        "        for flow in self.flows:\n"
        "            z, change = flow(z) if self.scale else (z, torch.ones(len(z)))\n"
        "            total += change\n        return z, total\n\n\n"
        "print(Net(True)(torch.ones(2, 3))[1].tolist(), Net(False)(torch.ones(2, 3))[1].tolist())\n"
    )
    assert "total += change" in code
