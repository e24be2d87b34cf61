"""Making tensors from data and constants."""

from __future__ import annotations

import ast

from workbench.rules.family import Family
from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Rewrite
from workbench.source.types.lattice import Items, Plain, Tensor, Value
from workbench.targets.paddle.creating import (
    IGNORED,
    LIKE,
    MAKING,
    UNSEEN,
    into_out,
    problem,
    single,
    sizes,
)

rules = Family()


@rules.rule(
    "torch.tensor",
    cases=[
        "torch.tensor([1, 2, 3])",
        "torch.tensor(2.5, dtype=torch.float64)",
        "torch.tensor([1.0, 2.0], requires_grad=True)",
        "torch.tensor([[1, 0], [0, 1]], dtype=torch.bool, device='cpu')",
        "torch.tensor(np.ones((2, 3)))",
        "torch.tensor(range(3)), torch.tensor(range(3), dtype=torch.float64)",
        "torch.tensor([x.sum(), 0.5]), torch.tensor([2, x.max()]), torch.tensor([i.sum(), 2.5])",
        "torch.tensor([[x.sum().half(), 1], [True, x.sum().half()]])",
        "torch.tensor([x.sum(), i.sum()]), torch.tensor([i.sum().int(), 2])",
        "torch.tensor([t.sum() for t in x.bfloat16()])",
        "b = x.bfloat16().sum()\ntorch.tensor([b, 2.5]), torch.tensor([b, b], dtype=torch.float32)",
        "def f(*p):\n    return torch.tensor(p)\nf(x.sum(), 1, 0.5), f(x.double().sum(), 1)",
        "how = {'dtype': torch.float64, 'requires_grad': True}\ntorch.tensor([1, 2], **how)",
    ],
    unpacked="(lambda data, *, dtype=None, device=None, requires_grad=False, pin_memory=False: "
    "torch_tensor(data, dtype, device, not requires_grad))(...)",
)
def tensor(match: Match) -> Outcome:
    """Paddle infers the same dtypes from Python data; gradients are said the other way round."""
    data, grad = match.value("data"), match.constant("requires_grad", False)
    gradient = {True: ", stop_gradient=False", False: ""}.get(grad)
    consumed = {"pin_memory"}
    if gradient is None:
        gradient = ", stop_gradient=not {requires_grad}"
    else:
        consumed.add("requires_grad")
    callee = (
        "paddle.to_tensor"
        if not _ranges(match) and (match.given("dtype") or _plain(data)) and not _lists_halves(data)
        else "torch_tensor"
    )
    return Rewrite(
        callee + "({data}, dtype={dtype}, place={device}" + gradient + ")",
        consumed=frozenset(consumed & match.arguments.keys()),
    )


def _ranges(match: Match) -> bool:
    """True for `range(3)`, which Paddle makes no tensor of."""
    data = match.value("data")
    return isinstance(data, Items) and data.kind not in {"list", "tuple"}


def _lists_halves(value: Value) -> bool:
    """True for a list with tensors that may be of bfloat16, whose values Paddle does not read."""
    if not isinstance(value, Items):
        return False
    parts = value.items if value.items is not None else (value.item,)
    halves = {None, "floating", "bfloat16"}
    return any(
        part.dtype in halves if isinstance(part, Tensor) else _lists_halves(part) for part in parts
    )


def _plain(value: Value) -> bool:
    """True for data of which Paddle makes the dtype that torch makes."""
    if isinstance(value, Items):
        parts = value.items if value.items is not None else (value.item,)
        tensors = [part for part in parts if isinstance(part, Tensor)]
        mixed = len(tensors) < len(parts) or len({part.dtype for part in tensors}) > 1
        return not (tensors and mixed) and all(_plain(part) for part in parts)
    return isinstance(value, Tensor) or (
        isinstance(value, Plain) and value.kind in {"int", "float", "bool", "complex"}
    )


rules.row(
    "torch.scalar_tensor",
    "paddle.full([], {s}, dtype={dtype=paddle.get_default_dtype()}, device={device}, "
    "requires_grad={requires_grad})",
    signature="(s, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False)",
    ignored=UNSEEN,
    cases=["torch.scalar_tensor(3)", "torch.scalar_tensor(2.5, dtype=torch.float64)"],
)
rules.row(
    "torch.as_tensor",
    "torch_as_tensor({data}, dtype={dtype}, place={device})",
    cases=[
        "torch.as_tensor([1, 2])",
        "torch.as_tensor(x, dtype=torch.float64)",
        "v = np.zeros(3)\nt = torch.as_tensor(v)\nv[0] = 1",
        "torch.as_tensor(np.ones(2), device='cpu')",
    ],
)
rules.row(
    "torch.asarray",
    "torch_asarray({obj}, dtype={dtype}, place={device}, copy={copy}, "
    "requires_grad={requires_grad})",
    cases=[
        "torch.asarray([1.0, 2.0])",
        "torch.asarray(x, dtype=torch.int64)",
        "torch.asarray([1.0], requires_grad=True, copy=True)",
    ],
)
rules.row(
    "torch.from_numpy",
    "torch_from_numpy({ndarray})",
    cases=[
        "torch.from_numpy(np.ones((2, 3)))",
        "v = np.zeros(3, 'float32')\nt = torch.from_numpy(v)\nv[0] = 1",
        "torch.from_numpy(np.arange(6)[::2])",
        "torch.from_numpy(np.array([True, False]))",
    ],
)


