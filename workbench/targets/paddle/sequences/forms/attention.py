"""Attention of `paddle.compat`, which takes torch's layouts."""

from __future__ import annotations

from workbench.rules.difference import at
from workbench.rules.forms import FormSet
from workbench.targets.paddle.common.writing import floats, native, underived

forms = FormSet()

_MASKED = at("a query whose keys are all masked gives NaN in {target}, zeros in torch")
_ATTENTION = "paddle.compat.nn.functional.scaled_dot_product_attention"
forms.row(
    "torch.nn.functional.scaled_dot_product_attention",
    to=_ATTENTION,
    when=lambda match: floats(match, "query", "key", "value"),
    differs=_MASKED,
    value=_ATTENTION,
    since="3.3",
)
_LAYER = "paddle.compat.nn.MultiheadAttention"
forms.row(
    "torch.nn.MultiheadAttention",
    to=_LAYER,
    when=lambda match: native(match),
    differs=_MASKED,
    value=lambda program: _LAYER if underived(program, "MultiheadAttention") else None,
    since="3.3",
)
