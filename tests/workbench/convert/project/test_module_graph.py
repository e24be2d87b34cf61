"""Facts about a file of a project from the files that it imports."""

from __future__ import annotations

import ast
import itertools
from pathlib import Path

from tests.workbench.convert.project.project_tree import converted, result, tree, write
from workbench.convert.configuration.settings import Settings
from workbench.convert.imports.helper_modules import module_of
from workbench.convert.project.check_run import check_path
from workbench.convert.project.file_job import Order, convert_bytes
from workbench.convert.project.module_graph import Project
from workbench.source.analysis import Analysis, analyse
from workbench.targets import load

OPS = "import torch\nimport torch.nn.functional as F\nfrom torch import Tensor, nn\n"


def written(folder: Path, files: dict[str, str]) -> dict[str, str]:
    """Return the converted files of a project, which all must parse."""
    converted(write(folder / "in", files), folder / "out")
    texts = {path: data.decode() for path, data in tree(folder / "out").items()}
    for path, text in texts.items():
        ast.parse(text, path)
    return texts


def read(folder: Path, files: dict[str, str], path: str) -> Analysis:
    """Return the analysis of one file of a project."""
    root = write(folder, files)
    return Project(root, Settings()).analyse(root / path, (root / path).read_text())


def used(folder: Path, files: dict[str, str], path: str = "main.py") -> list[str]:
    """Return the torch names that a file of a project uses."""
    return [use.name for use in read(folder, files, path).uses]


def test_names_that_another_file_has_from_torch(tmp_path: Path) -> None:
    files = {
        "pkg/__init__.py": "",
        "pkg/ops.py": OPS,
        "pkg/net.py": """\
            from . import ops
            from .ops import F, nn

            class Net(nn.Module):
                def forward(self, x: ops.Tensor):
                    return ops.torch.tanh(F.relu(x))
            """,
    }
    assert written(tmp_path, files)["pkg/net.py"] == (
        "import paddle\n\nfrom . import ops\n\nclass Net(paddle.nn.Layer):\n"
        "    def forward(self, x: paddle.Tensor):\n"
        "        return paddle.tanh(paddle.nn.functional.relu(x))\n"
    )


def test_star_imports_bring_what_the_other_file_binds(tmp_path: Path) -> None:
    files = {
        "layers.py": "from torch.nn import *\nimport torch.nn.functional as F\n_hidden = F\n",
        "few.py": "import torch\n__all__ = ['relu']\n__all__ += ['tanh']\n"
        "from torch import relu, tanh, sigmoid\n",
        "main.py": "from layers import *\nfrom few import *\nLinear(2, 3)(x)\nF.gelu(x)\n"
        "_hidden.elu(x)\nrelu(x)\ntanh(x)\nsigmoid(x)\n",
    }
    assert used(tmp_path, files) == [
        "torch.nn.Linear",
        "torch.nn.functional.gelu",
        "torch.relu",
        "torch.tanh",
    ]


def test_remaining_names_come_from_torch_itself(tmp_path: Path) -> None:
    """The other file may have given up the name by then."""
    files = {
        "ops.py": OPS,
        "stars.py": "from torch import *\n",
        "main.py": "from ops import F, nn, other\nF.relu(x)\nF.handle_torch_function(x)\n",
        "star.py": "from stars import *\nset_vital(1)\n",
    }
    texts = written(tmp_path, files)
    assert texts["ops.py"] == "import paddle\n"
    head = texts["main.py"].split("paddle.nn.functional.relu(x)\n")[0].splitlines()
    assert sorted(head) == [
        "from ops import other",
        "import paddle",
        "import torch.nn.functional as F",
    ]
    assert "F.handle_torch_function(x)" in texts["main.py"]


