"""Settings of flax.nnx's own layers, in torch's terms."""

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
# Settings that a layer's constructor does not use, so that they may be changed later.
_FREE = frozenset({"eps", "p", "dropout", "momentum"})


def of_layer(layer: Any) -> dict[str, Any]:
    """Return the settings of a layer of flax, or an empty dictionary for a user's layer."""
    if not type(layer).__module__.startswith("flax."):
        return {}
    held = vars(layer)
    found = {torch: held[own] for own, torch in _NAMES.items() if held.get(own) is not None}
    if "momentum" in held:  # the share of the old value, in torch that of the new one
        found["momentum"] = round(1 - held["momentum"], 12)
    return found


def set_layer(layer: Any, name: str, value: Any) -> bool:
    """Change a setting of a layer, in torch's terms; return False if it cannot be changed."""
    if name not in _FREE or name not in of_layer(layer):
        return False
    if name == "momentum":
        layer.momentum = 1 - value
        return True
    setattr(layer, next(own for own, torch in _NAMES.items() if torch == name), value)
    return True


def of_optimizer(optimizer: Any) -> dict[str, Any]:
    """Return the rate if `optax.inject_hyperparams` holds it; optax's functions expose nothing."""
    for state in (optimizer.opt_state, *_parts(optimizer.opt_state)):
        rate = getattr(state, "hyperparams", {}).get("learning_rate")
        if rate is not None:
            return {"lr": float(rate[...])}
    return {}


def _parts(state: Any) -> tuple[Any, ...]:
    return tuple(state) if isinstance(state, tuple) else ()
