"""Gradients of tensors, and blocks without gradients."""

from __future__ import annotations

import numpy as np
import pytest

from tests.workbench.targets.jax.source import assert_same, refused, run, written
from tests.workbench.targets.jax.steps import ADAM, NET, both

pytestmark = pytest.mark.usefixtures("narrow")

READS = {
    "a tensor that is made": """
    v = torch.tensor([-2.0, -0.5, 0.3, 1.5], requires_grad=True)
    (v ** 3).sum().backward()
    return [v.grad, v.grad.abs().sum()]
    """,
    "a copy": """
    image = x.clone().detach().requires_grad_(True)
    model.eval()
    out = model(image)
    loss = ((out - y) ** 2).sum()
    loss.backward()
    return [image.grad, out, loss]
    """,
    "an argument": """
    image = x * 2
    image.requires_grad_()
    model(image)[0, 0].backward()
    if image.grad is not None:
        image = image + 0.1 * image.grad.data.sign()
    return [image.detach()]
    """,
    "two tensors": """
    a = torch.ones(3, requires_grad=True)
    b = torch.zeros(3, requires_grad=True)
    (a * 3 + b * a).sum().backward()
    return [a.grad, b.grad]
    """,
    "one after the other": """
    found = []
    for k in range(3):
        a = (x * k).requires_grad_()
        model(a).sum().backward()
        found.append(a.grad)
    return found
    """,
    "asked for": """
    image = x.clone().requires_grad_()
    out = model(image)
    g, = torch.autograd.grad(out.sum(), image)
    return [g, out]
    """,
    "asked for by ones": """
    image = x.clone().requires_grad_()
    out = model(image)
    g = torch.autograd.grad(out, image, grad_outputs=torch.ones_like(out), create_graph=True)[0]
    return [g, out]
    """,
    "of two": """
    a, b = x * 2, x * 3
    a.requires_grad_()
    b.requires_grad_()
    (ga, gb) = torch.autograd.grad((model(a) * model(b)).sum(), (a, b))
    return [ga, gb]
    """,
}


@pytest.mark.parametrize("form", READS)
def test_gradients_of_tensors_are_torchs(form: str) -> None:
    mine, theirs = both(f"{NET}\nmodel = Net()\n\ndef train():{READS[form].rstrip()}\n")
    for expected, actual in zip(mine["train"](), theirs["train"](), strict=True):
        np.testing.assert_allclose(
            np.asarray(actual), expected.detach().numpy(), rtol=1e-4, atol=1e-6
        )


def test_a_penalty_on_gradients_is_trained() -> None:
    text = f"""{NET}
model = Net()
optimizer = {ADAM}

def penalty(net, real, fake):
    mixed = (0.3 * real + 0.7 * fake).requires_grad_(True)
    out = net(mixed)
    grads = torch.autograd.grad(outputs=out, inputs=mixed, grad_outputs=torch.ones(out.size()),
                                create_graph=True, retain_graph=True, only_inputs=True)[0]
    return ((grads.norm(2, dim=1) - 1) ** 2).mean()

def train():
    found = []
    for _ in range(4):
        loss = model(x).mean() - model(-x).mean() + 10 * penalty(model, x, y * x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    return found
"""
    mine, theirs = both(text)
    np.testing.assert_allclose(theirs["train"](), mine["train"](), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("a = x * 2\n    a.backward()\n    print(a.grad)", "does not begin to require"),
        (
            "a = (x * 1).requires_grad_()\n    a.sum().backward()\n    (a * a).sum().backward()\n"
            "    print(a.grad)",
            "another loss may give a a gradient",
        ),
        (
            "a = (x * 1).requires_grad_()\n    b = a * 2\n    a = a + 1\n    b.sum().backward()\n"
            "    print(a.grad)",
            "assigned after it begins",
        ),
        (
            "a = (x * 1).requires_grad_()\n    a.sum().backward()\n    print(a.grad)\n"
            "    a.grad = None",
            "is assigned too",
        ),
        (
            "a = (x * 1).requires_grad_()\n    g = torch.autograd.grad(a, a, grad_outputs=x)[0]",
            "weighted by",
        ),
        (
            "g = torch.autograd.grad(model(x).sum(), list(model.parameters()))",
            "something else than names",
        ),
    ],
)
def test_other_gradients_are_refused(body: str, reason: str) -> None:
    text = f"{NET}\nmodel = Net()\n\ndef run():\n    {body}\n"
    assert any(reason in one for one in refused(text))


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


STEP = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(5, 3)
        self.head = nn.Linear(3, 2)

    def forward(self, x):
        return self.head(self.embed(x))

net = Net()
with torch.no_grad():
    for p in net.parameters():
        p.copy_(torch.linspace(-0.5, 0.6, p.numel()).reshape(p.shape))
optimizer = optim.SGD(net.parameters(), lr=0.1)
x = torch.tensor([0, 2, 2])
for step in range(3):
    optimizer.zero_grad()
    loss = (net(x) ** 2).sum()
    loss.backward()
    {clip}
    optimizer.step()
    {within}
{after}
"""


@pytest.mark.parametrize(
    ("clip", "within", "after"),
    [
        ("pass", "pass", "print(net.embed.weight.grad[2].tolist(), net.head.weight.grad.tolist())"),
        ("pass", "print(net.head.bias.grad.norm().item())", ""),
        (
            "nn.utils.clip_grad_norm_(net.parameters(), 0.01)",
            "pass",
            "print(*[p.grad.norm().item() for n, p in net.named_parameters() if 'head' in n])",
        ),
        ("pass", "pass", "for p in net.head.parameters():\n    print(p.grad.sum().item())"),
    ],
    ids=["after the loop", "in the loop", "clipped", "a loop over a part"],
)
def test_gradients_of_parameters_after_a_step(clip: str, within: str, after: str) -> None:
    code = assert_same(STEP.format(clip=clip, within=within, after=after))
    assert "torch_gradient(net, grads, " in code


@pytest.mark.parametrize(
    ("within", "after"),
    [
        ("pass", "optimizer.zero_grad()\nprint(net.head.bias.grad)"),
        ("optimizer.zero_grad()", "print(net.head.bias.grad)"),
        ("pass", "def show():\n    print(net.head.bias.grad)\nshow()"),
    ],
    ids=["cleared", "cleared in the loop", "in a function"],
)
def test_gradients_that_may_be_others_are_refused(within: str, after: str) -> None:
    assert refused(STEP.format(clip="pass", within=within, after=after))