def test_classes_and_functions_show_what_they_return(tmp_path: Path) -> None:
    files = {
        "pkg/__init__.py": "from .net import Net as Model\n",
        "pkg/base.py": """\
            from torch import nn
            import torch
            class Base(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.fc = nn.Linear(2, 3)
                    self.register_buffer("mask", torch.ones(3))
                def rows(self):
                    return torch.ones(2, 3)
                @property
                def table(self):
                    return self.fc.weight
            """,
        "pkg/net.py": "from .base import Base\nclass Net(Base):\n"
        "    def forward(self, x):\n        return self.fc(x)\n",
        "pkg/tools.py": "import torch\nDEVICE = torch.device('cpu')\nDTYPE = torch.float64\n"
        "def grid(n):\n    return torch.arange(n)\ndef pair(n):\n    return grid(n), n\n",
        "main.py": """\
            from pkg import Model, tools
            net = Model()
            net.rows().addmm(a, b)
            net.table.unsqueeze(0)
            net.mask.add(1)
            net(1).mul(2)
            first, second = tools.pair(3)
            first.mul(2)
            second.add(2)
            net.extra = tools.grid(1)
            """,
    }
    found = {use.name for use in read(tmp_path, files, "main.py").uses}
    members = [use for use in read(tmp_path, files, "main.py").uses if use.receiver is not None]
    assert found == {f"torch.Tensor.{name}" for name in ("addmm", "unsqueeze", "add", "mul")}
    assert len(members) == 5
    constants = read(
        tmp_path,
        {
            "main.py": "from pkg.tools import DTYPE, DEVICE, grid\n"
            "grid(1).to(DTYPE)\ngrid(1).to(DEVICE)\n"
        },
        "main.py",
    )
    assert [str(use.values[0]) for use in constants.uses if use.name == "torch.Tensor.to"] == [
        "TorchObject(name='torch.float64', certainty=<Certainty.PROVED: 'proved'>, indirect=True,"
        " ported='')",
        "Instance(cls='torch.device', certainty=<Certainty.PROVED: 'proved'>)",
    ]


def test_a_derived_class_in_another_file_is_a_module(tmp_path: Path) -> None:
    files = {
        "base.py": "import torch\nclass Base(torch.nn.Module):\n    pass\n",
        "main.py": "import base\nclass Net(base.Base):\n    def forward(self, x):\n"
        "        return x.mul(2)\nNet().state_dict()\n",
    }
    assert used(tmp_path, files) == ["torch.Tensor.mul", "torch.nn.Module.state_dict"]


def test_changes_of_an_object_in_one_file_are_not_seen_in_others(tmp_path: Path) -> None:
    files = {
        "net.py": "import torch\nclass Net(torch.nn.Module):\n    pass\n",
        "one.py": "import torch\nfrom net import Net\nn = Net()\nn.x = torch.ones(2)\nn.x.add(2)\n",
        "two.py": "from net import Net\nn = Net()\nn.x.add(2)\n",
    }
    project = Project(write(tmp_path, files), Settings())
    for name in ("one.py", "two.py"):
        analysis = project.analyse(tmp_path / name, files[name])
        assert "torch.Tensor.add" not in [use.name for use in analysis.uses]


def test_of_files_that_import_each_other_one_always_knows_the_other(tmp_path: Path) -> None:
    files = {
        "a.py": "from b import F\nimport torch\nF.relu(x)\ntorch.ones(1)\n",
        "b.py": "import torch.nn.functional as F\nfrom a import torch as t\nt.ones(2)\nF.relu(x)\n",
        "main.py": "from a import torch\nfrom b import F\nF.relu(torch.ones(1))\n",
    }
    for order in itertools.permutations(files):
        project = Project(write(tmp_path, files), Settings())
        found = {
            name: [use.name for use in project.analyse(tmp_path / name, files[name]).uses]
            for name in order
        }
        assert found == {
            "a.py": ["torch.nn.functional.relu", "torch.ones"],
            "b.py": ["torch.nn.functional.relu"],
            "main.py": ["torch.nn.functional.relu", "torch.ones"],
        }


def test_missing_broken_excluded_and_shadowed_files_give_no_facts(tmp_path: Path) -> None:
    root = write(
        tmp_path,
        {
            "broken.py": f"{OPS}def (:\n",
            "out/kept.py": OPS,
            "quiet.py": f"# torchferry: ignore-file\n{OPS}",
            "json.py": OPS,
            "latin.py": b"import torch.nn.functional as F\nx = '\xff'\n",
            "timm/__init__.py": "",
            "pkg/__init__.py": "",
            "pkg/timm.py": OPS,
            "pkg/main.py": "from timm import F\nF.relu(x)\n",
            "main.py": "import torch\nfrom broken import F as a\nfrom out.kept import F as b\n"
            "from quiet import F as c\nfrom json import F as d\nfrom latin import F as e\n"
            "from nowhere import F as f\nfrom .... import g\n"
            + "".join(f"{name}.relu(x)\n" for name in "abcdefg"),
        },
    )
    settings = Settings(exclude=("out",), file=root / "pyproject.toml")
    project = Project(root, settings)
    for name in ("main.py", "pkg/main.py"):
        assert not project.analyse(root / name, (root / name).read_text()).uses


