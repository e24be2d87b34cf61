"""Losses and distances, layers and functions, as Paddle writes them."""

from __future__ import annotations

import ast

from workbench.rules.difference import Differs, at, unless
from workbench.rules.forms import FormSet
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.source.traits.program import Program
from workbench.source.types import dtypes
from workbench.source.types.lattice import Items, Tensor
from workbench.source.uses import Use
from workbench.targets.paddle.common.writing import flag, floats, number, underived, written
from workbench.words import words

forms = FormSet()

# Functions that return something else than torch's for these values, by Paddle's names.
_AT = {
    "kl_div": at("a target below 0 adds nothing to kl_div in {target}; in torch the loss is NaN"),
    "hinge_embedding_loss": at(
        "the gradient of hinge_embedding_loss where the input equals the margin is 0 in"
        " {target}, -1 in torch; a target other than 1 and -1 adds nothing"
    ),
    "margin_ranking_loss": at(
        "the gradient of margin_ranking_loss at the point where the loss becomes 0 is 0 in"
        " {target}; in torch it is that of a positive loss"
    ),
    "cosine_embedding_loss": at(
        "the gradient of cosine_embedding_loss at a vector of zeros differs from torch's"
    ),
    "binary_cross_entropy_with_logits": at(
        "the gradient of binary_cross_entropy_with_logits at a logit of exactly 0 differs"
        " from torch's"
    ),
}
_SHORT = at(
    "cosine_similarity is smaller than in torch if the product of the two norms is less than eps"
)
# The open conditions of each function.
_GRADIENT = unless("targets that require gradients get none in {target}")
_UNLESS = {
    "mse_loss": unless("integer targets raise an error in {target}"),
    "l1_loss": unless("integer targets raise an error in {target}"),
    "binary_cross_entropy": _GRADIENT,
    "binary_cross_entropy_with_logits": _GRADIENT,
    "kl_div": (
        *_GRADIENT,
        *unless("an input and a target of different shapes raise an error in {target}"),
    ),
    "soft_margin_loss": unless(
        "an input and a target of different shapes raise an error in {target}"
    ),
    "triplet_margin_loss": unless("embeddings of different shapes raise an error in {target}"),
    "poisson_nll_loss": unless(
        "an input and a target of different shapes or dtypes raise an error in {target}"
    ),
    "smooth_l1_loss": unless(
        "an input and a target of different shapes or dtypes raise an error in {target}"
    ),
    "nll_loss": unless("labels of -100, which torch ignores, may crash the process in {target}"),
}
# Their slope at a logit of zero differs if no weight of positives is given.
_KINKED = frozenset({"BCEWithLogitsLoss", "binary_cross_entropy_with_logits"})
_FIXED = frozenset({"KLDivLoss", "kl_div"})  # their targets get no gradients
_LEGACY = ("size_average", "reduce")
_IGNORED = -100
_TINY = 1e-6  # an epsilon without visible effect
# Layers whose results are scores per position, with the classes as second dimension.
_DENSE = words(
    "ConvTranspose1d ConvTranspose2d ConvTranspose3d Upsample interpolate "
    "UpsamplingBilinear2d UpsamplingNearest2d segmentation"
)


def _loss(
    name: str,
    own: str,
    *,
    function: str,
    renamed: dict[str, str] | None = None,
    layer: bool,
    members: tuple[str, ...] = (),
) -> None:
    """Add the form of a loss that Paddle has with the same arguments, except the oldest two.

    Arguments after the tensors are written as keywords, since their positions differ.
    """
    native = f"paddle.nn.{own}" if layer else f"paddle.nn.functional.{own}"

    def plain(program: Program) -> bool:
        own = underived(program, name) and not program.reads(*members)
        return own and (name not in _FIXED or program.calls("detach"))

    def value(program: Program) -> str | None:
        kinked = name in _KINKED and _starts_at_zero(program)
        return native if plain(program) and not kinked else None

    value_differs = (*_UNLESS.get(function, ()), *_AT.get(function, ()))

    @forms.form(
        f"torch.nn.{'' if layer else 'functional.'}{name}", value=value, value_differs=value_differs
    )
    def loss(match: Match) -> Outcome | None:
        if match.given(*_LEGACY) or (layer and not plain(match.program)):
            return None
        kinked = name in _KINKED and not match.given("pos_weight")
        if kinked and _starts_at_zero(match.program):
            return None
        labels = ("target",) if name == "nll_loss" else ()
        if not layer and not floats(match, *(one for one in _TENSORS if one not in labels)):
            return None
        if not layer and match.given("weight") and name in ("mse_loss", "l1_loss"):
            return None
        if name == "kl_div" and not _is_detached(match):
            return _divergence(match)
        if name in ("NLLLoss", "nll_loss") and _leaves_out(match):
            return None
        names = {"target": "label", **(renamed or {})}
        corners = _AT.get(function, ()) if kinked or name not in _KINKED else ()
        return Rewrite(
            _by_keyword(match, native, names),
            consumed=frozenset(_LEGACY),
            differs=(*_open(match, function), *corners),
        )


