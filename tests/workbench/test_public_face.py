"""What `import workbench` offers, and what it leaves alone until asked."""

from __future__ import annotations

import torch

import workbench


def test_a_model_goes_through_the_public_face() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.ReLU()).eval()
    inputs = torch.tensor([[1.0, -2.0, 0.5]])
    graph = workbench.capture(model, (inputs,))
    layer = workbench.lower(graph, target="paddle").load()
    import paddle

    result = layer(paddle.to_tensor(inputs.numpy()))
    assert torch.allclose(model(inputs), torch.from_numpy(result.numpy()), atol=1e-6)


def test_unknown_names_are_said_so() -> None:
    assert not hasattr(workbench, "no_such_name")
