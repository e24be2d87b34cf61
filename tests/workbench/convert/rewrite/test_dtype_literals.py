"""A printed dtype is recognized by the module name in front of it."""

from __future__ import annotations

import pytest

import workbench

HEAD = "import torch\ndef f(x, dtype, tag):\n    y = torch.ones(2)\n    return "


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("str(x.dtype)[6:]", "str(x.dtype)[7:]"),
        ("y * len(str(y.dtype)[6:])", "y * len(str(y.dtype)[7:])"),
        ('str(dtype).replace("torch.", "")', 'str(dtype).replace("paddle.", "")'),
        ("str(y.dtype).removeprefix('torch.')", "str(y.dtype).removeprefix('paddle.')"),
        ('str(tag) == "torch.float32"', 'str(tag) == "paddle.float32"'),
        ('"torch.bfloat16" != str(dtype)', '"paddle.bfloat16" != str(dtype)'),
        (
            'torch.zeros(2) if str(dtype) in ("torch.int8", "torch.bool") else y',
            'paddle.zeros(2) if str(dtype) in ("paddle.int8", "paddle.bool") else y',
        ),
        (
            'str(x.dtype).startswith(("torch.uint", "torch.float8_"))',
            'str(x.dtype).startswith(("paddle.uint", "paddle.float8_"))',
        ),
        (
            "isinstance(tag, torch.dtype) and str(tag)[6:]",
            "isinstance(tag, paddle.dtype) and str(tag)[7:]",
        ),
        ("torch.ones(len(str(x.dtype)[6:]))", "paddle.ones(len(str(x.dtype)[7:]))"),
    ],
)
def test_torchs_name_in_front_of_a_dtype_becomes_the_targets(given: str, expected: str) -> None:
    code = workbench.convert(f"{HEAD}{given}\n").code
    assert code.endswith(f"return {expected}\n")
    assert workbench.convert(code).code == code


@pytest.mark.parametrize(
    "line",
    [
        "str(tag)[6:]",
        "str(x.dtype)[6:8]",
        'str(dtype).split(".")[-1]',
        'tag == "torch.float32"',
        'str(tag) == "torch.nn"',
        'str(tag).replace("torch.", "")',
        'str(dtype).startswith("torch.")',
    ],
)
def test_other_texts_stay(line: str) -> None:
    assert line in workbench.convert(f"{HEAD}{line}\n").code
