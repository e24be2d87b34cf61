"""Operators, by their method names.

`x + y` itself is the program's own expression as long as Paddle computes what torch does. It
raises where both have dimensions and one is of integers or truth values and the other is not:
the one of the lower kind is then cast.
"""

from __future__ import annotations

import ast
from typing import TypeGuard

from workbench.rules.family import Family
from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Rewrite
from workbench.source.types import dtypes
from workbench.source.types.lattice import ForeignInstance, Items, Tensor
from workbench.source.types.views import gathers
from workbench.source.uses import UseKind
from workbench.targets.paddle.parts import IN_A_PART

rules = Family()

_T = "torch.Tensor."
_BINARY = {
    "add": ("torch_add", "+"),
    "sub": ("torch_sub", "-"),
    "mul": ("torch_mul", "*"),
    "truediv": ("torch_div", "/"),
    "div": ("torch_div", "/"),
    "floordiv": ("torch_floor_divide", "//"),
    "mod": ("torch_remainder", "%"),
    "pow": ("torch_pow", "**"),
    "matmul": ("paddle.matmul", "@"),
}
_MIXED = "k = n.long()\nt = x.float().abs()[:, :3]\n"
_LOGIC = {
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "lshift": "bitwise_left_shift",
    "rshift": "bitwise_right_shift",
}
_SYMBOLS = {"and": "&", "or": "|", "xor": "^", "lshift": "<<", "rshift": ">>"}
_COMPARE = {
    "eq": ("equal", "=="),
    "ne": ("not_equal", "!="),
    "lt": ("less_than", "<"),
    "le": ("less_equal", "<="),
    "gt": ("greater_than", ">"),
    "ge": ("greater_equal", ">="),
}


# Indices that no list takes, or that give a list again.
_OF_TENSORS = (ast.Slice, ast.Tuple, ast.Compare, ast.List)


def dtype_of(node: ast.expr | None) -> str | None:
    """The dtype of a name, a member of one or a part of these, which may stand twice.

    A part has the dtype of the whole tensor, unless it is one of several in a list.
    """
    while isinstance(node, ast.Subscript) and isinstance(node.slice, _OF_TENSORS):
        node = node.value
    root = node
    while isinstance(root, ast.Attribute) or _is_item(root):
        root = root.value
    return f"{ast.unparse(node)}.dtype" if node is not None and isinstance(root, ast.Name) else None


def _is_item(node: ast.expr | None) -> TypeGuard[ast.Subscript]:
    """Whether this is an item of a list or tuple, or of a tensor, at a place that is plain."""
    if not isinstance(node, ast.Subscript):
        return False
    index = node.slice
    if isinstance(index, ast.UnaryOp) and isinstance(index.op, ast.USub):
        index = index.operand
    return isinstance(index, ast.Name | ast.Constant)


def _cast(match: Match, symbol: str) -> Rewrite | None:
    """The operator with the operand of the lower kind cast to the other's floating dtype."""
    mine, other = match.use.receiver_value, match.value("other")
    if isinstance(other, ForeignInstance):
        return Rewrite(f"{{self}} {symbol} float({{other}})")
    if match.use.kind is not UseKind.OPERATOR or not isinstance(other, Tensor):
        return None
    assert isinstance(mine, Tensor)
    if symbol == "//" and (mine.grad or other.grad):
        return None  # Paddle's own result asks for no gradients
    if "float16" in (mine.dtype, other.dtype):
        return None  # a CPU has no kernel for it
    kinds = dtypes.kind(mine.dtype), dtypes.kind(other.dtype)
    if kinds[0] == 2 and kinds[1] in {0, 1} and (dtype := dtype_of(match.use.receiver)):
        return Rewrite(f"{{self}} {symbol} {{other}}.astype({{dtype}})", texts={"dtype": dtype})
    if kinds[1] == 2 and kinds[0] in {0, 1} and (dtype := dtype_of(match.arguments["other"].node)):
        return Rewrite(f"{{self}}.astype({{dtype}}) {symbol} {{other}}", texts={"dtype": dtype})
    return None


def _operator(name: str, symbol: str, helper: str, cases: list[str]) -> None:
    """The method of an operator, and the operator where its operands are of unlike kinds."""

    called = helper.replace("{self}", "self").replace("{other}", "other")

    @rules.rule(
        f"{_T}__{name}__",
        signature="(other)",
        unpacked=f"(lambda self, other: {called})({{self}}, ...)",
        cases=cases,
    )
    def decide(match: Match) -> Outcome:
        return _cast(match, symbol) or Rewrite(helper)


