"""Forms of training steps, each with torch's losses."""

from __future__ import annotations

import numpy as np
import pytest

from tests.workbench.targets.jax.source import HEAD, refused, run, written
from tests.workbench.targets.jax.steps import ADAM, NET, both

pytestmark = pytest.mark.usefixtures("narrow")

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
    "batch norm in both": """
        fake = model(x * 2)
        second.zero_grad()
        loss = (other(y * x) - 1).abs().mean() + other(fake.detach() * x).abs().mean()
        loss.backward()
        second.step()
        first.zero_grad()
        loss2 = ((other(fake * x) - 1) ** 2).mean()
        loss2.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.1)
        first.step()
        found += [loss.item(), loss2.item(), model.n.running_mean.sum().item()]
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
    net, adam = NET, "optim.Adam(model.parameters(), lr=0.05)"
    if "model.n" in TWO[form]:
        net = net.replace("(4, 3)", "(4, 3)\n        self.n = nn.BatchNorm1d(3)")
        net = net.replace("self.a(x)", "self.n(self.a(x))")
        adam = "optim.SGD(model.parameters(), lr=0.1)"
    text = f"""{net}
model, other = Net(), Net()
first, second = {adam}, optim.SGD(other.parameters(), lr=0.1)
both = optim.Adam([*model.parameters(), *other.parameters()], lr=0.02)
head = optim.Adam(model.b.parameters(), lr=0.02)

def train():
    found = []
    for _ in range(5):{TWO[form].rstrip()}
    return found
"""
    mine, theirs = both(text)
    np.testing.assert_allclose(theirs["train"](), mine["train"](), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("trained", ["self.model", "model"])
def test_a_trainer_keeps_its_model_and_optimizer(trained: str) -> None:
    text = f"""{NET}
model = Net()

class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = optim.Adam({trained}.parameters(), lr=0.05)

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


SUMS = {
    "in a function": """
def train():
    found = []
    for epoch in range(2):
        optimizer.zero_grad()
        for k, (row, goal) in enumerate(zip(x, y)):
            loss = ((model(row) - goal) ** 2).sum() / 2
            loss.backward()
            if (k + 1) % 2 == 0:
                nn.utils.clip_grad_norm_(model.parameters(), 0.1)
                optimizer.step()
                optimizer.zero_grad()
            found.append(loss.item())
    return found
""",
    "in a program, with a remainder": """
found = []
for epoch in range(2):
    for k, (row, goal) in enumerate(zip(x, y)):
        (((model(row) - goal) ** 2).sum() / 2).backward()
        if k % 2:
            optimizer.step()
            optimizer.zero_grad()
        found.append(model(row).item())

def train():
    return found
""",
}


@pytest.mark.parametrize("form", SUMS)
def test_gradients_of_several_batches_add_up(form: str) -> None:
    start = """
with torch.no_grad():
    for n, p in model.named_parameters():
        p.copy_(torch.full(p.shape, 0.1 + 0.1 * len(n)))
"""
    text = f"{NET}\nmodel = Net(){start}\noptimizer = {ADAM}\n{SUMS[form]}"
    mine, theirs = run(HEAD + text), run(written(text))
    np.testing.assert_allclose(theirs["train"](), mine["train"](), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("        optimizer.zero_grad()\n        for", "        for", "gradients may be left"),
        ("                optimizer.zero_grad()\n", "", "no zero_grad follows the step"),
        ("    return found", "    optimizer.step()\n    return found", "elsewhere too"),
        (
            "            if (k",
            "            nn.utils.clip_grad_norm_(model.parameters(), 0.1)\n            if (k",
            "clipped while they add up",
        ),
    ],
)
def test_sums_that_are_not_shown_are_refused(old: str, new: str, reason: str) -> None:
    body = SUMS["in a function"].replace(old, new, 1)
    text = f"{NET}\nmodel = Net()\noptimizer = {ADAM}\n{body}"
    assert any(reason in one for one in refused(text))


def test_a_part_of_a_model_has_methods_of_its_own() -> None:
    text = f"""{NET.replace("self.b = ", "self.item = nn.Linear(3, 1)%s        self.b = ")}
model = Net()
optimizer = {ADAM}

def train():
    found = []
    for _ in range(4):
        size = model.item(model.a(x)).abs().mean()
        loss = ((model(x) - y) ** 2).mean() + size
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        found.append(size.item())
    return found
"""
    assert "size = jnp.mean(torch_abs(model.item(model.a(x))))\n        loss" in written(
        text.replace("%s", "\n")
    )
