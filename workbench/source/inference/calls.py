"""Calls: what is called, which use of torch that is, and what it gives back."""

from __future__ import annotations

import ast
import re
from dataclasses import replace

from workbench.findings import Certainty
from workbench.source.inference import tensor_states
from workbench.source.inference.callbacks import of_hook, takes_tensors
from workbench.source.inference.evaluation import Evaluation
from workbench.source.types import builtin_types
from workbench.source.types.lattice import (
    UNKNOWN,
    Foreign,
    ForeignInstance,
    ImportedFunction,
    Instance,
    Items,
    Method,
    Partial,
    Plain,
    Tensor,
    TorchObject,
    UserClass,
    UserFunction,
    UserObject,
    Value,
    of_halves,
    of_whole,
)
from workbench.source.types.views import is_view, viewed
from workbench.source.uses import Use, UseKind
from workbench.upstream import einops
from workbench.upstream.facts import covers, load

# Layers that are given ids, labels and places.
_OF_WHOLE = frozenset(
    {
        "Embedding",
        "EmbeddingBag",
        "CrossEntropyLoss",
        "NLLLoss",
        "MultiMarginLoss",
        "CTCLoss",
        "MultiLabelMarginLoss",
        "AdaptiveLogSoftmaxWithLoss",
        "MaxUnpool1d",
        "MaxUnpool2d",
        "MaxUnpool3d",
        "Module",
        "Sequential",
        "ModuleList",
        "DataParallel",
    }
)
_SUPER = Foreign("builtins.super")
_GETATTR = Foreign("builtins.getattr")
_HASATTR = Foreign("builtins.hasattr")
_IMPORTERS = frozenset({"importlib.import_module", "builtins.__import__"})
_REGISTERING = frozenset({"torch.nn.Module.register_buffer", "torch.nn.Module.register_parameter"})
_PYTHONS_DTYPES = {
    "builtins.bool": "torch.bool",
    "builtins.int": "torch.int64",
    "builtins.float": "torch.float64",
    "builtins.complex": "torch.complex128",
}
_CAST = Foreign("typing.cast")
_PARTIAL = Foreign("functools.partial")
_LAYERS = "torch.nn.Sequential"
# Names of what holds whole numbers as a rule.
_LABELS = re.compile(r"label|target|token|(^|_)ids?$|(^|_)seq|^y$|^Y$|^tgt$")


