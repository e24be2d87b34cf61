"""Sums, products and lengths along dimensions, and tensors of values that are not known."""

from __future__ import annotations

import pytest

from tests.workbench.targets.paddle.both_sides import assert_prints_the_same
from workbench.convert.checking import check
from workbench.convert.conversion import convert
from workbench.proof.cases import prove_case
from workbench.targets import PLAIN, load

TARGET = load("paddle", PLAIN)

# A line, how it is written in plain Paddle, and the line with values that prove it.
PLAINLY = [
    ("torch.trace(x)", "paddle.trace(x)", "torch.trace(x)"),
    ("torch.quantile(x, 0.5, dim=1)", "paddle.quantile(x, 0.5, axis=1)", ""),
    ("torch.cumprod(x, dim=0)", "paddle.cumprod(x, dim=0)", ""),
    ("(x > 0).cumsum(dim=-1)", '(x > 0).astype("int64").cumsum(axis=-1)', ""),
    ("torch.lerp(x, y, 0.3)", "paddle.lerp(x, y, 0.3)", ""),
    ("x.lerp(y, u)", "x + u * (y - x)", "x.lerp(y, x.sigmoid())"),
    ("torch.norm(x, dim=u)", "paddle.linalg.vector_norm(x, axis=u)", "torch.norm(x, dim=0)"),
    (
        "x.norm(dim=(0, 1), keepdim=True)",
        "paddle.linalg.vector_norm(x, axis=(0, 1), keepdim=True)",
        "",
    ),
    (
        "F.normalize(x, dim=u)",
        "paddle.nn.functional.normalize(x, axis=u)",
        "F.normalize(x, dim=-1)",
    ),
    (
        "F.normalize(x, dim=-1, eps=1e-8)",
        "paddle.nn.functional.normalize(x, axis=-1, epsilon=1e-8)",
        "",
    ),
    (
        "F.normalize(x, dim=1, eps=1e-3)",
        "x / paddle.linalg.vector_norm(x, 2, 1, keepdim=True).clip(min=1e-3)",
        "(F.normalize(w, dim=1, eps=0.1) ** 3).sum().backward()\ng = w.grad",
    ),
    ("torch.full((2,), u)", "paddle.tensor(u).expand((2,))", "torch.full((2,), len('abc'))"),
    ("torch.tensor(u)", "paddle.tensor(u)", ""),
    (
        'torch.div(x - u, u, rounding_mode="floor") + 1',
        "(x - u) // u + 1",
        "torch.div(i - 5, 2, rounding_mode='floor') + 1",
    ),
    ("torch.tensor(u, dtype=torch.long)", "paddle.tensor(u, dtype=paddle.int64)", ""),
    ("torch.tensor(range(3))", "paddle.tensor(list(range(3)))", ""),
    ('torch.tensor(bytearray(b"ab"))', 'paddle.tensor(list(bytearray(b"ab")))', ""),
    ("torch.tensor([x.sum(), y.sum()])", "paddle.tensor([x.sum(), y.sum()])", ""),
    ("torch.as_tensor((x.sum(), y.sum()))", "paddle.tensor((x.sum(), y.sum()))", ""),
    ("list(map(torch.tensor, u))", "list(map(paddle.tensor, u))", ""),
    ("torch.pow(2, x) - 1", "2 ** x - 1", ""),
    ("torch.pow(x.abs(), 1 / 3)", "paddle.pow(x.abs(), 1 / 3)", ""),
    ("torch.pow(u, -2)", "u ** -2", ""),
    ("torch.pow(torch.arange(3), 0.5)", "paddle.arange(3) ** 0.5", ""),
    ("torch.arange(3).pow(1 / 2)", "paddle.arange(3) ** (1 / 2)", ""),
    ("x.exp().pow(-0.5)", "x.exp().pow(-0.5)", ""),
    ("torch.minimum(x, u)", "paddle.minimum(x, u)", "torch.minimum(x, y)"),
    ("torch.atan2(x, other=y)", "paddle.atan2(x, y)", ""),
    ("torch.prod(x, dim=0)", "paddle.prod(x, axis=0)", ""),
    ("x.prod()", "paddle.prod(x)", ""),
    ("-torch.div(1.0, 1 + x.exp())", "-(1.0 / (1 + x.exp()))", ""),
    ("x.narrow(-1, 1, 2)", "x.narrow(-1, 1, 2)", ""),
    ("torch.complex(x, y).real", "paddle.real(paddle.complex(x, y))", ""),
    (
        "torch.promote_types(u, torch.float32)",
        "u if u in (paddle.float64, paddle.complex64, paddle.complex128) else paddle.float32",
        "[torch.promote_types(t.dtype, torch.float32) for t in (d, x, i, x.half(), x + 1j)]",
    ),
    (
        "torch.promote_types(x.dtype, y.dtype)",
        "(paddle.empty(0, dtype=x.dtype) + paddle.empty(0, dtype=y.dtype)).dtype",
        "torch.ones(2, dtype=torch.promote_types(x.dtype, d.dtype))",
    ),
    ("0.5 in x", "bool((x == 0.5).any())", ""),
    (
        "torch.broadcast_shapes(x.shape, (1, 4), u)",
        "tuple(paddle.broadcast_shapes(x.shape, (1, 4), u))",
        "torch.broadcast_shapes(x.shape, (2, 1, 4)), torch.broadcast_shapes((), (2,), ())",
    ),
    (
        "not x.dtype.is_floating_point",
        "not paddle.is_floating_point(x)",
        "[t.dtype.is_floating_point for t in (x, d, i, m, x.half(), x.bfloat16())]",
    ),
    (
        "torch.promote_types(u, x.dtype).is_floating_point or u",
        "(paddle.empty(0, dtype=u) + paddle.empty(0, dtype=x.dtype)).dtype in (paddle.float32, "
        "paddle.float64, paddle.float16, paddle.bfloat16) or u",
        "torch.promote_types(i.dtype, i.dtype).is_floating_point",
    ),
    (
        "torch.linalg.svd(x)[1]",
        "torch_linalg_svd(x)[1]",
        "u, r, v = torch.linalg.svd(x)\nr, u.shape, v.shape",
    ),
    ("img.amax(dim=(-2, -1))", "img.amax(-2).amax(-1)", ""),
    (
        "torch.amin(img, (0, 2), keepdim=True)",
        "img.amin(2, keepdim=True).amin(0, keepdim=True)",
        "torch.amin(img, (0, 2), keepdim=True), img.amax((1, -1)), img.amax((0, 1, 3))",
    ),
    ("torch.concat(u, dim=-1)", "paddle.cat(u, dim=-1)", "torch.concat([x, y], dim=-1)"),
    ("torch.logical_or(x > 0, u)", "paddle.logical_or(x > 0, u)", "torch.logical_or(x > 0, y > 0)"),
    ('x.div(y, rounding_mode="floor")', "x // y", "i.div(2, rounding_mode='floor')"),
    ("x.float().div(255)", "x.float() / 255", ""),
    ("x.to(u, copy=True)", "x.clone().to(u)", "(w * 2).to(torch.float64, copy=True)"),
    (
        "x.to(dtype=torch.long, copy=True)",
        "x.detach().clone().to(dtype=paddle.int64)",
        "w.to(dtype=torch.long, copy=True)",
    ),
    (
        "x.unfold(dimension=-1, size=2, step=2)",
        "x.unfold(-1, 2, 2)",
        "(w.unfold(-1, 2, 2) ** 3).sum().backward()\ng = w.grad",
    ),
    ("0.5 not in x", "not (x == 0.5).any()", ""),
    ('"a" in x', '"a" in x', "x"),
]
KEPT = [
    "torch.quantile(x, u)",  # a tensor of places, maybe
    "x.norm('nuc')",
    "torch.arange(1, 3).pow(-1)",
    "torch.pow(torch.complex(x, y), x.requires_grad_())",
    "torch.minimum(x > 0, y > 0)",
    "torch.atan2(torch.arange(3), torch.arange(3))",
    "(x > 0).prod()",
    "torch.div(x > 0, 2)",
    "x.unfold(-1, 2, 1)",
    "torch.logical_or(x, y > 0)",
    "torch.promote_types(torch.uint8, torch.int8)",
    "torch.promote_types(torch.int64, u)",
    "torch.allclose(x + 1j, y + 1j)",
]


