"""What a tensor tells of itself, and its conversions: shape, dtype, device, to(), item()."""

from __future__ import annotations

import ast

from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Refusal, Rewrite
from workbench.source import dtypes
from workbench.source.values import Instance, Plain, Tensor, TorchObject
from workbench.targets.paddle.creating import IGNORED
from workbench.targets.paddle.keys import is_key
from workbench.targets.paddle.twins import Family

rules = Family()
_LAID_OUT = {"memory_format": IGNORED["memory_format"]}

_T = "torch.Tensor."


def _kept(name: str, *cases: str, note: str | None = None, caveat: str | None = None) -> None:
    """The member is written, and means, the same in every form that torch allows."""

    @rules.rule(_T + name, cases=cases)
    def keep(match: Match) -> Outcome:
        if "memory_format" in match:
            return Rewrite(f"{{self}}.{name}()", consumed=frozenset({"memory_format"}))
        return Keep(note, caveat)


@rules.rule(
    "torch.Tensor.shape",
    cases=[
        "x.shape",
        "x.shape == (3, 4)",
        "b, c, *r = img.shape",
        "x.shape[:-1] + (2,)",
        "{x.shape: 1}[x.shape], {x.shape}, len({t.shape for t in (x, y)})",
        "k = {}\nk[x.shape, 1] = 2\nk.setdefault(y.shape, 3)\nr = k.get(x.shape), x.shape in k",
        "x.shape in [(3, 4)], x.shape not in {(3, 4)}, isinstance(x.shape, tuple)",
        "x.shape.numel()",
        "len(x.shape), x.shape[-1]",
    ],
)
def shape(match: Match) -> Outcome:
    """Paddle's Size is a list: equal to a tuple, but no key of a dictionary."""
    return Rewrite("tuple({self}.shape)") if is_key(match) else Keep()


rules.rule(
    "torch.Tensor.size",
    cases=[
        "x.size()",
        "x.size(0)",
        "x.size(-1)",
        "x.size(dim=1)",
        "n, m = x.size()",
        "x.size(dim=None), x.stride(dim=None)",
        "{x.size(): 1}",
        "x.size(0) in [1, 3], x.size(1) not in (1, 3), {x.size(-1): 1}, x.size(None) in {(3, 4)}",
    ],
)(lambda match: _size(match))


def _size(match: Match) -> Outcome:
    if "dim" in match and match.constant("dim") is not None:
        return Rewrite("{self}.shape[{dim}]")
    template = "tuple({self}.shape)" if is_key(match) else "{self}.shape"
    return Rewrite(template, consumed=frozenset({"dim"}))


for _name in ("numel", "nelement"):
    rules.row(_T + _name, "int({self}.size)", cases=[f"x.{_name}()", f"torch.zeros(()).{_name}()"])
rules.row("torch.numel", "int({input}.size)", signature="(input)", cases=["torch.numel(x)"])
_kept("dim", "x.dim()")
rules.row(_T + "ndimension", "{self}.ndim", cases=["x.ndimension()"])
_kept("ndim", "x.ndim")
_kept("dtype", "x.dtype", "x.dtype == torch.float32", "x.dtype is torch.float32")
_kept("device", "str(x.device)", "x.device.type", "x.device == torch.device('cpu')")
_kept("is_cuda", "x.is_cuda")
_kept("is_leaf", "x.is_leaf", "(w * 2).is_leaf")
rules.row(
    _T + "data",
    "{self}.data",
    store=("{self}.data", "{value}"),
    cases=[
        "w.data",
        "w.data.mul_(torch.tensor(2.0))\nt = w",
        "layer = nn.Linear(4, 2, bias=False)\nlayer.weight.data = y[:2]\ny.mul_(2.0)\n"
        "t = layer(x)\ndel layer",
        "p = nn.Parameter(x)\np.data = torch.arange(3).double()\nt = p, p.dtype",
    ],
)
_kept("itemsize", "x.itemsize")
_kept("element_size", "d.element_size()")
rules.row(_T + "nbytes", "torch_nbytes({self})", cases=["d.nbytes"])
rules.row(_T + "is_cpu", "{self}.place.is_cpu_place()", cases=["x.is_cpu"])
_kept("is_contiguous", "x.is_contiguous()", "x.t().is_contiguous()")
rules.rule(_T + "stride", cases=["a.stride()", "a.stride(1)", "a.stride(dim=-1)"])(
    lambda match: (
        Rewrite("{self}.strides[{dim}]")
        if "dim" in match and match.constant("dim") is not None
        else Rewrite("tuple({self}.strides)", consumed=frozenset({"dim"}))
    )
)
rules.row(
    _T + "storage_offset",
    "torch_storage_offset({self})",
    cases=["x.storage_offset()", "x[1].storage_offset()"],
)
_kept("get_device", "x.get_device()")

