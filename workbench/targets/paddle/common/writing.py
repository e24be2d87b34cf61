"""Common parts of plain forms of layers: call templates, and conditions for native layers."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from workbench.rules.difference import Difference, Differs, unless
from workbench.rules.match import NOT_CONSTANT, Match
from workbench.source.traits.program import Program
from workbench.source.traits.traits import Layout
from workbench.source.tree import written_dims
from workbench.source.types.lattice import PICKED, Instance, Tensor

# A module whose presence implies weights in torch's layout, and calls that fetch such weights.
_WEIGHTS_OF_OTHERS = frozenset({"safetensors", "huggingface_hub"})
_FETCHING = ("from_pretrained", "hf_hub_download")
# The difference of layers and functions of images without a batch.
UNBATCHED: Differs = (Difference.UNBATCHED,)
_TURNED = unless(
    "if one of these is the weight of an nn.Linear that other code made: in {target} it"
    " is transposed, and this code reads its dimensions; make such layers with"
    " paddle.compat.nn.Linear"
)
# Calls that are refused, with the advice to convert the weights.
_REFUSED = ("load_state_dict_from_url", "load_url")


def written(
    match: Match,
    callee: str,
    *,
    renamed: Mapping[str, str] | None = None,
    values: Mapping[str, str] | None = None,
    without: Collection[str] = (),
    more: Collection[str] = (),
    by_name: Collection[str] = (),
) -> str:
    """Return a template that calls `callee` with the use's own arguments, in their order.

    Args:
        match: the use.
        callee: the called expression.
        renamed: the target's keywords, by torch's names of parameters.
        values: templates that replace given arguments.
        without: parameters that are omitted; later arguments become keywords.
        more: further arguments.
        by_name: parameters with another position in the target, which become keywords.
    """
    parts: list[str] = []
    by_place = True
    placed = len(match.use.arguments)
    for name, argument in sorted(match.arguments.items(), key=lambda item: item[1].indexes[0]):
        if name in without:
            by_place = False
            continue
        value = (values or {}).get(name, "{" + name + "}")
        keyword = (renamed or {}).get(name, name)
        by_place = by_place and argument.indexes[0] < placed and name not in by_name
        parts.append(value if by_place else f"{keyword}={value}")
    return f"{callee}({', '.join([*parts, *more])})"


def underived(program: Program, *names: str) -> bool:
    """Return whether no class of the program derives from one of these layers or needs its rule.

    A lazy layer becomes one of the rule's class at its first call, and a test for the exact class
    can tell.
    """
    return not any(
        program.derives(name)
        or program.splits(name)
        or (program.calls(f"Lazy{name}") and program.compares(name, exactly=True))
        for name in names
    )


def native(match: Match, *members: str) -> bool:
    """Return whether a layer may be Paddle's own: no class derives from it, nothing reads
    `members`.
    """
    own = match.use.name.rpartition(".")[2]
    return underived(match.program, own) and not match.program.reads(*members)


def is_sample(match: Match, dims: int, name: str = "input") -> bool:
    """Return whether an argument may lack the batch dimension, or is written without it.

    It may if it is one item of a tensor: `images[0]`. `dims` is the number of dimensions of a
    batch.
    """
    value = match.value(name)
    if not isinstance(value, Tensor):
        return False
    written = written_dims(match.arguments[name].node)
    return PICKED in value.states if written is None else written != dims


def class_of_receiver(match: Match) -> str | None:
    """Return the last name of the class of the layer whose member is used, or None."""
    value = match.use.receiver_value
    return value.cls.rpartition(".")[2] if isinstance(value, Instance) else None


def fetches_weights(program: Program) -> bool:
    """Return whether the program loads weights with torch's names and layout from elsewhere."""
    traits = program.traits
    return not _WEIGHTS_OF_OTHERS.isdisjoint(traits.modules) or program.calls(*_FETCHING)


def may_fetch_weights(program: Program) -> bool:
    """Return whether it does, or did in torch: the replacement of a refused call may keep the
    layout.
    """
    return fetches_weights(program) or program.calls(*_REFUSED)


def turned_weights(program: Program) -> Differs:
    """Return the difference if a text uses dimensions of weights and creates no linear layer."""
    made = program.calls("Linear") or program.is_passed_on("Linear")
    return _TURNED if Layout.PARAMETERS in program.own_traits.laid_out and not made else ()


def flag(match: Match, name: str, default: bool = True) -> bool | None:
    """Return a literal bool, or None if it is computed."""
    given = match.constant(name, default)
    return given if isinstance(given, bool) else None


def number(match: Match, name: str, default: float) -> float | None:
    """Return a literal number, or None if it is computed."""
    given = match.constant(name, default)
    if given is NOT_CONSTANT or isinstance(given, bool) or not isinstance(given, int | float):
        return None
    return given


def floats(match: Match, *names: str) -> bool:
    """Return whether the arguments may all be float tensors of one width."""
    found = [match.value(name) for name in names]
    dtypes = {one.dtype for one in found if isinstance(one, Tensor) and one.dtype is not None}
    return dtypes <= {"float32", "floating"} or dtypes <= {"float64", "floating"}


def bias_attribute(match: Match) -> list[str]:
    """Return Paddle's argument for a layer's bias, or none if it has one, the default."""
    bias = flag(match, "bias")
    if bias is None:
        return ["bias_attr=None if {bias} else False"]
    return [] if bias else ["bias_attr=False"]


def older(match: Match) -> bool:
    """Return whether the version lacks torch's keywords, which 3.3 accepts for many layers."""
    return tuple(map(int, match.target.split(".")[:2])) < (3, 3)
