"""Definitions in other files of a project count in an editor too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from pathlib import Path

    from lsp_session import Session

LAYERS = """\
import torch


def scaled(x):
    return torch.relu(x) * 2


act = torch.tanh
"""
MODEL = """\
from .layers import act, scaled


def run(x):
    return act(scaled(x).max(1))
"""


def package(folder: Path, layers: str = LAYERS) -> str:
    """Return a package of two files; the address of the one that imports the other."""
    (folder / "net").mkdir()
    (folder / "net" / "__init__.py").touch()
    (folder / "net" / "layers.py").write_text(layers)
    (folder / "net" / "model.py").write_text(MODEL)
    return (folder / "net" / "model.py").as_uri()


def later(session: Session, uri: str, *wanted: str) -> None:
    """Wait until the server has something to say about all these names."""

    def has_all(params: types.PublishDiagnosticsParams) -> bool:
        named = {each.message.split(" ")[0] for each in params.diagnostics}
        return named.issuperset(wanted)

    session.await_published(uri, has_all)


def test_names_and_results_of_other_files_are_known(bare: Session, tmp_path: Path) -> None:
    uri = package(tmp_path)
    bare.initialize(["utf-16"], folder=tmp_path)
    bare.open(uri, MODEL)
    assert bare.diagnostics(uri) == []  # nothing is waited for
    later(bare, uri, "torch.Tensor.max", "torch.tanh")
    assert "paddle.compat.max(scaled(x), dim=1)" in bare.command("preview", uri)["code"]


def test_code_is_written_in_the_light_of_the_project_from_the_start(
    bare: Session, tmp_path: Path
) -> None:
    uri = package(tmp_path)
    bare.initialize(["utf-16"], folder=tmp_path)
    bare.open(uri, MODEL)
    assert "paddle.compat.max(scaled(x), dim=1)" in bare.command("preview", uri)["code"]


def test_a_saved_file_counts_in_the_others(bare: Session, tmp_path: Path) -> None:
    uri = package(tmp_path, "def scaled(x):\n    return list(x)\n\n\nact = print\n")
    bare.initialize(["utf-16"], folder=tmp_path)
    bare.open(uri, MODEL)
    layers = tmp_path / "net" / "layers.py"
    layers.write_text(LAYERS)
    bare.client.text_document_did_save(
        types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(layers.as_uri()))
    )
    later(bare, uri, "torch.Tensor.max")


def test_a_file_of_no_project_is_read_by_itself(session: Session, tmp_path: Path) -> None:
    uri = package(tmp_path)
    session.open(uri, MODEL + "\n\nimport torch\ntorch.relu(run(torch.ones(2)))\n")
    later(session, uri, "torch.relu")
    assert "torch.Tensor.max" not in str(session.diagnostics(uri))
