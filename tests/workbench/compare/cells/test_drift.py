"""Training that differs, held against how far torch drifts from itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import torch

from tests.workbench.compare.conftest import row
from workbench.compare.result import headline

if TYPE_CHECKING:
    from tests.workbench.compare.conftest import Notebook

MODEL = """
import torch
import torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(0)
x = torch.randn(192, 3, 16, 16)
y = torch.randint(0, 10, (192,))

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 16, 3, padding=1)
        self.norm = nn.BatchNorm2d(16)
        self.deep = nn.Conv2d(16, 32, 3, padding=1)
        self.last = nn.BatchNorm2d(32)
        self.head = nn.Linear(32 * 16, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.norm(self.conv(x))), 2)
        x = F.max_pool2d(F.relu(self.last(self.deep(x))), 2)
        return self.head(x.flatten(1))
"""
MAKE = "net = Net()\noptimizer = torch.optim.Adam(net.parameters(), lr=1e-2)\nlosses = []\n"
TRAIN = """
for epoch in range(3):
    for start in range(0, 192, 24):
        loss = F.cross_entropy(net(x[start : start + 24]), y[start : start + 24])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
"""


@pytest.fixture
def ready(notebook: Notebook) -> Notebook:
    """A notebook with a model of convolutions and an optimizer, before its training."""
    notebook.convert(MODEL)
    notebook.convert(MAKE)
    return notebook


@pytest.mark.parametrize("seed", [0, 1, 10])
def test_ordinary_training_is_within_torchs_own_drift(notebook: Notebook, seed: int) -> None:
    """From seed 10 on, a maximum falls the other way in the first step already."""
    notebook.convert(MODEL.replace("manual_seed(0)", f"manual_seed({seed})"))
    notebook.convert(MAKE)
    result = notebook.convert(TRAIN)
    assert result.same, str(result)
    assert headline(result).startswith("Within drift: ")
    assert result.drifted
    assert all(each.drift for each in result.drifted)
    curve = next(curve for curve in result.curves if curve.name.startswith("loss, line"))
    assert len(curve.drift) == len(curve.torch) == 24
    assert any("torch, perturbed by" in note for note in result.notes)


def test_another_loss_is_not(ready: Notebook) -> None:
    conversion = ready.session.convert(TRAIN)
    wrong = "(loss + 0.001 * (net.head.weight ** 2).sum()).backward()"
    conversion.code = conversion.code.replace("loss.backward()", wrong)
    result = ready.session.run(TRAIN, conversion)
    assert headline(result).startswith("Different: ")
    assert row(result, "loss, line 6").same is False
    assert not result.drifted, "drift explains nothing where the losses differ"


@pytest.mark.parametrize("place", ["self.last(self.deep(x))", "self.head(x.flatten(1))"])
def test_a_small_error_in_a_layer_is_no_drift(notebook: Notebook, place: str) -> None:
    conversion = notebook.session.convert(MODEL)
    assert place in conversion.code
    conversion.code = conversion.code.replace(place, f"{place} * 1.001")
    notebook.session.run(MODEL, conversion)
    notebook.convert(MAKE)
    result = notebook.convert(TRAIN)
    assert headline(result).startswith("Different: ")
    assert row(result, "loss, line 6").same is False
    assert not result.drifted


def test_the_next_cells_start_from_torchs_values(ready: Notebook) -> None:
    assert ready.convert(TRAIN).drifted
    result = ready.convert("out = net(x[:24])")
    assert result.same and not result.drifted, str(result)
    assert any("rounding has moved it" in str(each) for each in result.carried), str(result)
    again = ready.convert(TRAIN.replace("range(3)", "range(1)").replace("192", "48"))
    assert again.same and not again.drifted, str(again)


def test_a_library_value_that_the_cell_makes_does_not_hide_the_drift(ready: Notebook) -> None:
    ready.plain("from packaging.version import Version\nheld = []\n")
    result = ready.convert(f"{TRAIN}made = Version(f'1.{{len(losses)}}')\nheld.append(made)\n")
    assert result.same and result.drifted, str(result)
    names = ready.session.namespace
    assert str(names["made"]) == "1.24" and names["held"] == [names["made"]]


def test_everything_is_where_it_was(ready: Notebook, tmp_path: Path) -> None:
    """The person's values, files and draws are those of the one run that they asked for."""
    kept = tmp_path / "kept.pt"
    cell = f"{TRAIN}    torch.save(net.state_dict(), {str(kept)!r})\n"
    result = ready.convert(cell)
    assert result.drifted
    after = torch.rand(3)
    names = ready.session.namespace
    saved = torch.load(kept)
    assert all(torch.equal(saved[name], value) for name, value in names["net"].state_dict().items())

    plain: dict[str, object] = {}
    exec(MODEL + MAKE, plain)
    exec(cell, plain)
    assert plain["losses"] == names["losses"]
    assert torch.equal(after, torch.rand(3))


