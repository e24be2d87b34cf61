"""torch's functions and tensors in plain Paddle: the text, and that it computes the same."""

from __future__ import annotations

import pytest

from workbench.convert.conversion import convert
from workbench.proof.cases import prove_case
from workbench.targets import PLAIN, load

TARGET = load("paddle", PLAIN)

# In a function, so that no dtype is known but those that the lines tell.
PLAINLY = [
    ("x.view(x.size(0), -1)", "x.view(x.size(0), -1)"),
    ('torch.einsum("i j, k j -> i k", x, x)', 'paddle.einsum("i j, k j -> i k", x, x)'),
    ("torch.cat([x, x], dim=1)", "paddle.cat([x, x], dim=1)"),
    ("torch.ones(2, 3, dtype=torch.float32)", "paddle.ones(2, 3, dtype=paddle.float32)"),
    ("x.max()", "x.max()"),
    ("x.max(dim=1)", "paddle.compat.max(x, dim=1)"),
    ("torch.max(x, 1)", "paddle.compat.max(x, 1)"),
    ("x.sort(dim=1)", "paddle.compat.sort(x, dim=1)"),
    ("x.chunk(2, dim=-1)", "x.chunk(2, dim=-1)"),
    ("x.split(2, dim=1)", "paddle.compat.split(x, 2, dim=1)"),
    ("torch.split(x, [1, 3], 1)", "paddle.compat.split(x, [1, 3], 1)"),
    ("x.std(dim=1)", "x.std(axis=1)"),
    ("torch.norm(x, dim=1)", "paddle.norm(x, dim=1)"),
    ("torch.where(x > 0, x, y)", "paddle.where(x > 0, x, y)"),
    ("torch.randint(0, 5, (3,), device=x.device)", "paddle.randint(0, 5, (3,))"),
    ("torch.randint(5, (3,))", "paddle.randint(0, 5, (3,))"),
    ("torch.tensor([1, 2, 3])", "paddle.tensor([1, 2, 3])"),
    ("torch.FloatTensor([1, 2])", 'paddle.to_tensor([1, 2], dtype="float32")'),
    ("x.type(torch.LongTensor)", 'x.astype("int64")'),
    ("x.clamp_min(0)", "x.clip(min=0)"),
    ("x.mean(dim=(0, 1), keepdim=True)", "x.mean(dim=(0, 1), keepdim=True)"),
    ("x * (y > 0)", "x * (y > 0).astype(x.dtype)"),
    ("torch.addcmul(x, y, y, value=0.5)", "x + 0.5 * y * y"),
]


def _written(line: str, more: str = "") -> str:
    source = (
        "import torch\n\n\ndef f(n):\n    x = torch.randn(3, 4)\n    y = torch.randn(3, 4)\n"
        f"{more}    r = {line}\n"
    )
    return _last_line(source).removeprefix("r = ")


def _last_line(source: str) -> str:
    return convert(source, target=TARGET).code.splitlines()[-1].strip()


@pytest.mark.parametrize(("line", "plain"), PLAINLY)
def test_a_call_is_written_as_paddle_has_it(line: str, plain: str) -> None:
    assert _written(line) == plain


@pytest.mark.parametrize(("line", "plain"), PLAINLY)
def test_written_code_computes_the_same(line: str, plain: str) -> None:
    if "rand" in line:
        return
    case = line.replace("x.view(x.size(0), -1)", "a.view(a.size(0), -1)")
    assert prove_case("torch.cat", case, target=TARGET).problem is None


