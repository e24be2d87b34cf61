"""Members and conversions of a tensor."""

from __future__ import annotations

import ast

from workbench.findings import Certainty
from workbench.rules.difference import at, unless
from workbench.rules.forms import FormSet
from workbench.rules.keys import is_key
from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Rewrite
from workbench.rules.same import changed, shows_views
from workbench.source.traits.training import simple
from workbench.source.traits.traits import Training
from workbench.source.tree import container
from workbench.source.types import dtypes
from workbench.source.types.lattice import (
    UNKNOWN,
    ForeignInstance,
    Instance,
    OneOf,
    Plain,
    Tensor,
    TorchObject,
    Value,
    is_of_numpy,
)
from workbench.source.uses import UseKind
from workbench.targets.paddle.common.either import same
from workbench.targets.paddle.tensors.forms.functions import UNBOUNDED
from workbench.targets.paddle.tensors.forms.sparse import is_sparse
from workbench.targets.paddle.tensors.rules.members import kept_apart
from workbench.targets.paddle.tensors.rules.transposing import of_sparse
from workbench.targets.paddle.training.rules.autograd import (
    NESTED,
    NO_SECOND,
    NO_THIRD,
    is_in_backward,
)

forms = FormSet(since="3.3")
_T = "torch.Tensor."
_OPERATION = unless("names of operations, and what leads from one to the next, are {target}'s")
_OF_SCALAR = at("view of a tensor without dimensions raises an error in {target}")
_EQUAL = at("the gradient of std of equal values is NaN in {target}, 0 in torch")
# Members that detach a gradient from the graph, or that return no tensor.
_SETTLED = frozenset({"data", "detach", "detach_", "item", "shape", "dtype", "device", "numpy"})
_LEGACY = {
    "FloatTensor": "float32",
    "DoubleTensor": "float64",
    "HalfTensor": "float16",
    "LongTensor": "int64",
    "IntTensor": "int32",
    "ShortTensor": "int16",
    "ByteTensor": "uint8",
    "CharTensor": "int8",
    "BoolTensor": "bool",
}


@forms.form(_T + "grad", whole=True)
def gradient(match: Match) -> Outcome | None:
    """Keep `p.grad`; Paddle's requires gradients itself, which only a graph would show.

    A gradient that is kept while the parameter's own is set to None would lose its values.
    """
    use = match.use
    if use.kind is UseKind.STORE:
        held = match.program.holds_gradients
        return None if held else Keep(note=kept_apart(match))
    if use.kind is not UseKind.READ or not isinstance(use.node, ast.Attribute):
        return None
    if isinstance(use.node.ctx, ast.Store):  # p.grad /= n
        return Keep(note=kept_apart(match))
    around = container(use.statement, use.node)
    if isinstance(around, ast.Compare) and isinstance(around.ops[0], ast.Is | ast.IsNot):
        return Keep()
    if isinstance(around, ast.Attribute) and around.attr in _SETTLED:
        return Keep()
    if isinstance(around, ast.Attribute) and around.attr in {"requires_grad", "is_leaf", "grad_fn"}:
        return None
    if match.program.stores("grad") and isinstance(around, ast.Assign | ast.Call | ast.List):
        return None
    if _is_collected(use.statement, use.node):
        # It is None after `zero_grad`, for a frozen parameter, and for one that
        # `backward(inputs=...)` leaves out.
        kept = match.program.freezes or "inputs" in match.program.traits.keywords
        kept = kept or match.program.calls("zero_grad")
        return None if kept else Rewrite("{self}.grad.detach()")
    if isinstance(around, ast.Attribute) and around.attr.endswith("_"):
        return Rewrite("{self}.grad.data")  # correct in `with torch.no_grad()`, and outside
    if not isinstance(around, ast.Assign):
        return Keep()
    no_graph = match.program.calls("no_grad", "inference_mode", "set_grad_enabled")
    return Keep() if no_graph and not _is_changed(match, around) else None


