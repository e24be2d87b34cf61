"""Modules that repeat become classes, which compute what the graph computes."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional

from workbench.capture import capture
from workbench.lower import Lowered, lower

TARGETS = ["paddle", "jax"]


class Block(nn.Module):
    def __init__(self, width: int = 8, hidden: int = 16, p: float = 0.0) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.inner = nn.Linear(width, hidden)
        self.outer = nn.Linear(hidden, width)
        self.drop = nn.Dropout(p)

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        y: torch.Tensor = self.drop(self.outer(functional.gelu(self.inner(self.norm(x)))))
        return x + (y if mask is None else y * mask)


class Normed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv1d(3, 3, 3, padding=1)
        self.norm = nn.BatchNorm1d(3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y: torch.Tensor = functional.relu(self.norm(self.conv(x)))
        return x + y


class Stack(nn.Module):
    def __init__(self, *blocks: nn.Module) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(blocks)

    def forward(self, x: torch.Tensor, *others: torch.Tensor) -> torch.Tensor:
        for block in self.blocks:
            x = block(x, *others)
        return x


class Frozen(nn.Module):
    """Its first half is computed without gradients."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(8, 8)
        self.second = nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            y = torch.tanh(self.first(x))
        z: torch.Tensor = self.second(y)
        return x + z


class Twice(Stack):
    """Each block is called once, and then all of them again."""

    def forward(self, x: torch.Tensor, *others: torch.Tensor) -> torch.Tensor:
        return super().forward(super().forward(x))


class Pair(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.left, self.right = nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.tanh(self.left(x)), x.sum(1) * torch.sigmoid(self.right(x)).mean(1)


class Pairs(nn.Module):
    """Its blocks give several results, and hang at names of their own."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder, self.decoder = Pair(), Pair()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y, gate = self.encoder(x)
        z, other = self.decoder(y)
        both: torch.Tensor = z * (gate * other).unsqueeze(1)
        return both


def tied() -> nn.Module:
    """Two blocks of which one layer is the same."""
    model = Stack(Block(), Block(), Block())
    model.blocks[2].inner = model.blocks[0].inner
    return model


def lowered(model: nn.Module, args: tuple[Any, ...], target: str, **options: Any) -> Lowered:
    if target == "jax":
        pytest.importorskip("flax")
    return lower(capture(model, args, **options), target=target)


def classes(found: Lowered) -> list[str]:
    return [
        line[6:].partition("(")[0] for line in found.source.splitlines() if line[:6] == "class "
    ]


def check(found: Lowered, model: nn.Module, args: tuple[torch.Tensor, ...]) -> None:
    """The module gives what the model gives."""
    ports = found.backend
    result = ports.to_torch(found.load(share=False)(*map(ports.from_torch, args)))
    torch.testing.assert_close(result, model(*args), check_device=False)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("model", "others", "named"),
    [
        (Stack(Block(), Block(), Block()), (), ["Block", "Stack"]),
        (Stack(Block(), Block(), Block()), (torch.rand(2, 5, 8),), ["Block", "Stack"]),
        (Stack(Block(hidden=4), Block(), Block()), (), ["Block", "Stack"]),
        (Stack(*(Block(hidden=n) for n in (4, 8, 4, 8))), (), ["Block", "Stack"]),
        (Stack(Frozen(), Frozen()), (), ["Frozen", "Stack"]),
        (Pairs(), (), ["Pair", "Pairs"]),
        (Stack(Stack(Block(), Block()), Stack(Block(), Block())), (), ["Stack_1", "Stack"]),
        (Stack(Block()), (), ["Stack"]),
        (Twice(Block(), Block()), (), ["Twice"]),
    ],
    ids=["same", "mask", "first", "two", "frozen", "pairs", "nested", "one", "twice"],
)
def test_blocks_that_compute_the_same_are_one_class(
    model: nn.Module, others: tuple[torch.Tensor, ...], named: list[str], target: str
) -> None:
    args = (torch.rand(2, 5, 8), *others)
    found = lowered(model.eval(), args, target)
    assert classes(found) == named
    check(found, model, args)


def test_a_class_takes_the_sizes_in_which_its_instances_differ() -> None:
    model = Stack(Block(), Block(hidden=4), Block()).eval()
    found = lowered(model, (torch.rand(2, 5, 8),), "paddle")
    assert "LayerList([Block(16), Block(4), Block(16)])" in found.source
    assert "def __init__(self, width):" in found.source
    assert "self.inner.weight = self.create_parameter([width, 8]," in found.source


@pytest.mark.one_in(4)
@pytest.mark.parametrize("target", TARGETS)
def test_a_weight_of_two_blocks_keeps_both_out_of_a_class(target: str) -> None:
    model, x = tied().eval(), torch.rand(2, 5, 8)
    check(lowered(model, (x,), target), model, (x,))


@pytest.mark.one_in(4)
@pytest.mark.parametrize("target", TARGETS)
def test_sizes_are_read_of_what_a_block_is_given(target: str) -> None:
    class Shaped(Block):
        def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
            rows, columns, width = x.shape
            return super().forward(x.reshape(rows * columns, width)).view(rows, columns, width)

    model = Stack(Shaped(), Shaped()).eval()
    batch, length = torch.export.Dim("batch"), torch.export.Dim("length")
    shapes = {"x": {0: batch, 1: length}}
    found = lowered(model, (torch.rand(2, 5, 8),), target, dynamic_shapes=shapes)
    assert classes(found) == ["Shaped", "Stack"]
    assert "self.blocks[1](" in found.source
    for rows, columns in ((2, 5), (3, 7)):
        check(found, model, (torch.rand(rows, columns, 8),))


@pytest.mark.one_in(4)
@pytest.mark.parametrize("target", TARGETS)
def test_a_class_keeps_its_own_statistics(target: str) -> None:
    model, x = Stack(Normed(), Normed()), torch.rand(4, 3, 6)
    found = lowered(model.train(), (x,), target)
    assert classes(found) == ["Normed", "Stack"]
    ports, module = found.backend, found.load(share=False)
    module(ports.from_torch(x))
    model(x)
    after = {name: value for name, value in model.state_dict().items() if "running" in name}
    for name, value in after.items():
        owner = module
        for part in found.written.parameters[name].replace("[", ".").replace("]", "").split("."):
            owner = owner[int(part)] if part.isdigit() else getattr(owner, part)
        torch.testing.assert_close(ports.to_torch(owner), value)


def test_draws_are_passed_to_a_class() -> None:
    model, x = Stack(Block(p=0.5), Block(p=0.5)), torch.rand(4, 5, 8)
    found = lowered(model.train(), (x,), "jax")
    assert classes(found) == ["Block", "Stack"]
    assert "self.blocks[1](add, self.rngs)" in found.source
    ports = found.backend
    module = found.load(share=False)
    first, second = (ports.to_torch(module(ports.from_torch(x))) for _ in range(2))
    assert not torch.equal(first, second)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("target", TARGETS)
def test_each_statement_leads_to_its_line(target: str) -> None:
    found = lowered(Stack(Block(), Block()).eval(), (torch.rand(2, 5, 8),), target)
    text = found.source.splitlines()
    places = [text[line.number - 1].strip() for line in found.lines]
    once = len(places) // 2
    assert places[:once] == places[once:]
    assert all(" = " in place for place in places)
    last = found.lines[-1].number
    node = found.graph.node(next(line.node for line in found.lines if line.number == last))
    assert node.module == "blocks.0"
