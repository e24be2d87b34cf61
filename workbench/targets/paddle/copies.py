"""Functions whose result is a copy in Paddle and a view in torch."""

from __future__ import annotations

import ast
from dataclasses import replace

from workbench.rules.difference import Differs, unless
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Refusal
from workbench.rules.rule import Rule
from workbench.rules.same import changes_later
from workbench.source.types import dtypes
from workbench.source.types.lattice import Tensor
from workbench.targets.paddle.common.either import tensor_of
from workbench.words import words

_COPYING = frozenset(
    f"{owner}.{name}"
    for owner in ("torch", "torch.Tensor")
    for name in words(
        "expand expand_as broadcast_to broadcast_tensors unfold numpy real imag view_as_real "
        "view_as_complex"
    )
)
_CHANGED = (
    "the result is a copy in {target}: an in-place change of it does not change the tensor that it"
    " was made from, as it does in torch"
)


def of_copies(name: str, match: Match) -> Differs:
    """Return the difference of a copy that the program changes in place, in the plain style."""
    shown = name in _COPYING and not _has_separate_windows(match) and _is_shown(match)
    return unless(_CHANGED) if shown else ()


def reported(rule: Rule) -> Rule:
    """Return the rule, which reports a copy that the program changes in place."""
    if rule.name not in _COPYING or rule.refusal is not None:
        return rule

    def decide(match: Match) -> Outcome:
        outcome = rule.apply(match)
        if isinstance(outcome, Refusal) or outcome.caveat is not None or not _is_shown(match):
            return outcome
        return replace(outcome, caveat=_CHANGED.format(target="Paddle"), note=None)

    return replace(rule, function=decide)


def _is_shown(match: Match) -> bool:
    """Return whether the copy can be observed; `x.real` of a real tensor is the tensor itself."""
    tensor = tensor_of(match)
    known = isinstance(tensor, Tensor) and dtypes.kind(tensor.dtype) not in {None, 3}
    whole = known and match.use.name.endswith(".real")
    return not whole and changes_later(match)


def _has_separate_windows(match: Match) -> bool:
    """Return whether windows do not overlap, as Paddle's views of them: `x.unfold(0, 2, 2)`."""
    given = [match.arguments[name].node for name in ("size", "step") if name in match]
    return len(given) == 2 and ast.dump(given[0]) == ast.dump(given[1])