def _sized(match: Match, callee: str) -> Outcome:
    if (refusal := problem(match)) is not None:
        return refusal
    if (refusal := single(match, "size")) is not None:
        return refusal
    made = Rewrite(
        f"{callee}({sizes(match)}{MAKING}", consumed=frozenset(IGNORED) & match.arguments.keys()
    )
    return into_out(match, made)


@rules.rule(
    "torch.zeros",
    cases=[
        "torch.zeros(2, 3)",
        "torch.zeros((2, 3), dtype=torch.int64)",
        "torch.zeros(size=(2, 3), requires_grad=True)",
        "torch.zeros(*x.shape)",
        "torch.zeros(x.shape[0], 2, device=x.device)",
        "torch.zeros(x.size())",
        "k = 4\ntorch.zeros(k)",
        "torch.zeros(torch.tensor(3)), torch.zeros(x.argmax(), 2)",
        "torch.zeros(())",
        "t = torch.ones(3)\nr = torch.zeros(2, 3, out=t)",
        "how = {'dtype': torch.float64, 'device': None}\n"
        "torch.zeros(2, 3, **how), torch.zeros((2, 3), **how), torch.zeros(*x.shape, **how)",
    ],
    unpacked="paddle.zeros(...)",
)
def zeros(match: Match) -> Outcome:
    return _sized(match, "paddle.zeros")


@rules.rule(
    "torch.ones",
    cases=[
        "torch.ones(2, 3)",
        "torch.ones([2], dtype=torch.bool)",
        "torch.ones(len(x))",
        "how = {'requires_grad': True}\ntorch.ones([2], **how)",
    ],
    unpacked="paddle.ones(...)",
)
def ones(match: Match) -> Outcome:
    return _sized(match, "paddle.ones")


@rules.rule(
    "torch.empty",
    cases=[
        "torch.empty(2, 3).shape",
        "torch.empty((2,), dtype=torch.float64).dtype",
        "how = {'device': 'cpu', 'dtype': torch.float64}\n"
        "nn.Parameter(torch.empty((2, 3), **how)).dtype",
    ],
    unpacked="paddle.empty(...)",
)
def empty(match: Match) -> Outcome:
    return _sized(match, "paddle.empty")


rules.row(
    "torch.zeros_like",
    "paddle.zeros_like({input}" + LIKE,
    ignored=IGNORED,
    cases=["torch.zeros_like(x)", "torch.zeros_like(x, dtype=torch.int64, device='cpu')"],
)
rules.row(
    "torch.ones_like",
    "paddle.ones_like({input}" + LIKE,
    ignored=IGNORED,
    cases=["torch.ones_like(i)", "torch.ones_like(x, requires_grad=True)"],
)
rules.row(
    "torch.empty_like",
    "paddle.empty_like({input}" + LIKE,
    ignored=IGNORED,
    cases=["torch.empty_like(x).shape", "torch.empty_like(x, dtype=torch.int64).dtype"],
)
rules.row(
    "torch.full_like",
    "paddle.full_like({input}, {fill_value}" + LIKE,
    ignored=IGNORED,
    cases=[
        "torch.full_like(x, 2)",
        "torch.full_like(i, 7)",
        "torch.full_like(x, fill_value=True, dtype=torch.bool)",
    ],
)


