"""How tests are dealt out to processes: what shares a browser or a server stays together."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests import seed as current_seed

if TYPE_CHECKING:
    from xdist.remote import Producer
    from xdist.scheduler import LoadScopeScheduling


@pytest.fixture(autouse=True, scope="session")
def cache_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> None:
    """No test reads or fills the user's cache."""
    os.environ["TORCHFERRY_CACHE_HOME"] = str(tmp_path_factory.mktemp("cache"))


@pytest.fixture
def seed() -> int:
    """The seed of this commit's random cases; a failure shows it, so that it can be set again."""
    print(f"again with: {current_seed.NAME}={current_seed.current()}")
    return current_seed.current()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling:
    """The tests of a file go to one process, and all of an editor in a browser to one."""
    from xdist.scheduler import LoadScopeScheduling

    class Scheduling(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.partition("::")[0]
            return file.rpartition("/")[0] if file.startswith("tests/e2e/") else file

    return Scheduling(config, log)


# Tests that still say what the exact style writes, or what is known to be wrong, by their ids: each
# with the reason. They run, and one that holds again is to be taken off.
_OPEN = Path(__file__).with_name("open.txt")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Expect the tests that are named in `open.txt` to fail, for the reason given there."""
    lines = _OPEN.read_text(encoding="utf-8").splitlines() if _OPEN.exists() else []
    known = dict(line.split("  # ", 1) for line in lines if line and not line.startswith("#"))
    for item in items:
        reason = known.get(item.nodeid, "")
        if reason:
            item.add_marker(pytest.mark.xfail(reason=reason, strict=False))
