"""Layers in Paddle's own words: what is written for a program, and where a helper remains."""

from __future__ import annotations

from typing import Any

import pytest

import workbench
from tests.workbench.targets.paddle.both_sides import assert_prints_the_same
from workbench.targets import load

_IMPORTS = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"


def _converted(text: str, version: str = "paddle") -> str:
    conversion = workbench.convert(_IMPORTS + text, target=load(version, "plain"))
    assert not conversion.unconverted
    return conversion.code


def _last_line(text: str, version: str = "paddle") -> str:
    return _converted(text, version).rstrip().rpartition("\n")[2]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("nn.Linear(3, 4)", "nn.Linear(3, 4, weight_attr=init)"),
        ("nn.Linear(3, 4, False)", "nn.Linear(3, 4, weight_attr=init, bias_attr=False)"),
        (
            "nn.Linear(3, 4, bias=b)",
            "nn.Linear(3, 4, weight_attr=init, bias_attr=None if b else False)",
        ),
        (
            "nn.Conv2d(3, 8, 3, 1, 1, bias=False)",
            "nn.Conv2D(3, 8, 3, 1, 1, bias=False, weight_attr=init)",
        ),
        (
            "nn.Conv1d(3, 8, 3, 1, 1, 1, 1, False)",
            "nn.Conv1D(3, 8, 3, 1, 1, 1, 1, bias=False, weight_attr=init)",
        ),
        (
            "nn.ConvTranspose2d(6, 8, 2, 2, 0, 0, 3)",
            "nn.Conv2DTranspose(6, 8, 2, 2, 0, 0, groups=3, weight_attr=init)",
        ),
        ("nn.Embedding(9, 4)", "nn.Embedding(9, 4, weight_attr=nn.initializer.Normal())"),
        ("nn.BatchNorm2d(8)", "nn.BatchNorm2D(8)"),
        ("nn.BatchNorm2d(8, 1e-3, 0.01)", "nn.BatchNorm2D(8, epsilon=1e-3, momentum=0.99)"),
        ("nn.BatchNorm1d(8, momentum=b)", "nn.BatchNorm1D(8, momentum=1 - b)"),
        (
            "nn.BatchNorm2d(8, affine=False)",
            "nn.BatchNorm2D(8, weight_attr=False, bias_attr=False)",
        ),
        (
            "nn.BatchNorm2d(8, affine=b)",
            "nn.BatchNorm2D(8, weight_attr=None if b else False, bias_attr=None if b else False)",
        ),
        ("nn.InstanceNorm2d(8)", "nn.InstanceNorm2D(8, weight_attr=False, bias_attr=False)"),
        ("nn.InstanceNorm2d(8, affine=True)", "nn.InstanceNorm2D(8)"),
        ("nn.LayerNorm(8, eps=1e-6)", "nn.LayerNorm(8, eps=1e-6)"),
        ("nn.GroupNorm(2, 8, eps=1e-6)", "nn.GroupNorm(2, 8, epsilon=1e-6)"),
        ("nn.SiLU()", "nn.Silu()"),
        ("nn.GELU(approximate='tanh')", "nn.GELU(approximate='tanh')"),
        ("nn.LeakyReLU(0.2)", "nn.LeakyReLU(0.2)"),
        ("nn.Hardtanh(-2.0, max_val=2.0)", "nn.Hardtanh(-2.0, max=2.0)"),
        ("nn.LogSoftmax(dim=1)", "nn.LogSoftmax(axis=1)"),
        ("nn.Dropout(0.1)", "nn.Dropout(0.1)"),
        ("nn.Dropout2d(p=0.1)", "nn.Dropout2D(p=0.1)"),
        ("nn.MaxPool2d(3, 2, 1)", "nn.MaxPool2D(3, 2, 1)"),
        ("nn.AvgPool2d(3, 2)", "nn.AvgPool2D(3, 2)"),
        ("nn.AvgPool2d(3, 2, 1)", "nn.AvgPool2D(3, 2, 1, exclusive=False)"),
        ("nn.AvgPool2d(3, 2, 1, count_include_pad=False)", "nn.AvgPool2D(3, 2, 1)"),
        ("nn.AdaptiveAvgPool2d((1, 1))", "nn.AdaptiveAvgPool2D((1, 1))"),
        ("nn.ZeroPad2d(1)", "nn.ZeroPad2D(1)"),
        ("nn.PixelShuffle(2)", "nn.PixelShuffle(2)"),
        ("nn.Flatten(1)", "nn.Flatten(1)"),
        ("nn.Unfold(3, padding=1)", "nn.Unfold(3, paddings=1)"),
        (
            "nn.Upsample(scale_factor=2, mode='bilinear')",
            "nn.Upsample(scale_factor=2, mode='bilinear')",
        ),
        ("nn.LSTM(3, 5)", "TorchUnbatchedLSTM(3, 5, time_major=True)"),
        (
            "nn.LSTM(3, 5, 2, batch_first=True, dropout=0.1, bidirectional=True)",
            "nn.LSTM(3, 5, 2, dropout=0.1, direction='bidirect')",
        ),
        ("nn.GRU(3, 5, batch_first=b)", "TorchUnbatchedGRU(3, 5, time_major=not b)"),
        (
            "nn.RNN(3, 5, nonlinearity='relu', batch_first=True)",
            "nn.SimpleRNN(3, 5, activation='relu')",
        ),
        (
            "nn.MultiheadAttention(8, 2, bias=False, batch_first=True)",
            "paddle.compat.nn.MultiheadAttention(8, 2, bias=False, batch_first=True)",
        ),
        (
            "nn.ParameterList([nn.Parameter(torch.ones(2))])",
            "nn.ParameterList([nn.Parameter(paddle.ones(2))])",
        ),
    ],
)
def test_a_layer_is_written_in_paddles_own_words(written: str, expected: str) -> None:
    assert _last_line(f"b = int(input())\nlayer = {written}") == f"layer = {expected}"


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("F.relu(x)", "F.relu(x)"),
        ("F.silu(x)", "F.silu(x)"),
        ("F.leaky_relu(x, negative_slope=0.2)", "F.leaky_relu(x, negative_slope=0.2)"),
        ("F.softmax(x, dim=-1)", "F.softmax(x, dim=-1)"),
        ("F.log_softmax(x, dim=1)", "F.log_softmax(x, axis=1)"),
        ("F.dropout(x, 0.5, self.training)", "F.dropout(x, 0.5, training=self.training)"),
        ("F.linear(x, w, b)", "paddle.compat.nn.functional.linear(x, w, b)"),
        ("F.conv2d(x, w, stride=2)", "F.conv2d(x, w, stride=2)"),
        ("F.conv_transpose2d(x, w, b, 2)", "F.conv2d_transpose(x, w, b, 2)"),
        (
            "F.conv_transpose1d(x, w, b, 2, 0, 0, 3)",
            "F.conv1d_transpose(x, w, b, 2, 0, 0, groups=3)",
        ),
        ("F.max_pool2d(x, 2)", "F.max_pool2d(x, 2)"),
        ("F.avg_pool2d(x, 3, padding=1)", "F.avg_pool2d(x, 3, padding=1, exclusive=False)"),
        ("F.pad(x, (1, 0))", "F.pad(x, (1, 0))"),
        (
            "F.pad(x, (1, 1, 2, 2), value=0.5)",
            "paddle.compat.nn.functional.pad(x, (1, 1, 2, 2), value=0.5)",
        ),
        ("F.interpolate(x, scale_factor=2)", "F.interpolate(x, scale_factor=2)"),
        (
            "F.interpolate(x, size=y.shape[2:], mode='bilinear', align_corners=False)",
            "F.interpolate(x, size=y.shape[2:], mode='bilinear', align_corners=False)",
        ),
        (
            "F.interpolate(x, size=224, mode='bilinear')",
            "F.interpolate(x, size=[224, 224], mode='bilinear')",
        ),
        ("F.unfold(x, 3, padding=1, stride=2)", "F.unfold(x, 3, paddings=1, strides=2)"),
        ("F.normalize(x, dim=-1)", "F.normalize(x, axis=-1)"),
        ("F.cosine_similarity(x, y, dim=-1)", "F.cosine_similarity(x, y, axis=-1)"),
        ("F.one_hot(y, 10)", "F.one_hot(y, 10).astype('int64')"),
        ("F.one_hot(y, 10).float()", "F.one_hot(y, 10).float()"),
        ("F.one_hot(y, 10).to(torch.long)", "F.one_hot(y, 10).to(paddle.int64)"),
        ("F.one_hot(y, 10).permute(1, 0).bool()", "F.one_hot(y, 10).permute(1, 0).bool()"),
        ("F.one_hot(y, 10)[0].float()", "F.one_hot(y, 10).astype('int64')[0].float()"),
        ("F.one_hot(y, 10).to(device)", "F.one_hot(y, 10).astype('int64').to(device)"),
        ("F.mse_loss(x, y, reduction='sum')", "F.mse_loss(x, y, reduction='sum')"),
        ("F.mse_loss(input=x, target=y)", "F.mse_loss(input=x, label=y)"),
        ("F.smooth_l1_loss(x, y, beta=0.5)", "F.smooth_l1_loss(x, y, delta=0.5, is_huber=False)"),
        ("F.binary_cross_entropy_with_logits(x, y)", "F.binary_cross_entropy_with_logits(x, y)"),
        ("F.nll_loss(x, y)", "F.nll_loss(x, y)"),
        # Paddle's mean writes past its memory where a label is left out.
        ("F.nll_loss(x, y, ignore_index=-1)", "torch_nll_loss(x, y, ignore_index=-1)"),
        (
            "F.nll_loss(x, y, ignore_index=-1, reduction='none')",
            "F.nll_loss(x, y, ignore_index=-1, reduction='none')",
        ),
        ("F.cross_entropy(x, y)", "F.cross_entropy(x, y, axis=1)"),
        ("F.cross_entropy(x.transpose(1, 2), y)", "F.cross_entropy(x.transpose(1, 2), y, axis=1)"),
        (
            "F.cross_entropy(x.view(-1, 9), y.view(-1), ignore_index=0)",
            "F.cross_entropy(x.view(-1, 9), y.view(-1), ignore_index=0)",
        ),
        (
            "F.scaled_dot_product_attention(x, y, y, is_causal=True)",
            "paddle.compat.nn.functional.scaled_dot_product_attention(x, y, y, is_causal=True)",
        ),
    ],
)
def test_a_function_is_written_in_paddles_own_words(written: str, expected: str) -> None:
    assert _last_line(f"def f(self, x, y, w, b):\n    return {written}") == f"    return {expected}"