@pytest.mark.parametrize(
    ("statement", "plain"),
    [
        ("x.add_(y)", "x.add_(y)"),
        ("x.add_(y, alpha=-0.5)", "x.add_(y, alpha=-0.5)"),
        ("x.add_(1e-8)", "x.scale_(bias=1e-8)"),
        ("x.sub_(2)", "x.scale_(bias=-2)"),
        ("x.mul_(beta1)", "x.scale_(beta1)"),
        ("x.mul_(1 - beta1)", "x.scale_(1 - beta1)"),
        ("x.div_(2)", "x.scale_(1 / 2)"),
        ("x.mul_(y)", "x.mul_(y)"),
        ("x.addcmul_(y, y, value=1 - beta1)", "x.add_(y * y, alpha=1 - beta1)"),
        ("x.addcdiv_(y, y + 3)", "x.add_(y / (y + 3))"),
        ("x.clamp_(min=0)", "x.clamp_(min=0)"),
        ("x.copy_(y)", "x.set_value(y)"),
        ("x[x > 0] = 1.0", "x[x > 0] = 1.0"),
        ("x[mask] = y[mask]", "x[mask] = y[mask]"),
    ],
)
def test_in_place_methods_are_paddles_own(statement: str, plain: str) -> None:
    source = (
        "import torch\n\n\ndef f(beta1):\n    x = torch.randn(3, 4)\n    y = torch.randn(3, 4)\n"
        f"    mask = y > 0\n    {statement}\n"
    )
    assert _last_line(source) == plain
    case = (
        f"beta1 = 0.9\nmask = y > 0\nt = x.clone()\nv = t\n{statement.replace('x', 't', 1)}\nr = v"
    )
    if "1 / 2" not in plain:
        assert prove_case("torch.Tensor.add_", case, target=TARGET).problem is None


@pytest.mark.parametrize(
    ("line", "more"),
    [
        # The parts are written to: in torch that changes the whole.
        ("x.chunk(2)", "    x.add_(1)\n"),
        ("x.chunk(2)", "    for r in x.chunk(2):\n        r.mul_(2)\n"),
        ("x.split(2)", "    x[0] = 1\n"),
        # Dtypes that Paddle has no kernel for.
        ("torch.einsum('i,j->ij', n, n)", "    n = torch.tensor([1, 2])\n"),
        ("torch.max(m)", "    m = x > 0\n"),
        # Silently another dtype in Paddle.
        ("torch.full((2,), 7)", ""),
        # Numpy's numbers.
        ("torch.tensor([np.float64(2)])", ""),
    ],
)
def test_where_it_would_differ_the_exact_form_is_written(line: str, more: str) -> None:
    exact = load("paddle", "exact")
    source = (
        "import numpy as np\nimport torch\n\n\ndef f(n):\n    x = torch.randn(4, 4)\n"
        f"{more}    r = {line}\n"
    )
    plain = convert(source, target=TARGET).code.splitlines()[-1]
    assert plain == convert(source, target=exact).code.splitlines()[-1]


def test_a_gradient_that_is_divided_is_no_value_for_a_helper() -> None:
    source = "import torch\n\n\ndef f(p: torch.Tensor, n: int):\n    p.grad /= n\n"
    assert _last_line(source) == "p.grad /= n"
    exact = convert(source, target=load("paddle", "exact")).code
    assert "torch_grad" not in exact and compile(exact, "exact", "exec")


def test_gradients_are_read_as_they_are() -> None:
    source = (
        "import torch\n\n\ndef f(p: torch.Tensor):\n    if p.grad is not None:\n"
        "        p.grad.zero_()\n    return p.grad.norm()\n"
    )
    lines = convert(source, target=TARGET).code.splitlines()[-3:]
    assert [line.strip() for line in lines] == [
        "if p.grad is not None:",
        "p.grad.data.zero_()",
        "return p.grad.norm()",
    ]


def test_an_older_version_gets_what_it_takes() -> None:
    source = "import torch\n\n\ndef f(x: torch.Tensor):\n    return torch.cat([x, x], dim=1)\n"
    code = convert(source, target=load("paddle==3.1")).code
    assert code.splitlines()[-1].strip() == "return paddle.concat([x, x], axis=1)"


