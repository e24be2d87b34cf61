"""Training steps that become functions which JAX compiles."""

from __future__ import annotations

import random

import numpy as np
import pytest

from bench.fixes import Session
from tests.workbench.targets.jax.source import HEAD, assert_same, run, written
from tests.workbench.targets.jax.steps import ADAM, NET, both
from workbench.convert.conversion import convert
from workbench.convert.notebook.cell import convert_cell

pytestmark = pytest.mark.usefixtures("narrow")

TRAINED = f"""
model = Net()
optimizer = {ADAM}
losses = []
for epoch in range(4):
    out = model(x)
    loss = ((out - y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
"""


def test_a_step_in_a_loop_becomes_a_function_that_is_compiled() -> None:
    code = written(f"{NET}{TRAINED}")
    assert (
        """\
@nnx.jit
def train_step(model, optimizer, x, y):
    def loss_fn(model):
        out = model(x)
        return jnp.mean((out - y) ** 2)

    loss, grads = nnx.value_and_grad(loss_fn)(model)
    optimizer.update(model, grads)
    return loss


for epoch in range(4):
    loss = train_step(model, optimizer, x, y)
    losses.append(loss.item())
"""
        in code
    )


def test_its_losses_are_torchs() -> None:
    mine, theirs = both(f"{NET}\nmodel = Net()\noptimizer = {ADAM}\ndef train(batches):\n" + _TRAIN)
    batches = [np.full((5, 4), 0.1 * k, "float32") for k in range(5)]
    assert "train_step(model, optimizer, xb, y)" in written(
        f"{NET}\nmodel = Net()\noptimizer = {ADAM}\ndef train(batches):\n" + _TRAIN
    )
    expected = mine["train"]([mine["torch"].tensor(one) for one in batches])
    np.testing.assert_allclose(theirs["train"](batches), expected, rtol=2e-5)


_TRAIN = """\
    losses = []
    for xb in batches:
        optimizer.zero_grad()
        loss = ((model(xb) - y) ** 2).mean()
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()
        losses += [loss.item(), norm.item()]
    return losses
"""


def test_running_statistics_modes_and_other_models_are_kept() -> None:
    code = assert_same(_MODES)
    assert "train_step(net, teacher, opt, x)" in code


_MODES = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)
        self.norm = nn.BatchNorm1d(3)
        self.scale = 2

    def forward(self, x, skip=None):
        h = self.norm(self.fc(x)) * self.scale
        return h if skip is None else h + skip

def filled(net):
    with torch.no_grad():
        for k, p in enumerate(net.parameters()):
            p.copy_(torch.linspace(-1, 1, p.numel()).reshape(p.shape) * (k + 1))
    return net

net, teacher = filled(Net()), filled(Net())
teacher.eval()
opt = optim.SGD(net.parameters(), lr=0.1)
x = torch.linspace(-1, 1, 20).reshape(5, 4)
for step in range(6):
    if step == 4:
        net.eval()
    with torch.no_grad():
        goal = teacher(x)
    opt.zero_grad()
    loss = ((net(x) - teacher(x).detach()) ** 2).mean()
    loss.backward()
    opt.step()
    net.scale = 2 + step % 2
    print(loss.item())
print(net.norm.running_mean.tolist(), net.norm.num_batches_tracked.item())
"""


@pytest.mark.parametrize(
    ("forward", "step"),
    [
        ("return self.b(x) if x.sum() > 0 else -self.b(x)", ""),
        ("print(x.shape)\n        return self.b(x)", ""),
        ("self.kept = x.shape[0]\n        return self.b(x)", ""),
        ("return self.b(x) * float(np.random.rand())", ""),
        ("return self.b(x) * FACTOR", ""),
        ("return self.b(x[x[:, 0] > -1])[:1]", ""),
        ("for row in range(x.shape[0]):\n            h = self.b(x)\n        return h", ""),
        ("return self.b(x) * self.options['scale']", "model.options['scale'] = 1.5"),
        ("return self.b(x)", "seen.append(out)"),
        ("return self.b(x)", "out = out * int(out.sum())"),
        ("return self.b(x)", "out = out[mask]"),
    ],
)
def test_what_needs_values_or_has_effects_is_not_compiled(forward: str, step: str) -> None:
    text = _PLAIN.replace("return self.b(x)", forward).replace("STEP", step or "pass")
    conversion = convert(HEAD + text, target="jax")
    assert "nnx.jit" not in conversion.code


_PLAIN = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.b = nn.Linear(4, 1)
        self.options = {'scale': 2.0}

    def forward(self, x):
        return self.b(x)

FACTOR = 1.0
seen = []
model = Net()
opt = optim.SGD(model.parameters(), lr=0.1)
x = torch.ones(5, 4)
mask = x[:, 0] > 0
for step in range(3):
    FACTOR = FACTOR * 2
    out = model(x)
    STEP
    loss = out.mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
"""


