"""Code that does without torch where torch cannot be imported."""

from __future__ import annotations

import pytest

from workbench.convert.checking import check
from workbench.convert.conversion import convert
from workbench.source.analysis import analyse
from workbench.source.uses import UseKind

OPTIONAL = "try:\n    import torch\nexcept ImportError:\n    torch = None\n"
TESTS = [
    "if {} is None:\n    pass\n",
    "if {} is not None and x:\n    pass\n",
    "y = 1 if {} else 2\n",
    "if not {}:\n    pass\n",
    "assert x or {} is not None\n",
    "if {}:\n    pass\n",
]


@pytest.mark.parametrize("test", TESTS)
def test_a_test_for_torch_becomes_one_for_the_target(test: str) -> None:
    code = f"{OPTIONAL}{test.format('torch')}y = torch.ones(1)\n"
    conversion = convert(code)
    assert conversion.code == (
        "try:\n    import paddle\nexcept ImportError:\n    paddle = None\n"
        f"{test.format('paddle')}y = paddle.ones(1)\n"
    )
    assert not conversion.unconverted
    assert convert(conversion.code).code == conversion.code


def test_the_target_is_imported_once_where_it_is_tried() -> None:
    code = (
        "try:\n    import torch\n    from torch.amp import autocast\nexcept ImportError:\n"
        "    from torch.cuda.amp import autocast\ndef f():\n    y = torch.ones(1)\n"
        "    from torch import exp\n    return exp(y)\n"
    )
    assert convert(code).code == (
        "try:\n    import paddle\nexcept ImportError:\n    pass\ndef f():\n"
        "    y = paddle.ones(1)\n    return paddle.exp(y)\n"
    )


def test_where_torch_stays_so_does_the_test_for_it() -> None:
    code = f"{OPTIONAL}if torch is not None:\n    torch.set_vital(1)\n    y = torch.ones(1)\n"
    conversion = convert(code)
    assert conversion.code == (
        f"import paddle\n{OPTIONAL}if torch is not None:\n"
        f"    {conversion.code.splitlines()[6].strip()}\n"
        "    torch.set_vital(1)\n    y = paddle.ones(1)\n"
    )
    assert convert(conversion.code).code == conversion.code


def test_a_test_is_not_converted_by_itself() -> None:
    found = check(f"{OPTIONAL}if torch is None:\n    pass\n")
    assert [finding.name for finding in found] == ["torch", "torch"]
    assert all(finding.make_fix is None for finding in found)


def test_presence_tests_need_a_module() -> None:
    code = "from torch import nn, relu\nmod = nn\nif relu is None or mod:\n    pass\n"
    assert UseKind.PRESENCE not in [use.kind for use in analyse(code).uses]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("from torch import relu", "from own import relu"),
        ("from torch import relu", "relu = None"),
        ("from torch.nn import relu_of_old as relu", "from torch import relu"),
    ],
)
def test_of_two_places_to_import_from_the_one_that_torch_has_counts(
    first: str, second: str
) -> None:
    code = f"try:\n    {first}\nexcept ImportError:\n    {second}\nrelu(x)\n"
    assert [use.name for use in analyse(code).uses] == ["torch.relu"]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ('hasattr(torch, "compile")', "True"),
        ('hasattr(torch, "irfft")', "False"),
        ('hasattr(torch.nn.functional, "scaled_dot_product_attention")', "True"),
        ('hasattr(torch.Tensor, "exp_")', "True"),
        ('hasattr(torch.nn.Linear(2, 2), "weight")', 'hasattr(paddle.nn.Linear(2, 2), "weight")'),
    ],
)
def test_whether_torch_has_a_name_is_answered(question: str, answer: str) -> None:
    conversion = convert(f"import torch\n\nhas = {question}\n")
    assert conversion.code.splitlines()[-1].replace("TorchFreshLinear", "paddle.nn.Linear") == (
        f"has = {answer}"
    )
    assert not conversion.unconverted


@pytest.mark.parametrize("cls", ["torch.nn.Linear", "nn.Linear", "Linear"])
def test_the_name_of_a_class_of_torch_stays_what_it_was(cls: str) -> None:
    head = "import torch\nfrom torch import nn\nfrom torch.nn import Linear\n"
    conversion = convert(f"{head}name = {cls}.__name__\n")
    assert conversion.code.splitlines()[-1] == "name = 'Linear'"
    assert not conversion.unconverted


def test_members_of_a_class_are_read_from_its_replacement() -> None:
    head = "from torch.distributions import *\n"
    conversion = convert(f"{head}held = Normal.has_rsample, Normal.arg_constraints\n")
    assert conversion.code.splitlines()[-1] == (
        "held = TorchNormal.has_rsample, TorchNormal.arg_constraints"
    )


def test_an_import_that_was_only_tested_is_removed() -> None:
    source = "import torch\nfrom torch.nn import functional as F\nhas = hasattr(F, 'rms_norm')\n"
    assert convert(source).code == "has = True\n"
