"""Training steps in JAX, from the same weights as in torch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from tests.workbench.targets.jax.source import HEAD, refused, run, written

pytestmark = pytest.mark.usefixtures("narrow")

NET = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 3)
        self.b = nn.Linear(3, 1)

    def forward(self, x):
        return self.b(torch.tanh(self.a(x)))

x = torch.tensor(np.linspace(-1, 1, 20).reshape(5, 4).astype("float32"))
y = torch.tensor(np.linspace(0, 1, 5).reshape(5, 1).astype("float32"))
"""
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
]


def both(text: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the names of a text that makes `model`, and of its conversion, with equal weights."""
    mine, theirs = run(HEAD + text), run(written(text))
    for name in ("a", "b"):
        layer, port = getattr(mine["model"], name), getattr(theirs["model"], name)
        port.kernel[...] = layer.weight.detach().numpy().T
        port.bias[...] = layer.bias.detach().numpy()
    return mine, theirs


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
    np.testing.assert_allclose(theirs["train"](), mine["train"](), rtol=1e-4, atol=1e-6)


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


def test_an_evaluation_loses_its_block() -> None:
    code = written(
        f"""{NET}
model = Net()

def evaluate():
    model.eval()
    with torch.no_grad():
        # all at once
        out = model(x)
        if out.sum() > 0:
            out = out + 1
    return out

@torch.no_grad()
def again(): return model(x)
"""
    )
    assert "no_grad" not in code
    assert "    # all at once\n    out = model(x)\n    if " in code
    assert run(code)["evaluate"]().shape == (5, 1)


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
        ("    loss.backward()", "    loss.backward()\n    print(1)", "other statements stand"),
        (
            "for _ in range(3):\n",
            "head = model.b\nfor _ in range(3):\n    z = head(x[:, :3])\n",
            "does not depend",
        ),
        ("model(x).mean()", "part(x).mean() + model(x).mean()", "by another name"),
        ("loss = model(x).mean()", "h = h + model(x)\n    loss = h.mean()", "is read before"),
        ("model.parameters()", "[model.a.weight]", "all parameters of one model"),
        (
            "    optimizer.zero_grad()\n    loss = model(x).mean()\n    loss.backward()\n",
            "    loss = model(x).mean()\n    loss.backward()\n    optimizer.zero_grad()\n",
            "zero_grad comes between",
        ),
        ("    loss.b", "    kept = []\n    kept.append(loss)\n    loss.b", "change objects"),
        ("model(x).mean()", "(model(x) + again(x)).mean()", "again reads model itself"),
    ],
)
def test_what_is_no_plain_step_is_refused(old: str, new: str, reason: str) -> None:
    text = "def again(x):\n    return model(x)\n\n" + STEP.replace(old, new, 1)
    if reason == "does not depend":
        text = text.replace("model(x)", "z")
    text = text.replace("for _", "part = model.a\nfor _", 1) if "part(" in text else text
    text = text.replace("for _", "h = 0\nfor _", 1) if "h = h" in text else text
    assert any(reason in one for one in refused(NET + text))


def test_the_mode_is_set_outside_of_the_loss() -> None:
    code = written(
        NET + STEP.replace("    optimizer.zero", "    model.train()\n    optimizer.zero")
    )
    assert "    model.train()\n\n    def loss_fn(model):\n        loss = " in code


def test_a_seed_alone_is_written() -> None:
    assert "rngs" in run(written("torch.manual_seed(3)\nx = torch.ones(2)\n"))


def test_a_function_whose_result_is_trained_keeps_its_mode() -> None:
    reasons = refused(
        f"""{NET}
class Frozen(nn.Module):
    def forward(self, x):
        with torch.no_grad():
            return x * 2
"""
    )
    assert any("has to be stopped" in one for one in reasons)


def test_an_unknown_loss_is_reported() -> None:
    from workbench.convert.conversion import convert

    text = HEAD + NET + STEP.replace("model(x).mean()", "criterion(model(x), y)")
    found = convert(text.replace("for _", "criterion = make()\nfor _"), target="jax").findings
    assert any("if criterion holds parameters of model" in one.message for one in found)


def test_torch_itself_is_not_needed() -> None:
    assert "torch" not in written(NET + STEP).replace("torch_", "")
    assert torch.is_grad_enabled()
