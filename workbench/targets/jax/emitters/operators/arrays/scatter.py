"""Writing by index into a new array. Writes out of range are dropped, with a caveat."""

from __future__ import annotations

import torch

from workbench.lower.writing.call import Call, atom
from workbench.lower.writing.memory import memory_order
from workbench.targets.jax.emitters.operators.arrays.indexing import index_dtype, is_masked, place
from workbench.targets.jax.emitters.operators.arrays.shape import strided
from workbench.targets.jax.emitters.registry import emits, writes

writes(
    {
        "diagonal_scatter": (
            "{_diagonal_scatter}({self}, {src:out}, {offset!s}, {dim1!s}, {dim2!s})"
        ),
        "masked_scatter": "{_masked_scatter}({self}, {mask}, {source})",
    },
    native=True,
)

_RANGE = "a write to an index out of range is dropped in JAX; torch raises an error"
_TWICE = (
    "if two values are written to one element, only the last one has a gradient in JAX;"
    " in torch both have one"
)


def _add_caveats(call: Call, way: str) -> None:
    call.caveat(_RANGE)
    if way == "set" and call.dtype.is_floating_point and "value" not in call.arguments:
        call.caveat(_TWICE)


@emits("index_put", native=True)
def _index_put(call: Call) -> str:
    x, values = atom(call.tensor("self")), call.tensor("values", call.dtype)
    masks = is_masked(call)
    mask = _whole_mask(call)
    if mask is not None and not call["accumulate"]:
        return f"jnp.where({mask}, {values}, {x})"
    if masks and call.rank("values"):
        call.caveat(
            "a mask decides how many values are written: it runs eagerly, and not under jax.jit"
        )
    if call["accumulate"] and call.dtype is torch.bool:
        call.refuse("sums of booleans")
    way = "add" if call["accumulate"] else "set"
    if not masks:
        _add_caveats(call, way)
    return f"{x}.at[{place(call)}].{way}({values})"


def _whole_mask(call: Call) -> str | None:
    """Return the only mask, broadcast to the rank of the result, or None.

    Return None if there are other indices, or if values depend on the number of their place.
    """
    *before, node = call["indices"]
    if any(n is not None for n in before) or index_dtype(node) is not torch.bool:
        return None
    behind = call.rank("self") - len(before) - node.meta["val"].dim()
    if call.rank("values") > (0 if before else behind):
        return None
    mask = call.tensor_of(node, torch.bool)
    axes = [-1 - at for at in range(behind)]
    return (
        f"jnp.expand_dims({mask}, {axes[0] if len(axes) == 1 else tuple(axes)})" if axes else mask
    )


@emits("slice_scatter", native=True)
def _slice_scatter(call: Call) -> str:
    end = call["end"]
    high = "" if end is None or (isinstance(end, int) and end >= 2**62) else call.write(end)
    low = "" if call["start"] in (None, 0) else call.text("start")
    step = "" if call["step"] in (None, 1) else f":{call.text('step')}"
    return _assigned(call, f"{low}:{high}{step}")


@emits("select_scatter", native=True)
def _select_scatter(call: Call) -> str:
    return _assigned(call, call.text("index"))


def _assigned(call: Call, where: str) -> str:
    source = call.tensor("src", call.dtype)
    x = atom(call.tensor("self"))
    return f"{x}.at[{':, ' * call.axis('dim')}{where}].set({source})"


@emits(
    "scatter.src",
    "scatter.value",
    "scatter_add",
    "scatter.reduce",
    "scatter.value_reduce",
    native=True,
)
def _scatter(call: Call) -> str:
    way = "add" if "scatter_add" in str(call.node.target) else "set"
    if call.has("reduce"):
        way = {"add": "add", "multiply": "multiply"}[call["reduce"]]
    return _put(call, way, "src" if "src" in call.arguments else "value")


@emits("scatter_reduce.two")
def _scatter_reduce(call: Call) -> str:
    if call["reduce"] == "prod":
        call.refuse("products of values with the same index, which have no gradient in JAX")
    ways = {"sum": "add", "mean": "mean", "amax": "max", "amin": "min"}
    return _put(call, ways[call["reduce"]], "src", include=call["include_self"])


def _put(call: Call, way: str, name: str, *, include: bool = True) -> str:
    if call.rank("self") == 0 or call.rank("index") != call.rank("self"):
        call.refuse("scatter between tensors of different rank")
    if call.dtype is torch.bool and way != "set":
        call.refuse("arithmetic of booleans")
    _add_caveats(call, way)
    index = call.tensor("index", torch.int64)
    rest = f'{call.operand(name, call.dtype)}, {call.axis("dim")}, "{way}"'
    rest += "" if include else ", include=False"
    return f"{call.helper('_scatter')}({call.tensor('self')}, {index}, {rest})"


@emits("index_add", native=True)
def _index_add(call: Call) -> str:
    source = call.tensor("source", call.dtype)
    if call["alpha"] != 1:
        source = f"{atom(source)} * {call.text('alpha')}"
    return _along(call, f"add({source})")


@emits("index_fill.int_Scalar", "index_fill.int_Tensor", native=True)
def _index_fill(call: Call) -> str:
    return _along(call, f"set({call.operand('value', call.dtype)})")


@emits("index_copy", native=True)
def _index_copy(call: Call) -> str:
    return _along(call, f"set({call.tensor('source', call.dtype)})")


def _along(call: Call, write: str) -> str:
    if call.rank("self") == 0 or call.rank("index") == 0:
        call.refuse("a tensor or an index without dimensions")
    if call.dtype is torch.bool and write.startswith("add"):
        call.refuse("sums of booleans")
    _add_caveats(call, write[:3])
    where = f"{':, ' * call.axis('dim')}{call.tensor('index')}"
    return f"{atom(call.tensor('self'))}.at[{where}].{write}"


@emits("as_strided_scatter", native=True)
def _as_strided_scatter(call: Call) -> str:
    order = memory_order(call.node, "JAX")
    if order != sorted(order):
        call.refuse("writing by strides into a tensor whose dimensions are transposed in memory")
    call.caveat(
        "the gradient goes to the elements that are kept; in torch it goes to those that are"
        " overwritten"
    )
    flat = f"{atom(call.tensor('self'))}.reshape(-1)"
    written = f"{flat}.at[{strided(call)}].set({call.tensor('src', call.dtype)})"
    return f"{written}.reshape({call.text('self')}.shape)"


@emits("copy", native=True)
def _copy(call: Call) -> str:
    if call.meta("src").shape == call.out.shape:
        return call.tensor("src", call.dtype)
    return f"jnp.broadcast_to({call.tensor('src', call.dtype)}, {call.text('self')}.shape)"
