"""Attention of `paddle.compat`, which takes torch's layouts."""

from __future__ import annotations

from workbench.rules.difference import Difference, at
from workbench.rules.forms import FormSet
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.targets.paddle.common.writing import flag, floats, native, underived
from workbench.targets.paddle.layers.forms.linear import place

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
_BIAS = at("a new `out_proj.bias` is drawn in {target}, zeros in torch")


@forms.form(
    "torch.nn.MultiheadAttention",
    value=lambda program: _LAYER if underived(program, "MultiheadAttention") else None,
    value_differs=(*_MASKED, *_BIAS),
    since="3.3",
)
def attention_layer(match: Match) -> Outcome | None:
    """torch.nn.MultiheadAttention(embed_dim, num_heads, dropout=0.0, bias=True, ...)."""
    if not native(match):
        return None
    with_biases = flag(match, "add_bias_kv", default=False) is not False
    differs = (*_MASKED, *([Difference.FRESH_WEIGHTS] if with_biases else []))
    bias = flag(match, "bias")
    if bias is False or match.program.initialises("Linear", "bias"):
        return Rewrite(_LAYER, callee_only=True, differs=differs)
    layer = place(match) if bias else None
    if layer is None:
        return Rewrite(_LAYER, callee_only=True, differs=(*differs, *_BIAS))
    after = f"paddle.nn.init.zeros_({layer}.out_proj.bias)"
    return Rewrite(_LAYER, callee_only=True, after=after, differs=differs)
