"""Calls: the callee, and the use of torch that the call is."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import replace

from workbench.findings import Certainty
from workbench.source.inference.annotations import annotation
from workbench.source.inference.context import Context
from workbench.source.inference.evidence import tensor_states
from workbench.source.inference.evidence.saved_values import save
from workbench.source.inference.expressions.arguments import evaluate_arguments, note_pythons_dtype
from workbench.source.inference.expressions.counts import note_counts
from workbench.source.inference.expressions.indexing import names_mask, note_layers
from workbench.source.inference.expressions.names import read_member, resolve
from workbench.source.inference.expressions.read_by_name import (
    asks_torch,
    chosen_by_text,
    imported_module,
    read_by_name,
)
from workbench.source.inference.expressions.results import result_of
from workbench.source.inference.expressions.set_by_name import note_set_by_method, set_by_name
from workbench.source.inference.functions import enclosing_class
from workbench.source.tree import written_dims
from workbench.source.types.lattice import (
    PICKED,
    UNKNOWN,
    Foreign,
    Instance,
    Partial,
    Plain,
    Tensor,
    TorchObject,
    UserClass,
    UserObject,
    Value,
    of_halves,
    of_whole,
)
from workbench.source.types.views import is_view, viewed
from workbench.source.uses import Use, UseKind
from workbench.upstream import einops
from workbench.upstream.facts import load
from workbench.words import words

# Layers whose inputs are ids, labels or indices.
_OF_WHOLE = frozenset(
    words(
        "Embedding EmbeddingBag CrossEntropyLoss NLLLoss MultiMarginLoss CTCLoss "
        "MultiLabelMarginLoss AdaptiveLogSoftmaxWithLoss MaxUnpool1d MaxUnpool2d MaxUnpool3d "
        "Module Sequential ModuleList DataParallel"
    )
)
_SUPER = Foreign("builtins.super")
_REGISTERING = frozenset(
    f"torch.nn.Module.{name}"
    for name in ("register_buffer", "register_parameter", "add_module", "register_module")
)
_LAYERS = "torch.nn.Sequential"
# Names that usually hold integers.
_LABELS = re.compile(r"label|target|token|(^|_)ids?$|(^|_)seq|^y$|^Y$|^tgt$")


def call(context: Context, node: ast.Call) -> Value:
    callee, use = _callee_of(context, node)
    if type(callee) is Foreign and (special := _SPECIAL.get(callee.name)) is not None:
        found = special(context, node)
        if found is not None:
            return found
    values, keywords = evaluate_arguments(context, node.args, node.keywords)
    save(context, node, values)
    if use is not None:
        _note_call(context, node, use, values, keywords)
    elif isinstance(callee, Instance) and (node.keywords or _is_rare(callee, node, values)):
        _note_layer_called(context, node, callee, values, keywords)
    if callee == TorchObject(_LAYERS):
        _note_slices_of_layers(context, node, values)
    result = result_of(context, callee, values, keywords, use, node)
    note_set_by_method(context, callee, node, values, keywords)
    if use is not None and result is use.receiver_value and _is_super(context, use.receiver):
        result = _own_object(context)
    if isinstance(result, Tensor):
        result = _as_written(result, node, callee)
    return result if use is None else _as_used(context, result, node, use)


def _note_call(
    context: Context, node: ast.Call, use: Use, values: list[Value], keywords: dict[str, Value]
) -> None:
    """Record a call of something of torch, with the inferred arguments."""
    note_pythons_dtype(context, node, keywords)
    if use.name in _REGISTERING and len(values) > 1:
        _register(use.receiver_value, node.args[0], values[1])
    use.values, use.keywords = values, keywords
    if id(node.func) in context.of_target and use.receiver is None:
        return  # a name of the target's
    if _is_unbound(use, node) or _is_through_class(context, use, values):
        use.kind, use.receiver = UseKind.UNBOUND, node.args[0]
        use.receiver_value, *use.values = values
    note_counts(context, use)
    context.keep(use)


def _as_written(result: Tensor, node: ast.Call, callee: Value) -> Tensor:
    """Return a call's tensor with the facts that the text of the call adds."""
    if _asks_for_gradients(node):
        result = replace(result, grad=True)
    if isinstance(callee, TorchObject) and _is_empty(node):
        result = replace(result, empty=True)
    if result.dtype is None and (_is_like_labels(node) or _is_of_mask(node)):
        result = replace(result, whole=True)
    return result


def _as_used(context: Context, result: Value, node: ast.Call, use: Use) -> Value:
    """Return a torch call's result with the states that only torch has."""
    if context.inferring:
        result = tensor_states.inferred(result, node)
    result = tensor_states.found(result, use)
    if isinstance(result, Tensor):
        result = tensor_states.recorded(tensor_states.conjugated(result, use), use)
        result = tensor_states.hot(tensor_states.sparse(result, use), use)
        of = use.receiver_value
        if result.dtype is None and isinstance(of, Tensor) and of.whole:
            result = replace(result, whole=True)
    if isinstance(result, Tensor) and use.receiver is not None and is_view(use.name):
        return replace(result, part=viewed(node))
    return result


