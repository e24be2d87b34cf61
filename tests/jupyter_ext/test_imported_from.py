"""Torchferry imports installed packages in a kernel, whatever the notebook's folder has."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from jupyter_ext.notebook_run import run_notebook
from tests.jupyter_ext.notebook_files import execute_in, notebook, write

pytestmark = pytest.mark.one_in(3)

ROOT = Path(__file__).resolve().parents[2]
TRAP = "import pathlib\npathlib.Path('MARK', __name__).touch()\n"
TRAPS = ("jupyter_ext/__init__", "jupyter_ext/magics", "workbench", "libcst", "pygments", "difflib")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of modules that leave a mark in `marks` where they run."""
    made = tmp_path / "given"
    monkeypatch.delenv("PYTHONPATH", raising=False)  # a kernel searches it before its folder
    (made / "jupyter_ext").mkdir(parents=True)
    (tmp_path / "marks").mkdir()
    for name in TRAPS:
        (made / f"{name}.py").write_text(TRAP.replace("MARK", str(tmp_path / "marks")))
    return made


def ran(folder: Path) -> set[str]:
    return {mark.name for mark in (folder.parent / "marks").iterdir()}


def python(folder: Path, code: str) -> str:
    """Return the output of a Python that searches its working folder first, as kernels do."""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def bootstrap() -> str:
    """Return the first code that the panel runs in a kernel."""
    text = (ROOT / "jupyter_ext" / "labextension" / "src" / "kernel" / "bootstrap.ts").read_text()
    found = re.search(r"const CODE = `(.*?)`;", text, re.DOTALL)
    assert found is not None
    return found[1]


def execute(folder: Path, *sources: str) -> str:
    """Return the output of cells in a kernel of this folder, including errors."""
    cells = execute_in(folder, *sources, allow_errors=True)
    outputs = [output for cell in cells for output in cell.outputs]
    return "".join(o.get("text", "") + o.get("evalue", "") for o in outputs)


def test_the_panel_takes_the_installed_modules(folder: Path) -> None:
    names = "before = set(globals()) | {'before'}"
    printed = execute(
        folder,
        names,
        f"exec({bootstrap()!r}, {{}})",
        "print({n for n in set(globals()) - before if not n.startswith('_')})",
        "import sys\nprint(sys.modules['libcst'].__file__, '' in sys.path)",
        # Cells import as before.
        "import difflib",
    )
    lines = printed.splitlines()
    assert lines[0] == "set()"
    assert "site-packages" in lines[1]
    assert lines[1].endswith("True")
    assert ran(folder) <= {"difflib"}


def test_a_module_that_already_has_the_name_is_reported(folder: Path) -> None:
    printed = execute(folder, "import jupyter_ext", f"exec({bootstrap()!r}, {{}})")
    assert f"another package called jupyter_ext, from {folder}" in printed
    assert "rename that package, then restart the kernel" in printed
    assert ran(folder) == {"jupyter_ext"}


def test_another_loaded_engine_is_reported(folder: Path) -> None:
    printed = execute(folder, "import workbench", f"exec({bootstrap()!r}, {{}})")
    assert f"another package called workbench, from {folder}" in printed
    assert ran(folder) == {"workbench"}


def test_the_extension_takes_the_installed_modules(folder: Path) -> None:
    for name in ("__init__.py", "magics.py"):
        (folder / "jupyter_ext" / name).unlink()
    printed = execute(
        folder, "%load_ext jupyter_ext", "%torchferry set --no-run", "%torchferry trust"
    )
    assert "no pyproject.toml names rules" in printed
    assert ran(folder) == set()


def test_a_whole_notebook_is_run_by_the_installed_extension(folder: Path) -> None:
    write(notebook("%%time\nimport workbench"), folder / "model.ipynb")
    (outcome,) = run_notebook(folder / "model.ipynb", "paddle")
    assert outcome.detail == "ran unchanged"
    assert ran(folder) == set()


def test_other_threads_import_as_ever(folder: Path) -> None:
    (folder / "mine.py").write_text("value = 7\n")
    code = (
        "from concurrent.futures import ThreadPoolExecutor\n"
        f"import sys; sys.path.append({str(ROOT)!r})\n"
        "place = sys.path.pop(0)\n"
        "from jupyter_ext.installed import importing_as_user, installed_only\n"
        "sys.path.insert(0, place)\n"
        "with ThreadPoolExecutor(1) as pool, installed_only():\n"
        "    try:\n"
        "        import mine\n"
        "    except ModuleNotFoundError as error:\n"
        "        print(error.name)\n"
        "    import importlib.util, sqlite3, libcst\n"
        "    print(importlib.util.find_spec('mine'))\n"
        "    print(pool.submit(__import__, 'mine').result().value)\n"
        "    with importing_as_user():\n"
        "        import workbench\n"
    )
    assert python(folder, code).split() == ["mine", "None", "7"]
    assert ran(folder) == {"workbench"}
