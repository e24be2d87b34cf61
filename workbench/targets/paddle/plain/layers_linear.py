"""Linear and convolution layers in Paddle's own words."""

from __future__ import annotations

from workbench.rules.difference import Difference
from workbench.rules.forms import FormSet
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Rewrite

forms = FormSet()

# torch's distribution of new weights, `init` once per file: uniform within 1/sqrt(fan in).
_TORCH_WEIGHTS = "weight_attr=torch_init"


@forms.form("torch.nn.Linear", value="paddle.nn.Linear", since="3.0")
def linear(match: Match) -> Outcome | None:
    """torch.nn.Linear(in_features, out_features, bias=True, device=None, dtype=None)."""
    if match.given("device", "dtype") or match.constant("bias", True) not in (True, False):
        return None
    parts = ["{in_features}", "{out_features}"]
    differs: tuple[Difference, ...] = ()
    if not match.program.initialises("Linear"):
        parts.append(_TORCH_WEIGHTS)
        differs = (Difference.FRESH_WEIGHTS,)
    if match.constant("bias", True) is False:
        parts.append("bias_attr=False")
    text = f"paddle.nn.Linear({', '.join(parts)})"
    return Rewrite(text, consumed=frozenset({"bias"}), differs=differs)
