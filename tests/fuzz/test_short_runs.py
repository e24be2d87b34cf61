"""Short runs of the fuzz targets; `make fuzz` runs long ones."""

from __future__ import annotations

import pytest

from tests.fuzz import convert, settings


def test_mutated_programs_convert_soundly_or_are_reported(seed: int) -> None:
    assert convert.main(["--count=60", f"--seed={seed}"]) == 0


def test_hostile_settings_are_read_or_reported(seed: int) -> None:
    assert settings.main(["--count=60", f"--seed={seed}"]) == 0


def test_a_failure_is_reported_with_how_to_repeat_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(convert, "convert", lambda text: 1 / 0)
    assert convert.main(["--count=2", "--seed=7"]) == 1
    printed = capsys.readouterr().out
    assert "python -m tests.fuzz.convert --seed 7 --case 1" in printed
    assert printed.endswith("2 cases, 2 undocumented\n")
