"""Settings for running rules' cases together with other tests in one process."""

from __future__ import annotations

import pytest
import torch


@pytest.fixture(autouse=True)
def _settings_may_change(monkeypatch: pytest.MonkeyPatch) -> None:
    """torch's own test tools, imported by other tests, forbid assigning torch.backends flags."""
    # torch.backends replaces the module in which the flag is.
    flags = torch.backends.flags_frozen.__globals__
    monkeypatch.setitem(flags, "__allow_nonbracketed_mutation_flag", True)
