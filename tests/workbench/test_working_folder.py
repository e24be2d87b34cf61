"""Nothing of the working folder is imported, however its files are called."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.one_in(2)

MODULES = [
    "signal",
    "types",
    "struct",
    "socket",
    "pickle",
    "multiprocessing",
    "json",
    "re",
    "enum",
    "ast",
    "typing",
    "traceback",
    "copyreg",
    "tempfile",
    "queue",
    "threading",
    "concurrent",
    "libcst",
    "click",
    "rich",
    "workbench",
    "lsp_server",
    "torchferry",
    "sitecustomize",
    "usercustomize",
]
MARK = "from pathlib import Path\nPath({place!r}).touch()\nraise SystemExit('taken')\n"
CODE = "import torch\nprint(torch.ones(2))\n" + "# a long file\n" * 12_000


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with code for several processes, and modules that would take over the standard's."""
    folder = tmp_path / "project"
    (folder / "code").mkdir(parents=True)
    for name in MODULES:
        (folder / f"{name}.py").write_text(MARK.format(place=str(tmp_path / f"{name} ran")))
    for number in range(4):
        (folder / "code" / f"m{number}.py").write_text(CODE)
    return folder


def ran(folder: Path) -> list[str]:
    return sorted(place.name for place in folder.glob("* ran"))


def run(project: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    script = Path(sys.executable).with_name("torchferry")
    command = [str(script)] if script.exists() else [sys.executable, "-P", "-m", "torchferry"]
    return subprocess.run(
        [*command, *arguments],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
        env={k: v for k, v in os.environ.items() if k != "PYTHONSAFEPATH"} | environment,
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "."],
        ["check", ".", "--jobs", "2"],
        ["check", "code", "--jobs", "1"],
        ["convert", ".", "-o", "../out", "--jobs", "2"],
    ],
)
def test_workers_import_nothing_from_the_working_folder(
    project: Path, tmp_path: Path, arguments: list[str]
) -> None:
    done = run(project, *arguments)
    assert ran(tmp_path) == []
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


def test_a_model_next_to_such_modules_keeps_them(project: Path, tmp_path: Path) -> None:
    """A user's script imports from its own folder, as `python FILE` does."""
    pytest.importorskip("torch")
    for name in MODULES:
        (project / f"{name}.py").unlink()
    (project / "neighbour.py").write_text("import torch\nnet = torch.nn.Linear(2, 2)\n")
    (project / "model.py").write_text(
        "import os, subprocess, sys\nfrom neighbour import net\n"
        "code = 'import neighbour_of_child'\n"
        "open('neighbour_of_child.py', 'w').close()\n"
        "subprocess.run([sys.executable, '-c', code], check=True)\n"
    )
    done = run(project, "trace", "model.py:net", "--inputs", "1x2")
    assert done.returncode == 0, done.stderr
