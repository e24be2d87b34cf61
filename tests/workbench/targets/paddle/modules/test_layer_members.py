"""Arguments of layers as attributes, and new weights for them, as Paddle writes them."""

from __future__ import annotations

from typing import Any

import paddle
import pytest
import torch

import workbench
from tests.workbench.targets.paddle.both_sides import assert_prints_the_same
from workbench.targets import load

TARGET = load("paddle", "plain")
_CLASS = (
    "import torch\nimport torch.nn as nn\n\n\nclass Net(nn.Module):\n"
    "    def __init__(self):\n        super().__init__()\n        self.a = {made}\n{more}\n"
    "    def again(self):\n        {line}\n"
)


def _converted(made: str, line: str, more: str = "") -> workbench.Conversion:
    return workbench.convert(_CLASS.format(made=made, line=line, more=more), target=TARGET)


def _lines(made: str, line: str) -> list[str]:
    conversion = _converted(made, line)
    assert not conversion.helpers and not conversion.unconverted
    body = conversion.code.partition("def again(self):\n")[2]
    return [one.strip() for one in body.splitlines()]


@pytest.mark.parametrize(
    ("made", "member", "expected"),
    [
        ("nn.Conv2d(3, 4, 1)", "out_channels", "self.a._out_channels"),
        ("nn.Conv2d(3, 4, 1)", "stride", "tuple(self.a._stride)"),
        ("nn.BatchNorm1d(3)", "num_features", "self.a._num_features"),
        ("nn.BatchNorm2d(3)", "eps", "self.a._epsilon"),
        ("nn.LayerNorm(3)", "eps", "self.a._epsilon"),
        ("nn.Embedding(3, 4)", "embedding_dim", "self.a._embedding_dim"),
        ("nn.Linear(3, 4)", "in_features", "self.a.weight.shape[0]"),
        ("nn.Linear(3, 4)", "out_features", "self.a.weight.shape[1]"),
        ("nn.Linear(3, 4).to('cpu')", "out_features", "self.a.weight.shape[1]"),
    ],
)
def test_arguments_of_a_layer_are_read_under_paddles_names(
    made: str, member: str, expected: str
) -> None:
    source = f"return self.a.{member}"
    assert _lines(made, source) == [f"return {expected}"]
    code = _converted(made, source).code
    assert _run(code).again() == _torchs(made, source)


def _torchs(made: str, line: str) -> Any:
    return _run(_CLASS.format(made=made, line=line, more="")).again()


def _run(code: str) -> Any:
    space: dict[str, Any] = {}
    exec(code, space)
    return space["Net"]()


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ("nn.Embedding(9, 4)", ["nn.init.normal_(self.a.weight)"]),
        ("nn.LayerNorm(4)", ["nn.init.ones_(self.a.weight)", "nn.init.zeros_(self.a.bias)"]),
        ("nn.Linear(3, 4)", ["init(self.a.weight)", "nn.init.zeros_(self.a.bias)"]),
        (
            "nn.Conv2d(3, 4, 1, bias=False)",
            [
                "init(self.a.weight)",
                "if self.a.bias is not None:",
                "nn.init.zeros_(self.a.bias)",
            ],
        ),
        (
            "nn.BatchNorm1d(4)",
            [
                "nn.init.ones_(self.a.weight)",
                "nn.init.zeros_(self.a.bias)",
                "self.a._mean.zero_()",
                "self.a._variance.fill_(1.0)",
            ],
        ),
    ],
)
def test_a_layer_is_drawn_again_by_statements(made: str, expected: list[str]) -> None:
    assert _lines(made, "self.a.reset_parameters()") == expected


@pytest.mark.parametrize("bias", [True, False])
def test_a_layer_that_is_drawn_again_has_torchs_bound(bias: bool) -> None:
    made = f"nn.Linear(400, 16, bias={bias})"
    import paddle

    net = _run(_converted(made, "self.a.reset_parameters()").code)
    paddle.nn.init.constant_(net.a.weight, 9.0)
    net.again()
    assert 0.045 < float(net.a.weight.abs().max()) <= 0.05
    assert net.a.bias is None or float(net.a.bias.abs().max()) == 0


def test_statistics_are_forgotten() -> None:
    import paddle

    net = _run(_converted("nn.BatchNorm1d(4)", "self.a.reset_parameters()").code)
    net.a(paddle.randn([8, 4]) * 5 + 3)
    net.again()
    assert net.a._mean.tolist() == [0, 0, 0, 0] and net.a._variance.tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize(
    "line",
    [
        "for one in self.modules():\n            one.reset_parameters()",
        "getattr(self.a, 'reset_parameters')()",
    ],
)
def test_a_layer_that_another_file_may_draw_again_keeps_its_helper(line: str) -> None:
    assert _converted("nn.Embedding(9, 4)", line).helpers


def test_the_programs_own_layers_are_drawn_again_by_themselves() -> None:
    more = "        self.many = nn.ModuleList([Own() for _ in range(3)])"
    line = "for one in self.many:\n            one.reset_parameters()"
    conversion = _converted("nn.Embedding(9, 4)", line, more)
    assert not conversion.helpers and "one.reset_parameters()" in conversion.code


@pytest.mark.parametrize(
    ("made", "line"),
    [
        ("nn.Linear(3, 4, dtype=torch.float64)", "return self.a.in_features"),
        ("nn.Embedding(9, 4, padding_idx=1)", "self.a.reset_parameters()"),
        ("nn.BatchNorm1d(4, track_running_stats=False)", "return self.a.num_features"),
        ("nn.Conv2d(3, 4, 1, padding='same', dilation=2)", "return self.a.out_channels"),
    ],
)
def test_arguments_of_a_helper_are_read_under_its_own_names(made: str, line: str) -> None:
    code = _converted(made, line).code
    assert code.rstrip().endswith(line)
    space: dict[str, Any] = {}
    exec(code, space)
    space["Net"]().again()


def test_the_epsilon_of_a_norm_over_several_dimensions() -> None:
    assert_prints_the_same("""import torch
import torch.nn as nn

ln, gn = nn.LayerNorm([2, 3], eps=1e-4), nn.GroupNorm(1, 2)
x = torch.arange(12.0).reshape(2, 2, 3)
spread = x.var((1, 2), correction=0, keepdim=True) + ln.eps
mine = (x - x.mean((1, 2), keepdim=True)) / spread.sqrt()
print(torch.allclose(mine, ln(x), atol=1e-5), ln.eps, gn.eps, gn(x).sum().item() < 1)
print(ln.weight.sum().item())
""")


def test_the_hooks_of_a_layer_that_was_added_by_its_name_are_counted() -> None:
    assert_prints_the_same("""from collections import OrderedDict

import torch
import torch.nn as nn

parts = OrderedDict()
for number in range(2):
    parts[f"act{number}"] = nn.ReLU()
net = nn.Sequential(parts)
handle = net.act0.register_forward_hook(lambda layer, given, made: print(made.tolist()))
net(torch.tensor([-1.0, 2.0]))
print(len(net.act0._forward_hooks), len(net.act1._forward_hooks), bool(net._forward_pre_hooks))
handle.remove()
print([len(one._forward_hooks) for one in net.children()])
""")


def test_the_methods_of_layers_are_those_of_the_installed_paddle() -> None:
    own = set(dir(paddle.nn.Layer)) - set(dir(torch.nn.Module))
    own = {name for name in own if callable(getattr(paddle.nn.Layer, name))}
    assert {name for name in own if not name.startswith("__")} == TARGET.module_methods
