"""The fixture `torchferry_verify`: a test that a port computes what its original does.

def test_the_port(torchferry_verify):
    torchferry_verify("model.py:Net", "port.py:Net", inputs=["2x3x32x32"])
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from workbench.commands.shown import Sheet

_PATIENCE = 600.0


@pytest.fixture
def torchferry_verify(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., dict[str, Any]]:
    """Verify a port in a separate process; a failing test shows the places and the figures."""
    monkeypatch.chdir(request.config.rootpath)
    return _verify


def _verify(
    original: str,
    port: str,
    *,
    inputs: Sequence[str] = (),
    batch: str = "",
    loss: str = "",
    optimizer: str = "",
    steps: int = 5,
    maps: Sequence[str] = (),
    channels_last: bool = False,
    target: str = "",
    patience: float = _PATIENCE,
) -> dict[str, Any]:
    """Compare a port with its original, like `torchferry verify` with options of these names.

    Args:
        original: `FILE:NAME`, relative to pytest's root folder.
        port: likewise.
        inputs: the inputs of both.
        batch: a function of the original's file that returns inputs and targets.
        loss: a function of both files.
        optimizer: a function of both files.
        steps: the number of training steps.
        maps: pairs of tensors that are known to correspond.
        channels_last: whether the port's images have their channels last.
        target: the port's framework, if its imports do not show it.
        patience: the maximum seconds of one check.

    Returns:
        The certificate.
    """
    from workbench.commands.verify import Written, work
    from workbench.commands.watched import watched
    from workbench.errors import TorchferryError

    asked = {"inputs": list(inputs), "batch": batch, "loss": loss, "optimizer": optimizer}
    rest = {"steps": steps, "maps": list(maps), "channels_last": channels_last}
    run = partial(work, original, port, {**asked, **rest})
    try:
        sheet: Sheet = watched(run, target, Written(), patience=patience)
    except TorchferryError as error:
        pytest.fail(f"{port} could not be verified: {error}", pytrace=False)
    if not sheet.good:
        pytest.fail(_failure_message(sheet.data, port), pytrace=False)
    return sheet.data


def _failure_message(found: dict[str, Any], port: str) -> str:
    """Return where a port differs, the most likely place first, and by how much."""
    lines = [f"{port} is not a port of its original:"]
    for where in found["places"]:
        what = where["cause"] or where["what"]
        tested = " (with that changed both sides agree)" if where["tested"] else ""
        in_original = f"; in the original: {_near(where['original'])}" if where["original"] else ""
        lines.append(f"  {_near(where['port'])}: {what}{tested}{in_original}")
    for check in found["checks"]:
        if check["outcome"] in ("differs", "not run"):
            lines.append(f"  {check['name']}: {check['summary'] or check['outcome']}")
    return "\n".join(lines)


def _near(place: str) -> str:
    return place.removeprefix(f"{Path.cwd()}/")
