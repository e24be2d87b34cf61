"""In-place changes of tensors with Paddle's own methods, which write to views as torch's do."""

from __future__ import annotations

import ast
import re

from workbench.findings import Certainty
from workbench.rules.difference import Differs, at, unless
from workbench.rules.forms import FormSet
from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Rewrite
from workbench.source.ownership import is_needed_result
from workbench.source.types import dtypes
from workbench.source.types.lattice import (
    HALVES,
    MIXED,
    RECORDED,
    UNKNOWN,
    UNSURE,
    Items,
    OneOf,
    Plain,
    Tensor,
    Value,
)
from workbench.source.uses import UseKind
from workbench.targets.paddle.parts import is_apart, is_plain_part, unless_needed
from workbench.targets.paddle.tensors.rules.augmented import changed_by
from workbench.targets.paddle.tensors.rules.operators import dtype_of
from workbench.words import words

forms = FormSet(since="3.3")
_T = "torch.Tensor."
_WIDER = unless(
    "if the right side is a tensor of a wider dtype: the result has that dtype in"
    " {target}, the left side's in torch"
)
_SIGN = at("sign(NaN) is NaN in {target}, 0 in torch")
_OF_ITSELF = unless(
    "a backward pass raises an error in {target} if the values are a part of the same tensor"
)
_UNLIKE = unless("if the right side has another dtype: {target} raises an error")
_SHAPE = at("values of another shape raise an error in {target}: expand them first")

# Common names of numbers in training code: Paddle's method for numbers refuses larger tensors.
_NUMBERS = re.compile(
    r"beta\w*|momentum|lr|eps|epsilon|alpha\w*|wd|decay|gamma|rho|zeta|ck|lambd\w*|scale|step"
    r"|step_size|\w+_(rate|ratio|decay|size|factor|lr|eps)|bias_correction\d*|clip_?value|inf"
)
# Dtypes that a tensor keeps in any in-place change.
_KEPT = frozenset({"int32", "int64", "float64"})


def is_number(node: ast.expr, value: Value) -> bool:
    """Return whether an argument is a number, by its type or by how numbers are written."""
    if isinstance(value, Tensor):
        return value.scalar
    if isinstance(value, OneOf) and any(isinstance(one, Tensor) for one in value.options):
        return False
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int | float)
    if isinstance(node, ast.UnaryOp):
        return is_number(node.operand, value)
    if isinstance(node, ast.BinOp):
        # `1 - beta`; the known value is that of the whole expression.
        return all(is_number(part, _nothing) for part in (node.left, node.right))
    if isinstance(node, ast.Subscript):
        return _is_option(node)
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    return bool(_NUMBERS.fullmatch(name))


_nothing = Value()


def _is_option(node: ast.Subscript) -> bool:
    """Return whether a node is an entry with a usual name of numbers: `group["lr"]`, `betas[0]`."""
    at = node.slice
    if isinstance(at, ast.Constant) and isinstance(at.value, str):
        return bool(_NUMBERS.fullmatch(at.value))
    return isinstance(node.value, ast.Name) and bool(_NUMBERS.fullmatch(node.value.id))


def whole_numbers(value: Value) -> bool:
    """Return whether a value is known to be a tensor of truth values, or of whole numbers."""
    return isinstance(value, Tensor) and dtypes.kind(value.dtype) in {0, 1}


def known_number(match: Match, parameter: str) -> bool:
    """Return whether an argument of this parameter is a number."""
    argument = match.arguments.get(parameter)
    if argument is None or len(argument.nodes) != 1:
        return False
    return match.is_number(parameter) or is_number(argument.node, argument.value)


def _keeps_its_dtype(mine: Value, other: Tensor) -> bool:
    """Return whether nothing is known but that a tensor of `_KEPT` is changed by another.

    Paddle's method refuses those of the possible dtypes for which its result would differ.
    """
    known = isinstance(mine, Tensor) and mine.dtype in _KEPT and MIXED not in mine.states
    return known and other.dtype is None


def _unless_of_its_dtype(mine: Value) -> Differs:
    """Return the difference of integers that change by values of an unknown dtype."""
    return _UNLIKE if isinstance(mine, Tensor) and dtypes.kind(mine.dtype) == 1 else ()


def _takes(mine: Value, other: Tensor) -> bool:
    """Return whether Paddle's method changes a tensor by another as torch's does, or refuses to."""
    return _keeps_its_dtype(mine, other) or not dtypes.may_differ(mine, other)