def test_a_mean_without_ignored_labels_is_written_out() -> None:
    """Paddle's own divides by all rows where the label to ignore is negative."""
    text = "def f(x, y):\n    return F.cross_entropy(x.view(-1, 9), y.view(-1), ignore_index=-1)"
    assert _last_line(text) == (
        "    return F.cross_entropy(x.view(-1, 9), y.view(-1), ignore_index=-1, reduction='sum')"
        " / (y != -1).sum()"
    )


@pytest.mark.parametrize(
    "text",
    [
        "def f(x, y):\n    return F.cross_entropy(x, y)\nlabels[pad] = -100",
        "def f(x, y, n):\n    return F.cross_entropy(x, y, ignore_index=n)"
        "\ndef g(x, y, n):\n    return F.cross_entropy(x, y(), ignore_index=n)",
        "c = nn.CrossEntropyLoss(ignore_index=-1)",
        "c = nn.CrossEntropyLoss(weight=w, label_smoothing=0.1)",
        "net = nn.Conv2d(3, 4, 3, padding='same', dilation=2)",
        "class Own(nn.Conv2d):\n    pass\nnet = nn.Conv2d(3, 4, 1)",
        "net = nn.Conv2d(3, 4, 1)\nprint(net.padding)",
        "net = nn.BatchNorm2d(4)\nprint(net.running_mean)",
        "net = nn.BatchNorm2d(4, momentum=None)",
        "net = nn.LayerNorm(4)\nfor p in net.parameters():\n    p.requires_grad = False",
        "net = nn.LayerNorm(4, eps=0.1)",
        "net = nn.GroupNorm(2, 4, affine=False)",
        "net = nn.Embedding(9, 4, padding_idx=0)\nnn.init.normal_(net.weight)",
        "net = nn.Embedding(9, 4, max_norm=1.0)",
        "net = nn.LSTM(3, 4)\ny = net(nn.utils.rnn.pack_padded_sequence(x, n))",
        "net = nn.LSTM(3, 4, bias=False)",
        "made = {'in': nn.InstanceNorm2d}",
        "net = nn.LSTMCell(3, 4)",
        "def f(x, n: int):\n    return F.interpolate(x, size=n)",
        "def f(x):\n    return F.softmax(x)",
    ],
)
def test_a_helper_remains_where_paddle_computes_something_else(text: str) -> None:
    assert "Torch" in _converted(text) or "torch_" in _converted(text)


