"""Settings of the project and the user, and parts of diagnostics besides their message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from pathlib import Path

    from lsp_session import Session

TEXT = """\
import torch
import torch.nn as nn


def f(x):
    return x.unsqueeze(0), torch.abs(x), torch.no_such_thing(x)
"""


def severities(session: Session, uri: str, version: int) -> dict[str, int]:
    found = session.diagnostics(uri, version)
    return {str(each.code): each.severity.value for each in found if each.severity}


def open_project(session: Session, folder: Path, table: str, **settings: object) -> str:
    """Return a file in a project with these settings."""
    (folder / "pyproject.toml").write_text(f"[tool.torchferry]\n{table}\n")
    session.initialize(["utf-16"], folder=folder, extras=True, options=settings)
    uri = (folder / "a.py").as_uri()
    session.open(uri, TEXT)
    return uri


def test_severities_of_the_project_and_of_the_user(bare: Session, tmp_path: Path) -> None:
    table = 'severities = { TF201 = "warning", TF100 = "information" }'
    uri = open_project(bare, tmp_path, table)
    assert severities(bare, uri, 1)["TF201"] == 2
    assert severities(bare, uri, 1)["TF100"] == 3
    bare.configure(severities={"TF201": "off", "TF999": "loud"})
    found = severities(bare, uri, 1)
    assert "TF201" not in found and found["TF100"] == 3


def test_codes_that_the_project_ignores_are_not_shown(bare: Session, tmp_path: Path) -> None:
    table = 'ignore = ["TF100"]\n[tool.torchferry.per-file-ignores]\n"a.*" = ["TF2"]'
    uri = open_project(bare, tmp_path, table)
    assert severities(bare, uri, 1) == {}
    other = (tmp_path / "b.py").as_uri()
    bare.open(other, TEXT)
    assert set(severities(bare, other, 1)) == {"TF201"}


def test_settings_written_before_the_client_watches_them(bare: Session, tmp_path: Path) -> None:
    file, module = tmp_path / "pyproject.toml", (tmp_path / "a.py").as_uri()
    file.write_text('[tool.torchferry]\nexclude = ["*.py"]\n')

    @bare.client.feature(types.CLIENT_REGISTER_CAPABILITY)
    async def watch(params: types.RegistrationParams) -> None:
        await bare.is_published(module)
        file.write_text("[tool.torchferry]\n")

    bare.initialize(["utf-16"], folder=tmp_path, watches=True)
    bare.open(module, TEXT)
    first = bare.await_published(module, lambda params: True)
    assert not first.diagnostics, "the module is excluded"
    assert bare.await_published(module, lambda params: bool(params.diagnostics))


def test_an_empty_configuration_leaves_the_settings(bare: Session, tmp_path: Path) -> None:
    uri = open_project(bare, tmp_path, "", severities={"TF201": "warning"})
    empty = types.DidChangeConfigurationParams({})
    bare.client.workspace_did_change_configuration(empty)
    bare.change(uri, 2, TEXT + "# the same\n")
    assert severities(bare, uri, 2)["TF201"] == 2


def test_a_changed_pyproject_counts_at_once(bare: Session, tmp_path: Path) -> None:
    uri = open_project(bare, tmp_path, "")
    assert severities(bare, uri, 1)["TF201"] == 1
    file = tmp_path / "pyproject.toml"
    file.write_text('[tool.torchferry]\nexclude = ["a.py"]\n')
    bare.published.clear()
    changed = types.FileEvent(file.as_uri(), types.FileChangeType.Changed)
    bare.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([changed]))
    assert bare.diagnostics(uri) == []


def test_a_pyproject_that_cannot_be_read_is_reported(bare: Session, tmp_path: Path) -> None:
    uri = open_project(bare, tmp_path, 'exclude = "not a list"')
    assert severities(bare, uri, 1)["TF201"] == 1
    assert len(bare.log) == 1 and "exclude" in bare.log[0]


def test_folders_go_by_their_own_projects(bare: Session, tmp_path: Path) -> None:
    for name, severity in (("one", "warning"), ("two", "off")):
        (tmp_path / name).mkdir()
        text = f'[tool.torchferry.severities]\nTF201 = "{severity}"\n'
        (tmp_path / name / "pyproject.toml").write_text(text)
    bare.initialize(["utf-16"])
    one, two = ((tmp_path / name / "a.py").as_uri() for name in ("one", "two"))
    bare.open(one, TEXT)
    bare.open(two, TEXT)
    assert severities(bare, one, 1)["TF201"] == 2
    assert "TF201" not in severities(bare, two, 1)


def test_links_tags_and_where_an_assumption_comes_from(bare: Session) -> None:
    bare.initialize(["utf-16"], extras=True)
    uri = "file:///w/a.py"
    text = TEXT + "    nn.init.uniform(x)  # torchferry: ignore[TF400]\n"
    bare.open(uri, text)
    found = bare.diagnostics(uri)
    by_text = {
        text.split("\n")[each.range.start.line][each.range.start.character :][:15]: each
        for each in found
    }
    link = by_text["torch.abs(x), t"].code_description
    assert link and "docs/coverage/torch.md#L" in link.href
    [idle] = [each for each in found if each.code == "TF901"]
    assert idle.code_description and "editors/findings.md#L" in idle.code_description.href
    [assumed] = [each for each in found if "assuming" in each.message]
    assert assumed.related_information
    [origin] = assumed.related_information
    assert origin.location.range.start == types.Position(4, 6) and "`x`" in origin.message
    tags = {str(each.code): list(each.tags) for each in found if each.tags}
    assert tags["TF901"] == [types.DiagnosticTag.Unnecessary]
    struck = [
        each
        for each in found
        if each.tags == (types.DiagnosticTag.Deprecated,)
        or each.tags == [types.DiagnosticTag.Deprecated]
    ]
    assert [each.range.start.line for each in struck] == [6]


def test_a_client_that_knows_none_of_it_gets_none(session: Session) -> None:
    session.open("file:///w/a.py", TEXT)
    for each in session.diagnostics("file:///w/a.py"):
        assert not (each.code_description or each.tags or each.related_information)
