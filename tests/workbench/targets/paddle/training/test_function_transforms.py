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


NESTED = """import torch
from torch import nn
from torch.func import functional_call, hessian, jacfwd, jacrev, vmap

net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
for p in net.parameters():
    p.data.copy_(torch.linspace(-0.5, 0.4, p.numel()).view_as(p))
params = {name: p.detach() for name, p in net.named_parameters()}
x = torch.linspace(-1, 1, 6).view(2, 3)
f = lambda p, v: functional_call(net, p, (v,))
shown = lambda tree: {name: (tuple(v.shape), v.pow(2).sum().item()) for name, v in tree.items()}
"""


@pytest.mark.parametrize(
    "line",
    [
        "shown(jacrev(f)(params, x))",
        "shown(vmap(jacrev(f), (None, 0))(params, x))",
        "[shown(jacrev(f, argnums=(0, 1))(params, x)[0])]",
        "jacrev(f, (0, 1))(params, x)[1].tolist()",
        "[v.tolist() for v in jacrev(lambda a: (a.sin().sum(), a * 2))(x)]",
        "shown(jacfwd(lambda a: {'sum': a.exp().sum(0), 'mean': a.mean()})(x))",
        "shown(hessian(lambda p: f(p, x).pow(2).mean())(params)['0.weight'])",
    ],
)
def test_jacobians_have_the_form_of_results_and_arguments(line: str) -> None:
    assert_prints_the_same(f"{NESTED}print({line})\n")
