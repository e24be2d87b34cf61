"""Commands take a member of a package, of a project that Torchferry converted or of another."""

from __future__ import annotations

import json
from pathlib import Path

import paddle
import pytest
import torch
from torch import nn

from tests.command import torchferry
from workbench.importing import import_file, name_of
from workbench.verify.sides.task import Asked
from workbench.verify.verification import verify_files

_MODEL = """\
import torch
from torch import nn
{imports}

class Args:
    def __init__(self, width):
        self.width = width

class {name}(nn.Module):
    def __init__(self, args=None):
        super().__init__()
        self.fc = nn.Linear(4, args.width if args else 3)
        self.norm = nn.LayerNorm(3)
    def forward(self, x):
        return self.fc(x).softmax(-1)
"""
# The files of a project, by the requested model.
_PROJECTS = {
    "net/model.py": {
        "net/__init__.py": "from .net import Net\n",
        "net/net.py": "from .model import Net\n",
    },
    "net/net.py": {
        "net/__init__.py": "",
        "net/model.py": "from .parts import size\n",
        "net/parts.py": "size = 3\n",
    },
    "lib/nets/net.py": {
        "lib/nets/parts.py": "from lib import size\n",
        "lib/__init__.py": "size = 3\n",
    },
    "loose/model.py": {"loose/parts.py": "size = 3\n"},
    "pkg/sub/model.py": {
        "pkg/__init__.py": "",
        "pkg/sub/__init__.py": "",
        "pkg/parts.py": "size = 3\n",
    },
}
_IMPORTS = {
    "net/model.py": "",
    "net/net.py": "from .model import size",
    "lib/nets/net.py": "from .parts import size",
    "loose/model.py": "from . import parts",
    "pkg/sub/model.py": "from ..parts import size",
}


def _project(folder: Path, member: str) -> Path:
    files = {**_PROJECTS[member], member: _MODEL.format(name="Net", imports=_IMPORTS[member])}
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder / member


@pytest.mark.one_in(2)
@pytest.mark.parametrize("member", _PROJECTS)
def test_a_member_is_imported_under_its_full_name(tmp_path: Path, member: str) -> None:
    _project(tmp_path, member)
    (tmp_path / "pyproject.toml").touch()
    module = import_file(tmp_path / member)
    if member != "net/model.py":  # which imports nothing of its package
        assert module.__name__ == member.removesuffix(".py").replace("/", ".")
    assert isinstance(module.Net(module.Args(3)), nn.Module)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("member", _PROJECTS)
def test_verify_and_weights_take_what_was_converted(tmp_path: Path, member: str) -> None:
    original = _project(tmp_path / "before", member)
    after = tmp_path / "after"
    done = torchferry("convert", tmp_path / "before", "-o", after)
    assert done.returncode == 0, done.stderr
    called = "Net(Args(3))"
    found = verify_files(
        f"{original}:{called}",
        f"{after / member}:{called}",
        Asked(inputs=("2x4",)),
        "paddle",
        lambda what: None,
    )
    assert found.certified, found.as_dict()
    state = {"fc.weight": torch.randn(3, 4), "fc.bias": torch.randn(3)}
    state |= {"norm.weight": torch.randn(3), "norm.bias": torch.randn(3)}
    torch.save(state, tmp_path / "net.pt")
    for name in ("", f":{called}"):
        out = tmp_path / "net.pdparams"
        program = f"{after / member}{name}"
        done = torchferry("weights", tmp_path / "net.pt", "-o", out, "--for", program, "--force")
        assert done.returncode == 0, done.stderr
        assert list(paddle.load(str(out))["fc.weight"].shape) == [4, 3]


def test_helpers_at_the_root_of_a_project_are_found(tmp_path: Path) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    for name in ("scripts", "models"):
        (before / name).mkdir(parents=True)
    for name in ("scripts/a.py", "models/b.py"):
        text = _MODEL.format(name="Net", imports="").replace("softmax(-1)", "median(-1).values")
        (before / name).write_text(text)
    assert torchferry("convert", before, "-o", after, "--style", "exact").returncode == 0
    helpers = list(after.rglob("torchferry_helpers*"))
    assert [one.parent for one in helpers] == [after]
    for name in ("scripts/a.py", "models/b.py"):
        module = import_file(after / name)
        assert module.Net()(paddle.ones([2, 4])).shape == [2]


def test_a_script_next_to_a_package_of_its_name_stays_a_script(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text("size = 2\n")
    assert name_of(tmp_path / "model.py") == "model"
    (tmp_path / "__init__.py").touch()
    (tmp_path / "model.py").write_text("import torch\n")
    assert name_of(tmp_path / "model.py") == "model"


def test_compare_takes_a_member_and_a_call(tmp_path: Path) -> None:
    file = _project(tmp_path, "net/net.py")
    place = f"{file}:Net(Args(3))"
    done = torchferry("compare", place, "-i", "2x4", "--output-format", "json", "--repeats", 1)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Net(Args(nothing))", "NameError: name 'nothing' is not defined"),
        ("Net(Args(3)", "SyntaxError"),
    ],
)
def test_a_call_that_fails_is_reported_with_what_to_do(
    tmp_path: Path, name: str, message: str
) -> None:
    file = _project(tmp_path, "net/net.py")
    verify = ("verify", f"{file}:{name}", f"{file}:{name}", "--to", "paddle")
    for command in (verify, ("trace", f"{file}:{name}")):
        done = torchferry(*command, "-i", "2x4")
        assert done.returncode == 2
        assert message in done.stderr
        assert "call something that the file defines, with its arguments" in done.stderr


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        ("import nothing_of_this_name\n", "Net", "the file does not run (ModuleNotFoundError"),
        (
            "class Net:\n    def __init__(self, width):\n        pass\n",
            "Net",
            "Net cannot be created",
        ),
        ("net = 3\n", "net", "give the call with its arguments"),
        ("class Net:\n    pass\n", "Net", "Net does not give a layer of Paddle"),
    ],
)
def test_weights_say_how_far_a_program_came(
    tmp_path: Path, text: str, name: str, message: str
) -> None:
    (tmp_path / "port.py").write_text(text)
    torch.save({"fc.weight": torch.ones(3, 4)}, tmp_path / "net.pt")
    program = f"{tmp_path / 'port.py'}:{name}"
    done = torchferry(
        "weights", tmp_path / "net.pt", "-o", tmp_path / "a.pdparams", "--for", program
    )
    assert done.returncode == 2
    assert message in done.stderr