def _written(line: str, first: str = "") -> str:
    source = (
        f"{first}import torch\nimport torch.nn.functional as F\n\n\ndef f(u):\n"
        f"    x = torch.randn(3, 4)\n    y = torch.randn(3, 4)\n    r = {line}\n"
    )
    last = convert(source, target=TARGET).code.splitlines()[-1].strip()
    return last.removeprefix("r = ").replace("F.", "paddle.nn.functional.")


@pytest.mark.parametrize(("line", "plain", "case"), PLAINLY)
def test_a_call_is_written_as_paddle_has_it(line: str, plain: str, case: str) -> None:
    assert _written(line) == plain


@pytest.mark.parametrize("case", [case or line for line, _, case in PLAINLY])
def test_written_code_computes_the_same(case: str) -> None:
    if "(u" in case:  # of the test's own argument
        return
    assert prove_case("torch.norm", case, target=TARGET).problem is None


@pytest.mark.parametrize("line", KEPT)
def test_uses_that_paddle_computes_differently_keep_their_helper(line: str) -> None:
    assert "torch_" in _written(line)


DTYPES = "import torch\nprint(str({call}).split('.')[-1])\n"


@pytest.mark.parametrize(
    "call",
    [
        "torch.promote_types(torch.uint8, torch.int8)",
        "torch.promote_types(torch.bool, torch.ones(1).dtype)",
        "torch.promote_types(torch.float16, torch.bfloat16)",
    ],
)
def test_dtypes_are_promoted_as_torch_promotes_them(call: str) -> None:
    assert_prints_the_same(DTYPES.format(call=call))


