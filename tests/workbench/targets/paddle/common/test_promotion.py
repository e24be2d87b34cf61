"""Functions of several tensors whose dtypes Paddle does not promote."""

from __future__ import annotations

from textwrap import dedent

import pytest

from tests.workbench.targets.paddle.both_sides import assert_prints_the_same
from workbench.convert.conversion import convert
from workbench.targets import PLAIN, load

TARGET = load("paddle", PLAIN)
HEAD = "import torch\n\n\ndef f(x: torch.Tensor, y: torch.Tensor):\n"


def _codes(line: str) -> list[str]:
    found = convert(f"{HEAD}    return {line}\n", target=TARGET).findings
    return [one.code for one in found if one.code == "TF118"]


@pytest.mark.parametrize(
    "line",
    [
        *("torch.mul(x, y)", "torch.add(x, other=y)", "x.sub(y)", "torch.div(x, y)"),
        *("torch.eq(x, y)", "x.lt(y)", "torch.maximum(x, y)", "torch.logical_and(x, y)"),
        *("torch.addcmul(x, x, y)", "torch.pow(x, y)"),
    ],
)
def test_a_function_of_unknown_dtypes_is_reported(line: str) -> None:
    assert _codes(line) == ["TF118"]


@pytest.mark.parametrize(
    "line",
    [
        *("torch.mul(x, 2)", "torch.mul(x.float(), y.float())", "torch.add(x, y.mean())"),
        *("torch.mul(x.long(), y.float())", "torch.eq(x.long(), y.float())", "torch.matmul(x, y)"),
        *("torch.mul(x.to(torch.complex64), y)", "torch.exp(x)", "torch.add(x, x)"),
        *("torch.mul(x, torch.sigmoid(x))", "torch.sub(x, x.amax(1, keepdim=True))"),
    ],
)
def test_a_function_that_paddle_takes_is_not_reported(line: str) -> None:
    assert _codes(line) == []


@pytest.mark.parametrize(
    "line",
    [
        *(
            "torch.cat([x, y.long()])",
            "torch.stack((y.long(), x), 1)",
            "torch.hstack([x, y.int()])",
        ),
        *("x // y.long()", "y.int() & x", "x | y.long()"),
    ],
)
def test_integers_next_to_an_unknown_dtype_are_reported(line: str) -> None:
    assert _codes(line) == ["TF118"]


@pytest.mark.parametrize(
    "line",
    [
        *("torch.cat([x, y])", "torch.stack([x, x.long()])", "torch.cat([x.long(), y.long()])"),
        *("x.bool() & y", "x // 2", "y.long() // len(x)"),
    ],
)
def test_tensors_that_are_usually_alike_are_not_reported(line: str) -> None:
    assert _codes(line) == []


@pytest.mark.parametrize("change", ["n += y", "n.add_(y)", "n -= y", "n.mul_(y)"])
def test_integers_that_change_by_an_unknown_dtype_are_reported(change: str) -> None:
    text = f"{HEAD}    n = x.long()\n    {change}\n    return n\n"
    found = convert(text, target=TARGET).findings
    assert any("if the right side has another dtype" in one.message for one in found)


def test_operands_of_different_dtypes_are_cast_in_functions_as_in_operators() -> None:
    assert_prints_the_same(
        dedent("""
        import torch

        f = torch.tensor([0.5, 1.5, -2.0])
        i = torch.arange(3)
        m = f > 0
        u = m.byte()
        print(torch.mul(i, f).tolist(), torch.mul(m, u).tolist(), torch.mul(m, i).tolist())
        print(torch.add(i, u).tolist(), torch.sub(f, i).tolist(), torch.div(i, f).tolist())
        print(torch.eq(i, f).tolist(), torch.lt(m, i).tolist(), torch.ne(u, f).tolist())
        print(i.mul(f).tolist(), m.mul(u).tolist(), u.lt(i).tolist(), f.gt(u).tolist())
        print((m * u).tolist(), (u - m.byte()).tolist(), (u * 2).tolist(), (u + i).tolist())
    """)
    )


