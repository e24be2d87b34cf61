"""Functions of JAX itself where the program shows that they compute as torch's."""

from __future__ import annotations

import numpy as np
import pytest

import workbench
from tests.workbench.targets.jax.source import HEAD, run, written

X = 'x = torch.tensor(np.linspace(-2, 3, 24).reshape(4, 6).astype("float32"))\n'


@pytest.mark.parametrize(
    ("torch", "jax"),
    [
        ("x.norm().item()", "jnp.linalg.norm(x).item()"),
        ('f"{x.std(0).mean():.4f}"', "jnp.std(x, axis=0, ddof=1)"),
        ("float(x.abs().max())", "jnp.abs(x).max()"),
        ("torch.max(x, 1).indices", "jnp.argmax(x, axis=1)"),
        ("x.min(0, keepdim=True)[1]", "jnp.argmin(x, axis=0, keepdims=True)"),
        ("(x > 0).sum(1)", "jnp.sum(x > 0, axis=1)"),
        ("torch.cat([x, x[:1]], dim=0)", "jnp.concatenate([x, x[:1]], axis=0)"),
        ('x.masked_fill(x < 0, float("-inf"))', 'jnp.where(x < 0, float("-inf"), x)'),
        ("torch.flatten(x, 1)", "x.reshape(x.shape[0], -1)"),
        ("nn.functional.mse_loss(x, x * 2)", "jnp.mean((x - x * 2) ** 2)"),
        ("torch.allclose(x, x + 1e-3, atol=1e-2)", "bool(jnp.allclose(x, x + 1e-3, atol=1e-2))"),
    ],
)
def test_no_helper_is_needed(torch: str, jax: str) -> None:
    text = f"{X}y = {torch}\n"
    code = written(text)
    assert jax in code
    theirs, mine = run(HEAD + text)["y"], run(code)["y"]
    if isinstance(theirs, str | bool):
        assert mine == theirs
    else:
        assert np.allclose(np.asarray(mine), np.asarray(theirs), atol=1e-6)


def test_parts_with_names_of_their_own_are_of_one_size() -> None:
    text = f"{X}a, b, c = x.chunk(3, dim=-1)\nparts = x.chunk(4, dim=-1)\n"
    code = written(text)
    assert "a, b, c = jnp.split(x, 3, axis=-1)" in code
    mine, theirs = run(code), run(HEAD + text)
    assert np.allclose(mine["c"], theirs["c"])
    assert [one.shape for one in mine["parts"]] == [one.shape for one in theirs["parts"]]


def test_gradients_at_zero_keep_the_helper() -> None:
    assert "torch_abs(x)" in written(f"{X}y = x.abs().mean()\n")
    assert "torch_root" in written(f"{X}y = x.norm()\n")


def test_an_empty_tensor_keeps_the_helper() -> None:
    code = written(f"{X}y = torch.cat([torch.tensor([]), x])\n")
    assert "torch_cat(" in code
    assert run(code)["y"].shape == (4, 6)


def test_a_function_that_gets_its_tensor_later_is_refused() -> None:
    found = workbench.convert(
        f"{HEAD}import functools\nf = functools.partial(torch.flatten, start_dim=1)\n", target="jax"
    )
    (refused,) = found.unconverted
    assert "passed as a value" in refused.message
