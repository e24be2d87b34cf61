"""Facts of small timm layers and helpers that many model files import, written by hand.

Programs import them from several modules; timm's documentation uses `timm.layers`.
"""

from __future__ import annotations

from typing import Any, Final

HOME: Final = "timm.layers"
_TUPLES: Final = ("to_2tuple", "to_3tuple", "to_4tuple")
_FROM: Final = {
    "DropPath": ("drop",),
    "drop_path": ("drop",),
    "make_divisible": ("helpers",),
    "Mlp": ("mlp",),
    "trunc_normal_": ("weight_init",),
    **dict.fromkeys(_TUPLES, ("helpers",)),
}

ENTRIES: Final[dict[str, dict[str, Any]]] = {
    HOME: {"kind": "module"},
    f"{HOME}.DropPath": {
        "kind": "class",
        "bases": ["torch.nn.Module"],
        "signatures": ["(drop_prob: float=0.0, scale_by_keep: bool=True)"],
    },
    f"{HOME}.DropPath.drop_prob": {"kind": "attribute", "signatures": ["() -> float"]},
    f"{HOME}.DropPath.scale_by_keep": {"kind": "attribute", "signatures": ["() -> bool"]},
    f"{HOME}.Mlp": {
        "kind": "class",
        "bases": ["torch.nn.Module"],
        "signatures": [
            "(in_features: int, hidden_features: int | None=None, out_features: int | None=None,"
            " act_layer: type[torch.nn.Module]=torch.nn.GELU,"
            " norm_layer: type[torch.nn.Module] | None=None,"
            " bias: bool | tuple[bool, bool]=True, drop: float | tuple[float, float]=0.0,"
            " use_conv: bool=False, device=None, dtype=None)"
        ],
    },
    **{
        f"{HOME}.Mlp.{name}": {"kind": "attribute", "signatures": ["() -> torch.nn.Module"]}
        for name in ("fc1", "act", "drop1", "norm", "fc2", "drop2")
    },
    f"{HOME}.drop_path": {
        "kind": "function",
        "signatures": [
            "(x: Tensor, drop_prob: float=0.0, training: bool=False, scale_by_keep: bool=True)"
            " -> Tensor"
        ],
    },
    f"{HOME}.make_divisible": {
        "kind": "function",
        "signatures": [
            "(v: float, divisor: int=8, min_value: int | None=None, round_limit: float=.9) -> int"
        ],
    },
    **{
        f"{HOME}.{name}": {"kind": "function", "signatures": ["(x: Any) -> tuple[Any, ...]"]}
        for name in _TUPLES
    },
}
"""Facts in the form of `torch.json`."""

ALIASES: Final[dict[str, str]] = {
    f"{module}{part}.{name}": (
        "torch.nn.init.trunc_normal_" if name == "trunc_normal_" else f"{HOME}.{name}"
    )
    for name, parts in _FROM.items()
    for module in (HOME, "timm.models.layers")
    for part in ("", *(f".{part}" for part in parts))
    if f"{module}{part}.{name}" not in ENTRIES
}
"""Other names of these, and of functions that torch has too."""

NAMES: Final = frozenset(ENTRIES).union(ALIASES) - {HOME}
