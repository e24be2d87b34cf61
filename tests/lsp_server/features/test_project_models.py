"""The models that settings name: listed with the lines of their sides, and lenses above these."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from lsprotocol import types

if TYPE_CHECKING:
    from pathlib import Path

    from lsp_session import Session

MODEL = """\
import torch


class Net(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)


class Other(torch.nn.Module):
    def forward(self, x):
        return x


net = Other()
"""
PORT = "import paddle\n\n\nclass Net(paddle.nn.Layer):\n    pass\n"
SETTINGS = """\
[tool.torchferry.models]
"model.py:Net" = { port = "ported.net:Net()", inputs = ["2x3"] }
"model.py:net" = {}
"gone.py:net" = {}
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "ported").mkdir()
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / "ported" / "net.py").write_text(PORT)
    (tmp_path / "pyproject.toml").write_text(SETTINGS)
    (tmp_path / "ported" / "pyproject.toml").write_text("[project]\nname = 'p'\n")
    return tmp_path


def plain(answer: Any) -> Any:
    """Return the plain values of objects that the client made."""
    if hasattr(answer, "_asdict"):
        answer = answer._asdict()
    if isinstance(answer, dict):
        return {name: plain(value) for name, value in answer.items()}
    return [plain(each) for each in answer] if isinstance(answer, list | tuple) else answer


def test_models_with_the_lines_of_their_sides(bare: Session, root: Path) -> None:
    bare.initialize(["utf-16"], folder=root)
    bare.open((root / "model.py").as_uri(), f"# one more line\n{MODEL}")
    settings = [(root / place).as_uri() for place in ("pyproject.toml", "ported/pyproject.toml")]
    verified, compared, gone = plain(bare.command("models", settings))
    assert verified["arguments"] == [
        *("verify", "--inputs=2x3", "--", "model.py:Net", "ported.net:Net()"),
    ]
    assert verified["folder"] == str(root)
    assert verified["sides"] == [
        {"uri": (root / "model.py").as_uri(), "name": "Net", "line": 4},
        {"uri": (root / "ported" / "net.py").as_uri(), "name": "Net", "line": 3},
    ]
    assert compared["arguments"] == ["compare", "--", "model.py:net"]
    assert [side["line"] for side in compared["sides"]] == [14]
    assert [side["line"] for side in gone["sides"]] == [0]

    (root / "pyproject.toml").write_text(SETTINGS.replace("2x3", "2x4"))
    first, *_ = plain(bare.command("models", settings))
    assert first["arguments"][1] == "--inputs=2x4", "as they are on disk now"
    (root / "pyproject.toml").write_text(SETTINGS.replace("inputs", "input"))
    assert bare.command("models", settings) == []
    assert any("there is no such key" in message for message in bare.log)


def test_settings_above_the_folder_that_is_open_hold(bare: Session, root: Path) -> None:
    bare.initialize(["utf-16"], folder=root / "ported")
    places = [model["place"] for model in plain(bare.command("models", []))]
    assert places == ["model.py:Net", "model.py:net", "gone.py:net"]


def lenses(session: Session, uri: str) -> list[tuple[int, list[Any] | None]]:
    params = types.CodeLensParams(types.TextDocumentIdentifier(uri))
    found = session.run(session.client.text_document_code_lens_async(params)) or []
    return [
        (lens.range.start.line, list(lens.command.arguments or []))
        for lens in found
        if lens.command and lens.command.title == "Verify port"
    ]


def test_a_lens_above_either_side(bare: Session, root: Path) -> None:
    bare.initialize(["utf-16"], folder=root, options={"clientCommands": ["torchferry.verifyPort"]})
    for place, text, line in (("model.py", MODEL, 3), ("ported/net.py", PORT, 3)):
        uri = (root / place).as_uri()
        bare.open(uri, text)
        assert lenses(bare, uri) == [(line, [uri, "Net"])]


def test_no_lens_where_the_client_cannot_run_it(bare: Session, root: Path) -> None:
    bare.initialize(["utf-16"], folder=root)
    uri = (root / "model.py").as_uri()
    bare.open(uri, MODEL)
    assert lenses(bare, uri) == []