@forms.form(_T + "add_", _T + "sub_", _T + "subtract_")
def add(match: Match) -> Outcome | None:
    """Keep `x.add_(y, alpha=a)`, and add a number with `scale_`."""
    if "other" not in match or match.arguments.keys() - {"other", "alpha"}:
        return None
    other = match.value("other")
    if _is_data_of_computed(match) and "alpha" not in match:
        symbol = "+" if match.use.name.endswith("add_") else "-"
        return Rewrite(f"{{self}}.set_value({{self}} {symbol} {{other}})")
    if "alpha" in match and match.arguments["alpha"].indexes[0] == 0:
        return Rewrite(f"{{self}}.{match.use.name.rpartition('.')[2]}({{other}}, alpha={{alpha}})")
    if isinstance(other, Tensor):  # also without dimensions: `scale_` ends its gradient
        mine = match.use.receiver_value
        differs = _unless_of_its_dtype(mine) if other.dtype is None else ()
        return Keep(differs=differs) if _takes(mine, other) else None
    if "alpha" in match:
        return None if known_number(match, "other") else Keep()
    if not match.is_number("other") and not known_number(match, "other"):
        return None
    sign = "" if match.use.name.endswith("add_") else "-"
    return Rewrite(f"{{self}}.scale_(bias={sign}{{other}})")


@forms.form(*(_T + name for name in ("mul_", "multiply_", "div_", "divide_")))
def multiply(match: Match) -> Outcome | None:
    """Keep `x.mul_(y)`, and multiply by a number with `scale_`."""
    if match.arguments.keys() != {"other"}:
        return None
    use = match.use
    other, mine = match.value("other"), use.receiver_value
    divided = use.name.endswith(("div_", "divide_"))
    if _is_data_of_computed(match):
        return Rewrite(f"{{self}}.set_value({{self}} {'/' if divided else '*'} {{other}})")
    if isinstance(other, Tensor):  # also without dimensions: `scale_` ends its gradient
        differs = _unless_of_its_dtype(mine) if other.dtype is None else ()
        return Keep(differs=differs) if _takes(mine, other) else None
    if known_number(match, "other"):
        if whole_numbers(mine):
            return None
        return Rewrite("{self}.scale_(1 / {other})" if divided else "{self}.scale_({other})")
    if _alone(match) and isinstance(use.receiver, ast.Attribute) and use.receiver.attr == "data":
        symbol = (
            "/" if use.name.endswith(("div_", "divide_")) else "*"
        )  # by a number or by a tensor
        return Rewrite(f"{{self}}.set_value({{self}} {symbol} {{other}})")
    return None


@forms.form(_T + "addcmul_", _T + "addcdiv_")
def add_product(match: Match) -> Outcome | None:
    """Write `x.addcmul_(a, b, value=v)` as the addition of a product."""
    given = match.arguments
    if given.keys() - {"tensor1", "tensor2", "value"} or not {"tensor1", "tensor2"} <= given.keys():
        return None
    known = [match.value(name) for name in ("tensor1", "tensor2")]
    if any(dtypes.may_differ(match.use.receiver_value, value) for value in known):
        return None
    sign = "*" if match.use.name.endswith("mul_") else "/"
    return Rewrite(f"{{self}}.add_({{tensor1}} {sign} {{tensor2}}, alpha={{value}})")


_NATIVE = words(
    "abs acos asin atan ceil cos cosh digamma exp floor frac lgamma log log10 log1p log2 "
    "logit neg reciprocal round rsqrt sigmoid sin sinh sqrt square tan tanh trunc"
)


@forms.form(
    *(f"{_T}{_name}_" for _name in _NATIVE),
    cases=["t = p.clone()\nt.sqrt_()\nt[0].exp_()", "t = w * 2\nt.sigmoid_().sum().backward()"],
)
def of_each_value(match: Match) -> Outcome | None:
    """Keep Paddle's own method."""
    if match.arguments:
        return None
    name = match.use.name.rpartition(".")[2].removesuffix("_")
    computed = _is_data_of_computed(match)
    return Rewrite(f"{{self}}.set_value({{self}}.{name}())") if computed else Keep()


@forms.form(_T + "sgn_", _T + "sign_")
def sign(match: Match) -> Outcome | None:
    """Write the sign of a tensor that was just created, which has no other name."""
    return Rewrite("{self}.sign()", differs=_SIGN) if _is_new(match.use.receiver) else None


