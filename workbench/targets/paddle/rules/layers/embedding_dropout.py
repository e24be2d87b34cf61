"""Embeddings and dropout."""

from __future__ import annotations

from workbench.rules.match import NOT_CONSTANT, Match
from workbench.rules.outcome import Outcome, Refusal, Rewrite
from workbench.rules.rule import RuleSet
from workbench.rules.same_call import same_call
from workbench.upstream.cases.layers import SEED

rules = RuleSet()

_DENSE = "gradients are dense in Paddle; their values are the same"
_SCALED = Refusal("torch scales the gradients of bags by how often other rows than theirs are read")


@rules.rule(
    "torch.nn.Embedding",
    value="TorchEmbedding",
    unpacked="TorchEmbedding(...)",
    cases=[
        f"{SEED}how = {{'num_embeddings': 10, 'embedding_dim': 3, 'padding_idx': 1}}\n"
        "l = _seed(nn.Embedding(**how))\nr = l(i)",
        f"{SEED}l = _seed(nn.Embedding(10, 3))\nr = l(i), l.num_embeddings, l.embedding_dim",
        f"{SEED}l = _seed(nn.Embedding(5, 3, padding_idx=0))\nr = l(i)\nr.sum().backward()\n"
        "g = l.weight.grad",
        f"{SEED}l = _seed(nn.Embedding(5, 3, max_norm=0.5))\nr = l(n), l.weight",
        "nn.Embedding(3, 2)(torch.tensor([-1]))",
        f"{SEED}l = _seed(nn.Embedding(5, 3, scale_grad_by_freq=True))\n"
        "(l(torch.tensor([1, 1, 4])) ** 2).sum().backward()\ng = l.weight.grad",
        "l = nn.Embedding(300, 50, padding_idx=-1)\n"
        "_s = float(np.std(np.asarray(l.weight.detach())))\n"
        "0.95 < _s < 1.05, l.weight[299], l.padding_idx",
    ],
)
def embedding(match: Match) -> Outcome:
    """A helper: padding rows, bounds and initial values are torch's."""
    note = _DENSE if match.given("sparse") else None
    return Rewrite(same_call("torch.nn.Embedding", "TorchEmbedding"), note=note)


rules.row(
    "torch.nn.Embedding.from_pretrained",
    same_call("torch.nn.Embedding.from_pretrained", "TorchEmbedding.from_pretrained"),
    cases=[
        "l = nn.Embedding.from_pretrained(x)\nr = l(n), l.weight",
        "nn.Embedding.from_pretrained(x, freeze=False, padding_idx=0)(n)",
    ],
)


@rules.rule(
    "torch.nn.functional.embedding",
    value="torch_embedding",
    unpacked="torch_embedding(...)",
    cases=[
        "F.embedding(n, x)",
        "how = {'padding_idx': 1}\nF.embedding(n, w, **how).sum().backward()\ng = w.grad",
        "F.embedding(n, w, padding_idx=-1).sum().backward()\ng = w.grad",
        "v = x.clone()\nr = F.embedding(n, v, max_norm=1.0, norm_type=1.0)\nv",
        "k = torch.tensor([[0, 1, 1], [2, 1, 0]])\n"
        "(F.embedding(k, w, 2, None, 2.0, True) ** 2).sum().backward()\ng = w.grad",
    ],
)
def embedding_function(match: Match) -> Outcome:
    """As the layer."""
    return Rewrite("torch_embedding(...)", note=_DENSE if match.given("sparse") else None)


_BAG = "o = torch.tensor([0, 2, 2])\nk = torch.tensor([0, 2, 1, 1, 0])\n"