def _open(match: Match, function: str) -> Differs:
    """Return the open facts of a loss, without those that its call excludes."""
    target = match.value("target")
    if function in ("mse_loss", "l1_loss") and isinstance(target, Tensor) and target.dtype:
        return ()
    if function == "nll_loss" and match.constant("reduction", "mean") == "none":
        return ()
    if function == "nll_loss" and "target" in match and _counts(match.arguments["target"].node):
        return ()
    found = _UNLESS.get(function, ())
    if "target" in match and _asks_for_none(match):
        return tuple(one for one in found if one not in _GRADIENT)
    return found


# Functions whose results require no gradients, and functions that return non-negative integers.
_WITHOUT_GRADIENT = frozenset(
    {"detach", "ones", "zeros", "full", "ones_like", "zeros_like", "full_like", "randint"}
)
_COUNTING = frozenset({"randint", "arange", "argmax", "argmin", "argsort", "randperm"})
_PASSING = frozenset({"view", "reshape", "flatten", "contiguous", "long", "to"})


def _asks_for_none(match: Match) -> bool:
    """Return whether the text shows that a target asks for no gradients."""
    return _made_by(match.arguments["target"].node, _WITHOUT_GRADIENT) or _is_detached(match)


def _counts(node: ast.expr) -> bool:
    """Return whether the text shows that labels are whole numbers from 0 on: `scores.argmax(1)`."""
    return _made_by(node, _COUNTING)


def _made_by(node: ast.expr, makers: frozenset[str]) -> bool:
    """Return whether an expression is a call of one of some functions, perhaps in another shape."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr in makers:
            return "requires_grad" not in {one.arg for one in node.keywords}
        if node.func.attr not in _PASSING:
            return False
        node = node.func.value
    return False


def _starts_at_zero(program: Program) -> bool:
    """Return whether a program makes weights of zeros, whose first logits are zeros, too."""
    own = program.calls("Parameter") or "requires_grad" in program.traits.keywords
    return program.traits.zeros_weights or (own and program.calls("zeros", "zeros_like"))


_TENSORS = words("input target input1 input2 anchor positive negative var weight pos_weight")


def _is_detached(match: Match) -> bool:
    """Return whether the text cuts the target off, so that no gradients of it are missed."""
    target = match.arguments.get("target")
    return target is not None and any(
        isinstance(part, ast.Attribute) and part.attr == "detach" for part in ast.walk(target.node)
    )


def _leaves_out(match: Match) -> bool:
    """Return whether ignored labels occur in a mean or a sum; Paddle's kernel corrupts the heap."""
    if match.constant("reduction", "mean") == "none":
        return False
    return match.given("ignore_index") or _IGNORED in match.program.traits.numbers


def _divergence(match: Match) -> Outcome | None:
    """Write `F.kl_div` as its formula, so its target gets gradients; its zeros add nothing."""
    reduction = match.constant("reduction", "mean")
    target = match.arguments.get("target")
    if (
        reduction not in ("sum", "mean", "none", "batchmean")
        or target is None
        or match.given(*_LEGACY)
    ):
        return None
    if not isinstance(target.node, ast.Name | ast.Attribute) or flag(match, "log_target") is None:
        return None
    if match.constant("log_target", False):
        text = "{target}.exp() * ({target} - {input})"
    else:
        text = "{target} * ({target}.clip(min=1e-37).log() - {input})"
    if reduction == "batchmean":
        text = f"paddle.sum({text}) / len({{target}})"
    else:
        text = f"({text})" if reduction == "none" else f"paddle.{reduction}({text})"
    consumed = frozenset({*_LEGACY, "reduction", "log_target"})
    return Rewrite(text, consumed=consumed, differs=_AT["kl_div"])


