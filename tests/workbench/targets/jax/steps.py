"""A model of two layers, and programs that train it in torch and in JAX."""

from __future__ import annotations

from typing import Any

import torch

from tests.workbench.targets.jax.source import HEAD, run, written

NET = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 3)
        self.b = nn.Linear(3, 1)

    def forward(self, x):
        return self.b(torch.tanh(self.a(x)))

x = torch.tensor(np.linspace(-1, 1, 20).reshape(5, 4).astype("float32"))
y = torch.tensor(np.linspace(0, 1, 5).reshape(5, 1).astype("float32"))
"""
ADAM = "optim.Adam(model.parameters(), lr=0.05)"


def both(text: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the names of a text that makes models, and of its conversion, with equal weights."""
    mine, theirs = run(HEAD + text), run(written(text))
    for name, model in mine.items():
        if isinstance(model, torch.nn.Module):
            for part in ("a", "b"):
                layer, port = getattr(model, part), getattr(theirs[name], part)
                port.kernel[...] = layer.weight.detach().numpy().T
                port.bias[...] = layer.bias.detach().numpy()
    return mine, theirs
