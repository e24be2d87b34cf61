"""Embeddings and dropout as Paddle writes them."""

from __future__ import annotations

from workbench.rules.difference import Difference, unless
from workbench.rules.forms import FormSet
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Rewrite
from workbench.source.traits.program import Program
from workbench.targets.paddle.common.fresh import program_sets
from workbench.targets.paddle.common.in_place import unseen
from workbench.targets.paddle.common.writing import UNBATCHED, floats, native, underived, written
from workbench.words import words

forms = FormSet()

_TORCH_WEIGHTS = "weight_attr=paddle.nn.initializer.Normal()"
MEMBERS = ("num_embeddings", "embedding_dim", "reset_parameters")  # that have a form
_PLAINLY: frozenset[str | int] = frozenset({"num_embeddings", "embedding_dim", 0, 1})
_MEMBERS = ("padding_idx", "max_norm", "norm_type", "scale_grad_by_freq", "sparse")


def embedding_class(program: Program) -> str | None:
    """Return Paddle's class, or None if the program needs a member that it lacks."""
    read = program.reads_of("Embedding", *_MEMBERS, rewritable=MEMBERS, plainly=_PLAINLY)
    return "paddle.nn.Embedding" if underived(program, "Embedding") and not read else None


def _fills(program: Program) -> bool:
    """Return whether the program sets weights, those of a padding row perhaps among them."""
    if program.reads("weight") or program.stores("weight") or program.calls("vector_to_parameters"):
        return True
    called = program.traits.called - _STEPPING
    return any(name.endswith("_") and not name.startswith("_") for name in called)


_PADDED = unless(
    "the row of padding_idx gives zeros in {target}, even if a checkpoint or other code"
    " sets it to other values"
)
# Methods of every training loop. Other methods may set the weights of every layer.
_STEPPING = frozenset(
    words("requires_grad_ clip_grad_norm_ clip_grad_value_ zero_ detach_ masked_fill_ clamp_")
)


@forms.form(
    "torch.nn.Embedding",
    value=embedding_class,
    partial=True,
    value_differs=(Difference.FRESH_WEIGHTS,),
)
def embedding(match: Match) -> Outcome | None:
    """torch.nn.Embedding(num_embeddings, embedding_dim, padding_idx=None, ...).

    Paddle returns zeros for `padding_idx`, whatever its row contains.
    """
    if embedding_class(match.program) is None:
        return None
    if match.given("padding_idx") and _fills(match.program):
        return None
    known = ("num_embeddings", "embedding_dim", "padding_idx")
    if match.given(*(name for name in match.arguments if name not in known)):
        return None
    renewed = program_sets(match, "Embedding")
    more = () if renewed else (_TORCH_WEIGHTS,)
    others = tuple(name for name in match.arguments if name not in known)
    text = written(match, "paddle.nn.Embedding", without=others, more=more)
    padded = match.constant("padding_idx", None) is not None
    return Rewrite(text, consumed=frozenset(others), differs=_PADDED if padded else ())


@forms.form("torch.nn.functional.embedding", value="paddle.nn.functional.embedding")
def embedding_function(match: Match) -> Outcome | None:
    """F.embedding(input, weight), without arguments that differ in Paddle."""
    if match.given(*(name for name in match.arguments if name not in ("input", "weight"))):
        return None
    return Rewrite(
        "paddle.nn.functional.embedding({input}, {weight})",
        consumed=frozenset(match.arguments) - {"input", "weight"},
    )


def _dropout_layer(name: str, own: str) -> None:
    native_name = f"paddle.nn.{own}"
    differs = UNBATCHED if name.endswith("d") else ()

    def value(program: Program) -> str | None:
        passed_on = [one for one, _ in _DROPOUTS if program.is_passed_on(one, partly=False)]
        chosen = len(passed_on) > 1 and "inplace" in program.traits.keywords
        return None if chosen else native_name  # one of several classes may be called in place

    @forms.form(f"torch.nn.{name}", value=value, value_differs=differs)
    def layer(match: Match) -> Outcome | None:
        if not native(match, "inplace") or not unseen(match):
            return None
        text = written(match, native_name, without=("inplace",))
        return Rewrite(text, consumed=frozenset({"inplace"}), differs=differs)


_DROPOUTS = (
    ("Dropout", "Dropout"),
    ("Dropout2d", "Dropout2D"),
    ("Dropout3d", "Dropout3D"),
    ("AlphaDropout", "AlphaDropout"),
)
for _name, _own in _DROPOUTS:
    _dropout_layer(_name, _own)


@forms.form("torch.nn.functional.dropout", value="paddle.nn.functional.dropout")
def dropout(match: Match) -> Outcome | None:
    """F.dropout(input, p=0.5, training=True, inplace=False); Paddle's third argument is an axis."""
    if match.given("inplace") or not floats(match, "input"):
        return None
    given = {name: argument for name, argument in match.arguments.items() if name != "inplace"}
    parts = ["{input}"]
    if "p" in given:
        parts.append("{p}" if given["p"].indexes[0] < len(match.use.arguments) else "p={p}")
    if "training" in given:
        parts.append("training={training}")
    text = f"paddle.nn.functional.dropout({', '.join(parts)})"
    return Rewrite(text, consumed=frozenset({"inplace"}))
