"""Layers of size 0, whose weights have no values to draw."""

from __future__ import annotations

import pytest

from tests.workbench.targets.paddle.both_sides import assert_prints_the_same


@pytest.mark.parametrize(
    "layer",
    [
        "nn.Linear(4, 0)",
        "nn.Linear(in_features=0, out_features=3)",
        "nn.Linear(0, 3, bias=False)",
        "nn.Embedding(0, 3)",
        "nn.Embedding(num_embeddings=4, embedding_dim=0)",
    ],
)
@pytest.mark.parametrize("more", ["", "print(net.weight.mean(0).numel() * 0)\n"])
def test_a_layer_of_size_zero_is_made(layer: str, more: str) -> None:
    text = f"import torch\nfrom torch import nn\nnet = {layer}\n{more}"
    assert_prints_the_same(f"{text}print(sum(p.numel() for p in net.parameters()))\n")
