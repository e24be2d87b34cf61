"""The dependencies of a project, before and after."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.workbench.convert.project.project_tree import converted, result, write
from workbench.convert.dependencies.replacement import convert_dependencies
from workbench.convert.dependencies.requirement import Family
from workbench.errors import TorchferryError

PACKAGES = {"torch": "paddlepaddle", "torchvision": "paddlepaddle"}


def convert(path: str, text: str, *needed: str) -> str:
    family = Family(PACKAGES, "3.3", needed)
    return convert_dependencies(path, textwrap.dedent(text), family).code


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("torch\n", "paddlepaddle>=3.3\n"),
        ("numpy\nTorch==2.1.0+cu118  # here\n", "numpy\npaddlepaddle>=3.3  # here\n"),
        ("torch[opt]>=2,<3", "paddlepaddle>=3.3"),
        ("torch>=2 ; python_version > '3.8'\r\n", "paddlepaddle>=3.3 ; python_version > '3.8'\r\n"),
        ("torch\ntorchvision  # images\nx\n", "paddlepaddle>=3.3\nx\n"),
        ("torch==2 \\\n    --hash=sha256:a \\\n    --hash=sha256:b\nx\n", "paddlepaddle>=3.3\nx\n"),
        ("torch @ https://example.org/torch.whl\n", "paddlepaddle>=3.3\n"),
        ("--index-url https://download.pytorch.org/whl/cpu\ntorch\n", "paddlepaddle>=3.3\n"),
        (
            "# torch\ntorchmetrics\npytorch-lightning\n",
            "# torch\ntorchmetrics\npytorch-lightning\n",
        ),
    ],
)
def test_requirements(before: str, after: str) -> None:
    assert convert("requirements.txt", before) == after


def test_needed_imports_stay() -> None:
    assert convert("requirements-dev.txt", "torch==2.1\nx\n", "torch") == (
        "torch==2.1\npaddlepaddle>=3.3\nx\n"
    )
    assert convert("requirements.txt", "x\ntorch", "torch") == "x\ntorch\npaddlepaddle>=3.3"
    assert convert("requirements.txt", "torch\ntorchvision\n", "torchvision") == (
        "paddlepaddle>=3.3\ntorchvision\n"
    )


def test_pyproject() -> None:
    before = """\
        [build-system]
        requires = ["setuptools", "torch>=2.0"]

        [project]
        name = "torch-thing"  # the name
        keywords = ["torch"]
        dependencies = [
            "numpy",
            'torch>=2.0; python_version > "3.8"',  # the framework
            "torchvision",
        ]

        [project.optional-dependencies]
        all = ["torch", "torchvision", "triton"]

        [dependency-groups]
        dev = ["pytest", "torch"]

        [tool.poetry.dependencies]
        python = "^3.9"
        torch = { version = "^2.1", optional = true }  # poetry

        [tool.other]
        torch = "not a dependency"
    """
    after = """\
        [build-system]
        requires = ["setuptools", "paddlepaddle>=3.3"]

        [project]
        name = "torch-thing"  # the name
        keywords = ["torch"]
        dependencies = [
            "numpy",
            'paddlepaddle>=3.3; python_version > "3.8"',  # the framework
        ]

        [project.optional-dependencies]
        all = ["paddlepaddle>=3.3", "triton"]

        [dependency-groups]
        dev = ["pytest", "paddlepaddle>=3.3"]

        [tool.poetry.dependencies]
        python = "^3.9"
        paddlepaddle = ">=3.3"  # poetry

        [tool.other]
        torch = "not a dependency"
    """
    assert convert("pyproject.toml", before) == textwrap.dedent(after)


def test_pyproject_next_to_torch() -> None:
    before = '[project]\ndependencies = [\n    "torch",\n    "x",\n]\n'
    after = '[project]\ndependencies = [\n    "torch",\n    "paddlepaddle>=3.3",\n    "x",\n]\n'
    assert convert("pyproject.toml", before, "torch") == after
    poetry = '[tool.poetry.dependencies]\ntorch = "^2"\n'
    assert convert("pyproject.toml", poetry, "torch") == f'{poetry}paddlepaddle = ">=3.3"\n'


def test_setup_py() -> None:
    before = """\
        from setuptools import setup

        REQUIRED = ["torch>=1.0",  # the framework
                    "numpy"]
        setup(
            name="torch",
            install_requires=REQUIRED,
            keywords=["torch"],
            extras_require={"i": ["pillow", "torchvision"], "all": ["torch", "torchvision"]},
        )
    """
    after = """\
        from setuptools import setup

        REQUIRED = ["paddlepaddle>=3.3",  # the framework
                    "numpy"]
        setup(
            name="torch",
            install_requires=REQUIRED,
            keywords=["torch"],
            extras_require={"i": ["pillow", "paddlepaddle>=3.3"], "all": ["paddlepaddle>=3.3"]},
        )
    """
    assert convert("setup.py", before) == textwrap.dedent(after)


def test_setup_cfg() -> None:
    before = """\
        [metadata]
        name = torch
        [options]
        install_requires =
            torch>=1.0
            numpy
        [options.extras_require]
        images =
            torchvision  # images
    """
    after = before.replace("torch>=1.0", "paddlepaddle>=3.3").replace(
        "torchvision", "paddlepaddle>=3.3"
    )
    assert convert("setup.cfg", before) == textwrap.dedent(after)


def test_environment_of_conda() -> None:
    before = """\
        name: torch
        channels:
          - pytorch
        dependencies:
          - python=3.10
          - pytorch::pytorch=2.1=py3.10_cuda  # conda
          - torchvision
          - numpy
    """
    after = """\
        name: torch
        channels:
          - pytorch
        dependencies:
          - python=3.10
          - pip
          - pip:
              - paddlepaddle>=3.3  # conda
          - numpy
    """
    assert convert("environment.yml", before) == textwrap.dedent(after)


def test_environment_with_a_list_for_pip() -> None:
    before = """\
        dependencies:
          - pytorch
          - pip
          - pip:
            - "torch==2.1"
            - rich
    """
    after = """\
        dependencies:
          - pip
          - pip:
            - paddlepaddle>=3.3
            - rich
    """
    assert convert("environment.yaml", before) == textwrap.dedent(after)


def test_a_file_that_does_not_parse_is_named() -> None:
    with pytest.raises(TorchferryError, match=r"pyproject\.toml: .*fix it"):
        convert("pyproject.toml", "[project\n")


def test_a_project_keeps_torch_while_something_needs_it(tmp_path: Path) -> None:
    files = {"requirements.txt": "torch==2.1\n", "a.py": "import torch\ntorch.stack([])\n"}
    source = write(tmp_path / "in", files)
    report = converted(source, tmp_path / "out")
    assert (tmp_path / "out" / "requirements.txt").read_text() == "paddlepaddle>=3.3\n"
    assert [row.code for row in result(report, "requirements.txt").rows] == ["TF500"]
    assert "==2.1 was about torch" in result(report, "requirements.txt").rows[0].message
    write(source, {"a.py": "import torch\ntorch.stack(no=x)\n"})
    report = converted(source, tmp_path / "out")
    assert (tmp_path / "out" / "requirements.txt").read_text() == "torch==2.1\npaddlepaddle>=3.3\n"
    assert [row.code for row in result(report, "requirements.txt").rows] == ["TF501"]


@pytest.mark.parametrize(
    "other", ["import torch\nx = (\n", "# torchferry: ignore-file\nimport torch\n"]
)
def test_files_left_as_they_are_need_torch(tmp_path: Path, other: str) -> None:
    source = write(tmp_path / "in", {"requirements.txt": "torch\n", "b.py": other})
    converted(source, tmp_path / "out")
    assert (tmp_path / "out" / "requirements.txt").read_text() == "torch\npaddlepaddle>=3.3\n"


def test_a_setup_that_uses_torch_is_converted_too(tmp_path: Path) -> None:
    setup = (
        "import torch\nfrom setuptools import setup\nsetup(install_requires=['torch'])\n"
        "x = torch.stack([])\n"
    )
    source = write(tmp_path / "in", {"setup.py": setup})
    assert converted(source, tmp_path / "out").exit_code == 0
    assert (tmp_path / "out" / "setup.py").read_text() == (
        "import paddle\nfrom setuptools import setup\n"
        "setup(install_requires=['paddlepaddle>=3.3'])\nx = paddle.stack([])\n"
    )
