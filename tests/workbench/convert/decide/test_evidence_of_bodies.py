"""Calls count as a tensor's, or not, by the evidence of the code around them."""

from __future__ import annotations

import pytest

from tests.workbench.exact import convert


def _converted(body: str, arguments: str) -> str:
    indented = "".join(f"    {line}\n" for line in body.splitlines())
    return convert(f"import torch\ndef f({arguments}):\n{indented}").code


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        # A variable that only its uses describe.
        ("a, b = s['a'], s['b']\nb.mul_(0.9)\nreturn b.add(g['eps'])", "torch_add(b, g['eps'])"),
        # A method of a tensor, called of what another gives.
        ("return s['v'].div(g['c']).sqrt_()", "torch_div(s['v'], g['c'])"),
        # One of two tensors, and not the values and their places.
        ("u = torch.max(s['a'].abs(), torch.abs(g))\nreturn u.mul_(2)", "torch_mul, u, 2"),
        ("u = torch.min(s, g)\nreturn u.mul_(2)", "torch_mul, u, 2"),
    ],
)
def test_tensors_are_recognized_by_their_uses(body: str, expected: str) -> None:
    assert expected in _converted(body, "s, g")


@pytest.mark.parametrize(
    "body",
    [
        "return m.inner(x, x, x, keepdim=True)",
        "n = x.dim()\nm.dim = n\nreturn m.dim",
    ],
)
def test_members_that_tensors_lack_are_left_alone(body: str) -> None:
    indented = "".join(f"    {line}\n" for line in body.splitlines())
    source = f"import torch\ndef f(m, x: torch.Tensor):\n{indented}"
    conversion = convert(source)
    assert conversion.code == source.replace("torch", "paddle")
    assert not [one for one in conversion.findings if one.severity == "error"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("x.sum().softmax(-1).bool()", ".detach().bool()"),
        ("(x / y).long()", "(x / y).detach().long()"),
        ("(x.sigmoid() * y)[..., 0].to(torch.int32)", ".detach().to(paddle.int32)"),
        ("y.long()", "y.long()"),
        ("torch.zeros(3).long()", "paddle.zeros([3]).long()"),
    ],
)
def test_gradients_end_where_numbers_become_whole(line: str, expected: str) -> None:
    """In torch; elsewhere they would go on where these become floating point again."""
    assert expected in _converted(f"return {line}", "x: torch.Tensor, y")
