"""A project's own rules in an editor: never run unasked, and each project's by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from lsprotocol import types

if TYPE_CHECKING:
    from pathlib import Path

    from lsp_session import Session

RULES = """\
from pathlib import Path

from workbench.rules.own import OwnRules

Path(__file__).with_name("ran").touch()
rules = OwnRules(helpers=["ops.py"])
rules.row("mylib.crop", "{written}({{x}})", signature="(x) -> Tensor")
"""
HELPERS = "import paddle\n\n\ndef torch_crop(x):\n    return paddle.crop(x)\n"
TEXT = "from mylib import crop\n\ny = crop(x)\n"
ALLOWED = {"loadRules": True, "trusted": True}


def project(folder: Path, written: str = "torch_crop") -> str:
    """Return a project with one rule; the address of a file in it."""
    folder.mkdir(exist_ok=True)
    (folder / "pyproject.toml").write_text('[tool.torchferry]\nrules = "rules.py"\n')
    (folder / "rules.py").write_text(RULES.format(written=written))
    (folder / "ops.py").write_text(HELPERS)
    (folder / "a.py").write_text(TEXT)
    return (folder / "a.py").as_uri()


def messages(session: Session, uri: str) -> list[str]:
    return [each.message for each in session.diagnostics(uri)]


@pytest.mark.parametrize("options", [{}, {"loadRules": True}, {"trusted": True}])
def test_they_are_not_run_unless_the_user_says_so(
    bare: Session, tmp_path: Path, options: dict[str, Any]
) -> None:
    uri = project(tmp_path)
    bare.initialize(["utf-16"], folder=tmp_path, options=options)
    bare.open(uri, TEXT)
    assert bare.diagnostics(uri) == []
    order = {"source": tmp_path.as_uri(), "destination": (tmp_path.parent / "out").as_uri()}
    bare.command("convert", order)
    assert not (tmp_path / "ran").exists()
    [message] = bare.log
    assert str(tmp_path / "rules.py") in message and "torchferry.loadRules" in message


def test_each_project_has_its_own(bare: Session, tmp_path: Path) -> None:
    one = project(tmp_path / "one")
    two = project(tmp_path / "two", "paddle.crop")
    bare.initialize(["utf-16"], options=ALLOWED)
    bare.open(one, TEXT)
    bare.open(two, TEXT)
    assert messages(bare, one) == ["mylib.crop becomes torch_crop"]
    assert messages(bare, two) == ["mylib.crop becomes paddle.crop"]
    assert bare.log == []
    assert "def torch_crop(x):" in bare.command("preview", one)["code"]
    order = {
        "source": (tmp_path / "one").as_uri(),
        "destination": (tmp_path / "out").as_uri(),
    }
    assert bare.command("convert", order)["converted_uses"] == 1
    shown = bare.hover(one, 2, 5)
    assert shown is not None and "mylib.crop" in shown and "coverage" not in shown
    assert "In mylib:\n```python\nmylib.crop(x) -> Tensor\n```" in shown
    page = bare.command("explain", one, 2, 5)["text"]
    assert "torch_crop({x})" in page and "def torch_crop(x):" in page


def test_a_saved_module_counts_at_once_and_its_faults_are_reported(
    bare: Session, tmp_path: Path
) -> None:
    uri = project(tmp_path)
    bare.initialize(["utf-16"], folder=tmp_path, options=ALLOWED)
    bare.open(uri, TEXT)
    assert messages(bare, uri) == ["mylib.crop becomes torch_crop"]
    bare.published.clear()
    project(tmp_path, "elsewhere.crop")
    saved = types.DidSaveTextDocumentParams(
        types.TextDocumentIdentifier((tmp_path / "rules.py").as_uri())
    )
    bare.client.text_document_did_save(saved)
    assert messages(bare, uri) == []
    [message] = bare.log
    assert message.startswith(f"{tmp_path / 'rules.py'}:7: ") and "elsewhere" in message