for _name in (
    "is_sparse",
    "is_meta",
    "is_mps",
    "is_xpu",
    "is_mkldnn",
    "is_vulkan",
    "is_xla",
    "is_ipu",
    "is_maia",
    "is_mtia",
    "is_nested",
    "is_sparse_csr",
):
    if _name == "is_xpu":
        rules.row(_T + _name, "{self}.place.is_xpu_place()", cases=["x.is_xpu"])
    elif _name in {"is_sparse", "is_sparse_csr"}:
        paddle_name = "is_sparse_coo" if _name == "is_sparse" else _name
        rules.row(_T + _name, f"{{self}}.{paddle_name}()", cases=[f"x.{_name}"])
    else:
        rules.row(_T + _name, "False", note="Paddle has no such tensors", cases=[f"x.{_name}"])

# Gradients ------------------------------------------------------------------------------------

rules.row(
    "torch.Tensor.requires_grad",
    "not {self}.stop_gradient",
    store=("{self}.stop_gradient", "not {value}"),
    cases=[
        "x.requires_grad, w.requires_grad",
        "x.requires_grad = True\nt = x * 2",
        "w.requires_grad = False",
    ],
)
rules.row(
    "torch.Tensor.requires_grad_",
    "{self}.requires_grad_({requires_grad})",
    signature="(requires_grad=True)",
    cases=[
        "x.requires_grad_()",
        "w.requires_grad_(False)",
        "torch.zeros(2).requires_grad_(True)",
        "torch.zeros(2).requires_grad_(requires_grad=True)",
    ],
)
rules.row(
    "torch.Tensor.grad",
    "torch_grad({self})",
    store=("{self}.grad", "torch_new_grad({self}, {value})"),
    cases=[
        "(w * 2).sum().backward()\nh = w.grad\nw.grad = None\n(w * 3).sum().backward()\ng = w.grad",
        "(w * 2).sum().backward()\nh = w.grad\nw.grad = y + 1\n"
        "(w * 3).sum().backward()\ng = w.grad",
        "w.sum().backward()\ng = w.grad",
        "x.grad",
        "w.sum().backward()\nw.grad = None\ng = w.grad",
        "w.sum().backward()\nw.grad.zero_()\ng = w.grad",
        "w.sum().backward()\n(w * 2).sum().backward()\ng = w.grad",
    ],
)
rules.rule(
    "torch.Tensor.backward",
    cases=[
        "w.sum().backward()\ng = w.grad",
        "(w * 2).backward(torch.ones_like(w))\ng = w.grad",
        "l = (w * w).sum()\nl.backward(retain_graph=True)\nl.backward()\ng = w.grad",
        "t = torch.ones(4, requires_grad=True)\n(w * t).sum().backward(inputs=[t])\n"
        "g = w.grad, t.grad",
        "(w * w).backward(torch.ones_like(w), inputs=w)\ng = w.grad",
    ],
)(lambda match: _backward(match))


def _backward(match: Match) -> Outcome:
    if match.given("inputs"):
        return Rewrite(
            "torch_backward_into({inputs}, {self}, {gradient=None}, "
            "retain_graph={retain_graph}, create_graph={create_graph})"
        )
    if match.given("create_graph"):
        return Refusal(
            "Paddle's backward makes no graph of gradients", "paddle.grad(…, create_graph=True)"
        )
    return Rewrite(
        "{self}.backward({gradient}, {retain_graph})"
        if "gradient" in match and match.constant("gradient") is not None
        else "{self}.backward(retain_graph={retain_graph})",
        consumed=frozenset({"create_graph", "inputs", "gradient"}) & match.arguments.keys(),
    )


_kept("detach", "w.detach()", "(w * 2).detach().requires_grad")
_kept("detach_", "t = w * 2\nt.detach_()")
rules.row("torch.detach", "{input}.detach()", cases=["torch.detach(w)"])
rules.row(
    _T + "retain_grad",
    "{self}.retain_grads()",
    cases=["t = w * 2\nt.retain_grad()\nt.sum().backward()\ng = t.grad"],
)


