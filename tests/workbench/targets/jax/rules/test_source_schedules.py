"""Schedules in JAX set torch's rates, and torch's momentum where they change it."""

from __future__ import annotations

import pytest

from tests.workbench.targets.jax.source import assert_same, run, written

pytestmark = pytest.mark.usefixtures("narrow")
_TRAINED = """
from torch.optim import lr_scheduler

model = nn.Linear(3, 2)
with torch.no_grad():
    model.weight.copy_(torch.arange(6.0).reshape(2, 3) / 5 - 0.4)
    model.bias.zero_()
x = torch.tensor([[1.0, 2.0, -1.0], [0.5, 0.0, 1.0]])
optimizer = {optimizer}
scheduler = {scheduler}
for i in range(10):
    optimizer.zero_grad()
    loss = (model(x) ** 2).mean()
    loss.backward()
    optimizer.step()
    scheduler.step()
    print(loss.item(), scheduler.get_last_lr()[0], scheduler.last_epoch)
"""
_SGD = "optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=0.01)"
_ADAM = "optim.Adam(model.parameters(), lr=0.1, betas=(0.8, 0.99), weight_decay=0.01)"


@pytest.mark.parametrize(
    ("optimizer", "scheduler"),
    [
        (_SGD, "lr_scheduler.OneCycleLR(optimizer, max_lr=0.2, total_steps=11)"),
        (_ADAM, "lr_scheduler.OneCycleLR(optimizer, 0.2, epochs=4, steps_per_epoch=3)"),
        ("optim.SGD(model.parameters(), lr=0.1)", "lr_scheduler.OneCycleLR(optimizer, 0.2, 12)"),
        (
            "optim.AdamW(model.parameters(), lr=0.1)",
            "lr_scheduler.OneCycleLR(optimizer, 0.2, 12, anneal_strategy='linear',"
            " three_phase=True)",
        ),
        (_SGD, "lr_scheduler.CosineAnnealingWarmRestarts(optimizer, 2, 2, eta_min=0.01)"),
        (_SGD, "lr_scheduler.PolynomialLR(optimizer, 6, power=2.0)"),
        (_SGD, "lr_scheduler.ConstantLR(optimizer, 0.5, total_iters=3)"),
        (_SGD, "lr_scheduler.MultiplicativeLR(optimizer, lambda n: 0.9 if n % 2 else 1.1)"),
        (
            _SGD,
            "lr_scheduler.SequentialLR(optimizer, [lr_scheduler.LinearLR(optimizer, 0.1,"
            " total_iters=3), lr_scheduler.ExponentialLR(optimizer, 0.9)], milestones=[3])",
        ),
    ],
)
def test_rates_are_torchs(optimizer: str, scheduler: str) -> None:
    assert_same(_TRAINED.format(optimizer=optimizer, scheduler=scheduler))


def test_two_schedules_that_step_in_turn_raise() -> None:
    code = written("""
from torch.optim import lr_scheduler

model = nn.Linear(3, 2)
optimizer = optim.SGD(model.parameters(), lr=0.1)
first = lr_scheduler.ExponentialLR(optimizer, 0.9)
second = lr_scheduler.StepLR(optimizer, 2)
first.step()
""")
    with pytest.raises(NotImplementedError, match="several schedules"):
        run(code)


def test_the_state_of_an_optimizer_is_saved_and_loaded() -> None:
    assert_same("""
import io

model = nn.Linear(3, 2)
with torch.no_grad():
    model.weight.fill_(0.5)
    model.bias.zero_()
x = torch.tensor([[1.0, 2.0, -1.0], [0.5, 0.0, 1.0]])
optimizer = optim.Adam(model.parameters(), lr=0.1)
for i in range(6):
    optimizer.zero_grad()
    loss = (model(x) ** 2).mean()
    loss.backward()
    optimizer.step()
    print(loss.item())
    if i == 2:
        file = io.BytesIO()
        torch.save({"optimizer": optimizer.state_dict(), "model": model.state_dict()}, file)
        file.seek(0)
    if i == 3:
        saved = torch.load(file)
        optimizer.load_state_dict(saved["optimizer"])
        model.load_state_dict(saved["model"])
""")
