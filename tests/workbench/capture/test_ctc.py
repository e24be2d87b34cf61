"""The CTC loss, which torch's own export refuses."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F  # noqa: N812

from workbench.capture import capture
from workbench.capture.stand_ins.ctc import ctc_loss

TARGETS = torch.tensor([[1, 2, 2], [3, 1, 4], [2, 3, 3], [1, 1, 1]])
LENGTHS = torch.tensor([9, 7, 2, 8]), torch.tensor([3, 2, 3, 0])


@pytest.mark.parametrize("reduction", [0, 1, 2])
def test_values_and_gradients_are_torchs(reduction: int) -> None:
    torch.manual_seed(0)
    x = torch.randn(9, 4, 5, dtype=torch.float64).log_softmax(-1).requires_grad_()
    # The third has too few steps for its classes.
    for infinity in (False, True):
        theirs = torch.ctc_loss(x, TARGETS, *LENGTHS, 0, reduction, infinity)
        ours = ctc_loss(x, TARGETS, *LENGTHS, 0, reduction, infinity)
        torch.testing.assert_close(ours, theirs)
    (wanted,) = torch.autograd.grad(theirs.sum(), x)
    (found,) = torch.autograd.grad(ours.sum(), x)
    torch.testing.assert_close(found, wanted)


def test_a_model_with_the_loss_is_captured() -> None:
    def loss(x: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        return F.ctc_loss(x.log_softmax(-1), targets, (9, 7, 9, 8), (3, 2, 3, 2))

    x = torch.randn(9, 4, 5)
    program = capture(loss, (x, TARGETS)).program.module()
    torch.testing.assert_close(program(x + 1, TARGETS), loss(x + 1, TARGETS))