_LAYOUT = unless(
    "if the tensor was expanded, or came from another operation that copies in {target} only: these"
    " are the strides and the order of the copy"
)


@forms.form(_T + "stride")
def stride(match: Match) -> Outcome | None:
    """Write the strides as a tuple; Paddle's method returns a list."""
    if match.use.kind is not UseKind.CALL:
        return None
    if "dim" in match and match.constant("dim") is not None:
        return Keep(differs=_LAYOUT)
    return Rewrite("tuple({self}.stride())", consumed=frozenset({"dim"}), differs=_LAYOUT)


@forms.form(_T + "is_contiguous")
def is_contiguous(match: Match) -> Outcome | None:
    """Keep the test; tensors of which Paddle makes a copy are contiguous."""
    return None if match.arguments else Keep(differs=_LAYOUT)


_ADDED = at("a second backward pass replaces a retained gradient in {target}; in torch it is added")
_BEFORE_HOOKS = at(
    "hooks that are registered on the tensor after this line do not change its retained gradient"
    " in {target}; in torch they do: register them first"
)


@forms.form(_T + "retain_grad")
def retain_grad(match: Match) -> Outcome | None:
    """Keep the gradient, as it is before hooks that are registered later."""
    hooked = _BEFORE_HOOKS if match.program.calls("register_hook") else ()
    return Rewrite("{self}.retain_grads()", differs=(*_ADDED, *hooked))


@forms.form(_T + "grad_fn")
def grad_fn(match: Match) -> Outcome | None:
    """Report an operation that is read, unless it is only compared with None or tested."""
    around = container(match.use.statement, match.use.node)
    if isinstance(around, ast.Compare | ast.BoolOp | ast.UnaryOp | ast.Assert | ast.If):
        return None
    return Rewrite("torch_grad_fn({self})", differs=_OPERATION)


def _is_changed(match: Match, kept: ast.Assign) -> bool:
    """Return whether a variable that holds a gradient changes in place outside an optimizer."""
    names = {one.id for one in kept.targets if isinstance(one, ast.Name)}
    own = Training.OWN in match.program.traits.training
    return not own and not names.isdisjoint(match.program.traits.changed)


def _is_collected(statement: ast.stmt, node: ast.expr) -> bool:
    """Return whether a gradient, or a copy of it, is collected or returned."""
    around = container(statement, node)
    if isinstance(around, ast.Attribute) and around.attr == "clone":
        around = container(statement, container(statement, around))
    if isinstance(around, ast.Call) and isinstance(around.func, ast.Attribute):
        return around.func.attr == "append"
    return isinstance(around, ast.List | ast.Tuple | ast.ListComp | ast.Return)


@forms.form(_T + "type")
def as_type(match: Match) -> Outcome | None:
    """Write `x.type(torch.float32)` and `x.type("torch.LongTensor")`; rules handle `x.type()`."""
    argument = match.arguments.get("dtype")
    if argument is None:
        return None
    consumed = frozenset({"non_blocking"})
    value = argument.value
    if (other := _typed_as(argument.node)) is not None:
        return Rewrite(f"{{self}}.astype({other}.dtype)", consumed=consumed | {"dtype"})
    name = match.constant("dtype", None)
    if isinstance(value, TorchObject):
        name = value.name
    if isinstance(value, OneOf):  # `torch.cuda.FloatTensor if cuda else torch.FloatTensor`
        names = {getattr(one, "name", "").rpartition(".")[2] for one in value.options}
        [name] = names if len(names) == 1 else [""]
        if name not in _LEGACY:
            return None
    if isinstance(name, str):
        short = name.removeprefix("torch.").removeprefix("cuda.")
        mine = match.use.receiver_value
        if isinstance(mine, Tensor) and mine.recorded and "float" not in _LEGACY.get(short, short):
            return None  # integers require no gradients
        if short == "Tensor":  # the default dtype
            fixed = not match.program.calls("set_default_dtype", "set_default_tensor_type")
            text = '{self}.astype("float32")'
            return Rewrite(text, consumed=consumed | {"dtype"}) if fixed else None
        if short in _LEGACY:
            text = f'{{self}}.astype("{_LEGACY[short]}")'
            return Rewrite(text, consumed=consumed | {"dtype"})
    return Rewrite("{self}.astype({dtype})", consumed=consumed)


