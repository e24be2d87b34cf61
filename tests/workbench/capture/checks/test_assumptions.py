"""Choices that depend on data: taken as in the example, reported, refused if they differ."""

from __future__ import annotations

import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import paddle
import pytest
import torch
from torch import nn

from workbench.capture import CaptureError, capture, load
from workbench.capture.checks.contract import clauses
from workbench.capture.checks.soundness import replay
from workbench.lower import LowerError, lower

X = torch.tensor([[1.0, -2.0], [0.5, 1.5]])
LONG = torch.arange(10.0).reshape(2, 5)


class Masked(nn.Module):
    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        if mask.any():
            return x + 1
        return x - 1


class Several(nn.Module):
    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        if x.shape[0] > 1 and not mask.any():
            return x + 1
        return x - 1


class Padded(nn.Module):
    def forward(self, x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        out = x.new_zeros(2, int(lengths.max()))
        for row, length in enumerate(lengths.tolist()):
            out[row, :length] = x[row, :length]
        return out


class Counted(nn.Module):
    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        kept = torch.nonzero(mask)
        y = x[kept[:, 0]]
        return y + 1 if kept.shape[0] > 1 else y


class Ranged(nn.Module):
    def forward(self, x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
        k = n.item()
        if k <= 5:
            x = x + 1
        if k >= 2:
            x = x * 2
        return x


class Related(nn.Module):
    def forward(self, x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
        a, b = n[0].item(), n[1].item()
        return x * a if a > b + 1 else x * b


class Compared(nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        if torch.allclose(x, y):
            return x * 2
        return y


class Shared(nn.Module):
    """A count made of another: torch writes no assertion of whole parts."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        count = int((x > 0).sum().item() * 0.5)
        return x.flatten().topk(count + 1)[0]


class Halved(nn.Module):
    """A loop, and a weight that takes part in the choice."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.tensor(3.0))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        while (x * self.scale).abs().sum() > 10:
            x = x / 2
        return x


T = torch.tensor
CHOICES: list[tuple[nn.Module, tuple[Any, ...], tuple[Any, ...], tuple[Any, ...], str]] = [
    # The model, an example, inputs that decide alike, inputs that do not, what is assumed.
    (
        Masked(),
        (X, T([True, False])),
        (X, T([True, True])),
        (X, T([False, False])),
        "`mask.any()` gives True",
    ),
    (
        Masked(),
        (X, T([False, False])),
        (-X, T([False, False])),
        (X, T([False, True])),
        "`mask.any()` gives False",
    ),
    (
        Several(),
        (X, T([False])),
        (-X, T([False])),
        (X, T([True])),
        "`if x.shape[0] > 1 and not mask.any():` gives False where the data decides",
    ),
    (
        Padded(),
        (LONG, T([3, 2])),
        (LONG, T([1, 3])),
        (LONG, T([4, 2])),
        "`out = x.new_zeros(2, int(lengths.max()))` gives 3",
    ),
    (
        Counted(),
        (LONG.T, T([1, 0, 1, 1, 0])),
        (LONG.T, T([1, 1, 0, 0, 0])),
        (LONG.T, T([0, 0, 0, 1, 0])),
        "`kept.shape[0] > 1` gives True",
    ),
    (Ranged(), (X, T(3)), (X, T(5)), (X, T(6)), "`k <= 5` gives True"),
    (Ranged(), (X, T(3)), (X, T(2)), (X, T(1)), "`k >= 2` gives True"),
    (Related(), (X, T([5, 2])), (X, T([9, 1])), (X, T([3, 2])), "`a > b + 1` gives True"),
    (Compared(), (X, X + 1e-9), (-X, -X), (X, -X), "`torch.allclose(x, y)` gives True"),
    (Shared(), (X,), (X.flip(0),), (X.abs(),), "`count = int((x > 0).sum().item() * 0.5)` gives 1"),
    (Halved(), (X * 2,), (X * 2.1,), (X,), "`(x * self.scale).abs().sum() > 10` gives True"),
]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("model", "example", "alike", "other", "words"), CHOICES)
def test_a_choice_is_taken_as_the_example_takes_it_and_checked(
    model: nn.Module,
    example: tuple[Any, ...],
    alike: tuple[Any, ...],
    other: tuple[Any, ...],
    words: str,
) -> None:
    graph = capture(model, example)
    assert any(f"assumed that {words}" in warning for warning in graph.warnings)
    assert any(f"{words} ({__file__}:" in str(clause) for clause in clauses(graph))
    lowered = lower(graph, fallback=False)
    layer = lowered.load()
    move = lowered.backend.from_torch
    for given in (example, alike):
        found = lowered.backend.to_torch(layer(*map(move, given)))
        torch.testing.assert_close(found, model(*given))
    with pytest.raises(RuntimeError, match="does not give"):
        layer(*map(move, other))
    with pytest.raises(RuntimeError, match="does not give"):
        graph.program.module()(*other)


def test_inputs_that_decide_otherwise_are_no_difference_between_graph_and_model() -> None:
    model = Halved()
    found = replay(capture(model, (X * 2,)), model, (X * 2,), tries=4)
    assert all(entry.agrees for entry in found)


class Scored(nn.Module):
    def forward(self, x: torch.Tensor, std: torch.Tensor) -> torch.Tensor:
        normal = torch.distributions.Normal(x, std)
        return normal.log_prob(x * 2)


def test_the_checks_of_distributions_are_no_choice_and_name_the_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # torch.compile, where an earlier test has used it, turns them off for good.
    monkeypatch.setattr(torch.distributions.Distribution, "_validate_args", True)
    graph = capture(Scored(), (X, X.abs()))
    assert not graph.warnings
    lowered = lower(graph)
    layer, move = lowered.load(), lowered.backend.from_torch
    with pytest.raises(RuntimeError, match=r"Normal\(x, std\)` is given values that"):
        layer(move(X), move(X))


def test_without_assuming_such_a_model_is_refused() -> None:
    with pytest.raises(CaptureError) as caught:
        capture(Masked(), (X, T([True])), assume=False)
    assert caught.value.code == "TF401"


def test_a_static_program_checks_what_was_assumed_and_is_not_saved_without(tmp_path: Path) -> None:
    lowered = lower(capture(Related(), (X, T([5, 2]))))
    layer, move = lowered.load(), lowered.backend.from_torch
    static = paddle.jit.to_static(layer, full_graph=True)
    torch.testing.assert_close(lowered.backend.to_torch(static(move(X), move(T([5, 1])))), X * 5)
    with pytest.raises(ValueError, match="Assert"):
        static(move(X), move(T([1, 5])))
    with pytest.raises(LowerError, match="`a > b \\+ 1` gives True"):
        lowered.export(tmp_path / "related.json", (X, T([5, 2])))


def test_an_assumption_is_kept_with_a_saved_graph(tmp_path: Path) -> None:
    path = capture(Masked(), (X, T([True]))).save(tmp_path / "masked.pt2")
    loaded = load(path)
    assert any("`mask.any()` gives True" in str(clause) for clause in clauses(loaded))


class Spying(nn.Module):
    """A model that, like some libraries, skips a data-dependent check while it is traced."""

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        if not torch.compiler.is_compiling() and bool(mask.all()):
            return x
        return torch.where(mask, x, x.mean()) * 2


def test_a_model_that_branches_differently_while_traced_is_captured_as_it_runs() -> None:
    example = X, torch.ones(2, 2, dtype=torch.bool)
    graph = capture(Spying(), example)
    torch.testing.assert_close(graph.program.module()(*example), X)
    assert any("assumed that" in warning for warning in graph.warnings)
    with pytest.raises(CaptureError, match="gives other results while") as caught:
        capture(Spying(), example, assume=False)
    assert caught.value.code == "TF416"
    assert capture(Spying(), example, assume=False, check=False).calls


def test_holding_the_graph_against_the_model_leaves_the_model_as_it_was() -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2), nn.Dropout(0.5)).train()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    state = torch.get_rng_state()
    capture(model, X)
    capture(lambda x: model(x), X)
    assert torch.equal(torch.get_rng_state(), state)
    for name, value in model.state_dict().items():
        torch.testing.assert_close(value, before[name], rtol=0, atol=0)


class Codebook(nn.Module):
    """Moves a weight that is frozen, and one through `.data`, which no graph holds."""

    def __init__(self) -> None:
        super().__init__()
        self.codes = nn.Parameter(torch.ones(2), requires_grad=False)
        self.scale = nn.Parameter(torch.ones(2))

    def forward(self, x: torch.Tensor, masked: bool) -> torch.Tensor:
        if masked:
            self.scale.data.mul_(0)
        self.codes.mul_(2)
        return x * self.codes * self.scale


@pytest.mark.parametrize("masked", [False, True])
def test_a_weight_that_forward_writes_into_is_left_as_it_was(masked: bool) -> None:
    model = Codebook()
    model.lock = threading.Lock()  # type: ignore[assignment]  # so that there is no copy of it
    with suppress(CaptureError):
        capture(model, (X, masked))
    assert model.codes.tolist() == model.scale.tolist() == [1, 1]


class Trying(nn.Module):
    """A model whose choice raises when it is traced, so the other branch is taken."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        try:
            if x.sum() > 0:
                return x
        except RuntimeError:
            pass
        return -x


def test_an_attempt_that_fails_only_while_traced_takes_the_branch_of_the_example() -> None:
    torch.testing.assert_close(capture(Trying(), X).program.module()(X), X)


class Drawing(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + torch.randn_like(x)


def test_what_draws_is_no_other_model() -> None:
    assert [node.op for node in capture(Drawing(), X).calls] == ["randn_like", "add.Tensor"]
