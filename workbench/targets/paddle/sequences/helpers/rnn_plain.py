"""Paddle's own recurrent layers, with what torch's can do that these cannot."""

from __future__ import annotations

from typing import Any

import paddle


def torch_movable(layer: Any) -> Any:
    """A recurrent layer without the buffer that has no memory, at which `to` raises."""
    layer.__dict__["_dropout_state"] = layer._buffers.pop("_dropout_state")
    return layer


def torch_without_cells(layer: Any) -> Any:
    """A recurrent layer that lists no cells: these hold its weights under other names again."""
    layer._sub_layers.clear()
    return torch_movable(layer) if "_dropout_state" in layer._buffers else layer


class TorchUnbatched:
    """A recurrent layer that takes a sequence without a batch, too, and can be moved."""

    def __init_subclass__(cls) -> None:
        cls.__name__ = cls.__name__.removeprefix("TorchUnbatched")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        torch_movable(self)

    def forward(self: Any, inputs: paddle.Tensor, initial_states: Any = None) -> Any:
        forward = super().forward  # type: ignore[misc]
        if inputs.ndim == 3:
            return forward(inputs, initial_states)
        place = 1 if self.time_major else 0
        every = paddle.utils.map_structure
        if initial_states is not None:
            initial_states = every(lambda state: state.unsqueeze(1), initial_states)
        outputs, states = forward(inputs.unsqueeze(place), initial_states)
        return outputs.squeeze(place), every(lambda state: state.squeeze(1), states)


class TorchUnbatchedLSTM(TorchUnbatched, paddle.nn.LSTM):
    """`torch.nn.LSTM`."""


class TorchUnbatchedGRU(TorchUnbatched, paddle.nn.GRU):
    """`torch.nn.GRU`."""


class TorchUnbatchedRNN(TorchUnbatched, paddle.nn.SimpleRNN):
    """`torch.nn.RNN`."""