def _is_new(node: ast.expr | None) -> bool:
    """Return whether an expression makes a tensor that nothing else has: `x.clone().mul_(y)`."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        name = node.func.attr
        if name in _MAKES:
            return True
        if not name.endswith("_"):
            return False
        node = node.func.value
    return False


_MAKES = frozenset({"clone", "add", "sub", "mul", "div", "lerp"})


@forms.form(_T + "scatter_")
def scatter(match: Match) -> Outcome | None:
    """Scatter a tensor, or a number that Paddle takes by position."""
    mine = match.use.receiver_value
    if isinstance(mine, Tensor) and mine.dtype == "bool":
        return None
    index = match.value("index")
    if isinstance(index, Tensor) and index.scalar:
        return None
    if "value" in match.use.keywords and "reduce" not in match:
        return Rewrite("{self}.scatter_({dim}, {index}, {value})")
    return Keep()


@forms.form(_T + "pow_")
def power(match: Match) -> Outcome | None:
    """Raise to a number; values selected by a mask are a copy, so the result is a new tensor."""
    if not match.is_number("exponent") or whole_numbers(match.use.receiver_value):
        return None
    receiver = match.use.receiver
    picked = isinstance(receiver, ast.Subscript) and masks(receiver.slice)
    return Rewrite("{self}.pow({exponent})" if picked else "{self}.pow_({exponent})")


@forms.form(_T + "clamp_")
def clamp(match: Match) -> Outcome | None:
    """Clamp between numbers; Paddle's method accepts no tensors."""
    bounds = [match.value(name) for name in match.arguments]
    if whole_numbers(match.use.receiver_value) or any(isinstance(one, Tensor) for one in bounds):
        return None
    if _is_data_of_computed(match):
        return Rewrite("{self}.set_value({self}.clip(min={min}, max={max}))")
    return Keep()


@forms.form(_T + "fill_diagonal_")
def fill_diagonal(match: Match) -> Outcome | None:
    """Pass the value by position, since its name differs in Paddle."""
    mine = match.use.receiver_value
    narrow = {"uint8", "int8", "int16", "bfloat16"}  # without a CPU kernel
    known = isinstance(mine, Tensor) and mine.dtype in narrow
    if known or isinstance(match.value("fill_value"), Tensor):
        return None
    return Rewrite("{self}.fill_diagonal_({fill_value}, wrap={wrap})")


@forms.form(_T + "copy_")
def copy(match: Match) -> Outcome | None:
    """Write `set_value`, which raises for other shapes or dtypes; Paddle's `copy_` is silent."""
    use = match.use
    other, receiver, mine = match.value("other"), use.receiver, use.receiver_value
    if not _alone(match) or "other" not in match:
        return None
    if is_plain_part(use):
        return _assigned_part(match)
    subscript = isinstance(receiver, ast.Subscript)
    entry = isinstance(receiver, ast.Subscript) and _is_entry(receiver, mine)
    if not (entry or _is_parameter(receiver) or isinstance(mine, Tensor)):
        return None
    if isinstance(mine, Tensor) and mine.states & {RECORDED, UNSURE}:
        return None  # the gradient of the receiver's old value becomes zero
    if (isinstance(other, Tensor) and (other.recorded or other.scalar)) or (subscript != entry):
        return None
    if _is_stretched(receiver, match.arguments["other"].node):
        return None
    free = frozenset({"non_blocking"})
    # Layers of one kind, whose weights are copied in turn, have weights of the same shapes.
    differs = () if _is_parameter(match.arguments["other"].node) else _SHAPE
    if not _may_have_another_dtype(match):
        return Rewrite("{self}.set_value({other})", consumed=free, differs=differs)
    if (dtype := dtype_of(_without_data(receiver))) is None:
        return None
    text = f"{{self}}.set_value({{other}}.astype({dtype}))"
    return Rewrite(text, consumed=free, differs=differs)


def _assigned_part(match: Match) -> Outcome | None:
    """Write `x[1].copy_(y)` as an assignment, unless `y` is a part of `x`."""
    known = isinstance(match.value("other"), Tensor)
    if known and not is_apart(match, "other"):
        return None
    free = frozenset({"non_blocking"})
    differs = () if known else _OF_ITSELF
    written = Rewrite("{other}", consumed=free, assigned=True, differs=differs)
    return unless_needed(match, written)


def _is_parameter(node: ast.expr | None) -> bool:
    """Return whether an expression is the weight of a layer, or the data of one."""
    return isinstance(node, ast.Attribute) and node.attr in {"data", "weight", "bias"}


