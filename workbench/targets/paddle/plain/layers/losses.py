"""Losses and distances, layers and functions, in Paddle's own words."""

from __future__ import annotations

import ast

from workbench.rules.difference import Difference
from workbench.rules.forms import FormSet
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.source.traits.program import Program
from workbench.source.types.lattice import Items, Tensor
from workbench.targets.paddle.plain._writing import flag, floats, number, underived, written

forms = FormSet()

_CORNERS = (Difference.CORNER_VALUES,)
# At the margin, where the slope is another one, and for targets below zero.
_OTHER_CORNERS = frozenset(
    {
        "KLDivLoss",
        "kl_div",
        "HingeEmbeddingLoss",
        "hinge_embedding_loss",
        "MarginRankingLoss",
        "margin_ranking_loss",
    }
)
# Their slope at a logit of zero is another one, if no weight of the positive is given.
_KINKED = frozenset({"BCEWithLogitsLoss", "binary_cross_entropy_with_logits"})
_FIXED = frozenset({"KLDivLoss", "kl_div"})  # their targets get no gradients
_LEGACY = ("size_average", "reduce")
_IGNORED = -100
_TINY = 1e-6  # an epsilon that nobody sees
# Layers that make scores for every place, whose classes are the second dimension.
_DENSE = (
    "ConvTranspose1d",
    "ConvTranspose2d",
    "ConvTranspose3d",
    "Upsample",
    "interpolate",
    "UpsamplingBilinear2d",
    "UpsamplingNearest2d",
    "segmentation",
)


def _loss(
    name: str,
    own: str,
    *,
    renamed: dict[str, str] | None = None,
    layer: bool,
    members: tuple[str, ...] = (),
) -> None:
    """A loss that Paddle has with the same arguments, but for the oldest two.

    What follows the tensors goes by keyword: it stands in other places.
    """
    stands = f"paddle.nn.{own}" if layer else f"paddle.nn.functional.{own}"

    def plain(program: Program) -> bool:
        own = underived(program, name) and not program.reads(*members)
        return own and (name not in _FIXED or program.calls("detach"))

    def value(program: Program) -> str | None:
        kinked = name in _KINKED and _starts_at_zero(program)
        return stands if plain(program) and not kinked else None

    @forms.form(f"torch.nn.{'' if layer else 'functional.'}{name}", value=value)
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
        return Rewrite(
            _by_keyword(match, stands, names),
            consumed=frozenset(_LEGACY),
            differs=_CORNERS if name in _OTHER_CORNERS or kinked else (),
        )


def _starts_at_zero(program: Program) -> bool:
    """Whether a program makes weights of zeros, whose first logits are zeros, too."""
    own = program.calls("Parameter") or "requires_grad" in program.traits.keywords
    return bool(program.traits.zeroed) or (own and program.calls("zeros", "zeros_like"))


_TENSORS = (
    "input",
    "target",
    "input1",
    "input2",
    "anchor",
    "positive",
    "negative",
    "var",
    "weight",
    "pos_weight",
)


def _is_detached(match: Match) -> bool:
    """Whether the text cuts the target off, so that no gradients of it are missed."""
    target = match.arguments.get("target")
    return target is not None and any(
        isinstance(part, ast.Attribute) and part.attr == "detach" for part in ast.walk(target.node)
    )


def _leaves_out(match: Match) -> bool:
    """Whether labels may be left out of a mean or a sum: Paddle's kernel then breaks the heap."""
    if match.constant("reduction", "mean") == "none":
        return False
    return match.given("ignore_index") or str(_IGNORED) in match.program.traits.numbers


def _divergence(match: Match) -> Outcome | None:
    """`F.kl_div` written out, so that its target gets gradients; zeros of it add nothing."""
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
    return Rewrite(text, consumed=consumed, differs=_CORNERS)


def _by_keyword(
    match: Match, callee: str, renamed: dict[str, str], more: tuple[str, ...] = ()
) -> str:
    """A call whose tensors stay in their places, with all else by keyword."""
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
    _loss(_name, _name, layer=True, members=_members)
    _loss(
        _function,
        _function,
        layer=False,
        renamed={"x1": "input1", "x2": "input2"}
        if "ranking" not in _function
        else {"input1": "input", "input2": "other"},
    )
_EPS = {"eps": "epsilon", "anchor": "input"}
_loss("TripletMarginLoss", "TripletMarginLoss", layer=True, renamed=_EPS, members=("margin", "eps"))
_loss("triplet_margin_loss", "triplet_margin_loss", layer=False, renamed=_EPS)
_loss(
    "PoissonNLLLoss",
    "PoissonNLLLoss",
    layer=True,
    renamed=_EPS,
    members=("log_input", "full", "eps"),
)
_loss("poisson_nll_loss", "poisson_nll_loss", layer=False, renamed=_EPS)
_loss("BCEWithLogitsLoss", "BCEWithLogitsLoss", layer=True)
_loss(
    "binary_cross_entropy_with_logits",
    "binary_cross_entropy_with_logits",
    layer=False,
    renamed={"input": "logit"},
)


def _smooth(name: str, own: str, width: str, layer: bool) -> None:
    """The smooth L1 loss and Huber's: one function of Paddle's, which is Huber's by default."""
    stands = f"paddle.nn.{'' if layer else 'functional.'}{own}"

    @forms.form(f"torch.nn.{'' if layer else 'functional.'}{name}")
    def loss(match: Match) -> Outcome | None:
        given = number(match, width, 1.0)
        if match.given(*_LEGACY, "weight") or not floats(match, "input", "target"):
            return None
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
        return Rewrite(f"{stands}({', '.join(parts)})", consumed=consumed)