@rules.rule(
    "torch.nn.EmbeddingBag",
    value="TorchEmbeddingBag",
    unpacked="TorchEmbeddingBag(...)",
    cases=[
        f"{SEED}how = {{'mode': 'max'}}\nl = _seed(nn.EmbeddingBag(5, 3, **how))\nr = l(i)",
        f"{SEED}{_BAG}l = _seed(nn.EmbeddingBag(5, 3))\nr = l(i), l(k, o)",
        f"{SEED}{_BAG}l = _seed(nn.EmbeddingBag(5, 3, mode='max', padding_idx=1))\nl(k, o)",
        f"{SEED}{_BAG}l = _seed(nn.EmbeddingBag(5, 3, mode='sum', include_last_offset=True))\n"
        "l(k, o), l(i, per_sample_weights=p)",
    ],
)
def embedding_bag(match: Match) -> Outcome:
    """A helper that sums with a matrix product."""
    if match.given("scale_grad_by_freq"):
        return _SCALED
    note = _DENSE if match.given("sparse") else None
    return Rewrite(same_call("torch.nn.EmbeddingBag", "TorchEmbeddingBag"), note=note)


rules.row(
    "torch.nn.EmbeddingBag.from_pretrained",
    "TorchEmbeddingBag.from_pretrained(...)",
    note=_DENSE,
    cases=[
        "l = nn.EmbeddingBag.from_pretrained(sq)\nr = l(i), l.weight",
        "l = nn.EmbeddingBag.from_pretrained(sq, freeze=False, mode='sum', padding_idx=1)\n"
        "l(i).sum().backward()\ng = l.weight.grad",
    ],
)


@rules.rule(
    "torch.nn.functional.embedding_bag",
    value="torch_embedding_bag",
    unpacked="torch_embedding_bag(...)",
    cases=[
        f"{_BAG}how = {{'mode': 'sum'}}\nF.embedding_bag(k, x, o, **how)",
        "v = torch.ones(4, 2, requires_grad=True)\n"
        "F.embedding_bag(torch.tensor([[1, 2], [3, 1]]), v, mode='max').sum().backward()\n"
        "g = v.grad",
        f"{_BAG}F.embedding_bag(k, x, o), F.embedding_bag(x, k, o)",
        "F.embedding_bag(i, sq, mode='sum')",
        f"{_BAG}F.embedding_bag(k, w, o, None, 2.0, False, 'sum').sum().backward()\ng = w.grad",
    ],
)
def embedding_bag_function(match: Match) -> Outcome:
    """As the layer."""
    if match.given("scale_grad_by_freq"):
        return _SCALED
    return Rewrite("torch_embedding_bag(...)", note=_DENSE if match.given("sparse") else None)


# Dropout ---------------------------------------------------------------------------------------

_DRAWN = "what is dropped differs: the two frameworks draw different numbers from one seed"


def _dropout_cases(name: str, given: str) -> list[str]:
    return [
        f"l = nn.{name}(0.3).eval()\nr = l({given}), l.p",
        f"nn.{name}(p=0.0)({given})",
        f"nn.{name}(1.0)({given})" if "Alpha" not in name else f"nn.{name}()({given}).shape",
    ]


@rules.rule(
    "torch.nn.Dropout",
    value="paddle.nn.Dropout",
    cases=[
        *_dropout_cases("Dropout", "x"),
        "how = {'p': 0.0, 'inplace': True}\nnn.Dropout(**how)(x)",
    ],
    unpacked="(lambda p=0.5, inplace=False: paddle.nn.Dropout(p, inplace=inplace))(...)",
    note=_DRAWN,
)
def dropout(match: Match) -> Outcome:
    """Paddle's own."""
    if match.given("inplace"):
        return Rewrite("paddle.nn.Dropout({p}, inplace={inplace})", note=_DRAWN)
    return Rewrite(
        "paddle.nn.Dropout({p})",
        consumed=frozenset({"inplace"}) & match.arguments.keys(),
        note=_DRAWN,
    )