def _typed_as(node: ast.expr) -> str | None:
    """Return the tensor whose type another one takes, as in `x.type(y.type())`."""
    if not isinstance(node, ast.Call) or node.args or node.keywords:
        return None
    if not isinstance(node.func, ast.Attribute) or node.func.attr != "type":
        return None
    return ast.unparse(node.func.value) if simple(node.func.value) else None


@forms.form(_T + "clamp_min", _T + "clamp_max")
def clamp_one_side(match: Match) -> Outcome | None:
    """Write `x.clamp_min(0)` as `x.clip(min=0)`."""
    side = match.use.name[-3:]
    if match.arguments.keys() != {side} or isinstance(match.value(side), Tensor):
        return None
    return Rewrite(f"{{self}}.clip({side}={{{side}}})", differs=UNBOUNDED)


@forms.form(_T + "size")
def size(match: Match) -> Outcome | None:
    """Keep `x.size()` and `x.size(0)`, which Paddle has, but not as methods of its class."""
    return None if match.use.kind is UseKind.UNBOUND or is_key(match) else Keep()


def _of_numpy(match: Match) -> bool:
    return any(map(is_of_numpy, match.use.values))


@forms.form(_T + "view")
def view(match: Match) -> Outcome | None:
    """Write a view of another size; the rule decides other dtypes."""
    values = [value for one in match.arguments.values() for value in one.values]
    dtype = any(isinstance(one, TorchObject) or one == Instance("torch.dtype") for one in values)
    if dtype or "dtype" in match:
        return None
    mine, sizes = match.use.receiver_value, [ast.unparse(one) for one in match.use.arguments]
    scalar = isinstance(mine, Tensor) and mine.scalar
    if scalar or (sizes and set("".join(sizes)) <= set("-1[](), ") and sizes != ["-1"]):
        # It accepts a tensor without dimensions, too.
        return Rewrite("{self}.reshape", callee_only=True)
    return _listed(match) or Keep(differs=_OF_SCALAR if sizes == ["-1"] else ())


@forms.form(_T + "reshape")
def reshape(match: Match) -> Outcome | None:
    """Keep the call."""
    return _listed(match) or Keep()


forms.row(_T + "view_as", to="{self}.reshape({other}.shape)")


def _listed(match: Match) -> Outcome | None:
    """Return several sizes as a list, which accepts NumPy's integers, if one may be such."""
    nodes, values = match.use.arguments, match.use.values
    unknown = any(
        value is UNKNOWN and not isinstance(node, ast.Attribute)
        for node, value in zip(nodes, values, strict=False)
    )
    starred = any(isinstance(one, ast.Starred) for one in nodes)
    several = (starred or len(nodes) > 1) and (unknown or _of_numpy(match))
    return _in_a_list(match) if several or any(map(_is_whole_number, values)) else None


def _in_a_list(match: Match) -> Outcome | None:
    starred = any(isinstance(one, ast.Starred) for one in match.use.arguments)
    if starred and not _of_numpy(match):
        return None
    method, name = match.use.name.rpartition(".")[2], next(iter(match.arguments))
    return Rewrite(f"{{self}}.{method}({{{name}}})")


def _is_whole_number(value: Value) -> bool:
    """Return whether a value is known to be a NumPy integer."""
    return isinstance(value, ForeignInstance) and value.name in {"numpy.prod", "numpy.int64"}


@forms.form(_T + "repeat", _T + "expand", _T + "permute", tried=True)
def repeat(match: Match) -> Outcome | None:
    """Write NumPy's integers in a list."""
    return _in_a_list(match) if _of_numpy(match) and "implicit" not in match else None


