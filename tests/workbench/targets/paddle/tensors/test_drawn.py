"""Tensors that matplotlib draws: it asks for the numbers in them, which rows of Paddle are not."""

from __future__ import annotations

import pytest

import workbench
from tests.workbench.targets.paddle.both_sides import TARGET

_START = (
    "import matplotlib.pyplot as plt\nimport torch\n\n"
    "g = torch.linspace(0, 1, 5)\nX, Y = torch.meshgrid(g, g, indexing='ij')\nZ = X * Y\n"
    "fig, axes = plt.subplots(1, 2)\n"
)


def _converted(line: str, target: str = TARGET) -> str:
    return workbench.convert(_START + line, target=target).code.rpartition("subplots(1, 2)\n")[2]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("plt.contourf(X, Y, Z, 20)", "plt.contourf(X.numpy(), Y.numpy(), Z, 20)"),
        ("axes[0].pcolormesh(X, Y, Z)", "axes[0].pcolormesh(X.numpy(), Y.numpy(), Z)"),
        ("plt.plot(Z, 'o')", "plt.plot(Z.numpy(), 'o')"),
        ("plt.scatter(X + 1, Y)", "plt.scatter((X + 1).numpy(), Y.numpy())"),
        ("axes[0].set_xlim(g[0], 1)", "axes[0].set_xlim(g[0].numpy(), 1)"),
        (
            "for ax, z in zip(axes, (X, Y)):\n    ax.contour(X, Y, z)",
            "for ax, z in zip(axes, (X, Y)):\n    ax.contour(X.numpy(), Y.numpy(), z)",
        ),
    ],
)
def test_a_tensor_that_is_drawn_becomes_an_array(line: str, expected: str) -> None:
    assert _converted(line) == expected
    assert ".numpy()" not in _converted(line, "jax")


@pytest.mark.parametrize(
    "line",
    [
        "plt.contourf(Z)",
        "plt.imshow(Z)",
        "plt.hist(g)",
        "plt.plot(1, g.sum(), 'o')",
        "plt.plot(g.numpy(), Z.numpy())",
        "plt.plot(*Z)",
        "plt.title('a')",
    ],
)
def test_what_can_be_drawn_stays(line: str) -> None:
    assert _converted(line) == line


def test_a_limit_that_torch_computes_is_reported() -> None:
    found = workbench.check(_START + "plt.xlim(g.min(), g.max())", target=TARGET)
    assert [one.range.start.line for one in found if "as a limit" in one.message] == [7]