def test_the_step_of_the_cases_above_is_compiled_without_them() -> None:
    assert "@nnx.jit\ndef train_step(model, opt, x):" in written(_PLAIN.replace("STEP", "pass"))


@pytest.mark.parametrize(
    "text",
    [
        TRAINED.replace("for epoch in range(4):", "if True:"),
        TRAINED.replace("model(x)", "model(x[epoch : epoch + 1]) + x.mean()"),
        "part = slice(0, 2)\n" + TRAINED.replace("model(x)", "model(x[part]) + x[0, 0]"),
        TRAINED + "    print(model.a.weight.grad.sum())\n",
        "from models import Other\n" + TRAINED,
        TRAINED + "    model.forward = lambda x: x\n",
    ],
)
def test_a_step_whose_code_or_arguments_are_not_shown_is_not_compiled(text: str) -> None:
    assert "nnx.jit" not in convert(HEAD + NET + text, target="jax").code


def test_a_state_that_the_next_run_reads_is_returned() -> None:
    code = assert_same(_STATE)
    assert "loss, state = train_step(model, state, opt, x)" in code


_STATE = """
model = nn.Linear(3, 3)
with torch.no_grad():
    model.weight.copy_(torch.linspace(-1, 1, 9).reshape(3, 3))
    model.bias.zero_()
opt = optim.SGD(model.parameters(), lr=0.1)
x = torch.linspace(-1, 1, 6).reshape(2, 3)
state = torch.zeros(2, 3)
for step in range(4):
    opt.zero_grad()
    state = torch.tanh(model(x) + state.detach())
    loss = (state ** 2).mean()
    loss.backward()
    opt.step()
    print(loss.item())
"""


def test_two_models_have_a_step_each() -> None:
    second = TRAINED.replace("model", "other").replace("optimizer", "second").replace("loss", "l")
    code = written(f"{NET}{TRAINED}{second.replace('lr', 'lr')}")
    assert "loss = train_step(model, optimizer, x, y)" in code
    assert "other_step(other, second, x, y)" in code
    run(code)


def test_a_loss_that_is_bound_in_the_function_is_compiled_too() -> None:
    text = "def main():\n    criterion = nn.MSELoss()\n" + "".join(
        f"    {line}\n"
        for line in TRAINED.replace("((out - y) ** 2).mean()", "criterion(out, y)").split("\n")
    )
    code = written(f"{NET}{text}\nmain()\n")
    assert '@nnx.jit(static_argnames="criterion")' in code
    run(code)


def test_fixes_one_by_one_end_with_the_compiled_step() -> None:
    assert Session(f"{HEAD}{NET}{TRAINED}", random.Random(1), target="jax").run() == []


def test_the_cell_of_a_notebook_keeps_its_step() -> None:
    code = convert_cell(f"{HEAD}{NET}{TRAINED}", target="jax").code
    assert "optimizer.update(model, grads)" in code
    assert "nnx.jit" not in code


@pytest.mark.parametrize(
    ("before", "read", "call"),
    [
        (
            "part = slice(0, 3)",
            "model(x[part]) - y[part]",
            "train_step(model, optimizer, x[part], y[part])",
        ),
        (
            "batch = {'x': x, 'y': y}",
            "model(batch['x']) - batch['y']",
            "train_step(model, optimizer, batch['x'], batch['y'])",
        ),
        (
            "batch = {'len': x}",
            "model(batch['len']) - y",
            "train_step(model, optimizer, batch['len'], y)",
        ),
    ],
)
def test_a_function_is_given_the_parts_that_the_step_reads(
    before: str, read: str, call: str
) -> None:
    code = written(
        f"{NET}{before}\n{TRAINED}".replace("    out = model(x)\n", "").replace("out - y", read)
    )
    assert call in code
    run(code)
