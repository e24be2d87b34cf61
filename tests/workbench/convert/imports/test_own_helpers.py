"""A program's own definition under the name of a helper stays its own."""

from __future__ import annotations

import pytest

from tests.workbench.exact import check, convert

MAX = "import torch\n{}\ndef f(x: torch.Tensor):\n    return x.max(0)\n"


def test_a_users_function_named_like_a_helper_is_converted_too() -> None:
    text = "import torch\n\n\ndef torch_max(a):\n    return torch.stack([a, a])\n"
    done = convert(text)
    assert "return paddle.stack([a, a])" in done.code
    assert [finding.name for finding in check(text)] == ["torch.stack"]


@pytest.mark.parametrize(
    "own",
    [
        "def torch_max(a):\n    return a\n",
        "torch_max = 3\n",
        "from elsewhere import torch_max\n",
        "class torch_max:\n    pass\n",
    ],
)
def test_it_is_not_taken_for_the_helper(own: str) -> None:
    done = convert(MAX.format(own))
    assert "return x.max(0)" in done.code  # and not what the user's would make of it
    [finding] = done.unconverted
    assert "torch_max" in finding.message and "rename torch_max in the file" in finding.message
    assert convert(done.code).code == done.code


def test_a_helper_is_known_however_it_is_laid_out() -> None:
    once = convert(MAX.format("")).code
    assert "def torch_max(" in once
    laid_out = once.replace("def torch_max(", "def torch_max(  # a formatter was here\n    ", 1)
    again = convert(laid_out)
    assert again.code == laid_out
    assert again.unconverted == []


def test_a_helper_that_is_imported_from_the_projects_module_is_ours() -> None:
    more = "import torch\nfrom .torchferry_helpers import torch_max\n"
    done = convert(f"{more}\ndef f(x: torch.Tensor):\n    return x.max(0)\n")
    assert done.unconverted == []


@pytest.mark.parametrize(
    "use",
    [
        "ok = isinstance(Normal(0.0, 1.0), TorchDistribution)\n",
        "class D:\n    kept: TorchDistribution\n    made = Normal(0.0, 1.0)\n",
        "class D(TorchDistribution):\n    pass\n",
    ],
)
def test_a_name_of_torchs_that_becomes_the_helper_is_no_other(use: str) -> None:
    text = (
        "from torch.distributions import Distribution as TorchDistribution\n"
        f"from torch.distributions import Normal\n{use}"
    )
    converted = convert(text)
    assert not converted.unconverted
    assert converted.code.count("class TorchDistribution") == 1


def test_another_name_of_torchs_is_not_the_helper() -> None:
    text = (
        "from torch.distributions import Normal as TorchDistribution\n"
        "from torch.distributions import Categorical\nx = TorchDistribution(0.0, 1.0)\n"
        "y = Categorical(None)\n"
    )
    assert any("rename TorchDistribution in the file" in one.message for one in check(text))
