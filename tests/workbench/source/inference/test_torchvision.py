"""Code that uses torchvision: its names are read as torch's own are."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import resources
from importlib.metadata import PackageNotFoundError, version

import pytest

from workbench.convert.checking import check
from workbench.convert.conversion import convert
from workbench.source.analysis import analyse

_KNOWN = json.loads((resources.files("workbench.upstream") / "torchvision.json").read_bytes())[
    "version"
]
try:
    _INSTALLED = version("torchvision").partition("+")[0]
except PackageNotFoundError:
    _INSTALLED = ""


@pytest.mark.parametrize(
    ("statement", "used"),
    [
        ("import torchvision", "torchvision.transforms.Resize(8)"),
        ("import torchvision.transforms as T", "T.Resize(8)"),
        ("from torchvision import transforms as T, datasets, models", "T.Resize(8)"),
        ("from torchvision.transforms import Resize as R", "R(8)"),
        ("from torchvision.transforms import *", "Resize(8)"),
        ("from torchvision.transforms.transforms import Resize", "Resize(8)"),
    ],
)
def test_every_way_to_import_it_is_followed(statement: str, used: str) -> None:
    found = [use.name for use in analyse(f"{statement}\nt = {used}\n").uses]
    assert found == ["torchvision.transforms.Resize"]


def test_its_import_is_removed_with_its_last_use() -> None:
    converted = convert("from torchvision import transforms as T\nt = T.CenterCrop(4)\n")
    assert "torchvision" not in converted.code.replace("`torchvision.", "")
    assert converted.code.endswith("t = TorchCenterCrop(4)\n")
    assert converted.unconverted == []


def test_the_result_of_a_transform_is_not_taken_for_a_tensor() -> None:
    source = (
        "from torchvision import transforms as T\nfrom PIL import Image\n"
        "small = T.Resize(8)(Image.open('a.png'))\nprint(small.size, small.mode)\n"
    )
    assert convert(source).code.endswith("print(small.size, small.mode)\n")


def test_a_name_that_it_does_not_have_is_reported() -> None:
    findings = check("import torchvision\ntorchvision.transforms.Sharpen(3)\n")
    assert any("not a public torchvision name" in one.message for one in findings)


def test_reading_its_names_imports_no_framework() -> None:
    program = (
        "import sys; from workbench.upstream import load; "
        "assert load().get('torchvision.transforms.Resize'); "
        "sys.exit(bool({'torch', 'torchvision'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


@pytest.mark.parametrize(
    ("call", "instead"),
    [
        ("models.googlenet(pretrained=True)", "torchferry weights"),
        ("models.resnet50(weights='DEFAULT')", "torchferry weights"),
        ("models.resnet50(pretrained=True)", "torchferry weights"),
        ("models.get_model(models.ViT_B_16_Weights.DEFAULT)", "torchferry weights"),
        ("models.swin_t()", "torchferry trace"),
        ("io.read_image(p)", "numpy.asarray(PIL.Image.open(path))"),
        ("transforms.v2.Resize(8)", "torchvision.transforms"),
    ],
)
def test_differences_of_paddle_are_refused_with_a_remedy(call: str, instead: str) -> None:
    source = f"from torchvision import datasets, io, models, ops, transforms\nr = {call}\n"
    converted = convert(source)
    assert f"r = {call}" in converted.code
    ways = [one.message.partition("Instead: ")[2] for one in converted.unconverted]
    assert any(instead in way for way in ways)


@pytest.mark.thorough
@pytest.mark.skipif(_INSTALLED != _KNOWN, reason="made with another version of torchvision")
def test_the_committed_file_is_what_torchvision_says() -> None:
    command = [sys.executable, "-m", "workbench.upstream.generate", "--vision", "--check"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