def test_a_tensor_that_is_moved_to_a_device_keeps_its_dtype() -> None:
    source = f"{HEAD}    mask = torch.ones(3).byte().to(f.device)\n    return x.float() * mask\n"
    assert "mask.astype(" in convert(source, target=TARGET).code


def test_one_of_two_dtypes_takes_the_helper() -> None:
    assert_prints_the_same(
        dedent("""
        import torch


        def compare(output, labels):
            if output.dim() >= 2:
                output = torch.argmax(output, 1)
            return output != labels


        labels = torch.tensor([0, 1, 2])
        print(compare(torch.eye(3), labels).tolist())
        print(compare(torch.Tensor([-1] * 3), labels).tolist())
    """)
    )


def test_what_may_be_bool_after_a_branch_takes_the_helper_in_a_function_that_gets_it() -> None:
    assert_prints_the_same(
        dedent("""
        import torch


        def labels(preds: torch.Tensor, target: torch.Tensor):
            if preds.is_floating_point():
                preds = preds > 0.5
            return preds.reshape(-1), target.reshape(-1)


        def count(preds: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
            return (preds == target).sum() + (2 * target + preds).sum()


        class Metric:
            def update(self, preds: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
                preds, target = labels(preds, target)
                return count(preds, target)


        metric, target = Metric(), torch.tensor([0, 1, 0])
        for values in ([0.2, 0.7, 0.9], [0, 1, 1]):
            print(metric.update(torch.tensor(values), target).item())
    """)
    )


@pytest.mark.parametrize(
    "line",
    ["places - u[0]", "u[0] * places", "1 + places - u", "places * (g(x) + 1)", "g(x) - places"],
)
def test_integers_next_to_a_value_of_unknown_type_are_reported(line: str) -> None:
    source = (
        "import torch\nfrom lib import g\n\n\ndef f(x: torch.Tensor):\n    u = g(x)\n"
        f"    places = torch.where(x > 0)[0]\n    return {line}\n"
    )
    found = [one.code for one in convert(source, target=TARGET).findings]
    assert "TF118" in found


@pytest.mark.parametrize(
    "line",
    [
        "places - 1",
        "places * self.k",
        "places + n",
        "places[u]",
        "places * (n + 1)",
        "places + max(n, 2)",
    ],
)
def test_integers_next_to_a_probable_number_are_not_reported(line: str) -> None:
    source = (
        "import torch\nfrom lib import g\n\n\ndef f(self, x: torch.Tensor, n):\n    u = g(x)\n"
        f"    places = torch.where(x > 0)[0]\n    return {line}\n"
    )
    assert "TF118" not in [one.code for one in convert(source, target=TARGET).findings]


@pytest.mark.parametrize(
    "line",
    [
        *("torch.maximum(a, c)", "torch.where(a > 1, a, c)", "torch.add(a, c, alpha=2)"),
        *("torch.minimum(c, a)", "a.mul(c)", "torch.fmax(a, c)", "torch.atan2(a, c)"),
    ],
)
def test_a_function_that_is_called_with_several_dtypes_promotes(line: str) -> None:
    text = (
        "import torch\n"
        f"def f(a, c):\n    return {line}\n"
        "i = torch.arange(6).view(2, 3)\nx = torch.linspace(0, 1, 6).view(2, 3)\n"
        "print(f(i, x).tolist(), f(x, i).tolist(), f(x, x).tolist())\n"
    )
    assert_prints_the_same(text)


@pytest.mark.parametrize("line", ["x * kw['w']", "kw['w'] / x", "x * kw[name]"])
def test_an_option_of_unknown_type_is_reported(line: str) -> None:
    text = f"import torch\ndef f(x: torch.Tensor, name='w', **kw):\n    return {line}\n"
    assert "TF118" in {one.code for one in convert(text, target=TARGET).findings}
