"""Running variances as a target keeps them that does not apply Bessel's correction.

torch multiplies the variance of a batch of m values by m/(m-1) before it enters the running
variance. A target that does not is reported to differ; this module computes the expected value.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from workbench.compare.carry.identity import IdentityMap
from workbench.compare.carry.versions import version
from workbench.streams.torch_recorder import patched


class Statistics:
    """Expected value of each running variance without the correction."""

    def __init__(self) -> None:
        self._uncorrected = IdentityMap()

    def uncorrected(self, variance: torch.Tensor) -> torch.Tensor:
        """Return the expected value of a running variance (or of a copy), or its value without
        updates.
        """
        entry = self._uncorrected.get(variance)
        entries = self._uncorrected.items() if entry is None else [(variance, entry)]
        for known, (written, value) in entries:
            if written == version(known) and torch.equal(known, variance):
                return torch.as_tensor(value)
        return variance

    @contextmanager
    def following(self) -> Iterator[None]:
        """Record the effect of batches on running variances while open."""
        with patched(torch.nn.functional, "batch_norm", self._batch_norm):
            yield

    def _batch_norm(self, original: Any) -> Any:
        @functools.wraps(original)
        def batch_norm(
            input: torch.Tensor,
            running_mean: torch.Tensor | None,
            running_var: torch.Tensor | None,
            weight: torch.Tensor | None = None,
            bias: torch.Tensor | None = None,
            training: bool = False,
            momentum: float = 0.1,
            eps: float = 1e-5,
        ) -> torch.Tensor:
            if running_var is None or not training:
                return original(  # type: ignore[no-any-return]
                    input, running_mean, running_var, weight, bias, training, momentum, eps
                )
            before, expected = running_var.clone(), self.uncorrected(running_var).clone()
            result: torch.Tensor = original(
                input, running_mean, running_var, weight, bias, training, momentum, eps
            )
            count = input.numel() // input.shape[1]
            share = (running_var - (1 - momentum) * before) * (count - 1) / count
            value = (1 - momentum) * expected + share
            self._uncorrected[running_var] = (version(running_var), value)
            return result

        return batch_norm
