"""Whether a package of the kernel is the user's own code, which is converted, or installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.compare.carry.origin import is_installed


def test_a_folder_that_pip_fills_has_no_code_of_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    module = str(tmp_path / "boxes" / "__init__.py")
    assert not is_installed(module)
    (tmp_path / "boxes-1.0.dist-info").mkdir()  # what `pip install --target` leaves
    assert is_installed(module)