def _note_layer_called(
    context: Context,
    node: ast.Call,
    layer: Instance,
    values: list[Value],
    keywords: dict[str, Value],
) -> None:
    """Record `layer(input=x)` as a call of its `forward`, whose parameters have torch's names.

    `layer(x)` is recorded too, as a target may not support the dtype of x.
    """
    name = load().member(layer.cls, "forward")
    if name is None or layer.cls == "torch.nn.Module" or not all(k.arg for k in node.keywords):
        return
    use = context.use(name, UseKind.LAYER, node, layer.certainty, node.func, layer)
    use.owner, use.values, use.keywords = layer.cls, values, keywords
    context.keep(use)


def _note_slices_of_layers(context: Context, node: ast.Call, values: list[Value]) -> None:
    """Record `nn.Sequential(encoder.layers[1:])`: if a slice is a layer, the value holds layers."""
    layers = Instance(_LAYERS, Certainty.ASSUMED)
    for argument, value in zip(node.args, values, strict=True):
        if value is not UNKNOWN or not isinstance(argument, ast.Subscript):
            continue
        if isinstance(argument.slice, ast.Slice):
            note_layers(context, argument, layers, Plain("slice"))


def _callee_of(context: Context, node: ast.Call) -> tuple[Value, Use | None]:
    """Return the callee, and the use of torch that the call is or None."""
    function = node.func
    if isinstance(function, ast.Name):
        callee = resolve(context, function)
    elif isinstance(function, ast.Attribute):
        callee, read = read_member(context, function, node)
        if read is not None and not (isinstance(callee, TorchObject) and callee.indirect):
            use = context.use(
                read.name,
                UseKind.CALL,
                node,
                read.certainty,
                read.receiver,
                read.receiver_value,
            )
            use.owner = read.owner
            return callee, use
        if callee is UNKNOWN and function.attr == "__init__":
            return callee, _super_init(context, node, function)
    elif (chosen := chosen_by_text(context, node)) is not None:
        return TorchObject(chosen.name), chosen
    else:
        callee = context.eval(function)
    if isinstance(callee, Foreign) and callee.name in einops.ENTRIES:
        return callee, context.use(callee.name, UseKind.INDIRECT, node, Certainty.PROVED)
    if not isinstance(callee, TorchObject):
        return callee, None
    if callee.ported:
        context.of_target[id(function)] = callee.name
    kind = UseKind.CALL
    if callee.indirect or not isinstance(function, ast.Name):
        kind = UseKind.INDIRECT
    return callee, context.use(callee.name, kind, node, callee.certainty)


def _partial_of(context: Context, node: ast.Call) -> Value | None:
    """Return the value of `functools.partial` of a torch function, or None."""
    if not node.args or isinstance(node.args[0], ast.Starred):
        return None
    first = node.args[0]
    kept = dict(context.found.uses)
    function = context.eval(first)
    if not isinstance(function, TorchObject):
        return None
    if not function.indirect:
        context.found.uses = kept  # the name is rewritten together with the arguments
    use = context.use(function.name, UseKind.PARTIAL, node, function.certainty)
    use.indirect = function.indirect
    use.values, use.keywords = evaluate_arguments(context, node.args[1:], node.keywords)
    context.keep(use)
    bound, named = tuple(use.values), tuple(use.keywords.items())
    return Partial(replace(function, indirect=True), bound, named)


def _super_init(context: Context, node: ast.Call, function: ast.Attribute) -> Use | None:
    """Return the use of `super().__init__(...)` in a class derived from a torch class, or None."""
    if not (node.args or node.keywords) or not _is_super(context, function.value):
        return None
    base = _super_object(context)
    found = enclosing_class(context)
    mixed_in = found is not None and found[0].joined is not None
    if not isinstance(base, Instance) or mixed_in or _derives_from_helper(context):
        return None
    return context.use(base.cls, UseKind.SUPER, node, base.certainty)


def _derives_from_helper(context: Context) -> bool:
    """Return whether the class's base is a helper, which takes torch's arguments."""
    found, ported = enclosing_class(context), context.facts.ported
    bases = found[0].bases if found is not None else ()
    names = [base.ported for base in bases if isinstance(base, TorchObject) and base.ported]
    return ported is not None and any(name.partition(".")[0] not in ported.roots for name in names)


def _register(module: Value, name: ast.expr, value: Value) -> None:
    """Set the attribute that `self.register_buffer("mask", tensor)` creates."""
    text = name.value if isinstance(name, ast.Constant) else None
    if isinstance(module, UserObject) and isinstance(text, str):
        module.cls.note(text, value)


def _super_called(context: Context, node: ast.Call) -> Value | None:
    """Return the value of `super()`; None if it has arguments."""
    return None if node.args else _super_object(context)


def _cast(context: Context, node: ast.Call) -> Value | None:
    """Return the value of `typing.cast(torch.Tensor, x)`, or None."""
    if len(node.args) != 2:
        return None
    meant = annotation(context, node.args[0])
    given = context.eval(node.args[1])
    return given if meant is UNKNOWN else meant


