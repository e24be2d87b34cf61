"""Which torch names a program uses, through every way that Python has of naming them."""

from __future__ import annotations

import pytest

from workbench.source.analysis import analyse
from workbench.source.uses import UseKind


def names(source: str) -> list[str]:
    return [use.name for use in analyse(source).uses]


@pytest.mark.parametrize(
    "source",
    [
        "import torch\ntorch.cat([])",
        "import torch as th\nth.cat([])",
        "from torch import cat\ncat([])",
        "from torch import cat as join\njoin([])",
        "from torch import *\ncat([])",
        "import os, torch\ntorch.cat([])",
        "import torch.nn\ntorch.cat([])",
        "def f():\n    import torch\n    return torch.cat([])",
        "try:\n    import torch\nexcept ImportError:\n    torch = None\ntorch.cat([])",
        "if True:\n    from torch import cat\ncat([])",
        "import torch\nt = torch\nt.cat([])",
        "import torch\n(join := torch.cat)([])",
    ],
)
def test_every_way_to_import_is_followed(source: str) -> None:
    assert "torch.cat" in names(source)


@pytest.mark.parametrize(
    "source",
    [
        "import torch\ndef f(torch):\n    torch.cat([])",
        "import torch\ntorch = object()\ntorch.cat([])",
        "import torch\nfor torch in []:\n    torch.cat([])",
        "import torch\n[torch.cat([]) for torch in []]",
        "import torch\nlambda torch: torch.cat([])",
        "import torch\nclass A:\n    torch = 1\n    x = torch.cat",
        "cat([])",
        "from numpy import cat\ncat([])",
        "torchish = 1\ntorchish.cat([])",
        "import torch\ndef f(xp=torch):\n    return xp.cat([])",
        "import numpy, torch\nxp = torch if numpy.bool_(0) else numpy\nxp.cat([])",
    ],
)
def test_shadowed_and_foreign_names_are_not_torch(source: str) -> None:
    assert "torch.cat" not in names(source)


def test_a_class_attribute_does_not_shadow_inside_methods() -> None:
    source = "import torch\nclass A:\n    torch = 1\n    def f(self):\n        torch.cat([])\n"
    assert names(source) == ["torch.cat"]


def test_aliases_come_back_under_their_canonical_name() -> None:
    assert names("import torch\ntorch.float") == ["torch.float32"]
    assert names("from torch.nn.modules.conv import Conv2d\nConv2d(1, 1, 1)") == ["torch.nn.Conv2d"]


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("torch.cat([])", UseKind.CALL),
        ("f(torch.cat)", UseKind.READ),
        ("class A(torch.nn.Module): pass", UseKind.BASE),
        ("def f(x: torch.Tensor): pass", UseKind.ANNOTATION),
        ("join = torch.cat\njoin([])", UseKind.INDIRECT),
        ("table = {'a': torch.cat}\ntable['a']([])", UseKind.INDIRECT),
        ("def f(op=torch.cat):\n    op([])", UseKind.INDIRECT),
        ("import functools\nfunctools.partial(torch.cat, dim=1)", UseKind.PARTIAL),
        ("getattr(torch, 'cat')([])", UseKind.READ),
        (
            "class A(torch.nn.Conv2d):\n    def __init__(self):\n        super().__init__(1, 2, 3)",
            UseKind.SUPER,
        ),
    ],
)
def test_the_kind_of_a_use(source: str, kind: UseKind) -> None:
    assert kind in {use.kind for use in analyse(f"import torch\n{source}").uses}


def test_uses_are_found_in_every_corner_of_the_grammar() -> None:
    source = """
import torch
@torch.no_grad()
def f(x, n=torch.cat([])):
    match torch.cat([x]):
        case torch.Tensor():
            return f"{torch.cat([x])!r:>{torch.cat([x])}}"
    async def g():
        async with torch.cat([x]) as y, torch.cat([y]):
            yield torch.cat([y])
    try:
        assert torch.cat([x]), torch.cat([x])
    except torch.OutOfMemoryError:
        raise ValueError(torch.cat([x])) from torch.cat([x])
    else:
        del x[torch.cat([x])]
    while torch.cat([x]):
        x[torch.cat([x]):] += torch.cat([x])
    return {**torch.cat([x]), 1: [*torch.cat([x])]}, (lambda: torch.cat([x]))
"""
    assert names(source).count("torch.cat") == 18


def test_packages_built_on_torch_are_reported() -> None:
    analysis = analyse("import timm\nfrom transformers import AutoModel\nimport numpy, einx\n")
    assert [item.package for item in analysis.foreign] == ["timm", "transformers"]


def test_a_file_without_torch_is_not_walked() -> None:
    assert analyse("x = 1\nx.view(2)\n").uses == []


@pytest.mark.parametrize("function", ["importlib.import_module", "__import__"])
def test_modules_imported_by_a_call_are_followed(function: str) -> None:
    source = f"import torch, importlib\nF = {function}('torch.nn.functional')\nF.relu(x)\n"
    assert "torch.nn.functional.relu" in names(source)
    assert "torch.nn.functional" in names(source)


def test_the_function_of_a_partial_is_not_a_member_of_a_class() -> None:
    code = "def f(norm=nn.BatchNorm2d):\n    return norm.func == nn.InstanceNorm2d, norm.args\n"
    uses = analyse(f"import torch.nn as nn\n{code}").uses
    assert [use.name for use in uses] == ["torch.nn.BatchNorm2d", "torch.nn.InstanceNorm2d"]


@pytest.mark.parametrize(
    ("module", "call", "meant"),
    [
        ("torch.distributions.transforms", "CatTransform([])", "torch.distributions.CatTransform"),
        ("torch.nn.modules.linear", "Linear(2, 2)", "torch.nn.Linear"),
        ("torch.utils.data.dataset", "TensorDataset()", "torch.utils.data.TensorDataset"),
        ("torch", "absolute(x)", "torch.absolute"),
        ("torchvision.transforms.transforms", "ToTensor()", "torchvision.transforms.ToTensor"),
    ],
)
def test_a_star_brings_the_other_names_of_things_as_well(
    module: str, call: str, meant: str
) -> None:
    assert meant in names(f"from {module} import *\nx = 1\n{call}\n")


def test_members_and_results_of_one_of_several_objects() -> None:
    text = """
import torch
from torch import nn
class First(nn.Module):
    def forward(self, x):
        return torch.relu(x)
class Second(nn.Module):
    def forward(self, x):
        self.seen = x.detach()
        return self.seen + 1
for net in (First(), Second()):
    y = net(torch.ones(2)).mul(3)
z = net.seen.div(2)
"""
    names = [use.name for use in analyse(text).uses]
    assert "torch.Tensor.mul" in names
    assert "torch.Tensor.div" in names


def test_a_loop_over_pairs_keeps_their_places() -> None:
    text = """
import torch
class First(torch.nn.Module):
    def forward(self, x):
        return x * 2
class Second(torch.nn.Module):
    def forward(self, x):
        return x + 1
for net, data in ((First(), torch.ones(2)), (Second(), torch.zeros(2))):
    y = net(data).sum().div(2)
"""
    assert "torch.Tensor.div" in [use.name for use in analyse(text).uses]
