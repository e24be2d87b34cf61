"""The report's page in a real browser."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser

from tests.workbench.convert.project.project_tree import converted, write
from workbench.convert.report.report_html import page


def test_a_file_s_findings_are_shown_with_their_lines(browser: Browser, tmp_path: Path) -> None:
    many = "".join(f"x{n} = torch.stack(no=y)\n" for n in range(250))
    files = {"a.py": f"import torch\nz = torch.stack([y])\n{many}", "b.py": "import torch\nx = (\n"}
    report = converted(write(tmp_path / "in", files), tmp_path / "out")
    place = tmp_path / "report.html"
    place.write_text(page(report), encoding="utf-8")
    shown = browser.new_page()
    problems: list[str] = []
    shown.on("pageerror", lambda error: problems.append(str(error)))
    shown.on("console", lambda message: problems.append(message.text))
    shown.goto(place.as_uri())
    assert shown.locator(".share b").inner_text() == "0.3 %"
    assert "b.py:2:" in shown.locator(".failure").inner_text()
    # Only one file is open; a long list comes in portions.
    assert shown.locator("details").count() == 1
    assert shown.locator(".place").count() == 200
    shown.locator(".more").click()
    assert shown.locator(".place").count() == 250
    shown.get_by_role("button", name="left").click()
    assert shown.locator("details").count() == 0
    shown.get_by_role("button", name="exact").click()
    assert shown.locator(".place .after").inner_text() == "z = paddle.stack([y])"
    assert shown.locator(".place mark.new").inner_text() == "paddle"
    shown.get_by_role("searchbox").fill("no such thing")
    assert shown.locator(".none").is_visible()
    for scheme, back in (("light", "rgb(255, 255, 255)"), ("dark", "rgb(13, 17, 23)")):
        shown.emulate_media(color_scheme=scheme)
        assert shown.evaluate("getComputedStyle(document.body).backgroundColor") == back
    assert problems == []
    shown.close()


def test_a_note_is_no_exact_conversion(browser: Browser, tmp_path: Path) -> None:
    files = {"a.py": "import torch\ny = torch.relu(x)\nz = torch.abs(x)\n"}
    report = converted(write(tmp_path / "in", files), tmp_path / "out")
    shown = browser.new_page()
    shown.set_content(page(report))
    legend = shown.locator(".legend li")
    assert legend.all_inner_texts() == ["1 converted exactly", "1 converted with a note"]
    shown.close()


def test_code_in_a_message_is_marked(browser: Browser, tmp_path: Path) -> None:
    files = {"a.py": "import torch\nn = torch.nn.Linear(2, 3)\n"}
    shown = browser.new_page()
    shown.set_content(page(converted(write(tmp_path / "in", files), tmp_path / "out")))
    assert shown.locator(".codes code").all_inner_texts() == ["weight_attr"]
    shown.close()
