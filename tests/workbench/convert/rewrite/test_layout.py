"""Layout survives: comments, line breaks, quotes, and every byte outside the rewritten calls."""

from __future__ import annotations

import pytest

import workbench
from tests.workbench.exact import convert
from workbench import apply_edits


def body(source: str) -> str:
    """Return the converted statements without the import line."""
    code = convert(f"import torch\n{source}").code
    first, rest = code.split("\n", 1)
    assert first == "import paddle"
    return rest


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("torch.stack([x], 1)", "paddle.stack([x], axis=1)"),
        ("torch.stack(dim=1, tensors=[x])", "paddle.stack([x], axis=1)"),
        ("torch.stack([x], dim = 1)", "paddle.stack([x], axis = 1)"),
        ("torch.stack(([x]), (1))", "paddle.stack(([x]), axis=(1))"),
        ("torch.stack([x], dim=1,)", "paddle.stack([x], axis=1,)"),
        ("(torch.stack([x]))", "(paddle.stack([x]))"),
        ("y = torch.stack([x]) ; z = 1", "y = paddle.stack([x]) ; z = 1"),
        ("-torch.stack([x]) ** 2", "-paddle.stack([x]) ** 2"),
        ("f'{torch.stack([x])!r:>{w}}'", "f'{paddle.stack([x])!r:>{w}}'"),
        ("f'''\n{torch.stack([x])}'''", "f'''\n{paddle.stack([x])}'''"),
        ("'a' f\"{torch.stack([x])}\" 'b'", "'a' f\"{paddle.stack([x])}\" 'b'"),
        (
            "torch.stack([torch.stack([x]), torch.exp(x)])",
            "paddle.stack([paddle.stack([x]), paddle.exp(x)])",
        ),
        (
            "[torch.stack([t]) for t in x if torch.exp(t)]",
            "[paddle.stack([t]) for t in x if paddle.exp(t)]",
        ),
        ("torch.stack([x], dim=(d := 1))", "paddle.stack([x], axis=(d := 1))"),
        (
            "((a - b.abs()) ** 2).softmax(1)",
            "paddle.nn.functional.softmax((a - b.abs()) ** 2, axis=1)",
        ),
        ("torch.softmax(((a - b)), 1)", "paddle.nn.functional.softmax(((a - b)), axis=1)"),
        (
            "(a.abs() if a else b).softmax(1)",
            "paddle.nn.functional.softmax(a.abs() if a else b, axis=1)",
        ),
        ("(c := a.abs()).softmax(1)", "paddle.nn.functional.softmax((c := a.abs()), axis=1)"),
        (
            "(a.abs() # why\n +b).softmax(1)",
            "paddle.nn.functional.softmax(a.abs() # why\n +b, axis=1)",
        ),
        ("torch . stack([x])", "paddle.stack([x])"),
        ("torch.compile(make(torch.stack([x])))", "make(paddle.stack([x]))"),
        (
            "lambda x=torch.stack([]): torch.stack([x])",
            "lambda x=paddle.stack([]): paddle.stack([x])",
        ),
    ],
)
def test_calls_are_rewritten_in_place(source: str, expected: str) -> None:
    assert body(source) == expected


def test_comments_and_line_breaks_inside_calls_stay() -> None:
    source = """\
y = torch.stack(
    # what to join
    [a, b],  # both

    dim=1,  # channels
)  # done
"""
    assert body(source) == source.replace("torch.stack", "paddle.stack").replace("dim", "axis")


def test_the_comment_of_a_removed_argument_is_kept() -> None:
    source = (
        "y = torch.stack(\n    [a],  # kept\n    dim=0,  # also kept\n    out=None,  # of out\n)\n"
    )
    code = body(source)
    for comment in ("# kept", "# also kept", "# of out"):
        assert code.count(comment) == 1


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_line_endings_stay(newline: str) -> None:
    source = newline.join(["import torch", "x = torch.stack(", "  [a],", ")", "", "y = 1", ""])
    code = convert(source).code
    assert code == source.replace("torch.stack", "paddle.stack").replace(
        "import torch", "import paddle"
    )


@pytest.mark.parametrize(
    "line",
    [
        "\tz = torch.stack([x])\t# tab",
        "\tz = 'é😀'; y = torch.stack(['é', '😀'])  # é😀",
        "\tz = 'a\u2028b'; y = torch.stack([x])",
        "\tif x: y = torch.stack([x])\n\telse: y = 2",
    ],
)
def test_odd_characters_do_not_move_anything(line: str) -> None:
    source = f"\ufeffimport torch\nif 1:\n{line}\n"
    expected = source.replace("torch.stack", "paddle.stack").replace(
        "import torch", "import paddle"
    )
    assert convert(source).code == expected


def test_a_file_without_torch_comes_back_byte_for_byte() -> None:
    source = "import  numpy as np # torch\r\nx = np.stack( [1 ] )\n\n\x0c\ny=1"
    assert convert(source).code == source
    assert convert(source).findings == []


def test_converting_again_changes_nothing() -> None:
    source = "import torch\nx = torch.stack([a])\ny = torch.stack(no=b)\n"
    once = convert(source).code
    assert convert(once).code == once


def test_a_name_that_grows_at_the_start_of_a_line_keeps_its_line() -> None:
    cell = "layer = nn.Linear(2, 1)\nnn.init.zeros_(layer.weight)\n"
    conversion = workbench.convert_cell(cell, earlier=["import torch\nfrom torch import nn\n"])
    place = conversion.code.split("\n").index("paddle.nn.init.zeros_(layer.weight)")
    assert conversion.line_map[place] == 1


def test_edits_and_line_map_lead_from_the_original_to_the_result() -> None:
    body = "def f(x):\n    y = torch.stack(no=x)\n    return torch.stack([y])\n"
    source = f'"""Doc."""\nimport torch\n\n\n{body}'
    conversion = convert(source)
    assert apply_edits(source, conversion.edits) == conversion.code
    before, after = source.split("\n"), conversion.code.split("\n")
    assert len(conversion.line_map) == len(after)
    place = after.index("    return paddle.stack([y])")
    assert before[conversion.line_map[place]] == "    return torch.stack([y])"
    remark = next(index for index, line in enumerate(after) if "# torchferry" in line)
    assert conversion.line_map[remark] == -1


def test_unpacked_arguments_stay_where_the_target_takes_what_torch_takes() -> None:
    source = "import torch\nx = (torch.nn.Conv2d(i, o, bias=False, **options))\n"
    assert "x = (TorchConv2d(i, o, bias=False, **options))" in convert(source).code
