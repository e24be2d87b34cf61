"""The workflows of CI: no action may change behind its name, and only a release may write."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

_GRANTED = ["contents", "id-token", "attestations"]
WORKFLOWS = Path(__file__).resolve().parents[1] / ".github" / "workflows"


@pytest.mark.parametrize("file", sorted(WORKFLOWS.glob("*.yml")), ids=lambda file: file.name)
def test_actions_are_pinned_and_permissions_are_least(file: Path) -> None:
    text = file.read_text()
    used = re.findall(r"uses:\s*(.+)", text)
    assert used
    loose = [one for one in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v[\d.]+", one)]
    assert loose == []
    assert "permissions:\n  contents: read\n" in text
    granted = re.findall(r"([\w-]+): write\b", text)
    assert granted == (_GRANTED if file.name == "release.yml" else [])
