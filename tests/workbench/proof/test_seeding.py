"""Cases seed plainly written layers by what their weights mean."""

from __future__ import annotations

import numpy as np
import paddle
import pytest
import torch

from workbench.proof.samples.seeding import plainly_seeded, seed
from workbench.upstream.cases.preludes import SEED


def _seeded(layer: torch.nn.Module) -> dict[str, np.ndarray]:
    names: dict[str, object] = {"np": np, "torch": torch}
    exec(SEED, names)
    names["_seed"](layer)  # type: ignore[operator]
    return {name: value.numpy() for name, value in layer.state_dict().items()}


@pytest.mark.parametrize(
    ("theirs", "ours", "names"),
    [
        (torch.nn.Conv2d(3, 4, 2), paddle.nn.Conv2D(3, 4, 2), {}),
        (
            torch.nn.BatchNorm1d(3),
            paddle.nn.BatchNorm1D(3),
            {"running_mean": "_mean", "running_var": "_variance"},
        ),
        (torch.nn.InstanceNorm2d(3, affine=True), paddle.nn.InstanceNorm2D(3), {"weight": "scale"}),
        (torch.nn.LSTM(3, 4), paddle.nn.LSTM(3, 4), {}),
    ],
)
def test_both_layers_hold_the_same(
    theirs: torch.nn.Module, ours: paddle.nn.Layer, names: dict[str, str]
) -> None:
    expected = _seeded(theirs)
    seed(ours, "paddle")
    state = ours.state_dict()
    for name, value in expected.items():
        if name != "num_batches_tracked":
            np.testing.assert_allclose(state[names.get(name, name)].numpy(), value)


def test_a_linear_weight_is_turned_round() -> None:
    theirs, ours = torch.nn.Linear(3, 4), paddle.nn.Linear(3, 4)
    expected = _seeded(theirs)
    seed(ours, "paddle")
    np.testing.assert_allclose(ours.weight.numpy().T, expected["weight"])


def test_a_case_calls_it_by_the_name_that_it_has() -> None:
    assert "named_sublayers" not in plainly_seeded("x = 1\n", "paddle")
    converted = plainly_seeded(SEED + "l = _seed(layer)\n", "paddle")
    assert "state_dict" not in converted
    assert converted.endswith("l = _seed(layer)\n")
