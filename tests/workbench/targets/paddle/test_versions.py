"""Older versions of the target: their own spelling, or a refusal that names the version."""

from __future__ import annotations

from importlib.metadata import version

import pytest

import workbench
from workbench.proof.older import failing
from workbench.targets import load
from workbench.targets.paddle import VERSIONS

_OLDEST = f"paddle=={VERSIONS[0]}"
# Operations of most models.
_SMOKE = ("torch.nn.Linear", "torch.nn.Parameter", "torch.cat", "torch.einsum", "torch.matmul")


def test_a_name_that_came_later_has_an_older_spelling() -> None:
    source = "from torch import nn, ones\np = nn.Parameter(ones(2))\n"
    assert "p = nn.Parameter(" in workbench.convert(source, target="paddle==3.3").code
    older = workbench.convert(source, target=_OLDEST)
    assert "p = torch_older_parameter(" in older.code
    assert older.unconverted == []


def test_names_that_an_older_version_lacks_are_refused_with_the_newer_version() -> None:
    source = "import torch\ng = torch.Generator()\n"
    assert workbench.convert(source, target="paddle==3.3").unconverted == []
    older = workbench.convert(source, target="paddle==3.2")
    assert "g = torch.Generator()" in older.code
    assert "it needs Paddle 3.3 or newer, and the target is 3.2" in older.unconverted[0].message


def test_partial_support_of_an_older_version_has_a_caveat() -> None:
    (finding,) = [
        finding
        for finding in workbench.check(
            "import torch\nx = torch.nn.functional.interpolate(torch.ones(1, 1, 2, 2), size=4)\n",
            target="paddle==3.2",
        )
        if "interpolate" in finding.message
    ]
    assert finding.code == "TF102"
    assert "Paddle 3.2 does not accept all of its forms; 3.3 does" in finding.message


def test_the_installed_version_is_the_default() -> None:
    installed = ".".join(version("paddlepaddle").split(".")[:2])
    assert load("paddle").version == installed


@pytest.mark.skipif(
    load("paddle").version != VERSIONS[0], reason="the oldest supported version is not installed"
)
def test_the_oldest_version_computes_what_models_are_made_of() -> None:
    assert failing(_OLDEST, _SMOKE) == {}