def _by_keyword(
    match: Match, callee: str, renamed: dict[str, str], more: tuple[str, ...] = ()
) -> str:
    """Return a call with the tensors in place and all other arguments as keywords."""
    parts = []
    for name, argument in sorted(match.arguments.items(), key=lambda item: item[1].indexes[0]):
        if name in _LEGACY:
            continue
        required = match.parameter(name)
        stays = required is not None and required.default is None
        by_place = stays and argument.indexes[0] < len(match.use.arguments)
        parts.append(f"{{{name}}}" if by_place else f"{renamed.get(name, name)}={{{name}}}")
    return f"{callee}({', '.join([*parts, *more])})"


for _name, _function, _members in (
    ("MSELoss", "mse_loss", ()),
    ("L1Loss", "l1_loss", ()),
    ("BCELoss", "binary_cross_entropy", ()),
    ("KLDivLoss", "kl_div", ()),
    ("SoftMarginLoss", "soft_margin_loss", ()),
    ("HingeEmbeddingLoss", "hinge_embedding_loss", ("margin",)),
    ("MarginRankingLoss", "margin_ranking_loss", ("margin",)),
    ("CosineEmbeddingLoss", "cosine_embedding_loss", ("margin",)),
    ("NLLLoss", "nll_loss", ("ignore_index",)),
):
    _loss(_name, _name, function=_function, layer=True, members=_members)
    _loss(
        _function,
        _function,
        function=_function,
        layer=False,
        renamed={"x1": "input1", "x2": "input2"}
        if "ranking" not in _function
        else {"input1": "input", "input2": "other"},
    )
_EPS = {"eps": "epsilon", "anchor": "input"}
_OTHERWISE: tuple[tuple[str, str, tuple[str, ...], dict[str, str]], ...] = (
    ("TripletMarginLoss", "triplet_margin_loss", ("margin", "eps"), _EPS),
    ("PoissonNLLLoss", "poisson_nll_loss", ("log_input", "full", "eps"), _EPS),
    ("BCEWithLogitsLoss", "binary_cross_entropy_with_logits", (), {"input": "logit"}),
)
for _name, _function, _shown, _renamed in _OTHERWISE:
    _loss(_name, _name, function=_function, layer=True, renamed=_renamed, members=_shown)
    _loss(_function, _function, function=_function, layer=False, renamed=_renamed)


def _smooth(name: str, own: str, width: str, layer: bool) -> None:
    """Add the smooth L1 loss or Huber's; Paddle has one function, Huber's by default."""
    native = f"paddle.nn.{'' if layer else 'functional.'}{own}"

    @forms.form(f"torch.nn.{'' if layer else 'functional.'}{name}")
    def loss(match: Match) -> Outcome | None:
        differs = _UNLESS["smooth_l1_loss"]
        given = number(match, width, 1.0)
        if match.given(*_LEGACY, "weight") or not floats(match, "input", "target"):
            return None
        if name == "HuberLoss" and any(map(match.program.compares, (name, "SmoothL1Loss"))):
            return None  # Paddle's two names are one class
        if given is None or given <= 0 or match.program.reads(width):
            return None
        parts = [] if layer else ["{input}", "{target}"]
        if match.given("reduction"):
            parts.append("reduction={reduction}")
        if given != 1:
            parts.append(f"delta={{{width}}}")
            if width == "beta":
                parts.append("is_huber=False")
        consumed = frozenset({*_LEGACY, width, "reduction"})
        return Rewrite(f"{native}({', '.join(parts)})", consumed=consumed, differs=differs)


_smooth("SmoothL1Loss", "SmoothL1Loss", "beta", True)
_smooth("HuberLoss", "HuberLoss", "delta", True)
_smooth("smooth_l1_loss", "smooth_l1_loss", "beta", False)
_smooth("huber_loss", "smooth_l1_loss", "delta", False)

# Cross entropy ---------------------------------------------------------------------------------


def _entropy_class(program: Program) -> str | None:
    """Return Paddle's class, whose mean counts rows with a negative ignored label."""
    ignored = _IGNORED in program.traits.numbers
    plain = underived(program, "CrossEntropyLoss") and not ignored
    return "paddle.nn.CrossEntropyLoss" if plain else None


_ALL_IGNORED = at(
    "cross_entropy of a batch whose labels are all ignored is 0 in {target}, NaN in torch"
)
_CUT = at(
    "cross_entropy treats a score more than 64 below the largest as exactly 64 below it in {target}"
)
_COUNTED = "labels of -100, which torch ignores, count in the mean in {target}"
_PROBABLE = "targets of class probabilities raise an error in {target}: they need soft_label=True"
_SMOOTHED = (
    "for scores of more than two dimensions, labels are smoothed along the last dimension"
    " in {target}"
)
_LAST = "the last dimension of the scores holds the classes in {target}, the second in torch"
_VALUE_DIFFERS = (*unless(_LAST), *unless(_COUNTED), *unless(_PROBABLE), *_CUT)


