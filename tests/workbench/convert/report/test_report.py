"""Reports: the numbers, and each finding with its line before and after."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.workbench.convert.project.project_tree import converted, result, write
from workbench.convert.report.report import FileResult, Report
from workbench.convert.report.report_html import page
from workbench.convert.report.sarif import sarif
from workbench.convert.report.written_report import as_json, write_report
from workbench.errors import TorchferryError

FILES = {
    "pkg/a.py": "import torch\n\nx = torch.stack(\n    [y],\n    dim=0)\nz = torch.stack(no=y)\n",
    "pkg/bad.py": "import torch\nx = (\n",
    "plain.py": "'</script><b>torch</b>'\n",
}


@pytest.fixture
def report(tmp_path: Path) -> Report:
    return converted(write(tmp_path / "in", FILES), tmp_path / "out")


def test_each_finding_has_its_line_before_and_after(report: Report) -> None:
    first, second = result(report, "pkg/a.py").rows
    assert (first.code, first.line, first.column) == ("TF100", 3, 5)
    assert (first.before, first.after) == ("x = torch.stack(", "x = paddle.stack(")
    assert (second.code, second.before, second.after) == (
        "TF200",
        "z = torch.stack(no=y)",
        "z = torch.stack(no=y)",
    )


def test_the_share_is_of_all_uses(tmp_path: Path, report: Report) -> None:
    assert (report.share, report.shown_share, report.exit_code) == (0.5, "50.0 %", 2)
    files = {"a.py": "import torch\n" + "torch.stack([x])\n" * 1999 + "torch.stack(no=x)\n"}
    nearly = converted(write(tmp_path / "nearly", files), tmp_path / "other")
    assert nearly.shown_share == "99.9 %"
    assert converted(write(tmp_path / "none", {"a.py": "x = 1\n"}), tmp_path / "no").share is None


def test_ignored_uses_count_as_not_converted(tmp_path: Path) -> None:
    files = {"a.py": "import torch\ntorch.stack([x])\ntorch.stack([x])  # torchferry: ignore\n"}
    report = converted(write(tmp_path / "in", files), tmp_path / "out")
    assert (report.share, report.total("ignored"), report.exit_code) == (0.5, 1, 0)


def test_severities_of_the_settings_decide_the_exit_code(tmp_path: Path) -> None:
    files = {
        "a.py": "import torch\ntorch.stack(no=x)\n",
        "pyproject.toml": '[tool.torchferry.severities]\nTF200 = "off"\n',
    }
    report = converted(write(tmp_path / "in", files), tmp_path / "out")
    assert (report.exit_code, report.share) == (0, 0.0)
    assert "# torchferry TF200" in (tmp_path / "out" / "a.py").read_text()


def test_results_survive_being_written_down(report: Report) -> None:
    for file in report.files:
        assert FileResult.from_json(json.loads(json.dumps(file.as_json()))) == file


def test_json_holds_everything(report: Report) -> None:
    data = json.loads(json.dumps(as_json(report)))
    assert (data["uses"], data["converted_uses"], data["exit_code"]) == (2, 1, 2)
    assert data["findings_by_code"] == {"TF100": 1, "TF200": 1}
    by_path = {file["path"]: file for file in data["files"]}
    assert by_path["pkg/a.py"]["rows"][0]["after"] == "x = paddle.stack("
    assert "bad.py:2:" in by_path["pkg/bad.py"]["failure"]


def test_sarif_names_what_asks_for_attention(
    report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    log: dict[str, Any] = json.loads(json.dumps(sarif(report)))
    assert log["version"] == "2.1.0"
    [run] = log["runs"]
    [found] = run["results"]
    [rule] = run["tool"]["driver"]["rules"]
    assert (found["ruleId"], found["ruleIndex"], found["level"]) == ("TF200", 0, "error")
    assert rule["id"] == "TF200"
    [location] = found["locations"]
    where = location["physicalLocation"]
    assert where["artifactLocation"] == {"uri": "in/pkg/a.py", "uriBaseId": "%SRCROOT%"}
    assert where["region"]["startLine"] == 6
    assert (where["region"]["startColumn"], where["region"]["endColumn"]) == (5, 16)
    assert run["originalUriBaseIds"]["%SRCROOT%"]["uri"] == f"{tmp_path.as_uri()}/"
    [invocation] = run["invocations"]
    assert invocation["executionSuccessful"] is False
    assert "bad.py" in invocation["toolExecutionNotifications"][0]["message"]["text"]


def test_the_page_is_one_file_that_asks_nothing(report: Report) -> None:
    text = page(report)
    assert not re.search(r"(?:src|href)\s*=|@import|url\(|https?:", text)
    assert "default-src 'none'" in text
    match = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert match is not None
    data = json.loads(match.group(1))
    assert (data["share"], data["uses"]) == ("50.0 %", 2)
    [file] = data["files"]
    assert file["places"][0][:4] == [0, 3, "x = torch.stack(", "x = paddle.stack("]


def test_data_cannot_end_the_page_s_script(tmp_path: Path) -> None:
    code = "import torch\ntorch.stack(*'</script><script>alert(1)</script>')\n"
    text = page(converted(write(tmp_path / "<in>", {"a.py": code}), tmp_path / "out"))
    assert text.count("</script>") == 2
    assert "<title>&lt;in&gt;" in text


def test_reports_are_written_by_their_endings(tmp_path: Path, report: Report) -> None:
    for name in ("r.json", "r.sarif", "r.html"):
        write_report(report, tmp_path / name)
    assert json.loads((tmp_path / "r.json").read_text())["uses"] == 2
    assert json.loads((tmp_path / "r.sarif").read_text())["version"] == "2.1.0"
    assert (tmp_path / "r.html").read_text().startswith("<!doctype html>")
    (tmp_path / "file").touch()
    with pytest.raises(TorchferryError, match="file"):
        write_report(report, tmp_path / "file" / "r.json")
