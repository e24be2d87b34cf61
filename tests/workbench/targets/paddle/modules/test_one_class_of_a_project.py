"""A class of torch's has one counterpart in all files of a project, from one module of helpers."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.workbench.convert.project.project_tree import converted, write

NET = """
    import torch.nn as nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(3, 4, 3)
            self.norm = nn.BatchNorm2d(4)
            self.table = nn.Embedding(5, 3, max_norm=1.0)
            self.other = nn.Embedding(5, 3)

        def forward(self, x):
            return self.norm(self.conv(x))
"""
TOOLS = """
    import torch.nn as nn

    NAMES = {nn.Embedding: "table", nn.Conv2d: "conv"}

    def initialise(net):
        for m in net.modules():
            kind = type(m)
            if kind is nn.BatchNorm2d:
                m.eps = 1e-3
                m.momentum = 0.03
            elif isinstance(m, (nn.Embedding, nn.Linear)):
                nn.init.ones_(m.weight)

    def described(net):
        return [
            (NAMES.get(type(m)), m.__class__.__name__ == "BatchNorm2d", type(m) is nn.Embedding)
            for m in net.children()
        ]
"""
MAIN = """
    import torch
    from {net} import Net
    from {tools} import described, initialise

    net = Net()
    initialise(net)
    result = described(net), net.norm.eps, net.table.weight.sum().item(), net.norm.momentum
"""
PROJECTS: dict[str, Mapping[str, str]] = {
    "flat": {
        "net.py": NET,
        "tools.py": TOOLS,
        "main.py": MAIN.format(net="net", tools="tools"),
    },
    "package": {
        "p/__init__.py": "",
        "p/net.py": NET,
        "p/tools.py": TOOLS,
        "p/run.py": MAIN.format(net=".net", tools=".tools"),
        "main.py": "from p.run import result\n",
    },
    "package in packages": {
        "p/__init__.py": "",
        "p/models/__init__.py": "from .net import Net\n",
        "p/models/net.py": NET,
        "p/tools/__init__.py": TOOLS,
        "main.py": MAIN.format(net="p.models", tools="p.tools"),
    },
    "src": {
        "src/p/__init__.py": "",
        "src/p/net.py": NET,
        "src/p/tools.py": TOOLS,
        "scripts/main.py": MAIN.format(net="p.net", tools="p.tools"),
    },
    "two packages, one imports the other": {
        "models/__init__.py": "",
        "models/net.py": f"{NET}\n    from utils.tools import initialise\n",
        "utils/__init__.py": "",
        "utils/tools.py": TOOLS,
        "main.py": MAIN.format(net="models.net", tools="utils.tools"),
    },
    "two packages side by side": {
        "models/__init__.py": "from models.net import Net\n",
        "models/net.py": NET,
        "utils/__init__.py": "from .tools import described, initialise\n",
        "utils/tools.py": TOOLS,
        "main.py": MAIN.format(net="models", tools="utils"),
    },
    "two packages that nothing imports here": {
        "models/__init__.py": "",
        "models/net.py": NET,
        "utils/__init__.py": "",
        "utils/tools.py": TOOLS,
    },
    "folders that are no packages": {
        "models/net.py": NET,
        "utils/tools.py": TOOLS,
        "main.py": MAIN.format(net="models.net", tools="utils.tools"),
    },
    "a script beside a package": {
        "p/__init__.py": "",
        "p/net.py": NET,
        "main.py": TOOLS
        + MAIN.format(net="p.net", tools="p.net").replace(
            "from p.net import described, initialise\n", ""
        ),
    },
    "a module of the root that packages import": {
        "tools.py": TOOLS,
        "models/__init__.py": "",
        "models/net.py": f"{NET}\n    from tools import initialise\n",
        "main.py": MAIN.format(net="models.net", tools="tools"),
    },
    "imported by a name at run time": {
        "models/__init__.py": "",
        "models/net.py": NET,
        "tools.py": TOOLS,
        "main.py": """
            from importlib import import_module
            from tools import described, initialise

            net = import_module("models." + "net").Net()
            initialise(net)
            result = described(net), net.norm.eps, net.table.weight.sum().item(), net.norm.momentum
        """,
    },
    "a registry of classes in another file": {
        "registry.py": """
            from torch import nn

            LAYERS = {"norm": nn.BatchNorm2d, "table": nn.Embedding, "drop": nn.Dropout}

            def build(kind: str, *given):
                return LAYERS[kind](*given)
        """,
        "main.py": """
            from torch import nn
            from registry import LAYERS, build

            layers = [build("norm", 3), build("table", 5, 3), nn.BatchNorm2d(3, momentum=None)]
            layers += [nn.Embedding(5, 3, max_norm=1.0), nn.BatchNorm2d(3), build("drop", 0.5)]
            result = [
                [type(m) is one for one in LAYERS.values()]
                + [isinstance(m, nn.BatchNorm2d), isinstance(m, LAYERS["table"])]
                for m in layers
            ]
        """,
    },
    "names of classes in a file without torch": {
        "init.py": """
            def init(m):
                name = m.__class__.__name__
                if name == "BatchNorm2d" or name.startswith("Conv2d"):
                    m.weight.data.fill_(3.0)
        """,
        "main.py": """
            from torch import nn
            from init import init

            net = nn.Sequential(nn.Conv2d(1, 1, 1), nn.BatchNorm2d(1), nn.Linear(1, 1))
            net.apply(init)
            result = net[0].weight.sum().item(), net[1].weight.sum().item()
        """,
    },
}
DRIVER = MAIN.format(net="models.net", tools="utils.tools")


def _run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the result of a project's `main.py`, with the folder that it is run in on the path."""
    main = next(folder.rglob("main.py"))
    with monkeypatch.context() as patch:
        for place in {folder, main.parent, *folder.glob("src")}:
            patch.syspath_prepend(place)
        own = {one.stem for one in folder.rglob("*")}
        _forget(own)  # another test's modules of these names
        try:
            return runpy.run_path(str(main))["result"]
        finally:
            _forget(own)


def _forget(names: set[str]) -> None:
    for name in list(sys.modules):
        if name.partition(".")[0] in names:
            del sys.modules[name]


@pytest.mark.parametrize("files", PROJECTS.values(), ids=PROJECTS.keys())
def test_files_of_a_project_agree(
    files: Mapping[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, out = write(tmp_path / "in", files), tmp_path / "out"
    report = converted(source, out, workers=1)
    assert report.exit_code == 0
    assert len(report.helper_modules) <= 1
    assert sum("class TorchBatchNorm2d" in one.read_text() for one in out.rglob("*.py")) <= 1
    if not list(source.rglob("main.py")):
        for folder in (source, out):
            write(
                folder,
                {"main.py": DRIVER if folder == source else DRIVER.replace("torch", "paddle")},
            )
    assert _run(out, monkeypatch) == _run(source, monkeypatch)


def test_a_script_by_itself_shows_nothing_of_the_others(tmp_path: Path) -> None:
    script = (
        "from torch import nn\nif __name__ == '__main__':\n    nn.BatchNorm2d(3).running_mean\n"
    )
    source = write(
        tmp_path / "in", {"net.py": NET.replace(", max_norm=1.0", ""), "script.py": script}
    )
    converted(source, tmp_path / "out", workers=1)
    assert "nn.BatchNorm2D(4)" in (tmp_path / "out" / "net.py").read_text()