def _is_stretched(receiver: ast.expr | None, value: ast.expr) -> bool:
    """Return whether a one-dimensional value is copied into each row of a weight, or everywhere."""
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
        return False
    if value.func.attr in {"arange", "linspace"}:
        return not ast.unparse(receiver or value).removesuffix(".data").endswith("bias")
    return value.func.attr in {"zeros", "ones", "full"} and [
        getattr(one, "value", None) for one in value.args
    ] == [1]


def _may_have_another_dtype(match: Match) -> bool:
    """Return whether what is copied into a tensor may have another dtype, as NumPy's numbers do."""
    mine, other = match.use.receiver_value, match.value("other")
    if dtypes.may_differ(mine, other) or match.program.calls("double", "half", "bfloat16"):
        return True
    node = match.arguments["other"].node
    if "float32" in ast.unparse(node):
        return False
    if not isinstance(other, Tensor):
        return isinstance(node, ast.Name | ast.Subscript | ast.Call)
    if MIXED in other.states:
        return True
    if other.dtype not in {None, dtypes.FLOATING}:
        known = mine.dtype if isinstance(mine, Tensor) else None
        return other.dtype not in {"float32", known}
    called = (part.func for part in ast.walk(node) if isinstance(part, ast.Call))
    return any(getattr(function, "attr", None) in _OF_DATA for function in called)


# Functions whose result has the dtype of their argument.
_OF_DATA = frozenset({"from_numpy", "as_tensor", "asarray", "tensor"})


def _without_data(node: ast.expr | None) -> ast.expr | None:
    return node.value if isinstance(node, ast.Attribute) and node.attr == "data" else node


def _alone(match: Match) -> bool:
    """Return whether a statement does nothing else."""
    statement = match.use.statement
    return isinstance(statement, ast.Expr) and statement.value is match.use.node


def _is_entry(node: ast.Subscript, value: Value) -> bool:
    """Return whether an index is a key: `state["weight"]`, or `state[key]` of whole tensors."""
    key = node.slice
    if isinstance(key, ast.JoinedStr) or isinstance(getattr(key, "value", None), str):
        return True
    return isinstance(key, ast.Name) and isinstance(value, Tensor) and value.part is None


@forms.form(_T + "__iadd__", _T + "__isub__", _T + "__imul__", _T + "__itruediv__")
def change(match: Match) -> Outcome | None:
    """Give the parameter of `p.grad /= n` a new gradient; change `self.count += n` in place."""
    use = match.use
    if use.kind is not UseKind.AUGMENTED:
        return None
    if isinstance(use.receiver, ast.Attribute) and use.receiver.attr == "grad":
        return Keep()
    mine, other = use.receiver_value, match.value("other")
    name = use.name.rpartition("__i")[2].removesuffix("__")
    if match.is_number("other"):
        return None if use.makers or whole_numbers(mine) else Rewrite(_SCALED[name])
    if use.makers and use.makers <= _CREATING and _may_be_number(mine, other):
        return Keep(differs=_WIDER)
    method = {"add": "add_", "sub": "subtract_", "mul": "multiply_", "truediv": "divide_"}[name]
    if (dtype := _own_dtype(match)) is not None:
        return Rewrite(f"{{self}}.{method}({{other}}.astype({dtype}))")
    if not isinstance(other, Tensor):
        return _new_values(match, name)
    written = f"{{self}}.{method}({{other}})"
    if _keeps_its_dtype(mine, other):
        return Rewrite(written, differs=_unless_of_its_dtype(mine))
    return None if dtypes.may_differ(mine, other) else changed_by(match, name, written)


def _may_be_number(mine: Value, other: Value) -> bool:
    """Return whether a floating tensor changes by a result that may be a number: `log_det = 0`."""
    assumed = isinstance(other, Tensor) and other.certainty is not Certainty.PROVED
    known = isinstance(other, Tensor) and other.dtype is not None
    floating = isinstance(mine, Tensor) and dtypes.kind(mine.dtype) in {2, None}
    return assumed and not known and floating


