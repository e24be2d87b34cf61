"""Layout survives: comments, line breaks, quotes, and every byte outside the rewritten calls."""

from __future__ import annotations

import pytest

from workbench import apply_edits, convert


def body(source: str) -> str:
    """The converted statements without the import line."""
    code = convert(f"import torch\n{source}").code
    first, rest = code.split("\n", 1)
    assert first == "import paddle"
    return rest


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("torch.cat([x], 1)", "paddle.concat([x], axis=1)"),
        ("torch.cat(dim=1, tensors=[x])", "paddle.concat([x], axis=1)"),
        ("torch.cat([x], dim = 1)", "paddle.concat([x], axis = 1)"),
        ("torch.cat(([x]), (1))", "paddle.concat(([x]), axis=(1))"),
        ("torch.cat([x], dim=1,)", "paddle.concat([x], axis=1,)"),
        ("(torch.cat([x]))", "(paddle.concat([x]))"),
        ("y = torch.cat([x]) ; z = 1", "y = paddle.concat([x]) ; z = 1"),
        ("-torch.cat([x]) ** 2", "-paddle.concat([x]) ** 2"),
        ("f'{torch.cat([x])!r:>{w}}'", "f'{paddle.concat([x])!r:>{w}}'"),
        ("f'''\n{torch.cat([x])}'''", "f'''\n{paddle.concat([x])}'''"),
        ("'a' f\"{torch.cat([x])}\" 'b'", "'a' f\"{paddle.concat([x])}\" 'b'"),
        ("torch.cat([torch.cat([x]), torch.stack([x], 1)])",
         "paddle.concat([paddle.concat([x]), paddle.stack([x], axis=1)])"),
        ("[torch.cat([t]) for t in x if torch.stack([t])]",
         "[paddle.concat([t]) for t in x if paddle.stack([t])]"),
        ("torch.cat([x], dim=(d := 1))", "paddle.concat([x], axis=(d := 1))"),
        ("torch . cat([x])", "paddle.concat([x])"),
        ("lambda x=torch.cat([]): torch.cat([x])", "lambda x=paddle.concat([]): paddle.concat([x])"),
    ],
)  # fmt: skip
def test_calls_are_rewritten_in_place(source: str, expected: str) -> None:
    assert body(source) == expected


def test_comments_and_line_breaks_inside_calls_stay() -> None:
    source = """\
y = torch.cat(
    # what to join
    [a, b],  # both

    dim=1,  # channels
)  # done
"""
    assert body(source) == source.replace("torch.cat", "paddle.concat").replace("dim", "axis")


def test_the_comment_of_an_argument_that_goes_is_kept() -> None:
    source = (
        "y = torch.cat(\n    [a],  # kept\n    dim=0,  # also kept\n    out=None,  # of out\n)\n"
    )
    code = body(source)
    for comment in ("# kept", "# also kept", "# of out"):
        assert code.count(comment) == 1


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_line_endings_stay(newline: str) -> None:
    source = newline.join(["import torch", "x = torch.cat(", "  [a],", ")", "", "y = 1", ""])
    code = convert(source).code
    assert code == source.replace("torch.cat", "paddle.concat").replace(
        "import torch", "import paddle"
    )


@pytest.mark.parametrize(
    "line",
    [
        "\tz = torch.cat([x])\t# tab",
        "\tz = 'é😀'; y = torch.cat(['é', '😀'])  # é😀",
        "\tz = 'a\u2028b'; y = torch.cat([x])",
        "\tif x: y = torch.cat([x])\n\telse: y = 2",
    ],
)
def test_odd_characters_do_not_move_anything(line: str) -> None:
    source = f"\ufeffimport torch\nif 1:\n{line}\n"
    expected = source.replace("torch.cat", "paddle.concat").replace("import torch", "import paddle")
    assert convert(source).code == expected


def test_a_file_without_torch_comes_back_byte_for_byte() -> None:
    source = "import  numpy as np # torch\r\nx = np.cat( [1 ] )\n\n\x0c\ny=1"
    assert convert(source).code == source
    assert convert(source).findings == []


def test_converting_again_changes_nothing() -> None:
    source = "import torch\nx = torch.cat([a])\ny = torch.cat(*b)\n"
    once = convert(source).code
    assert convert(once).code == once


def test_edits_and_line_map_lead_from_the_original_to_the_result() -> None:
    source = '"""Doc."""\nimport torch\n\n\ndef f(x):\n    y = torch.cat(*x)\n    return torch.cat([y])\n'
    conversion = convert(source)
    assert apply_edits(source, conversion.edits) == conversion.code
    before, after = source.split("\n"), conversion.code.split("\n")
    assert len(conversion.line_map) == len(after)
    place = after.index("    return paddle.concat([y])")
    assert before[conversion.line_map[place]] == "    return torch.cat([y])"
    remark = next(index for index, line in enumerate(after) if "# torchferry" in line)
    assert conversion.line_map[remark] == -1
