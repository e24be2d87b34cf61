"""Errors of weights and their files."""

from __future__ import annotations

from workbench.errors import TorchferryError


class WeightsError(TorchferryError):
    """Weights that cannot be read or transferred; the message names the file and the next step."""