# Linear layers ---------------------------------------------------------------------------------


def test_a_linear_layer_is_that_of_torchs_layout_where_its_weight_is_read() -> None:
    """It starts from the right weights, where the program sets them all."""
    text = (
        "class Net(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.token = nn.Embedding(9, 4)\n"
        "        self.head = nn.Linear(4, 9, bias=False)\n"
        "        self.token.weight = self.head.weight\n"
        "        for m in self.modules():\n"
        "            if isinstance(m, nn.Linear):\n"
        "                nn.init.normal_(m.weight, std=0.02)\n"
    )
    code = _converted(text)
    assert "self.head = paddle.compat.nn.Linear(4, 9, bias=False)" in code
    assert "isinstance(m, paddle.compat.nn.Linear)" in code


def test_a_linear_layer_whose_weight_is_read_starts_within_torchs_bound() -> None:
    """Only the layer of `paddle.compat` starts within a bound computed from the other axis."""
    code = _converted(
        "net = nn.Linear(4, 9)\nself.out = nn.Linear(2 * n, *sizes)\nprint(net.weight.norm())\n"
        "seen = isinstance(net, nn.Linear)"
    )
    assert code == (
        "import paddle\nimport paddle.nn as nn\n"
        "net = paddle.compat.nn.Linear(4, 9)\n"
        "nn.init.uniform_(net.weight, -(4**-0.5), 4**-0.5)\n"
        "self.out = paddle.compat.nn.Linear(2 * n, *sizes)\n"
        "nn.init.uniform_(self.out.weight, -(self.out.in_features**-0.5), "
        "self.out.in_features**-0.5)\n"
        "print(net.weight.norm())\n"
        "seen = isinstance(net, paddle.compat.nn.Linear)"
    )
    whole = _converted("net = [nn.Linear(4, 9) for _ in x]\nprint(net[0].weight.norm())")
    assert "net = [TorchFreshLinear(4, 9) for _ in x]" in whole
    assert len(whole.splitlines()) < 20


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("net = [nn.Linear(3, 4), nn.Linear(3, 5)]", ["net[0]", "net[1]"]),
        ("net = nn.Sequential(nn.ReLU(), nn.Linear(3, 4).to('cpu'))", ["net[1]"]),
        ("net = nn.ModuleList([nn.ReLU(), nn.Linear(3, 4)])", ["net[1]"]),
        ("net = nn.ModuleDict({'a': nn.Sequential(nn.Linear(3, 4))})", ["net['a'][0]"]),
        ("net = nn.Sequential(OrderedDict([('fc', nn.Linear(3, 4))]))", ["net.fc"]),
        ("net = []\nnet.append(nn.Linear(3, 4))", ["net[-1]"]),
    ],
)
def test_linear_layers_in_containers_start_within_torchs_bound(
    text: str, places: list[str]
) -> None:
    start = "from collections import OrderedDict\n"
    code = _converted(f"{start}{text}\nfirst = lambda one: one.weight")
    lines = [f"nn.init.uniform_({one}.weight, -(3**-0.5), 3**-0.5)" for one in places]
    assert code.splitlines()[-len(lines) - 1 : -1] == lines
    space: dict[str, Any] = {}
    exec(code, space)
    for one in places:
        assert float(eval(f"{one}.weight", space).abs().max()) <= 3**-0.5


