"""Layers in JAX compute as torch's do, from the same weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from tests.workbench.targets.jax.source import run, written

pytestmark = pytest.mark.usefixtures("narrow")


def carried(layer: nn.Module, port: Any) -> None:
    """Give a layer of flax the weights of torch's."""
    for name, value in layer.named_parameters():
        array = value.detach().numpy()
        if isinstance(layer, nn.Linear):
            own = {"weight": "kernel", "bias": "bias"}[name]
            array = array.T if name == "weight" else array
        elif isinstance(layer, nn.LayerNorm):
            own = {"weight": "scale", "bias": "bias"}[name]
        else:
            own = name if hasattr(port, name) else "embedding"
        getattr(port, own)[...] = np.array(array)


def shown(value: Any) -> list[np.ndarray[Any, Any]]:
    """Return all tensors of a result."""
    if isinstance(value, tuple | list):
        return [one for part in value for one in shown(part)]
    return [value.detach().numpy() if isinstance(value, torch.Tensor) else np.asarray(value)]


LAYERS = [
    ("nn.Linear(4, 3)", (2, 4)),
    ("nn.Linear(4, 3, bias=False)", (2, 5, 4)),
    ("nn.LayerNorm(4)", (2, 5, 4)),
    ("nn.LayerNorm([4], eps=1e-3, bias=False)", (2, 4)),
    ("nn.LayerNorm([5, 4], bias=False)", (2, 5, 4)),
    ("nn.LayerNorm((5, 4), elementwise_affine=False)", (2, 5, 4)),
    ("nn.PReLU()", (2, 3)),
    ("nn.PReLU(3, init=0.1)", (2, 3, 4)),
    ("nn.Softplus()", (2, 3)),
    ("nn.Softplus(beta=2, threshold=1)", (2, 3)),
    ("nn.Upsample(scale_factor=2)", (2, 3, 4, 5)),
    ("nn.GRUCell(4, 3)", (2, 4)),
    ("nn.LSTMCell(4, 3, bias=False)", (2, 4)),
    ("nn.RNNCell(4, 3, nonlinearity='relu')", (4,)),
    ("nn.Upsample((7, 3), mode='bilinear', align_corners=True)", (2, 3, 4, 5)),
    ("nn.Upsample(scale_factor=1.5, mode='bicubic')", (2, 3, 4, 5)),
    ("nn.InstanceNorm2d(3)", (2, 3, 4, 5)),
    ("nn.InstanceNorm1d(3, affine=True)", (2, 3, 4)),
    ("nn.ReflectionPad2d(1)", (2, 3, 4, 5)),
    ("nn.ZeroPad2d((1, 2, 0, 1))", (2, 3, 4, 5)),
    ("nn.Unfold(2, stride=2)", (2, 3, 4, 6)),
    ("nn.Fold((4, 6), 2, stride=2)", (2, 12, 6)),
    ("nn.Conv1d(3, 4, 3, padding=1)", (2, 3, 7)),
    ("nn.Conv2d(4, 6, (3, 2), stride=2, padding=(1, 0), groups=2)", (2, 4, 7, 8)),
    ("nn.Conv2d(3, 4, 3, padding='same', dilation=2, bias=False)", (3, 7, 8)),
    ("nn.Conv3d(2, 3, 2)", (1, 2, 3, 4, 5)),
    ("nn.ConvTranspose1d(4, 6, 3, stride=2, groups=2)", (2, 4, 5)),
    ("nn.ConvTranspose2d(3, 4, 3, stride=2, padding=1, output_padding=1)", (2, 3, 4, 5)),
    ("nn.ConvTranspose2d(3, 4, 2, dilation=2)", (3, 4, 5)),
    ("nn.BatchNorm1d(4)", (6, 4)),
    ("nn.BatchNorm2d(3, eps=1e-3, momentum=0.3)", (2, 3, 4, 5)),
    ("nn.BatchNorm2d(3, affine=False)", (2, 3, 4, 5)),
    ("nn.GroupNorm(2, 4)", (2, 4, 3, 3)),
    ("nn.LSTM(3, 4)", (5, 2, 3)),
    ("nn.LSTM(3, 4, 2, batch_first=True, bidirectional=True)", (2, 5, 3)),
    ("nn.GRU(3, 4, num_layers=2, bias=False)", (5, 3)),
    ("nn.GRU(3, 4, batch_first=True)", (2, 5, 3)),
    ("nn.MaxPool2d(3, stride=2, padding=1)", (2, 3, 7, 8)),
    ("nn.MaxPool1d(2)", (3, 7)),
    ("nn.AvgPool2d(2)", (2, 3, 7, 8)),
    ("nn.AdaptiveAvgPool2d((2, 3))", (2, 3, 7, 8)),
    ("nn.AdaptiveAvgPool2d(1)", (3, 7, 8)),
    ("nn.Flatten()", (2, 3, 4)),
    ("nn.GELU()", (2, 3)),
    ("nn.GELU(approximate='tanh')", (2, 3)),
    ("nn.Softmax(dim=-1)", (2, 3)),
    ("nn.LeakyReLU(0.2)", (2, 3)),
    ("nn.Identity()", (2, 3)),
]


