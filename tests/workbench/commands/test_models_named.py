"""`FILE:NAME` and `--inputs`: what they name, and what is said of what they cannot name."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from workbench.commands.models import Subject, dynamic_shapes, open_subject
from workbench.errors import TorchferryError

FILE = """\
import torch
from torch import nn
import beside

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)
    def forward(self, x, mask=None):
        return self.fc(x) if mask is None else self.fc(x) * mask

class Sized(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc = nn.Linear(3, width["out"] if isinstance(width, dict) else width)
    def forward(self, x):
        return self.fc(x)

width = 4
def double(x):
    return x * 2

class Holder:
    inner = Net()

net = Net()
number = 3
pair = (torch.ones(1, 3), torch.ones(1, 2))
def made():
    return {"x": torch.zeros(4, 3)}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "beside.py").write_text("")
    path = tmp_path / f"model_{tmp_path.name}.py"
    path.write_text(FILE)
    return path


def opened(file: Path, name: str, *inputs: str, train: bool = False) -> Subject:
    return open_subject(f"{file}:{name}", inputs, train=train)


def test_a_module_a_class_a_function_and_a_part_are_found(file: Path) -> None:
    assert not opened(file, "net", "2x3").model.training
    assert opened(file, "Net", "2x3", train=True).model.training
    assert opened(file, "double", "4:int32").args[0].dtype == torch.int32
    assert isinstance(opened(file, "Holder.inner", "2x3").model, torch.nn.Module)


@pytest.mark.parametrize(("call", "size"), [("Sized(width)", 4), ('Sized({"out": 5})', 5)])
def test_a_call_makes_the_model(file: Path, call: str, size: int) -> None:
    subject = opened(file, call, "2x3")
    assert subject.model(*subject.args).shape == (2, size)


def test_inputs_are_drawn_read_or_named(file: Path, tmp_path: Path) -> None:
    (x,) = opened(file, "net", "2x3").args
    assert (x.shape, x.dtype) == ((2, 3), torch.float32)
    assert torch.equal(x, opened(file, "net", "2x3").args[0])
    (ids,) = opened(file, "double", "64:int64:5").args
    assert 0 <= ids.min() <= ids.max() < 5
    assert opened(file, "double", "8:bool").args[0].dtype == torch.bool
    assert [t.shape for t in opened(file, "net", "pair").args] == [(1, 3), (1, 2)]
    assert opened(file, "net", "made").kwargs["x"].shape == (4, 3)
    subject = opened(file, "net", "2x3", "mask=2x2")
    assert subject.kwargs["mask"].shape == (2, 2)
    assert opened(file, "net", "2x3", "mask=None").kwargs == {"mask": None}
    torch.save(torch.full((1, 3), 7.0), tmp_path / "x.pt")
    assert opened(file, "net", str(tmp_path / "x.pt")).args[0][0, 0] == 7


def test_files_of_inputs_that_claim_more_than_they_hold(file: Path, tmp_path: Path) -> None:
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (100000000000,)}\n"
    array = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(16)
    (tmp_path / "x.npy").write_bytes(array)
    with pytest.raises(TorchferryError, match=r"x\.npy: no array that can be read \(mmap"):
        opened(file, "net", str(tmp_path / "x.npy"))
    (tmp_path / "x.pt").write_bytes(b"PK\x03\x04 no archive")
    with pytest.raises(TorchferryError, match=r"x\.pt: not a complete checkpoint"):
        opened(file, "net", str(tmp_path / "x.pt"))


def test_the_files_own_examples_are_used(file: Path) -> None:
    file.write_text(FILE + "example_inputs = (torch.ones(5, 3),)\n")
    assert opened(file, "net").args[0].shape == (5, 3)


@pytest.mark.parametrize(
    ("name", "inputs", "message"),
    [
        ("missing", ["2x3"], "has no missing; it has .*Net.*net"),
        ("number", ["2x3"], "is a int; give a torch.nn.Module or a function"),
        ("Sized", ["2x3"], r"cannot be created without arguments .*\.py:Sized\(width\),"),
        ("Sized(nothing)", ["2x3"], "the call fails .NameError: name 'nothing' is not defined"),
        ("Sized(", ["2x3"], "the call fails .SyntaxError"),
        ("net", [], "give its inputs"),
        ("net", ["2x3:float99"], "torch has no dtype float99"),
        ("net", ["nothing.pt"], "no such file"),
        ("net", ["what?"], "no shape .*, no file of tensors"),
    ],
)
def test_a_name_that_cannot_be_found_is_reported(
    file: Path, name: str, inputs: list[str], message: str
) -> None:
    with pytest.raises(TorchferryError, match=message):
        opened(file, name, *inputs)


def test_a_file_that_does_not_run_is_reported_with_its_line(tmp_path: Path) -> None:
    broken = tmp_path / "broken_model.py"
    for text, message in (
        ("x = 1\ny = x / 0\n", "broken_model.py:2: the file does not run .ZeroDivisionError"),
        ("def f(:\n", "broken_model.py:1: the file does not run .SyntaxError"),
        ("import sys\nsys.exit(3)\n", "the file does not run .SystemExit"),
    ):
        broken.write_text(text)
        with pytest.raises(TorchferryError, match=message):
            opened(broken, "net", "2x3")
    for place, message in (
        ("model.py", "give FILE:NAME"),
        (f"{tmp_path}/none.py:net", "no such file"),
        (f"{tmp_path}/a.ipynb:net", "live in its kernel"),
    ):
        with pytest.raises(TorchferryError, match=message):
            open_subject(place, (), train=False)


def test_dynamic_dimensions_are_named(file: Path) -> None:
    subject = opened(file, "net", "2x3", "mask=2x2")
    assert dynamic_shapes(subject, ()) is None
    assert dynamic_shapes(subject, ("auto",)) == "auto"
    found = dynamic_shapes(subject, ("x[0]=batch:1-64", "mask[0]=batch"))
    assert found["x"][0] is found["mask"][0]
    assert (found["x"][0].min, found["x"][0].max) == (1, 64)
    for wish, message in (("all", "write auto"), ("y[0]=n", "no tensor is passed as 'y'")):
        with pytest.raises(TorchferryError, match=message):
            dynamic_shapes(subject, (wish,))


def test_a_file_of_a_package_may_import_from_it(tmp_path: Path) -> None:
    package = tmp_path / "src" / f"held_{tmp_path.name}"
    (package / "models").mkdir(parents=True)
    (package / "__init__.py").write_text("from .models import Net\n")
    (package / "sizes.py").write_text("WIDTH = 4\n")
    (package / "models" / "__init__.py").write_text("from .net import Net\n")
    net = FILE.replace("import beside", "from ..sizes import WIDTH").replace("(3, 2)", "(3, WIDTH)")
    (package / "models" / "net.py").write_text(net)
    subject = opened(package / "models" / "net.py", "Net", "2x3")
    assert subject.model.fc.out_features == 4
    # A file that names its package from outside finds it as well.
    (package / "run.py").write_text(f"from {package.name} import Net\n\nnet = Net()\n")
    assert opened(package / "run.py", "net", "2x3").model.fc.out_features == 4