def _alpha(name: str) -> None:
    """`alpha_dropout` and its like, which Paddle has, though not in place."""

    @rules.rule(
        f"torch.nn.functional.{name}",
        unpacked=f"torch_{name}(...)",
        note=_DRAWN,
        cases=[
            f"F.{name}(img, 0.5), F.{name}(img, 0.5, False, False)",
            f"F.{name}(img, p=0.0, training=True)",
            f"v = img * 1\nflag = len(x) > 2\nr = F.{name}(v, 0.5, False, flag)\nr is v, v",
            f"how = {{'p': 0.0, 'inplace': True}}\nv = img * 1\nr = F.{name}(v, **how)\nr is v, v",
            f"v = img * 1\nF.{name}(v, training=True, inplace=True)\nr = v.shape, v.equal(img)",
        ],
    )
    def drop(match: Match) -> Outcome:
        if match.constant("inplace", False) is not False:
            return Rewrite(f"torch_{name}(...)", note=_DRAWN)
        return Rewrite(
            f"paddle.nn.functional.{name}({{input}}, p={{p}}, training={{training=False}})",
            consumed=frozenset({"inplace"}) & match.arguments.keys(),
            note=_DRAWN,
        )


for _name, _given in {"Dropout1d": "a", "Dropout2d": "img", "Dropout3d": "img[:, :, None]"}.items():
    rules.row(
        f"torch.nn.{_name}",
        f"Torch{_name}(...)",
        value=f"Torch{_name}",
        note=_DRAWN,
        cases=[
            *_dropout_cases(_name, _given),
            *_dropout_cases(_name, f"{_given}[0]"),
            f"v = {_given} * 1\nr = nn.{_name}(p=1.0, inplace=True)(v)\nr is v, v",
        ],
    )
    _dims = {"Dropout1d": ", dims=1)", "Dropout2d": ")", "Dropout3d": ", dims=3)"}[_name]
    rules.row(
        f"torch.nn.functional.{_name.lower()}",
        "torch_feature_dropout({input}, p={p}, training={training}" + _dims,
        "torch_feature_dropout({input}, p={p}, training={training}, inplace={inplace}" + _dims,
        note=_DRAWN,
        cases=[
            f"v = {_given} * 1\nr = F.{_name.lower()}(v, 1.0, inplace=True)\nr is v, v",
            f"F.{_name.lower()}({_given}, 0.5, training=False)",
            f"F.{_name.lower()}({_given}, p=1.0)",
        ],
    )
for _name, _target in {
    "AlphaDropout": "alpha_dropout",
    "FeatureAlphaDropout": "feature_alpha_dropout",
}.items():
    rules.row(
        f"torch.nn.{_name}",
        f"Torch{_name}(...)",
        value=f"Torch{_name}",
        note=_DRAWN,
        cases=[
            *_dropout_cases(_name, "img"),
            f"l = nn.{_name}(0.0, inplace=True)\nr = l.inplace, l.p, l(img)",
        ],
    )
    _alpha(_target)


@rules.rule(
    "torch.nn.functional.dropout",
    value="paddle.nn.functional.dropout",
    unpacked="torch_dropout(...)",
    note=_DRAWN,
    cases=[
        "how = {'p': 1.0, 'training': False}\nF.dropout(x, **how)",
        "args = (x * 1, 1.0, True, True)\nr = F.dropout(*args)\nr is args[0], r",
        "flag = len(x) > 2\nv = x * 1\nr = F.dropout(v, 1.0, inplace=flag)\nr is v, v",
        "F.dropout(x, 0.5, False)",
        "F.dropout(x, p=0.0)",
        "F.dropout(x, 1.0, training=True)",
        "v = x * 1\nr = F.dropout(v, 1.0, inplace=True)\nr is v, v",
    ],
)
def dropout_function(match: Match) -> Outcome:
    """Paddle's own; what is dropped in place is written over the input."""
    plain = "paddle.nn.functional.dropout({input}, p={p}, training={training})"
    flag = match.constant("inplace", False)
    if flag is NOT_CONSTANT:
        return Rewrite("torch_dropout(...)", note=_DRAWN)
    consumed = frozenset({"inplace"}) & match.arguments.keys()
    if flag:
        over = plain.replace("dropout({input}", "dropout, {input}")
        over = "torch_in_place(" + over.replace("dropout(", "dropout, ", 1)
        return Rewrite(over, consumed=consumed, note=_DRAWN)
    return Rewrite(plain, consumed=consumed, note=_DRAWN)
