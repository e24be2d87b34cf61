"""Settings that a project keeps in its pyproject.toml."""

from __future__ import annotations

from pathlib import Path

import pytest

import workbench
from workbench.convert.settings import Settings, settings_for
from workbench.errors import TorchferryError


def project(folder: Path, table: str) -> Path:
    (folder / "pyproject.toml").write_text(f"[project]\nname = 'p'\n\n{table}\n")
    return folder


def test_without_settings_the_defaults_hold(tmp_path: Path) -> None:
    assert settings_for(project(tmp_path, "")) == Settings()


def test_the_nearest_file_with_settings_counts(tmp_path: Path) -> None:
    project(tmp_path, '[tool.torchferry]\ntarget = "paddle==3.1"')
    inner = tmp_path / "inner" / "package"
    inner.mkdir(parents=True)
    project(inner, "[tool.other]\nx = 1")
    (inner / "a.py").touch()
    assert settings_for(inner / "a.py").target == "paddle==3.1"
    project(inner, '[tool.torchferry]\nversion = "3.0"')
    assert settings_for(inner / "a.py").target == "paddle==3.0"
    assert settings_for(inner).file == inner / "pyproject.toml"


@pytest.mark.parametrize(
    ("glob", "excluded", "kept"),
    [
        ("third_party", ["third_party/a.py", "x/third_party/b/c.py"], ["third_party_2/a.py"]),
        ("third_party/", ["third_party/a.py"], ["a.py"]),
        ("*_pb2.py", ["a_pb2.py", "x/b_pb2.py"], ["a_pb2.pyi"]),
        ("tests/*.py", ["tests/a.py"], ["tests/x/a.py", "x/tests/a.py"]),
        ("tests/**/golden.py", ["tests/golden.py", "tests/a/b/golden.py"], ["golden.py"]),
        ("/build", ["build/a.py"], ["x/build/a.py"]),
        ("a.py", ["a.py", "b/a.py"], ["aXpy", "b/aa.py"]),
        ("?.py", ["b.py"], ["bc.py"]),
    ],
)
def test_globs_leave_files_out(
    tmp_path: Path, glob: str, excluded: list[str], kept: list[str]
) -> None:
    project(tmp_path, f'[tool.torchferry]\nexclude = ["{glob}"]')
    settings = settings_for(tmp_path)
    assert [path for path in excluded if not settings.excludes(tmp_path / path)] == []
    assert [path for path in kept if settings.excludes(tmp_path / path)] == []
    assert not settings.excludes(tmp_path.parent / "third_party")


def test_severities_are_changed_and_turned_off(tmp_path: Path) -> None:
    project(tmp_path, '[tool.torchferry.severities]\nTF200 = "information"\nTF100 = "off"')
    found = workbench.check("import torch\ntorch.stack([x])\ntorch.stack(no=x)\n")
    judged = list(settings_for(tmp_path).judged(found))
    assert [(finding.code, finding.severity) for finding in judged] == [("TF200", "information")]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("[tool.torchferry]\ntargets = 'paddle'", "targets: there is no such setting"),
        ("[tool.torchferry]\ntarget = 'jax'", "target: unknown target 'jax'"),
        ("[tool.torchferry]\ntarget = 3", "target: write a name in quotes"),
        ("[tool.torchferry]\nversion = '9.9'", "version: paddle 9.9 is not supported"),
        ("[tool.torchferry]\nversion = 3.3", "version: write it in quotes"),
        (
            "[tool.torchferry]\ntarget = 'paddle==3.3'\nversion = '3.3'",
            "version: the target names a version already",
        ),
        ("[tool.torchferry]\nexclude = 'a'", "exclude: write a list of globs"),
        ("[tool.torchferry]\nexclude = [1]", "exclude: write a list of globs"),
        ("[tool.torchferry]\nseverities = 'off'", "severities: write a table"),
        ("[tool.torchferry.severities]\nTF999 = 'off'", "severities.TF999: there is no such code"),
        ("[tool.torchferry.severities]\nTF100 = 'none'", "severities.TF100: write one of: hint"),
        ("[tool.torchferry.severities]\nTF000 = 'off'", "severities.TF000: code that does not"),
        ("[tool]\ntorchferry = 1", "write [tool.torchferry]"),
        ("[tool.torchferry\n", "not valid TOML"),
    ],
)
def test_a_wrong_setting_gives_one_error_that_names_it(
    tmp_path: Path, table: str, message: str
) -> None:
    project(tmp_path, table)
    with pytest.raises(TorchferryError) as caught:
        settings_for(tmp_path)
    assert message in str(caught.value)
    assert str(tmp_path / "pyproject.toml") in str(caught.value)