for _name, (_helper, _symbol) in _BINARY.items():
    _other = "sq" if _name == "matmul" else "y.abs()"
    _one = "x.abs()" if _name == "pow" else "x"
    if _name != "div":
        _cases = [
            f"{_one}.__{_name}__({_other})",
            f"k = ({_other},)\nt = {_one}.__{_name}__(*k)\nf = torch.Tensor.__{_name}__\n"
            f"r = f({_one}, *k), list(map(f, [{_one}], k))",
        ]
        if _name != "matmul":
            _cases += [
                f"{_MIXED}k = k.abs() + 1\nt {_symbol} k, k {_symbol} t, t.abs() {_symbol} k",
                f"k = n.int() + 1\nt = n.long().abs()\nt {_symbol} k",
                f"k = x.float().abs().max(1)\nk[0] {_symbol} (k[1] + 1), k.values {_symbol} k[1]",
                f"k = i.to(torch.int8) + 1\nt = i.to(torch.int8)\nt {_symbol} k, t {_symbol} 2",
            ]
        if _name not in {"matmul", "floordiv"}:
            _cases += [
                f"t = x.abs().half()\nk = y.abs().half() + 1\nt {_symbol} k, t {_symbol} 2.0",
            ]
        if _name == "truediv":
            _cases.append(
                "torch.set_default_dtype(torch.float64)\nt = torch.tensor([1, 2])\n"
                "r = t / 2, 3 / t, t / t\ntorch.set_default_dtype(torch.float32)"
            )
        if _name == "floordiv":
            _cases += [
                "-7 // torch.tensor(2), torch.tensor(7.5) // 2",
                "t = torch.tensor(2)\nn.int() // t, n.to(torch.int8) // t, n.to(torch.int8) - t",
                "t = torch.ones(3)\nt.sum() // 2, t[1] // 2",
                "t = torch.ones(3, requires_grad=True)\nt // 2, x[:, :3] // t, n // t",
            ]
        _operator(_name, _symbol, f"{_helper}({{self}}, {{other}})", _cases)
        rules.row(
            f"{_T}__r{_name}__",
            f"{_helper}({{other}}, {{self}})",
            signature="(other)",
            cases=[
                f"sq.__r{_name}__(x)" if _name == "matmul" else f"(x.abs() + 1).__r{_name}__(2)"
            ],
        )
    if _name in {"floordiv", "mod", "pow", "div"}:
        rules.row(
            f"{_T}__i{_name}__",
            f"torch_inplace({_helper}, {{self}}, {{other}})",
            signature="(other)",
            cases=[f"t = {_one}.clone()\nt.__i{_name}__({_other})"]
            if _name not in {"div", "floordiv"}
            else ["t = x.clone()\nt.__itruediv__(2)"],
        )
for _name, _function in _LOGIC.items():
    _symbol = _SYMBOLS[_name]
    _mixed = [f"(x > 0) {_symbol} (x.long() > 1).long()", f"t = x > 0\nt {_symbol} True"]
    _mixed = [] if "shift" in _name else _mixed
    rules.row(
        f"{_T}__{_name}__",
        f"torch_binary({{self}}, {{other}}, paddle.{_function})",
        signature="(other)",
        cases=[f"i.__{_name}__(1)", f"t = i.long()\nt {_symbol} 1", *_mixed],
    )
    rules.row(
        f"{_T}__r{_name}__",
        f"torch_binary({{other}}, {{self}}, paddle.{_function})",
        signature="(other)",
        cases=[f"i.__r{_name}__(1)"] + ([f"t = x > 0\n3 {_symbol} t"] if _mixed else []),
    )
    rules.row(
        f"{_T}__i{_name}__",
        f"torch_inplace(torch_binary, {{self}}, {{other}}, paddle.{_function})",
        signature="(other)",
        cases=[f"t = i.clone()\nt.__i{_name}__(1)"],
    )
