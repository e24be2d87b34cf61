"""Recurrent layers with torch's parameters, layouts, projections and packed sequences."""

from __future__ import annotations

import math
from typing import Any

import paddle

from workbench.targets.paddle.modules.helpers.class_names import torch_named
from workbench.targets.paddle.modules.helpers.frozen import torch_unfrozen
from workbench.targets.paddle.sequences.helpers.rnn_packing import (
    TorchPackedSequence,
    torch_pack_padded_sequence,
    torch_pad_packed_sequence,
)


def torch_rnn_step(
    mode: str, gates: paddle.Tensor, state: list[paddle.Tensor], weights: list[Any]
) -> list[paddle.Tensor]:
    """One time step: the new hidden state, and the new cell state of an LSTM.

    `gates` is the input's share; `weights` are those of the hidden state: matrix, bias or None,
    projection or None.
    """
    matrix, bias, projection = weights
    own = paddle.matmul(state[0], matrix, transpose_y=True)
    own = own if bias is None else own + bias
    sigmoid = paddle.nn.functional.sigmoid
    if mode == "LSTM":
        i, f, g, o = paddle.chunk(gates + own, 4, axis=-1)
        cell = sigmoid(f) * state[1] + sigmoid(i) * paddle.tanh(g)
        hidden = sigmoid(o) * paddle.tanh(cell)
        if projection is not None:
            hidden = paddle.matmul(hidden, projection, transpose_y=True)
        return [hidden, cell]
    if mode == "GRU":
        theirs, mine = paddle.chunk(gates, 3, axis=-1), paddle.chunk(own, 3, axis=-1)
        reset, update = sigmoid(theirs[0] + mine[0]), sigmoid(theirs[1] + mine[1])
        new = paddle.tanh(theirs[2] + reset * mine[2])
        return [new + update * (state[0] - new)]
    total = gates + own
    return [paddle.tanh(total) if mode == "RNN_TANH" else paddle.nn.functional.relu(total)]