def test_a_name_that_is_bound_again_is_what_it_was_bound_to_last(tmp_path: Path) -> None:
    files = {
        "ops.py": "from torch import relu, tanh\nrelu = print\nact = tanh\n",
        "main.py": "from ops import relu, tanh, act\nrelu(x)\nact(x)\ntanh = print\ntanh(x)\n",
    }
    analysis = read(tmp_path, files, "main.py")
    assert [(use.name, use.kind) for use in analysis.uses] == [("torch.tanh", "indirect")]


def test_a_project_that_is_itself_built_on_torch_is_its_own(tmp_path: Path) -> None:
    files = {
        "timm/__init__.py": "",
        "timm/layers.py": OPS,
        "timm/net.py": "from timm.layers import F\nF.relu(x)\n",
    }
    analysis = read(tmp_path, files, "timm/net.py")
    assert [use.name for use in analysis.uses] == ["torch.nn.functional.relu"]
    assert not analysis.foreign


def test_a_module_that_is_called_like_its_package_knows_the_rest_of_it(tmp_path: Path) -> None:
    files = {
        "timm/__init__.py": "",
        "timm/layers.py": OPS,
        "timm/timm.py": "from timm.layers import F\nF.relu(x)\n",
    }
    assert not read(tmp_path, files, "timm/timm.py").foreign
    root = tmp_path / "timm"
    analysis = Project(root, Settings()).analyse(
        root / "timm.py", (root / "timm.py").read_text(encoding="utf-8")
    )
    assert [use.name for use in analysis.uses] == ["torch.nn.functional.relu"]
    assert not analysis.foreign


def test_a_single_package_imports_itself_by_its_name(tmp_path: Path) -> None:
    files = {
        "top/__init__.py": "",
        "top/timm/__init__.py": "",
        "top/timm/layers.py": OPS,
        "top/timm/net.py": "from top.timm.layers import F\nF.relu(x)\n",
    }
    root = write(tmp_path, files) / "top" / "timm"
    analysis = Project(root, Settings()).analyse(root / "net.py", (root / "net.py").read_text())
    assert [use.name for use in analysis.uses] == ["torch.nn.functional.relu"]


def test_check_reads_the_other_files_too(tmp_path: Path) -> None:
    root = write(tmp_path, {"ops.py": OPS, "main.py": "from ops import F\nF.relu(x)\n"})
    run = check_path(root, Order("paddle", Settings()), lambda path, text: None)
    found = {Path(one.path).name: one for one in run.found}
    assert [row.name for row in found["main.py"].rows] == ["torch.nn.functional.relu"]


def test_another_file_that_changed_has_its_importers_converted_again(tmp_path: Path) -> None:
    main = "from ops import F\nF.relu(x)\n"
    source = write(tmp_path / "in", {"ops.py": "F = 1\n", "main.py": main})
    converted(source, tmp_path / "out")
    assert "paddle" not in (tmp_path / "out" / "main.py").read_text()
    write(source, {"ops.py": OPS})
    report = converted(source, tmp_path / "out")
    assert "paddle.nn.functional.relu(x)" in (tmp_path / "out" / "main.py").read_text()
    assert result(report, "main.py").uses == 1


def test_in_place_every_file_is_read_before_one_is_written(tmp_path: Path) -> None:
    files = dict.fromkeys(("a.py", "net.py", "z.py"), "from ops import F\nF.relu(x)\n")
    source = write(tmp_path, {"ops.py": OPS, **files})
    converted(source, None, in_place=True)
    for name in files:
        assert (source / name).read_text() == "import paddle\npaddle.nn.functional.relu(x)\n"