def _super_object(context: Context) -> Value:
    found = enclosing_class(context)
    if found is None:
        return UNKNOWN
    cls, _ = found
    for base in cls.bases:
        if isinstance(base, UserClass):
            return UserObject(base)
    if cls.joined is not None:
        return Instance(cls.joined, Certainty.ASSUMED)
    base_name = cls.torch_base()
    return Instance(base_name) if base_name else UNKNOWN


def _is_super(context: Context, node: ast.expr | None) -> bool:
    """Return whether it is a call of Python's `super`."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return False
    return resolve(context, node.func) == _SUPER


def _own_object(context: Context) -> Value:
    """Return the object whose method is being walked."""
    found = enclosing_class(context)
    return found[1] if found is not None else UNKNOWN


def _is_through_class(context: Context, use: Use, values: list[Value]) -> bool:
    """Return whether a method is called through its class: `nn.Linear.forward(self, x)`."""
    if use.receiver is not None or use.kind is not UseKind.CALL or not values:
        return False
    member, first = use.name.rpartition(".")[2], values[0]
    if isinstance(first, UserObject):
        own = first.cls.torch_base()
    else:
        own = first.cls if isinstance(first, Instance) else None
    if own is None or member.startswith("__"):
        return False
    entry = context.facts.get(use.name)
    return (
        entry is not None
        and entry.kind == "method"
        and context.facts.member(own, member) == use.name
    )


def _is_rare(layer: Instance, node: ast.Call, values: list[Value]) -> bool:
    """Return whether a layer is called with a dtype that layers rarely support, or with no batch.

    One item of a tensor, and a tensor with written sizes, may lack the batch dimension.
    """
    if any(isinstance(one, Tensor) and PICKED in one.states for one in values):
        return True
    if any(map(written_dims, node.args)):
        return True
    meant = layer.cls.removeprefix("torch.nn.") in _OF_WHOLE
    return any(of_halves(value) or (of_whole(value) and not meant) for value in values)


def _is_unbound(use: Use, node: ast.Call) -> bool:
    """Return whether a tensor method is called through the class: `torch.Tensor.add(x, y)`."""
    if use.receiver is not None or use.kind is not UseKind.CALL or not node.args:
        return False
    owner, _, _ = use.name.rpartition(".")
    entry = load().get(use.name) if owner == "torch.Tensor" else None
    first = node.args[0]
    return entry is not None and entry.kind == "method" and not isinstance(first, ast.Starred)


def _is_empty(node: ast.Call) -> bool:
    """Return whether it is `torch.tensor([])`, `torch.Tensor()`, `torch.empty(0)` or similar."""
    function = node.func
    name = getattr(function, "attr", getattr(function, "id", ""))
    first = node.args[0] if node.args else None
    if name in {"tensor", "as_tensor"} or name.endswith("Tensor"):
        listed = isinstance(first, ast.List | ast.Tuple) and not first.elts
        return listed or (name.endswith("Tensor") and not node.args and not node.keywords)
    if name not in {"empty", "zeros", "ones", "rand", "randn"} or len(node.args) != 1:
        return False
    if isinstance(first, ast.List | ast.Tuple) and len(first.elts) == 1:
        first = first.elts[0]
    return isinstance(first, ast.Constant) and first.value == 0 and first.value is not False


def _is_like_labels(node: ast.Call) -> bool:
    """Return whether it is `torch.ones_like(label)` or similar, by the name of the argument."""
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    first = node.args[0] if node.args else None
    return (
        name in {"ones_like", "zeros_like"}
        and isinstance(first, ast.Name)
        and _LABELS.search(first.id) is not None
        and all(one.arg != "dtype" for one in node.keywords)
    )


def _is_of_mask(node: ast.Call) -> bool:
    """Return whether the receiver's name suggests a mask: `attention_mask.unsqueeze(1)`."""
    return isinstance(node.func, ast.Attribute) and names_mask(node.func.value)


def _asks_for_gradients(node: ast.Call) -> bool:
    """Return whether it is `torch.zeros(2, requires_grad=True)`, `x.requires_grad_()` or a
    parameter.
    """
    given = [one.value for one in node.keywords if one.arg == "requires_grad"]
    if not given and getattr(node.func, "attr", getattr(node.func, "id", "")) == "Parameter":
        return len(node.args) < 2
    if isinstance(node.func, ast.Attribute) and node.func.attr == "requires_grad_":
        given += node.args
        if not given:
            return True
    return any(isinstance(one, ast.Constant) and one.value is True for one in given)


# Standard library functions that return names of torch, or pass values on. Each returns None for an
# ordinary call.
_SPECIAL: dict[str, Callable[[Context, ast.Call], Value | None]] = {
    "builtins.super": _super_called,
    "builtins.getattr": read_by_name,
    "builtins.hasattr": asks_torch,
    "builtins.setattr": set_by_name,
    "builtins.__import__": imported_module,
    "importlib.import_module": imported_module,
    "functools.partial": _partial_of,
    "typing.cast": _cast,
}
