"""Settings of Paddle's own layers and optimizers, in torch's terms."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import paddle

from workbench.words import words

_nn: Any = paddle.nn

# Attributes of Paddle's layers, with torch's attributes of the same value.
_NAMES: dict[str, str] = {
    "_epsilon": "eps",
    "_negative_slope": "negative_slope",
    "_alpha": "alpha",
    "_beta": "beta",
    "_threshold": "threshold",
    "_stride": "stride",
    "stride": "stride",
    "_padding": "padding",
    "padding": "padding",
    "_dilation": "dilation",
    "_groups": "groups",
    "_num_groups": "num_groups",
    "_kernel_size": "kernel_size",
    "ksize": "kernel_size",
    "kernel_size": "kernel_size",
    "_padding_idx": "padding_idx",
    "_axis": "dim",
    "ceil_mode": "ceil_mode",
    "align_corners": "align_corners",
    "mode": "mode",
    "num_heads": "num_heads",
    "reduction": "reduction",
    "ignore_index": "ignore_index",
    "label_smoothing": "label_smoothing",
    "dropout": "dropout",
    "p": "p",
    "normalize_before": "norm_first",
    "num_layers": "num_layers",
    "output_padding": "output_padding",
}
# Attributes with another meaning: torch's name, and the conversions to torch's value and back.
_UNLIKE: dict[str, tuple[str, Callable[[Any], Any], Callable[[Any], Any]]] = {
    "_momentum": ("momentum", lambda v: round(1 - v, 12), lambda v: 1 - v),
    "_approximate": ("approximate", lambda v: "tanh" if v else "none", lambda v: v == "tanh"),
    "exclusive": ("count_include_pad", lambda v: not v, lambda v: not v),
}
# Settings that a layer's constructor uses, or that determine its weights. Paddle's kernels do not
# check whether the weights fit.
_FIXED = frozenset(
    words("dilation groups kernel_size mode num_groups num_heads num_layers padding stride")
)


def of_layer(layer: Any) -> dict[str, Any]:
    """Return the settings of a layer of Paddle, or an empty dictionary for a user's layer."""
    if not type(layer).__module__.startswith("paddle."):
        return {}
    held = vars(layer)
    found = {torch: held[name] for name, torch in _NAMES.items() if name in held}
    for name, (torch, read, _) in _UNLIKE.items():
        if name in held:
            found[torch] = read(held[name])
    if isinstance(layer, _nn.layer.rnn.RNNBase):
        found.pop("mode", None)
    if isinstance(layer, _nn.Dropout) and found.pop("mode", "") != "upscale_in_train":
        found["scaled"] = "in evaluation (torch scales in training)"
    return found


def set_layer(layer: Any, name: str, value: Any) -> bool:
    """Change a setting of a layer, in torch's terms; return False if it cannot be changed."""
    if name in _FIXED:
        return False
    for own, torch in _NAMES.items():
        if torch == name and own in vars(layer):
            object.__setattr__(layer, own, value)
            return True
    for own, (torch, _, write) in _UNLIKE.items():
        if torch == name and own in vars(layer):
            object.__setattr__(layer, own, write(value))
            return True
    return False


def of_optimizer(optimizer: Any) -> dict[str, Any]:
    """Return the settings of an optimizer, in torch's terms."""
    held = vars(optimizer)
    found: dict[str, Any] = {"lr": float(optimizer.get_lr())}
    if "_beta1" in held and isinstance(held["_beta1"], float):
        found["betas"] = (held["_beta1"], held["_beta2"])
    for own, name in (("_epsilon", "eps"), ("_momentum", "momentum"), ("_rho", "alpha")):
        if isinstance(held.get(own), float):
            found[name] = held[own]
    if isinstance(optimizer, paddle.optimizer.RMSProp):  # its epsilon is under the root
        found["eps"] = math.sqrt(found["eps"])
    for own, name in (("_use_nesterov", "nesterov"), ("_amsgrad", "amsgrad")):
        if own in held:
            found[name] = bool(held[own])
    found["weight_decay"] = _decay(optimizer)
    return found


def _decay(optimizer: Any) -> Any:
    decay = vars(optimizer).get("regularization")
    for own in ("_weight_decay", "_regularization_coeff"):  # AdamW's, and Momentum's
        if decay is None:
            decay = vars(optimizer).get(own)
    if isinstance(decay, int | float):
        return float(decay)
    coefficient = getattr(decay, "_coeff", getattr(decay, "_regularization_coeff", None))
    return float(coefficient) if coefficient is not None else 0.0
