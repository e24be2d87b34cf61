"""Random draws in JAX: they use the keys of the program, or those of a generator."""

from __future__ import annotations

import pytest

from tests.workbench.targets.jax.source import run, written

pytestmark = pytest.mark.usefixtures("narrow")


def test_draws_use_the_keys_of_the_program_or_of_their_generator() -> None:
    code = written(
        """
        torch.manual_seed(0)
        g = torch.Generator().manual_seed(3)
        a = torch.randint(5, 10, (3, 2))
        b = torch.randint(10, (3,), generator=g)
        c = torch.randperm(4, generator=g)[:2]
        d = torch.empty(3, 2).uniform_(-1, 1)
        e = torch.normal(0.0, 2.0, (3,))
        """
    )
    for line in (
        "g = nnx.Rngs(3)",
        "a = rngs.randint((3, 2), 5, 10)",
        "b = g.randint((3,), 0, 10)",
        "c = g.permutation(4)[:2]",
        "d = rngs.uniform(jnp.empty([3, 2]).shape, minval=-1, maxval=1)",
        "e = 0.0 + 2.0 * rngs.normal((3,))",
    ):
        assert line in code


def test_places_are_drawn_by_their_weights() -> None:
    text = """
        torch.manual_seed(0)
        weights = torch.tensor([[0.0, 1.0, 3.0], [0.0, 0.0, 2.0]])
        many = torch.multinomial(weights, 4000, replacement=True)
        result = (many == 2).float().mean(1), torch.multinomial(weights[0], 2), many.min()
        """
    shares, both, least = run(written(text))["result"]
    assert abs(float(shares[0]) - 0.75) < 0.05
    assert float(shares[1]) == 1.0
    assert sorted(map(int, both)) == [1, 2]
    assert int(least) == 1
