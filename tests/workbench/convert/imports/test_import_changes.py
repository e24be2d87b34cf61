"""Import statements after conversion."""

from __future__ import annotations

import pytest

from workbench import apply_edits, check, convert


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import torch\ntorch.stack([])", "import paddle\npaddle.stack([])"),
        (  # as ruff and isort sort them
            "from torch import Tensor, optim\ndef f(x: Tensor):\n    return optim.Adam([x])\n",
            "from paddle import Tensor\nfrom paddle import optimizer as optim\n"
            "def f(x: Tensor):\n    return optim.Adam(parameters=[x])\n",
        ),
        (
            "from torch import Tensor as T, optim\ndef f(x: T):\n    return optim.Adam([x])\n",
            "from paddle import Tensor as T, optimizer as optim\n"
            "def f(x: T):\n    return optim.Adam(parameters=[x])\n",
        ),
        ("import torch\nimport torch.nn as nn\ntorch.stack([])", "import paddle\npaddle.stack([])"),
        (
            "from torch import stack, exp\nstack([]); exp(y)",
            "from paddle import exp, stack\nstack([]); exp(y)",
        ),
        (
            "import os, torch, sys\ntorch.stack([])",
            "import paddle\nimport os, sys\npaddle.stack([])",
        ),
        (
            "from torch import (\n    exp,  # c\n    stack,\n)\nexp(y)\nf = stack(no=x)",
            "# c\nfrom paddle import exp\nfrom torch import (\n    stack,\n)\nexp(y)\n"
            "# torchferry TF200: torch.stack: its arguments fit no signature of torch\n"
            "f = stack(no=x)",
        ),
        (
            "def f():\n    import torch\n    return torch.stack([])",
            "def f():\n    import paddle\n    return paddle.stack([])",
        ),
        (
            "try:\n    import torch\nexcept ImportError:\n    pass\ntorch.stack([])",
            "try:\n    import paddle\nexcept ImportError:\n    pass\npaddle.stack([])",
        ),
        (
            '"""Doc."""\nfrom __future__ import annotations\nimport torch\ntorch.stack([])',
            '"""Doc."""\nfrom __future__ import annotations\nimport paddle\npaddle.stack([])',
        ),
        (
            "def f():\n    import torch.nn.functional as F\n    return F.gelu(x)\nimport torch\n",
            "def f():\n    return paddle.nn.functional.gelu(x)\nimport paddle\n",
        ),
        (
            "import torch  # why\n"
            "from torch import (  # one\n    exp,  # two\n)  # three\nexp(y)\n",
            "# why\n# one\n# two\nfrom paddle import exp  # three\nexp(y)\n",
        ),
        (
            "try:\n    import torch\nexcept ImportError:\n    torch = None\n"
            "def f(x: torch.Tensor):\n    import torch.nn as nn\n    return nn\n",
            "try:\n    import paddle\nexcept ImportError:\n    paddle = None\n"
            "def f(x: paddle.Tensor):\n    return paddle.nn\n",
        ),
        (
            "if TYPE_CHECKING:\n    import torch\n"
            "def f(x: torch.Tensor):\n    return x.softmax(1)\n",
            "if TYPE_CHECKING:\n    import paddle\n"
            "def f(x: paddle.Tensor):\n    return x.softmax(1)\n",
        ),
        ("import torch; torch.stack([])", "import paddle; paddle.stack([])"),
        ("import torch", "import paddle"),
        ("import paddle\nimport torch\ntorch.stack([])", "import paddle\npaddle.stack([])"),
    ],
)
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
    source = "import torch\ntorch.stack([])\ntorch.stack(no=x)\n"
    code = convert(source).code
    assert "import torch\n" in code
    assert "import paddle\n" in code


def test_a_name_in_a_string_that_is_no_annotation_keeps_the_import() -> None:
    assert "import torch" in convert('import torch\ny = "torch.Tensor"\ntorch.stack([y])').code


def test_a_name_imported_for_others_stays_where_the_target_has_nothing_for_it() -> None:
    source = "from torch.fx import Tracer as Tracing\n"
    assert convert(source).code == source


SORTED = """\
from __future__ import annotations

import os
from pathlib import Path

import numpy
import torch
from torch import nn

from mine import thing
"""
# One helper of each kind of import: `relu` none, the other of the standard library's names.
USES = "\n\ndef f(x):\n    return torch.relu(x), torch.as_strided(x, (2,), (1,))\n"


def head(source: str) -> str:
    """Return the import statements of the converted code."""
    return convert(source + USES).code.partition("\n\n\n")[0] + "\n"


def test_sorted_imports_stay_sorted() -> None:
    code = head(SORTED)
    assert code == (
        "from __future__ import annotations\n\nimport os\nfrom collections.abc import Sequence\n"
        "from pathlib import Path\nfrom typing import Any\n\nimport numpy\nimport paddle\n"
        "from paddle import nn\n\n"
        "from mine import thing\n"
    )