def test_linear_layers_behind_an_unknown_number_of_others_keep_a_helper() -> None:
    code = _converted("net = nn.Sequential(*more, nn.Linear(3, 4))\nprint(net[-1].weight)")
    assert "TorchFreshLinear" in code


@pytest.mark.parametrize(
    ("test", "native"),
    [
        ("if 'weight' in name:\n        nn.init.orthogonal_(p)", True),
        ("if 'weight' in name:\n        total += p.norm()", True),
        ("if 'weight' in name:\n        print(p.shape)", False),
        ("if name == 'weight':\n        total += p.norm()", False),
    ],
)
def test_weights_that_are_chosen_by_name_may_lie_either_way(test: str, native: bool) -> None:
    text = f"net = nn.Linear(3, 4)\nfor name, p in net.named_parameters():\n    {test}"
    assert ("net = nn.Linear(3, 4" in _converted(text)) is native


@pytest.mark.parametrize(
    "text",
    [
        "table = {nn.Linear: 1, nn.LSTM: 2}",
        "seen = type(m) in (nn.Linear, nn.LSTM)",
        "class LSTM(nn.Module):\n    def __init__(self):\n        super(LSTM, self).__init__()",
    ],
)
def test_a_class_that_is_looked_up_is_paddles_own(text: str) -> None:
    code = _converted(f"{text}\nrnn = nn.LSTM(3, 4, batch_first=True)")
    assert code.endswith("rnn = nn.LSTM(3, 4)") and "Torch" not in code