@rules.rule(
    "torch.full",
    cases=[
        "torch.full((2, 3), 1.5)",
        "torch.full((2,), 7)",
        "torch.full((2,), True)",
        "t = torch.ones(3)\nr = torch.full((2,), 7, out=t), torch.full([1], 2.5, out=t)",
        "torch.full([2], 3, dtype=torch.float32)",
        "torch.full(size=(2,), fill_value=float('-inf'))",
        "v = 3\ntorch.full((2, 2), v)",
        "how = {'device': 'cpu'}\ntorch.full((2,), 3, **how), torch.full((2,), 3.5, **how)",
        "how = {'dtype': torch.float64}\ntorch.full(size=(2,), fill_value=3, **how)",
    ],
    unpacked="torch_full(...)",
)
def full(match: Match) -> Outcome:
    """torch takes the dtype from the fill value, Paddle takes the default one."""
    if (refusal := problem(match)) is not None:
        return refusal
    consumed = frozenset(IGNORED) & match.arguments.keys()
    value = match.value("fill_value")
    kind = value.kind if isinstance(value, Plain) else ""
    if match.given("dtype") or kind in {"float", "bool"}:
        return into_out(
            match, Rewrite("paddle.full({size}, {fill_value}" + MAKING, consumed=consumed)
        )
    if kind == "int":
        template = (
            "paddle.full({size}, {fill_value}, dtype=paddle.int64, device={device}, "
            "requires_grad={requires_grad})"
        )
    else:
        template = (
            "torch_full({size}, {fill_value}, device={device}, requires_grad={requires_grad})"
        )
    made = Rewrite(template, consumed=consumed | {"dtype"} & match.arguments.keys())
    return into_out(match, made)


@rules.rule(
    "torch.eye",
    cases=[
        "torch.eye(3)",
        "torch.eye(2, 3)",
        "torch.eye(3, dtype=torch.int64)",
        "torch.eye(n=2, m=4)",
        "t = torch.ones(2)\nr = torch.eye(2, 3, out=t)",
        "torch.eye(3, device=x.device, dtype=torch.bool)",
        "torch.eye(2, 3, dtype=x.dtype), torch.eye(2, dtype=i.dtype), torch.eye(2, dtype=m.dtype)",
        "torch.eye(2, dtype=torch.uint8), torch.eye(2, dtype=torch.bfloat16)",
        "torch.eye(2, requires_grad=True), torch.eye(2, dtype=torch.float64, requires_grad=True)",
        "how = {'dtype': torch.float64}\ntorch.eye(3, **how), torch.eye(n=2, m=3, **how)",
    ],
    unpacked="(lambda n, m=None, *, layout=None, pin_memory=False, **options: "
    "paddle.eye(n, m, **options))(...)",
)
def eye(match: Match) -> Outcome:
    """Paddle makes identities of few dtypes; the others are cast."""
    if (refusal := problem(match)) is not None:
        return refusal
    consumed = frozenset(IGNORED) & match.arguments.keys()
    made = not match.given("dtype") or _dtype_name(match) in _EYE_DTYPES
    if made or match.constant("requires_grad", False) is not False:
        return into_out(match, Rewrite("paddle.eye({n}, {m}" + MAKING, consumed=consumed))
    cast = Rewrite(
        "paddle.eye({n}, {m}, device={device}).astype({dtype})",
        consumed=consumed | ({"requires_grad"} & match.arguments.keys()),
    )
    return into_out(match, cast)


_EYE_DTYPES = frozenset({"int32", "int64", "long", "float", "float32", "float64", "double"})


def _dtype_name(match: Match) -> str:
    """The last part of the dtype as it is written, such as `float32` of `torch.float32`."""
    node = match.arguments["dtype"].node
    return node.attr if isinstance(node, ast.Attribute) else ""


def new(match: Match) -> Outcome:
    if (refusal := problem(match)) is not None:
        return refusal
    unseen = frozenset({"pin_memory", "layout"}) & match.arguments.keys()
    if not unseen:
        return Keep()
    value = "{fill_value}, " if match.use.name.endswith("full") else ""
    callee = "{self}." + match.use.name.rpartition(".")[2]
    return Rewrite(f"{callee}({{size}}, {value}{MAKING.removeprefix(', ')}", consumed=unseen)


_HOW = "how = {'dtype': torch.float64}\n"
for _name, _cases in {
    "new_zeros": [
        "d.new_zeros(2, 3)",
        "d.new_zeros((2,), dtype=torch.int64, device='cpu')",
        "x.new_zeros(x.shape)",
        f"{_HOW}x.new_zeros(2, 3, **how)",
    ],
    "new_ones": [
        "x.new_ones(size=(2, 3), requires_grad=True)",
        "pin = False\nx.new_ones(2, layout=torch.strided, pin_memory=pin)",
        f"{_HOW}i.new_ones((2,), **how)",
    ],
    "new_full": ["i.new_full((2,), 3)", f"{_HOW}x.new_full((2,), 3, **how)"],
    "new_empty": ["d.new_empty(2, 3).dtype", "x.new_empty((2,), dtype=torch.int64).shape"],
}.items():
    rules.rule(f"torch.Tensor.{_name}", cases=_cases, unpacked=f"{{self}}.{_name}(...)")(new)

rules.row(
    "torch.Tensor.new_tensor",
    "torch_new_tensor({self}, {data}, dtype={dtype}, place={device}, "
    "requires_grad={requires_grad})",
    cases=[
        "d.new_tensor([1, 2])",
        "x.new_tensor([1], dtype=torch.int64)",
        "i.new_tensor([[1], [2]])",
    ],
)
