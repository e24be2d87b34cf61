"""Which projects' own rules a person has said may run."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import pytest

from workbench.convert.configuration.trust import (
    answers_file,
    revoke,
    trust,
    trusted,
    trusted_folders,
)
from workbench.errors import TorchferryError


@pytest.fixture(autouse=True)
def answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TORCHFERRY_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path / "config" / "trusted_rules.json"


def test_an_answer_is_remembered_and_revoked(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    assert not trusted(one)
    trust(one)
    trust(two)
    trust(two)
    assert trusted(one) and trusted(two)
    assert not trusted(tmp_path) and not trusted(one / "inner")
    revoke(one)
    assert not trusted(one)
    assert trusted_folders() == [two.resolve()]


def test_a_link_is_the_folder_that_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    link = tmp_path / "link"
    link.symlink_to("one")
    trust(link)
    assert trusted(tmp_path / "one")
    link.unlink()
    link.symlink_to("two")
    assert not trusted(link)


@pytest.mark.parametrize(
    "text", ["", "[]", '{"folders": 3}', '{"folders": [1]}', "\x00", "[" * 100_000]
)
def test_a_broken_file_trusts_nothing_and_stays_as_it_is(
    tmp_path: Path, answers: Path, text: str, caplog: pytest.LogCaptureFixture
) -> None:
    trust(tmp_path)
    answers.write_text(text)
    assert not trusted(tmp_path)
    assert str(answers) in caplog.text
    with pytest.raises(TorchferryError, match="remove it"):
        trust(tmp_path)
    assert answers.read_text() == text


def test_bytes_that_are_no_text(tmp_path: Path, answers: Path) -> None:
    trust(tmp_path)
    answers.write_bytes(b"\xff\xfe{")
    assert not trusted(tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="rights are other things there")
def test_only_the_user_can_read_the_file(tmp_path: Path, answers: Path) -> None:
    trust(tmp_path)
    assert stat.S_IMODE(answers.stat().st_mode) == 0o600
    assert [file.name for file in answers.parent.iterdir()] == [answers.name]


def test_the_working_folder_never_holds_the_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("TORCHFERRY_CONFIG_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, "here")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("APPDATA", str(tmp_path / "home"))
    assert answers_file().is_relative_to(tmp_path / "home")