@pytest.mark.parametrize(
    ("line", "plain"),
    [
        ("torch.relu(x)", "paddle.nn.functional.relu(x)"),
        ("x.relu()", "paddle.nn.functional.relu(x)"),
        ("x.log_softmax(dim=-1)", "paddle.nn.functional.log_softmax(x, axis=-1)"),
        ("x.var(dim=-1, unbiased=False)", "x.var(axis=-1, unbiased=False)"),
        ("torch.var(x, 1)", "paddle.var(x, axis=1)"),
        ("torch.where(x > 0, torch.arange(4), n)", "paddle.where(x > 0, paddle.arange(4), n)"),
        ("torch.cat([torch.arange(4), n])", "paddle.cat([paddle.arange(4), n])"),
        ("nn.ParameterList([])", "paddle.nn.ParameterList([])"),
        (
            "F.pad(n, (1, 0), value=True)",
            'paddle.compat.nn.functional.pad(n.astype("int32"), (1, 0), value=True).astype("bool")',
        ),
        (
            "F.pad(x > 0, (1, 0))",
            'paddle.compat.nn.functional.pad((x > 0).astype("int32"), (1, 0)).astype("bool")',
        ),
    ],
)
def test_methods_masks_and_what_is_not_known(line: str, plain: str) -> None:
    names = "from torch import nn\nimport torch.nn.functional as F\n"
    source = f"import torch\n{names}\n\ndef f(n):\n    x = torch.randn(3, 4)\n    r = {line}\n"
    written = _last_line(source).removeprefix("r = ").replace("F.", "paddle.nn.functional.")
    assert written.replace("paddle.paddle", "paddle").replace(" nn.", " paddle.nn.") in (
        plain,
        plain.removeprefix("paddle."),
    )


@pytest.mark.parametrize(
    "case",
    [
        "torch.relu(x), x.relu()",
        "x.log_softmax(dim=-1), a.log_softmax(1)",
        "x.var(dim=-1, unbiased=False), torch.var(x, 1), x.var(), x.var(0, keepdim=True)",
        "F.pad(m, (1, 0), value=True), F.pad(m, (1, 2, 0, 1)), F.pad(m, [2, 0], value=False)",
        "(w.var(1) * n).sum().backward()\ng = w.grad.detach()",
    ],
)
def test_methods_and_masks_compute_the_same(case: str) -> None:
    assert prove_case("torch.cat", case, target=TARGET).problem is None


@pytest.mark.parametrize(
    ("line", "written"),
    [
        ("torch.as_tensor(u, dtype=torch.long)", "paddle.as_tensor(u, dtype=paddle.int64)"),
        # A tensor among what may come keeps its gradients.
        (
            "torch.as_tensor(u, dtype=torch.float32)",
            "u.to(paddle.float32) if paddle.is_tensor(u) else"
            " paddle.tensor(u, dtype=paddle.float32)",
        ),
        (
            'torch.as_tensor(u.a["b"], device=n)',
            'u.a["b"].to(n) if paddle.is_tensor(u.a["b"]) else paddle.tensor(u.a["b"], device=n)',
        ),
        ("torch.as_tensor(u())", "torch_as_tensor(u())"),
        ("torch.from_numpy(u.values())", "paddle.from_numpy(u.values())"),
        ("torch.ones(3).repeat_interleave(u)", "paddle.ones(3).repeat_interleave(u)"),
        ("torch.tensor(math.sqrt(n))", "paddle.tensor(math.sqrt(n))"),
    ],
)
def test_data_of_which_nothing_is_known(line: str, written: str) -> None:
    text = f"import math\nimport numpy as np\nimport torch\n\n\ndef f(u, n):\n    return {line}\n"
    assert convert(text, target=load("paddle", PLAIN)).code.endswith(f"return {written}\n")


@pytest.mark.parametrize(
    ("body", "written"),
    [
        ("return x[:, [0, 2]]", "return x.contiguous()[:, [0, 2]]"),
        # Written to, the variable has to stay the view that it may be.
        ("x += 1\n    return x[:, [0, 2]]", "return x.clone()[:, [0, 2]]"),
        ("return x.t()[:, i.long()]", "return x.t().clone()[:, i.long()]"),
        ("x[i] = torch.arange(2.0)\n    return x", "return x"),
        ("x[i] = x[x > 0]\n    return x", "return x"),
        ("x[i.long()] = i\n    return x", "return x"),
        ("return x.masked_fill_(i, -torch.inf)", "return x.masked_fill_(i, -float('inf'))"),
        ("return x.masked_fill(i, -torch.inf)", "return x.masked_fill(i, -float('inf'))"),
        ("return x.to(torch.get_default_dtype())", "return x.to(paddle.tensor(0.0).dtype)"),
        ("y = torch.as_tensor(x, device=i)\n    return y", "return y"),
    ],
)
def test_picked_places(body: str, written: str) -> None:
    text = f"import torch\n\n\ndef f(i):\n    x = torch.randn(3, 4)\n    {body}\n"
    assert _last_line(text) == written


