"""Embeddings and dropout."""

from __future__ import annotations

from workbench.rules.match import NOT_CONSTANT, Match
from workbench.rules.outcome import Outcome, Refusal, Rewrite
from workbench.rules.rule import RuleSet
from workbench.rules.same_call import same_call

rules = RuleSet()

_DENSE = "gradients are dense tensors in Paddle, with the same values"
_SCALED = Refusal(
    "`scale_grad_by_freq` has no equivalent: torch scales the gradients of bags by the"
    " counts of other rows"
)


@rules.rule("torch.nn.Embedding", value="TorchEmbedding", unpacked="TorchEmbedding(...)")
def embedding(match: Match) -> Outcome:
    """Write a helper with torch's padding rows, bounds and initial values."""
    note = _DENSE if match.given("sparse") else None
    return Rewrite(same_call("torch.nn.Embedding", "TorchEmbedding"), note=note)


rules.row(
    "torch.nn.Embedding.from_pretrained",
    same_call("torch.nn.Embedding.from_pretrained", "TorchEmbedding.from_pretrained"),
)


@rules.rule(
    "torch.nn.functional.embedding", value="torch_embedding", unpacked="torch_embedding(...)"
)
def embedding_function(match: Match) -> Outcome:
    """Write the function as the layer is written."""
    return Rewrite("torch_embedding(...)", note=_DENSE if match.given("sparse") else None)


@rules.rule("torch.nn.EmbeddingBag", value="TorchEmbeddingBag", unpacked="TorchEmbeddingBag(...)")
def embedding_bag(match: Match) -> Outcome:
    """Write a helper that sums with a matrix product."""
    if match.given("scale_grad_by_freq"):
        return _SCALED
    note = _DENSE if match.given("sparse") else None
    return Rewrite(same_call("torch.nn.EmbeddingBag", "TorchEmbeddingBag"), note=note)


rules.row(
    "torch.nn.EmbeddingBag.from_pretrained", "TorchEmbeddingBag.from_pretrained(...)", note=_DENSE
)


@rules.rule(
    "torch.nn.functional.embedding_bag",
    value="torch_embedding_bag",
    unpacked="torch_embedding_bag(...)",
)
def embedding_bag_function(match: Match) -> Outcome:
    """Write the function as the layer is written."""
    if match.given("scale_grad_by_freq"):
        return _SCALED
    return Rewrite("torch_embedding_bag(...)", note=_DENSE if match.given("sparse") else None)


# Dropout ---------------------------------------------------------------------------------------

_ONCE = "gradients of gradients through it raise an error in Paddle"
_DRAWN = "other elements are dropped: the two frameworks draw different numbers from the same seed"


@rules.rule(
    "torch.nn.Dropout",
    value="paddle.nn.Dropout",
    unpacked="(lambda p=0.5, inplace=False: paddle.nn.Dropout(p, inplace=inplace))(...)",
    note=_DRAWN,
)
def dropout(match: Match) -> Outcome:
    """Write Paddle's layer, which has no second derivative."""
    twice = match.program.differentiates_twice
    if match.given("inplace"):
        caveat = _ONCE if twice else None
        return Rewrite("paddle.nn.Dropout({p}, inplace={inplace})", note=_DRAWN, caveat=caveat)
    return Rewrite(
        "TorchDropout({p})" if twice else "paddle.nn.Dropout({p})",
        consumed=frozenset({"inplace"}) & match.arguments.keys(),
        note=_DRAWN,
    )


def _alpha(name: str) -> None:
    """Add the rule of `alpha_dropout` or a similar function, which Paddle lacks in place."""

    @rules.rule(f"torch.nn.functional.{name}", unpacked=f"torch_{name}(...)", note=_DRAWN)
    def drop(match: Match) -> Outcome:
        if match.constant("inplace", False) is not False:
            return Rewrite(f"torch_{name}(...)", note=_DRAWN)
        return Rewrite(
            f"paddle.nn.functional.{name}({{input}}, p={{p}}, training={{training=False}})",
            consumed=frozenset({"inplace"}) & match.arguments.keys(),
            note=_DRAWN,
        )


for _name in ("Dropout1d", "Dropout2d", "Dropout3d"):
    rules.counterpart(f"torch.nn.{_name}", f"Torch{_name}", note=_DRAWN)
    _dims = {"Dropout1d": ", dims=1)", "Dropout2d": ")", "Dropout3d": ", dims=3)"}[_name]
    rules.row(
        f"torch.nn.functional.{_name.lower()}",
        "torch_feature_dropout({input}, p={p}, training={training}" + _dims,
        "torch_feature_dropout({input}, p={p}, training={training}, inplace={inplace}" + _dims,
        note=_DRAWN,
    )
for _name, _target in {
    "AlphaDropout": "alpha_dropout",
    "FeatureAlphaDropout": "feature_alpha_dropout",
}.items():
    rules.counterpart(f"torch.nn.{_name}", f"Torch{_name}", note=_DRAWN)
    _alpha(_target)


@rules.rule(
    "torch.nn.functional.dropout",
    value="paddle.nn.functional.dropout",
    unpacked="torch_dropout(...)",
    note=_DRAWN,
)
def dropout_function(match: Match) -> Outcome:
    """Write Paddle's function; an in-place dropout overwrites the input."""
    plain = "paddle.nn.functional.dropout({input}, p={p}, training={training})"
    flag, twice = match.constant("inplace", False), match.program.differentiates_twice
    if flag is NOT_CONSTANT or (twice and not flag):
        return Rewrite("torch_dropout(...)", note=_DRAWN)
    consumed = frozenset({"inplace"}) & match.arguments.keys()
    if flag:
        over = plain.replace("dropout({input}", "dropout, {input}")
        over = "torch_in_place(" + over.replace("dropout(", "dropout, ", 1)
        return Rewrite(over, consumed=consumed, note=_DRAWN, caveat=_ONCE if twice else None)
    return Rewrite(plain, consumed=consumed, note=_DRAWN)
