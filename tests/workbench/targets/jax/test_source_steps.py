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
ADAM = "optim.Adam(model.parameters(), lr=0.05)"
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


def both(text: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the names of a text that makes models, and of its conversion, with equal weights."""
    mine, theirs = run(HEAD + text), run(written(text))
    for name, model in mine.items():
        if isinstance(model, torch.nn.Module):
            for part in ("a", "b"):
                layer, port = getattr(model, part), getattr(theirs[name], part)
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


FORMS = {
    "without a name": """
        optimizer.zero_grad()
        nn.MSELoss()(model(x), y).backward()
        optimizer.step()
        found.append(model(x).mean().item())
    """,
    "an expression": """
        out = model(x)
        size = (out * out).mean()
        (((out - y) ** 2).mean() + 0.1 * size).backward()
        optimizer.step()
        optimizer.zero_grad()
        found.append(size.item())
    """,
    "statements between": """
        out = model(x)
        loss = ((out - y) ** 2).mean()
        error = (out - y).abs().mean().item()
        optimizer.zero_grad()
        loss.backward()
        found.append(loss.item())
        if loss < 0.1:
            found.append(error)
        optimizer.step()
        found.append(error)
    """,
    "cleared after the step": """
        loss = ((model(x) - y) ** 2).mean()
        loss.backward()
        optimizer.step(); optimizer.zero_grad()
        found.append(loss.item())
    """,
    "cleared by the model": """
        model.zero_grad()
        loss = ((model(x) - y) ** 2).mean()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 0.1)
        optimizer.step()
        found += [loss.item(), norm.item()]
    """,
    "clipped by value": """
        loss = ((model(x) - y) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_value_(model.parameters(), 0.01)
        optimizer.step()
        found.append(loss.item())
    """,
    "a sum in a loop": """
        loss = 0
        optimizer.zero_grad()
        for row, goal in zip(x, y):
            loss += ((model(row) - goal) ** 2).sum()
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    """,
    "a state that is detached": """
        state = state.detach()
        state = torch.tanh(model(x + state))
        loss = ((state - y) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    """,
    "a target without gradients": """
        out = model(x)
        with torch.no_grad():
            goal = model(x) * 0.5 + y
            goal, half = goal + 1, goal / 2
        loss = ((out - goal) ** 2).mean() + half.mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    """,
    "two losses": """
        optimizer.zero_grad()
        first = ((model(x) - y) ** 2).mean()
        first.backward()
        second = model(-x).mean()
        second.backward()
        optimizer.step()
        found += [first.item(), second.item()]
    """,
    "a penalty on parameters": """
        penalty = 0.01 * (model(x * 0) ** 2).sum()
        loss = ((model(x) - y) ** 2).mean() + penalty
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    """,
}


@pytest.mark.parametrize("form", FORMS)
def test_each_form_of_a_step_is_trained(form: str) -> None:
    text = f"""{NET}
model = Net()
optimizer = {ADAM}

def train():
    found = []
    state = torch.zeros(5, 1)
    for _ in range(5):{FORMS[form].rstrip()}
    return found
"""
    mine, theirs = both(text)
    np.testing.assert_allclose(theirs["train"](), mine["train"](), rtol=1e-4, atol=1e-5)


TWO = {
    "two optimizers": """
        first.zero_grad()
        second.zero_grad()
        loss = ((other.b(torch.tanh(model.a(x))) - y) ** 2).mean() + model(x).mean() ** 2
        loss.backward()
        first.step()
        second.step()
        found.append(loss.item())
    """,
    "in turn": """
        first.zero_grad()
        fake = model(x)
        loss = ((fake - other(x).detach()) ** 2).mean()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.1)
        first.step()
        second.zero_grad()
        loss2 = ((other(x) - model(x)) ** 2).mean() + ((other(x) - y) ** 2).mean()
        loss2.backward()
        second.step()
        found += [loss.item(), loss2.item()]
    """,
    "one value in both": """
        fake = model(x * 2)
        second.zero_grad()
        loss = (other(y * x) - 1).abs().mean() + other(fake.detach() * x).abs().mean()
        loss.backward()
        second.step()
        first.zero_grad()
        score = other(fake * x)
        loss2 = ((score - 1) ** 2).mean()
        loss2.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.1)
        first.step()
        found += [loss.item(), loss2.item(), fake.sum().item(), score.sum().item()]
    """,
    "two losses of one model": """
        other.zero_grad()
        out = other(x)
        real = ((out - y) ** 2).mean()
        real.backward()
        mean = out.mean().item()
        fake = model(x * 2)
        out = other(fake.detach() * x)
        false = (out ** 2).mean()
        false.backward()
        total = real + false
        second.step()
        model.zero_grad()
        out = other(fake * x)
        loss = (out - 1).abs().mean()
        loss.backward()
        first.step()
        found += [mean, total.item(), loss.item(), out.sum().item()]
    """,
    "one optimizer": """
        both.zero_grad()
        loss = ((other.b(torch.tanh(model.a(x))) - y) ** 2).mean() + model.b(other.a(x)).mean() ** 2
        loss.backward()
        norm = nn.utils.clip_grad_norm_(list(model.parameters()) + list(other.parameters()), 0.1)
        both.step()
        found += [loss.item(), norm.item()]
    """,
    "parts": """
        head.zero_grad()
        loss = ((model(x) - y) ** 2).mean()
        loss.backward()
        head.step()
        found.append(loss.item())
    """,
}


@pytest.mark.parametrize("form", TWO)
def test_several_models_are_trained(form: str) -> None:
    text = f"""{NET}
