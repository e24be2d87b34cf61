"""Members of a tensor: shape, dtype, device, gradients, values for Python and numpy."""

from __future__ import annotations

import ast

from workbench.findings import Certainty
from workbench.rules.family import Family
from workbench.rules.keys import is_key
from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Refusal, Rewrite
from workbench.source.tree import container
from workbench.source.types.lattice import Tensor
from workbench.targets.paddle.tensors.rules.sparse import caveat_of_gradients
from workbench.words import words

rules = Family()

_T = "torch.Tensor."


def _kept(name: str, *, note: str | None = None, caveat: str | None = None) -> None:
    """Add a member that has the same name and meaning in every form that torch allows."""

    @rules.rule(_T + name, unpacked=f"{{self}}.{name}(...)")
    def keep(match: Match) -> Outcome:
        if "memory_format" in match:
            return Rewrite(f"{{self}}.{name}()", consumed=frozenset({"memory_format"}))
        return Keep(note, caveat)


@rules.rule("torch.Tensor.shape")
def shape(match: Match) -> Outcome:
    """Keep the shape: Paddle's is a list, equal to a tuple but not hashable."""
    return Rewrite("tuple({self}.shape)") if is_key(match) else Keep()


rules.rule(
    "torch.Tensor.size",
    unpacked="(lambda self, dim=None: self.shape if dim is None else self.shape[dim])({self}, ...)",
)(lambda match: _size(match))


def _size(match: Match) -> Outcome:
    if "dim" in match and match.constant("dim") is not None:
        return Rewrite("{self}.shape[{dim}]")
    template = "tuple({self}.shape)" if is_key(match) else "{self}.shape"
    return Rewrite(template, consumed=frozenset({"dim"}))


rules.row(_T + "nelement", "int({self}.size)")


@rules.rule(_T + "numel", unpacked="(lambda self: int(self.numel()))({self}, ...)")
def numel(match: Match) -> Outcome:
    """Call `numel` of an object that may be a shape: a shape has no `size`."""
    if match.use.certainty is Certainty.PROVED:
        return Rewrite("int({self}.size)")
    around = container(match.use.statement, match.use.node)
    is_whole = isinstance(around, ast.Call) and ast.unparse(around.func) == "int"
    return Keep() if is_whole else Rewrite("int({self}.numel())")


rules.row("torch.numel", "int({input}.size)")
_kept("dim")
rules.row(_T + "ndimension", "{self}.ndim")
_kept("ndim")
_kept("dtype")
_kept("device")
_kept("is_cuda")
_kept("is_leaf")
rules.row(_T + "data", "{self}.data", store=("{self}.data", "{value}"))
_kept("itemsize")
_kept("element_size")
rules.row(_T + "nbytes", "torch_nbytes({self})")
rules.row(_T + "is_cpu", "{self}.place.is_cpu_place()")
_kept("is_contiguous")
rules.rule(
    _T + "stride",
    unpacked="(lambda self, dim=None: tuple(self.strides) if dim is None else self.strides[dim])"
    "({self}, ...)",
)(
    lambda match: (
        Rewrite("{self}.strides[{dim}]")
        if "dim" in match and match.constant("dim") is not None
        else Rewrite("tuple({self}.strides)", consumed=frozenset({"dim"}))
    )
)
rules.row(_T + "storage_offset", "torch_storage_offset({self})")
_kept("get_device")
_kept("cpu")

for _name in words(
    "is_meta is_mps is_xpu is_mkldnn is_vulkan is_xla is_ipu is_maia is_mtia "
    "is_nested is_sparse_csr"
):
    if _name == "is_xpu":
        rules.row(_T + _name, "{self}.place.is_xpu_place()")
    elif _name == "is_sparse_csr":
        rules.row(_T + _name, "{self}.is_sparse_csr()")
    else:
        rules.row(_T + _name, "False", note="Paddle has no such tensors")

