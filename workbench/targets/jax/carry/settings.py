"""What flax.nnx's own layers were made with, in torch's words."""

from __future__ import annotations

from typing import Any

_NAMES = {
    "epsilon": "eps",
    "rate": "p",
    "num_groups": "num_groups",
    "num_heads": "num_heads",
    "dropout_rate": "dropout",
    "strides": "stride",
    "kernel_dilation": "dilation",
    "feature_group_count": "groups",
}
# What a layer computes nothing from when it is made, so that it may be set later.
_FREE = frozenset({"eps", "p", "dropout", "momentum"})


def of_layer(layer: Any) -> dict[str, Any]:
    """What a layer of flax's own was made with; nothing for one of the user's."""
    if not type(layer).__module__.startswith("flax."):
        return {}
    held = vars(layer)
    found = {torch: held[own] for own, torch in _NAMES.items() if held.get(own) is not None}
    if "momentum" in held:  # of what was there before, where torch's is of what is new
        found["momentum"] = round(1 - held["momentum"], 12)
    return found


def set_layer(layer: Any, name: str, value: Any) -> bool:
    """Give a layer another setting, in torch's words; False where it cannot be changed so."""
    if name not in _FREE or name not in of_layer(layer):
        return False
    if name == "momentum":
        layer.momentum = 1 - value
        return True
    setattr(layer, next(own for own, torch in _NAMES.items() if torch == name), value)
    return True


def of_optimizer(optimizer: Any) -> dict[str, Any]:
    """The rate, where `optax.inject_hyperparams` holds it: optax's functions tell nothing."""
    for state in (optimizer.opt_state, *_parts(optimizer.opt_state)):
        rate = getattr(state, "hyperparams", {}).get("learning_rate")
        if rate is not None:
            return {"lr": float(rate[...])}
    return {}


def _parts(state: Any) -> tuple[Any, ...]:
    return tuple(state) if isinstance(state, tuple) else ()