@rules.rule(
    _T + "register_hook",
    signature="(hook)",
    cases=[
        "h = w.register_hook(lambda g: g * 2)\nw.sum().backward()\ng = w.grad",
        "k = []\nh = w.register_hook(k.append)\nw.sum().backward()",
        "k = []\nt = w * 2\nt.register_hook(lambda g: k.append(g))\nt.sum().backward()",
        "k = []\ndef f(g):\n    k.append(g.requires_grad)\n    return g * 3\n"
        "w.register_hook(f)\n(w * w).sum().backward()\ng = w.grad",
    ],
)
def register_hook(match: Match) -> Outcome:
    """The same in Paddle, which hands on gradients that ask for gradients themselves."""
    hook = match.arguments["hook"].node
    shown = not isinstance(hook, ast.Lambda) or _keeps_its_gradient(hook)
    return Rewrite("{self}.register_hook(torch_hook({hook}))") if shown else Keep()


def _keeps_its_gradient(hook: ast.Lambda) -> bool:
    """True for `lambda g: kept.append(g)`; False where arithmetic makes another of it."""
    return not isinstance(hook.body, ast.BinOp | ast.UnaryOp)


# Values to Python and numpy -------------------------------------------------------------------

_kept("item", "x[0, 0].item()", "x.sum().item()", "i[0, 0].item()", "m[0, 0].item()")


@rules.rule(
    _T + "tolist",
    cases=["x.tolist()", "i.tolist()", "x[0, 0].tolist()", "m.tolist()", "x.bfloat16().tolist()"],
)
def tolist(match: Match) -> Outcome:
    """The same in Paddle, which lists the bits of bfloat16."""
    value = match.use.receiver_value
    if isinstance(value, Tensor) and value.dtype == "bfloat16":
        return Rewrite("{self}.astype(paddle.float32).tolist()")
    return Keep()


rules.rule(
    "torch.Tensor.numpy",
    cases=["x.numpy()", "x.detach().cpu().numpy().sum()", "i.numpy()", "x.numpy(force=True)"],
)(lambda match: Keep("the array is a copy: changes of one do not show in the other"))

# Conversions ----------------------------------------------------------------------------------

_DTYPES = {
    "half": "float16",
    "bfloat16": "bfloat16",
    "float": "float32",
    "double": "float64",
    "byte": "uint8",
    "char": "int8",
    "short": "int16",
    "int": "int32",
    "long": "int64",
    "bool": "bool",
    "cfloat": "complex64",
    "cdouble": "complex128",
}
_WHOLE = frozenset({"uint8", "int8", "int16", "int32", "int64", "bool"})
_PYTHONS = {"builtins.int": "int64", "builtins.float": "float64", "builtins.bool": "bool"}
_FLOATING_NAMES = frozenset({"torch.float16", "torch.bfloat16", "torch.float64"})
_WHOLE_NAMES = frozenset(f"torch.{name}" for name in (*_WHOLE, "short", "int", "long"))
for _name, _dtype in _DTYPES.items():

    @rules.rule(
        _T + _name,
        signature="(memory_format=None)",
        cases=[
            f"x.{_name}()",
            f"i.{_name}()",
            f"x.{_name}(memory_format=torch.preserve_format)",
            f"t = torch.ones(2, requires_grad=True)\nt.{_name}(), torch.Tensor.{_name}(t)",
            f"t = torch.ones(2, requires_grad=True)\nt = t * 2\nt.{_name}(), t.exp().{_name}()",
        ],
    )
    def cast(match: Match, name: str = _name, dtype: str = _dtype) -> Outcome:
        """The same in Paddle, but for integers, which never ask for gradients in torch."""
        if dtype in _WHOLE and _asks(match):
            return Rewrite(f"{{self}}.detach().{name}()", consumed=frozenset({"memory_format"}))
        if "memory_format" in match:
            return Rewrite(f"{{self}}.{name}()", consumed=frozenset({"memory_format"}))
        return Keep()


def _asks(match: Match) -> bool:
    """True where the receiver is known to ask for gradients."""
    value = match.use.receiver_value
    return isinstance(value, Tensor) and value.recorded


