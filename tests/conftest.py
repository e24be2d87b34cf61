"""How tests are dealt out to processes: what shares a browser or a server stays together."""

from __future__ import annotations

from pathlib import Path

import pytest

_HERE = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The browser tests are one group, every other file one of its own (`--dist loadgroup`)."""
    for item in items:
        place = item.path.relative_to(_HERE)
        group = "e2e" if place.parts[0] == "e2e" else place.as_posix()
        item.add_marker(pytest.mark.xdist_group(group))