@torch_named
class TorchRNNBase(paddle.nn.Layer):
    """What `torch.nn.RNN`, `LSTM` and `GRU` share."""

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        gates = {"LSTM": 4, "GRU": 3}.get(mode, 1) * hidden_size
        out = proj_size or hidden_size
        dtype = dtype or paddle.get_default_dtype()
        for layer in range(num_layers):
            for suffix in ("", "_reverse")[: 2 if bidirectional else 1]:
                size = input_size if layer == 0 else out * (2 if bidirectional else 1)
                shapes = {"weight_ih": [gates, size], "weight_hh": [gates, out]}
                if bias:
                    shapes.update(bias_ih=[gates], bias_hh=[gates])
                if proj_size:
                    shapes["weight_hr"] = [proj_size, hidden_size]
                for name, shape in shapes.items():
                    value = self.create_parameter(shape, dtype=dtype)
                    self.add_parameter(f"{name}_l{layer}{suffix}", value)
        self.reset_parameters()
        if device is not None:
            self.to(device)

    def reset_parameters(self) -> None:
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        with paddle.no_grad():
            for value in self.parameters():
                value.uniform_(-bound, bound)

    def flatten_parameters(self) -> None:
        """Nothing to do: Paddle lays the weights out when it needs to."""

    @property
    def _flat_weights_names(self) -> list[str]:
        """The names of all parameters, which code that initialises them goes by."""
        return list(self._parameters)

    @property
    def _all_weights(self) -> list[list[str]]:
        """The names of the parameters of each layer and direction."""
        names = list(self._parameters)
        each = len(names) // (self.num_layers * (2 if self.bidirectional else 1))
        return [names[start : start + each] for start in range(0, len(names), each)]

    @property
    def all_weights(self) -> list[list[paddle.Tensor]]:
        """The parameters of each layer and direction."""
        return [[self._parameters[name] for name in names] for names in self._all_weights]

    def forward(self, input: Any, hx: Any = None) -> Any:
        lengths = None
        packed = isinstance(input, TorchPackedSequence)
        values = input
        if packed:
            values, lengths = torch_pad_packed_sequence(input, batch_first=True)
        alone = values.ndim == 2
        if alone:
            values = values.unsqueeze(0)
        elif not self.batch_first and not packed:
            values = values.transpose([1, 0, 2])
        states = self.initial(values, hx, alone)
        drops = self.dropout > 0 and self.training and self.num_layers > 1
        plain = self.bias and not self.proj_size and lengths is None and not drops
        if plain and values.size and hasattr(paddle._C_ops, "rnn"):
            output, states = self.fused(values, states)
        else:
            output, states = self.run(values, states, lengths)
        if alone:
            output, states = output.squeeze(0), [state.squeeze(1) for state in states]
        elif packed:
            in_order = input.sorted_indices is None
            output = torch_pack_padded_sequence(output, lengths, True, enforce_sorted=in_order)
        elif not self.batch_first:
            output = output.transpose([1, 0, 2])
        return output, tuple(states) if self.mode == "LSTM" else states[0]

    def initial(self, values: paddle.Tensor, hx: Any, alone: bool) -> list[paddle.Tensor]:
        """The states to start from: [layers and directions, batch, size] each."""
        if hx is None:
            rows = self.num_layers * (2 if self.bidirectional else 1)
            sizes = [self.proj_size or self.hidden_size]
            sizes += [self.hidden_size] if self.mode == "LSTM" else []
            return [paddle.zeros([rows, values.shape[0], n], values.dtype) for n in sizes]
        states = list(hx) if self.mode == "LSTM" else [hx]
        return [state.unsqueeze(1) if alone else state for state in states]

    def fused(
        self, values: paddle.Tensor, states: list[paddle.Tensor]
    ) -> tuple[paddle.Tensor, list[paddle.Tensor]]:
        """All layers at once, in Paddle's own kernel."""
        weights = self.all_weights
        ordered = [value for each in weights for value in each[:2]]
        ordered += [value for each in weights for value in each[2:]]
        learns = any(not one.stop_gradient for one in (values, *states, *ordered))
        if learns and paddle.is_grad_enabled():  # Paddle's gradient wants that of every weight
            ordered = [torch_unfrozen(value) for value in ordered]
        scratch = paddle.empty([1], dtype="uint8")
        output, _, last = paddle._C_ops.rnn(
            values.transpose([1, 0, 2]),
            states,
            ordered,
            None,
            scratch,
            0.0,
            self.bidirectional,
            self.input_size,
            self.hidden_size,
            self.num_layers,
            self.mode,
            0,
            False,
        )
        return output.transpose([1, 0, 2]), list(last)

    def run(
        self, values: paddle.Tensor, states: list[paddle.Tensor], lengths: paddle.Tensor | None
    ) -> tuple[paddle.Tensor, list[paddle.Tensor]]:
        """All layers step by step, over values of [batch, time, size]."""
        last: list[list[paddle.Tensor]] = [[] for _ in states]
        directions = 2 if self.bidirectional else 1
        for layer in range(self.num_layers):
            if layer and self.dropout and self.training:
                values = paddle.nn.functional.dropout(values, self.dropout, training=True)
            outputs = []
            for direction in range(directions):
                row = layer * directions + direction
                start = [state[row] for state in states]
                output, end = self.scan(values, start, lengths, layer, direction == 1)
                outputs.append(output)
                for kept, state in zip(last, end, strict=True):
                    kept.append(state)
            values = outputs[0] if directions == 1 else paddle.concat(outputs, axis=-1)
        return values, [paddle.stack(kept) for kept in last]

    def scan(
        self,
        values: paddle.Tensor,
        state: list[paddle.Tensor],
        lengths: paddle.Tensor | None,
        layer: int,
        reverse: bool,
    ) -> tuple[paddle.Tensor, list[paddle.Tensor]]:
        """One direction of one layer; past a sequence's end its state stays and zeros come out."""
        end = f"_l{layer}_reverse" if reverse else f"_l{layer}"
        names = ("weight_ih", "bias_ih", "weight_hh", "bias_hh", "weight_hr")
        into, bias, *own = [self._parameters.get(name + end) for name in names]
        gates = paddle.matmul(values, into, transpose_y=True)
        gates = gates if bias is None else gates + bias
        times = range(values.shape[1])
        outputs: list[Any] = [None] * len(times)
        for time in reversed(times) if reverse else times:
            new = torch_rnn_step(self.mode, gates[:, time], state, own)
            outputs[time] = new[0]
            if lengths is not None:
                going = (lengths > time).unsqueeze(-1)
                outputs[time] = paddle.where(going, new[0], paddle.zeros_like(new[0]))
                new = [
                    paddle.where(going, fresh, old) for fresh, old in zip(new, state, strict=True)
                ]
            state = new
        return paddle.stack(outputs, axis=1), state

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        for name, usual in (
            ("proj_size", 0),
            ("num_layers", 1),
            ("bias", True),
            ("batch_first", False),
            ("dropout", 0),
            ("bidirectional", False),
        ):
            if getattr(self, name) != usual:
                text += f", {name}={getattr(self, name)}"
        return text


@torch_named
class TorchRNN(TorchRNNBase):
    """`torch.nn.RNN`."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'")
        self.nonlinearity = nonlinearity
        super().__init__(
            f"RNN_{nonlinearity.upper()}",
            input_size,
            hidden_size,
            num_layers,
            bias,
            batch_first,
            dropout,
            bidirectional,
            0,
            device,
            dtype,
        )


@torch_named
class TorchLSTM(TorchRNNBase):
    """`torch.nn.LSTM`."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            "LSTM",
            input_size,
            hidden_size,
            num_layers,
            bias,
            batch_first,
            dropout,
            bidirectional,
            proj_size,
            device,
            dtype,
        )


@torch_named
class TorchGRU(TorchRNNBase):
    """`torch.nn.GRU`."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            "GRU",
            input_size,
            hidden_size,
            num_layers,
            bias,
            batch_first,
            dropout,
            bidirectional,
            0,
            device,
            dtype,
        )
