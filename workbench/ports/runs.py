"""The interface for running a step's models, tests and imports on both sides."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from workbench.ports.plan import Trial, Verified

CERTIFIED, DIFFERS, NOT_RUN = "certified", "differs", "not run"


class Runs(Protocol):
    """Runs of both sides, each in its own process."""

    def model(self, original: Path, ported: Path, trial: Trial, certificate: Path) -> Verified:
        """Verify a model of a file, and write its certificate if both sides run.

        Args:
            original: the file in torch.
            ported: its port.
            trial: the model and its inputs; they are guessed if it has none.
            certificate: the file to write.
        """

    def tests(self, original: Path, ported: Path, path: str) -> Verified:
        """Run a file of tests in two folders: tests that pass in the first must in the second."""

    def imports(self, original: Path, ported: Path) -> Verified:
        """Import a file's port; it may fail only if the original fails as well."""
