"""Names of torch that only the running program knows: `getattr(nn, kind)`."""

from __future__ import annotations

import pytest

import workbench
from tests.workbench import exact

_HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"


def _lines(code: str) -> tuple[list[str], list[str]]:
    conversion = workbench.convert(_HEAD + code)
    lines = [line for line in conversion.code.splitlines() if "import" not in line and line]
    return lines, [one.code for one in conversion.unconverted]


def test_names_known_from_the_text_are_written_as_each_would_be() -> None:
    code = """\
if kind in ["LSTM", "GRU"]:
    rnn = getattr(nn, kind)(8, 16, 2, batch_first=True, dropout=p)
"""
    assert _lines(code) == (
        [
            'if kind in ["LSTM", "GRU"]:',
            "    rnn = getattr(nn, kind)(8, 16, 2, dropout=p)",
        ],
        [],
    )


def test_helpers_are_chosen_from_a_table_of_torchs_names() -> None:
    code = (
        'import torch.nn as nn\n\nif kind in ["LSTM", "GRU"]:\n    rnn = getattr(nn, kind)(8, 16)\n'
    )
    written = exact.convert(code).code.splitlines()[-1]
    assert written == '    rnn = {"LSTM": TorchLSTM, "GRU": TorchGRU}[kind](8, 16)'


@pytest.mark.parametrize(
    "code",
    [
        "layer = getattr(nn, kind)(8, 16)",
        "y = getattr(torch, name)(x)",
        "y = getattr(F, name)(x, 2)",
        # Written in two ways, and only the running program knows which.
        'if kind in ["LSTM", "Bilinear"]:\n    layer = getattr(nn, kind)(8, 16, 2)',
    ],
)
def test_ambiguous_names_are_refused(code: str) -> None:
    lines, codes = _lines(code)
    assert codes == ["TF200"]
    assert lines[-1] == code.splitlines()[-1]


@pytest.mark.parametrize(
    ("code", "written"),
    [
        ("dtype = getattr(torch, options.dtype)", "dtype = getattr(paddle, options.dtype)"),
        ("x = x.to(getattr(torch, dtype))", "x = x.to(getattr(paddle, dtype))"),
    ],
)
def test_dtypes_have_the_same_names(code: str, written: str) -> None:
    assert _lines(code) == ([written], [])


@pytest.mark.parametrize(
    "code",
    [
        "y = getattr(F, activation)(x)",
        "layer = getattr(nn, self.act)()",
        "act = getattr(F, config.act)",
        "act = getattr(nn, options['activation'], nn.ReLU)",
    ],
)
def test_an_activation_that_data_names_is_reported(code: str) -> None:
    result = workbench.convert(_HEAD + code + "\n")
    assert result.code.splitlines()[-1] == code
    (found,) = [one for one in result.findings if one.code == "TF119"]
    assert "Paddle may not have it, or may compute something else" in found.message
    assert found.range.start.line == _HEAD.count("\n")


def test_names_that_paddle_spells_otherwise_are_a_table() -> None:
    code = 'if kind in ["Dropout", "Dropout2d"]:\n    layer = getattr(nn, kind)(0.5)\n'
    written = '    layer = {"Dropout": nn.Dropout, "Dropout2d": nn.Dropout2D}[kind](0.5)'
    assert _lines(code) == ([code.splitlines()[0], written], [])


@pytest.mark.parametrize(
    ("code", "written"),
    [
        (
            'parts = [getattr(nn, k)(0.5) for k in ("Dropout", "Dropout2d")]',
            'parts = [{"Dropout": nn.Dropout, "Dropout2d": nn.Dropout2D}[k](0.5)'
            ' for k in ("Dropout", "Dropout2d")]',
        ),
        (
            'acts = {k: getattr(nn, k)() for k in ["ReLU", "Tanh"]}',
            'acts = {k: getattr(nn, k)() for k in ["ReLU", "Tanh"]}',
        ),
    ],
)
def test_names_over_which_a_comprehension_runs(code: str, written: str) -> None:
    assert _lines(code) == ([written], [])


def test_a_comprehension_over_other_names_is_refused() -> None:
    code = 'for k in ("SGD", "Adam"):\n    opts = [getattr(nn, k)(0.5) for k in names]'
    assert _lines(code)[1] == ["TF200"]


def test_a_helper_for_a_name_that_is_read_by_its_text_is_defined() -> None:
    code = 'opt = getattr(torch.optim, "AdamW")(params, lr=0.1)\n' + (
        'count = getattr(torch, "unique")\n'
    )
    conversion = workbench.convert(_HEAD + code)
    assert {"TorchAdamW", "torch_unique"} <= set(conversion.helpers)
    assert "class TorchAdamW(" in conversion.code


@pytest.mark.parametrize(
    ("code", "written", "names"),
    [
        (
            "rnn = getattr(nn, args.rnn_type)(4, 5, batch_first=True, num_layers=n)",
            'rnn = {"RNN": nn.SimpleRNN, "LSTM": nn.LSTM, "GRU": nn.GRU}[args.rnn_type]'
            "(4, 5, num_layers=n)",
            "RNN, LSTM and GRU",
        ),
        (
            "pool = getattr(nn, f'MaxPool{dims}d')(2)",
            "pool = {'MaxPool1d': nn.MaxPool1D, 'MaxPool2d': nn.MaxPool2D, 'MaxPool3d': "
            "nn.MaxPool3D}[f'MaxPool{dims}d'](2)",
            "MaxPool1d, MaxPool2d and MaxPool3d",
        ),
        (
            "y = getattr(F, 'max_pool%dd' % dims)(x, 2)",
            "y = getattr(F, 'max_pool%dd' % dims)(x, 2)",
            "max_pool1d, max_pool2d and max_pool3d",
        ),
        (
            "opt = getattr(torch.optim, kind)(params, lr=0.1)",
            'opt = {"SGD": TorchSGD, "Adam": TorchAdam, "AdamW": TorchAdamW, "RMSprop": '
            'TorchRMSprop, "Adagrad": TorchAdagrad}[kind](params, lr=0.1)',
            "SGD, Adam, AdamW, RMSprop and Adagrad",
        ),
    ],
)
def test_names_that_the_wording_shows_are_chosen_among_and_reported(
    code: str, written: str, names: str
) -> None:
    result = workbench.convert(_HEAD + code + "\n")
    assert result.code.splitlines()[-1] == written
    [found] = [one for one in result.findings if one.code == "TF119"]
    assert f"only the names {names} are expected here" in found.message


def test_statistics_of_a_norm_that_a_string_names_are_no_parameters() -> None:
    code = "net = nn.Sequential(getattr(nn, 'BatchNorm{}d'.format(dims))(4))\nn = 0\n"
    loop = "for index, p in enumerate(net.parameters()):\n    n += index\n"
    assert "torch_layer_parameters(net" in workbench.convert(_HEAD + code + loop).code