def test_a_linear_class_that_is_passed_on_takes_torchs_arguments() -> None:
    code = _converted(
        "def f(kind, dim):\n"
        "    table = {'linear': nn.Linear, 'none': nn.Identity}\n"
        "    return table[kind](dim, 2 * dim, False)\n"
    )
    assert '"linear": TorchFreshLinear' in code.replace("'", '"')
    space: dict[str, Any] = {}
    exec(code, space)
    layer = space["f"]("linear", 600)
    assert layer.bias is None
    assert 0.9 < float(layer.weight.abs().max()) * 600**0.5 < 1.001


def test_other_layers_that_are_passed_on_report_their_new_weights() -> None:
    text = f"{_IMPORTS}table = {{'c': nn.Conv2d, 'e': nn.Embedding}}\nisinstance(x, nn.Conv3d)\n"
    reported = [one for one in workbench.convert(text).findings if one.code == "TF110"]
    assert [one.name for one in reported] == ["torch.nn.Conv2d", "torch.nn.Embedding"]


def test_linear_layers_that_are_made_elsewhere_are_paddles() -> None:
    text = "assert isinstance(net[0], nn.Linear)\nprint(net[0].out_features)"
    assert "isinstance(net[0], nn.Linear)" in _converted(text)


def test_classes_of_the_users_derive_from_what_has_torchs_members() -> None:
    code = _converted("class Own(nn.Linear):\n    pass\nnet = nn.Linear(4, 9)")
    assert "class Own(TorchLinear)" in code
    assert "net = TorchLinear(4, 9)" in code


def test_weights_in_torchs_layout_go_into_layers_of_it() -> None:
    text = "from safetensors.torch import load_file\nnet = nn.Linear(4, 9)\n"
    assert "net = paddle.compat.nn.Linear(4, 9)" in _converted(text)


@pytest.mark.parametrize(
    "text",
    [
        "self.conv = nn.Conv2d(3, 4, 1)\n        print(self.conv.weight)",
        "self.conv = nn.Conv2d(3, 4, 1)\n        print(self.head.weight.device)",
        "print(args.in_features)",
        "self.load_state_dict(state)",
    ],
)
def test_a_linear_layer_is_paddles_own_where_nobody_looks_into_it(text: str) -> None:
    code = _converted(
        "class Net(nn.Module):\n    def __init__(self, args, state):\n"
        f"        super().__init__()\n        self.head = nn.Linear(4, 9)\n        {text}\n"
    )
    assert "self.head = nn.Linear(4, 9, weight_attr=init)" in code


# New weights -----------------------------------------------------------------------------------


