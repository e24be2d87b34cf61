"""Values of two traces held together."""

from __future__ import annotations

import torch

from workbench.verify.locating.matching import known_in
from workbench.verify.locating.tracing import Trace


def test_a_mask_hides_no_difference_of_what_it_is_added_to() -> None:
    torch.manual_seed(0)
    scores = torch.randn(2, 4, 8, 8, dtype=torch.float64)
    mask = torch.zeros(8, dtype=torch.float64)
    mask[6:] = -1e4
    ours, same, other = (Trace("") for _ in range(3))
    ours.values.append(scores + mask)
    same.values.append(scores - 1e6 * (mask < 0))
    other.values.append(scores * (1 + 1e-6) + mask)
    assert known_in(same, ours)
    assert not known_in(other, ours)