@forms.form("torch.nn.CrossEntropyLoss", value=_entropy_class, value_differs=_VALUE_DIFFERS)
def cross_entropy_layer(match: Match) -> Outcome | None:
    """torch.nn.CrossEntropyLoss(weight, size_average, ignore_index, reduce, reduction, ...)."""
    if _entropy_class(match.program) is None or not _counts_all(match):
        return None
    text = _by_keyword(match, "paddle.nn.CrossEntropyLoss", {}, ("axis=1",))
    return Rewrite(text, consumed=frozenset(_LEGACY), differs=_left_open(match))


def _entropy_function(program: Program) -> str | None:
    """Return Paddle's cross entropy if it is only called with scores and labels, else None."""
    named = {"target", "ignore_index", "label_smoothing"} & program.traits.keywords
    ignored = _IGNORED in program.traits.numbers
    return None if named or ignored or program.calls(*_DENSE) else _ENTROPY


@forms.form(
    "torch.nn.functional.cross_entropy", value=_entropy_function, value_differs=_VALUE_DIFFERS
)
def cross_entropy(match: Match) -> Outcome | None:
    """F.cross_entropy(input, target, weight, size_average, ignore_index, reduce, reduction, ...).

    Paddle's mean counts rows with a negative ignored label, so the sum over the others is written
    out.
    """
    if match.given(*_LEGACY) or not floats(match, "input", "weight"):
        return None
    if "input" not in match or "target" not in match:
        return None
    axis = () if _is_flat(match.arguments["input"].node) else ("axis=1",)
    target = match.value("target")
    names = {"target": "label"}
    if isinstance(target, Tensor) and (target.dtype or "").startswith("float"):
        if match.given("weight", "ignore_index"):
            return None
        text = _by_keyword(match, _ENTROPY, names, (*axis, "soft_label=True"))
        return Rewrite(text, consumed=frozenset(_LEGACY), differs=_CUT)
    if _counts_all(match):
        text = _by_keyword(match, _ENTROPY, names, axis)
        return Rewrite(text, consumed=frozenset(_LEGACY), differs=_left_open(match))
    label = _labels(match.arguments["target"].node)
    plain_mean = not match.given("reduction", "weight", "label_smoothing")
    if not plain_mean or label is None or not match.given("ignore_index"):
        return None
    more = ", ".join(["ignore_index={ignore_index}", "reduction='sum'", *axis])
    return Rewrite(
        f"{_ENTROPY}({{input}}, {{target}}, {more}) / ({{labels}} != {{ignore_index}}).sum()",
        texts={"labels": label},
        consumed=frozenset({*_LEGACY, "reduction", "label_smoothing"}),
        differs=_CUT,
    )


def _left_open(match: Match) -> Differs:
    """Return the open facts of a cross entropy: its labels and the dimensions of its scores."""
    target = match.arguments.get("target")
    labels = target.values[0] if target is not None else None
    known = isinstance(labels, Tensor) and dtypes.kind(labels.dtype) == 1
    counts = target is not None and _counts(target.node)
    mean = match.constant("reduction", "mean") not in ("sum", "none")
    negative = mean and not match.given("ignore_index", "weight") and not counts
    smoothed = match.given("label_smoothing") and not (
        "input" in match and _is_flat(match.arguments["input"].node)
    )
    facts = ((negative, _COUNTED), (not known and not counts, _PROBABLE), (smoothed, _SMOOTHED))
    open_ = tuple(one for holds, words in facts if holds for one in unless(words))
    ignoring = mean and match.given("ignore_index")
    return (*open_, *_CUT, *(_ALL_IGNORED if ignoring else ()))


_ENTROPY = "paddle.nn.functional.cross_entropy"


def _counts_all(match: Match) -> bool:
    """Return whether Paddle's mean counts no ignored label and smooths labels in the same way."""
    if match.given(*_LEGACY):
        return False
    smoothed = match.given("label_smoothing")
    if smoothed and match.given("weight", "ignore_index"):
        return False
    if match.constant("reduction", "mean") in ("sum", "none"):
        return True
    if _IGNORED in match.program.traits.numbers:
        return False
    if not match.given("ignore_index"):
        return True
    node = match.arguments["ignore_index"].node
    if not isinstance(node, ast.Name):
        ignored = match.constant("ignore_index")
        return type(ignored) is int and ignored >= 0
    held = [one.number for one in match.program.traits.named if one.variable == node.id]
    made = match.program.makers(node.id) <= {""}
    return made and bool(held) and min(held) >= 0


