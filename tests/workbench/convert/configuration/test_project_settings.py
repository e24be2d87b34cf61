"""Settings that a project keeps in its pyproject.toml."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import workbench
from tests.command import torchferry
from workbench.convert.configuration import globs
from workbench.convert.configuration.settings import Settings, settings_for
from workbench.errors import TorchferryError
from workbench.findings import Severity


def project(folder: Path, table: str) -> Path:
    (folder / "pyproject.toml").write_text(f"[project]\nname = 'p'\n\n{table}\n")
    return folder


def test_without_settings_the_defaults_hold(tmp_path: Path) -> None:
    assert settings_for(project(tmp_path, "")) == Settings()


def test_the_nearest_file_with_settings_counts(tmp_path: Path) -> None:
    project(tmp_path, '[tool.torchferry]\ntarget = "paddle==3.1"')
    inner = tmp_path / "inner" / "package"
    inner.mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    project(inner, "[tool.other]\nx = 1")
    (inner / "a.py").touch()
    assert settings_for(inner / "a.py").target == "paddle==3.1"
    project(inner, '[tool.torchferry]\nversion = "3.0"')
    assert settings_for(inner / "a.py").target == "paddle==3.0"
    assert settings_for(inner).file == inner / "pyproject.toml"


def test_rules_that_lie_above_the_project_do_not_count(tmp_path: Path) -> None:
    rules = tmp_path / "rules.py"
    rules.touch()
    project(tmp_path, '[tool.torchferry]\ntarget = "paddle==3.1"\nrules = "rules.py"')
    inner = tmp_path / "repository" / "package"
    inner.mkdir(parents=True)

    def counts(root: Path | None = None) -> tuple[str, Path | None]:
        found = settings_for(inner, root)
        return found.target, found.rules

    assert counts() == ("paddle==3.1", None)
    assert counts(tmp_path) == ("paddle==3.1", rules)
    assert counts(tmp_path / "elsewhere") == ("paddle==3.1", None)
    (tmp_path / "repository" / ".git").write_text("gitdir: elsewhere")
    assert counts(tmp_path) == ("paddle==3.1", None)
    rules.unlink()  # nor do mistakes in them
    assert counts() == ("paddle==3.1", None)
    project(tmp_path / "repository", '[tool.torchferry]\ntarget = "paddle==3.0"')
    assert counts() == ("paddle==3.0", None)


@pytest.mark.parametrize("name", ["../evil.py", "link.py", "linked/evil.py", "..evil"])
def test_rules_lie_within_the_project(tmp_path: Path, name: str) -> None:
    (tmp_path / "evil.py").touch()
    inside = tmp_path / "project"
    inside.mkdir()
    (inside / "link.py").symlink_to("../evil.py")
    (inside / "linked").symlink_to("..")
    project(inside, f'[tool.torchferry]\nrules = "{name}"')
    with pytest.raises(TorchferryError, match=r"outside the project|there is no"):
        settings_for(inside)


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ("glob", "name"),
    [
        ("*a" * 60 + "*b", "a" * 250),
        ("**/" * 300 + "**a" * 60 + "b", "a/" * 120 + "a"),
        ("?*" * 100 + "b", "a" * 250),
    ],
)
def test_a_glob_takes_no_longer_for_being_hostile(tmp_path: Path, glob: str, name: str) -> None:
    project(tmp_path, f'[tool.torchferry]\nexclude = ["{glob}"]')
    assert not settings_for(tmp_path).excludes(tmp_path / name)


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "text",
    [
        "a = " + "[" * 50_000,
        "a = " + "{b = " * 50_000,
        "a" + ".a" * 100_000 + " = 1",
        "[" + "a." * 4_000 + "a]\n" + "x.y = 1\n" * 20_000,
        "a = " + "9" * 5_000,
        "a = 2024-99-99",
        "a = '" + "x" * 1_000_000 + "'",
        "a = '\x00'",
    ],
)
def test_hostile_toml_is_one_message(tmp_path: Path, text: str) -> None:
    project(tmp_path, f"[tool.torchferry]\n{text}")
    done = torchferry("check", tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith(f"torchferry: {tmp_path / 'pyproject.toml'}: ")
    assert done.stderr.count("\n") == 1


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


@pytest.mark.parametrize(("any_case", "excluded"), [(True, True), (False, False)])
def test_capitals_in_a_glob_count_where_they_do_in_the_names_of_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, any_case: bool, excluded: bool
) -> None:
    monkeypatch.setattr(globs, "ANY_CASE", any_case)
    project(tmp_path, '[tool.torchferry]\nexclude = ["Third_Party/*.py", "OLD"]')
    settings = settings_for(tmp_path)
    assert settings.excludes(tmp_path / "third_party" / "A.PY") is excluded
    assert settings.excludes(tmp_path / "x" / "old" / "b.py") is excluded
    assert settings.excludes(tmp_path / "Third_Party" / "a.py")
    assert not settings.excludes(tmp_path / "other.py")


def test_severities_are_changed_and_turned_off(tmp_path: Path) -> None:
    project(tmp_path, '[tool.torchferry.severities]\nTF200 = "information"\nTF100 = "off"')
    found = workbench.check("import torch\ntorch.stack([x])\ntorch.stack(no=x)\n")
    judged = list(settings_for(tmp_path).judged(found))
    assert [(finding.code, finding.severity) for finding in judged] == [("TF200", "information")]


_USES = "import torch\ntorch.stack([x])\ntorch.stack(no=x)\ntorch.no_such_name()\n"


@pytest.mark.parametrize(
    ("table", "codes"),
    [
        ('select = ["TF2"]', {"TF200", "TF201"}),
        ('select = ["TF2"]\nignore = ["TF201"]', {"TF200"}),
        ('select = ["TF200"]\nignore = ["TF"]', {"TF200"}),
        ('ignore = ["TF1", "TF201"]', {"TF200"}),
        ('[tool.torchferry.per-file-ignores]\n"tests/**" = ["TF2"]', {"TF100"}),
        ('[tool.torchferry.per-file-ignores]\n"src" = ["TF2"]', {"TF100", "TF200", "TF201"}),
    ],
)
def test_codes_are_selected_and_ignored_by_how_they_begin(
    tmp_path: Path, table: str, codes: set[str]
) -> None:
    project(tmp_path, f"[tool.torchferry]\n{table}")
    judged = settings_for(tmp_path).judged(workbench.check(_USES), tmp_path / "tests" / "a.py")
    assert {finding.code for finding in judged} == codes


def test_that_code_does_not_parse_cannot_be_ignored(tmp_path: Path) -> None:
    project(tmp_path, '[tool.torchferry]\nselect = ["TF2"]\nignore = ["TF0"]')
    judged = settings_for(tmp_path).judged(workbench.check("import torch\nx = ("))
    assert [finding.code for finding in judged] == ["TF000"]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("[tool.torchferry]\ntargets = 'paddle'", "targets: there is no such setting"),
        ("[tool.torchferry]\ntarget = 'mxnet'", "target: unknown target 'mxnet'"),
        ("[tool.torchferry]\ntarget = 'jax==0.4'", "target: jax 0.4 is not supported"),
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
        ("[tool.torchferry.severities]\nTF499 = 'off'", "severities.TF499: there is no such code"),
        ("[tool.torchferry.severities]\nTF100 = 'none'", "severities.TF100: write one of: hint"),
        ("[tool.torchferry.severities]\nTF000 = 'off'", "severities.TF000: code that does not"),
        ("[tool.torchferry.severities]\nTF412 = 'off'", "severities.TF412: a capture that fails"),
        ("[tool.torchferry.severities]\ntf200 = 'off'", "did you mean TF200?"),
        ("[tool.torchferry]\nselect = 'TF2'", "select: write a list of codes"),
        (
            "[tool.torchferry]\nignore = ['TF2O1']",
            "ignore: 'TF2O1': neither a code nor the beginning",
        ),
        ("[tool.torchferry]\nignore = ['tf201']", "did you mean TF201?"),
        ("[tool.torchferry]\nignore = ['tf2']", "did you mean TF2?"),
        ("[tool.torch-ferry]\nignore = ['TF2']", "did you mean [tool.torchferry]?"),
        ("[tool.TorchFerry]\nignore = ['TF2']", "did you mean [tool.torchferry]?"),
        ("[tool.torchferry]\nper-file-ignores = ['TF2']", "per-file-ignores: write a table"),
        (
            "[tool.torchferry.per-file-ignores]\n'a.py' = ['TF8']",
            "per-file-ignores.'a.py': 'TF8': neither a code",
        ),
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


def test_the_style_and_the_start_of_weights_are_settings(tmp_path: Path) -> None:
    settings = settings_for(project(tmp_path, '[tool.torchferry]\nstyle = "exact"'))
    assert (settings.style, settings.init) == ("exact", "torch")
    settings = settings_for(project(tmp_path, '[tool.torchferry]\ninit = "native"'))
    assert (settings.style, settings.init) == ("plain", "native")


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ('style = "pretty"', 'style: write "plain" or "exact"'),
        ('init = "zeros"', 'init: write "torch" or "native"'),
        ("style = 3", 'style: write "plain" or "exact"'),
        (
            'style = "exact"\ninit = "native"',
            "init: the exact style initializes new weights as torch",
        ),
    ],
)
def test_an_unknown_style_is_named(tmp_path: Path, table: str, message: str) -> None:
    with pytest.raises(TorchferryError, match=re.escape(message)):
        settings_for(project(tmp_path, f"[tool.torchferry]\n{table}"))


def test_quoted_text_keeps_a_message_on_one_line(tmp_path: Path) -> None:
    project(tmp_path, '[tool.torchferry]\n"a\\nb" = 1')
    with pytest.raises(TorchferryError, match="a b: there is no such setting") as caught:
        settings_for(tmp_path)
    assert "\n" not in str(caught.value)


def test_hazards_have_severities_of_their_own(tmp_path: Path) -> None:
    project(tmp_path, "[tool.torchferry.severities]\nTF404 = 'error'\nTF414 = 'off'")
    assert settings_for(tmp_path).severities == {"TF404": Severity.ERROR, "TF414": None}


def test_models_that_are_compared_or_verified(tmp_path: Path) -> None:
    table = """[tool.torchferry.models]
