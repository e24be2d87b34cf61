"""What a tensor tells of itself: shape, dtype, device, gradients, values for Python and numpy."""

from __future__ import annotations

import ast

from workbench.rules.family import Family
from workbench.rules.keys import is_key
from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Refusal, Rewrite
from workbench.source.types.lattice import Tensor
from workbench.targets.paddle.creating import IGNORED

rules = Family()
_LAID_OUT = {"memory_format": IGNORED["memory_format"]}

_T = "torch.Tensor."


def _kept(name: str, *cases: str, note: str | None = None, caveat: str | None = None) -> None:
    """The member is written, and means, the same in every form that torch allows."""

    @rules.rule(_T + name, unpacked=f"{{self}}.{name}(...)", cases=cases)
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
    unpacked="(lambda self, dim=None: self.shape if dim is None else self.shape[dim])({self}, ...)",
    cases=[
        "x.size()",
        "k = (1,)\nx.size(*k), x.size(*()), x.size(**{'dim': 0})",
        "[*map(torch.Tensor.size, (x, a))]",
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
rules.rule(
    _T + "stride",
    unpacked="(lambda self, dim=None: tuple(self.strides) if dim is None else self.strides[dim])"
    "({self}, ...)",
    cases=[
        "a.stride()",
        "a.stride(1)",
        "a.stride(dim=-1)",
        "k = {'dim': 0}\nt = a.stride(**k), a.stride(*())\nr = [*map(torch.Tensor.stride, (a, x))]",
    ],
)(
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
_kept("cpu", "x.cpu()")

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


@rules.rule(
    "torch.Tensor.grad",
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
        "w.sum().backward()\nw.grad /= 2\nw.grad *= 3\ng = w.grad",
    ],
)
def gradient(match: Match) -> Outcome:
    """What is changed in place, `w.grad /= 2`, is no value to hand to a helper."""
    node = match.use.node
    stored = isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    return Keep(note=kept_apart(match)) if stored else Rewrite("torch_grad({self})")


def kept_apart(match: Match) -> str | None:
    """What is worth knowing where a gradient is set to a tensor that is changed in place."""
    statement = match.use.statement
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Name):
        return None
    value = statement.value
    if match.program.traits.changed.isdisjoint({value.id, "grad"}):
        return None
    return (
        f"Paddle copies what a gradient is set to: `{value.id}` and the gradient do not follow"
        " each other's changes in place"
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
    if isinstance(hook, ast.Call) and isinstance(hook.func, ast.Name):
        shown = hook.func.id != "torch_hook"  # which an earlier conversion wrote
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
