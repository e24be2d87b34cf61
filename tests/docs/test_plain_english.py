"""`scripts/plain_english.py` finds the words that the style guide advises against."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts import plain_english

GLOSSARY = Path(__file__).parents[2] / "docs" / "contributing" / "style.md"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder that the script takes for the repository."""
    monkeypatch.setattr(plain_english, "ROOT", tmp_path)
    monkeypatch.setattr(plain_english, "tracked", lambda paths: sorted(tmp_path.rglob("*.py")))
    return tmp_path


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("What tells one content from another.", "clause"),
        ("Compute the values anew.", "word"),
        ("The layer that stands for a block.", "word"),
        ("So every link holds. So are names.", "inverted"),
    ],
)
def test_advised_against(tmp_path: Path, text: str, pattern: str) -> None:
    assert pattern in plain_english.Text(tmp_path, 1, text).matches()


def test_plain_sentences_do_not_match(tmp_path: Path) -> None:
    text = "Return the pairing under which both sides agree, or None if there is none."
    assert plain_english.Text(tmp_path, 1, text).matches() == []


def test_docstrings_and_comments_are_read_and_strings_are_not(tmp_path: Path) -> None:
    file = tmp_path / "one.py"
    file.write_text(
        '"""A module."""\n\ntext = "# told"  # Its text.\n\ndef run():\n    """Run it."""\n'
    )
    assert [(text.line, text.words) for text in plain_english.texts(file)] == [
        (1, "A module."),
        (6, "Run it."),
        (3, "Its text."),
    ]


def test_files_with_a_syntax_error_are_left_out(tmp_path: Path) -> None:
    file = tmp_path / "one.py"
    file.write_text("# told\ndef\n")
    assert list(plain_english.texts(file)) == []


def test_a_share_above_the_limit_fails(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "one.py").write_text("# Computed anew.\nx = 1  # A count.\n")
    assert plain_english.main(["--at-most", "50"]) == 0
    assert plain_english.main(["--at-most", "49", "--list", "1"]) == 1
    out = capsys.readouterr().out
    assert "one.py:1: word: Computed anew." in out
    assert "all: 1 of 2 docstrings and comments (50.0 %)" in out


def test_private_words_of_the_glossary_match(tmp_path: Path) -> None:
    table = GLOSSARY.read_text(encoding="utf-8").partition("## Glossary")[2].partition("\n## ")[0]
    words = [row.split("|")[1].strip() for row in table.splitlines() if row.startswith("| ")][1:]
    assert len(words) > 10
    matching = [word for word in words if plain_english.Text(tmp_path, 1, word).matches()]
    assert len(matching) >= len(words) - 3
