"""Checkpoints written tensor by tensor, as the library of the format reads them."""

from __future__ import annotations

import gc
import json
import weakref
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from workbench.weights import WeightsError, sources
from workbench.weights.streaming import Entry, write_safetensors
from workbench.weights.whole_files import write

STATE = {
    "a": torch.randn(3, 5),
    "b": torch.randn(4).bfloat16(),
    "c": torch.arange(7),
    "d": torch.tensor([True, False, True]),
    "e": torch.tensor(2.5, dtype=torch.float16),
    "f": torch.ones(0, 3),
    "g": torch.randn(3, 2, dtype=torch.float64),
}


def same(place: Path, state: dict[str, torch.Tensor]) -> bool:
    found = load_file(place)
    return found.keys() == state.keys() and all(
        torch.equal(value, found[name]) and value.dtype == found[name].dtype
        for name, value in state.items()
    )


def test_the_library_reads_what_is_written(tmp_path: Path) -> None:
    entries = [Entry(name, value.dtype, tuple(value.shape)) for name, value in STATE.items()]
    write_safetensors(tmp_path / "net.safetensors", entries, STATE.__getitem__)
    assert same(tmp_path / "net.safetensors", STATE)
    turned = torch.randn(2, 3).t()
    write_safetensors(
        tmp_path / "t.safetensors", [Entry("t", torch.float32, (3, 2))], lambda n: turned
    )
    assert torch.equal(load_file(tmp_path / "t.safetensors")["t"], turned)
    with pytest.raises(WeightsError, match="changed while it was written"):
        write_safetensors(
            tmp_path / "t.safetensors", [Entry("t", torch.float32, (3, 3))], lambda n: turned
        )
    assert torch.equal(load_file(tmp_path / "t.safetensors")["t"], turned)


@pytest.mark.parametrize("target", ["paddle", "jax"])
def test_shards_are_joined_with_one_tensor_in_memory(
    tmp_path: Path, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if target == "jax":
        pytest.importorskip("flax")
    names = [f"layers.{number}.weight" for number in range(6)]
    state = {name: torch.randn(8, 8) for name in names}
    folder = tmp_path / "sharded"
    folder.mkdir()
    for number in range(2):
        part = {name: state[name] for name in names[number::2]}
        save_file(part, folder / f"part-{number}.safetensors")
    index = {name: f"part-{place % 2}.safetensors" for place, name in enumerate(names)}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": index}))
    alive: list[weakref.ref[torch.Tensor]] = []
    counts: list[int] = []
    opened = sources.open_source

    def counted(place: Path) -> sources.Source:
        source = opened(place)
        read = source.tensor

        def tensor(name: str) -> torch.Tensor:
            gc.collect()
            counts.append(sum(one() is not None for one in alive))
            value = read(name)
            alive.append(weakref.ref(value))
            return value

        source.tensor = tensor
        return source

    monkeypatch.setattr(sources, "open_source", counted)
    found = write(folder, tmp_path / "net.safetensors", target)
    assert same(tmp_path / "net.safetensors", state)
    assert set(found.carried) == set(names) and not found.left and found.nbytes == 6 * 256
    assert len(counts) == 6 and max(counts) == 0


def test_paddles_checkpoints_are_written_and_read_as_safetensors(tmp_path: Path) -> None:
    torch.save(STATE, tmp_path / "net.pt")
    write(tmp_path / "net.pt", tmp_path / "net.safetensors", "paddle")
    assert same(tmp_path / "net.safetensors", STATE)
    write(tmp_path / "net.safetensors", tmp_path / "again.pt", "paddle")
    again = torch.load(tmp_path / "again.pt")
    assert all(torch.equal(value, again[name]) for name, value in STATE.items())
