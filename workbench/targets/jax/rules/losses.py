"""Losses, as functions and as objects that are called."""

from __future__ import annotations

from workbench.rules.difference import at
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Refusal, Rewrite
from workbench.rules.rule import RuleSet

rules = RuleSet()
_F = "torch.nn.functional."
# torch's function, and the class that holds its options.
_LOSSES = {
    "cross_entropy": ("CrossEntropyLoss", ("weight", "ignore_index", "label_smoothing")),
    "nll_loss": ("NLLLoss", ("weight", "ignore_index")),
    "mse_loss": ("MSELoss", ()),
    "l1_loss": ("L1Loss", ()),
    "smooth_l1_loss": ("SmoothL1Loss", ("beta",)),
    "huber_loss": ("HuberLoss", ("delta",)),
    "binary_cross_entropy": ("BCELoss", ("weight",)),
    "binary_cross_entropy_with_logits": ("BCEWithLogitsLoss", ("weight", "pos_weight")),
    "kl_div": ("KLDivLoss", ("log_target",)),
}
_IN_RANGE = at("a label out of range counts as another one in {target}; in torch it raises")
_OLD = ("size_average", "reduce")


def _options(match: Match, names: tuple[str, ...]) -> str:
    return "".join(f", {one}={{{one}}}" for one in (*names, "reduction") if match.given(one))


# Losses that need no helper.
_PLAIN = {"mse_loss": "({input} - {target}) ** 2"}
_REDUCED = {"mean": "jnp.mean(…)", "sum": "jnp.sum(…)", "none": "…"}


def _left(match: Match) -> frozenset[str]:
    return frozenset(name for name in match.arguments if match.is_default(name))


def _add(function: str, cls: str, names: tuple[str, ...]) -> None:
    helper = f"torch_{function}"
    differs = _IN_RANGE if function in {"cross_entropy", "nll_loss"} else ()

    @rules.rule(_F + function, value=helper)
    def call(match: Match) -> Outcome:
        if match.given(*_OLD) or (match.given("weight") and "weight" not in names):
            return Refusal("reduce, size_average and weight have no equivalent here")
        reduced = _REDUCED.get(match.constant("reduction", "mean"))
        if function in _PLAIN and reduced is not None:
            text = reduced.replace("…", _PLAIN[function])
            return Rewrite(text, consumed=frozenset(match.arguments) - {"input", "target"})
        return Rewrite(
            f"{helper}({{input}}, {{target}}{_options(match, names)})",
            consumed=_left(match),
            differs=differs,
        )

    @rules.rule(f"torch.nn.{cls}")
    def made(match: Match) -> Outcome:
        if match.given(*_OLD):
            return Refusal("reduce and size_average have no equivalent", "reduction='none'")
        options = _options(match, names)
        written = f"partial({helper}{options})" if options else helper
        return Rewrite(written, consumed=_left(match), differs=differs)


for _function, (_cls, _names) in _LOSSES.items():
    _add(_function, _cls, _names)
