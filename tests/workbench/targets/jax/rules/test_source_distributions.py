"""Distributions in JAX compute as torch's."""

from __future__ import annotations

import numpy as np
import pytest

from tests.workbench.targets.jax.source import HEAD, run, written

pytestmark = pytest.mark.usefixtures("narrow")
_DATA = "import torch.distributions as D\nx = torch.tensor([[0.2, -0.4], [1.5, 0.3]])\n"
_C = "torch.tensor([[2.0, 0.0], [0.0, 0.5]])"
_M = "D.MultivariateNormal"
_P = "torch.tensor([[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]])"


@pytest.mark.parametrize(
    "value",
    [
        "D.Normal(x, x.abs() + 0.5).log_prob(torch.ones(2))",
        "D.Normal(0.0, 1.0).log_prob(x) + D.Normal(x, 2.0).entropy()",
        "D.Normal(x, 2.0).stddev + D.Normal(x, 2.0).variance + D.Normal(x, 2.0).mean",
        "D.Normal(0.0, 2.0).cdf(x) + D.Normal(0.0, 2.0).icdf(torch.tensor(0.3))",
        f"D.Categorical({_P}).log_prob(torch.tensor([2, 0]))",
        f"D.Categorical(logits={_P}).entropy() + D.Categorical({_P} * 2).probs[:, 0]",
        f"D.Categorical({_P}).log_prob(torch.tensor([[2], [0]]))",
        f"D.Categorical({_P}).enumerate_support()",
        "D.Bernoulli(logits=x).log_prob(torch.ones(2)) + D.Bernoulli(x.sigmoid()).entropy()",
        "D.Independent(D.Normal(x, torch.ones(2, 2)), 1).log_prob(torch.ones(2))",
        "D.Independent(D.Normal(x, torch.ones(2, 2)), 1).entropy()",
        "D.kl_divergence(D.Normal(x, torch.ones(2)), D.Normal(0.0, 2.0))",
        f"D.kl_divergence(D.Categorical({_P}), D.Categorical({_P}.flip(1)))",
        "D.kl_divergence(D.Bernoulli(logits=x), D.Bernoulli(0.3))",
        "D.kl_divergence(D.Independent(D.Normal(x, 2.0), 1), D.Independent(D.Normal(0, x**2), 1))",
        f"D.kl_divergence({_M}(x, {_C}), {_M}(x[0], {_C} * 2))",
        f"D.kl_divergence({_M}(x[0], {_C}), {_M}(x, scale_tril={_C}))",
    ],
)
def test_distributions_compute_the_same(value: str) -> None:
    text = f"{_DATA}result = {value}\n"
    converted = run(written(text))["result"]
    expected = run(HEAD + text)["result"].numpy()
    np.testing.assert_allclose(np.asarray(converted), expected, rtol=1e-5, atol=1e-6)


def test_draws_take_keys_and_have_their_distribution() -> None:
    text = f"""{_DATA}torch.manual_seed(0)
normal = D.Normal(torch.tensor([0.0, 3.0]), torch.tensor([1.0, 0.1])).sample((4000,))
chosen = D.Categorical(torch.tensor([0.1, 0.9])).sample((4000,))
drawn = D.Bernoulli(torch.tensor(0.25)).sample((4000,))
"""
    code = written(text)
    assert ".sample((4000,), rngs)" in code
    found = run(code)
    np.testing.assert_allclose(np.asarray(found["normal"]).mean(0), [0, 3], atol=0.1)
    np.testing.assert_allclose(np.asarray(found["normal"]).std(0), [1, 0.1], atol=0.1)
    assert abs(float(found["chosen"].mean()) - 0.9) < 0.05
    assert abs(float(found["drawn"].mean()) - 0.25) < 0.05