def _into_whole(match: Match) -> bool:
    """True where a tensor that asks for gradients becomes one of integers, which never does."""
    given = [*match.use.values, *match.use.keywords.values()]
    return _asks(match) and any(
        (isinstance(value, TorchObject) and value.name in _WHOLE_NAMES)
        or (isinstance(value, Tensor) and dtypes.kind(value.dtype) in {0, 1})
        for value in given
    )


def _into_another(match: Match) -> bool:
    """True for another dtype alone, of what asks for gradients: Paddle's `to` keeps the flag even
    where no gradients are recorded."""
    given = [*match.use.values, *match.use.keywords.values()]
    value = match.use.receiver_value
    if not (isinstance(value, Tensor) and value.grad and value.dtype and len(given) == 1):
        return False
    name = given[0].name if isinstance(given[0], TorchObject) else ""
    return name in _FLOATING_NAMES and name != f"torch.{value.dtype}"


_kept("cpu", "x.cpu()")
rules.rule("torch.Tensor.cuda", cases=["x.cuda() if torch.cuda.is_available() else x"])(
    lambda match: _cuda(match)
)


def _cuda(match: Match) -> Outcome:
    unseen = frozenset({"non_blocking", "memory_format"}) & match.arguments.keys()
    if "device" in match and not match.is_number("device"):
        return Rewrite("{self}.to({device})", consumed=unseen)
    return Rewrite("{self}.cuda({device})", consumed=unseen)


@rules.rule(
    "torch.Tensor.to",
    signature="(*args, device=None, dtype=None, other=None, non_blocking=False, copy=False, "
    "memory_format=None)",
    cases=[
        "x.to(torch.float64)",
        "x.to('cpu')",
        "x.to(torch.device('cpu'), torch.int64)",
        "x.to(d)",
        "x.to(device='cpu', dtype=torch.float16)",
        "x.to(dtype=torch.int32, non_blocking=True)",
        "x.to(x.device, non_blocking=True)",
        "t = x.to(torch.float32, copy=True)\nt[0] = 1",
        "t = x.to(torch.float32)\nt[0] = 1",
        "img.to(memory_format=torch.channels_last)",
        "x.to(non_blocking=True, copy=False)",
        "img.to('cpu', torch.float64, memory_format=torch.channels_last)",
        "how = torch.contiguous_format\nx.to(dtype=torch.int64, copy=True, memory_format=how)",
        "t = torch.ones(2, requires_grad=True)\nt.to(torch.int64), t.to(torch.float64), t.to(i)",
        "t = torch.ones(2, requires_grad=True)\nt.to('cpu', dtype=torch.bool)",
        "t = torch.ones(2, requires_grad=True)\nwith torch.no_grad():\n    r = t.to(torch.float64)",
        "x.to(int), i.to(float), i.to(dtype=bool), x.to(int, non_blocking=True, copy=False)",
        "x.to(torch.float64, non_blocking=False, copy=False, memory_format=None)",
        "w.to('cpu', torch.int64, copy=True), w.to(dtype=torch.float64, copy=True)",
        "with torch.no_grad():\n    t = w.to(torch.float64, copy=True)",
    ],
)
def to(match: Match) -> Outcome:
    """Paddle's `to` takes the same forms; a device by its number, copies and formats differ."""
    rare = match.given("copy") or "memory_format" in match
    if _into_whole(match) and not rare:
        return Rewrite("{self}.detach().to", callee_only=True)
    if _into_another(match):
        return Rewrite("{self}.astype", callee_only=True)
    given = [*match.use.values, *match.use.keywords.values()]
    kinds = [_PYTHONS[name] for one in given if (name := getattr(one, "name", "")) in _PYTHONS]
    beside = {"non_blocking", "copy", "memory_format"}
    alone = len(match.use.values) + len(match.use.keywords.keys() - beside) == 1
    if kinds and alone and not match.given("copy"):
        dtype = kinds[0]
        consumed = frozenset(match.arguments)
        return Rewrite(f"{{self}}.to(paddle.{dtype})", consumed=consumed)
    unseen = frozenset({"non_blocking", "copy", "memory_format"}) & match.arguments.keys()
    if match.arguments.keys() == unseen and not match.given("copy"):
        return Rewrite("{self}", consumed=unseen)
    arguments = match.arguments.get("args")
    values = arguments.values if arguments is not None else []
    if arguments is not None and arguments.starred:
        return Refusal("arguments passed with * cannot be told apart; write them out")
    if any(isinstance(value, Plain) and value.kind == "int" for value in values):
        return (
            Rewrite("{self}.cuda(*{args})")
            if len(values) == 1 and len(match.arguments) == 1
            else Refusal("it needs the device by name", "x.to('cuda:0')")
        )
    if rare or len(values) > 2:
        return Rewrite(
            "torch_to({self}, {args=[]}, {device=None}, {dtype=None}, {other=None}, "
            "copy={copy=False})",
            consumed=frozenset({"non_blocking", "memory_format"}) & match.arguments.keys(),
        )
    if "other" in match:
        return Rewrite(
            "{self}.to({other})",
            consumed=unseen,
        )
    return Keep()


