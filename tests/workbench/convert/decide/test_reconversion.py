"""Converting what has been converted changes nothing, where some torch had to stay, too."""

from __future__ import annotations

import pytest

from workbench import check, convert

# No counterpart: what keeps `import torch` in a converted file.
STAYS = "handle = torch.cuda.CUDAGraph()\n"


@pytest.mark.parametrize(
    "body",
    [
        "y = torch.relu(x)\n",
        "opt = torch.optim.SGD(model.parameters(), lr=0.1)\nopt.zero_grad()\n",
        "def f(x):\n    x.add_(torch.tensor(1))\n    return x.numel(), x.flatten(1), x.size()\n",
        "class Net(torch.nn.Module):\n    def forward(self, x):\n        return x.view(2).max(1)\n",
        "def f(x: torch.Tensor):\n    return x.unsqueeze(dim=0).numel() + x.size(0)\n",
        "def f(x):\n    a = torch.abs(x)  # torchferry: ignore\n    return a.numel() + x.numel()\n",
        "def f(x):\n    y = x.hash_tensor\n    return x.numel()\n",
        "class A(torch.nn.LayerNorm):\n    def __init__(self):\n        super().__init__(3)\n",
        "import torch.nn as nn\nnet = [nn.Conv2d][0](3, 8, kernel_size=3)\n",
    ],
)
@pytest.mark.parametrize("rest", ["", STAYS])
def test_a_second_conversion_changes_nothing(body: str, rest: str) -> None:
    once = convert(f"import torch\n{rest}{body}").code
    assert once != f"import torch\n{rest}{body}"
    again = convert(once)
    assert again.code == once
    assert not [finding for finding in check(once) if finding.code.startswith("TF1")]


def test_refusals_are_reported_again() -> None:
    once = convert(f"import torch\n{STAYS}def f(x):\n    x.hash_tensor()\n    x.add_(1)\n")
    names = ["torch.cuda.CUDAGraph", "torch.Tensor.hash_tensor"]
    assert [finding.name for finding in once.unconverted] == names
    assert [finding.name for finding in convert(once.code).unconverted] == names


def test_torch_that_is_added_to_a_converted_file_is_converted() -> None:
    once = convert(f"import torch\n{STAYS}def f(x):\n    return x.numel()\n").code
    more = f"{once}def g(x):\n    return torch.relu(x).numel()\n"
    assert "paddle.nn.functional.relu(x).size" in convert(more).code


def test_a_constant_in_a_removed_argument_is_removed() -> None:
    conversion = convert("import torch\ny = torch.clone(x, memory_format=torch.preserve_format)\n")
    assert "torch" not in conversion.code
    assert conversion.unconverted == []


@pytest.mark.parametrize(
    "source",
    [
        "x: [torch][0].Tensor = 3\n",
        "class Net([torch][0].nn.Module):\n    pass\n",
        "y = [torch][0].Tensor.numel(x)\n",
        "y = [torch][0].nn.Linear.__name__\n",
    ],
)
def test_the_object_of_a_lookup_is_removed_with_it(source: str) -> None:
    once = convert(f"import torch\n{source}")
    assert "torch" not in once.code
    assert once.unconverted == []


def test_a_star_import_is_removed_if_a_refused_use_no_longer_needs_it() -> None:
    once = convert("from torch import *\nlog.flush()\ny = allclose(a, b)\n").code
    assert "import *" not in once
    assert convert(once).code == once


def test_a_converted_count_of_elements_stays_while_torch_is_in_use() -> None:
    text = "import torch\nimport paddle\nx = torch.ones(3)\ny = int(x.size), x.size\n"
    code = convert(text, style="exact").code
    assert "y = int(x.size), functools.partial(" in code


def test_a_remark_behind_a_byte_order_mark_is_known_again() -> None:
    source = "\ufefftry:\n    import torch\nexcept torch:\n    torch = None\nx = torch.ones(2)\n"
    once = convert(source).code
    assert "# torchferry TF200" in once
    assert convert(once).code == once


def test_members_of_torchs_numbers_are_pythons() -> None:
    source = "import torch\nx = torch.pi\ny = x.hex(), x.is_integer()\n"
    expected = "import math\n\nx = math.pi\ny = x.hex(), x.is_integer()\n"
    assert convert(source).code == expected
    assert not convert(source).unconverted


def test_a_star_import_is_removed_if_it_does_not_have_the_refused_name() -> None:
    source = "from torch import *\nfrom torch import nn\nwith nn.Module as q:\n    q.t()\n"
    once = convert(source).code
    assert "import *" not in once
    assert convert(once).code == once


@pytest.mark.parametrize(
    "call", ["torch.nn.Linear(3, 4, bias=torch)", "torch.optim.lr_scheduler.StepLR(torch, 30)"]
)
def test_a_call_that_is_given_the_package_itself_stays(call: str) -> None:
    once = convert(f"import torch\nx = {call}\n").code
    assert once.endswith(f"x = {call}\n")
    assert convert(once).code == once
