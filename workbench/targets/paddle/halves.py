"""Refusals and notes for half-precision tensors, for which Paddle has few CPU kernels.

The proofs record this for most functions. This module covers what they do not test with half
precision: layers, functions that overwrite their input, and functions without samples in torch's
databases.
"""

from __future__ import annotations

import re
from dataclasses import replace

from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Refusal
from workbench.rules.rule import Rule
from workbench.source.types.lattice import Tensor, of_halves
from workbench.words import words

_CALLED = re.compile(r"torch\.nn\.(modules\.\w+\.)?(?P<layer>\w+)\.forward$")
# Layers that move, drop or keep values.
_WITHOUT_NUMBERS = re.compile(
    r"Module|Identity|(Un)?[Ff]latten|\w*Dropout\w*|Pixel(Uns|S)huffle|ChannelShuffle"
)
_FUNCTIONS = frozenset(
    f"torch.nn.{name}"
    for name in words(
        "functional.elu_ functional.relu_ functional.leaky_relu_ functional.hardtanh_ "
        "functional.threshold_ functional.rrelu_ functional.celu_ functional.selu_ "
        "functional.softmax functional.softmin functional.gumbel_softmax functional.lp_pool1d "
        "functional.lp_pool2d functional.lp_pool3d functional.fold functional.affine_grid "
        "functional.embedding functional.triplet_margin_with_distance_loss init.normal_ "
        "init.uniform_ init.kaiming_normal_ init.kaiming_uniform_ init.xavier_normal_ "
        "init.xavier_uniform_"
    )
)


def halved(rule: Rule) -> Rule:
    """Return the rule, which reports the missing CPU kernel for known half-precision tensors."""
    called = _CALLED.match(rule.name)
    layer = called is not None and not _WITHOUT_NUMBERS.fullmatch(called["layer"])
    if rule.refusal is not None or not (layer or rule.name in _FUNCTIONS):
        return rule

    def decide(match: Match) -> Outcome:
        outcome = rule.apply(match)
        values = [*match.use.values, *match.use.keywords.values()]
        halves = {v.dtype for v in values if isinstance(v, Tensor) and of_halves(v)}
        if not halves or isinstance(outcome, Refusal) or outcome.caveat is not None:
            return outcome
        if match.given("dtype"):  # the arguments are cast first
            return outcome
        named = " and ".join(sorted(str(one) for one in halves))
        what = "most layers" if layer else "it"
        caveat = (
            f"on a CPU Paddle does not support {what} for tensors of {named}, and raises an error"
        )
        return replace(outcome, caveat=caveat)

    return replace(rule, function=decide)
