"""Weights transferred whole and in place, read as data only, and checked for their fit."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import paddle
import pytest
import torch
from safetensors.torch import save_file
from torch import nn

from workbench.weights import WeightsError, carry

paddle.disable_signal_handler()


def th(value: Any) -> torch.Tensor:
    return torch.from_dlpack(value.detach())


@pytest.fixture
def state() -> dict[str, torch.Tensor]:
    torch.manual_seed(0)
    return {
        "a.weight": torch.randn(3, 2),
        "a.bias": torch.randn(3, dtype=torch.float64),
        "half": torch.randn(4).bfloat16(),
        "mask": torch.tensor([True, False]),
        "empty": torch.zeros(0, 2),
        "strided": torch.randn(4, 4).t()[::2],
        "number": torch.tensor(7),
    }


def same(ours: Any, theirs: dict[str, torch.Tensor]) -> None:
    assert set(ours) == set(theirs)
    for name, value in theirs.items():
        assert th(ours[name]).dtype == value.dtype
        torch.testing.assert_close(th(ours[name]), value, rtol=0, atol=0)


def test_a_state_dict_is_shared_for_inference(state: dict[str, torch.Tensor]) -> None:
    found = carry(state)
    same(found.state, state)
    assert found.complete
    assert found.copied == 0
    assert found.state["a.weight"].data_ptr() == state["a.weight"].data_ptr()


def test_it_is_copied_where_asked_and_for_training(state: dict[str, torch.Tensor]) -> None:
    found = carry(state, share=False)
    same(found.state, state)
    assert found.state["a.weight"].data_ptr() != state["a.weight"].data_ptr()
    module = nn.Linear(2, 2).train()
    assert carry(module).state["weight"].data_ptr() != module.weight.data_ptr()
    assert carry(module.eval()).state["weight"].data_ptr() == module.weight.data_ptr()


@pytest.mark.parametrize("wrapped", ["plain", "state_dict", "prefixed"])
def test_checkpoints_of_torch(wrapped: str, state: dict[str, torch.Tensor], tmp_path: Path) -> None:
    held: Any = state
    if wrapped == "state_dict":
        held = {"epoch": 3, "state_dict": state, "optimizer": {"lr": 0.1}}
    elif wrapped == "prefixed":
        held = {f"module.{name}": value for name, value in state.items()}
    torch.save(held, tmp_path / "model.pt")
    found = carry(tmp_path / "model.pt")
    same(found.state, state)
    left = {u.name for u in found.unfit}
    assert left == ({"epoch", "optimizer"} if wrapped == "state_dict" else set())


def save_plain(state: dict[str, torch.Tensor], path: Path) -> None:
    save_file({name: value.contiguous() for name, value in state.items()}, path)


def test_safetensors_are_mapped(state: dict[str, torch.Tensor], tmp_path: Path) -> None:
    save_plain(state, tmp_path / "net.safetensors")
    found = carry(tmp_path / "net.safetensors")
    same(found.state, state)
    assert found.copied == 0


@pytest.mark.parametrize("kind", ["safetensors", "bin"])
def test_sharded_checkpoints(kind: str, state: dict[str, torch.Tensor], tmp_path: Path) -> None:
    names = list(state)
    places = {}
    for shard, part in enumerate((names[:3], names[3:])):
        file = f"model-{shard}.{kind}"
        if kind == "bin":
            torch.save({n: state[n] for n in part}, tmp_path / file)
        else:
            save_plain({n: state[n] for n in part}, tmp_path / file)
        places |= dict.fromkeys(part, file)
    index = tmp_path / f"model.{kind}.index.json"
    index.write_text(json.dumps({"weight_map": places}))
    same(carry(index).state, state)
    same(carry(tmp_path).state, state)
    (tmp_path / f"model-1.{kind}").unlink()
    with pytest.raises(WeightsError, match=f"the shard model-1.{kind} is missing"):
        carry(index)


def test_a_shard_outside_the_folder_is_refused(tmp_path: Path) -> None:
    index = tmp_path / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {"a": "../secret.safetensors"}}))
    with pytest.raises(WeightsError, match="outside its folder"):
        carry(index)


class Trap:
    def __reduce__(self) -> Any:
        return (Path.touch, (Path("trap-was-sprung"),))


def test_a_hostile_pickle_does_not_run(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    torch.save({"weight": torch.ones(1), "trap": Trap()}, "hostile.pt")
    Path("plain.pt").write_bytes(pickle.dumps({"trap": Trap()}))
    for file in ("hostile.pt", "plain.pt"):
        with pytest.raises(WeightsError, match=rf"{file}: .*(code|checkpoint)") as caught:
            carry(file)
        assert "can still be loaded" not in str(caught.value)
    assert not Path("trap-was-sprung").exists()


@pytest.mark.parametrize("kind", ["pt", "safetensors"])
@pytest.mark.parametrize("kept", [0, 5, 40, 0.6])
def test_truncated_files_are_named(
    kind: str, kept: float, state: dict[str, torch.Tensor], tmp_path: Path
) -> None:
    path = tmp_path / f"model.{kind}"
    if kind == "pt":
        torch.save(state, path)
    else:
        save_plain(state, path)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(kept if kept > 1 or kept == 0 else kept * len(whole))])
    with pytest.raises(WeightsError, match=rf"model.{kind}: not a complete"):
        carry(path)


def test_a_file_without_weights_is_refused(tmp_path: Path) -> None:
    for wrong, message in (
        (3, "int has no weights"),
        ({"epoch": 1}, "has no tensors"),
        (tmp_path / "none.pt", "no such file"),
        (tmp_path, "contains 0 checkpoints"),
    ):
        with pytest.raises(WeightsError, match=message):
            carry(wrong)


class Torch(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.norm = nn.BatchNorm1d(4)
        self.attention = nn.MultiheadAttention(4, 2, batch_first=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.norm(self.linear(x)).unsqueeze(0)
        return self.attention(y, y, y, need_weights=False)[0]


class Paddle(paddle.nn.Layer):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.linear = paddle.nn.Linear(4, 4)
        self.norm = paddle.nn.BatchNorm1D(4)
        self.attention = paddle.nn.MultiHeadAttention(4, 2)

    def forward(self, x: Any) -> Any:
        y = self.norm(self.linear(x)).unsqueeze(0)
        return self.attention(y, y, y)


@pytest.mark.parametrize("how", ["module", "state dict"])
def test_hand_written_layers_get_their_own_layouts(how: str) -> None:
    torch.manual_seed(1)
    ours, theirs = Torch().eval(), Paddle()
    ours.norm.running_mean.normal_()
    ours.norm.running_var.uniform_(0.5, 2)
    found = carry(ours if how == "module" else ours.state_dict(), into=theirs)
    assert found.complete, str(found)
    theirs.eval()
    x = torch.randn(5, 4)
    torch.testing.assert_close(th(theirs(paddle.from_dlpack(x.clone()))), ours(x))


def test_tensors_that_do_not_fit_are_reported() -> None:
    state = {
        "linear.weight": torch.ones(3, 4),
        "linear.bias": torch.ones(4),
        "extra": torch.ones(1),
    }
    target = Paddle()
    found = carry(state, into=target)
    reasons = {u.name: u.reason for u in found.unfit}
    assert reasons["linear.weight"] == "has shape [3, 4], and the layer expects [4, 4]"
    assert reasons["extra"] == "Paddle has no such weight"
    assert "has no such weight" in reasons["norm.weight"]
    assert found.carried == ("linear.bias",)
    assert target.linear.bias.tolist() == [1, 1, 1, 1]


def test_an_optimizers_moments_are_carried_and_the_rest_is_reported() -> None:
    ours, theirs = nn.Linear(3, 2), paddle.nn.Linear(3, 2)
    adam = torch.optim.Adam(ours.parameters(), lr=0.1)
    ours(torch.randn(4, 3)).square().mean().backward()
    adam.step()
    twin = paddle.optimizer.Adam(0.1, parameters=theirs.parameters())
    theirs(paddle.ones([1, 3])).sum().backward()
    twin.step()  # Paddle's optimizers make places for their state in the first step
    found = carry(adam, into=(ours, theirs, twin))
    assert {"weight.exp_avg", "weight.exp_avg_sq"} <= set(found.carried)
    moment = next(v for k, v in twin.state_dict().items() if "moment1" in k and "w_0" in k)
    torch.testing.assert_close(th(moment).t(), adam.state[ours.weight]["exp_avg"])
    assert found.complete
    assert twin.get_lr() == pytest.approx(0.1)
    with pytest.raises(WeightsError, match="into="):
        carry(adam)


def test_saved_in_the_targets_format(state: dict[str, torch.Tensor], tmp_path: Path) -> None:
    path = carry(state).save(tmp_path / "model.pdparams")
    again = paddle.load(str(path))
    assert set(again) == set(state)
    torch.testing.assert_close(th(again["a.weight"]), state["a.weight"])
    with pytest.raises(Exception, match="pdparams"):
        carry(state).save(tmp_path / "model.bin")


def test_progress_shows_name_and_bytes(state: dict[str, torch.Tensor]) -> None:
    seen: list[tuple[str, int]] = []
    carry(state, progress=lambda name, done, total: seen.append((name, done)))
    assert [name for name, _ in seen] == list(state)
    assert seen[-1][1] == sum(value.nbytes for value in state.values())