@forms.form(_T + "unbind", "torch.unbind")
def unbind(match: Match) -> Outcome | None:
    """Write the parts, which are copies."""
    if changed(match):
        return None
    if match.use.receiver is None:
        return Rewrite("paddle.unbind({input}, axis={dim})")
    return Rewrite("{self}.unbind(axis={dim})") if _by_keyword(match, "dim") else Keep()


def _by_keyword(match: Match, name: str) -> bool:
    call = match.use.call
    return call is not None and any(one.arg == name for one in call.keywords)


def deviation(match: Match) -> Outcome | None:
    """Rename the dimension to Paddle's axis."""
    correction = match.constant("correction", None)
    if match.arguments.keys() - {"input", "dim", "unbiased", "keepdim", "correction"}:
        return None
    if correction not in (None, 0, 1) or "out" in match:
        return None
    if match.value("dim") == Plain("bool"):  # `x.std(False)`, a separate overload
        return _of_all_values(match)
    unbiased = "{unbiased}" if "unbiased" in match else "False" if correction == 0 else ""
    name = match.use.name.rpartition(".")[2]
    first = f"{{self}}.{name}(" if match.use.receiver is not None else f"paddle.{name}({{input}}, "
    option = f", unbiased={unbiased}" if unbiased else ""
    text = f"{first}axis={{dim}}{option}, keepdim={{keepdim}})"
    differs = _EQUAL if name == "std" else ()
    return Rewrite(text, consumed=frozenset({"correction"}), differs=differs)


def _of_all_values(match: Match) -> Outcome | None:
    """Write the deviation of all values, where the only argument is `unbiased`."""
    if match.arguments.keys() - {"input", "dim"}:
        return None
    first = "{self}" if match.use.receiver is not None else "paddle"
    name = match.use.name.rpartition(".")[2]
    given = "" if match.use.receiver is not None else "{input}, "
    differs = _EQUAL if name == "std" else ()
    return Rewrite(f"{first}.{name}({given}unbiased={{dim}})", differs=differs)


for _name in ("std", "var"):
    forms.form(f"torch.{_name}", value=f"paddle.{_name}", partial=True)(deviation)
    forms.form(f"{_T}{_name}")(deviation)


@forms.form(_T + "where")
def choose(match: Match) -> Outcome | None:
    """Write `x.where(mask, y)`; Paddle's method takes the mask as its own tensor."""
    other = match.value("other")
    if not isinstance(other, Tensor) or dtypes.may_differ(match.use.receiver_value, other):
        return None
    return Rewrite("paddle.where({condition}, {self}, {other})")


@forms.form("torch.autograd.grad")
def gradients(match: Match) -> Outcome | None:
    """Keep the arguments in the same order."""
    if match.given("is_grads_batched", "materialize_grads"):
        return None
    again = match.constant("create_graph", False) is not False
    differs = unless(NO_SECOND) if again else ()
    if again and match.program.differentiates_thrice:
        differs += unless(NO_THIRD)
    if is_in_backward(match):
        return Rewrite("torch_nested_grad", callee_only=True, differs=differs + unless(NESTED))
    return Rewrite("paddle.grad", callee_only=True, differs=differs)


@forms.form("torch.flatten", "torch.Tensor.flatten", tried=True)
def flatten(match: Match) -> Outcome | None:
    """Write a change of shape if gradients need gradients, which Paddle's flatten lacks."""
    start = match.constant("start_dim", 0)
    if not match.program.differentiates_twice or match.given("end_dim"):
        return None
    if not isinstance(start, int) or start < 0:
        return None
    sizes = ", ".join([*("0" for _ in range(start)), "-1"])
    tensor = "{self}" if match.use.receiver is not None else "{input}"
    return Rewrite(f"{tensor}.reshape([{sizes}])", consumed=frozenset({"start_dim", "end_dim"}))


