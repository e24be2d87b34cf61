"""Pairing of a port's tensors with the original's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from workbench.errors import TorchferryError
from workbench.verify.pairing.bound import Pair, bind
from workbench.verify.pairing.candidates import Shape, Side, candidates
from workbench.verify.pairing.equal_values import equal_values
from workbench.verify.pairing.layout import STACKED, STACKED_TRANSPOSED, TRANSPOSED, Layout
from workbench.verify.pairing.maps import pair_texts, read_map, written


def _pairs(ours: dict[str, Shape], theirs: dict[str, Shape], raw: frozenset[str] = frozenset()) -> (
    set[str]
):  # fmt: skip
    first = next(candidates(Side(ours), Side(theirs, raw)))
    assert not first.ours_left
    assert not first.theirs_left
    return {str(pair) for pair in first.pairs}


def test_equal_names_are_paired_first() -> None:
    ours: dict[str, Shape] = {"a.weight": (2, 2), "b.weight": (2, 2)}
    theirs: dict[str, Shape] = {"b.weight": (2, 2), "a.weight": (2, 2)}
    assert _pairs(ours, theirs) == {"a.weight=a.weight", "b.weight=b.weight"}


def test_parts_of_one_kind_are_paired_in_order() -> None:
    ours: dict[str, Shape] = {"fc1.weight": (4, 4), "fc2.weight": (4, 4), "norm.weight": (4,)}
    theirs: dict[str, Shape] = {"first.w": (4, 4), "ln.gamma": (4,), "last.w": (4, 4)}
    expected = {"fc1.weight=first.w", "fc2.weight=last.w", "norm.weight=ln.gamma"}
    assert _pairs(ours, theirs) == expected


def test_levels_of_a_recurrent_layer_are_paired_with_cells_that_keep_one_bias() -> None:
    ours: dict[str, Shape] = {}
    theirs: dict[str, Shape] = {}
    for level in ("l0", "l0_reverse", "l1", "l1_reverse"):
        ours |= {f"rnn.weight_ih_{level}": (8, 4), f"rnn.weight_hh_{level}": (8, 2)}
        ours |= {f"rnn.bias_ih_{level}": (8,), f"rnn.bias_hh_{level}": (8,)}
    for cell in ("0.backward", "0.forward", "1.backward", "1.forward"):
        theirs |= {f"{cell}.weight_ih": (8, 4), f"{cell}.weight_hh": (8, 2), f"{cell}.bias": (8,)}
    found = _pairs(ours, theirs)
    assert "rnn.weight_hh_l1_reverse=1.backward.weight_hh" in found
    assert "rnn.bias_ih_l0 + rnn.bias_hh_l0=0.forward.bias:sum" in found
    assert str(read_map("a + b=c:sum")) == "a + b=c:sum"


def test_fused_tensors_are_paired_with_their_parts() -> None:
    ours: dict[str, Shape] = {"qkv.weight": (12, 4), "proj.weight": (4, 4)}
    theirs: dict[str, Shape] = {f"{n}.weight": (4, 4) for n in ("k", "q", "v", "out")}
    expected = {"qkv.weight=q.weight + k.weight + v.weight", "proj.weight=out.weight"}
    assert _pairs(ours, theirs) == expected


def test_parts_are_known_by_their_sizes_whatever_they_are_called() -> None:
    ours: dict[str, Shape] = {"scales": (2,), "attn.weight": (4, 12), "attn.bias": (4,)}
    theirs: dict[str, Shape] = {
        "small": (1,),
        "large": (1,),
        "query.weight": (4, 4),
        "query.bias": (4,),
        "memory.weight": (4, 8),
    }
    expected = {
        "scales=small + large",
        "attn.weight=query.weight + memory.weight:columns",
        "attn.bias=query.bias",
    }
    assert _pairs(ours, theirs) == expected


def test_lists_of_matrices_are_paired_with_a_stack_of_two_at_a_time() -> None:
    ours: dict[str, Shape] = {}
    for number in range(2):
        ours[f"e.{number}.gate.weight"] = ours[f"e.{number}.up.weight"] = (6, 4)
        ours[f"e.{number}.down.weight"] = (4, 6)
    theirs: dict[str, Shape] = {"gate_up": (2, 4, 12), "down": (2, 6, 4)}
    first = " + ".join(f"e.{n}.{one}.weight" for n in range(2) for one in ("gate", "up"))
    expected = {
        f"{first}=gate_up:stackT",
        "e.0.down.weight + e.1.down.weight=down:stackT",
    }
    assert _pairs(ours, theirs) == expected


def test_a_fused_tensor_is_the_one_that_says_so() -> None:
    ours: dict[str, Shape] = {"wq.weight": (4, 4), "wk.weight": (2, 4), "wv.weight": (2, 4)}
    theirs: dict[str, Shape] = {"q.weight": (4, 4), "kv.weight": (4, 4)}
    assert _pairs(ours, theirs) == {"wk.weight + wv.weight=kv.weight", "wq.weight=q.weight"}


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("whole=a + b:columns", {"a": (3, 2), "b": (3, 4)}),
        ("x + y + z + w=stack:stackT", {"stack": (2, 3, 4)}),
    ],
)
def test_values_transferred_in_parts_are_read_back(text: str, kept: dict[str, Shape]) -> None:
    class PortTensor:
        def __init__(self, shape: Shape) -> None:
            self.tensor = torch.zeros(shape)

        def read(self) -> torch.Tensor:
            return self.tensor

        def write(self, value: torch.Tensor) -> None:
            self.tensor = value

    ours = {name: torch.randn(2, 3) for name in "xyzw"} | {"whole": torch.randn(3, 6)}
    theirs: Any = {name: PortTensor(shape) for name, shape in kept.items()}
    [bound] = bind([read_map(text)], ours, theirs)
    bound.carry()
    assert all(tuple(theirs[name].read().shape) == shape for name, shape in kept.items())
    torch.testing.assert_close(bound.read(), bound.value())


def test_fused_tensors_take_the_parts_of_one_attention_each() -> None:
    ours: dict[str, Shape] = {}
    theirs: dict[str, Shape] = {}
    for mine, other in (("enc.self", "enc_att"), ("dec.self", "dec_self"), ("dec.x", "dec_cross")):
        ours |= {f"{mine}.in_proj.weight": (12, 4), f"{mine}.out_proj.weight": (4, 4)}
        theirs |= {f"{other}.q.weight": (4, 4), f"{other}.kv.weight": (8, 4)}
        theirs[f"{other}.o.weight"] = (4, 4)
    ours["enc.linear1.weight"], theirs["enc_ff.a.weight"] = (8, 4), (8, 4)
    found = _pairs(ours, theirs)
    assert "enc.linear1.weight=enc_ff.a.weight" in found
    for other in ("enc_att", "dec_self", "dec_cross"):
        assert any(pair.endswith(f"={other}.q.weight + {other}.kv.weight") for pair in found)


def test_a_matrix_of_a_class_that_keeps_its_matrices_transposed_is_so_if_square() -> None:
    ours: dict[str, Shape] = {"a.weight": (4, 2), "b.weight": (4, 4)}
    theirs: dict[str, Shape] = {"a.weight": (2, 4), "b.weight": (4, 4)}
    found = _pairs(ours, theirs, frozenset(theirs))
    assert found == {"a.weight=a.weight:T", "b.weight=b.weight:T"}


def test_a_map_is_read_as_it_is_written() -> None:
    assert read_map("a.weight=b.w:T") == Pair(("a.weight",), ("b.w",), TRANSPOSED, "map")
    assert str(read_map("a=q + k + v")) == "a=q + k + v"
    with pytest.raises(TorchferryError, match="write ORIGINAL=PORT"):
        read_map("a.weight")


def test_a_file_of_maps_is_read_as_it_was_written(tmp_path: Path) -> None:
    file = tmp_path / "pairs.txt"
    file.write_text(written(["a.weight=b.w:T", "a.bias=b.b"]))
    assert list(pair_texts([str(file), "c=d"])) == ["a.weight=b.w:T", "a.bias=b.b", "c=d"]
    with pytest.raises(TorchferryError, match="missing"):
        list(pair_texts([str(tmp_path / "missing.txt")]))


def test_equal_values_pair_what_no_other_is_equal_to() -> None:
    square, other = torch.randn(3, 3), torch.randn(3, 3)
    ours = {"a": square, "b": other, "c": torch.ones(3), "d": torch.arange(4.0)}
    theirs = {"x": other, "y": square.t(), "z": torch.ones(3), "u": ours["d"], "v": ours["d"]}
    found = equal_values(ours, theirs, frozenset({"y"}))
    assert [str(pair) for pair in found] == ["a=y:T", "b=x"]
    # The target's own layer defines its layout: a transposed weight was loaded wrongly.
    assert [str(pair) for pair in equal_values(ours, theirs, frozenset())] == ["b=x"]


def test_tensors_are_paired_in_the_order_of_use() -> None:
    ours: dict[str, Shape] = {"a.weight": (4, 4), "b.weight": (4, 4), "c.weight": (4, 4)}
    theirs: dict[str, Shape] = {"z.weight": (4, 4), "y.weight": (4, 4), "x.weight": (4, 4)}
    left = Side(ours, used=("a.weight", "b.weight", "c.weight"))
    right = Side(theirs, used=("x.weight", "z.weight", "y.weight"))
    found = [{str(pair) for pair in one.pairs} for one in candidates(left, right)]
    assert {"a.weight=x.weight", "b.weight=z.weight", "c.weight=y.weight"} in found


def test_a_list_of_matrices_is_paired_with_the_stack_of_them() -> None:
    ours: dict[str, Shape] = {f"experts.{n}.up.weight": (6, 4) for n in range(3)}
    expected = " + ".join(ours)
    assert _pairs(ours, {"w": (3, 4, 6)}) == {f"{expected}=w:stackT"}
    assert _pairs(ours, {"w": (3, 6, 4)}) == {f"{expected}=w:stack"}
    assert _pairs({"w": (3, 6, 4)}, ours) == {f"w={expected}:stack"}


def test_a_list_of_vectors_is_paired_with_the_stacks_of_their_halves() -> None:
    heads: dict[str, Shape] = {f"attention_{n}.a": (16, 1) for n in range(3)}
    theirs: dict[str, Shape] = {"first.source": (3, 8, 1), "first.target": (3, 8, 1)}
    [pair] = _pairs(heads, theirs)
    assert pair == " + ".join(heads) + "=first.source + first.target:stack"
    assert str(read_map(pair)) == pair
    halves: dict[str, Shape] = {"last.source": (1, 5, 1), "last.target": (1, 5, 1)}
    assert _pairs({"out.a": (10, 1)}, halves) == {"out.a=last.source + last.target"}


def test_a_convolution_of_patches_is_paired_with_a_matrix() -> None:
    ours: dict[str, Shape] = {"patches.weight": (8, 3, 2, 2), "patches.bias": (8,)}
    expected = {"patches.bias=embed.bias"}
    straight: dict[str, Shape] = {"embed.weight": (8, 12), "embed.bias": (8,)}
    assert _pairs(ours, straight) == expected | {"patches.weight=embed.weight:view"}
    turned: dict[str, Shape] = {"embed.weight": (12, 8), "embed.bias": (8,)}
    assert _pairs(ours, turned) == expected | {"patches.weight=embed.weight:flatT"}


class _Kept:
    """A tensor as a port keeps it."""

    def __init__(self, *shape: int) -> None:
        self.value = torch.zeros(shape)
        self.tensors = (self.value,)

    def read(self) -> torch.Tensor:
        return self.value

    def write(self, value: torch.Tensor) -> None:
        self.value = value

    def gradient(self) -> None:
        return None

    def moment(self, optimizer: object, name: str) -> None:
        return None


@pytest.mark.parametrize(
    ("layout", "ours", "theirs"),
    [
        ("T", [(4, 2)], [(2, 4)]),
        ("view", [(4, 2, 1)], [(1, 4, 2)]),
        ("flatT", [(4, 2, 3, 3)], [(18, 4)]),
        ("stack", [(4, 2)] * 3, [(3, 4, 2)]),
        ("stackT", [(4, 2)] * 3, [(3, 2, 4)]),
        ("stackT", [(3, 4, 2)], [(2, 4)] * 3),
        ("", [(4, 2)] * 3, [(12, 2)]),
        ("", [(12, 2)], [(4, 2)] * 3),
        ("stack", [(4, 1)] * 3, [(3, 2, 1)] * 2),
        ("", [(4, 1)], [(1, 2, 1)] * 2),
        ("columns", [(4, 6)], [(4, 2), (4, 4)]),
        ("T", [(4, 6)], [(2, 4), (4, 4)]),
        ("T", [(6, 4)], [(4, 2), (4, 4)]),
        ("T", [(4, 6)], [(3, 2, 4)]),
        ("stackT", [(6, 4)], [(3, 4, 2)]),
        ("stackT", [(12, 4)], [(3, 4, 2)] * 2),
    ],
)
def test_a_value_comes_back_from_every_layout(
    layout: str, ours: list[Shape], theirs: list[Shape]
) -> None:
    known = Layout.read(layout)
    assert known is not None
    mine = {f"a{n}": torch.randn(shape) for n, shape in enumerate(ours)}
    kept = {f"b{n}": _Kept(*shape) for n, shape in enumerate(theirs)}
    [bound] = bind([Pair(tuple(mine), tuple(kept), known)], mine, kept)
    bound.carry()
    assert [tuple(one.read().shape) for one in kept.values()] == theirs
    assert torch.equal(bound.read(), bound.value())


def test_a_stack_keeps_each_matrix_transposed() -> None:
    mine = {"a": torch.randn(4, 2), "b": torch.randn(4, 2)}
    kept = {"w": _Kept(2, 2, 4)}
    bind([Pair(("a", "b"), ("w",), STACKED_TRANSPOSED)], mine, kept)[0].carry()
    assert torch.equal(kept["w"].read(), torch.stack([mine["a"].t(), mine["b"].t()]))


def test_dimensions_in_another_order_are_distinguished_by_their_sizes() -> None:
    ours: dict[str, Shape] = {"votes.W": (1, 5, 30, 12, 8)}
    [pair] = _pairs(ours, {"routing.weight": (30, 5, 8, 12)})
    assert pair == "votes.W=routing.weight:axes1032"
    assert str(read_map(pair)) == pair


def test_a_list_of_any_length_is_paired_with_the_layer_that_it_is_fused_into() -> None:
    ours: dict[str, Shape] = {f"caps.convs.{n}.weight": (8, 16, 5, 5) for n in range(6)}
    [pair] = _pairs(ours, {"primary.weight": (48, 16, 5, 5)})
    assert pair == " + ".join(ours) + "=primary.weight"


def test_like_layers_of_two_parts_go_with_what_is_unlike_in_them() -> None:
    def head(name: str, out: int) -> dict[str, Shape]:
        layers: dict[str, Shape] = {f"{name}.{n}.weight": (4, 4, 3, 3) for n in (0, 2)}
        return layers | {f"{name}.4.weight": (out, 4, 3, 3)}

    sides = Side(head("boxes", 3) | head("scores", 5)), Side(head("cls", 5) | head("reg", 3))
    readings = [{str(pair) for pair in found.pairs} for found in candidates(*sides)]
    assert {f"boxes.{n}.weight=reg.{n}.weight" for n in (0, 2, 4)} | {
        f"scores.{n}.weight=cls.{n}.weight" for n in (0, 2, 4)
    } in readings


def test_unused_experts_have_no_gradient_next_to_others() -> None:
    mine = {name: torch.randn(2) for name in "ab"}
    [bound] = bind([Pair(("a", "b"), ("w",), STACKED)], mine, {"w": _Kept(2, 2)})
    found = bound.of({"a": torch.ones(2), "b": None})
    assert found is not None
    assert found.tolist() == [1, 1, 0, 0]
    assert bound.of({"a": None, "b": None}) is None


def test_heads_gates_and_blocks_are_paired_by_what_they_are_called() -> None:
    heads = [f"heads.{n}.{kind}.weight" for kind in ("query", "key", "value") for n in range(2)]
    ours: dict[str, Shape] = {"qkv.weight": (12, 4)}
    assert _pairs(ours, dict.fromkeys(sorted(heads), (2, 4))) == {f"qkv.weight={' + '.join(heads)}"}
    ours = {"lstm.weight_ih_l0": (12, 5)}
    gates = [f"cell.w_{gate}" for gate in ("input", "forget", "cell", "output")]
    expected = {f"lstm.weight_ih_l0={' + '.join(gates)}:T"}
    assert _pairs(ours, dict.fromkeys(sorted(gates), (5, 3)), raw=frozenset(gates)) == expected