def _own_dtype(match: Match) -> str | None:
    """Return the receiver's dtype, to which the other value is cast, or None if it is not."""
    mine, other = match.use.receiver_value, match.value("other")
    if not isinstance(mine, Tensor) or not isinstance(other, Tensor) or mine.dtype in HALVES:
        return None
    kinds = dtypes.kind(mine.dtype), dtypes.kind(other.dtype)
    settled = MIXED not in mine.states | other.states and not mine.recorded
    floats = kinds == (2, 2) and dtypes.differ(mine.dtype, other.dtype) and not other.recorded
    if settled and (floats or kinds in {(2, 0), (2, 1), (1, 0)}):
        return dtype_of(match.use.receiver)
    return None


_SCALED = {
    "add": "{self}.scale_(bias={other})",
    "sub": "{self}.scale_(bias=-{other})",
    "mul": "{self}.scale_({other})",
    "truediv": "{self}.scale_(1 / {other})",
}
_SYMBOLS = {"add": "+", "sub": "-", "mul": "*", "truediv": "/"}


def _new_values(match: Match, name: str) -> Outcome | None:
    """Assign `self.weight /= n`, for a number or a tensor: a parameter takes new values."""
    receiver, other = match.use.receiver, match.value("other")
    if isinstance(other, Tensor | Plain) or not isinstance(receiver, ast.Attribute):
        return None
    makers = match.program.own_makers(receiver.attr)
    if receiver.attr not in ("weight", "bias") and makers != {"Parameter"}:
        return None
    return Rewrite(f"{{self}}.set_value({{self}} {_SYMBOLS[name]} {{other}})")


@forms.form(_T + "__iand__", _T + "__ior__", _T + "__ixor__")
def bitwise(match: Match) -> Outcome | None:
    """Change the tensor itself by `mask &= other`."""
    other = match.value("other")
    if match.use.kind is not UseKind.AUGMENTED or isinstance(other, Plain):
        return None
    if dtypes.may_differ(match.use.receiver_value, other):
        return None
    name = match.use.name.rpartition("__i")[2].removesuffix("__")
    mine = match.use.receiver_value
    known = all(isinstance(one, Tensor) and one.dtype is not None for one in (mine, other))
    return Rewrite(f"{{self}}.bitwise_{name}_({{other}})", differs=() if known else _UNLIKE)


@forms.form(_T + "masked_fill_")
def masked_fill(match: Match) -> Outcome | None:
    """Keep `masked_fill_` with a number, except in a view, which would lose gradients."""
    use, mine = match.use, match.use.receiver_value
    if not {"mask", "value"} <= match.arguments.keys():
        return None
    if isinstance(match.value("value"), Tensor):
        return None
    if _is_data_of_computed(match):
        return Rewrite("{self}.set_value({self}.masked_fill({mask}, {value}))")
    if use.receiver is not None and is_needed_result(use.receiver):
        return Rewrite("{self}.masked_fill({mask}, {value})")
    if not isinstance(use.receiver, ast.Name):
        return None
    whole = isinstance(mine, Tensor) and mine.part is None and not mine.spread
    return Keep() if whole else None


# Functions that create tensors: no backward pass needs their values.
_CREATING = frozenset(
    {"tensor", "zeros", "ones", "full", "empty", "rand", "randn", "arange", "from_numpy"}
    | {"zeros_like", "ones_like", "full_like", "empty_like", "rand_like", "randn_like"}
)


def _is_data_of_computed(match: Match) -> bool:
    """Return whether a statement changes the data of a tensor that is computed: `y.data.clamp_(0)`.

    Paddle's backward pass refuses a tensor that a method changed, not one with new values.
    """
    return _alone(match) and shares_with_computed(match)


def shares_with_computed(match: Match) -> bool:
    """Return whether a tensor is the data of one that is computed: `y.data`."""
    receiver = match.use.receiver
    if not isinstance(receiver, ast.Attribute) or receiver.attr != "data":
        return False
    if not isinstance(receiver.value, ast.Name):
        return False
    makers = match.program.makers(receiver.value.id) - _CREATING
    return bool(makers) and all(one[:1].islower() for one in makers)


def masks(at: ast.expr, value: Value = UNKNOWN) -> bool:
    """Return whether an index is a mask and nothing else."""
    if isinstance(value, Items):
        return False
    if isinstance(value, Tensor) and value.dtype is not None:
        return value.dtype == "bool"
    if isinstance(at, ast.BinOp):  # `(x > 1) | (x < 0)`
        return isinstance(at.op, ast.BitAnd | ast.BitOr) and (masks(at.left) or masks(at.right))
    return isinstance(at, ast.Compare) or (
        isinstance(at, ast.UnaryOp) and isinstance(at.op, ast.Invert)
    )
