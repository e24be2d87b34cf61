"""Since which statement two values are apart."""

from __future__ import annotations

import pytest
import torch

from workbench.compare.cells.options import Options
from workbench.compare.cells.session import Session
from workbench.compare.charts import charts
from workbench.compare.result import Comparison, as_text

PADDLE = "'paddle' in type(a).__module__"


def run(source: str, first_line: int = 1) -> Comparison:
    return Session({"torch": torch}).run(source, options=Options(first_line=first_line))


def since(comparison: Comparison) -> dict[str, int | None]:
    return {row.name: row.since for row in comparison.rows}


def test_the_statement_after_which_it_is_apart() -> None:
    source = f"a = torch.arange(6.0)\nb = a * 2\nif {PADDLE}:\n    b[1] = 9\nc = b + a\nd = a - 1"
    comparison = run(source)
    assert since(comparison) == {"a": None, "b": 3, "c": 5, "d": None}
    assert "limit 1.0e-04; since line 3" in as_text(comparison)
    assert since(run(source, first_line=2))["b"] == 4


def test_what_agrees_again_is_apart_since_the_next_time() -> None:
    source = (
        f"a = torch.ones(3)\nif {PADDLE}:\n    a = a + 1\na = a * 0\nif {PADDLE}:\n    a = a - 1\n"
        "b = 2"
    )
    assert since(run(source))["a"] == 5


def test_a_value_that_one_statement_made_is_apart_since_then() -> None:
    source = f"a = torch.ones(3)\nb = [1.0, 2.0] if {PADDLE} else [1.0, 3.0]\nc = 1"
    assert since(run(source)) == {"a": None, "b": 2, "c": None}


def test_a_training_is_apart_from_a_step_on() -> None:
    loop = f"""torch.manual_seed(0)
a = torch.ones(4, 3)
model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(8):
    optimizer.zero_grad()
    loss = (model(a) ** 2).mean()
    if step > 4 and {PADDLE}:
        loss = loss * 1.5
    loss.backward()
    optimizer.step()"""
    loss, gradients = run(loop).curves
    assert (loss.parts, gradients.parts) == (6, 6)
    assert "different from step 6 on" in charts([loss], "paddle")


@pytest.mark.parametrize("optimizer", ["SGD", "Adam", "AdamW"])
def test_the_norms_of_the_gradients_that_an_optimizer_steps_with(optimizer: str) -> None:
    loop = f"""torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Linear(4, 1))
optimizer = torch.optim.{optimizer}(model.parameters(), lr=0.01)
norms = []
for step in range(4):
    optimizer.zero_grad()
    (model(torch.ones(4, 3)) ** 2).mean().backward()
    norms.append(sum(p.grad.pow(2).sum() for p in model.parameters()).sqrt().item())
    optimizer.step()"""
    comparison = run(loop)
    (curve,) = [each for each in comparison.curves if each.name.startswith("norm of")]
    assert curve.name == "norm of the gradients, line 9"
    assert curve.torch == pytest.approx(comparison.torch.values["norms"])
    assert curve.target == pytest.approx(curve.torch, rel=1e-4)
    assert curve.parts is None