HELD = {
    "deep in an object": (
        "import copy\n"
        "class Average:\n"
        "    def __init__(self, model):\n"
        "        self.held = [{'models': (nn.Sequential(nn.Sequential(copy.deepcopy(model))),)}]\n"
        "    @torch.no_grad()\n"
        "    def update(self, model):\n"
        "        mine = self.held[0]['models'][0]\n"
        "        for kept, new in zip(mine.parameters(), model.parameters()):\n"
        "            kept.mul_(0.5).add_(new, alpha=0.5)\n"
        "average = Average(net)\n",
        "average.update(net)",
        "[p.clone() for p in average.held[0]['models'][0].parameters()]",
    ),
    "by a hook": (
        "seen = []\nnet.norm.register_forward_hook(lambda m, i, o: seen.append(o.detach()))\n",
        "pass",
        "seen",
    ),
    "in sources of random numbers": (
        "import random\nimport numpy as np\n"
        "sources = np.random.RandomState(1), np.random.default_rng(2), random.Random(3)\n"
        "drawn = torch.Generator().manual_seed(4)\n",
        "[one.random() for one in sources], torch.rand(1, generator=drawn)",
        "[torch.tensor([one.random() for one in sources]), torch.rand(1, generator=drawn)]",
    ),
    "in slots and a buffer": (
        "import io\n"
        "class Count:\n"
        "    __slots__ = ('steps', 'text')\n"
        "count = Count()\ncount.steps, count.text = 0, io.StringIO()\n",
        "count.steps += count.text.write('a')",
        "[torch.tensor([count.steps, len(count.text.getvalue())])]",
    ),
    "by a function in a dictionary": (
        "total = torch.zeros(10, 512)\n"
        "calls = {'after': lambda model: total.add_(model.head.weight.detach())}\n",
        "calls['after'](net)",
        "[total]",
    ),
}


@pytest.mark.parametrize("kind", HELD)
def test_what_other_objects_hold_is_where_it_was(ready: Notebook, kind: str) -> None:
    prepare, update, read = HELD[kind]
    ready.convert(prepare)
    cell = f"{TRAIN}        {update}\n"
    assert ready.convert(cell).drifted

    plain: dict[str, object] = {"__name__": "__main__"}
    exec(MODEL + MAKE + prepare, plain)
    exec(cell, plain)
    pairs = list(zip(eval(read, ready.names), eval(read, plain), strict=True))
    assert pairs and all(torch.equal(one, other) for one, other in pairs)


def test_a_cell_that_cannot_run_again_is_reported(ready: Notebook) -> None:
    ready.plain("batches = iter([(x[i : i + 24], y[i : i + 24]) for i in range(0, 192, 24)] * 3)\n")
    loop = TRAIN.replace("for epoch in range(3):\n", "for features, labels in batches:\n")
    loop = loop.replace("    for start in range(0, 192, 24):\n", "    if True:\n")
    loop = loop.replace("[start : start + 24]", "").replace(
        "(net(x), y)", "(net(features), labels)"
    )
    result = ready.convert(loop)
    assert not result.same
    assert any("batches cannot be restored" in note for note in result.notes), str(result)


