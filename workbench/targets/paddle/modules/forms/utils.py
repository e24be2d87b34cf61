"""`torch.nn.utils` as Paddle writes it."""

from __future__ import annotations

from workbench.rules.forms import FormSet

forms = FormSet()

_U = "paddle.nn.utils"
forms.row(
    "torch.nn.utils.clip_grad_norm_",
    to=(
        f"{_U}.clip_grad_norm_({{parameters}}, {{max_norm}})",
        f"{_U}.clip_grad_norm_({{parameters}}, {{max_norm}}, norm_type={{norm_type}},"
        " error_if_nonfinite={error_if_nonfinite})",
    ),
)
forms.row(
    "torch.nn.utils.clip_grad_value_",
    to=f"{_U}.clip_grad_value_({{parameters}}, {{clip_value}})",
)
