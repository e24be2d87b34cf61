"""Tiers, the order of tests, and what every test may rely on."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

import pytest

from tests import seed as current_seed
from tests.tiers import BROWSER, DEFAULT, EDITOR, NEEDS, PROCESSES, SHARES, UNIT, tier_of
from tests.workbench.targets.paddle import selection
from workbench.garbage import keep_all

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter
    from xdist.remote import Producer
    from xdist.scheduler import LoadScopeScheduling
    from xdist.workermanage import WorkerController

# jsonschema imports it if it is there, to check URIs: its grammar takes two seconds to build.
sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]

_FRAMEWORKS = ("torch", "paddle", "jax")
# Long files start first, so that no worker runs one by itself at the end.
_ORDER = (EDITOR, BROWSER, "proof", DEFAULT, PROCESSES, UNIT)
_RERUN = (EDITOR, BROWSER)
_OPEN = Path(__file__).with_name("open.txt")
_GOLDEN = Path(__file__).with_name("golden")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that writes golden files."""
    text = "write the golden files of the tests that run, instead of comparing with them"
    parser.addoption("--update", action="store_true", help=text)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with a file of `tests/golden`; `--update` writes the file instead."""

    def compare(name: str, text: str) -> None:
        file = _GOLDEN / name
        if request.config.getoption("--update"):
            file.write_text(text, encoding="utf-8")
        assert file.exists(), f"{name} is missing: run the test with --update"
        kept = file.read_text(encoding="utf-8")
        assert text == kept, f"{name} differs: read the difference, then run with --update"

    return compare


def pytest_configure(config: pytest.Config) -> None:
    """Declare a marker for each tier, and the one of rotating tests."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # A shell starts commands in the background so. Commands that tests interrupt inherit it.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    for tier, needs in NEEDS.items():
        config.addinivalue_line("markers", f"{tier}: {needs}")
    config.addinivalue_line("markers", "one_in(n): thorough, but for one test in n of the file")


@pytest.fixture(autouse=True, scope="session")
def private_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keep tests from reading or filling the user's cache."""
    os.environ["TORCHFERRY_CACHE_HOME"] = str(tmp_path_factory.mktemp("cache"))


@pytest.fixture
def seed() -> int:
    """The seed of this commit's random cases; a failure prints it, so that it can be set again."""
    print(f"again with: {current_seed.NAME}={current_seed.current()}")
    return current_seed.current()


@pytest.fixture(autouse=True)
def no_framework_is_imported(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test that imports a framework although its tier has none."""
    before = {name for name in _FRAMEWORKS if name in sys.modules}
    yield
    after = {name for name in _FRAMEWORKS if name in sys.modules}
    if {UNIT, PROCESSES} & {mark.name for mark in request.node.iter_markers()} and after > before:
        pytest.fail(f"imports {', '.join(after - before)}: see tests/tiers.py")


@pytest.fixture(autouse=True)
def gradients_are_computed() -> Iterator[None]:
    """Fail a test that leaves torch without gradients for those that follow."""
    yield
    torch = sys.modules.get("torch")
    if torch is not None and not torch.is_grad_enabled():
        torch.set_grad_enabled(True)
        pytest.fail("leaves torch without gradients")


@pytest.fixture(autouse=True)
def import_path_is_restored() -> Iterator[None]:
    """Take back the folders that a test adds to `sys.path`, so that none shadows another's."""
    before = list(sys.path)
    yield
    sys.path[:] = before


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling:
    """Give the tests of one file to one worker, and all tests of one editor to one worker.

    `--no-loadscope-reorder` keeps the order of the tiers.
    """
    from xdist.scheduler import LoadScopeScheduling

    class Scheduling(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.partition("::")[0]
            return file.rpartition("/")[0] if file.startswith("tests/e2e/") else file

    return Scheduling(config, log)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: WorkerController) -> None:
    """Give each worker what is computed once."""
    selection.send_to_worker(node.config, node.workerinput)


def pytest_collection_finish() -> None:
    """Leave modules and tests out of garbage collections, which took an eighth of the time."""
    gc.collect()
    keep_all()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark each test with its tier, and order the tiers.

    Tests in a browser run again if they fail: a busy machine may be the reason. A test that
    `open.txt` names is expected to fail, for the reason given there.
    """
    lines = _OPEN.read_text(encoding="utf-8").splitlines() if _OPEN.exists() else []
    known = dict(line.split("  # ", 1) for line in lines if line and not line.startswith("#"))
    tiers = {item: tier_of(item.nodeid.partition("::")[0]) for item in items}
    for item, tier in tiers.items():
        item.add_marker(tier)
        if tier in _RERUN:
            item.add_marker(pytest.mark.flaky(reruns=2))
        if tier in SHARES:
            item.add_marker(pytest.mark.one_in(SHARES[tier]))
        if reason := known.get(item.nodeid):
            item.add_marker(pytest.mark.xfail(reason=reason, strict=False))
    _rotate(items)
    items.sort(key=lambda item: _ORDER.index(tiers[item]))


def _rotate(items: list[pytest.Item]) -> None:
    """Make tests with `one_in(n)` thorough, but for each n-th of a file, which the seed picks."""
    numbers: Counter[str] = Counter()
    for item in items:
        marker = item.get_closest_marker("one_in")
        if marker is None:
            continue
        file = item.nodeid.partition("::")[0]
        numbers[file] += 1
        if (numbers[file] + crc32(file.encode()) + current_seed.current()) % marker.args[0]:
            item.add_marker("thorough")


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    """Report what each tier took, and each test that passed only when it ran again.

    Such a test has a defect.
    """
    seconds: Counter[str] = Counter()
    tests: dict[str, set[str]] = defaultdict(set)
    for report in (each for reports in terminalreporter.stats.values() for each in reports):
        if isinstance(report, pytest.TestReport):
            tier = tier_of(report.nodeid.partition("::")[0])
            seconds[tier] += report.duration
            tests[tier].add(report.nodeid)
    for tier, names in sorted(tests.items()):
        terminalreporter.line(f"{tier}: {len(names)} tests in {seconds[tier]:.0f} s of all workers")
    again = terminalreporter.stats.get("rerun", ())
    if again:
        terminalreporter.section("defects: tests that failed and ran again")
        for report in again:
            terminalreporter.line(report.nodeid)
            terminalreporter.line(report.longreprtext)
