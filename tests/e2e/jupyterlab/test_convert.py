"""`%%convert` in JupyterLab: the widget, where the result goes, and workers that crash."""

from __future__ import annotations

import json
import re

from lab_page import Lab
from playwright.sync_api import Locator, expect

LOAD = "%load_ext jupyter_ext\nimport torch\nimport torch.nn as nn"
TRAIN = """%%convert
torch.manual_seed(0)
x = torch.randn(32, 6)
model = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(12):
    optimizer.zero_grad()
    loss = (model(x) ** 2).mean()
    loss.backward()
    optimizer.step()"""


def output(lab: Lab, index: int) -> Locator:
    """What the cell shows at last; the line of its progress may stand above."""
    return lab.cell(index).locator(".jp-OutputArea-output").last


def test_the_widget_sorts_and_draws(lab: Lab) -> None:
    lab.open("widget", [LOAD, TRAIN])
    lab.run(0)
    lab.run(1)
    shown = output(lab, 1)
    expect(shown).to_contain_text("13 values agree")
    expect(shown).to_contain_text("loss, line 9")
    names = shown.locator(".tf-rows .tf-name")
    shown.get_by_label("sort by").select_option("name")
    expect(names.first).to_have_text("loss")
    expect(names.nth(1)).to_have_text("loss, line 9")
    shown.get_by_label("picture of").select_option("model.0.weight")
    expect(shown.get_by_role("img", name=re.compile("heat map"))).to_be_visible()
    expect(shown.get_by_role("img", name=re.compile("histogram"))).to_be_visible()


def test_a_crash_is_a_message_and_the_cell_may_be_replaced(lab: Lab) -> None:
    crash = "%%convert --isolated\nimport os\nos.abort()"
    lab.open("place", [LOAD, crash, "%%convert --result replace\ny = torch.ones(2, 3)"])
    lab.run(0)
    lab.run(1)
    expect(output(lab, 1)).to_contain_text("torch crashed: Aborted")
    lab.run(2)
    lab.expect_source(2, re.compile("y = paddle.ones"))
    assert lab.source(2).endswith("y = paddle.ones(2, 3)")


def test_a_converted_notebook_differs_in_its_code_alone(lab: Lab) -> None:
    sums = "x = torch.ones(2, 3)\nprint(x.sum(dim=1))"
    lab.open("whole", ["md:# Sums", LOAD, sums, "%convert_notebook whole.ipynb"])
    lab.run(1)
    lab.run(2)
    expect(output(lab, 2)).to_have_text("tensor([3., 3.])")
    lab.command("docmanager:save")
    expect(lab.page.locator(".lm-TabBar-tab.lm-mod-current.jp-mod-dirty")).to_have_count(0)
    lab.run(3)
    expect(output(lab, 3)).to_contain_text("whole.paddle.ipynb")
    ours, theirs = (
        json.loads((lab.server.root / name).read_text())
        for name in ("whole.ipynb", "whole.paddle.ipynb")
    )
    sources = ["".join(cell.pop("source")) for cell in theirs["cells"]]
    for cell in ours["cells"]:
        del cell["source"]
    assert ours == theirs
    assert ours["cells"][2]["outputs"]
    assert sources[2] == sums.replace("torch", "paddle")
