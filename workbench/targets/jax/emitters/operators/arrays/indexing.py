"""Reading by index. An index out of range is clamped, torch raises; each use has a caveat."""

from __future__ import annotations

import torch

from workbench.lower.writing.call import Call, atom
from workbench.targets.jax.emitters.registry import emits

_RANGE = "an index out of range reads the nearest element in JAX; torch raises an error"
_EAGER = "the size of the result depends on values: it runs eagerly, and not under jax.jit"


def place(call: Call) -> str:
    """Return the list of indices between brackets."""
    parts = [":" if n is None else call.tensor_of(n, index_dtype(n)) for n in call["indices"]]
    return ", ".join(parts)


def index_dtype(node: torch.fx.Node) -> torch.dtype:
    """Return the dtype of an index: bool for masks and for bytes, which torch reads as masks."""
    dtype: torch.dtype = node.meta["val"].dtype
    return torch.bool if dtype in (torch.bool, torch.uint8) else dtype


def is_masked(call: Call) -> bool:
    """Return whether one of the indices is a mask."""
    given = [n for n in call["indices"] if n is not None]
    return any(index_dtype(n) is torch.bool for n in given)


@emits("index.Tensor", native=True)
def _index(call: Call) -> str:
    call.caveat(_EAGER if is_masked(call) else _RANGE)
    return f"{atom(call.tensor('self'))}[{place(call)}]"


@emits("embedding", native=True)
def _embedding(call: Call) -> str:
    call.caveat(_RANGE)
    rows = f"{atom(call.tensor('weight'))}[{call.tensor('indices')}]"
    padding = call["padding_idx"]
    if not isinstance(padding, int) or padding < 0:
        return rows
    held = f"{call.tensor('indices')}, {call.tensor('weight')}, {padding}"
    return f"{call.helper('_embedding')}({held})"


@emits("_embedding_bag", "_embedding_bag_forward_only")
def _embedding_bag(call: Call) -> str:
    if call["scale_grad_by_freq"]:
        call.refuse("gradients scaled by how often a row is read")
    if any(user.args[1] != 0 and user.users for user in call.node.users):
        call.refuse("the results of embedding_bag that torch keeps for its backward pass")
    call.caveat(_RANGE)
    given = f"{call.tensor('weight')}, {call.tensor('indices')}, {call.tensor('offsets')}"
    given += f', "{("sum", "mean", "max")[call["mode"]]}"'
    if call.has("per_sample_weights"):
        given += f", scale={call.tensor('per_sample_weights')}"
    given += ", closed=True" if call["include_last_offset"] else ""
    padding = call["padding_idx"]
    given += f", padding={padding}" if padding is not None and padding >= 0 else ""
    return f"({call.helper('_embedding_bag')}({given}), None, None, None)"


@emits("index_select", native=True)
def _index_select(call: Call) -> str:
    call.caveat(_RANGE)
    x, index = atom(call.tensor("self")), call.tensor("index")
    if call.rank("self") == 0:
        return x
    index = f"{index}.reshape(-1)" if call.rank("index") == 0 else index
    return f"{x}[{':, ' * call.axis('dim')}{index}]"


@emits("gather", native=True)
def _gather(call: Call) -> str:
    call.caveat(_RANGE)
    x, index = call.tensor("self"), call.tensor("index", torch.int64)
    if call.rank("self") == 0 or call.rank("index") != call.rank("self"):
        call.refuse("gather between tensors of different rank")
    held, places = call.meta("self").shape, call.meta("index").shape
    axis = call.axis("dim")
    if all(a == b for at, (a, b) in enumerate(zip(held, places, strict=True)) if at != axis):
        return f"jnp.take_along_axis({x}, {index}, {axis})"
    return f"{call.helper('_gather')}({x}, {index}, {axis})"


@emits("take_along_dim", native=True)
def _take_along(call: Call) -> str:
    call.caveat(_RANGE)
    axis = call.axis("dim") if call.has("dim") else None
    return f"jnp.take_along_axis({call.tensor('self')}, {call.tensor('indices')}, {axis})"


@emits("take", native=True)
def _take(call: Call) -> str:
    call.caveat(_RANGE)
    return f"{atom(call.tensor('self'))}.reshape(-1)[{call.tensor('index')}]"


@emits("masked_select", native=True)
def _masked_select(call: Call) -> str:
    call.caveat(_EAGER)
    both = f"{call.tensor('self')}, {call.tensor('mask', torch.bool)}"
    return f"{call.helper('_masked_select')}({both})"


@emits("nonzero", native=True)
def _nonzero(call: Call) -> str:
    call.caveat(_EAGER)
    return f"jnp.argwhere({call.tensor('self')})"


@emits("one_hot", native=True)
def _one_hot(call: Call) -> str:
    classes = call["num_classes"]
    if classes == -1:
        call.refuse("one_hot whose number of classes depends on the data")
    call.caveat("a class out of range gives zeros in JAX; torch raises an error")
    return f'jax.nn.one_hot({call.tensor("self")}, {call.write(classes)}, dtype="int64")'


def _searched(call: Call, edges: str, x: str, right: bool) -> str:
    side = ', side="right"' if right else ""
    rank = call.rank("sorted_sequence" if call.has("sorted_sequence") else "boundaries")
    search = "jnp.searchsorted" if rank == 1 else call.helper("_search_rows")
    return f"{search}({edges}, {x}{side}).astype({call.dtype_text()})"


@emits("bucketize.Tensor")
def _bucketize(call: Call) -> str:
    dtype = torch.promote_types(call.meta("self").dtype, call.meta("boundaries").dtype)
    x, edges = call.tensor("self", dtype), call.tensor("boundaries", dtype)
    return _searched(call, edges, x, call["right"])


@emits("searchsorted.Tensor", "searchsorted.Scalar")
def _searchsorted(call: Call) -> str:
    if call.has("sorter"):
        call.refuse("searchsorted with a sorter")
    held = call.meta("sorted_sequence").dtype
    x = call.operand("self", held)
    right = call["right"] or call["side"] == "right"
    return _searched(call, call.tensor("sorted_sequence"), x, right)


@emits("bincount")
def _bincount(call: Call) -> str:
    call.caveat(_EAGER)
    x = call.tensor("self")
    weights = f", weights={call.tensor('weights', call.dtype)}" if call.has("weights") else ""
    length = f", minlength={call['minlength']}" if call["minlength"] else ""
    return f"jnp.bincount({x}{weights}{length}).astype({call.dtype_text()})"
