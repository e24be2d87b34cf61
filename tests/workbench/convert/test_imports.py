"""Import statements after conversion."""

from __future__ import annotations

import pytest

from workbench import convert


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import torch\ntorch.cat([])", "import paddle\npaddle.concat([])"),
        ("import torch\nimport torch.nn as nn\ntorch.cat([])", "import paddle\npaddle.concat([])"),
        ("from torch import cat, stack\ncat([]); stack([])",
         "import paddle\npaddle.concat([]); paddle.stack([])"),
        ("import os, torch, sys\ntorch.cat([])", "import paddle\nimport os, sys\npaddle.concat([])"),
        ("from torch import (\n    cat,  # c\n    stack,\n)\ncat([])\nf = stack(*x)",
         "import paddle\nfrom torch import (\n    stack,\n)\npaddle.concat([])\n"
         "# torchferry TF200: torch.stack: arguments passed with * or ** cannot be told apart;"
         " write them out\nf = stack(*x)"),
        ("def f():\n    import torch\n    return torch.cat([])",
         "def f():\n    import paddle\n    return paddle.concat([])"),
        ("try:\n    import torch\nexcept ImportError:\n    pass\ntorch.cat([])",
         "try:\n    import paddle\nexcept ImportError:\n    pass\npaddle.concat([])"),
        ('"""Doc."""\nfrom __future__ import annotations\nimport torch\ntorch.cat([])',
         '"""Doc."""\nfrom __future__ import annotations\nimport paddle\npaddle.concat([])'),
        ("import torch; torch.cat([])", "import paddle; paddle.concat([])"),
        ("import torch", "import paddle"),
        ("import paddle\nimport torch\ntorch.cat([])", "import paddle\npaddle.concat([])"),
    ],
)  # fmt: skip
def test_imports_end_up_right(source: str, expected: str) -> None:
    assert convert(source).code == expected


def test_torch_stays_imported_while_something_uses_it() -> None:
    source = "import torch\ntorch.cat([])\ntorch.cat(*x)\n"
    code = convert(source).code
    assert "import torch\n" in code
    assert "import paddle\n" in code


def test_a_quoted_annotation_keeps_the_import() -> None:
    assert "import torch" in convert('import torch\ndef f(x: "torch.Tensor"): torch.cat([x])').code