model, other = Net(), Net()
first, second = optim.Adam(model.parameters(), lr=0.05), optim.SGD(other.parameters(), lr=0.1)
both = optim.Adam([*model.parameters(), *other.parameters()], lr=0.02)
head = optim.Adam(model.b.parameters(), lr=0.02)

def train():
    found = []
    for _ in range(5):{TWO[form].rstrip()}
    return found
"""
    mine, theirs = both(text)
    np.testing.assert_allclose(theirs["train"](), mine["train"](), rtol=1e-4, atol=1e-5)


def test_a_trainer_keeps_its_model_and_optimizer() -> None:
    text = f"""{NET}
model = Net()

class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = optim.Adam(self.model.parameters(), lr=0.05)

    def step(self, x, y):
        self.model.train()
        self.optimizer.zero_grad()
        out = self.model(x)
        loss = self.distance(out, y)
        loss.backward()
        self.optimizer.step()
        return loss.item(), out.sum().item()

    def distance(self, out, y):
        return ((out - y) ** 2).mean()

def train():
    trainer = Trainer(model)
    return [trainer.step(x, y) for _ in range(4)]
"""
    mine, theirs = both(text)
    np.testing.assert_allclose(theirs["train"](), mine["train"](), rtol=1e-4, atol=1e-5)


def test_a_function_is_given_the_model_and_its_optimizer() -> None:
    text = f"""{NET}
model = Net()
first = {ADAM}

def step(net, opt, x):
    opt.zero_grad()
    loss = ((net(x) - y) ** 2).mean()
    loss.backward()
    opt.step()
    return loss.item()

def train():
    return [step(model, first, x) for _ in range(4)]
"""
    mine, theirs = both(text)
    np.testing.assert_allclose(theirs["train"](), mine["train"](), rtol=1e-4, atol=1e-5)


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

found = evaluate() + again()
"""
    )
    assert "no_grad" not in code
    assert "    # all at once\n    out = model(x)\n    if " in code
    assert run(code)["found"].shape == (5, 1)


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
            "out = model(x)\n    big = out.sum().item()\n    loss = out.mean() * big",
            "out.sum().item() needs a number",
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
    ],
)
def test_what_is_no_plain_step_is_refused(old: str, new: str, reason: str) -> None:
    text = "def again(x):\n    return model(x)\n\n" + STEP.replace(old, new, 1)
    if reason == "does not depend":
        text = text.replace("model(x)", "z")
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
    assert "    model.train()\n\n    def loss_fn(model):\n        loss = " in code


def test_a_seed_alone_is_written() -> None:
    assert "rngs" in run(written("torch.manual_seed(3)\nx = torch.ones(2)\n"))


def test_a_layer_stops_the_gradients_of_its_block() -> None:
    code = written(
        f"""{NET}
class Frozen(nn.Module):
    def forward(self, x):
        with torch.no_grad():
            y = x * 2
            return y, x
"""
    )
    assert "y = lax.stop_gradient(x * 2)\n        return lax.stop_gradient((y, x))" in code


def test_a_layer_whose_block_collects_keeps_its_mode() -> None:
    reasons = refused(
        f"""{NET}
class Frozen(nn.Module):
    def forward(self, x):
        found = []
        with torch.no_grad():
            found.append(x * 2)
        return found[0]
"""
    )
    assert any("has to be stopped" in one for one in reasons)


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
