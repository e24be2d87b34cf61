"""Fixes of one use and of several: composed, each need brought once, in the right place."""

from __future__ import annotations

import json
from itertools import permutations

import pytest

import workbench
from tests.workbench.exact import TARGET, check
from workbench import apply_edits, convert_cell, fix_together
from workbench.convert.conversion import convert
from workbench.convert.imports.helper_modules import extended, module_of
from workbench.convert.notebook.notebook_files import check_notebook, read_notebook
from workbench.findings import Safety

_F = "torch.nn.functional"
TEXT = """\
import torch

a = torch.stack([torch.abs(x), torch.relu(x)], dim=1)
b = torch.stack([torch.relu(a)])
c = torch.exp(b)
"""


def fixed(text: str, *names: str) -> str:
    found = [f for f in check(text) if f.name in names]
    fix = fix_together(found)
    assert fix is not None
    return apply_edits(text, fix.edits)


def test_several_uses_are_composed_and_their_needs_brought_once() -> None:
    code = fixed(TEXT, "torch.abs", "torch.stack", "torch.relu")
    assert code.count("import paddle\n") == code.count("def torch_relu(") == 1
    assert "a = paddle.stack([paddle.abs(x), torch_relu(x)], axis=1)\n" in code
    assert "b = paddle.stack([torch_relu(a)])\nc = torch.exp(b)\n" in code


def test_inner_uses_alone() -> None:
    code = fixed(TEXT, "torch.abs")
    assert code == TEXT.replace("torch.abs", "paddle.abs").replace(
        "import torch\n", "import paddle\nimport torch\n"
    )


@pytest.mark.parametrize(
    ("line", "name", "left"),
    [
        (
            "y = torch.nn.Sequential(torch.nn.Linear(3, 4))",
            "torch.nn.Linear",
            "torch.nn.Sequential",
        ),
        ("y = torch.cat([torch.sigmoid(x)])", "torch.sigmoid", "torch.cat"),
        ("y = torch.exp(x) + torch.lobpcg(x)", "torch.exp", "torch.lobpcg"),
        ("y = torch.exp(torch.lobpcg(x))", "torch.exp", "torch.lobpcg"),
        ("y = torch.cat([torch.sigmoid(x)])", "torch.cat", ""),
        ("y = torch.exp(x), torch.lobpcg(x)", "torch.exp", ""),
        ("y = torch.exp(x)\nz = torch.lobpcg(y)", "torch.exp", ""),
    ],
)
def test_a_title_says_what_stays_in_torch_in_the_same_expression(
    line: str, name: str, left: str
) -> None:
    [found] = [
        one for one in check(f"import torch\nx = torch.ones(3)\n{line}\n") if one.name == name
    ]
    assert found.fix is not None
    _, _, said = found.fix.title.partition("; ")
    assert said == (f"leaves {left} in torch" if left else "")
    assert (found.fix.safety is Safety.SAFE) is not bool(left), "no editor applies it unasked"


def test_nothing_to_fix() -> None:
    assert fix_together([]) is None
    assert fix_together(check("import torch\ntorch.cuda.CUDAGraph()\n")) is None


def test_findings_of_two_texts_are_refused() -> None:
    with pytest.raises(ValueError, match="of one text"):
        fix_together([*check(TEXT), *check(f"{TEXT}\n")])


def test_the_fix_of_a_cell_starts_below_its_magic() -> None:
    source = "%%convert\nfrom typing import Any\ny = torch.relu(x)\n"
    conversion = convert_cell(
        source, earlier=["import torch\n"], live={"x": "torch.Tensor"}, target=TARGET
    )
    [finding] = [f for f in conversion.findings if f.name == "torch.relu"]
    assert finding.fix is not None
    code = apply_edits(source, finding.fix.edits)
    assert code.startswith("%%convert\nfrom typing import Any\n\nimport paddle\n")
    assert code.endswith("\ny = torch_relu(x)\n")


def test_findings_of_a_notebook_carry_the_fixes_of_their_cells() -> None:
    sources = ["import torch\n", "%%time\nx = torch.stack([a])", "y = torch.exp(x)"]
    cells = [{"cell_type": "code", "source": source} for source in sources]
    notebook = read_notebook(json.dumps({"cells": cells}), "a.ipynb")
    by_cell = [found for _, found in check_notebook(notebook, "paddle")]
    fixes = [found[0].fix for found in by_cell[1:]]
    assert [apply_edits(s, fix.edits) for s, fix in zip(sources[1:], fixes, strict=True)] == [
        "%%time\nimport paddle\nx = paddle.stack([a])",
        "import paddle\ny = paddle.exp(x)",
    ]


@pytest.mark.parametrize(
    ("before", "line"),
    [
        ("d = state['v'].sqrt().scale_(bias=state['eps'])\ns = torch.full_like(d, 2)", "s.div_(d)"),
        ("d = torch.randn(3)\nn = torch.norm(d)", "d.multiply_(n)"),
    ],
)
def test_the_next_fix_knows_the_tensors_of_the_last_one(before: str, line: str) -> None:
    """`scale_` and `multiply_` are Paddle's; their tensors are known as before."""
    body = "".join(f"    {one}\n" for one in [*before.split("\n"), line])
    code = convert(f"import paddle\nimport torch\n\n\ndef step(state):\n{body}").code
    assert code.endswith(f"    {line}\n")
    assert "def torch_" not in code