for _name, (_function, _symbol) in _COMPARE.items():
    _operator(
        _name,
        _symbol,
        f"torch_compare({{self}}, {{other}}, paddle.{_function})",
        [
            f"x.__{_name}__(y)",
            f"i.__{_name}__(1)",
            f"{_MIXED}t {_symbol} k, k {_symbol} t, t.abs() {_symbol} k",
            f"k = n.long()\nt = n > 0\nt {_symbol} k, t {_symbol} (k > 1)",
        ],
    )
rules.row(
    _T + "__rdiv__",
    "torch_div({other}, {self})",
    signature="(other)",
    cases=["(x.abs() + 1).__rdiv__(2)"],
)
rules.row(_T + "__div__", "torch_div({self}, {other})", signature="(other)", cases=["x.__div__(2)"])
for _name, _template in (
    ("neg", "-{self}"),
    ("pos", "torch_positive({self})"),
    ("invert", "~{self}"),
    ("abs", "abs({self})"),
):
    rules.row(
        f"{_T}__{_name}__", _template, cases=[f"{'i' if _name == 'invert' else 'x'}.__{_name}__()"]
    )
rules.row(
    _T + "__bool__",
    "bool({self} != 0)",  # Paddle takes negative numbers and NaN for untrue
    cases=[
        "i[0, 0].__bool__()",
        "t = torch.tensor([-0.5])\nbool(t), t.__bool__(), bool(i.min() - 9), bool((x > 0).any())",
    ],
)
for _name, _function in (
    ("index", "int"),
    ("len", "len"),
    ("iter", "iter"),
    ("hash", "hash"),
):
    rules.row(
        f"{_T}__{_name}__",
        f"{_function}({{self}})",
        cases=["len(list(x.__iter__()))"]
        if _name == "iter"
        else ["isinstance(x.__hash__(), int)"]
        if _name == "hash"
        else ["x.__len__()"]
        if _name == "len"
        else [f"i[0, 0].__{_name}__()"],
    )
for _name in ("int", "float", "complex"):
    rules.row(
        f"{_T}__{_name}__",
        f"{_name}({{self}}.item())",
        note="Paddle's own conversion is for tensors without dimensions alone",
        cases=[
            f"i[0, 0].__{_name}__()",
            f"t = torch.tensor([[3.5]])\n{_name}(t), {_name}(x[0, 0])",
        ],
    )
rules.row(_T + "__reversed__", "paddle.flip({self}, [0])", cases=["x.__reversed__()"])


@rules.rule(
    _T + "__contains__",
    signature="(element)",
    cases=[
        "i.__contains__(3)",
        "t = i.long()\n3 in t, 77 in t, t[0, 0] in t, t[0, 0] in t[:, 0]",
        "t = i.long()\n3 not in t, 77 not in t, not (3 not in t), (77 not in t) == (3 in t)",
        "k = np.arange(6)[None]\ndef f(v, t):\n    return v in t[:, [0, -1]]\n"
        "r = f(3, i), f(77, i), f(2, k)\ndel k",
    ],
)
def contains(match: Match) -> Outcome:
    """Paddle's tensors ask their rows one by one."""
    node = match.use.node
    found = "torch_contains({element}, {self})"
    lacks = isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.NotIn)
    return Rewrite(f"not {found}" if lacks else found)


rules.row(
    _T + "__array__",
    "numpy.asarray({self}.numpy(), {dtype})",
    signature="(dtype=None)",
    cases=["x.__array__().shape"],
)
rules.row(
    _T + "__deepcopy__",
    "{self}.__deepcopy__({memo})",
    signature="(memo)",
    cases=["x.__deepcopy__({})"],
)
rules.row(
    _T + "__format__",
    "format({self}, {format_spec})",
    signature="(format_spec)",
    cases=["x.sum().__format__('.2f')"],
)


def _adds_in_front(match: Match) -> bool:
    """True where a `None` stands in front of the first index that picks places."""
    node, at = match.use.node, match.use.values[0]
    if not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.Tuple):
        return False
    values = at.items if isinstance(at, Items) and at.items else ()
    for part, value in zip(node.slice.elts, values, strict=False):
        if isinstance(part, ast.Constant) and part.value is None:
            return True
        if isinstance(part, ast.List) or (isinstance(value, Tensor) and not value.scalar):
            return False
    return False