def test_a_cell_that_does_not_run_twice_is_reported_and_left_as_it_ended(ready: Notebook) -> None:
    ready.convert(
        "def once():\n    once.calls = getattr(once, 'calls', 0) + 1\n"
        "    if once.calls > 1:\n        raise RuntimeError('twice')\n"
    )
    result = ready.convert(f"{TRAIN}once()\n")
    assert not result.same
    assert any("does not run a second time" in note for note in result.notes), str(result)
    plain: dict[str, object] = {}
    exec(MODEL + MAKE + TRAIN, plain)
    assert plain["losses"] == ready.session.namespace["losses"]


def test_files_of_a_cell_that_drifts_are_torchs_in_the_next(
    ready: Notebook, tmp_path: Path
) -> None:
    place = str(tmp_path / "net.pt")
    assert ready.convert(f"{TRAIN}torch.save(net.state_dict(), {place!r})\n").drifted
    result = ready.convert(f"state = torch.load({place!r})\nhead = state['head.bias']")
    assert result.same, str(result)
    assert not result.drifted


def test_tensors_that_are_expanded_are_restored(ready: Notebook) -> None:
    result = ready.convert(f"wide = torch.arange(3.0)[:, None].expand(3, 4)\n{TRAIN}")
    assert result.same and result.drifted, str(result)
    wide = ready.session.namespace["wide"]
    assert wide.tolist() == [[float(row)] * 4 for row in range(3)]
    assert wide.stride() == (1, 0)


def test_the_value_of_the_last_expression_drifts_too(ready: Notebook) -> None:
    result = ready.convert(f"{TRAIN}{{'bias': net.conv.bias.abs().max().item(), 'x': x.mean()}}\n")
    assert result.same and result.drifted, str(result)
    (own,) = [one for one in result.rows if one.name == "Out['bias']"]
    assert own.drift, str(own)


FINITE = """
import torch
v = torch.linspace(-1, 2, 5, dtype=torch.float64).requires_grad_(True)
def f(v):
    return torch.sin(v).prod() + torch.logsumexp(v ** 2, 0) - torch.erf(v[0])

(g,) = torch.autograd.grad(f(v), v)
number = torch.zeros_like(v)
with torch.no_grad():
    for i, e in enumerate(torch.eye(5, dtype=v.dtype)):
        number[i] = (f(v + 1e-9 * e) - f(v - 1e-9 * e)) / 2e-9
error = torch.linalg.vector_norm(number - g)
"""
# After convergence rounding decides how far a line search goes.
NEWTON = """
import torch
def rosen(p):
    return (100 * (p[1:] - p[:-1] ** 2) ** 2 + (1 - p[:-1]) ** 2).sum()

p = torch.tensor([-1.2, 1.0, -0.5, 0.8], dtype=torch.float64)
for _ in range(40):
    p.requires_grad_(True)
    value = rosen(p)
    (slope,) = torch.autograd.grad(value, p, create_graph=True)
    rows = [torch.autograd.grad(one, p, retain_graph=True)[0] for one in slope]
    values, vectors = torch.linalg.eigh(torch.stack(rows))
    with torch.no_grad():
        step = vectors @ ((vectors.T @ slope) / values.abs().clamp(min=1e-3))
        length = 1.0
        while rosen(p - length * step) > value - 1e-4 * length * (slope @ step) and length > 1e-8:
            length /= 2
        p = p.detach() - length * step
    if slope.norm() < 1e-9:
        break
"""


@pytest.mark.parametrize(("cell", "names"), [(FINITE, {"number", "error"}), (NEWTON, {"length"})])
def test_what_each_rounding_changes_is_drift(
    notebook: Notebook, cell: str, names: set[str]
) -> None:
    result = notebook.convert(cell)
    assert result.same, str(result)
    assert {each.name for each in result.drifted} >= names


def test_another_function_is_not(notebook: Notebook) -> None:
    conversion = notebook.session.convert(FINITE)
    conversion.code = conversion.code.replace(" / 2e-9", " / 2.0001e-9")
    result = notebook.session.run(FINITE, conversion)
    assert row(result, "number").same is False
    assert row(result, "error").same is False
