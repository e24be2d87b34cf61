"""Templates that hand the arguments of a call on as they are written."""

from __future__ import annotations

import pytest

import workbench
from tests.workbench.exact import convert
from workbench.targets import load


def converted(line: str) -> str:
    return convert(f"import torch.nn as nn\nimport torch.nn.functional as F\n{line}\n").code


def test_arguments_keep_their_form_and_layout() -> None:
    code = converted("c = nn.Conv2d(3, out_channels=8,  # wide\n    kernel_size=3)")
    assert "c = TorchConv2d(3, out_channels=8,  # wide\n    kernel_size=3)" in code


def test_stars_are_passed_on() -> None:
    code = converted("def conv(*sizes, **more):\n    return nn.Conv2d(*sizes, bias=False, **more)")
    assert "return TorchConv2d(*sizes, bias=False, **more)" in code


def test_evaluation_order_is_kept() -> None:
    conversion = convert(
        "import torch.nn as nn\nc = nn.Linear(out_features=f(), in_features=g())\n"
    )
    assert "TorchLinear(out_features=f(), in_features=g())" in conversion.code
    assert not conversion.unconverted


def test_leading_arguments_of_the_template_come_first() -> None:
    code = converted("def f(x, *more):\n    return F.max_pool2d(x, kernel_size=2)")
    assert "return torch_max_pool(2, x, kernel_size=2)" in code


def test_a_function_that_is_passed_on_is_the_helper() -> None:
    assert "pad = torch_pad" in converted("pad = F.pad")


def test_the_value_of_a_data_member_is_called_with_its_own_arguments() -> None:
    conversion = convert("import torch.nn as nn\ny = nn.DataParallel(net).module(x, mask=m)\n")
    assert "TorchDataParallel(net).module(x, mask=m)" in conversion.code
    assert not conversion.unconverted


def test_a_partial_function_keeps_torchs_own_arguments() -> None:
    source = "import torch\nfrom functools import partial\nf = partial(torch.cat, dim=-1)\n"
    result = convert(source)
    assert result.unconverted == []
    assert "f = partial(torch_cat, dim=-1)\n" in result.code


def test_a_lambda_that_is_called_elsewhere_converts_at_its_definition() -> None:
    result = convert("import torch\nf = lambda x: torch.mean(x)\ny = f(torch.ones(2))\n")
    assert "f = lambda x: paddle.mean(x)\n" in result.code


def test_a_class_with_other_keywords_is_reported_where_it_is_passed_on() -> None:
    as_values = convert("import torch.nn as nn\nkinds = {'flat': nn.Flatten, 'act': nn.ReLU}\n")
    warned = [one.name for one in as_values.findings if "other names" in one.message]
    assert warned == ["torch.nn.Flatten"]
    tested = convert("import torch.nn as nn\nr = isinstance(m, nn.Flatten)\n")
    assert not [one for one in tested.findings if "other names" in one.message]


def test_a_method_under_another_name_takes_its_receiver_first() -> None:
    conversion = convert("import torch\nf = torch.Tensor.exp\nr = f(torch.ones(2))\n")
    assert conversion.code == "import paddle\nf = paddle.Tensor.exp\nr = f(paddle.ones([2]))\n"


def test_a_method_with_other_arguments_is_passed_on_with_torchs() -> None:
    source = "import torch\nf = torch.Tensor.mean\nr = f(torch.ones(2, 2), 1, keepdim=True)\n"
    conversion = convert(source)
    assert not conversion.unconverted
    assert "\nf = (lambda self, dim=None, keepdim=False" in conversion.code
    assert "\nr = f(paddle.ones([2, 2]), 1, keepdim=True)\n" in conversion.code


def test_the_method_of_one_tensor_keeps_that_tensor() -> None:
    source = "import torch\nx = torch.ones(2, 2)\n"
    conversion = convert(f"{source}f, g = x.size, x.exp\nr = f(0), g()\n")
    assert not conversion.unconverted
    assert conversion.code.startswith("import functools\n")
    assert "f, g = functools.partial((lambda self, dim=None: " in conversion.code
    assert "), x), x.exp\nr = f(0), g()\n" in conversion.code


def test_a_method_is_passed_on_by_the_dtype_of_its_tensor() -> None:
    source = "import torch\nx = torch.tensor([True])\n"
    bound = convert(f"{source}f = x.exp\n")
    lambda_ = "(lambda self: paddle.exp(torch_inexact(self)))"
    assert bound.code.endswith(f"f = functools.partial({lambda_}, x)\n")
    through = convert(f"{source}f = torch.Tensor.exp\nr = f(x)\n")
    assert [one.message for one in through.findings if "may lack it" in one.message]


@pytest.mark.parametrize(
    ("read", "written"),
    [
        ("getattr(x, 'exp')()", "getattr(x, 'exp')()"),
        ("getattr(x, 'sum')(0)", "functools.partial(torch_sum, x)(0)"),
        ("getattr(x, 'requires_grad')", "not x.stop_gradient"),
        ("getattr(x, 'made', None)", "getattr(x, 'made', None)"),
    ],
)
def test_a_member_of_a_tensor_may_be_named_by_a_string(read: str, written: str) -> None:
    conversion = convert(f"import torch\nx = torch.ones(2, 2)\nr = {read}\n")
    assert not conversion.unconverted
    assert conversion.code.endswith(f"\nr = {written}\n")


def test_a_method_with_some_arguments_keeps_torchs_own() -> None:
    source = "import torch\nfrom functools import partial\n"
    given = "f = partial(torch.Tensor.fill_, value=2)\nr = f(torch.ones(2))\n"
    conversion = convert(source + given)
    assert not conversion.unconverted
    assert "\nf = partial(torch_into, value=2)\nr = f(paddle.ones([2]))\n" in conversion.code


@pytest.mark.parametrize(
    ("method", "helper"),
    [("addcmul", "torch_addcmul"), ("addcdiv", "torch_addcdiv"), ("unfold", "torch_windows")],
)
def test_a_method_whose_plain_form_needs_its_arguments_is_a_helper(
    method: str, helper: str
) -> None:
    text = f"import torch\ndef f(x: torch.Tensor):\n    return x.{method}\n"
    assert f"{helper}(self, " in workbench.convert(text).code.splitlines()[-1]


def test_every_member_of_a_tensor_can_be_read_without_a_call() -> None:
    names = sorted(name for name in load("paddle").facts.tensor_members if name[0] != "_")
    lines = "".join(f"    _ = x.{name}\n" for name in names)
    converted = workbench.convert(f"import torch\ndef f(x: torch.Tensor):\n{lines}").code
    assert len(names) > 500 and converted.count("    _ = ") == len(names)


def test_a_method_that_depends_on_its_call_is_not_passed_on() -> None:
    conversion = convert("import torch\nf = torch.Tensor.hsplit\n")
    assert [one.name for one in conversion.unconverted] == ["torch.Tensor.hsplit"]


@pytest.mark.parametrize(
    ("body", "reported"),
    [
        ("def forward(self, x):\n        return x", True),
        ("def __init__(self):\n        super().__init__(start_dim=2)", False),
    ],
)
def test_a_constructor_that_is_inherited_has_other_keywords(body: str, reported: bool) -> None:
    source = f"import torch.nn as nn\nclass Own(nn.Flatten):\n    {body}\n"
    assert any("other names" in one.message for one in convert(source).findings) is reported
