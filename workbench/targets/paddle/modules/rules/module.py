"""`torch.nn.Module` and its members, parameters."""

from __future__ import annotations

import ast
from dataclasses import replace

from workbench.rules.family import Simpler, simplified
from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Refusal, Rewrite
from workbench.rules.rule import RuleSet
from workbench.source.types.lattice import Instance, Plain, TorchObject
from workbench.source.uses import UseKind
from workbench.targets.paddle.common.deriving import warns_of_values
from workbench.upstream.facts import load
from workbench.words import words

rules = RuleSet()

rules.row("torch.nn.Module", "paddle.nn.Layer()", value="paddle.nn.Layer")
rules.row("torch.nn.Module.__init__", "paddle.nn.Layer.__init__(*{args})")
rules.row(
    "torch.nn.Parameter",
    "paddle.nn.Parameter({data}, requires_grad={requires_grad})",
    value="paddle.nn.Parameter",
    warns=warns_of_values,
)

# The same names ------------------------------------------------------------------------------

_SAME = words(
    "apply children named_children named_modules get_submodule get_parameter get_buffer "
    "set_submodule forward __call__ _get_name requires_grad_ _parameters _buffers _modules "
    "cpu"
)
for _name in _SAME:
    rules.keep(f"torch.nn.Module.{_name}")


@rules.rule("torch.nn.Module.extra_repr")
def extra_repr(match: Match) -> Outcome:
    """Keep the method; layers of each framework describe themselves differently."""
    value = match.use.receiver_value
    own = isinstance(value, Instance) and value.cls != "torch.nn.Module"
    return Keep(caveat="Paddle's layers print other attributes" if own else None)


rules.row("torch.nn.Module.training", "{self}.training", store=("{self}.training", "{value}"))


@rules.rule("torch.nn.Module.train", "torch.nn.Module.eval")
def train(match: Match) -> Outcome:
    """Keep the call, or call the `train` of nested layers, which Paddle does not, where one has it.

    torch's `eval()` calls `train(False)`.
    """
    if not match.program.extends_train:
        return Keep()
    receiver = match.use.receiver
    of_base = isinstance(receiver, ast.Call) and getattr(receiver.func, "id", "") == "super"
    if match.use.name.endswith("eval"):
        return Rewrite("torch_train({self}, False)")
    if of_base or match.use.kind is UseKind.UNBOUND:
        return Rewrite("torch_train({self}, {mode}, of_base=True)")
    return Rewrite("torch_train({self}, {mode})")


# Other names ---------------------------------------------------------------------------------

rules.row("torch.nn.Module.modules", "{self}.modules()")
rules.row("torch.nn.Module.zero_grad", "torch_module_zero_grad({self}, {set_to_none})")
rules.row(
    "torch.nn.Module.named_parameters",
    "{self}.named_parameters(prefix={prefix}, include_sublayers={recurse}, "
    "remove_duplicate={remove_duplicate})",
)
rules.row(
    "torch.nn.Module.named_buffers",
    "{self}.named_buffers(prefix={prefix}, include_sublayers={recurse}, "
    "remove_duplicate={remove_duplicate})",
)
rules.row(
    "torch.nn.Module.register_buffer",
    "{self}.register_buffer({name}, {tensor}, persistable={persistent})",
)
rules.row("torch.nn.Module.register_parameter", "{self}.add_parameter({name}, {param})")
for _name in ("add_module", "register_module"):
    rules.row(f"torch.nn.Module.{_name}", "{self}.add_sublayer({name}, {module})")
rules.row(
    "torch.nn.Module.register_forward_hook",
    "{self}.register_forward_post_hook({hook}, prepend={prepend}, with_kwargs={with_kwargs}, "
    "always_call={always_call})",
)
rules.row(
    "torch.nn.Module.register_forward_pre_hook",
    "{self}.register_forward_pre_hook({hook}, prepend={prepend}, with_kwargs={with_kwargs})",
)