def test_layers_that_the_program_initialises_are_left_to_it() -> None:
    text = (
        "class Net(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.token = nn.Embedding(9, 4)\n"
        "        self.conv = nn.Conv2d(3, 4, 1)\n"
        "        nn.init.normal_(self.token.weight.data, std=0.02)\n"
        "        for m in self.modules():\n"
        "            if isinstance(m, nn.Conv2d):\n"
        "                nn.init.kaiming_normal_(m.weight, mode='fan_out')\n"
        "                nn.init.zeros_(m.bias)\n"
    )
    conversion = workbench.convert(_IMPORTS + text, target=load("paddle", "plain"))
    assert "self.token = nn.Embedding(9, 4)\n" in conversion.code
    assert "self.conv = nn.Conv2D(3, 4, 1)\n" in conversion.code
    assert "nn.init.normal_(self.token.weight, std=0.02)" in conversion.code
    assert "nn.init.kaiming_normal_(m.weight, mode='fan_out')" in conversion.code
    assert "TF110" not in {finding.code for finding in conversion.findings}


def test_that_biases_start_at_zero_is_reported_once() -> None:
    conversion = workbench.convert(
        _IMPORTS + "a, b = nn.Linear(3, 4), nn.Linear(4, 5)\n", target=load("paddle", "plain")
    )
    reported = [one for one in conversion.findings if "new biases are zero" in one.message]
    assert len(reported) == 1


@pytest.mark.parametrize(
    "text",
    [
        "v = nn.init.normal_(w)",
        "nn.init.normal_(w[0])",
        "nn.init.kaiming_uniform_(w, a=1)\nw = nn.Parameter(torch.ones(3, 4))",
    ],
)
def test_helpers_do_what_paddles_initialisers_lack(text: str) -> None:
    assert "torch_init_" in _converted(f"w = torch.empty(3, 4)\n{text}\n")


# Classes passed as values ---------------------------------------------------------------------


def test_a_partial_and_a_class_passed_on_mean_the_layers_that_are_made() -> None:
    text = (
        "from functools import partial\n"
        "def block(norm=partial(nn.BatchNorm2d, momentum=0.01), conv=nn.Conv2d):\n"
        "    return nn.Sequential(conv(3, 4, 1, bias=False), norm(4))\n"
    )
    code = _converted(text)
    assert "norm=partial(nn.BatchNorm2D, momentum=0.99), conv=nn.Conv2D" in code
    assert "conv(3, 4, 1, bias=False, weight_attr=init)" in code


# Members of every layer ------------------------------------------------------------------------


def test_members_that_paddles_layers_have_stay_as_they_are() -> None:
    text = (
        "net = nn.Linear(3, 4)\n"
        "def f(net: nn.Module, device, state):\n"
        "    net.to(device)\n"
        "    net.load_state_dict(state, strict=False)\n"
        "    net.zero_grad()\n"
        "    net.float()\n"
        "    return net.state_dict()\n"
    )
    code = _converted(text)
    for line in text.splitlines()[2:]:
        assert line in code.splitlines()


# Older versions --------------------------------------------------------------------------------


def test_older_versions_get_the_arguments_that_they_take() -> None:
    text = "nn.Conv2d(3, 8, 3, bias=False)"
    assert _last_line(text, "paddle==3.1") == (
        "nn.Conv2D(3, 8, 3, weight_attr=init, bias_attr=False)"
    )
    assert _last_line("nn.LayerNorm(8, eps=1e-6)", "paddle==3.1") == (
        "nn.LayerNorm(8, epsilon=1e-6)"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("c = nn.CrossEntropyLoss()\ny = c(target=n, input=x)", "y = c(x, n)"),
        ("c = nn.CrossEntropyLoss()\ny = c(x, target=n)", "y = c(x, n)"),
        ("c = nn.Conv2d(3, 4, 1)\ny = c(input=x)", "y = c(x)"),
        ("c = nn.Conv2d(3, 4, 1)\ny = c(x)", "y = c(x)"),
        ("c = nn.LSTM(3, 4)\ny = c(x, hx=(h, n))", "y = c(x, (h, n))"),
    ],
)
def test_layers_are_called_by_place(text: str, expected: str) -> None:
    assert _last_line(text) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("device", "device"),
        ("x.device, x.dtype", "x.device, x.dtype"),
        ("device=device, dtype=torch.float64", "device=device, dtype=paddle.float64"),
        ("x.dtype", "dtype=x.dtype"),
        ("torch.float64", "dtype=paddle.float64"),
    ],
)
def test_a_layer_moves_to_a_device_and_a_dtype(given: str, expected: str) -> None:
    text = "def f(m: nn.Module, x: torch.Tensor, device: str | torch.device):\n    return m.to("
    assert _last_line(f"{text}{given})") == f"    return m.to({expected})"