def _is_flat(node: ast.expr) -> bool:
    """Return whether scores are made two-dimensional on the spot: `scores.view(-1, n)`."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    if node.func.attr == "flatten":
        return True
    return node.func.attr in ("view", "reshape") and len(node.args) == 2


def _labels(node: ast.expr) -> str | None:
    """Return the labels of any shape as a name that may be repeated, or None for others."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr not in ("view", "reshape", "flatten", "contiguous"):
            return None
        node = node.func.value
    base = node
    while isinstance(base, ast.Attribute):
        base = base.value
    return ast.unparse(node) if isinstance(base, ast.Name) else None


# Distances -------------------------------------------------------------------------------------

_CLOSE = "paddle.nn.functional"
forms.row(
    "torch.nn.functional.cosine_similarity",
    to=f"{_CLOSE}.cosine_similarity({{x1}}, {{x2}}, axis={{dim}}, eps={{eps}})",
    differs=_SHORT,
    when=lambda match: floats(match, "x1", "x2"),
)
forms.row(
    "torch.nn.functional.pairwise_distance",
    to=f"{_CLOSE}.pairwise_distance({{x1}}, {{x2}}, p={{p}}, epsilon={{eps}}, keepdim={{keepdim}})",
    when=lambda match: floats(match, "x1", "x2"),
)
forms.row(
    "torch.nn.CosineSimilarity",
    to="paddle.nn.CosineSimilarity(axis={dim}, eps={eps})",
    when=lambda match: not match.program.reads("dim", "eps"),
    value="paddle.nn.CosineSimilarity",
    differs=_SHORT,
)


@forms.form("torch.nn.functional.normalize", value="paddle.nn.functional.normalize")
def normalize(match: Match) -> Outcome | None:
    """F.normalize(input, p=2.0, dim=1, eps=1e-12, out=None), along one dimension.

    Paddle's gradient also includes its epsilon, so a large epsilon is written out as a formula.
    """
    value = match.value("input")
    if match.given("out") or not floats(match, "input"):
        return None
    if isinstance(value, Tensor) and value.scalar:
        return None
    if isinstance(match.value("dim"), Items):
        return None
    eps = number(match, "eps", 1e-12)
    if eps is not None and eps <= _TINY:
        renamed = {"input": "x", "dim": "axis", "eps": "epsilon"}
        text = written(match, "paddle.nn.functional.normalize", renamed=renamed, without=("out",))
        return Rewrite(text, consumed=frozenset({"out"}))
    if not isinstance(match.arguments["input"].node, ast.Name):
        return None
    power = "{p}" if match.given("p") else "2"
    dim = "{dim}" if match.given("dim") else "1"
    length = f"paddle.linalg.vector_norm({{input}}, {power}, {dim}, keepdim=True)"
    return Rewrite(f"({{input}} / {length}.clip(min={{eps}}))", consumed=frozenset({"out"}))


@forms.form("torch.nn.functional.one_hot")
def one_hot(match: Match) -> Outcome | None:
    """F.one_hot(input, num_classes=-1), whose result holds integers in torch."""
    classes = match.constant("num_classes", -1)
    if isinstance(classes, int) and classes < 0:
        return None
    text = "paddle.nn.functional.one_hot({input}, {num_classes})"
    return Rewrite(text if _is_cast(match.use) else f"{text}.astype('int64')")


_CASTS = frozenset(words("astype float double half bfloat16 bool long int type type_as"))
_MOVES = frozenset(words("permute transpose reshape view flatten squeeze unsqueeze contiguous"))


def _is_cast(use: Use) -> bool:
    """Return whether the only thing done with a result is a cast: `F.one_hot(y, n).float()`.

    Its values may be moved before: `F.one_hot(y, n).permute(0, 3, 1, 2).float()`.
    """
    calls = {
        id(node.func.value): node
        for node in ast.walk(use.statement)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    }
    call = calls.get(id(use.node))
    while call is not None and _method(call) in _MOVES:
        call = calls.get(id(call))
    if call is None or _method(call) in _CASTS:
        return call is not None
    given = [*call.args, *(one.value for one in call.keywords)]
    return _method(call) == "to" and len(given) == 1 and _is_dtype(given[0])


def _method(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def _is_dtype(node: ast.expr) -> bool:
    """Return whether a node names a dtype: `torch.float32`, `torch.long`, `x.dtype`."""
    if not isinstance(node, ast.Attribute):
        return False
    return node.attr in {"dtype", *_CASTS} or dtypes.kind(node.attr) is not None
