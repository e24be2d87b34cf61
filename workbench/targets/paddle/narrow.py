"""Short integers and booleans, for which Paddle has few CPU kernels.

Short integers are computed in int32.
"""

from __future__ import annotations

from dataclasses import replace

from workbench.rules.family import subject
from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Rewrite
from workbench.rules.rule import Rule
from workbench.source.traits.masking import MOVING
from workbench.source.types.lattice import Tensor
from workbench.targets.paddle.common.either import may_be_mask
from workbench.targets.paddle.common.promotion import has_several_dtypes
from workbench.words import words

# Functions of one tensor whose results have its dtype.
_OWN = frozenset(
    words(
        "square trunc fix round flip fliplr flipud roll rot90 tril triu diag diagflat "
        "diag_embed combinations"
    )
)
_IN_PLACE = _OWN | {"abs", "absolute"}
# Functions that return a fact about each value.
_TELLING = frozenset({"isnan", "isinf", "isfinite", "isposinf", "isneginf"})
SHORT = frozenset({"int8", "int16", "uint8"})
# Other functions without a kernel for one of the short integers, by their last names.
_FUNCTIONS = """
    all amax amin aminmax any argmax argmin argsort argwhere bincount clamp clamp_max clamp_min clip
    cumprod einsum gather index_select kthvalue max maximum median min minimum mul multiply
    nonzero pad pow prod remainder repeat_interleave scatter scatter_add sort take_along_dim topk
    unique unique_consecutive where
"""
_WITHOUT_KERNEL = frozenset(_FUNCTIONS.split())
# Functions without a kernel for booleans, by their last names; the form of `pad` casts masks.
_WITHOUT_BOOL = MOVING - {"pad"}


# Layers whose weights Paddle cannot draw if they have no values.
_DRAWING = frozenset(f"torch.nn.{name}" for name in words("Linear Embedding"))
_SIZES = ("in_features", "out_features", "num_embeddings", "embedding_dim")


def lacks_kernel(name: str, match: Match) -> bool:
    """Return whether a plain form of a name would raise for its tensor or its sizes.

    The tensor is known to hold short integers, or the program shows that it may be a mask. Layers
    may have a size of 0.
    """
    last = name.rpartition(".")[2].removesuffix("_")
    if last in _WITHOUT_BOOL and may_be_mask(match):
        return True
    if has_several_dtypes(name, match):
        return True
    if name in _DRAWING:
        return any(match.constant(size) == 0 for size in _SIZES if size in match)
    if last not in _OWN and last not in _IN_PLACE and last not in _WITHOUT_KERNEL:
        return False
    use = match.use
    values = (use.receiver_value, *use.values, *use.keywords.values())
    return any(isinstance(one, Tensor) and one.dtype in SHORT for one in values)


def widened(rule: Rule) -> Rule:
    """Return the rule, which computes in int32 if its tensor is known to hold short integers."""
    name = rule.name.removeprefix("torch.").removeprefix("Tensor.")
    kinds = SHORT | {"bool"} if name in _TELLING else SHORT
    in_place = name.endswith("_") and name[:-1] in _IN_PLACE
    if not (in_place or name in _OWN | _TELLING) or rule.refusal is not None:
        return rule

    def decide(match: Match) -> Outcome:
        value, outcome = subject(match), rule.apply(match)
        if not isinstance(value, Tensor) or value.dtype not in kinds:
            return outcome
        if isinstance(outcome, Keep) and not match.arguments:
            outcome = Rewrite(f"{{self}}.{name}()", note=outcome.note, caveat=outcome.caveat)
        place = "{self}" if match.use.receiver is not None else "{input}"
        if not isinstance(outcome, Rewrite) or outcome.template.count(place) != 1:
            return outcome
        text = outcome.template.replace(place, f"{place}.astype(paddle.int32)")
        if in_place:
            return replace(outcome, template=f"torch_into({place}, {text})")
        if name in _OWN and not match.given("out"):
            text += f".astype(paddle.{value.dtype})"
        return replace(outcome, template=text)

    return replace(rule, function=decide)
