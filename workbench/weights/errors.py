"""What can be wrong with weights."""

from __future__ import annotations

from workbench.errors import TorchferryError


class WeightsError(TorchferryError):
    """Weights that cannot be read or carried; the message names the file and the next step."""