@pytest.mark.parametrize(("text", "shape"), LAYERS)
def test_a_layer_computes_as_torchs(text: str, shape: tuple[int, ...]) -> None:
    import jax
    import jax.numpy as jnp

    torch.manual_seed(0)
    layer: nn.Module = eval(text, {"nn": nn})
    port = run(written(f"layer = {text}\n"))["layer"]
    carried(layer, port)
    x = torch.randn(shape, requires_grad=True)
    given = jnp.array(x.detach().numpy())
    for _ in range(2):  # the second call sees the buffers that the first one changed
        expected = shown(layer(x))
        for mine, theirs in zip(expected, shown(port(given)), strict=True):
            np.testing.assert_allclose(theirs, mine, rtol=2e-5, atol=2e-6)
    if isinstance(layer, nn.BatchNorm1d | nn.BatchNorm2d):
        np.testing.assert_allclose(port.running_var[...], layer.running_var, rtol=1e-5)
        layer.eval()
        port.eval()
    total = sum((part**2).sum() for part in _parts(layer(x)))
    (expected_gradient,) = torch.autograd.grad(total, x)
    gradient = jax.grad(lambda x: sum((part**2).sum() for part in _parts(port(x))))(given)
    np.testing.assert_allclose(gradient, expected_gradient, rtol=1e-4, atol=1e-5)


def _parts(value: Any) -> list[Any]:
    if isinstance(value, tuple | list):
        return [one for part in value for one in _parts(part)]
    return [value]


def test_a_padded_row_is_never_trained() -> None:
    import jax.numpy as jnp
    from flax import nnx

    port = run(written("layer = nn.Embedding(4, 3, padding_idx=1)\n"))["layer"]
    ids = jnp.array([0, 1, 1])
    assert not np.asarray(port(ids))[1:].any()
    gradient = nnx.grad(lambda layer: (layer(ids) + 1).sum())(port).weight[...]
    assert not np.asarray(gradient)[1].any()
    assert np.asarray(gradient)[0].all()


def test_a_state_can_be_given() -> None:
    torch.manual_seed(0)
    layer = nn.LSTM(3, 4, batch_first=True)
    port = run(written("layer = nn.LSTM(3, 4, batch_first=True)\n"))["layer"]
    carried(layer, port)
    x, state = torch.randn(2, 5, 3), (torch.randn(1, 2, 4), torch.randn(1, 2, 4))
    expected = shown(layer(x, state))
    actual = shown(port(x.numpy(), tuple(part.numpy() for part in state)))
    for mine, theirs in zip(expected, actual, strict=True):
        np.testing.assert_allclose(theirs, mine, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("size", [(8, 9), (2, 4, 7, 10)])
def test_the_size_of_a_transposed_convolutions_output_can_be_given(size: tuple[int, ...]) -> None:
    layer = nn.ConvTranspose2d(3, 4, 3, stride=2, padding=1)
    port = run(written("layer = nn.ConvTranspose2d(3, 4, 3, stride=2, padding=1)\n"))["layer"]
    carried(layer, port)
    x = torch.randn(2, 3, 4, 5)
    expected = layer(x, output_size=size).detach()
    actual = port(x.numpy(), output_size=size)
    np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-6)
    with pytest.raises(ValueError):
        port(x.numpy(), output_size=[9, 9])


LOSSES = [
    "nn.CrossEntropyLoss()(x, n)",
    "nn.CrossEntropyLoss(ignore_index=2, label_smoothing=0.1)(x, n)",
    "nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0, 0.5, 1.0]), reduction='sum')(x, n)",
    "nn.MSELoss()(x, x * 2)",
    "nn.BCEWithLogitsLoss(pos_weight=torch.tensor(2.0))(x, (x > 0).float())",
    "nn.SmoothL1Loss(beta=0.5)(x, x * 2)",
]


@pytest.mark.parametrize("text", LOSSES)
def test_a_loss_object_computes_as_torchs(text: str) -> None:
    program = f"""
x = torch.tensor(np.linspace(-1, 2, 12).reshape(3, 4).astype("float32"))
n = torch.tensor([1, 2, -100] if "ignore" not in {text!r} else [1, 2, 0])
loss = {text}
"""
    expected = run("import numpy as np\nimport torch\nfrom torch import nn\n" + program)["loss"]
    actual = run(written(program))["loss"]
    np.testing.assert_allclose(actual, expected, rtol=1e-5)


def test_states_of_norms_over_several_dimensions_have_torchs_names() -> None:
    text = """
        layer = nn.LayerNorm((2, 3))
        layer.load_state_dict({"weight": torch.full((2, 3), 2.0), "bias": torch.ones(2, 3)})
        result = list(layer.state_dict()), layer(torch.arange(6.0).reshape(1, 2, 3)).mean()
        """
    names, mean = run(written(text))["result"]
    assert names == ["weight", "bias"]
    assert abs(float(mean) - 1) < 1e-6