rules.row(
    "torch.nn.Module.to_empty",
    "torch_module_to({self}, {device})",
    ignored={"recurse": "submodules are always moved, too"},
    note="the values are kept; in torch they are undefined",
)


@rules.rule("torch.nn.Module.type")
def type_(match: Match) -> Outcome:
    """Return a cast to a dtype, or to the dtype of a tensor class such as `torch.HalfTensor`."""
    value = match.value("dst_type")
    if isinstance(value, TorchObject) and value.name.endswith("Tensor"):
        kind = value.name.removeprefix("torch.")
        return Rewrite(
            f"torch_module_type({{self}}, 'torch.{kind}')", consumed=frozenset({"dst_type"})
        )
    known = isinstance(value, TorchObject) or getattr(value, "cls", "") == "torch.dtype"
    return Rewrite(
        "{self}.to(dtype={dst_type})" if known else "torch_module_type({self}, {dst_type})"
    )


for _name, _pre in (
    ("register_full_backward_hook", ""),
    ("register_full_backward_pre_hook", ", pre=True"),
):
    rules.row(
        f"torch.nn.Module.{_name}",
        f"torch_register_backward_hook({{self}}, {{hook}}, prepend={{prepend}}{_pre})",
    )


rules.row(
    "torch.nn.Module.register_backward_hook",
    "torch_register_backward_hook({self}, {hook})",
    caveat="the hook gets the gradients of the module's inputs; torch passes those of the"
    " module's last operation, which differ for most layers",
)


@rules.rule("torch.nn.Module.state_dict")
def state_dict(match: Match) -> Outcome:
    """Set `keep_vars`; Paddle's default returns the parameters without detaching them."""
    if "prefix" in match or "destination" in match:
        return Rewrite(
            "{self}.state_dict(destination={destination}, prefix={prefix=''}, "
            "keep_vars={keep_vars})"
            if "destination" in match
            else "{self}.state_dict(prefix={prefix}, keep_vars={keep_vars})"
        )
    return Rewrite("{self}.state_dict(keep_vars={keep_vars=False})")


@rules.rule("torch.nn.Module.load_state_dict")
def load_state_dict(match: Match) -> Outcome:
    """Write strict and casting loads with torch's result; refuse `assign`."""
    if match.given("assign"):
        return Refusal("`assign` has no equivalent", "load without `assign`, then cast the model")
    return Rewrite(
        "torch_load_state_dict({self}, {state_dict}, strict={strict})",
        consumed=frozenset({"assign"}),
    )


def _taken_by(match: Match) -> ast.AST | None:
    """Return the expression or statement that takes the result of a use."""
    for parent in ast.walk(match.use.statement):
        if any(child is match.use.node for child in ast.iter_child_nodes(parent)):
            return parent
    return None


def _is_of_group(parent: ast.AST | None, node: ast.AST) -> bool:
    """Return whether a value is the parameters of an optimizer's group: `{"params": ...}`."""
    if not isinstance(parent, ast.Dict):
        return False
    pairs = zip(parent.keys, parent.values, strict=True)
    return any(
        value is node and isinstance(key, ast.Constant) and key.value == "params"
        for key, value in pairs
    )


def _is_next_called(match: Match) -> bool:
    """Return whether `next` may be called on the result, which a list does not allow."""
    parent = _taken_by(match)
    loops = isinstance(parent, ast.For | ast.comprehension | ast.Starred | ast.Compare)
    called = (
        isinstance(parent, ast.Call)
        and parent.func is not match.use.node
        and not (isinstance(parent.func, ast.Name) and parent.func.id == "next")
    )
    keyword = isinstance(parent, ast.keyword)
    return not (loops or called or keyword or _is_of_group(parent, match.use.node))


_LISTED = {
    f"torch.nn.Module.{name}": f"{{self}}.{name}(include_sublayers={{recurse}})"
    for name in ("parameters", "buffers")
}
for _name, _text in _LISTED.items():
    rules.row(_name, _text)
    rules.rules[-1] = simplified(rules.rules[-1], Simpler(f"iter({_text})", _is_next_called))


