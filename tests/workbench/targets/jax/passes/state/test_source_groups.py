"""Groups of an optimizer's parameters by their dimensions, as a mask in JAX."""

from __future__ import annotations

import numpy as np
import pytest

from tests.workbench.targets.jax.source import written
from tests.workbench.targets.jax.steps import NET, both

pytestmark = pytest.mark.usefixtures("narrow")
TRAIN = """
def train(model):
    {groups}
    optimizer = {optimizer}
    {schedule}
    losses = []
    for _ in range(8):
        optimizer.zero_grad()
        loss = ((model(x) - y) ** 2).mean()
        loss.backward()
        optimizer.step()
        {step}
        losses.append(loss.item())
    return losses

model = Net()
"""
LISTS = """decay = [p for p in model.parameters() if p.dim() {0} {1}]
    rest = [p for p in model.parameters() if {2}]"""
GROUPS = '[{"params": decay, "weight_decay": 0.5}, {"params": rest, "weight_decay": 0.0}]'


def _program(
    groups: str, optimizer: str, schedule: str = "", step: str = "pass", *, net: str = NET
) -> str:
    named = {"groups": groups, "optimizer": optimizer, "schedule": schedule, "step": step}
    text = TRAIN
    for name, code in named.items():
        text = text.replace(f"{{{name}}}", code)
    return net + text


@pytest.mark.parametrize(
    ("lists", "optimizer", "schedule"),
    [
        (LISTS.format(">", "1", "p.dim() <= 1"), f"optim.AdamW({GROUPS}, lr=0.02)", ""),
        (LISTS.format(">=", "2", "p.ndim < 2"), f"optim.AdamW({GROUPS}, 0.05)", "StepLR"),
        (
            LISTS.format("!=", "1", "p.ndim == 1"),
            f"optim.SGD({GROUPS}, lr=0.1, momentum=0.9)",
            "",
        ),
        (
            LISTS.format("<", "2", "len(p.shape) >= 2"),
            'optim.Adam([{"params": decay, "weight_decay": 0}, {"params": rest}], lr=0.05,'
            " weight_decay=0.3)",
            "StepLR",
        ),
    ],
    ids=["adamw", "adamw with a schedule", "sgd", "the optimizer's own decay"],
)
def test_a_decay_that_spares_vectors_is_a_mask(lists: str, optimizer: str, schedule: str) -> None:
    made = "scheduler = optim.lr_scheduler.StepLR(optimizer, 3, 0.5)" if schedule else ""
    text = _program(lists, optimizer, made, "scheduler.step()" if schedule else "pass")
    mine, theirs = both(text)
    expected = mine["train"](mine["model"])
    np.testing.assert_allclose(theirs["train"](theirs["model"]), expected, rtol=2e-5)
    code = written(text)
    assert "mask=lambda params: jax.tree.map(lambda p: p.ndim" in code
    assert "for p in" not in code


def test_lists_that_are_read_again_stay() -> None:
    lists = LISTS.format(">", "1", "p.dim() <= 1") + "\n    print(len(decay), len(rest))"
    code = written(_program(lists, f"optim.AdamW({GROUPS}, lr=0.05)"))
    assert "print(len(decay), len(rest))" in code
    assert code.count("for p in torch_parameters(model)") == 2


@pytest.mark.parametrize(
    ("lists", "groups"),
    [
        (LISTS.format(">", "1", "p.dim() < 1"), GROUPS),
        (LISTS.format(">", "1", "p.dim() <= 1"), GROUPS.replace("0.0", "0.1")),
        (
            LISTS.format(">", "1", "p.dim() <= 1"),
            GROUPS.replace('"weight_decay": 0.5', '"lr": 0.01'),
        ),
        (LISTS.format(">", "1", "p.dim() <= 1") + "\n    decay = decay[:1]", GROUPS),
        (LISTS.format(">", "1", "p.numel() <= 1"), GROUPS),
    ],
    ids=["some left out", "two decays", "two rates", "another list", "another condition"],
)
def test_other_groups_are_lists_of_variables(lists: str, groups: str) -> None:
    mine, theirs = both(_program(lists, f"optim.AdamW({groups}, lr=0.05)"))
    expected = mine["train"](mine["model"])
    np.testing.assert_allclose(theirs["train"](theirs["model"]), expected, rtol=1e-3)
