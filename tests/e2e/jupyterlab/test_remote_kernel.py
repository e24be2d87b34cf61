"""Kernels in an environment that has neither JupyterLab nor a server in it."""

from __future__ import annotations

import json
import re
import secrets
import site
import venv
from pathlib import Path

import pytest
from cells import CALL, NET
from conftest import jupyterlab
from lab_page import OWN_KERNEL, Lab
from playwright.sync_api import Browser, expect

from tests.jupyter_process import kernel_gateway

# Packages that only a server has, and packages that no kernel needs.
SERVERS = "jupyterlab|jupyter_server|jupyter_lsp|notebook_shim|netron"
ELSEWHERE = re.compile(f"{SERVERS}|ipywidgets|nbclient|nbformat|sklearn|scikit")
WHERE = """import importlib.util, sys
print(sys.prefix)
print([name for name in ("jupyterlab", "netron") if importlib.util.find_spec(name)])"""
WORK = """grid = torch.arange(24.0).reshape(2, 3, 4)
if 'paddle' in type(grid).__module__:
    grid[1, 2, 3] += 5"""


def install(name: str, folder: Path, base: Path) -> None:
    """Make such an environment, and a kernel of this name in a folder where Jupyter looks."""
    python = _environment(base / "elsewhere")
    spec = folder / "kernels" / name / "kernel.json"
    spec.parent.mkdir(parents=True)
    command = [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec.write_text(json.dumps({"argv": command, "display_name": "Away", "language": "python"}))


def _environment(place: Path) -> Path:
    """Another environment, with the packages of this one but for those of a server; its Python."""
    venv.create(place)
    (there,) = place.glob("lib/python*/site-packages")
    for folder in map(Path, site.getsitepackages()):
        for package in folder.iterdir():
            if not ELSEWHERE.match(package.name):
                (there / package.name).symlink_to(package)
    return place / "bin" / "python"


def test_a_kernel_elsewhere(lab: Lab, tmp_path: Path) -> None:
    install("away", lab.server.data, tmp_path)
    lab.open("here", ["1 + 1"])
    lab.page.evaluate("window.jupyterapp.serviceManager.kernelspecs.refreshSpecs()")
    is_used(lab, "away")


@pytest.mark.thorough
def test_a_kernel_behind_a_gateway(browser: Browser, tmp_path: Path) -> None:
    install(OWN_KERNEL, tmp_path / "specs", tmp_path)
    token = secrets.token_hex(16)
    folders = {
        "HOME": tmp_path / "home",
        "IPYTHONDIR": tmp_path / "ipython",
        "JUPYTER_PATH": tmp_path / "specs",
        "JUPYTER_RUNTIME_DIR": tmp_path / "runtime",
        "TORCHFERRY_CONFIG_HOME": tmp_path / "torchferry",
    }
    with kernel_gateway(token=token, folders=folders) as url:
        options = f"--GatewayClient.url={url}", f"--GatewayClient.auth_token={token}"
        with jupyterlab(tmp_path / "lab", *options) as server:
            lab = Lab(browser.new_page(), server)
            is_used(lab, OWN_KERNEL)
            lab.button("Compare").click()
            expect(lab.page.get_by_text("All 5 nodes agree").first).to_be_visible()
            lab.page.close()


def is_used(lab: Lab, kernel: str) -> None:
    """Run cells, look into their values, and see a graph, with a kernel that is elsewhere."""
    magic = f"%%convert\n{WORK}"
    cells = [WHERE, "%load_ext jupyter_ext\nimport torch", WORK, magic, NET, CALL]
    lab.open("away", cells, kernel=kernel)
    lab.run(0)
    output = lab.cell(0).locator(".jp-OutputArea-output")
    expect(output).to_contain_text("elsewhere")
    expect(output).to_contain_text("[]")
    lab.run(1)
    lab.select(2)
    expect(lab.converted).to_contain_text("paddle.arange")
    lab.button("Run both sides").click()
    expect(lab.section("Comparison")).to_contain_text("1 of 1 differs")
    values = lab.section("Values")
    values.locator("tbody button").first.click()
    expect(values.locator(".tf-Tensor")).to_contain_text("Largest difference at [1, 2, 3]")
    expect(values.locator("canvas")).to_have_count(3)
    lab.button("Fix all: convert the whole cell in place").click()
    lab.expect_source(2, re.compile("paddle.arange"))

    # A cell shows its comparison without widgets.
    lab.run(3)
    shown = lab.cell(3).locator(".jp-OutputArea-output").last
    expect(shown).to_contain_text("1 of 1 differs")
    expect(shown.get_by_text("grid").first).to_be_visible()

    lab.run(4)
    lab.run(5)
    lab.select(5)
    lab.trace("net(images)")
    expect(lab.graph.facts).to_contain_text("Net: 5 nodes")
    lab.button("Open the captured program (.pt2)").click()
    program = lab.page.locator(".tf-GraphTab:visible", has=lab.page.get_by_title("Program of"))
    expect(program.frame_locator("iframe").locator(".graph-node").first).to_be_visible()
