"""Faults that mutated programs have shown: each of these was once broken, or raised."""

from __future__ import annotations

import ast

import pytest

from workbench import TorchferryError, apply_edits, check, convert
from workbench.positions import Lines

KEEPS = "handle = torch.cuda.CUDAGraph()\n"  # no counterpart: torch stays imported


def test_the_body_of_a_case_is_edited_once() -> None:
    text = "match b:\n    case torch.Tensor() as x if x.dim():\n        y = torch.cat([x], 0)\n"
    code = convert(f"import torch\n{text}").code
    ast.parse(code)
    assert code.count("paddle.cat([x], 0)") == 1


def test_a_member_read_through_its_class_is_reported() -> None:
    conversion = convert("import torch\nkind = torch.device.type\n")
    assert "kind = torch.device.type" in conversion.code
    assert [finding.name for finding in conversion.unconverted] == ["torch.device.type"]


def test_comments_of_an_import_that_becomes_pass_stay_comments() -> None:
    statement = "from torch.nn import (  # all of it\n        functional as F,\n    )\n"
    code = convert(f"import torch\nif a:\n    {statement}y = torch.abs(x)\n").code
    ast.parse(code)
    assert "# all of it\n" in code


@pytest.mark.parametrize(
    "head", ["from torch.nn import (Linear\n); ", 'a = """\n"""; ', "if (a or\n    b): "]
)
def test_code_after_another_statement_on_its_line_is_converted(head: str) -> None:
    code = convert(f"import torch\n{head}y = torch.no_such_name(torch.abs(x))\n").code
    tree = ast.parse(code)
    assert "paddle.abs(x)" in code
    strings = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    assert not any("torchferry" in str(value) for value in strings)


@pytest.mark.parametrize("gap", ["", "\n", "  # é\n"])
def test_code_on_the_line_of_an_import_comes_after_the_helpers_that_it_calls(gap: str) -> None:
    code = convert(f"import torch; y = torch.relu({gap}x)\nz = 1\n", style="exact").code
    tree = ast.parse(code)
    assert [type(one).__name__ for one in tree.body] == [
        *("Import", "FunctionDef", "Assign", "Assign")
    ]
    assert convert(code).code == code


@pytest.mark.parametrize("head", ["import torch; ", "import torch\nfrom torch import (nn\n); "])
def test_a_remark_moves_with_code_that_gets_its_own_line(head: str) -> None:
    source = f"{head}w = torch.no_such_name(x); y = torch.relu(x)\n"
    code = convert(source, style="exact").code
    assert ": torch.no_such_name: " in code.partition("\nw = ")[0].splitlines()[-1]
    assert convert(code).code == code


def test_pythons_own_names_are_not_written_where_a_star_import_hides_them() -> None:
    text = f"import torch\nfrom torch import *\n{KEEPS}low = -torch.inf\n"
    code = convert(text).code
    assert "from torch import *" in code and "low = -torch.inf" in code
    assert "`float`, which the star import hides" in code
    assert convert(code).code == code
    assert [finding.name for finding in check(text) if not finding.converts]
    assert "float('inf')" in convert("from torch import *\nlow = -inf\n").code


@pytest.mark.parametrize(
    "line",
    [
        "act = partial([(F.leaky_relu)][0], negative_slope=0.2)\n",
        "x = [torch][0].rand(2)\n",
        "scale: torch.abs(x).Tensor\n",
        "from torch import *\nx.register_hook(lambda g: g.clamp(min=0, max=1))\n"
        + KEEPS
        + "allclose(x, x)\n",
    ],
)
def test_a_second_conversion_changes_nothing(line: str) -> None:
    head = "import torch\nimport torch.nn.functional as F\nfrom functools import partial\n"
    once = convert(f"{head}{line}").code
    assert convert(once).code == once


def test_arguments_of_a_call_in_an_annotation_stay() -> None:
    assert (
        "scale: paddle.abs(x).Tensor" in convert("import torch\nscale: torch.abs(x).Tensor\n").code
    )


def test_expressions_nested_too_deeply_are_a_message_or_a_finding() -> None:
    deep = "(" * 180 + "torch.cuda.CUDAGraph()" + ").t()" * 180
    for text in (f"import torch\nx = {deep}\n", f"import torch\nx = y{'.view(1)' * 900}\n"):
        check(text)
        try:
            ast.parse(convert(text).code)
        except TorchferryError as error:
            assert "nested too deeply" in str(error)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_the_place_of_a_syntax_error_lies_within_the_text(newline: str) -> None:
    text = f"def f(){newline}"
    lines = Lines(text)
    [finding] = check(text)
    end = finding.range.end
    assert end.line < len(lines) and end.column <= len(lines.line(end.line))


def test_a_number_in_the_place_of_a_tensor_is_bracketed() -> None:
    assert "(0).shape" in convert("import torch\ny = torch.Tensor.size(0)\n", style="exact").code


def test_the_size_asked_for_through_the_class_is_called_of_no_property() -> None:
    text = "import torch\nx = torch.ones(2)\ny = torch.Tensor.size(x, 0)\n"
    assert convert(text).code.endswith("\ny = x.shape[0]\n")


def test_edits_part_no_line_ending() -> None:
    text = "import torch\nx = torch.rand(2, requires_grad=\r\ny)\n"
    conversion = convert(text)
    assert apply_edits(text, conversion.edits) == conversion.code


@pytest.mark.parametrize("more", ["x.grad = None; import torch", "import torch"])
@pytest.mark.parametrize("end", ["\\\n# numbers", "# in C:\\"])
def test_a_comment_that_a_backslash_adds_to_an_import_stays_with_it(more: str, end: str) -> None:
    text = f"import numpy as np {end}\n{more}\ny = torch.ones(2)\n"
    code = convert(text).code
    ast.parse(code)
    assert f"import numpy as np {end}\n" in code
    assert convert(code).code == code


def test_a_member_of_a_method_leaves_the_method_as_it_is() -> None:
    text = "import torch\ntorch = torch.abs(x); handle = torch.cuda.CUDAGraph()\n"
    code = convert(text).code
    assert "; handle = torch.cuda.CUDAGraph()" in code
    assert convert(code).code == code
