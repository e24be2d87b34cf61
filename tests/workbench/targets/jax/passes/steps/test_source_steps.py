"""Training steps in JAX, from the same weights as in torch."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tests.workbench.targets.jax.source import HEAD, assert_same, refused, run, written
from tests.workbench.targets.jax.steps import ADAM, NET, both

pytestmark = pytest.mark.usefixtures("narrow")

LOOP = """
def train(model, optimizer, steps):
    losses = []
    for _ in range(steps):
        out = model(x)
        loss = ((out - y) * (out - y)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
"""
OPTIMIZERS = [
    "optim.SGD(model.parameters(), lr=0.1)",
    "optim.SGD(model.parameters(), lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.1)",
    "optim.Adam(model.parameters(), lr=0.01, betas=(0.8, 0.95), eps=1e-7)",
    "optim.Adam(model.parameters(), weight_decay=0.1)",
    "torch.optim.AdamW(model.parameters(), 0.02)",
    "optim.RMSprop(model.parameters(), lr=0.01, momentum=0.5)",
    "optim.SGD(model.parameters(), lr=0.1, momentum=0.9, dampening=0.5, weight_decay=0.1)",
    "optim.SGD(list(model.parameters()), lr=0.1)",
    "optim.Adam(model.parameters(), lr=0.02, amsgrad=True, weight_decay=0.1)",
    "optim.AdamW(model.parameters(), lr=0.02, amsgrad=True)",
    "optim.Adamax(model.parameters(), lr=0.05, weight_decay=0.1)",
    "optim.RAdam(model.parameters(), lr=0.05)",
    "optim.NAdam(model.parameters(), lr=0.02, momentum_decay=0.01)",
    "optim.Adadelta(model.parameters(), rho=0.8)",
    "optim.Adagrad(model.parameters(), 0.1, lr_decay=0.1, initial_accumulator_value=0.1)",
    "optim.Rprop(model.parameters(), lr=0.01, etas=(0.4, 1.3))",
]


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_losses_are_torchs(optimizer: str) -> None:
    mine, theirs = both(f"{NET}{LOOP}\nmodel = Net()\noptimizer = {optimizer}\n")
    expected = mine["train"](mine["model"], mine["optimizer"], 8)
    actual = theirs["train"](theirs["model"], theirs["optimizer"], 8)
    np.testing.assert_allclose(actual, expected, rtol=2e-5)


@pytest.mark.parametrize(
    "schedule",
    [
        "StepLR(optimizer, step_size=2, gamma=0.5)",
        "MultiStepLR(optimizer, [1, 4], gamma=0.3)",
        "ExponentialLR(optimizer, 0.9)",
        "CosineAnnealingLR(optimizer, T_max=4, eta_min=0.01)",
        "LambdaLR(optimizer, lambda step: 1 / (1 + step))",
        "LinearLR(optimizer, total_iters=3)",
        "ReduceLROnPlateau(optimizer, factor=0.5, patience=1)",
    ],
)
@pytest.mark.parametrize("decay", ["", ", weight_decay=0.1"])
def test_schedules_give_torchs_rates(schedule: str, decay: str) -> None:
    given = "loss.item()" if "Plateau" in schedule else ""
    mine, theirs = both(
        f"""{NET}
model = Net()
optimizer = optim.Adam(model.parameters(), lr=0.1{decay})
scheduler = optim.lr_scheduler.{schedule}

def train():
    found = []
    for _ in range(8):
        optimizer.zero_grad()
        loss = ((model(x) - y) * (model(x) - y)).mean()
        loss.backward()
        optimizer.step()
        scheduler.step({given})
        found.append((loss.item(), scheduler.get_last_lr()[0]))
    return found
"""
    )
    np.testing.assert_allclose(theirs["train"](), mine["train"](), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    "change",
    [
        "optimizer.param_groups[0]['lr'] = 0.1 / (k + 1)",
        "for group in optimizer.param_groups:\n            group['lr'] = 0.1 / (k + 1)",
        "optimizer.param_groups[0]['lr'] *= 0.5 + k",
        "for group in optimizer.param_groups:\n            group['lr'] /= 2",
        "pass",
    ],
)
def test_the_rate_is_read_and_set(change: str) -> None:
    text = f"""{NET}
model = Net()
optimizer = {ADAM}

def train():
    found = []
    for k in range(5):
        {change}
        loss = ((model(x) - y) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        found += [loss.item(), optimizer.param_groups[0]["lr"]]
    return found
"""
    mine, theirs = both(text)
    np.testing.assert_allclose(theirs["train"](), mine["train"](), rtol=1e-4, atol=1e-5)


def test_a_rate_that_a_schedule_sets_too_is_refused() -> None:
    reasons = refused(
        f"""{NET}
model = Net()
optimizer = {ADAM}
scheduler = optim.lr_scheduler.StepLR(optimizer, 2)
optimizer.param_groups[0]["lr"] = 0.1
"""
    )
    assert any("a schedule sets the rate too" in one for one in reasons)


def test_an_optimizer_is_the_one_that_was_made_last() -> None:
    text = f"""{NET}
model, other = Net(), Net()

def train():
    found = []
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad(); (model(x) - y).abs().mean().backward(); optimizer.step()
    optimizer = optim.SGD(other.parameters(), lr=0.1)
    for _ in range(3):
        loss = ((other(x) - y) ** 2).mean()
        optimizer.zero_grad(); loss.backward(); optimizer.step()
        found += [loss.item(), model(x).mean().item()]
    return found
"""
    mine, theirs = both(text)
    np.testing.assert_allclose(theirs["train"](), mine["train"](), rtol=1e-4, atol=1e-5)


def test_what_later_code_reads_comes_back_and_gradients_are_clipped() -> None:
    text = f"""{NET}
model = Net()
optimizer = optim.SGD(model.parameters(), lr=0.5)

def train():
    found = []
    for step in range(4):
        # a batch
        hidden = model.a(x)
        out = model.b(torch.tanh(hidden))

        loss = ((out - y) * (out - y)).mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.05)
        optimizer.step()
        found.append((loss.item(), out.sum().item(), hidden.sum().item()))
    return found
"""
    mine, theirs = both(text)
    np.testing.assert_allclose(theirs["train"](), mine["train"](), rtol=1e-4)
    assert "return loss, (hidden, out)" in written(text)


def test_a_loss_that_clears_too_late_for_another_is_refused() -> None:
    reasons = refused(
        f"""{NET}
model, other = Net(), Net()
first, second = optim.Adam(model.parameters()), optim.SGD(other.parameters(), lr=0.1)
for _ in range(3):
    first.zero_grad()
    second.zero_grad()
    loss = (model(x) - other(x)).mean()
    loss.backward()
    first.step()
    loss2 = other(x).mean()
    loss2.backward()
    second.step()
"""
    )
    assert any("loss gives other a gradient too" in one for one in reasons)


STEP = """
model = Net()
optimizer = optim.SGD(model.parameters(), lr=0.5)
for _ in range(3):
    optimizer.zero_grad()
    loss = model(x).mean()
    loss.backward()
    optimizer.step()
"""


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("    optimizer.zero_grad()\n", "", "gradients add up"),
        ("loss.backward()", "loss.backward(retain_graph=True)", "keeps the graph"),
        ("    optimizer.step()\n", "", "no step of an optimizer follows"),
        (
            "    loss.backward()",
            "    loss.backward()\n    if loss > 1:\n        continue",
            "may be left between",
        ),
        (
            "    loss.backward()",
            "    loss.backward()\n    scale(model)",
            "scale(model) between backward and step may use",
        ),
        (
            "for _ in range(3):\n",
            "head = model.b\nfor _ in range(3):\n    z = head(x[:, :3])\n",
            "does not depend",
        ),
        ("model(x).mean()", "part(x).mean() + model(x).mean()", "by another name"),
        ("loss = model(x).mean()", "h = h + model(x)\n    loss = h.mean()", "is read before"),
        ("model.parameters()", "[model.a.weight]", "all parameters of models"),
        (
            "    optimizer.zero_grad()\n    loss = model(x).mean()\n    loss.backward()\n",
            "    loss = model(x).mean()\n    loss.backward()\n    optimizer.zero_grad()\n",
            "zero_grad comes between",
        ),
        (
            "loss = model(x).mean()",
            "loss = kept.setdefault(0, model(x)).mean()\n    kept[1] = loss\n    loss = kept[1]",
            "change objects",
        ),
        (
            "loss = model(x).mean()",
            "out = model(x)\n    big = max(out.tolist())\n    loss = out.mean() * big",
            "out.tolist() needs a value",
        ),
        (
            "for _ in range(3):\n",
            "early = model(x).sum()\nfor _ in range(3):\n    z = early + model(x)\n",
            "early is computed from model outside",
        ),
        (
            "loss = model(x).mean()",
            "out = inner(x)\n    loss = (out + model(x)).mean()",
            "inner reads model itself",
        ),
        ("model(x).mean()", "(model(x) + again(x)).mean()", "again reads model itself"),
        (
            "    loss = model",
            "    attack(x)\n    loss = model",
            "attack differentiates a loss too",
        ),
        (
            "    loss = model",
            "    if x.sum() > 0:\n        model(x).sum().backward()\n    loss = model",
            "another loss is differentiated between",
        ),
    ],
)
def test_what_is_no_plain_step_is_refused(old: str, new: str, reason: str) -> None:
    text = "def again(x):\n    return model(x)\n\n" + STEP.replace(old, new, 1)
    if reason == "does not depend":
        text = text.replace("model(x)", "z")
    if "attack" in new:
        text = "def attack(x):\n    model(x).sum().backward()\n\n" + text
    if "early" in new:
        text = text.replace("loss = model(x)", "loss = z")
    if "inner" in new:
        text = text.replace("for _", "inner = lambda x: model(x)\nfor _", 1)
    text = text.replace("for _", "part = model.a\nfor _", 1) if "part(" in text else text
    text = text.replace("for _", "h = 0\nfor _", 1) if "h = h" in text else text
    assert any(reason in one for one in refused(NET + text))


def test_the_mode_is_set_outside_of_the_loss() -> None:
    code = written(
        NET + STEP.replace("    optimizer.zero", "    model.train()\n    optimizer.zero")
    )
    assert "    model.train()\n    train_step(model, optimizer, x)\n" in code


def test_a_seed_alone_is_written() -> None:
    assert "rngs" in run(written("torch.manual_seed(3)\nx = torch.ones(2)\n"))


def test_an_unknown_loss_is_reported() -> None:
    from workbench.convert.conversion import convert

    text = HEAD + NET + STEP.replace("model(x).mean()", "criterion(model(x), y)")
    found = convert(text.replace("for _", "criterion = make()\nfor _"), target="jax").findings
    assert any("if criterion holds parameters of model" in one.message for one in found)


@pytest.mark.parametrize(
    ("optimizer", "layer", "reported"),
    [
        ("optim.Adam(model.parameters())", "self.a", True),
        ("optim.Adam(model.parameters())", "(self.b if len(x) else self.a)", True),
        ("optim.SGD(model.parameters(), lr=0.1, momentum=0.9)", "self.a", True),
        ("optim.SGD(model.parameters(), lr=0.1)", "self.a", False),
        ("optim.Adam(model.parameters())", "self.b(x) + self.a", False),
    ],
)
def test_parameters_that_a_loss_may_not_use_are_reported(
    optimizer: str, layer: str, reported: bool
) -> None:
    from workbench.convert.conversion import convert

    text = f"""{HEAD}
class Two(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 1), nn.Linear(4, 1)
        self.c = nn.Linear(4, 1)

    def forward(self, x):
        return self.c(x) + {layer}(x)

model = Two()
optimizer = {optimizer}
x = torch.ones(2, 4)
optimizer.zero_grad()
model(x).mean().backward()
optimizer.step()
"""
    found = convert(text, target="jax")
    assert found.unconverted == []
    assert any("uses no part of a parameter" in one.message for one in found.findings) == reported


def test_torch_itself_is_not_needed() -> None:
    assert "torch" not in written(NET + STEP).replace("torch_", "")
    assert torch.is_grad_enabled()


def test_numbers_and_conditions_within_a_loss() -> None:
    assert_same("""
model = nn.Linear(3, 2)
with torch.no_grad():
    model.weight.copy_(torch.arange(6.0).reshape(2, 3) / 5 - 0.4)
    model.bias.zero_()
optimizer = optim.SGD(model.parameters(), lr=0.1)
x = torch.tensor([[1.0, 2.0, -1.0], [0.5, 0.0, 1.0]])
for _ in range(3):
    out = model(x)
    place = out.sum(0).argmax().item()
    factor = 1.0 - out[0, 0].item()
    if out.mean() > 0.1:
        factor += float(out.detach().max())
    loss = (out[:, place] ** 2).mean() * factor
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item(), place)
""")
