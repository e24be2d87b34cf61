"""Paths and addresses as clients on Windows, macOS and Linux write them."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING

import pytest
from lsp_session import apply, edits_of
from lsprotocol import types

from lsp_server.wire.encoding import Encoding
from lsp_server.workspace.addresses import address_of, path_of, pure_path_of, same_file
from lsp_server.workspace.documents import Documents

if TYPE_CHECKING:
    from lsp_session import Session

WINDOWS = {
    "file:///c%3A/Users/a%20b/%C3%A9%F0%9F%98%80.py": r"c:\Users\a b\é😀.py",
    "file:///C:/w/a.py": r"C:\w\a.py",
    "file:///c:/w/a%23b%3F%25.py": r"c:\w\a#b?%.py",
    "file://server/share/w/a.py": r"\\server\share\w\a.py",
    "file://wsl.localhost/Ubuntu/home/a.py": r"\\wsl.localhost\Ubuntu\home\a.py",
    "file://localhost/c:/w/a.py": r"c:\w\a.py",
}
POSIX = {
    "file:///w/a%20b/%C3%A9%F0%9F%98%80.py": "/w/a b/é😀.py",
    "file:///w/c%3A/a.py": "/w/c:/a.py",
    "file:///c:/a.py": "/c:/a.py",
    "file:///w/a;b.py": "/w/a;b.py",
    "file:///w/a%5Cb.py": "/w/a\\b.py",
    "file:///w/100%25%23.py": "/w/100%#.py",
}
NONE = [
    "untitled:Untitled-1",
    "file:",
    "file://[",
    "file:///w/%00.py",
    "vscode-vfs://github/a.py",
    "",
]


@pytest.mark.parametrize(("uri", "path"), WINDOWS.items())
def test_addresses_on_windows(uri: str, path: str) -> None:
    assert pure_path_of(uri, PureWindowsPath) == PureWindowsPath(path)


@pytest.mark.parametrize(("uri", "path"), POSIX.items())
def test_addresses_on_linux_and_macos(uri: str, path: str) -> None:
    assert pure_path_of(uri, PurePosixPath) == PurePosixPath(path)


@pytest.mark.parametrize("uri", NONE)
def test_an_address_without_a_file_has_no_path(uri: str) -> None:
    assert path_of(uri) is None


@pytest.mark.parametrize("path", [*WINDOWS.values(), r"D:\über\[x]\a (1).py"])
def test_an_address_leads_back_on_windows(path: str) -> None:
    address = address_of(PureWindowsPath(path))
    assert pure_path_of(address, PureWindowsPath) == PureWindowsPath(path)


@pytest.mark.parametrize("path", [*POSIX.values(), "/w/[x]/a (1).py"])
def test_an_address_leads_back_on_linux_and_macos(path: str) -> None:
    assert pure_path_of(address_of(PurePosixPath(path)), PurePosixPath) == PurePosixPath(path)


def test_a_drive_is_written_as_in_vs_code() -> None:
    assert address_of(PureWindowsPath(r"C:\w\a b.py")) == "file:///c%3A/w/a%20b.py"
    assert address_of(PureWindowsPath(r"\\server\share\a.py")) == "file://server/share/a.py"


def test_the_disk_decides_whether_names_that_are_alike_are_one_file(tmp_path: Path) -> None:
    composed = tmp_path / unicodedata.normalize("NFC", "modèle.py")
    other = tmp_path / unicodedata.normalize("NFD", "Modèle.py")
    composed.write_text("")
    assert not same_file(composed, other)  # only one is there
    if not other.exists():
        os.link(composed, other)  # as a disk has it that knows no capitals
    assert same_file(composed, other)
    assert not same_file(composed, tmp_path / "others.py")
    assert not same_file(None, None)


def test_an_open_document_is_found_however_its_address_is_written(tmp_path: Path) -> None:
    file = tmp_path / "a b" / "(é).py"
    documents = Documents(Encoding("utf-16"))
    uri = f"file://{tmp_path}/a%20b/(%c3%a9).py"
    assert uri != address_of(file)
    documents.open(types.TextDocumentItem(uri, "python", 1, "x = 1\n"))
    found = documents.at(file)
    assert found is not None and found.uri == uri
    assert documents.at(tmp_path / "others.py") is None
    documents.close(uri)
    assert documents.at(file) is None
    documents.open(types.TextDocumentItem(address_of(file), "python", 1, "x = 1\n"))
    assert documents.at(file) is not None


def test_a_closed_file_is_not_compared_with_each_open_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    documents = Documents(Encoding("utf-16"))
    for number in range(50):
        uri = address_of(tmp_path / f"open_{number}.py")
        documents.open(types.TextDocumentItem(uri, "python", 1, "x = 1\n"))
    compared: list[Path | None] = []
    monkeypatch.setattr(
        "lsp_server.workspace.documents.same_file",
        lambda one, other: compared.append(one) or same_file(one, other),
    )
    assert documents.at(tmp_path / "closed.py") is None
    assert documents.at(tmp_path / "open_7.py") is not None
    assert compared == [tmp_path / "open_7.py"]


@pytest.mark.parametrize("ending", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_a_fix_in_a_folder_with_spaces_and_accents(
    session: Session, tmp_path: Path, ending: str
) -> None:
    folder = tmp_path / "ein Ordner é😀"
    folder.mkdir()
    uri = address_of(folder / "modèle (1).py")
    lines = ["import torch", "", "x = torch.rsub(y, z)  # é😀", ""]
    session.open(uri, ending.join(lines))
    [found] = [one for one in session.diagnostics(uri) if "rsub" in one.message]
    assert found.range.start == types.Position(2, 4)
    everything = session.actions(uri, found.range, only=["source.fixAll.torchferry"])
    text = apply(ending.join(lines), edits_of(session.resolve(everything[0])))
    assert "torch." not in text.replace("paddle", "")
    assert text.count(ending) == text.count("\n")
    assert (ending == "\n") == ("\r" not in text)