def test_whole_numbers_in_buffers_keep_their_dtype() -> None:
    text = "self.register_buffer('places', torch.arange(4))\n"
    text += "def f(m: nn.Module):\n    return m.to(torch.float64)"
    assert "torch_module_to" in _converted(text)


@pytest.mark.parametrize(
    ("line", "plain"),
    [
        ("F.interpolate(x, size=n, mode='bilinear')", "F.interpolate(x, size=n, mode='bilinear')"),
        ("F.interpolate(x, scale_factor=2, mode=n)", "F.interpolate(x, scale_factor=2, mode=n)"),
        ("F.interpolate(x, n, mode='linear')", "F.interpolate(x, [n], mode='linear')"),
    ],
)
def test_images_of_a_size_that_is_not_known_are_resampled_by_paddle(line: str, plain: str) -> None:
    assert plain in _converted(f"def f(x, n):\n    return {line}")


def test_transferred_weights_need_no_names_of_torch() -> None:
    text = "net = nn.BatchNorm2d(8)\n"
    loading = "net.load_state_dict(torch.hub.load_state_dict_from_url(address))"
    conversion = workbench.convert(_IMPORTS + text + loading, target=load("paddle", "plain"))
    assert "net = nn.BatchNorm2D(8)" in conversion.code and conversion.unconverted
    assert "TorchBatchNorm2d" in _converted(f"{text}net.load_state_dict(hf_hub_download(a))")


def test_a_member_that_is_called_as_a_class_is_no_class() -> None:
    code = _converted("self.GRU = nn.GRU(3, 4, batch_first=True)\ny = self.GRU(x)")
    assert "self.GRU = nn.GRU(3, 4)" in code


def test_a_label_that_is_ignored_is_known_by_its_constant() -> None:
    text = (
        "import torch.nn as nn\n\nPAD, EOS = 0, 1\nODD = -1\n"
        "a = nn.CrossEntropyLoss(ignore_index=PAD)\nb = nn.CrossEntropyLoss(ignore_index=ODD)\n"
    )
    code = workbench.convert(text).code
    assert "a = nn.CrossEntropyLoss(ignore_index=PAD, axis=1)\n" in code
    assert "b = TorchCrossEntropyLoss(ignore_index=ODD)\n" in code


def test_labels_that_are_known_to_be_whole_numbers_need_no_helper() -> None:
    text = (
        "import torch\nimport torch.nn.functional as F\n\nlabels = torch.LongTensor([0, 1])\n"
        "loss = F.nll_loss(scores, labels)\n"
    )
    assert workbench.convert(text).code.endswith("loss = F.nll_loss(scores, labels)\n")


def test_a_square_layer_of_torchs_layout_draws_its_weights_itself() -> None:
    text = (
        "from torch import nn\n\na = nn.Linear(d, d)\nb = nn.Linear(d, 2 * d)\n"
        "print(a.weight, b.weight)\n"
    )
    code = workbench.convert(text).code
    assert "a = paddle.compat.nn.Linear(d, d)\nb = " in code
    assert "\nnn.init.uniform_(b.weight" in code


def test_a_stride_of_the_classs_own_does_not_concern_its_layers() -> None:
    text = (
        "from torch import nn\n\n\nclass Head(nn.Module):\n    stride = (8, 16)\n\n"
        "    def __init__(self, sizes):\n        super().__init__()\n"
        "        self.convs = nn.ModuleList(nn.Conv2d(n, 3, 1) for n in sizes)\n\n"
        "    def forward(self, x):\n        return self.convs[0](x) * self.stride[0]\n"
    )
    assert "nn.Conv2D(n, 3, 1" in workbench.convert(text).code


@pytest.mark.frameworks
def test_a_linear_layer_in_a_list_has_its_name() -> None:
    assert_prints_the_same("""import torch
import torch.nn as nn


def build(*sizes):
    layers = [nn.Linear(*pair) for pair in zip(sizes, sizes[1:])]
    return nn.Sequential(*layers)


net = build(3, 4, 2)
net[0].weight.data.fill_(1.0)
print(net, [type(m).__name__ for m in net], isinstance(net[1], nn.Linear))
""")
