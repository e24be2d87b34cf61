"""Recurrent cells with torch's parameters."""

from __future__ import annotations

import math
from typing import Any

import paddle

from workbench.targets.paddle.modules.helpers.class_names import torch_named
from workbench.targets.paddle.sequences.helpers.rnn import torch_rnn_step


@torch_named
class TorchRNNCellBase(paddle.nn.Layer):
    """What torch's recurrent cells share."""

    mode = "RNN_TANH"
    chunks = 1

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        rows = self.chunks * hidden_size
        dtype = dtype or paddle.get_default_dtype()
        self.weight_ih = self.create_parameter([rows, input_size], dtype=dtype)
        self.weight_hh = self.create_parameter([rows, hidden_size], dtype=dtype)
        self.bias_ih = self.create_parameter([rows], dtype=dtype) if bias else None
        self.bias_hh = self.create_parameter([rows], dtype=dtype) if bias else None
        self.reset_parameters()
        if device is not None:
            self.to(device)

    def reset_parameters(self) -> None:
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        with paddle.no_grad():
            for value in self.parameters():
                value.uniform_(-bound, bound)

    def forward(self, input: paddle.Tensor, hx: Any = None) -> Any:
        values = input if input.ndim == 2 else input.unsqueeze(0)
        lstm = self.mode == "LSTM"
        if hx is None:
            zeros = paddle.zeros([values.shape[0], self.hidden_size], values.dtype)
            state = [zeros, zeros] if lstm else [zeros]
        else:
            state = list(hx) if lstm else [hx]
            state = state if input.ndim == 2 else [each.unsqueeze(0) for each in state]
        gates = paddle.matmul(values, self.weight_ih, transpose_y=True)
        gates = gates if self.bias_ih is None else gates + self.bias_ih
        new = torch_rnn_step(self.mode, gates, state, [self.weight_hh, self.bias_hh, None])
        if input.ndim == 1:
            new = [each.squeeze(0) for each in new]
        return tuple(new) if lstm else new[0]

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}" + ("" if self.bias else ", bias=False")
        nonlinearity = getattr(self, "nonlinearity", "tanh")
        return text if nonlinearity == "tanh" else f"{text}, nonlinearity={nonlinearity}"


@torch_named
class TorchRNNCell(TorchRNNCellBase):
    """`torch.nn.RNNCell`."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, device, dtype)
        self.nonlinearity = nonlinearity
        self.mode = f"RNN_{nonlinearity.upper()}"


@torch_named
class TorchLSTMCell(TorchRNNCellBase):
    """`torch.nn.LSTMCell`."""

    mode = "LSTM"
    chunks = 4


@torch_named
class TorchGRUCell(TorchRNNCellBase):
    """`torch.nn.GRUCell`."""

    mode = "GRU"
    chunks = 3


def torch_recurrent_cell(
    mode: str,
    input: paddle.Tensor,
    hx: Any,
    w_ih: paddle.Tensor,
    w_hh: paddle.Tensor,
    b_ih: paddle.Tensor | None = None,
    b_hh: paddle.Tensor | None = None,
) -> Any:
    """One step of a recurrent layer, with weights as torch's cells lay them out."""
    gates = paddle.matmul(input, w_ih, transpose_y=True)
    gates = gates if b_ih is None else gates + b_ih
    lstm = mode == "LSTM"
    new = torch_rnn_step(mode, gates, list(hx) if lstm else [hx], [w_hh, b_hh, None])
    return tuple(new) if lstm else new[0]