def test_imports_sorted_only_by_module_stay_so() -> None:
    source = "from abc import ABC\nimport os\nimport sys\n\nfrom numpy import array\nimport torch\n"
    code = head(source)
    assert code == (
        "from abc import ABC\nfrom collections.abc import Sequence\nimport os\nimport sys\n"
        "from typing import Any\n\nfrom numpy import array\nimport paddle\n"
    )


def test_a_section_that_there_was_not_is_made() -> None:
    code = head("import torch\n")
    assert code.split("\n\n") == [
        "from collections.abc import Sequence\nfrom typing import Any",
        "import paddle\n",
    ]


def test_imports_without_an_order_are_added_to_where_torch_was() -> None:
    code = head("import torch\nimport os\nimport abc\n")
    assert code == (
        "import paddle\nfrom collections.abc import Sequence\nfrom typing import Any\n"
        "import os\nimport abc\n"
    )


def test_names_that_a_module_offers_to_others_stay_bound() -> None:
    code = convert("from torch import Tensor, nn\n__all__ = ['Tensor']\nx: Tensor\n").code
    assert "from torch import Tensor\n" in code
    assert "x: paddle.Tensor\n" in code


def test_small_layers_of_timm_convert_and_the_others_are_reported() -> None:
    conversion = convert(
        "import torch.nn as nn\n"
        "from timm.models.layers import DropPath, trunc_normal_, create_act\n"
        "layer = nn.Linear(2, 2)\ntrunc_normal_(layer.weight, std=.02)\npath = DropPath(0.1)\n"
    )
    assert "from timm.models.layers import create_act\n" in conversion.code
    assert "path = TorchDropPath(0.1)" in conversion.code
    assert "\ntrunc_normal_(layer.weight, std=.02)\n" in conversion.code
    assert [finding.code for finding in conversion.unconverted] == ["TF400"]


def test_imports_of_a_helper_precede_it() -> None:
    source = (
        "from torch.nn.attention import SDPBackend\n\nname = 'math'\nimport enum\n"
        "kernel = SDPBackend.CUDNN_ATTENTION if name == 'math' else enum\n"
    )
    code = convert(source).code
    assert code.index("import enum") < code.index("(enum.Enum)") < code.rindex("import enum")


def test_a_constant_follows_all_imports_that_it_needs() -> None:
    imports = (
        "__version__ = '1'\n\nimport math\n\nimport torch\nimport torch.nn as nn\n"
        "import torch.optim\nfrom torch import Tensor\n"
    )
    layers = "def build(width, x: Tensor):\n    return nn.Linear(width, 4), torch.fmod(x, 3)\n"
    code = convert(f"{imports}\n\n{layers}").code
    assert code.index("import paddle.nn as nn") < code.index("init = nn.initializer")
    assert code.index("from paddle import Tensor") < code.index("init = nn.initializer")


def test_names_that_a_star_brought_are_written_in_full() -> None:
    code = convert("from torch.nn import *\nact = ReLU()\nclass Net(Module):\n    pass\n").code
    assert code == "import paddle\nact = paddle.nn.ReLU()\nclass Net(paddle.nn.Layer):\n    pass\n"


def test_a_star_stays_while_a_name_that_it_brought_does() -> None:
    source = "from torch.nn import *\na = ReLU()\nb = Tanh()\n"
    fix = check(source)[0].fix
    assert fix is not None
    assert apply_edits(source, fix.edits) == (
        "import paddle\nfrom torch.nn import *\na = paddle.nn.ReLU()\nb = Tanh()\n"
    )


def test_a_star_that_stays_hides_no_name_of_the_target() -> None:
    stays = "m = quantizable.LSTM(3)\n"
    source = f"from torch.nn import Dropout\nfrom torch.nn import *\nd = Dropout(0.1)\n{stays}"
    once = convert(source).code
    assert "d = paddle.nn.Dropout(0.1)\n" in once
    assert "from torch.nn import *\n" in once
    assert convert(once).code == once


def test_a_star_brings_no_module_that_its_all_withholds() -> None:
    source = "import random\nfrom torch import *\nrandom.seed(3)\nx = randn(3)\n"
    expected = "import random\nimport paddle\nrandom.seed(3)\nx = paddle.randn(3)\n"
    assert convert(source).code == expected


def test_a_module_of_the_target_is_known_again_before_a_star() -> None:
    stays = "z = torch.ops.mine.op(x)  # torchferry: ignore\n"
    source = f"import torch\nfrom torch import nn\nfrom torch import *\n{stays}"
    once = convert(f"{source}class Net(nn.Module):\n    pass\n").code
    assert "from paddle import nn\n" in once
    assert "class Net(nn.Layer):\n" in once
    assert convert(once).code == once


def test_no_import_comes_before_one_of_the_future() -> None:
    future = "from __future__ import annotations\n\nfrom __future__ import division; import os\n"
    source = f"{future}import torch\nx = torch.pi\n"
    assert convert(source).code == f"{future}import math\nx = math.pi\n"
