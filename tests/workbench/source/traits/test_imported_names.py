"""Names that a text imports from torch under other names are torch's names in its traits."""

from __future__ import annotations

import ast

import pytest

import workbench
from workbench.source.traits.gathering import traits_of


@pytest.mark.parametrize(
    "text",
    [
        "from torch.nn.utils import weight_norm as wn\nlayer = wn(nn.Linear(3, 4))\n",
        "try:\n    from torch.nn.utils import weight_norm as wn\nexcept ImportError:\n    pass\n"
        "layer = wn(nn.Linear(3, 4))\n",
        "from torch.nn.utils.parametrizations import weight_norm as wn\n"
        "layer = wn(nn.Linear(3, 4))\n",
        "norm = nn.utils.weight_norm\nlayer = norm(nn.Linear(3, 4))\n",
        "from torch.nn.utils import spectral_norm, weight_norm\n"
        "norm = weight_norm if flag else spectral_norm\nlayer = norm(nn.Linear(3, 4))\n",
    ],
)
def test_a_function_that_works_on_weights_is_seen_under_any_name(text: str) -> None:
    code = workbench.convert(f"import torch.nn as nn\n{text}").code
    assert "TorchFreshLinear(3, 4)" in code or "compat.nn.Linear(3, 4)" in code


def test_a_class_under_another_name_has_its_traits() -> None:
    found = traits_of(
        ast.parse("from torch.nn import Linear as Dense\nfor m in net:\n    isinstance(m, Dense)\n")
    )
    plain = traits_of(
        ast.parse("from torch.nn import Linear\nfor m in net:\n    isinstance(m, Linear)\n")
    )
    assert found.compared == plain.compared
    assert found.imported == {"Linear"}


def test_modules_keep_their_names() -> None:
    found = traits_of(ast.parse("from torch.nn import functional as F\ny = F(3)\n"))
    assert "F" in found.called


def test_the_names_of_other_packages_stay() -> None:
    found = traits_of(ast.parse("from mine import weight_norm as wn\ny = wn(3)\n"))
    assert "wn" in found.called
    assert not found.imported


def test_a_kept_statement_is_read_again_after_another_import() -> None:
    tree = ast.parse("from torch.nn import Linear as Dense\nlayer = Dense(3, 4)\n")
    assert "Linear" in traits_of(tree).called
    tree.body[0] = ast.parse("from torch.nn import Conv2d as Dense\n").body[0]
    assert traits_of(tree).called == {"Conv2d"}