for _name in ("torch.t", "torch.transpose", f"{_T}t", f"{_T}transpose", f"{_T}T"):
    forms.form(_name, tried=True)(of_sparse)


# Functions that create a new tensor, by the last name.
_MAKERS = frozenset(
    {"zeros", "ones", "full", "rand", "randn", "tensor", "from_numpy", "Tensor", *_LEGACY}
)


@forms.form("torch.autograd.Variable")
def variable(match: Match) -> Outcome | None:
    """Write a tensor, as every variable is; one created for the call needs no other name."""
    if "data" not in match or match.constant("requires_grad", False) is not False:
        return None
    node = match.arguments["data"].node
    made = node.func if isinstance(node, ast.Call) else None
    new = isinstance(made, ast.Attribute) and made.attr in _MAKERS
    text = "{data}" if new else "{data}.detach()"
    return Rewrite(text, consumed=frozenset({"requires_grad"}))


@forms.form(_T + "to")
def moved(match: Match) -> Outcome | None:
    """Write `x.to(device, copy=True)` as a copy; memory formats change no values."""
    dense = ast.unparse(match.arguments["memory_format"].node) if "memory_format" in match else ""
    if dense.startswith("torch.channels_last") and match.program.calls("stride", "is_contiguous"):
        return None
    copies = match.constant("copy", False)
    if copies not in {True, False} or not (copies or dense) or match.given("other"):
        return None
    arguments = match.arguments.get("args")
    if arguments is not None and (arguments.starred or len(arguments.nodes) > 2):
        return None
    asked = [one for name in match.arguments for one in match.arguments[name].values]
    whole = any(dtypes.kind(dtypes.of_value(one)) in {0, 1} for one in asked)  # without gradients
    if whole and not copies:
        return None
    tensor = "{self}.detach()" if whole else "{self}"
    copied = f"{tensor}{'.clone()' if copies else ''}"
    unseen = frozenset({"copy", "memory_format", "non_blocking"})
    if match.arguments.keys() <= unseen:
        return Rewrite(copied, consumed=unseen)
    return Rewrite(f"{copied}.to(*{{args}}, device={{device}}, dtype={{dtype}})", consumed=unseen)


@forms.form(_T + "layout")
def layout(match: Match) -> Outcome | None:
    """Keep the layout of a possible non-tensor, if the program names none of torch's layouts."""
    value = match.use.receiver_value
    proved = isinstance(value, Tensor) and value.certainty is Certainty.PROVED
    named = match.program.reads("strided", "sparse_coo", "sparse_csr", "sparse_csc")
    around = container(match.use.statement, match.use.node)
    if named or isinstance(around, ast.keyword):
        return None
    return (
        None if (proved or is_sparse(value)) and not isinstance(around, ast.Attribute) else Keep()
    )


@forms.form(_T + "unfold")
def windows(match: Match) -> Outcome | None:
    """Keep the call; Paddle's gradient differs for overlapping windows."""
    if match.use.call is None:
        return None
    size, step = (match.arguments[name].node for name in ("size", "step"))
    if ast.dump(size) != ast.dump(step):
        return None
    return Rewrite("{self}.unfold({dimension}, {size}, {step})")


@forms.form("torch.narrow", _T + "narrow")
def part(match: Match) -> Outcome | None:
    """Write the same view of a part of one dimension."""
    return same(match) if "length" in match else None


@forms.form(_T + "real")
def real(match: Match) -> Outcome | None:
    """Write the copy of a complex tensor's part; Paddle itself raises for other dtypes."""
    mine = match.use.receiver_value
    if match.use.kind is not UseKind.READ or shows_views(match):
        return None
    known = isinstance(mine, Tensor) and dtypes.kind(mine.dtype) not in {None, 3}
    return None if known else Rewrite("paddle.real({self})")


@forms.form(_T + "requires_grad_")
def ask_for_gradients(match: Match) -> Outcome | None:
    """Keep the method."""
    return Keep()