def test_a_list_of_numpys_numbers_keeps_its_width() -> None:
    line = "torch.tensor([np.float64(0.5), np.mean(u)])"
    assert _written(line, "import numpy as np\n").startswith("torch_tensor")


def test_a_value_that_may_hold_numpys_numbers_is_reported() -> None:
    source = "import numpy as np\nimport torch\n\n\ndef f(u):\n    return torch.tensor(u)\n"
    assert "TF117" in {one.code for one in check(source)}
    assert "TF117" not in {one.code for one in check(source.replace("import numpy as np\n", ""))}


def test_a_tensor_that_is_taken_as_one_keeps_its_gradients() -> None:
    written = _written("torch.as_tensor(u).sum()")
    assert written == "(u if paddle.is_tensor(u) else paddle.tensor(u)).sum()"


@pytest.mark.parametrize(
    ("lines", "shares"),
    [
        ("a = torch.from_numpy(u)\nu[0] = 1", True),
        ("a = torch.from_numpy(u)\na[0] = 1", True),
        ("u = torch.from_numpy(u)\nu[0] = 1", False),
        ("a = torch.from_numpy(u).to(torch.float)\na[0] = 1", False),
        ("a = torch.from_numpy(u).to(u.device)\na[0] = 1", True),
        ("a = []\na += [torch.from_numpy(u)]", False),
        ("u[0] = 1\nreturn torch.as_tensor(u)", False),
        ("a = torch.from_numpy(u % 10)\na[0] = 1", False),
    ],
)
def test_memory_that_is_seen_to_be_shared_stays_so(lines: str, shares: bool) -> None:
    body = "".join(f"    {line}\n" for line in lines.splitlines())
    written = convert(f"import torch\n\n\ndef f(u):\n{body}", target=TARGET)
    assert bool(written.helpers) == shares


@pytest.mark.parametrize(
    ("line", "plain"),
    [
        ("u.numel(), u.layout.value", True),
        ("u.numel(), u.layout == torch.sparse_coo", False),
        ("torch.zeros(u.numel(), layout=u.layout)", False),
    ],
)
def test_a_layout_that_is_none_of_torchs_stays(line: str, plain: bool) -> None:
    text = f"import torch\n\n\ndef f(u: torch.Tensor):\n    return {line}\n"
    code = convert(text, target=TARGET).code
    assert ("u.layout" in code and "torch_layout" not in code) == plain


def test_three_factors_are_unpacked() -> None:
    text = "import torch\n\n\ndef f(x):\n    u, s, v = torch.linalg.svd(x)\n    return u, s, v\n"
    written = convert(text, target=TARGET).code
    assert "u, s, v = paddle.linalg.svd(x, full_matrices=True)\n" in written
