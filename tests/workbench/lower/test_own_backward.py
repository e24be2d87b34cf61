"""Functions that state their own backward pass, lowered."""

from __future__ import annotations

import paddle
import torch

from tests.workbench.own_functions import Net
from workbench.capture import capture
from workbench.lower import lower


def test_gradients_are_those_that_the_functions_state() -> None:
    net, x = Net(), torch.randn(6, 3)
    lowered = lower(capture(net, x))
    assert not lowered.caveats
    layer = lowered.load(share=False)
    (net(x)[0] ** 2).sum().backward()
    (layer(paddle.to_tensor(x.numpy()))[0] ** 2).sum().backward()
    ours = dict(layer.named_parameters())
    for name, weight in net.named_parameters():
        assert weight.grad is not None
        place = lowered.written.parameters[name].replace("[", ".").replace("]", "")
        found = torch.from_numpy(ours[place].grad.numpy())
        torch.testing.assert_close(found, weight.grad, rtol=1e-4, atol=1e-4, msg=name)
