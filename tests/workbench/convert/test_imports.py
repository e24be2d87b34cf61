"""Import statements after conversion."""

from __future__ import annotations

import pytest

from workbench import convert


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import torch\ntorch.stack([])", "import paddle\npaddle.stack([])"),
        ("import torch\nimport torch.nn as nn\ntorch.stack([])", "import paddle\npaddle.stack([])"),
        ("from torch import stack, exp\nstack([]); exp(y)",
         "import paddle\npaddle.stack([]); paddle.exp(y)"),
        ("import os, torch, sys\ntorch.stack([])",
         "import paddle\nimport os, sys\npaddle.stack([])"),
        ("from torch import (\n    exp,  # c\n    stack,\n)\nexp(y)\nf = stack(*x)",
         "import paddle\nfrom torch import (\n    stack,\n)\npaddle.exp(y)\n"
         "# torchferry TF200: torch.stack: arguments passed with * or ** cannot be told apart;"
         " write them out\nf = stack(*x)"),
        ("def f():\n    import torch\n    return torch.stack([])",
         "def f():\n    import paddle\n    return paddle.stack([])"),
        ("try:\n    import torch\nexcept ImportError:\n    pass\ntorch.stack([])",
         "try:\n    import paddle\nexcept ImportError:\n    pass\npaddle.stack([])"),
        ('"""Doc."""\nfrom __future__ import annotations\nimport torch\ntorch.stack([])',
         '"""Doc."""\nfrom __future__ import annotations\nimport paddle\npaddle.stack([])'),
        ("import torch; torch.stack([])", "import paddle; paddle.stack([])"),
        ("import torch", "import paddle"),
        ("import paddle\nimport torch\ntorch.stack([])", "import paddle\npaddle.stack([])"),
    ],
)  # fmt: skip
def test_imports_end_up_right(source: str, expected: str) -> None:
    assert convert(source).code == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("from einops.layers.torch import Rearrange", "from einops.layers.paddle import Rearrange"),
        ("import einops.layers.torch as layers", "import einops.layers.paddle as layers"),
    ],
)
def test_packages_with_a_part_for_each_framework_change_that_part(line: str, expected: str) -> None:
    conversion = convert(f"import torch\n{line}\ntorch.exp(y)\n")
    assert conversion.code == f"import paddle\n{expected}\npaddle.exp(y)\n"
    assert conversion.unconverted == []


def test_torch_stays_imported_while_something_uses_it() -> None:
    source = "import torch\ntorch.stack([])\ntorch.stack(*x)\n"
    code = convert(source).code
    assert "import torch\n" in code
    assert "import paddle\n" in code


def test_a_quoted_annotation_keeps_the_import() -> None:
    assert (
        "import torch" in convert('import torch\ndef f(x: "torch.Tensor"): torch.stack([x])').code
    )


def test_a_name_imported_for_others_stays_where_the_target_has_nothing_for_it() -> None:
    source = "from torch.fx import Tracer as Tracing\n"
    assert convert(source).code == source