@rules.rule(
    _T + "__getitem__",
    _T + "__setitem__",
    signature="(key, value=None)",
    cases=[
        "x.__getitem__(0)",
        "t = x.T[:, torch.tensor([1, 0])]\nu = x[:, :2][..., torch.tensor([1, 0])]",
        "t = x[:, 1:3]\nu = t[1:, [1, 0]]\nv = t[:, t[0] > -9, None]",
        "def f(v, k):\n    return v.T[:, k], v[:, 1:3][..., k]\nr = f(x, n[:2] % 2), f(x, 1)",
        "x[None, n[:2]], x[None, :, None, n[:2]], x[..., None, n[:2]], x[None, m]",
        "t = img[None, :, n[:1], None, n[:2]], i[None, 0, n[:2]], w[None, n[:2], ..., None]\n"
        "t[2].sum().backward()\ng = w.grad",
        "x[[[0, 1], [1, 2]]], x[[[2, 0]]], x[[(0, 1), n[:2]]]",
        "def f(v, k):\n    k.view(-1)\n    return v.view(3, 4)[None, None, k]\n"
        "r = f(x, n[:2]), f(x, n[:2, None]), f(x, n[0])",
        "t = x.clone()\nt.__setitem__(0, 1.0)",
        "t = x.clone()\nv = t[:, 1:3]\nv[torch.tensor([0, 2])] = torch.ones(2, 2)",
        "t = x.clone()\nt.T[torch.tensor([0, 2])] += 2.0",
        "t = x.clone()\nv = t[:, :3]\nv[v > 0] = torch.arange(float((v > 0).sum()))",
        "t = x.clone()\nv = t.view(-1)\nv[2:5] = 1.0\nv[torch.tensor([0, 7])] = 2.0\n"
        "t[1:][0] = 3.0",
        "t = x.clone()\nt[x[:, 0] > 0] = y[:1][None]\nt[x > 99] = y[0, :0]",
        "t = x.clone()\nt[n[:0]] = y[0]\nt[n[:0]] += y[:0]\nt[n[:2]] += y[1]",
        "t = x.clone()\nt[x[:, 0] > -9] = w[None]\nt.sum().backward()\ng = w.grad",
        "v = w.double()\nt = v * 2\nt[n[:2]] = v[1:] * 3\nt[t > 1] = v[t > 1] * 5\n"
        "t[x[:, 0] > 0] = v.sum()\n"
        "(t * d).sum().backward()\ng = w.grad",
    ],
)
def item(match: Match) -> Outcome:
    """The operator's method has the same name in Paddle."""
    name = match.use.name.rpartition(".")[2]
    if match.use.kind is UseKind.OPERATOR and name == "__setitem__":
        receiver, value = match.use.receiver, match.use.receiver_value
        whole = isinstance(receiver, ast.Name) or (
            isinstance(receiver, ast.Attribute) and receiver.attr not in {"T", "mT", "real", "imag"}
        )
        shared = isinstance(value, Tensor) and value.part not in {
            None,
            getattr(receiver, "id", None),
        }
        if not gathers(match.use.values[0]):
            return Keep(caveat=IN_A_PART)
        part = not whole or shared or (isinstance(value, Tensor) and value.spread)
        return Rewrite("TorchPlaces({self})", caveat=IN_A_PART if part else None, callee_only=True)
    node = match.use.node
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.List):
        return Rewrite(f"{{self}}{ast.unparse(node.slice)}", consumed=frozenset({"key"}))
    if match.use.kind is UseKind.OPERATOR and not _adds_in_front(match):
        # Of a view with gaps between its values, Paddle reads other places.
        return Rewrite("torch_contiguous({self})", callee_only=True)
    if match.use.kind is UseKind.OPERATOR:
        return Rewrite("TorchPlaces({self})", callee_only=True)
    return Rewrite(f"{{self}}.{name}({{key}}, {{value}})")


rules.refuse(
    _T + "__delitem__",
    _T + "__array_priority__",
    _T + "__array_wrap__",
    _T + "__cuda_array_interface__",
    _T + "__setstate__",
    _T + "__torch_function__",
    reason="it belongs to torch's own machinery; Paddle's tensors have none of it",
)
rules.row(
    _T + "__dlpack__",
    "{self}.__dlpack__()",
    signature="(stream=-1)",
    cases=["np.from_dlpack(x).shape", "t = x.__dlpack__() is None"],
)
rules.refuse(
    _T + "__dlpack_device__",
    reason="Paddle names the device of a tensor in another way",
    instead="tensor.place",
)