@rules.rule(
    "torch.Tensor.type",
    cases=[
        "x.type()",
        "x.type(torch.int64)",
        "x.type(torch.LongTensor), i.type(torch.FloatTensor)",
        "x.type('torch.DoubleTensor')",
        "x.type(dtype=torch.float16)",
        "x.type(d.dtype)",
        "i.type() == 'torch.LongTensor'",
        "torch.ones(2, requires_grad=True).type(torch.int32)",
    ],
)
def type_(match: Match) -> Outcome:
    """Without a dtype it names the tensor type; with one it converts."""
    if "dtype" not in match or match.constant("dtype") is None:
        return Rewrite("torch_type_name({self})", consumed=frozenset(match.arguments))
    consumed = frozenset({"non_blocking"}) & match.arguments.keys()
    value = match.value("dtype")
    kinds = isinstance(value, TorchObject) and value.name.endswith("Tensor")
    known = (isinstance(value, TorchObject) and not kinds) or (
        isinstance(value, Instance) and value.cls == "torch.dtype"
    )
    if isinstance(value, TorchObject) and kinds and not value.indirect:
        name = value.name.removeprefix("torch.")
        return Rewrite(f"torch_as_type({{self}}, 'torch.{name}')", consumed=consumed | {"dtype"})
    if known and _into_whole(match):
        return Rewrite("{self}.detach().astype({dtype})", consumed=consumed)
    if known:
        return Rewrite("{self}.astype({dtype})", consumed=consumed)
    return Rewrite("torch_as_type({self}, {dtype})", consumed=consumed)


@rules.rule(
    _T + "type_as",
    cases=["x.type_as(d)", "i.type_as(x)", "torch.ones(2, requires_grad=True).type_as(i)"],
)
def type_as(match: Match) -> Outcome:
    """The same in Paddle, but for integers, which never ask for gradients in torch."""
    return Rewrite("{self}.detach().type_as({other})") if _into_whole(match) else Keep()


@rules.rule(
    "torch.Tensor.contiguous",
    cases=[
        "x.t().contiguous()",
        "x.contiguous()",
        "img.contiguous(memory_format=torch.channels_last)",
        "t = x.clone()\nv = t[:, 1:]\nc = v.contiguous()\nv[0] = 5.0",
    ],
)
def contiguous(match: Match) -> Outcome:
    """Paddle's makes the view itself contiguous, which then is one no more."""
    value = match.use.receiver_value
    if isinstance(match.use.receiver, ast.Name) and isinstance(value, Tensor) and value.spread:
        return Rewrite("torch_contiguous({self})", consumed=frozenset({"memory_format"}))
    if "memory_format" in match:
        return Rewrite("{self}.contiguous()", consumed=frozenset({"memory_format"}))
    return Keep()


rules.row(
    "torch.Tensor.clone",
    "{self}.clone()",
    ignored=_LAID_OUT,
    cases=[
        "w.clone()",
        "t = x.clone()\nt[0] = 1",
        "img.clone(memory_format=torch.channels_last)",
    ],
)
rules.row(
    "torch.clone",
    "{input}.clone()",
    value="(lambda input, *, memory_format=None: input.clone())",
    ignored=_LAID_OUT,
    cases=["torch.clone(x)", "f = torch.clone\nr = f(x), list(map(f, (x, y)))"],
)
rules.row(
    "torch.is_tensor",
    "isinstance({obj}, paddle.Tensor)",
    signature="(obj)",
    cases=["torch.is_tensor(x)", "torch.is_tensor(3)"],
)
for _name in ("is_floating_point", "is_complex"):
    rules.row(
        f"torch.{_name}", f"{{input}}.{_name}()", cases=[f"torch.{_name}(x)", f"torch.{_name}(i)"]
    )
    _kept(_name, f"x.{_name}()", f"i.{_name}()")
