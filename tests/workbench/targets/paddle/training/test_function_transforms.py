"""Functions of models and of batches in plain Paddle: both sides print the same."""

from __future__ import annotations

import pytest

from tests.workbench.targets.paddle.both_sides import assert_prints_the_same

MODELS = """import torch
from torch import nn
from torch.func import functional_call, grad, stack_module_state, vmap

x = torch.arange(8.0).view(4, 2) / 4
models = []
for k in (1.0, 2.0):
    model = nn.Sequential(nn.Linear(2, 2){norm})
    for p in model.parameters():
        p.data = torch.linspace(0.5, k, p.numel()).view(p.shape)
    model(x * k)
    models.append(model.eval())
parameters, buffers = stack_module_state(models)
one = lambda p, b, x: functional_call(models[0], (p, b), (x,))
"""


@pytest.mark.parametrize("norm", ["", ", nn.BatchNorm1d(2, momentum=None)", ", nn.LayerNorm(2)"])
@pytest.mark.parametrize(
    "line",
    [
        "sorted(parameters)",
        "vmap(one, in_dims=(0, 0, None))(parameters, buffers, x).tolist()",
        "vmap(one, (0, 0, 0))(parameters, buffers, x.expand(2, 4, 2)).tolist()",
        "functional_call(models[0], dict(models[1].named_parameters()), (x,)).tolist()",
        "functional_call(models[0], models[1].state_dict(), x).tolist()",
    ],
)
def test_an_ensemble_runs_with_stacked_parameters(norm: str, line: str) -> None:
    assert_prints_the_same(MODELS.replace("{norm}", norm) + f"print({line})\n")


@pytest.mark.parametrize("dims", ["(0, 0)", "(None, 0)", "0"])
@pytest.mark.parametrize("given", ["{}", "[]", "()"])
def test_an_empty_argument_has_no_batch_dimension(given: str, dims: str) -> None:
    assert_prints_the_same(
        "import torch\n\nx = torch.arange(6.0).view(3, 2)\n"
        f"print(torch.vmap(lambda d, x: x * 2 + len(d), {dims})({given}, x).tolist())\n"
    )


def test_given_running_statistics_are_used() -> None:
    assert_prints_the_same(
        MODELS.replace("{norm}", ", nn.BatchNorm1d(2)")
        + 'given = {**dict(models[0].named_parameters()), "1.running_mean": torch.ones(2)}\n'
        'given["1.running_var"] = torch.tensor([4.0, 9.0])\n'
        "print(functional_call(models[0], given, (x,)).tolist())\n"
    )