@pytest.mark.parametrize(
    "case",
    [
        "u = x[:, 1:4]\nr = u[:, [0, 2]]",
        "u = w.T\nu[:, [1, 0]].sum().backward()\ng = w.grad",
        "def f(u, dtype):\n    return torch.as_tensor(u, dtype=dtype)\n"
        "f(w * 2, torch.float32).sum().backward()\ng, r = w.grad, f([1.5, 2.5], torch.float64)",
        "t = torch.zeros(4)\nt[torch.tensor([2, 0])] = torch.arange(2.0)",
        "t = torch.zeros(4, 4)\nt[torch.tensor([2, 0])] = w[:2] * 2\n(t * t).sum().backward()\n"
        "g = w.grad",
        "t = w * 2\nt.masked_fill_(x > 0, -1e9)\nt.exp().sum().backward()\ng = w.grad",
        "torch.get_default_dtype() == torch.float32",
        "x.repeat_interleave(torch.tensor([1, 0, 2]), 0), torch.repeat_interleave(x, 2)",
        "u = x[:, 1:4]\nu += 1\nr = u[:, [0, 2]]",
        "w.T[:, torch.tensor([1, 0])].pow(2).sum().backward()\ng = w.grad",
        "torch.gather(x, 1, n[:, None]), torch.gather(w, 0, i[:, :2] % 3)",
    ],
)
def test_picked_places_compute_the_same(case: str) -> None:
    assert prove_case("torch.cat", case, target=TARGET).problem is None


@pytest.mark.parametrize(
    ("line", "plain"),
    [
        ("t[index] = u", True),
        ("t[batch_idx, :, perm] = u", True),
        ("t[index - 1] = u", True),
        ("t[u > 0] = torch.nan", True),
        ("t[u > 0] = torch.arange(3)", True),
        ("t.long()[u > 0] = u", False),  # of no variable's own
        ("t[index] = u[None]", False),  # Paddle reads values that are not there
        ("t[mask] = u", False),  # the gradient of one value
        ("t.double()[index] = u", False),
    ],
)
def test_places_that_are_written_to(line: str, plain: bool) -> None:
    names = "u: torch.Tensor, index: torch.Tensor, batch_idx, perm, mask: torch.Tensor"
    text = (
        f"import torch\n\n\ndef f({names}):\n    t = torch.zeros(4, 3)\n    {line}\n    return t\n"
    )
    written = convert(text, target=load("paddle", PLAIN))
    assert ("TorchPlaces" not in written.helpers) == plain


@pytest.mark.parametrize(
    "case",
    [
        "t = torch.zeros(4, 4)\nindex = n\nt[index] = w * 2\n(t * t).sum().backward()\ng = w.grad",
        "t = torch.zeros(4, 4)\nindex = n\nt[index] = w[0]\n(t * t).sum().backward()\ng = w.grad",
        "t = torch.zeros(4)\nindex = n\nt[index] = w[0, 0]\nt.sum().backward()\ng = w.grad",
        "t = x.clone()\nt[x > 0] = torch.nan",
        "t = i.clone()\nt[i > 1] = i[i > 1] + 1",
    ],
)
def test_places_that_are_written_to_hold_torchs_values(case: str) -> None:
    assert prove_case("torch.cat", case, target=TARGET).problem is None


def test_a_dtype_is_given_by_name_to_what_may_be_a_module() -> None:
    text = "import torch\ndef half(x, m):\n    return (x + 1).to(torch.half), m.to(torch.double)\n"
    code = convert(text, target=TARGET).code
    assert "(x + 1).to(paddle.float16)" in code or "(x + 1).to(paddle.half)" in code
    assert "m.to(dtype=paddle.float64)" in code


def test_elements_of_what_may_be_a_shape_are_counted() -> None:
    source = (
        "def count(shapes):\n"
        "    return [shape.numel() for shape in shapes]\n"
        "def total(value):\n"
        "    return value.numel()\n"
        "r = count([x.shape, torch.Size([4])]), total(x), total(x.shape), int(x[0].numel())\n"
    )
    assert prove_case("torch.Tensor.numel", source, target=TARGET).problem is None