_smooth("SmoothL1Loss", "SmoothL1Loss", "beta", True)
_smooth("HuberLoss", "HuberLoss", "delta", True)
_smooth("smooth_l1_loss", "smooth_l1_loss", "beta", False)
_smooth("huber_loss", "smooth_l1_loss", "delta", False)

# Cross entropy ---------------------------------------------------------------------------------


def _entropy_class(program: Program) -> str | None:
    """Paddle's own, whose mean counts rows with a negative label that is ignored."""
    ignored = str(_IGNORED) in program.traits.numbers
    plain = underived(program, "CrossEntropyLoss") and not ignored
    return "paddle.nn.CrossEntropyLoss" if plain else None


@forms.form("torch.nn.CrossEntropyLoss", value=_entropy_class)
def cross_entropy_layer(match: Match) -> Outcome | None:
    """torch.nn.CrossEntropyLoss(weight, size_average, ignore_index, reduce, reduction, ...)."""
    if _entropy_class(match.program) is None or not _counts_all(match):
        return None
    text = _by_keyword(match, "paddle.nn.CrossEntropyLoss", {}, _axis(match, ()))
    return Rewrite(text, consumed=frozenset(_LEGACY), differs=_CORNERS)


def _entropy_function(program: Program) -> str | None:
    """Paddle's own, where it is called with scores and labels alone."""
    named = {"target", "ignore_index", "label_smoothing"} & program.traits.keywords
    ignored = str(_IGNORED) in program.traits.numbers
    return None if named or ignored or program.calls(*_DENSE) else _ENTROPY


@forms.form("torch.nn.functional.cross_entropy", value=_entropy_function)
def cross_entropy(match: Match) -> Outcome | None:
    """F.cross_entropy(input, target, weight, size_average, ignore_index, reduce, reduction, ...).

    A negative label that is ignored is divided by where the mean is taken: the sum over the
    others is written out.
    """
    if match.given(*_LEGACY) or not floats(match, "input", "weight"):
        return None
    if "input" not in match or "target" not in match:
        return None
    scores = match.arguments["input"].node
    target = match.value("target")
    if isinstance(target, Tensor) and (target.dtype or "").startswith("float"):
        return None
    axis = _axis(match, (scores,))
    names = {"target": "label"}
    dropped = [*_LEGACY]
    if _counts_all(match):
        text = _by_keyword(match, _ENTROPY, names, axis)
        return Rewrite(text, consumed=frozenset(dropped), differs=_CORNERS)
    label = _labels(match.arguments["target"].node)
    plain_mean = not match.given("reduction", "weight", "label_smoothing")
    if not plain_mean or label is None or not match.given("ignore_index"):
        return None
    more = ", ".join(["ignore_index={ignore_index}", "reduction='sum'", *axis])
    return Rewrite(
        f"{_ENTROPY}({{input}}, {{target}}, {more}) / ({{labels}} != {{ignore_index}}).sum()",
        texts={"labels": label},
        consumed=frozenset({*dropped, "reduction", "label_smoothing"}),
        differs=_CORNERS,
    )


_ENTROPY = "paddle.nn.functional.cross_entropy"


def _counts_all(match: Match) -> bool:
    """Whether no label that is ignored is counted by Paddle's mean, nor smoothed in another way."""
    if match.given(*_LEGACY):
        return False
    smoothed = match.given("label_smoothing")
    if smoothed and match.given("weight", "ignore_index"):
        return False
    if match.constant("reduction", "mean") in ("sum", "none"):
        return True
    if str(_IGNORED) in match.program.traits.numbers:
        return False
    if not match.given("ignore_index"):
        return True
    node = match.arguments["ignore_index"].node
    if not isinstance(node, ast.Name):
        ignored = match.constant("ignore_index")
        return type(ignored) is int and ignored >= 0
    given = (one.partition("=") for one in match.program.traits.numbers)
    held = [number for name, _, number in given if name == node.id]
    made = match.program.makers(node.id) <= {""}
    return made and bool(held) and all(map(str.isdigit, held))


def _axis(match: Match, given: tuple[ast.expr, ...]) -> tuple[str, ...]:
    """The axis of the classes, where the text shows that it is not the last one."""
    if any(_is_flat(node) for node in given):
        return ()
    program, statement = match.program, match.use.statement
    name = "cross_entropy"
    if not given and isinstance(statement, ast.Assign) and statement.value is match.use.node:
        target = statement.targets[0]
        name = getattr(target, "attr", getattr(target, "id", name))
    dense = program.calls(*_DENSE) or name in program.traits.turned
    return ("axis=1",) if dense else ()


def _is_flat(node: ast.expr) -> bool:
    """Whether scores are made two-dimensional on the spot: `scores.view(-1, n)`."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    if node.func.attr == "flatten":
        return True
    return node.func.attr in ("view", "reshape") and len(node.args) == 2


def _labels(node: ast.expr) -> str | None:
    """The labels whatever their shape, as a name that may be written twice; None for others."""
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
)


@forms.form("torch.nn.functional.normalize", value="paddle.nn.functional.normalize")
def normalize(match: Match) -> Outcome | None:
    """F.normalize(input, p=2.0, dim=1, eps=1e-12, out=None), along one dimension.

    Paddle's gradient has its epsilon in it, too: one that is not tiny is written as what it does.
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
    """F.one_hot(input, num_classes=-1), whose result is of whole numbers in torch."""
    classes = match.constant("num_classes", -1)
    if isinstance(classes, int) and classes < 0:
        return None
    return Rewrite("paddle.nn.functional.one_hot({input}, {num_classes}).astype('int64')")