"model.py:Net" = { inputs = ["2x3", "y=4"] }
"train.py:GPT(8)" = { port = "out.py:GPT(8)", steps = 20, map = ["a=b:T"], channels-last = true }
"""
    compared, verified = settings_for(project(tmp_path, table)).models
    assert compared.arguments == ["compare", "--inputs=2x3", "--inputs=y=4", "--", "model.py:Net"]
    options = ["--map=a=b:T", "--steps=20", "--channels-last"]
    assert verified.arguments == ["verify", *options, "--", "train.py:GPT(8)", "out.py:GPT(8)"]


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("models = 5", "models: write a table"),
        ('models = { "Net" = {} }', "models.'Net': name a model as FILE:NAME"),
        ('models = { "m\\u0000.py:Net" = {} }', "name a model as FILE:NAME"),
        ('models = { "m.py:Net" = 5 }', "write a table, such as { port"),
        ('models = { "m.py:Net" = { shape = "2" } }', "there is no such key; write one of: port"),
        ('models = { "m.py:Net" = { port = "p.py" } }', "name the port as FILE:NAME"),
        ('models = { "m.py:Net" = { inputs = "2x3" } }', "write a list of texts"),
        ('models = { "m.py:Net" = { steps = 3 } }', "only to a model with a port"),
        (
            'models = { "m.py:Net" = { port = "p.py:N", steps = 0 } }',
            "the number of training steps",
        ),
        ('models = { "m.py:Net" = { port = "p.py:N", loss = 1 } }', "the name of a function"),
        ('models = { "m.py:Net" = { port = "p.py:N", channels-last = 1 } }', "true or false"),
    ],
)
def test_models_that_are_none(tmp_path: Path, table: str, expected: str) -> None:
    with pytest.raises(TorchferryError, match=re.escape(expected)):
        settings_for(project(tmp_path, f"[tool.torchferry]\n{table}"))
