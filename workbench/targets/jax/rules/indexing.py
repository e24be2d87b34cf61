"""Elements by their places: reading, selecting, writing into a copy."""

from __future__ import annotations

import ast
from dataclasses import replace

from workbench.rules.difference import at
from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Refusal, Rewrite, Shared
from workbench.source.types.lattice import UNKNOWN, ForeignInstance, Items, Plain, Tensor
from workbench.source.types.views import steps_back
from workbench.source.uses import UseKind
from workbench.targets.jax.writing import Functions, T, dtype_kind, rebound, written

rules = Functions()
_IN_RANGE = at("an index out of range reads another element or NaN in {target}; in torch it raises")
# Reads by index, and the arguments without effect.
_READS = {
    "gather": ("torch_gather({input}, {dim}, {index})", "sparse_grad"),
    "index_select": ("torch_index_select({input}, {dim}, {index})", ""),
    "take_along_dim": ("torch_take_along_dim({input}, {indices}, {dim})", ""),
    "take": ("{input}.reshape(-1)[{index}]", ""),
}


def _read(name: str, template: str, ignored: str) -> None:
    @rules.deciding(name)
    def decide(match: Match) -> Outcome:
        return replace(written(match, template, ignored), differs=_IN_RANGE)


for _name, (_template, _ignored) in _READS.items():
    _read(_name, _template, _ignored)


@rules.deciding("masked_fill")
def masked_fill(match: Match) -> Outcome:
    """Write `where`, where the result is known to have the tensor's dtype."""
    if match.is_number("value") and (dtype_kind(match) == 2 or _is_infinite(match)):
        return written(match, "jnp.where({mask}, {value}, {input})")
    return written(match, "torch_masked_fill({input}, {mask}, {value})")


def _is_infinite(match: Match) -> bool:
    """Return whether a value is infinite, which only a tensor of floats can hold."""
    text = ast.unparse(match.arguments["value"].node).strip("-+").replace("'", '"')
    return text in {'float("inf")', 'float("-inf")', "math.inf", "np.inf", "numpy.inf"}


rules.both("masked_select", "torch_masked_select({input}, {mask})")
rules.both("argwhere", "torch_nonzero({input})")
_REDUCE = {"add": "'sum'", "multiply": "'prod'"}


@rules.deciding("scatter")
def scatter(match: Match) -> Outcome:
    value = "{src}" if "src" in match else "{value}"
    text = f"torch_scatter({{input}}, {{dim}}, {{index}}, {value}"
    if not match.given("reduce"):
        return written(match, text + ")", "reduce")
    word = _REDUCE.get(match.constant("reduce"))
    if word is None:
        return Refusal("which way it joins values is not known")
    return written(match, f"{text}, {word})", "reduce")


rules.both("scatter_add", "torch_scatter({input}, {dim}, {index}, {src}, 'sum')")


@rules.deciding("scatter_reduce")
def scatter_reduce(match: Match) -> Outcome:
    if match.constant("reduce") not in {"sum", "mean", "amax", "amin"}:
        return Refusal("its gradients differ from torch's", "x.at[index].multiply(values)")
    return written(
        match,
        "torch_scatter({input}, {dim}, {index}, {src}, {reduce}, {include_self=True})",
    )


rules.both("index_add", "torch_index_add({input}, {dim}, {index}, {source}, alpha={alpha})")
rules.both("index_copy", "torch_index_set({input}, {dim}, {index}, {source})")
rules.both("index_fill", "torch_index_set({input}, {dim}, {index}, {value})")


@rules.rule("torch.nonzero", T + "nonzero")
def nonzero(match: Match) -> Outcome:
    if match.given("out"):
        return Refusal("JAX arrays cannot be changed in place, so that none can be given as `out`")
    pairs = match.constant("as_tuple", False)
    if pairs is True:
        return written(match, "torch_where({input})", "as_tuple")
    if pairs is False:
        return written(match, "torch_nonzero({input})", "as_tuple")
    return Refusal("whether it returns a tuple is only known at run time")


@rules.rule("torch.where")
def where(match: Match) -> Outcome:
    if "input" not in match:
        return Rewrite("torch_where({condition})")
    mine, other = match.value("input"), match.value("other")
    if isinstance(mine, Plain) and isinstance(other, Plain):
        return Rewrite("jnp.where({condition}, jnp.array({input}), jnp.array({other}))")
    return Rewrite(
        "jnp.where({condition} != 0, {input}, {other})"
        if _may_be_whole(match)
        else "jnp.where({condition}, {input}, {other})"
    )


def _may_be_whole(match: Match) -> bool:
    value = match.value("condition")
    return isinstance(value, Tensor) and value.dtype == "uint8"


rules.row(T + "where", "jnp.where({condition}, {self}, {other})")


@rules.rule("torch.searchsorted", "torch.bucketize")
def searchsorted(match: Match) -> Outcome:
    if match.given("sorter", "out"):
        return Refusal("its argument has no equivalent")
    edges, values = ("{sorted_sequence}", "{input}")
    right = match.constant("right", False) is True or match.constant("side", "left") == "right"
    flat = match.use.name.endswith("bucketize")
    if flat:
        edges = "{boundaries}"
    elif "input" not in match:
        values = "{self}" if "self" in match else "{input}"
    known = match.constant("right", False) in {True, False}
    if not known:
        return Refusal("on which side it searches is only known at run time")
    used = frozenset({"right", "side", "out_int32"}) & match.arguments.keys()
    side = ", side='right'" if right else ""
    return Rewrite(f"jnp.searchsorted({edges}, {values}{side})", consumed=used)