def test_a_gradient_that_a_fix_has_assigned_is_assigned_once() -> None:
    line = "    p.grad = torch_new_grad(p, None)\n"
    half = f"import torch\n\n\ndef f(p: torch.Tensor):\n{line}    return torch.abs(p)\n"
    assert line in convert(half).code


def test_helpers_of_fixes_one_by_one_are_parted_as_those_of_one_conversion() -> None:
    text = "import torch\n\n\ndef f(x):\n    return torch.relu(x), torch.logsumexp(x, 0)\n"
    whole = convert(text, target=TARGET).code
    for names in (["torch.relu", "torch.logsumexp"], ["torch.logsumexp", "torch.relu"]):
        code = text
        for name in names:
            code = fixed(code, name)
        assert "\n\n\n\n" not in code + whole
        assert sorted(code.splitlines()) == sorted(whole.splitlines())


@pytest.mark.parametrize("first", ["torch.nn.Conv2d", "torch.nn.BatchNorm2d", "torch.nn.Linear"])
def test_helpers_have_one_order_whatever_needed_them_first(first: str) -> None:
    # The first layer of the three in this order needs a helper that the others need as well.
    layers = "a = nn.Conv2d(3, 4, 1)\nb = nn.BatchNorm2d(4)\nc = nn.Linear(4, 2)\n"
    text = f"from torch import nn\n\n{layers}"
    assert convert(fixed(text, first), target=TARGET).code == convert(text, target=TARGET).code


def test_helpers_that_someone_has_changed_keep_their_text() -> None:
    text = "from torch import nn\n\na = nn.Conv2d(3, 4, 1)\nb = nn.BatchNorm2d(4)\n"
    partly = fixed(text, "torch.nn.Conv2d").replace("def torch_named(", "# Mine.\ndef torch_named(")
    code = convert(partly, target=TARGET).code
    assert "# Mine.\ndef torch_named(" in code and "class TorchBatchNorm2d(" in code


def test_a_module_of_helpers_is_the_same_in_any_order_of_additions() -> None:
    names = ["TorchConv2d", "TorchBatchNorm2d", "torch_topk"]
    whole = module_of(names, TARGET)
    for order in permutations(names):
        text = ""
        for name in order:
            text = extended(text, [name], TARGET)
        assert text == whole, order
    own = module_of(names[:1], TARGET) + "\n\nmine = 1\n"
    assert extended(own, names, TARGET).count("\n\nmine = 1\n") == 1


def test_a_helper_class_that_a_fix_wrote_shows_no_more_than_torchs_class() -> None:
    text = (
        "import torch\nimport torchvision\n\n\nclass Encoder(torchvision.models.MobileNetV2):\n"
        "    def stages(self) -> torch.nn.Module:\n        return self.features[7:14]\n"
    )
    code = fixed(text, "torchvision.models.MobileNetV2")
    assert "class TorchMobileNetV2(" in code
    assert [one.name for one in check(code)] == ["torch.nn.Module"]


def test_names_of_typing_are_not_imported_again_for_helpers() -> None:
    text = (
        "from typing import Sequence\n\nimport torch\n\nsizes: Sequence[int] = [2]\ny = x.sum()\n"
    )
    code = fixed(f"{text}y = torch.nn.functional.layer_norm(x, sizes)\n", f"{_F}.layer_norm")
    assert "Sequence" in code.split("def torch_layer_norm")[1]
    assert "collections.abc" not in code


def test_the_title_of_a_fix_names_the_uses_that_it_rewrites_elsewhere() -> None:
    text = (
        "import torch\n"
        "first = torch.optim.Adam(one)\n"
        "second = torch.optim.SGD(two, 0.1)\n"
        "y = torch.rsub(x, z)\n"
    )
    titles = {one.name: one.fix.title for one in check(text) if one.fix}
    assert titles["torch.optim.Adam"].endswith(", and 1 more use with it: torch.optim.SGD")
    assert "with it" not in titles["torch.rsub"]


def test_the_last_fix_names_the_uses_that_nothing_marks_as_torchs_afterwards() -> None:
    text = "import torch\ny = torch.rsub(x, z)\nw = y.sub(1).mul(2)\n"
    (title,) = (one.fix.title for one in check(text) if one.fix and one.name == "torch.rsub")
    assert title.endswith(", and 2 more uses with it: torch.Tensor.sub, torch.Tensor.mul")


TWO_CLASSES = """\
import torch
import torch.nn.functional as F
from torch import nn


class First(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 4)

    def forward(self, x):
        return F.relu(self.fc(x))


class Second(nn.Module):
    def forward(self, x):
        return F.log_softmax(x, dim=1)
"""


@pytest.mark.parametrize(
    "first", ["torch.nn.Module", "torch.nn.Linear", "torch.nn.functional.relu"]
)
def test_a_file_ends_up_the_same_whatever_was_converted_first(first: str) -> None:
    fix = next(one.fix for one in workbench.check(TWO_CLASSES) if one.name == first)
    assert fix is not None
    partly = apply_edits(TWO_CLASSES, fix.edits)
    assert convert(partly).code == convert(TWO_CLASSES).code


def test_parameters_are_listed_the_same_whatever_was_converted_first() -> None:
    text = (
        "import torch\nfrom torch import nn\n\n"
        "def train(waves):\n"
        "    model = nn.Linear(3, 4)\n"
        "    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)\n"
        "    return optimizer, next(iter(model.parameters()))\n"
    )
    for one in workbench.check(text):
        if one.fix is not None:
            partly = apply_edits(text, one.fix.edits)
            assert convert(partly).code == convert(text).code, one.name
