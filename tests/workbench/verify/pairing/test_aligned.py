"""Tensors paired along the order of their use."""

from __future__ import annotations

from workbench.verify.pairing.aligned import aligned
from workbench.verify.pairing.layout import SAME


def _pairs(left: dict[str, tuple[int, ...]], right: dict[str, tuple[int, ...]]) -> list[str]:
    same = lambda a, b: SAME if left[a] == right[b] else None  # noqa: E731
    return [str(pair) for pair in aligned(left, right, same)]


def test_one_by_one_and_several_as_one() -> None:
    left = {"emb": (9, 4), "a.q": (4, 4), "a.k": (4, 4), "a.v": (4, 4), "a.o": (4, 4), "up": (8, 4)}
    right = {"table": (9, 4), "qkv": (12, 4), "merge": (4, 4), "wide": (8, 4)}
    assert _pairs(left, right) == ["emb=table", "a.q + a.k + a.v=qkv", "a.o=merge", "up=wide"]


def test_two_that_are_used_the_other_way_round() -> None:
    weights = {"q": (4, 4), "k": (4, 4), "v": (4, 4), "o": (4, 4), "up": (8, 4)}
    left = {f"attention.{name}.weight": shape for name, shape in weights.items()}
    right = {
        f"mix.{name}.weight": shape
        for name, shape in {
            "key_value": (8, 4),
            "query": (4, 4),
            "merge": (4, 4),
            "wide": (8, 4),
        }.items()
    }
    assert _pairs(left, right) == [
        "attention.q.weight=mix.query.weight",
        "attention.k.weight + attention.v.weight=mix.key_value.weight",
        "attention.o.weight=mix.merge.weight",
        "attention.up.weight=mix.wide.weight",
    ]


def test_a_tensor_without_dimensions_is_no_part_of_another() -> None:
    left = {"scale": (), "shift": (), "norm": (4,)}
    assert _pairs(left, {"both": (2,), "norm": (4,)}) == []
    assert _pairs({"both": (2,)}, {"a": (), "b": ()}) == []
    assert _pairs(left, left) == ["scale=scale", "shift=shift", "norm=norm"]


def test_all_of_a_kind_or_none() -> None:
    left = {"w": (4, 4), "b": (4,), "rest": (3,)}
    right = {"weight": (4, 4), "bias": (4,)}
    assert _pairs(left, right) == ["w=weight"]