def test_a_file_alone_is_converted_as_in_its_project(tmp_path: Path) -> None:
    root = write(tmp_path / "in", {"ops.py": OPS, "main.py": "from ops import F\nF.relu(x)\n"})
    (root / ".git").mkdir()
    converted(root, tmp_path / "all")
    converted(root / "main.py", tmp_path / "main.py")
    code, _ = convert_bytes((root / "main.py").read_bytes(), root / "main.py", Settings())
    assert code == (tmp_path / "main.py").read_bytes() == (tmp_path / "all/main.py").read_bytes()
    assert b"paddle.nn.functional.relu(x)" in code


def test_an_imported_helper_is_not_torchs(tmp_path: Path) -> None:
    helpers = module_of(["TorchAdam"], load("paddle"))
    text = "import torch\nfrom torchferry_helpers import TorchAdam\no = TorchAdam(p)\n"
    root = write(tmp_path, {"torchferry_helpers.py": helpers, "main.py": text})
    project = Project(root, Settings(), load("paddle").facts)
    analysis = project.analyse(root / "main.py", text)
    assert [one.bound for one in analysis.imports] == ["torch"]
    assert analysis.borrowed == {}


def test_the_module_of_helpers_changes_no_conversion(tmp_path: Path) -> None:
    programs = Path(__file__).parents[3] / "programs"
    train = (programs / "cnn.py").read_text() + "\nif __name__ == '__main__':\n    train()\n"
    other = (programs / "gpt.py").read_text()  # it loads the state of an optimizer
    helpers = module_of(["TorchAdam", "TorchBatchNorm2d"], load("paddle"))
    files = {"other.py": other, "torchferry_helpers.py": helpers}
    codes = []
    for name in ("itertools", "torchferry_helpers", "other"):
        main = train.replace("import torch\n", f"import torch\nimport {name}\n", 1)
        root = write(tmp_path / name, {**files, "main.py": main})
        (root / ".git").mkdir()
        converted(root / "main.py", root / "main_paddle.py")
        codes.append((root / "main_paddle.py").read_text().replace(name, "itertools"))
    assert codes[0] == codes[1] != codes[2]


def test_a_file_is_read_once_for_itself_and_for_the_others(tmp_path: Path) -> None:
    net = "import torch\nfrom b import f\nf(torch.relu)\n"
    half = "import paddle, torch\ndef f(g):\n    return g(paddle.concat([torch.ones(2)]))\n"
    root = write(tmp_path, {"a.py": net, "b.py": half})
    project = Project(root, Settings(), load("paddle").facts)
    a, b = (project.analyse(root / path, text) for path, text in (("a.py", net), ("b.py", half)))
    edited = project.analyse(root / "a.py", f"{net}torch.zeros(3)\n")
    assert b.around is not None and b.around.traits().called == {"f"}
    assert {"f", "g", "cat"} <= b.program.traits.called
    assert a.program.own_traits is project.analyse(root / "a.py", net).program.own_traits
    assert edited.program.own_traits.called == {"f", "zeros"}
    for one in (a, b, edited):
        alone = analyse(one.text, facts=load("paddle").facts)
        assert one.program.own_traits == alone.program.own_traits


def test_files_that_wait_parsed_for_their_analysis_give_the_same_uses(tmp_path: Path) -> None:
    files = {
        "a.py": "import torch\nx = torch.ones(2)\nx += 1\n",
        "b.py": "import torch\nfrom a import x\ny = torch.exp(x)\nx.add_(y)\n",
        "c.py": "import torch\nz = torch.zeros(3\n",
    }
    root = write(tmp_path, files)
    found = []
    for room in (0, 60, 1_000):
        project = Project(root, Settings(), room=room)
        for _ in range(2):  # also a file that is analysed again
            analyses = [project.analyse(root / name, (root / name).read_text()) for name in files]
            whole = [one.whole.traits if one.whole else None for one in analyses]
            found.append(([[use.name for use in one.uses] for one in analyses], whole))
    assert all(one == found[0] for one in found)


def test_a_changed_text_is_read_anew(tmp_path: Path) -> None:
    files = {"a.py": "import torch\nx = torch.ones(2)\n", "b.py": "from a import x\nimport torch\n"}
    root = write(tmp_path, files)
    project = Project(root, Settings(), room=1_000)
    project.traits(root / "b.py")
    (use,) = project.analyse(root / "a.py", "import torch\n\nx = torch.zeros(2)\n").uses
    assert (use.name, use.node.lineno) == ("torch.zeros", 3)
