"""`torchferry check` as a linter is used: what it reports, how it is written, and what it mends."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from workbench.commands.check import check
from workbench.convert.configuration.settings import settings_for
from workbench.convert.project.file_job import Order
from workbench.convert.project.runner import convert_path
from workbench.errors import TorchferryError

SOURCE = """\
import torch

x = torch.stack([y], dim=1)
z = torch.stack(no=x)
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one file, which is the working folder."""
    (tmp_path / "a.py").write_text(SOURCE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(check, [*arguments, "--jobs", "1"])


def found(*arguments: str) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = json.loads(run(*arguments, "--output-format", "json").stdout)
    return rows


def refused(*arguments: str) -> str:
    error = run(*arguments).exception
    assert isinstance(error, TorchferryError)
    return str(error)


def git(*arguments: str) -> None:
    subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments],
        check=True,
        capture_output=True,
    )


def test_findings_are_followed_by_their_sum(project: Path) -> None:
    done = run("a.py")
    assert done.exit_code == 1
    assert done.stdout.splitlines() == [
        "a.py:4:5: error TF200 torch.stack: its arguments fit no signature of torch",
        "2 findings in 1 file: 1 error, 1 hint. --all prints them all.",
        "1 of them convert: --diff shows how, --fix writes it.",
    ]
    assert len(run("a.py", "--quiet").stdout.splitlines()) == 1


def test_uses_of_a_file_with_a_syntax_error_do_not_convert(project: Path) -> None:
    (project / "a.py").write_text("import torch\nx = torch.cos(y)\nz = torch.sin(\n")
    lines = run("a.py").stdout.splitlines()
    assert lines[0].startswith("a.py:3:14: error TF000")
    assert lines[1:] == ["2 findings in 1 file: 1 error, 1 hint. --all prints them all."]


@pytest.mark.parametrize("wanted", [("--all",), ("--select", "TF1,TF2")])
def test_hints_are_printed_where_they_are_wanted(project: Path, wanted: tuple[str, ...]) -> None:
    lines = run("a.py", *wanted).stdout.splitlines()
    assert lines[0] == "a.py:3:5: hint TF100 torch.stack becomes paddle.stack"
    assert "--all" not in lines[2]


def test_a_class_that_is_refused_as_a_whole_is_reported_once(project: Path) -> None:
    (project / "b.py").write_text(
        "import torch\nfrom torch.utils.tensorboard import SummaryWriter\n"
        "w = SummaryWriter()\nw.add_scalar('x', 1.0)\nwith SummaryWriter() as v:\n    v.flush()\n"
        "a, b = torch.lobpcg(x), torch.lobpcg(y)\n"
    )
    lines = run("b.py").stdout.splitlines()
    assert [line.partition(" ")[0] for line in lines[:3]] == [
        "b.py:3:5:",
        "b.py:7:8:",
        "b.py:7:25:",
    ]
    assert lines[0].endswith("tensorboardX.SummaryWriter (3 more uses in this file)")
    assert lines[3] == "6 findings in 1 file: 6 errors. --all prints them all."
    assert len(run("b.py", "--all").stdout.splitlines()) == 7


def test_the_current_folder_is_checked_where_no_path_is_given(project: Path) -> None:
    assert run().stdout == run(".").stdout != ""


def test_standard_input_is_checked(project: Path) -> None:
    done = CliRunner().invoke(check, ["-", "--all"], input=SOURCE)
    assert done.exit_code == 1
    assert done.stdout.splitlines()[0] == "-:3:5: hint TF100 torch.stack becomes paddle.stack"
    assert "torchferry convert -" in refused("-", "--fix")


def test_the_exit_code_may_be_0_all_the_same(project: Path) -> None:
    assert run("a.py", "--exit-zero").exit_code == 0
    (project / "b.py").write_text("x = (")
    assert run("b.py", "--exit-zero").exit_code == 2


def test_colour_is_chosen(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[31merror" in run("a.py", "--color", "always").stdout
    assert "\x1b" not in run("a.py", "--color", "never").stdout
    assert "\x1b" not in run("a.py").stdout


def test_codes_are_selected_and_ignored(project: Path) -> None:
    assert [row["code"] for row in found("a.py", "--select", "TF2,TF4")] == ["TF200"]
    assert [row["code"] for row in found("a.py", "--ignore", "TF2")] == ["TF100"]
    assert run("a.py", "--ignore", "TF2").exit_code == 0
    assert refused("a.py", "--select", "TF2O0").startswith("--select 'TF2O0': neither a code")
    assert "did you mean TF200?" in refused("a.py", "--ignore", "tf200")
    assert "did you mean TF20" in refused("a.py", "--ignore", "TF2X")


def test_the_command_line_selects_before_the_settings(project: Path) -> None:
    (project / "pyproject.toml").write_text('[tool.torchferry]\nignore = ["TF2"]\n')
    assert [row["code"] for row in found("a.py")] == ["TF100"]
    assert [row["code"] for row in found("a.py", "--select", "TF2")] == ["TF200"]
    assert found("a.py", "--ignore", "TF1") == []


def test_a_named_file_is_read_in_the_light_of_its_project(project: Path) -> None:
    (project / "pyproject.toml").write_text("")
    (project / "deep").mkdir()
    (project / "deep" / "__init__.py").write_text("")
    (project / "deep" / "net.py").write_text(
        "from torch import nn\n\n\nclass Net(nn.Module):\n    pass\n"
    )
    (project / "deep" / "use.py").write_text("from deep.net import Net\n\nnet = Net().to(d)\n")
    of_file = found("deep/use.py")
    assert [row["name"] for row in of_file] == ["torch.nn.Module.to"]
    assert of_file == [row for row in found(".") if row["file"] == "deep/use.py"]


def test_statistics_count_codes(project: Path) -> None:
    assert run("a.py", "--statistics", "--quiet").stdout.splitlines() == [
        "1  TF100  converts exactly",
        "1  TF200  has no equivalent in this form and is not converted",
    ]
    rows = json.loads(run("a.py", "--statistics", "--output-format", "json").stdout)
    assert [(row["code"], row["count"]) for row in rows] == [("TF100", 1), ("TF200", 1)]
    assert "--output-format json" in refused("a.py", "--statistics", "--output-format", "junit")


def test_github_gets_an_annotation_of_the_line(project: Path) -> None:
    (project / "50%,a.py").write_text("import torch\ntorch.stack(no=x)\n")
    assert run("50%,a.py", "--output-format", "github").stdout == (
        "::error title=Torchferry (TF200),file=50%25%2Ca.py,line=2,col=1,endLine=2,endColumn=12"
        "::50%25,a.py:2:1: TF200 torch.stack: its arguments fit no signature of torch\n"
    )


def test_gitlabs_fingerprints_stay_where_lines_move(project: Path) -> None:
    (project / "a.py").write_text(SOURCE + "z = torch.stack(no=x)\n")
    before = json.loads(run("a.py", "--output-format", "gitlab").stdout)
    assert [one["location"]["lines"]["begin"] for one in before] == [4, 5]
    (project / "a.py").write_text("# moved\n" + SOURCE + "z = torch.stack(no=x)\n")
    after = json.loads(run("a.py", "--output-format", "gitlab").stdout)
    prints = [one["fingerprint"] for one in before]
    assert prints == [one["fingerprint"] for one in after]
    assert len(set(prints)) == 2


def test_junit_has_a_test_that_fails_for_each_error(project: Path) -> None:
    (project / "b.py").write_text("import torch\ntorch.stack([])\n")
    suites = ElementTree.fromstring(run(".", "--output-format", "junit").stdout)
    assert [(one.get("name"), one.get("failures")) for one in suites] == [
        ("a.py", "1"),
        ("b.py", "0"),
    ]
    [failure] = suites.iter("failure")
    assert failure.text == "a.py:4:5: TF200 torch.stack: its arguments fit no signature of torch"


def test_sarif_has_paths_from_the_working_folder(project: Path) -> None:
    log = json.loads(run(str(project), "--output-format", "sarif").stdout)
    [result] = log["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("a.py", 4)


def test_a_baseline_leaves_new_findings_alone(project: Path) -> None:
    kept = run(".", "--baseline", "known.json", "--write-baseline")
    assert (kept.exit_code, kept.stdout) == (0, "2 findings written to known.json.\n")
    moved = "import torch\n\n\n" + SOURCE.partition("\n\n")[2]
    (project / "a.py").write_text(moved)
    again = run(".", "--baseline", "known.json")
    assert again.exit_code == 0
    assert again.stdout.splitlines() == [
        "Nothing found in 1 file.",
        "2 findings of the baseline not shown.",
    ]
    (project / "a.py").write_text(moved + "z = torch.stack(no=x)\n")  # one more of the same
    new = run(".", "--baseline", "known.json")
    assert new.exit_code == 1
    assert "1 finding in 1 file: 1 error." in new.stdout


def test_findings_that_are_gone_from_a_baseline_are_reported(project: Path) -> None:
    run("a.py", "--baseline", "known.json", "--write-baseline")
    (project / "a.py").write_text("import torch\n\nx = torch.stack([y], dim=1)\n")
    assert run("a.py", "--baseline", "known.json").stdout.splitlines()[1] == (
        "1 finding of the baseline not shown, and 1 is no longer found: write it again with"
        " --write-baseline."
    )


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": "other"}', "[" * 100_000])
def test_other_files_than_baselines_are_refused(project: Path, text: str) -> None:
    (project / "known.json").write_text(text)
    assert refused("a.py", "--baseline", "known.json").startswith("known.json: not a baseline")


def test_a_baseline_that_is_to_be_written_has_a_name(project: Path) -> None:
    assert "--baseline FILE" in refused("a.py", "--write-baseline")


def test_fixes_are_written_over_what_git_has(project: Path) -> None:
    git("init", "-q")
    assert "a.py: differs from git's content" in refused("a.py", "--fix")
    assert (project / "a.py").read_text() == SOURCE
    git("add", "a.py")
    done = run("a.py", "--fix")
    assert (project / "a.py").read_text() == (
        "import paddle\nimport torch\n\nx = paddle.stack([y], dim=1)\nz = torch.stack(no=x)\n"
    )
    assert done.exit_code == 1
    assert done.stdout.splitlines() == [
        "a.py:5:5: error TF200 torch.stack: its arguments fit no signature of torch",
        "1 finding in 1 file: 1 error.",
        "1 use converted; 1 file written.",
    ]


def test_differences_of_fixed_uses_are_reported_at_their_new_lines(project: Path) -> None:
    (project / "a.py").write_text(
        "import torch\ng = torch.Generator()\nx = torch.randn(2, generator=g)\n"
    )
    done = run("a.py", "--fix", "--force")
    lines = (project / "a.py").read_text().splitlines()
    line = lines.index("x = torch_drawn(g, paddle.randn, [2])")
    assert f"a.py:{line + 1}:5: information TF101 torch.randn becomes torch_drawn" in done.stdout
    assert done.exit_code == 0
    assert run("a.py").stdout == "Nothing found in 1 file.\n"


def test_short_helpers_are_where_a_conversion_of_the_folder_puts_them(project: Path) -> None:
    text = "import torch\ng = torch.Generator()\nx = torch.randn(2, generator=g)\n"
    (project / "pkg").mkdir()
    for name, code in (("__init__", "from .b import x\n"), ("b", text), ("c", "import torch\n")):
        (project / "pkg" / f"{name}.py").write_text(code)
    settings = settings_for(project)
    convert_path(project / "pkg", project / "out", Order(settings.target, settings))
    run("pkg", "--fix", "--force")
    for name in ("b.py", "torchferry_helpers.py"):
        written = (project / "out" / name).read_text()
        assert (project / "pkg" / name).read_text() == written, name


def test_the_settings_say_where_helpers_of_fixes_go(project: Path) -> None:
    (project / "pyproject.toml").write_text('[tool.torchferry]\nhelpers = "inline"\n')
    (project / "a.py").write_text("import torch\noptimizer = torch.optim.SGD(weights, 0.1)\n")
    run("a.py", "--fix", "--force", "--style", "exact")
    assert "class TorchSGD" in (project / "a.py").read_text()


def test_a_file_that_is_named_twice_is_checked_once(project: Path) -> None:
    (project / "pkg").mkdir()
    (project / "pkg" / "b.py").write_text(SOURCE)
    for paths in ((".", "pkg"), ("pkg", "pkg/../pkg"), ("pkg/b.py", "pkg")):
        places = [(row["file"], row["line"]) for row in found(*paths)]
        assert len(places) == len(set(places)) == 2 * (1 + ("." in paths)), paths
    run("pkg", "pkg/../pkg", "--fix", "--force")
    assert (project / "pkg" / "b.py").read_text().count("import paddle") == 1


def test_unread_files_are_not_counted_as_checked(project: Path) -> None:
    (project / "b.py").write_bytes(b"x = '\xe9'\nimport torch\n")
    assert run("b.py").stdout == "1 file could not be read.\n"
    (project / "a.py").write_text("x = 1\n")
    assert run().stdout == "Nothing found in 1 file. 1 file could not be read.\n"


def test_a_read_only_file_is_not_overwritten(project: Path) -> None:
    (project / "b.py").write_text(SOURCE)
    (project / "b.py").chmod(0o444)
    assert "b.py: it is read-only" in refused("--fix", "--force")
    assert (project / "a.py").read_text() == SOURCE, "all is written, or nothing"


def test_a_link_stays_one_and_what_it_leads_to_is_fixed(project: Path) -> None:
    (project / "link.py").symlink_to("a.py")
    git("init", "--quiet")
    git("add", ".")
    assert {row["file"] for row in found(".")} == {"a.py"}
    run("link.py", "--select", "TF100", "--fix")
    assert (project / "link.py").is_symlink()
    assert "x = paddle.stack(" in (project / "a.py").read_text()


def test_a_diff_shows_the_selected_fixes_and_writes_nothing(project: Path) -> None:
    assert run("a.py", "--diff").stdout.splitlines() == [
        "--- a/a.py",
        "+++ b/a.py",
        "@@ -1,4 +1,5 @@",
        "+import paddle",
        " import torch",
        " ",
        "-x = torch.stack([y], dim=1)",
        "+x = paddle.stack([y], dim=1)",
        " z = torch.stack(no=x)",
    ]
    assert run("a.py", "--diff", "--select", "TF2").stdout == ""
    assert (project / "a.py").read_text() == SOURCE


def test_fixes_bring_their_helpers(project: Path) -> None:
    (project / "a.py").write_text("import torch\noptimizer = torch.optim.SGD(weights, 0.1)\n")
    done = run("a.py", "--fix", "--force", "--style", "exact", "--quiet")
    assert done.exit_code == 0
    assert "from torchferry_helpers import TorchSGD" in (project / "a.py").read_text()
    assert "class TorchSGD" in (project / "torchferry_helpers.py").read_text()


def test_files_that_are_named_share_a_module_of_helpers(project: Path) -> None:
    (project / "beside.py").write_text("")
    for name, kind in (("a", "SGD"), ("b", "Adam")):
        text = f"import torch\nimport beside\noptimizer = torch.optim.{kind}(weights, 0.1)\n"
        (project / f"{name}.py").write_text(text)
    git("init", "-q")
    git("add", "a.py", "beside.py")
    assert "b.py: differs from git's content" in refused(
        "a.py", "b.py", "--fix", "--style", "exact"
    )
    assert "torch.optim.SGD" in (project / "a.py").read_text(), "all is written, or nothing"
    git("add", "b.py")
    done = run("a.py", "b.py", "--fix", "--style", "exact")
    assert "2 uses converted; 3 files written." in done.stdout
    module = (project / "torchferry_helpers.py").read_text()
    assert "class TorchSGD" in module and "class TorchAdam" in module


@pytest.mark.parametrize("named", [(".",), ("pkg/one.py", "pkg/two.py")])
def test_fixes_in_a_package_share_a_module_of_helpers(
    project: Path, named: tuple[str, ...]
) -> None:
    (project / "setup.py").write_text("")
    (project / "a.py").write_text("import pkg.one\n")
    (project / "pkg").mkdir()
    for name, text in (
        ("__init__", "from .one import o\n"),
        ("one", "import torch\nfrom . import two\no = torch.optim.SGD(weights, 0.1)\n"),
        ("two", "import torch\nfrom . import __name__\no = torch.optim.Adam(weights, 0.1)\n"),
    ):
        (project / "pkg" / f"{name}.py").write_text(text)
    run(*named, "--fix", "--force", "--style", "exact")
    for name, helper in (("one", "TorchSGD"), ("two", "TorchAdam")):
        code = (project / "pkg" / f"{name}.py").read_text()
        assert f"from .torchferry_helpers import {helper}" in code
        assert f"class {helper}" in (project / "pkg" / "torchferry_helpers.py").read_text()


def test_cells_of_a_notebook_are_fixed_together(project: Path) -> None:
    cells = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "source": text}
        for text in ("import torch", "x = torch.stack([y], dim=1)")
    ]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (project / "n.ipynb").write_text(json.dumps(notebook))
    done = run("n.ipynb", "--fix", "--force")
    assert done.exit_code == 0
    after = json.loads((project / "n.ipynb").read_text())
    assert ["".join(cell["source"]) for cell in after["cells"]] == [
        "import paddle",
        "x = paddle.stack([y], dim=1)",
    ]