# Operators ------------------------------------------------------------------------------------

_TAKES = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
    "matmul": "@",
    "and": "&",
    "or": "|",
    "xor": "^",
    "lshift": "<<",
    "rshift": ">>",
}
_COMPARES = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def _operator(name: str, symbol: str, mirrored: bool) -> None:
    text = f"{{other}} {symbol} {{self}}" if mirrored else f"{{self}} {symbol} {{other}}"

    @rules.rule(f"{T}__{'r' if mirrored else ''}{name}__")
    def keep(match: Match) -> Outcome:
        return Keep() if match.use.kind is UseKind.OPERATOR else Rewrite(text)


for _name, _symbol in {**_TAKES, **_COMPARES}.items():
    _operator(_name, _symbol, mirrored=False)
    if _name in _TAKES:
        _operator(_name, _symbol, mirrored=True)


def _augmented(name: str, symbol: str) -> None:
    @rules.rule(f"{T}__i{name}__")
    def decide(match: Match) -> Outcome:
        found = rebound(match, Rewrite(f"{{self}} {symbol} {{other}}"))
        if match.use.kind is not UseKind.AUGMENTED:
            return found
        if isinstance(found, Shared) and _is_bare(found.result):
            return replace(found, result=Keep())
        return Keep() if _is_bare(found) else found


def _is_bare(found: Outcome | None) -> bool:
    """Return whether a change of a variable may stay as it is written."""
    return isinstance(found, Rewrite) and ".astype" not in found.template


for _name, _symbol in _TAKES.items():
    if _name != "matmul":
        _augmented(_name, _symbol)
for _name, _text in {
    "neg": "-{self}",
    "pos": "+{self}",
    "invert": "~{self}",
    "abs": "torch_abs({self})",
    "bool": "bool({self})",
    "int": "int({self}.item())",
    "float": "float({self}.item())",
    "len": "len({self})",
    "index": "int({self}.item())",
}.items():
    rules.row(f"{T}__{_name}__", _text)


_PLACED = Refusal(
    "JAX arrays cannot be changed in place, and another name may refer to this one",
    "x = x.at[index].set(values)",
)
_LISTS = frozenset({"list", "range"})
_PLACES = "if the list holds tensors: torch takes it for a tuple of them"
_BACKWARDS = "a slice with a step below 1 raises ValueError in torch; in JAX it reads backwards"


@rules.rule(T + "__getitem__")
def item(match: Match) -> Outcome:
    node = match.use.node
    if not isinstance(node, ast.Subscript):
        return Rewrite("{self}[{key}]")
    if steps_back(node.slice):
        return Keep(caveat=_BACKWARDS)
    at = match.use.values[0]
    if isinstance(at, Items) and at.kind in _LISTS:
        return _by_list(at)
    if at == ForeignInstance("random.sample"):
        return _by_list(Items("list", Plain("int")))
    return Keep()


def _by_list(at: Items) -> Outcome:
    """Write an index that is a list: an array of places, or a tuple of what selects in each.

    An empty array has a dtype only if it is named.
    """
    parts = at.items or (at.item,)
    if any(isinstance(one, Items | Tensor) or one == Plain("slice") for one in parts):
        return Rewrite("{self}[tuple({key})]")
    numbers = not at.items and parts == (Plain("int"),)
    caveat = _PLACES if UNKNOWN in parts else None
    code = "{self}[jnp.array({key}, int)]" if numbers else "{self}[jnp.array({key})]"
    return Rewrite(code, caveat=caveat)


@rules.rule(T + "index_put_", T + "index_put")
def index_put(match: Match) -> Outcome:
    """Write values to places, or add them there."""
    added = match.constant("accumulate", False)
    indices = match.arguments["indices"].node
    if added not in (True, False) or not isinstance(indices, ast.Tuple | ast.List):
        return Refusal("the places are only known at run time", "x.at[index].set(values)")
    text = f"{{self}}.at[tuple({{indices}})].{'add' if added else 'set'}({{values}})"
    found = Rewrite(text, consumed=frozenset({"accumulate"} & match.arguments.keys()))
    return rebound(match, found) if match.use.name.endswith("_") else found


rules.both("masked_scatter", "torch_masked_scatter({input}, {mask}, {source})")
rules.refuse(
    T + "copy_",
    T + "put_",
    T + "set_",
    T + "resize_",
    reason="JAX arrays cannot be changed in place, and another name may refer to this one",
    instead="x = x.at[index].set(values)",
)


@rules.rule(T + "__setitem__")
def placed(match: Match) -> Outcome:
    """Refuse a write to elements, unless nothing else refers to the tensor."""
    if isinstance(match.use.values[0], Tensor) and match.use.values[0].dtype == "uint8":
        return Refusal("torch takes numbers of 8 bits for truth values here", "index.astype(bool)")
    at, key = match.use.values[0], getattr(match.use.node, "slice", None)
    if isinstance(at, Items) and at.kind in _LISTS and not isinstance(key, ast.List):
        return Refusal("JAX takes no list for places", "x = x.at[jnp.array(places)].set(values)")
    return Shared(_PLACED.reason, _PLACED.instead, Rewrite("{self}.at[{key}].set(...)"))


@rules.rule(T + "fill_", T + "zero_")
def fill(match: Match) -> Outcome:
    value = "0" if match.use.name.endswith("zero_") else "{value}"
    return rebound(match, Rewrite(f"jnp.full_like({{self}}, {value})"))
