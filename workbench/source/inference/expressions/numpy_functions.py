"""NumPy functions called with a tensor: in torch, `np.sqrt(x)` returns a tensor."""

from __future__ import annotations

import ast

from workbench.source.inference.context import Context
from workbench.source.types import builtin_types, dtypes
from workbench.source.types.lattice import (
    ARRAY_DTYPES,
    Foreign,
    ForeignInstance,
    Tensor,
    TorchObject,
    Value,
)
from workbench.source.uses import UseKind

# NumPy functions that return a tensor for a torch tensor: those that torch has under the same name,
# with results of the same dtype, and others.
_NAMESAKES = frozenset(
    str.split(
        "sqrt exp log log2 log10 log1p expm1 sin cos tan tanh sinh cosh abs square sign floor ceil"
        " reciprocal"
    )
)
_OTHERS = frozenset(
    str.split(
        "add subtract multiply divide true_divide floor_divide power mod remainder maximum minimum"
        " arctan2 arctan arcsin arccos hypot logaddexp greater greater_equal less less_equal equal"
        " not_equal logical_and logical_or logical_not negative absolute rint cbrt isnan isfinite"
        " isinf reshape transpose squeeze repeat swapaxes"
    )
)
# Functions of `scipy.special` that convert their argument to an array.
_OF_ARRAYS = frozenset({"softmax", "log_softmax", "logsumexp", "comb", "perm", "factorial"})


# Names of dtypes that NumPy spells otherwise.
_SPELLED = {
    "builtins.bool": "bool",
    "bool_": "bool",
    "builtins.float": "float64",
    "float": "float64",
    "double": "float64",
    "single": "float32",
    "half": "float16",
    "builtins.int": "int64",
    "int": "int64",
}


# The index of `dtype` among the arguments of functions that create arrays.
DTYPE_PLACES = {
    "numpy.zeros": 1,
    "numpy.ones": 1,
    "numpy.empty": 1,
    "numpy.array": 1,
    "numpy.asarray": 1,
    "numpy.full": 2,
}


def cast(
    node: ast.Call, values: list[Value], keywords: dict[str, Value], place: int = 0
) -> Value | None:
    """Return the array of `x.astype(numpy.float32)` or of a call with `dtype=`, if it is known.

    The dtype may also be the first of `values`, whose node is the argument at `place`.
    """
    given = next((one.value for one in node.keywords if one.arg == "dtype"), None)
    value = keywords.get("dtype")
    if given is None and values and len(node.args) > place:
        given, value = node.args[place], values[0]
    name = value.name.removeprefix("numpy.") if isinstance(value, Foreign) else ""
    if isinstance(given, ast.Constant) and isinstance(given.value, str):
        name = given.value
    name = _SPELLED.get(name, name)
    return ForeignInstance(f"numpy.{name}") if name in ARRAY_DTYPES else None


def of_numpy(context: Context, callee: Foreign, node: ast.Call, tensor: Tensor) -> Value:
    """Return the result of a NumPy function for a tensor.

    `np.sqrt(x)` of floats is a use of `torch.sqrt`. Integers become float64 in NumPy, and the other
    functions have other names in torch: they are uses of `Tensor.__array_wrap__`.
    """
    name = callee.name.removeprefix("numpy.")
    alone = len(node.args) == 1 and not node.keywords
    if not node.args or name not in _NAMESAKES | _OTHERS:
        return builtin_types.call_foreign(callee, [tensor])
    if alone and name in _NAMESAKES and dtypes.kind(tensor.dtype) not in {0, 1}:
        use = context.use(f"torch.{name}", UseKind.CALL, node, tensor.certainty)
        use.values = [tensor]
        context.keep(use)
        return context.members.call(TorchObject(use.name), [tensor], {})
    _refused(context, node, node.args[0], tensor)
    return Tensor(tensor.certainty)


def of_scipy(context: Context, name: str, node: ast.Call, values: list[Value]) -> None:
    """Record a function of `scipy.special` that computes elementwise with a tensor."""
    if name.rpartition(".")[2] in _OF_ARRAYS:
        return
    for argument, value in zip(node.args, values, strict=False):
        if isinstance(value, Tensor):
            _refused(context, node, argument, value)
            return


def _refused(context: Context, node: ast.Call, argument: ast.expr, tensor: Tensor) -> None:
    use = context.use("torch.Tensor.__array_wrap__", UseKind.READ, node, tensor.certainty)
    use.owner, use.receiver, use.receiver_value = "torch.Tensor", argument, tensor
    context.keep(use)
