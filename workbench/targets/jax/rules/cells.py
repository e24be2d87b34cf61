"""Recurrent cells, bags of embeddings, distances."""

from __future__ import annotations

from workbench.rules.difference import at
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Refusal, Rewrite
from workbench.rules.rule import RuleSet

rules = RuleSet()
_N, _F = "torch.nn.", "torch.nn.functional."
_PLACED = {"device": "JAX chooses the device"}
_IN_RANGE = at("an index out of range reads another row in {target}; in torch it raises")
for _kind in ("GRU", "LSTM"):
    rules.row(
        f"{_N}{_kind}Cell",
        f"TorchCell('{_kind}', {{input_size}}, {{hidden_size}}, bias={{bias}}, rngs=rngs)",
        ignored=_PLACED,
    )
rules.row(
    _N + "RNNCell",
    "TorchCell('RNN', {input_size}, {hidden_size}, bias={bias}, nonlinearity={nonlinearity},"
    " rngs=rngs)",
    ignored=_PLACED,
)


@rules.rule(_N + "EmbeddingBag")
def embedding_bag(match: Match) -> Outcome:
    """Write a short layer; rows that are not trained or scaled have no equivalent."""
    if match.given("max_norm", "scale_grad_by_freq", "_weight", "padding_idx", "dtype"):
        return Refusal("its arguments besides the sizes and the mode have no equivalent")
    used = {"num_embeddings", "embedding_dim", "mode", "include_last_offset"}
    options = "".join(
        f", {name}={{{name}}}" for name in ("mode", "include_last_offset") if match.given(name)
    )
    return Rewrite(
        f"TorchEmbeddingBag({{num_embeddings}}, {{embedding_dim}}{options}, rngs=rngs)",
        consumed=frozenset(
            name for name in match.arguments if name not in used or match.is_default(name)
        ),
        differs=_IN_RANGE,
    )


@rules.rule(_F + "embedding_bag")
def embedding_bag_of(match: Match) -> Outcome:
    """Write the function without options for training."""
    if match.given("max_norm", "scale_grad_by_freq", "padding_idx"):
        return Refusal("its arguments besides the mode have no equivalent")
    names = ("offsets", "mode", "per_sample_weights", "include_last_offset")
    options = "".join(f", {name}={{{name}}}" for name in names if match.given(name))
    return Rewrite(
        f"torch_embedding_bag({{input}}, {{weight}}{options})",
        consumed=frozenset(match.arguments) - {"input", "weight", *names}
        | {name for name in names if match.is_default(name)},
        differs=_IN_RANGE,
    )


_OLD = ("size_average", "reduce")


def _options(match: Match, names: tuple[str, ...]) -> str:
    return "".join(f", {one}={{{one}}}" for one in names if match.given(one))


@rules.rule(_F + "triplet_margin_loss", _N + "TripletMarginLoss")
def triplet(match: Match) -> Outcome:
    """Write the loss, or the loss with its options."""
    if match.given(*_OLD):
        return Refusal("reduce and size_average have no equivalent", "reduction='none'")
    options = _options(match, ("margin", "p", "eps", "swap", "reduction"))
    left = frozenset(name for name in match.arguments if match.is_default(name))
    if match.use.name.startswith(_F):
        text = f"torch_triplet_margin_loss({{anchor}}, {{positive}}, {{negative}}{options})"
        return Rewrite(text, consumed=left)
    written = f"partial(torch_triplet_margin_loss{options})" if options else ""
    return Rewrite(written or "torch_triplet_margin_loss", consumed=left)


@rules.rule(_F + "cosine_embedding_loss", _N + "CosineEmbeddingLoss")
def cosine_embedding(match: Match) -> Outcome:
    """Write the loss, or the loss with its options."""
    if match.given(*_OLD):
        return Refusal("reduce and size_average have no equivalent", "reduction='none'")
    options = _options(match, ("margin", "reduction"))
    left = frozenset(name for name in match.arguments if match.is_default(name))
    if match.use.name.startswith(_F):
        text = f"torch_cosine_embedding_loss({{input1}}, {{input2}}, {{target}}{options})"
        return Rewrite(text, consumed=left)
    written = f"partial(torch_cosine_embedding_loss{options})" if options else ""
    return Rewrite(written or "torch_cosine_embedding_loss", consumed=left)


rules.row(
    _F + "pairwise_distance",
    "torch_distance({x1}, {x2}, {p=2.0}, {eps=1e-06}, {keepdim=False})",
)
rules.row(_N + "PairwiseDistance", "partial(torch_distance, p={p}, eps={eps}, keepdim={keepdim})")
for _name in ("torch.dist", "torch.Tensor.dist"):
    _mine = "{self}" if "Tensor" in _name else "{input}"
    rules.row(_name, f"torch_vector_norm({_mine} - {{other}}, {{p=2}})")