rules.rule(_T + "is_sparse")(
    lambda match: Rewrite("{self}.is_sparse_coo()", caveat=caveat_of_gradients(match))
)

# Gradients ------------------------------------------------------------------------------------

rules.row(
    "torch.Tensor.requires_grad",
    "not {self}.stop_gradient",
    store=("{self}.stop_gradient", "not {value}"),
)
rules.row("torch.Tensor.requires_grad_", "{self}.requires_grad_({requires_grad})")


@rules.rule("torch.Tensor.grad", store=("{self}.grad", "torch_new_grad({self}, {value})"))
def gradient(match: Match) -> Outcome:
    """Keep a gradient that is changed in place, as in `w.grad /= 2`; read others with a helper."""
    node = match.use.node
    stored = isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    return Keep(note=kept_apart(match)) if stored else Rewrite("torch_grad({self})")


def kept_apart(match: Match) -> str | None:
    """Return a note if a gradient is set to a tensor that may be changed in place, else None."""
    statement = match.use.statement
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Name):
        return None
    value = statement.value
    if match.program.traits.changed.isdisjoint({value.id, "grad"}):
        return None
    return (
        f"Paddle copies the assigned gradient: an in-place change of `{value.id}` does not"
        " change the gradient, nor the reverse"
    )


rules.rule("torch.Tensor.backward")(lambda match: _backward(match))


def _backward(match: Match) -> Outcome:
    if match.given("inputs"):
        return Rewrite(
            "torch_backward_into({inputs}, {self}, {gradient=None}, "
            "retain_graph={retain_graph}, create_graph={create_graph})"
        )
    if match.given("create_graph"):
        return Refusal(
            "Paddle's backward does not record a graph of the gradients",
            "paddle.grad(…, create_graph=True)",
        )
    return Rewrite(
        "{self}.backward({gradient}, {retain_graph})"
        if "gradient" in match and match.constant("gradient") is not None
        else "{self}.backward(retain_graph={retain_graph})",
        consumed=frozenset({"create_graph", "inputs", "gradient"}) & match.arguments.keys(),
    )


_kept("detach")
_kept("detach_")
rules.row("torch.detach", "{input}.detach()")
rules.row(_T + "retain_grad", "{self}.retain_grads()")


@rules.rule(_T + "register_hook")
def register_hook(match: Match) -> Outcome:
    """Keep the call, with a helper around hooks whose result may require gradients."""
    hook = match.arguments["hook"].node
    shown = not isinstance(hook, ast.Lambda) or _keeps_its_gradient(hook)
    if isinstance(hook, ast.Call) and isinstance(hook.func, ast.Name):
        shown = hook.func.id != "torch_hook"  # an earlier conversion wrote it
    return Rewrite("{self}.register_hook(torch_hook({hook}))") if shown else Keep()


def _keeps_its_gradient(hook: ast.Lambda) -> bool:
    """Return whether a hook such as `lambda g: kept.append(g)` leaves the gradient unchanged."""
    return not isinstance(hook.body, ast.BinOp | ast.UnaryOp)


# Values to Python and numpy -------------------------------------------------------------------

_kept("item")


@rules.rule(_T + "tolist")
def tolist(match: Match) -> Outcome:
    """Keep the method, which lists the bits of bfloat16 in Paddle."""
    value = match.use.receiver_value
    if isinstance(value, Tensor) and value.dtype == "bfloat16":
        return Rewrite("{self}.astype(paddle.float32).tolist()")
    return Keep()


rules.rule("torch.Tensor.numpy")(
    lambda match: Keep(
        "the array is a copy: a write to the array or to the tensor does not change the other"
    )
)

rules.row("torch.is_tensor", "isinstance({obj}, paddle.Tensor)")
for _name in ("is_floating_point", "is_complex"):
    rules.row(f"torch.{_name}", f"{{input}}.{_name}()")
    _kept(_name)
