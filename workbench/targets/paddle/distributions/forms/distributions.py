"""Distributions for draws and probabilities, as short classes."""

from __future__ import annotations

from collections.abc import Callable

from workbench.rules.difference import Difference
from workbench.rules.forms import FormSet
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.source.traits.program import Program
from workbench.words import words

forms = FormSet(since="3.3")

# Members that the short classes lack, by names that tensors rarely have; and functions of any
# distribution.
_MORE = words(
    "arg_constraints batch_shape cdf enumerate_support event_shape has_enumerate_support "
    "has_rsample icdf mode param_shape perplexity sample_n support"
)
_OTHERS = words(
    "CumulativeDistributionTransform Independent MixtureSameFamily TransformedDistribution "
    "kl_divergence register_kl set_default_validate_args"
)
_UNCHECKED = "invalid parameters raise no error, which torch's `validate_args` checks"


def _class(program: Program, name: str) -> str | None:
    odd = program.derives(name) or program.calls(*_OTHERS) or program.is_passed_on(name)
    odd = odd or program.reads("Distribution") or program.is_passed_on("Distribution")
    return None if odd or program.reads_of(name, *_MORE) else f"TorchPlain{name}"


def _value(name: str) -> Callable[[Program], str | None]:
    return lambda program: _class(program, name)


for _name in ("Categorical", "Normal"):

    @forms.form(f"torch.distributions.{_name}", value=_value(_name))
    def distribution(match: Match, name: str = _name) -> Outcome | None:
        cls = _class(match.program, name)
        if cls is None or match.constant("validate_args", None) is True:
            return None
        differs = (Difference.RANDOM_DRAWS,)
        return Rewrite(cls, callee_only=True, note=_UNCHECKED, differs=differs)