def listed(match: Match) -> Rewrite:
    """Write Paddle's list, or an iterator over it if `next` may be called on the result."""
    text = _LISTED[match.use.name]
    return Rewrite(f"iter({text})" if _is_next_called(match) else text)


# Devices and dtypes ----------------------------------------------------------------------------


_DEVICES = frozenset({Plain("str"), Instance("torch.device")})


_META = "Paddle has no device 'meta': the weights keep their values and their memory"


@rules.rule("torch.nn.Module.to", unpacked="torch_module_to({self}, ...)")
def to(match: Match) -> Outcome:
    """Return Paddle's `to` for a device, and a helper for casts, which skip integer buffers.

    The helper distinguishes devices, dtypes and tensors when the code runs, so one overload
    suffices if types do not show which of them is passed.
    """
    if "memory_format" in match:
        return Rewrite("{self}", consumed=frozenset({"memory_format"}))
    if match.constant("device", None) == "meta":
        return Rewrite("{self}", consumed=frozenset(match.arguments), caveat=_META)
    consumed = frozenset({"non_blocking"}) & match.arguments.keys()
    untold = Rewrite("torch_module_to({self}, ...)")
    first = match.signature.parameters[0].name
    if first != "device" and match.value(first) in _DEVICES:
        return Refusal("its argument is a device, and not a tensor, dtype or module")
    if "tensor" in match:
        if match.is_tensor("tensor"):
            return Rewrite("torch_module_to({self}, {tensor})", consumed=consumed)
        return untold
    if first == "dtype":
        value = match.value("dtype")
        known = isinstance(value, TorchObject) or (
            isinstance(value, Instance) and value.cls == "torch.dtype"
        )
        return Rewrite("torch_module_to({self}, {dtype})", consumed=consumed) if known else untold
    known = match.value("device") in _DEVICES
    if known and "dtype" not in match:
        return Rewrite("{self}.to({device})", consumed=consumed)
    if known:
        return Rewrite("torch_module_to({self}, {device}, dtype={dtype})", consumed=consumed)
    return untold


# torch also accepts a memory format as the only argument, which its annotations do not show.
_to = rules.rules[-1]
_known = load().get(_to.name)
assert _known is not None
rules.rules[-1] = replace(_to)

for _name, _dtype in {
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "bfloat16": "bfloat16",
}.items():
    rules.row(f"torch.nn.Module.{_name}", "torch_module_to({self}, dtype='" + _dtype + "')")
rules.row(
    "torch.nn.Module.cuda",
    "{self}.cuda()",
    "torch_module_to({self}, {device})",
    note="it needs a build of Paddle with CUDA",
)

# Without an equivalent -------------------------------------------------------------------------

rules.refuse(
    "torch.nn.Module._load_from_state_dict",
    "torch.nn.Module._save_to_state_dict",
    reason="Paddle's layers do not call this method when they load or save a state",
    instead="`register_load_state_dict_pre_hook`, `register_state_dict_post_hook`",
)
rules.refuse(
    "torch.nn.Module.get_extra_state",
    "torch.nn.Module.set_extra_state",
    reason="Paddle's layers do not call this method when they load or save a state",
    instead="keep the extra state in a buffer, or use hooks of `state_dict` and `load_state_dict`",
)
rules.refuse(
    "torch.nn.Module.xpu",
    "torch.nn.Module.ipu",
    "torch.nn.Module.mtia",
    reason="this device has no tested counterpart in Paddle",
    instead="`.to(device)` with Paddle's name of the device",
)
rules.row(
    "torch.nn.Module.share_memory",
    "torch_module_share_memory({self})",
    note="Paddle shares a tensor when it is passed to another process",
)
rules.refuse(
    "torch.nn.Module.compile",
    reason="Paddle compiles functions, not modules in place",
    instead="`paddle.jit.to_static(model)`",
)
