"""A live optimizer with state, carried into Paddle's own, steps on as torch's does."""

from __future__ import annotations

from typing import Any

import paddle
import pytest
import torch

from workbench.targets.bridge import Slot, load_bridge

paddle.disable_signal_handler()
_paddle: Any = paddle

KINDS: dict[str, tuple[dict[str, Any], str, dict[str, Any]]] = {
    "SGD": ({"momentum": 0.9}, "Momentum", {"momentum": 0.9}),
    "Adam": ({"amsgrad": True}, "Adam", {"amsgrad": True}),
    "AdamW": ({"weight_decay": 0.1}, "AdamW", {"weight_decay": 0.1}),
    "Adamax": ({}, "Adamax", {}),
    "NAdam": ({}, "NAdam", {}),
    "RAdam": ({}, "RAdam", {}),
    "Adagrad": ({}, "Adagrad", {"epsilon": 1e-10}),
    "Adadelta": ({}, "Adadelta", {"rho": 0.9}),
    "Rprop": ({}, "Rprop", {"learning_rate_range": (1e-6, 50.0)}),
}


@pytest.mark.parametrize("kind", KINDS)
def test_steps_after_carrying_are_torchs(kind: str) -> None:
    given, name, theirs_given = KINDS[kind]
    torch.manual_seed(0)
    ours, theirs = torch.nn.Linear(3, 2), _paddle.nn.Linear(3, 2)
    optimizer = getattr(torch.optim, kind)(ours.parameters(), lr=0.1, **given)
    gradients = [[torch.randn_like(p) for p in ours.parameters()] for _ in range(6)]

    def step(number: int) -> None:
        for parameter, gradient in zip(ours.parameters(), gradients[number], strict=True):
            parameter.grad = gradient.clone()
        optimizer.step()

    for number in range(3):
        step(number)
    bridge = load_bridge("paddle")
    slots = {id(s.source): s for s in bridge.module_slots(ours, theirs) if isinstance(s, Slot)}
    for slot in slots.values():
        slot.write(bridge, slot.source)
    twin = getattr(_paddle.optimizer, name)(
        learning_rate=0.5, parameters=theirs.parameters(), **theirs_given
    )

    def partner(tensor: torch.Tensor) -> Slot | None:
        return slots.get(id(tensor))

    bridge.prepare_optimizer(optimizer, twin, partner)
    for state in bridge.optimizer_slots(optimizer, twin, partner):
        assert isinstance(state, Slot), state
        state.write(bridge, state.source)
    for number in range(3, 6):
        step(number)
        for parameter, gradient in zip(ours.parameters(), gradients[number], strict=True):
            slots[id(parameter)].write_gradient(bridge, gradient)
        twin.step()
    for slot in slots.values():
        torch.testing.assert_close(slot.read(bridge), slot.source.detach(), rtol=1e-5, atol=1e-5)


def test_rates_of_groups_are_not_carried_into_one() -> None:
    ours, theirs = torch.nn.Linear(3, 2), _paddle.nn.Linear(3, 2)
    groups = [{"params": [ours.weight], "lr": 0.1}, {"params": [ours.bias], "lr": 0.2}]
    twin = _paddle.optimizer.Adam(parameters=theirs.parameters())
    with pytest.raises(Exception, match="different learning rates"):
        load_bridge("paddle").prepare_optimizer(torch.optim.Adam(groups), twin, lambda _: None)
