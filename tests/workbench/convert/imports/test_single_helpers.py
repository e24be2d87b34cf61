"""Where the helper functions of single files and projects go, as somebody chose."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.workbench.convert.project.project_tree import tree, write
from workbench.convert.configuration.settings import settings_for
from workbench.convert.project.file_job import Order
from workbench.convert.project.runner import convert_path
from workbench.errors import TorchferryError

RELU = "import torch\ny = torch.relu(x)\n"
ADAM = "import torch\no = torch.optim.Adam(p)\n"


def run(source: Path, output: Path | None, helpers: str | None, **more: bool) -> list[str]:
    settings = replace(settings_for(source), style="exact")
    order = Order("paddle", settings, helpers=helpers, **more)
    report = convert_path(source, output, order)
    assert [file.failure for file in report.failures()] == []
    return report.helper_modules


def test_a_single_file_imports_its_helpers_from_a_module_next_to_it(tmp_path: Path) -> None:
    source = write(tmp_path / "in", {"a.py": RELU, "b.py": RELU.replace("relu", "cat")})
    assert run(source / "a.py", tmp_path / "out" / "a.py", "module") == ["torchferry_helpers.py"]
    run(source / "b.py", tmp_path / "out" / "b.py", "module")
    made = {name: data.decode() for name, data in tree(tmp_path / "out").items()}
    assert "from torchferry_helpers import torch_relu\n" in made["a.py"]
    assert made["a.py"].endswith("y = torch_relu(x)\n")
    module = made["torchferry_helpers.py"]
    assert "def torch_relu(" in module and "def torch_cat(" in module


def test_a_module_further_up_is_not_the_one_next_to_the_file(tmp_path: Path) -> None:
    source = write(tmp_path / "in", {"a.py": RELU, "torchferry_helpers.py": "stray = 1\n"})
    place = tmp_path / "in" / "project" / "out" / "a.py"
    run(source / "a.py", place, "module")
    assert "def torch_relu(" in (place.parent / "torchferry_helpers.py").read_text()
    assert (source / "torchferry_helpers.py").read_text() == "stray = 1\n"


def test_many_lines_go_to_a_module_unasked_and_a_few_stay_in_the_file(tmp_path: Path) -> None:
    source = write(tmp_path / "in", {"a.py": ADAM, "b.py": RELU})
    out = tmp_path / "out"
    assert run(source / "a.py", out / "a.py", None) == ["torchferry_helpers.py"]
    assert run(source / "b.py", out / "b.py", None) == []
    made = {name: data.decode() for name, data in tree(out).items()}
    assert "from torchferry_helpers import " in made["a.py"]
    assert "def torch_relu(" in made["b.py"]
    assert "def torch_relu(" not in made["torchferry_helpers.py"]


def test_in_place_too(tmp_path: Path) -> None:
    source = write(tmp_path / "in", {"a.py": ADAM})
    assert run(source / "a.py", None, None, in_place=True) == ["torchferry_helpers.py"]
    assert set(tree(source)) == {"a.py", "torchferry_helpers.py"}


def test_a_diff_that_is_only_shown_needs_no_helper_module(tmp_path: Path) -> None:
    source = write(tmp_path / "in", {"a.py": ADAM})
    assert run(source / "a.py", None, None, write=False, diff=True) == []
    assert set(tree(source)) == {"a.py"}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"a.py": ADAM}, "from torchferry_helpers import"),
        ({"__init__.py": "", "a.py": f"from . import b\n{ADAM}"}, "from .torchferry_helpers"),
        ({"__init__.py": "", "b.py": "", "a.py": f"import b\n{ADAM}"}, "from torchferry_helpers"),
        # Nothing shows whether it runs by itself or in its package.
        ({"__init__.py": "", "a.py": ADAM}, None),
        ({"a.py": f"from . import b\n{ADAM}"}, None),
        # The module's name is taken.
        ({"torchferry_helpers.py": "mine = 1\n", "a.py": ADAM}, None),
    ],
)
def test_a_file_imports_the_module_only_where_it_is_certain_to_be_found(
    tmp_path: Path, files: dict[str, str], expected: str | None
) -> None:
    source = write(tmp_path / "in", files)
    run(source / "a.py", None, None, in_place=True)
    text = (source / "a.py").read_text()
    assert ("class TorchAdam" in text) == (expected is None)
    assert expected is None or expected in text
    if "torchferry_helpers.py" in files:
        assert (source / "torchferry_helpers.py").read_text() == "mine = 1\n"


@pytest.mark.parametrize("own", ["", "from utils.b import c\n"])
def test_a_folder_that_is_imported_by_its_name_gets_no_module(tmp_path: Path, own: str) -> None:
    above = {} if own else {"main.py": "import os\nfrom utils.a import o\n"}
    source = write(tmp_path / "in", {**above, "utils/a.py": f"{own}{ADAM}"})
    assert run(source / "utils" / "a.py", None, None, in_place=True) == []
    assert "class TorchAdam" in (source / "utils" / "a.py").read_text()


def test_user_edits_of_the_module_stay(tmp_path: Path) -> None:
    source = write(tmp_path / "in", {"a.py": ADAM, "b.py": ADAM.replace("Adam", "SGD")})
    module = tmp_path / "out" / "torchferry_helpers.py"
    run(source / "a.py", tmp_path / "out" / "a.py", None)
    own = module.read_text() + "\n\ndef mine():\n    return 1\n"
    module.write_text(own)
    run(source / "b.py", tmp_path / "out" / "b.py", None)
    new = module.read_text()
    assert new.startswith(own.rstrip("\n")) and "class TorchSGD" in new
    compile(new, str(module), "exec")


@pytest.mark.parametrize("whole", [False, True])
def test_helpers_of_another_version_stay_and_are_named(tmp_path: Path, whole: bool) -> None:
    source = write(tmp_path / "in", {"a.py": RELU})
    run(source / "a.py", None, "module", in_place=True)
    module = source / "torchferry_helpers.py"
    older = module.read_text().replace("def torch_relu(", "def torch_relu(old=1, *, ")
    module.write_text(older)
    write(source, {"a.py": RELU, "b.py": RELU})
    order = Order("paddle", replace(settings_for(source), style="exact"), helpers="module")
    report = convert_path(source if whole else source / "a.py", None, replace(order, in_place=True))
    assert module.read_text() == older
    assert report.kept_helpers == ["torch_relu in torchferry_helpers.py"]


def test_a_module_that_does_not_parse_is_left_alone(tmp_path: Path) -> None:
    source = write(tmp_path / "in", {"a.py": ADAM})
    module = source / "torchferry_helpers.py"
    run(source / "a.py", None, None, in_place=True)
    module.write_text(module.read_text() + "def f(\n")
    write(source, {"b.py": ADAM.replace("Adam", "SGD")})
    there = module.read_text()
    with pytest.raises(TorchferryError, match=r"torchferry_helpers\.py: does not parse in line"):
        run(source / "b.py", None, "module", in_place=True)
    run(source / "b.py", None, None, in_place=True)
    assert "class TorchSGD" in (source / "b.py").read_text()
    assert module.read_text() == there


def test_a_module_that_is_somebody_elses_stays(tmp_path: Path) -> None:
    source = write(tmp_path / "in", {"a.py": RELU})
    other = write(tmp_path / "out", {"torchferry_helpers.py": "mine = 1\n"})
    with pytest.raises(TorchferryError, match=r"torchferry_helpers\.py: exists already"):
        run(source / "a.py", other / "a.py", "module")
    assert tree(other) == {"torchferry_helpers.py": b"mine = 1\n"}


def test_a_project_may_have_its_helpers_in_each_file(tmp_path: Path) -> None:
    source = write(tmp_path / "in", {"a.py": RELU})
    assert run(source, tmp_path / "out", "inline") == []
    assert "def torch_relu(" in tree(tmp_path / "out")["a.py"].decode()


def test_the_settings_may_say_so(tmp_path: Path) -> None:
    write(tmp_path, {"pyproject.toml": '[tool.torchferry]\nhelpers = "module"\n'})
    assert settings_for(tmp_path).helpers == "module"
    write(tmp_path, {"pyproject.toml": '[tool.torchferry]\nhelpers = "nowhere"\n'})
    with pytest.raises(TorchferryError, match='helpers: write "module" or "inline"'):
        settings_for(tmp_path)


def test_a_helper_of_a_project_is_defined_once(tmp_path: Path) -> None:
    short = "import torch\nwith torch.autograd.detect_anomaly():\n    pass\n"
    source = write(tmp_path / "in", {"a.py": short, "b.py": short, "c.py": RELU})
    assert run(source, tmp_path / "out", None) == ["torchferry_helpers.py"]
    made = {name: data.decode() for name, data in tree(tmp_path / "out").items()}
    for name in ("a.py", "b.py"):
        assert "from torchferry_helpers import TorchDetectAnomaly\n" in made[name]
    assert "from torchferry_helpers import torch_relu\n" in made["c.py"]


def test_the_one_file_of_a_project_has_a_few_lines_itself(tmp_path: Path) -> None:
    source = write(tmp_path / "in", {"a.py": RELU, "b.py": "x = 1\n"})
    assert run(source, tmp_path / "out", None) == []
    assert "def torch_relu(" in tree(tmp_path / "out")["a.py"].decode()


def test_a_module_of_a_package_takes_the_helpers_of_the_outermost_package(tmp_path: Path) -> None:
    files = {"p/__init__.py": "", "p/q/__init__.py": "", "p/q/a.py": f"from . import b\n{ADAM}"}
    source = write(tmp_path / "in", {**files, "p/q/b.py": "", "p/q/c.py": f"import p.q.b\n{ADAM}"})
    assert run(source / "p/q/a.py", None, None, in_place=True) == ["torchferry_helpers.py"]
    run(source / "p/q/c.py", None, None, in_place=True)
    made = {name: data.decode() for name, data in tree(source).items()}
    assert "from ..torchferry_helpers import " in made["p/q/a.py"]
    assert "from p.torchferry_helpers import " in made["p/q/c.py"]
    assert [name for name in made if "helpers" in name] == ["p/torchferry_helpers.py"]