class Calls(Evaluation):
    """The part of the walk that evaluates calls."""

    def _call(self, node: ast.Call) -> Value:
        callee, use = self._callee(node)
        if callee == _SUPER and not node.args:
            return self._super()
        if callee == _GETATTR and (found := self._getattr(node)) is not None:
            return found
        if callee == _HASATTR and self._asks_torch(node):
            return Plain("bool")
        if callee == _PARTIAL and (found := self._partial(node)) is not None:
            return found
        if isinstance(callee, Foreign) and callee.name in _IMPORTERS and node.args:
            return self._imported(node)
        if callee == _CAST and len(node.args) == 2:
            meant = self.annotation(node.args[0])
            given = self.eval(node.args[1])
            return given if meant is UNKNOWN else meant
        values, keywords = self._arguments(node.args, node.keywords)
        if use is not None:
            self._pythons_dtype(node, keywords)
            if use.name in _REGISTERING and len(values) > 1:
                self._register(use.receiver_value, node.args[0], values[1])
            use.values, use.keywords = values, keywords
            if _is_unbound(use, node) or self._is_through_class(use, values):
                use.kind, use.receiver = UseKind.UNBOUND, node.args[0]
                use.receiver_value, *use.values = values
            self._keep(use)
        elif isinstance(callee, Instance) and (node.keywords or _is_rare(callee, values)):
            self._layer_called(node, callee, values, keywords)
        if callee == TorchObject(_LAYERS):
            for argument, value in zip(node.args, values, strict=True):
                if value is UNKNOWN and isinstance(argument, ast.Subscript):
                    self._slice_of_layers(argument)
        result = self._result(callee, values, keywords, use, node)
        if use is not None and result is use.receiver_value and self._is_super(use.receiver):
            result = self._self()
        if isinstance(result, Tensor) and _asks_for_gradients(node):
            result = replace(result, grad=True)
        if isinstance(result, Tensor) and isinstance(callee, TorchObject) and _is_empty(node):
            result = replace(result, empty=True)
        if isinstance(result, Tensor) and result.dtype is None and _is_like_labels(node):
            result = replace(result, whole=True)
        if self.inferring and use is not None:
            result = tensor_states.inferred(result, node)
        if use is not None:
            result = tensor_states.found(result, use)
        if isinstance(result, Tensor) and use is not None:
            result = tensor_states.recorded(tensor_states.conjugated(result, use), use)
        if use is None or not isinstance(result, Tensor) or use.receiver is None:
            return result
        return replace(result, part=viewed(node)) if is_view(use.name) else result

    def _layer_called(
        self, node: ast.Call, layer: Instance, values: list[Value], keywords: dict[str, Value]
    ) -> None:
        """`layer(input=x)` calls its `forward`, whose parameters have the names torch gave them.

        So does `layer(x)`, which is a use where a target may lack what it needs for the dtype of x.
        """
        name = load().member(layer.cls, "forward")
        if name is None or layer.cls == "torch.nn.Module" or not all(k.arg for k in node.keywords):
            return
        use = self._use(name, UseKind.LAYER, node, layer.certainty, node.func, layer)
        use.owner, use.values, use.keywords = layer.cls, values, keywords
        self._keep(use)

    def _slice_of_layers(self, node: ast.Subscript) -> None:
        """`nn.Sequential(encoder.layers[1:])`: what has a slice that is a layer has layers."""
        if isinstance(node.slice, ast.Slice):
            layers = Instance(_LAYERS, Certainty.ASSUMED)
            self.note_layers(node, layers, Plain("slice"))

    def _callee(self, node: ast.Call) -> tuple[Value, Use | None]:
        """What is called, and the use of torch that the call is."""
        function = node.func
        if isinstance(function, ast.Name):
            callee = self.resolve(function)
        elif isinstance(function, ast.Attribute):
            callee, read = self._member(function, node)
            if read is not None and not (isinstance(callee, TorchObject) and callee.indirect):
                use = self._use(
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
                return callee, self._super_init(node, function)
        elif (chosen := self._chosen(node)) is not None:
            return TorchObject(chosen.name), chosen
        else:
            callee = self.eval(function)
        if isinstance(callee, Foreign) and callee.name in einops.ENTRIES:
            return callee, self._use(callee.name, UseKind.INDIRECT, node, Certainty.PROVED)
        if not isinstance(callee, TorchObject):
            return callee, None
        if callee.ported:
            self._of_target.add(id(function))
        kind = UseKind.CALL
        if callee.indirect or not isinstance(function, ast.Name):
            kind = UseKind.INDIRECT
        return callee, self._use(callee.name, kind, node, callee.certainty)

    def _chosen(self, node: ast.Call) -> Use | None:
        """`getattr(nn, kind)(...)` where the text tells which names `kind` may be."""
        read = node.func
        if not (isinstance(read, ast.Call) and len(read.args) == 2 and not read.keywords):
            return None
        if self._quiet(read.func) != _GETATTR:
            return None
        base, names = self._quiet(read.args[0]), self.choices.get(ast.unparse(read.args[1]), ())
        if not isinstance(base, TorchObject) or base.ported or not names:
            return None
        full = tuple(self.facts.canonical(f"{base.name}.{name}") for name in names)
        if any(self.facts.get(name) is None for name in full):
            return None
        use = self._use(full[0], UseKind.CALL, node, base.certainty)
        use.among, use.selector = full, read.args[1]
        return use

    def _partial(self, node: ast.Call) -> Value | None:
        """`functools.partial` of a torch function fixes some of its arguments."""
        if not node.args or isinstance(node.args[0], ast.Starred):
            return None
        first = node.args[0]
        kept = dict(self.uses)
        function = self.eval(first)
        if not isinstance(function, TorchObject):
            return None
        if not function.indirect:
            self.uses = kept  # the name is rewritten together with the arguments
        use = self._use(function.name, UseKind.PARTIAL, node, function.certainty)
        use.indirect = function.indirect
        use.values, use.keywords = self._arguments(node.args[1:], node.keywords)
        self._keep(use)
        return Partial(replace(function, indirect=True))

    def _super_init(self, node: ast.Call, function: ast.Attribute) -> Use | None:
        """`super().__init__(...)` of a class derived from a torch class takes its arguments."""
        if not (node.args or node.keywords) or not self._is_super(function.value):
            return None
        base = self._super()
        if not isinstance(base, Instance):
            return None
        return self._use(base.cls, UseKind.SUPER, node, base.certainty)

    def _arguments(
        self, arguments: list[ast.expr], named: list[ast.keyword]
    ) -> tuple[list[Value], dict[str, Value]]:
        values: list[Value] = []
        unpacked: list[Value] = []
        for argument in arguments:
            if isinstance(argument, ast.Starred):
                unpacked.append(self.eval(argument.value))
                values.append(UNKNOWN)
            else:
                values.append(self.eval(argument))
        keywords = {keyword.arg or "**": self.eval(keyword.value) for keyword in named}
        if unpacked:  # they may fill more parameters than one
            unpacked += [keywords["**"]] if "**" in keywords else []
            keywords["**"] = Items("tuple", UNKNOWN, tuple(unpacked))
        return values, keywords

    def _pythons_dtype(self, node: ast.Call, keywords: dict[str, Value]) -> None:
        """`dtype=float` names a dtype of torch as `dtype=torch.float64` does."""
        for keyword in node.keywords:
            named = keywords["dtype"] if keyword.arg == "dtype" else UNKNOWN
            if isinstance(named, Foreign) and named.name in _PYTHONS_DTYPES:
                meant = TorchObject(_PYTHONS_DTYPES[named.name])
                self._note(meant.name, UseKind.READ, keyword.value, meant.certainty)
                keywords["dtype"] = meant

    def _getattr(self, node: ast.Call) -> Value | None:
        """`getattr(torch, "relu")` with a constant name reads that member."""
        if len(node.args) < 2:
            return None
        name = node.args[1].value if isinstance(node.args[1], ast.Constant) else None
        holder = node.args[0]
        base = self.resolve(holder) if isinstance(holder, ast.Name) else UNKNOWN
        if isinstance(holder, ast.Attribute):
            base, _ = self._member(holder)
        if isinstance(base, Tensor) and isinstance(name, str) and len(node.args) == 2:
            return self._getattr_of_tensor(node, name, base)
        if isinstance(base, TorchObject) and not isinstance(node.args[1], ast.Constant):
            return self._computed(node, base)
        if not isinstance(name, str) or not isinstance(base, TorchObject):
            return None
        full = self.facts.canonical(f"{base.name}.{name}")
        self._note(full, UseKind.READ, node, base.certainty)
        return TorchObject(full, base.certainty, indirect=True)

    def _computed(self, node: ast.Call, base: TorchObject) -> Value:
        """`getattr(nn, kind)`: which name of torch it reads, nothing tells here."""
        self._arguments(node.args[1:], node.keywords)
        if not base.ported:
            self._note(base.name, UseKind.COMPUTED, node, base.certainty)
        return UNKNOWN

    def _getattr_of_tensor(self, node: ast.Call, name: str, base: Tensor) -> Value | None:
        """`getattr(x, "relu")` with a constant name reads that member of a tensor."""
        member = self.facts.member("torch.Tensor", name)
        if member is None or self.facts.get(member) is None:
            return None
        holder = node.args[0]
        self.eval(holder)
        use = self._use(member, UseKind.READ, node, base.certainty, holder, base)
        use.owner = "torch.Tensor"
        self._keep(use)
        return self.members.read(member, base)

    def _asks_torch(self, node: ast.Call) -> bool:
        """Note `hasattr(torch, "compile")`, whose answer is known; False for other calls of it."""
        if len(node.args) != 2 or not isinstance(node.args[1], ast.Constant):
            return False
        name, holder = node.args[1].value, node.args[0]
        if not isinstance(name, str) or name.startswith("_"):
            return False
        base = self._base(holder) if isinstance(holder, ast.Name | ast.Attribute) else UNKNOWN
        if not isinstance(base, TorchObject) or base.indirect or self.facts.is_own(base.name):
            return False
        if not self.facts.is_module(base.name) and base.name != "torch.Tensor":
            return False  # of other classes it is not known what their objects alone have
        self._note(self.facts.canonical(f"{base.name}.{name}"), UseKind.ASKED, node, base.certainty)
        return True

    def _imported(self, node: ast.Call) -> Value:
        """`importlib.import_module("torch.nn")`."""
        self._arguments(node.args, node.keywords)
        first = node.args[0]
        name = first.value if isinstance(first, ast.Constant) else None
        if not isinstance(name, str):
            return UNKNOWN
        if not covers(name):
            return Foreign(name)
        self._note(self.facts.canonical(name), UseKind.READ, node, Certainty.PROVED)
        return TorchObject(self.facts.canonical(name), indirect=True)

    def _register(self, module: Value, name: ast.expr, value: Value) -> None:
        """`self.register_buffer("mask", tensor)` sets an attribute."""
        text = name.value if isinstance(name, ast.Constant) else None
        if isinstance(module, UserObject) and isinstance(text, str):
            module.cls.note(text, value)

    def _super(self) -> Value:
        found = self.enclosing_class()
        if found is None:
            return UNKNOWN
        cls, _ = found
        for base in cls.bases:
            if isinstance(base, UserClass):
                return UserObject(base)
        base_name = cls.torch_base()
        return Instance(base_name) if base_name else UNKNOWN

    def _is_super(self, node: ast.expr | None) -> bool:
        """Whether this is a call of Python's `super`."""
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            return False
        return self.resolve(node.func) == _SUPER

    def _self(self) -> Value:
        """The object whose method is being walked."""
        found = self.enclosing_class()
        return found[1] if found is not None else UNKNOWN

    def _is_through_class(self, use: Use, values: list[Value]) -> bool:
        """Whether an object's method is called through its class: `nn.Linear.forward(self, x)`."""
        if use.receiver is not None or use.kind is not UseKind.CALL or not values:
            return False
        member, first = use.name.rpartition(".")[2], values[0]
        if isinstance(first, UserObject):
            own = first.cls.torch_base()
        else:
            own = first.cls if isinstance(first, Instance) else None
        if own is None or member.startswith("__"):
            return False
        entry = self.facts.get(use.name)
        return (
            entry is not None
            and entry.kind == "method"
            and self.facts.member(own, member) == use.name
        )

    def _hand_over(self, callee: Value, use: Use | None, values: list[Value]) -> None:
        """Functions of the program that a function of torch is given, and calls by itself."""
        name = callee.name if isinstance(callee, TorchObject) else use.name if use else ""
        for function in values if name else ():
            if not isinstance(function, UserFunction):
                continue
            if takes_tensors(name):
                self.call_with_tensors(function)
            elif use is not None:
                module = use.receiver_value
                output: Value = UNKNOWN
                if isinstance(module, Instance):
                    output = self.members.call_instance(module, [])
                if given := of_hook(name, module, output, function):
                    self.call_function(function, given, {})

    def _result(
        self,
        callee: Value,
        values: list[Value],
        keywords: dict[str, Value],
        use: Use | None,
        node: ast.Call,
    ) -> Value:
        self._hand_over(callee, use, [*values, *keywords.values()])
        if isinstance(callee, TorchObject):
            return self.members.call(callee, values, keywords)
        if isinstance(callee, UserFunction):
            return self.call_function(callee, values, keywords)
        if isinstance(callee, ImportedFunction):
            return callee.result
        if isinstance(callee, UserClass):
            return self.new_object(callee, values, keywords)
        if isinstance(callee, Partial):
            return self._result(callee.func, values, keywords, None, node)
        if isinstance(callee, Foreign):
            name = callee.name
            if name == "collections.OrderedDict":
                name = "builtins.dict"
            if name.startswith("builtins."):
                elements = [self.iterate(value) for value in values]
                self.note_number(name[9:], node, values)
                return builtin_types.call_builtin(name[9:], values, elements, keywords)
            return builtin_types.call_foreign(callee, values)
        if isinstance(callee, UserObject):
            forward = self.members.of_program(callee, "forward")
            if not isinstance(forward, UserFunction | ImportedFunction):
                forward = self.members.of_program(callee, "__call__")
            if isinstance(forward, UserFunction):
                return self.call_function(forward, values, keywords)
            if isinstance(forward, ImportedFunction):
                return forward.result
            base = callee.cls.torch_base()
            return self.members.call_instance(Instance(base), values) if base else UNKNOWN
        if use is not None and use.name == "torch.autograd.Function.apply":
            forward = self.members.of_program(use.receiver_value, "forward")
            if not isinstance(forward, UserFunction):
                return UNKNOWN
            apart = self.members.of_program(use.receiver_value, "setup_context") is not UNKNOWN
            return self.call_function(forward, values if apart else [UNKNOWN, *values], keywords)
        if use is not None:
            return self.members.call_member(use, values, keywords)
        if isinstance(callee, Instance):
            return self.members.call_instance(callee, values)
        if isinstance(callee, ForeignInstance):
            return callee
        if isinstance(callee, Method):
            changed = builtin_types.after(callee, values)
            if changed is not None and isinstance(node.func, ast.Attribute):
                self.assign(node.func.value, changed)
            return builtin_types.call_method(callee)
        return UNKNOWN


def _is_rare(layer: Instance, values: list[Value]) -> bool:
    """Whether a layer is called on numbers that layers are seldom made for."""
    meant = layer.cls.removeprefix("torch.nn.") in _OF_WHOLE
    return any(of_halves(value) or (of_whole(value) and not meant) for value in values)


def _is_unbound(use: Use, node: ast.Call) -> bool:
    """Whether a tensor's method is called through the class: `torch.Tensor.add(x, y)`."""
    if use.receiver is not None or use.kind is not UseKind.CALL or not node.args:
        return False
    owner, _, _ = use.name.rpartition(".")
    entry = load().get(use.name) if owner == "torch.Tensor" else None
    first = node.args[0]
    return entry is not None and entry.kind == "method" and not isinstance(first, ast.Starred)


def _is_empty(node: ast.Call) -> bool:
    """True for `torch.tensor([])`, `torch.Tensor()`, `torch.empty(0)` and their like."""
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
    """True for `torch.ones_like(label)` and its like, by the name of what it is made like."""
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    first = node.args[0] if node.args else None
    return (
        name in {"ones_like", "zeros_like"}
        and isinstance(first, ast.Name)
        and _LABELS.search(first.id) is not None
        and all(one.arg != "dtype" for one in node.keywords)
    )


def _asks_for_gradients(node: ast.Call) -> bool:
    """True for `torch.zeros(2, requires_grad=True)`, `x.requires_grad_()` and parameters."""
    given = [one.value for one in node.keywords if one.arg == "requires_grad"]
    if not given and getattr(node.func, "attr", getattr(node.func, "id", "")) == "Parameter":
        return len(node.args) < 2
    if isinstance(node.func, ast.Attribute) and node.func.attr == "requires_grad_":
        given += node.args
        if not given:
            return True
    return any(isinstance(one, ast.Constant) and one.value is True for one in given)
