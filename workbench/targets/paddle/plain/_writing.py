"""What the plain forms of layers share: how a call is written, and when a layer may be native."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from workbench.rules.difference import Difference, Differs, unless
from workbench.rules.match import NOT_CONSTANT, Match
from workbench.source.traits.program import Program
from workbench.source.types.lattice import Instance, Tensor

# A module that stands for weights in torch's layout, and calls that fetch such weights.
_WEIGHTS_OF_OTHERS = frozenset({"safetensors", "huggingface_hub"})
_FETCHING = ("from_pretrained", "hf_hub_download")
# What layers and functions of images have in common.
UNBATCHED: Differs = (Difference.UNBATCHED,)
_TURNED = unless(
    "if the weight of an nn.Linear made by other code is among them: {target}'s own has it"
    " transposed, and dimensions are looked at here; make such layers of paddle.compat.nn.Linear"
)
# Calls that are refused, with the advice to carry the weights over.
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
    """A template that calls `callee` with the use's own arguments, in their order.

    Args:
        match: the use.
        callee: what is called.
        renamed: keywords of the target, by torch's names of parameters.
        values: what stands for a given argument, a template.
        without: parameters that are left out; what follows them goes by keyword.
        more: arguments that follow.
        by_name: parameters that have another place in the target: they go by keyword.
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
    """Whether no class of the program derives from one of these layers, nor needs the rule's."""
    return not any(program.derives(name) or program.splits(name) for name in names)


def native(match: Match, *members: str) -> bool:
    """Whether a layer may be Paddle's own: no class derives from its, nothing reads these."""
    own = match.use.name.rpartition(".")[2]
    return underived(match.program, own) and not match.program.reads(*members)


def class_of_receiver(match: Match) -> str | None:
    """The last name of the class of a layer of which a member is read, or called."""
    value = match.use.receiver_value
    return value.cls.rpartition(".")[2] if isinstance(value, Instance) else None


def fetches_weights(program: Program) -> bool:
    """Whether the program loads weights that others have laid out and named as torch does."""
    traits = program.traits
    return not _WEIGHTS_OF_OTHERS.isdisjoint(traits.modules) or program.calls(*_FETCHING)


def may_fetch_weights(program: Program) -> bool:
    """Whether it does, or did in torch: what takes the place of that call may keep the layout."""
    return fetches_weights(program) or program.calls(*_REFUSED)


def turned_weights(program: Program) -> Differs:
    """What differs where a text looks at dimensions of weights, and makes no linear layer."""
    made = program.calls("Linear") or program.hands_on("Linear")
    return _TURNED if "parameters" in program.shown_here("laid_out") and not made else ()


def flag(match: Match, name: str, default: bool = True) -> bool | None:
    """A truth value that is given as a literal; None where it is computed."""
    given = match.constant(name, default)
    return given if isinstance(given, bool) else None


def number(match: Match, name: str, default: float) -> float | None:
    """A number that is given as a literal; None where it is computed."""
    given = match.constant(name, default)
    if given is NOT_CONSTANT or isinstance(given, bool) or not isinstance(given, int | float):
        return None
    return given


def floats(match: Match, *names: str) -> bool:
    """Whether nothing is known against tensors of floats of one width."""
    found = [match.value(name) for name in names]
    dtypes = {one.dtype for one in found if isinstance(one, Tensor) and one.dtype is not None}
    return dtypes <= {"float32", "floating"} or dtypes <= {"float64", "floating"}


def bias_attribute(match: Match) -> list[str]:
    """Paddle's argument for whether a layer has a bias; none where it has, as by default."""
    bias = flag(match, "bias")
    if bias is None:
        return ["bias_attr=None if {bias} else False"]
    return [] if bias else ["bias_attr=False"]


def older(match: Match) -> bool:
    """Whether the version does not take torch's keywords, as 3.3 does for many layers."""
    return tuple(map(int, match.target.split(".")[:2])) < (3, 3)
