"""The helpers that a project's files share, found wherever a file runs."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.workbench.convert.project.project_tree import converted, write

NEEDS = "import torch\n{imports}x: torch.Tensor = torch.ones(2)\nx.max(0)\n"


def helper_import(code: str) -> str | None:
    """Return the line that brings the helpers, or None if they are defined in the code."""
    lines = [line for line in code.splitlines() if "torchferry_helpers import" in line]
    assert len(lines) <= 1
    assert bool(lines) != ("def torch_max" in code)
    return lines[0].rpartition(" import ")[0] if lines else None


@pytest.mark.parametrize(
    ("files", "path", "imports", "expected", "module"),
    [
        ({}, "a.py", "", "from torchferry_helpers", "torchferry_helpers.py"),
        ({}, "tools/a.py", "", "from torchferry_helpers", "tools/torchferry_helpers.py"),
        (
            {"p/__init__.py": "", "p/b.py": ""},
            "p/a.py",
            "from . import b\n",
            "from .torchferry_helpers",
            "p/torchferry_helpers.py",
        ),
        (
            {"src/p/__init__.py": "", "src/p/q/__init__.py": ""},
            "src/p/q/a.py",
            "",
            "from ..torchferry_helpers",
            "src/p/torchferry_helpers.py",
        ),
        (
            {"p/__init__.py": "", "p/b.py": ""},
            "p/a.py",
            "from p.b import *\n",
            "from p.torchferry_helpers",
            "p/torchferry_helpers.py",
        ),
        # A script or a test next to the package uses the package's helpers.
        (
            {"src/p/__init__.py": ""},
            "tests/test_a.py",
            "import p\n",
            "from p.torchferry_helpers",
            "src/p/torchferry_helpers.py",
        ),
        # A folder without `__init__`, imported from the project's root.
        (
            {"main.py": "from models import a\n"},
            "models/a.py",
            "",
            "from torchferry_helpers",
            "torchferry_helpers.py",
        ),
        (
            {"models/b.py": "import a\n"},
            "models/a.py",
            "",
            "from torchferry_helpers",
            "models/torchferry_helpers.py",
        ),
        # A package in a folder without `__init__`, imported from the project's root.
        (
            {"p/q/__init__.py": "", "main.py": "from p.q.a import y\n"},
            "p/q/a.py",
            "",
            "from torchferry_helpers",
            "torchferry_helpers.py",
        ),
        (
            {"p/q/__init__.py": "", "p/r/__init__.py": "", "p/r/b.py": "from p.q import a\n"},
            "p/q/a.py",
            "",
            "from torchferry_helpers",
            "torchferry_helpers.py",
        ),
        # It may run as a script or as a part of its package.
        (
            {"p/__init__.py": ""},
            "p/a.py",
            "if __name__ == '__main__':\n    pass\n",
            None,
            None,
        ),
        ({"p/__init__.py": "", "p/b.py": ""}, "p/a.py", "import b\n", None, None),
        ({"x/b.py": ""}, "x/a.py", "from . import b\n", None, None),
        # The name is taken by something else.
        ({"torchferry_helpers.py": "mine = 1\n"}, "a.py", "", None, None),
        ({}, "conftest.py", "", None, None),
    ],
)
def test_where_helpers_are_imported_from(
    tmp_path: Path,
    files: dict[str, str],
    path: str,
    imports: str,
    expected: str | None,
    module: str | None,
) -> None:
    source = write(tmp_path / "in", {**files, path: NEEDS.format(imports=imports)})
    report = converted(source, tmp_path / "out", style="exact")
    assert report.exit_code == 0
    out = tmp_path / "out"
    assert helper_import((out / path).read_text()) == expected
    assert report.helper_modules == ([module] if module else [])
    for name in report.helper_modules:
        text = (out / name).read_text()
        ast.parse(text)
        assert "def torch_max" in text
    if "torchferry_helpers.py" in files:
        assert (out / "torchferry_helpers.py").read_text() == "mine = 1\n"


def test_a_converted_project_runs(tmp_path: Path) -> None:
    paddle = pytest.importorskip("paddle")
    assert paddle
    import subprocess
    import sys

    source = write(
        tmp_path / "in",
        {
            "p/__init__.py": "from .net import Net\n",
            "p/net.py": """
                import torch
                from torch import nn

                class Net(nn.Module):
                    def __init__(self):
                        super().__init__()
                        self.layer = nn.Linear(3, 4)

                    def forward(self, x: torch.Tensor) -> torch.Tensor:
                        return self.layer(x).max(1).values
            """,
            "main.py": """
                import torch
                from p import Net

                print(list(Net()(torch.ones(2, 3)).shape))
            """,
        },
    )
    assert converted(source, tmp_path / "out").exit_code == 0
    done = subprocess.run(
        [sys.executable, "main.py"],
        cwd=tmp_path / "out",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == "[2]", done.stderr


def test_a_second_conversion_adds_to_the_helpers(tmp_path: Path) -> None:
    source = write(tmp_path / "in", {"a.py": NEEDS.format(imports="")})
    converted(source, tmp_path / "out", style="exact")
    out = tmp_path / "out"
    write(out, {"b.py": "import torch\ntorch.optim.LBFGS([torch.ones(2)])\n"})
    assert converted(out, tmp_path / "again").exit_code == 0
    text = (tmp_path / "again" / "torchferry_helpers.py").read_text()
    assert "def torch_max" in text
    assert "class TorchLBFGS" in text


_PACKAGE = {
    "lib/core/__init__.py": "",
    "lib/core/net.py": "import torch\n\n\ndef f(x: torch.Tensor):\n    return x.max(0)\n",
}
_ADDED_BELOW = "sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'lib'))\n"
_EXTENDED = {
    "a statement": f"import sys\nfrom pathlib import Path\n\nimport torch\n\n{_ADDED_BELOW}\n",
    "a branch": "import sys\nfrom pathlib import Path\n\nimport torch\n\nif sys.path:\n"
    f"    {_ADDED_BELOW}\n",
    "another module": "import os\nimport torch\nimport torch.nn.functional\n\nimport init_paths\n",
}


@pytest.mark.parametrize("head", _EXTENDED.values(), ids=list(_EXTENDED))
@pytest.mark.parametrize(
    "own", ["from core.net import f\n", "import core.net as net\n\nf = net.f\n"]
)
def test_helpers_are_imported_below_what_makes_them_importable(
    head: str, own: str, tmp_path: Path
) -> None:
    paths = f"import sys\nfrom pathlib import Path\n\n{_ADDED_BELOW}"
    script = f"{head}{own}\nx: torch.Tensor = torch.ones(2)\nprint(x.max(0).values.item())\n"
    source = write(
        tmp_path / "a", {**_PACKAGE, "tools/init_paths.py": paths, "tools/run.py": script}
    )
    converted(source, tmp_path / "b", style="exact")
    run = subprocess.run(
        [sys.executable, "tools/run.py"],
        cwd=tmp_path / "b",
        env={**os.environ, "PYTHONPATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stdout == "1.0\n", run.stderr
    written = (tmp_path / "b" / "tools" / "run.py").read_text()
    converted(tmp_path / "b", tmp_path / "c", style="exact")
    assert (tmp_path / "c" / "tools" / "run.py").read_text() == written
