"""Distributions that are drawn from, as short classes next to the program."""

from __future__ import annotations

import pytest

import workbench
from workbench.proof.cases import prove_case
from workbench.targets import PLAIN, load

TARGET = load("paddle", PLAIN)


@pytest.mark.parametrize(
    "case",
    [
        "d = torch.distributions.Categorical(p)\nd.log_prob(n % p.shape[-1]), d.entropy(), d.probs",
        "d = torch.distributions.Categorical(logits=w)\n"
        "d.log_prob(n).sum().backward()\ng = w.grad\nd.sample().shape, d.sample((5,)).shape",
        "d = torch.distributions.Normal(w, x.abs() + 1)\n"
        "(d.log_prob(y) + d.entropy()).sum().backward()\ng = w.grad",
        "d = torch.distributions.Normal(w, x.abs() + 1)\n"
        "d.sample().requires_grad, d.rsample((2,)).requires_grad, d.mean, d.stddev",
        "d = torch.distributions.Normal(0, 2.0)\nd.log_prob(x), d.variance, d.sample((3,)).shape",
    ],
)
def test_members_of_a_distribution_compute_torchs_values(case: str) -> None:
    code = workbench.convert(f"import torch\n{case}\n").code
    assert "TorchPlain" in code
    assert len(code.splitlines()) < 60
    assert prove_case("torch.distributions.Normal", case, target=TARGET).problem is None


def test_code_for_any_distribution_has_torchs_classes() -> None:
    text = (
        "import torch\nfrom torch.distributions import Normal, kl_divergence\n\n"
        "d = kl_divergence(Normal(0.0, 1.0), Normal(1.0, 2.0))\n"
    )
    assert "TorchPlain" not in workbench.convert(text).code
