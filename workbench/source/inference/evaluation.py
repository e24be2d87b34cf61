"""Evaluation of names and members over what is known of their values, noting uses of torch."""

from __future__ import annotations

import ast
import builtins

from workbench.findings import Certainty
from workbench.source.inference.evidence import MODULE_MEMBERS, called_as_tensor
from workbench.source.inference.modules import OwnModule
from workbench.source.inference.torch_types import Members
from workbench.source.types.lattice import (
    ASSUMED_TENSOR,
    UNKNOWN,
    Foreign,
    ImportedFunction,
    Instance,
    Plain,
    TorchObject,
    UserClass,
    UserFunction,
    Value,
)
from workbench.source.types.scopes import Scope
from workbench.source.uses import UnknownMember, Use, UseKind
from workbench.upstream.facts import Facts

_BUILTINS = frozenset(dir(builtins))
# Enumerations of torch in Python, which targets have with the same names and values.
_ENUMERATIONS = frozenset(
    {
        "torch.nn.attention.SDPBackend",
        "torch.profiler.ProfilerAction",
        "torchvision.transforms.InterpolationMode",
        "torchvision.io.ImageReadMode",
    }
)
_OF_ENUMERATED = frozenset({"name", "value"})
# What the weights of torchvision's networks are asked for beside: `ResNet18_Weights.DEFAULT.url`.
# Numbers of Python's, whose members are no concern of torch.
_NUMBERS = frozenset({"torch.e", "torch.inf", "torch.nan", "torch.pi"})
_OF_WEIGHTS = frozenset({"url", "transforms"}) | _OF_ENUMERATED
# Members of `functools.partial`, which a variable may hold in place of a torch class.
_OF_PARTIAL = frozenset({"func", "args", "keywords"})


class Evaluation:
    """What all parts of the walk share: the scope, the uses found, names and members.

    `calls.Calls` adds calls, `expressions.Expressions` the other expressions, `walk.Walk` the
    statements; what they provide for this part is declared here.
    """

    facts: Facts
    members: Members
    scope: Scope
    statement: ast.stmt
    uses: dict[int, Use]
    unknown_members: dict[int, UnknownMember]
    inferring: bool = False  # within `torch.inference_mode`

    def __init__(self) -> None:
        # Calls of which a tensor's method is called: `x.div(y)` of `x.div(y).sqrt_()`.
        self._giving: set[int] = set()
        # What strings may be here, by the text of an expression.
        self.choices: dict[str, tuple[str, ...]] = {}
        # Expressions that name something of the target's.
        self._of_target: set[int] = set()

    def call_function(
        self, function: UserFunction, values: list[Value], keywords: dict[str, Value]
    ) -> Value:
        """The result of calling a function of the program."""
        raise NotImplementedError

    def call_with_tensors(self, function: UserFunction) -> None:
        """Note that torch calls a function of the program, and hands it tensors."""
        raise NotImplementedError

    def new_object(self, cls: UserClass, values: list[Value], keywords: dict[str, Value]) -> Value:
        """The result of calling a class of the program."""
        raise NotImplementedError

    def enclosing_class(self) -> tuple[UserClass, Value] | None:
        """The class whose method is being walked, and that method's receiver."""
        raise NotImplementedError

    def is_no_tensor(self, receiver: ast.expr) -> bool:
        """True where the function that is walked shows elsewhere that this is no tensor."""
        raise NotImplementedError

    def yields(self, value: Value) -> None:
        """The function that is being walked is a generator, and gives this."""
        raise NotImplementedError

    def eval(self, node: ast.expr | None) -> Value:
        """What is known of the value of an expression."""
        raise NotImplementedError

    def annotation(self, node: ast.expr | None) -> Value:
        """The value that an annotation describes; its torch names are noted as uses."""
        raise NotImplementedError

    def iterate(self, value: Value) -> Value:
        """What iterating over a value gives."""
        raise NotImplementedError

    def note_layers(self, node: ast.Subscript, base: Value, at: Value) -> None:
        """Note layers of a sequence that are sliced, replaced or removed by their places."""
        raise NotImplementedError

    def note_number(self, name: str, node: ast.Call, values: list[Value]) -> None:
        """Note a call of Python's `int` or `float` that needs more than that of a tensor."""
        raise NotImplementedError

    def of_target(self, name: str) -> Value:
        """What a dotted name of a target's is to torch's code around it."""
        raise NotImplementedError

    def _quiet(self, node: ast.expr) -> Value:
        """What is known of a value, without noting uses."""
        raise NotImplementedError

    def assign(self, target: ast.expr, value: Value) -> None:
        """Bind a target (name, attribute, item or pattern of them) to a value."""
        raise NotImplementedError

    def _name(self, node: ast.Name) -> Value:
        value = self.resolve(node)
        if isinstance(value, TorchObject) and not value.indirect:
            self._note(value.name, UseKind.READ, node, value.certainty)
        return value

    def resolve(self, node: ast.Name) -> Value:
        """What a name is bound to, without noting a use."""
        value = self.scope.lookup(node.id)
        if value is not None:
            if isinstance(value, TorchObject) and value.ported:
                self._of_target.add(id(node))
            return value
        return Foreign(f"builtins.{node.id}") if node.id in _BUILTINS else UNKNOWN

    def _attribute(self, node: ast.Attribute) -> Value:
        value, use = self._member(node)
        if use is not None:
            self._keep(use)
        return value

    def _member(
        self, node: ast.Attribute, call: ast.Call | None = None
    ) -> tuple[Value, Use | None]:
        """The value of an attribute, and the use of torch that reading it is.

        `call` is the call of it, whose arguments tell of a receiver that nothing else tells of.
        """
        only = self.facts.torch_method(node.attr) in self.facts.tensor_only
        if call is not None and isinstance(node.value, ast.Call) and only:
            self._giving.add(id(node.value))
        base = self._base(node.value)
        self.unknown_members.pop(id(node), None)  # an earlier walk may have known less
        if base is UNKNOWN and call is not None and node.attr in self.facts.tensor_members:
            giving = id(call) in self._giving
            base = ASSUMED_TENSOR if giving or called_as_tensor(call, self.statement) else UNKNOWN
        told = base is not UNKNOWN or node.attr in MODULE_MEMBERS
        if call is not None and not told and self.is_no_tensor(node.value):
            return UNKNOWN, None
        if isinstance(base, OwnModule):
            return self._of_own(base, node)
        ported = self.facts.ported
        if ported is not None and isinstance(base, TorchObject | Foreign):
            spelled = base.ported if isinstance(base, TorchObject) else base.name
            if spelled.partition(".")[0] == ported.root:
                self._of_target.add(id(node))
                return self.of_target(f"{spelled}.{node.attr}"), None
        if isinstance(base, TorchObject):
            base = self.members.instance_of(base)
        if isinstance(base, TorchObject) and base.name in _NUMBERS:
            return UNKNOWN, None
        if isinstance(base, TorchObject):
            name = self.facts.canonical(f"{base.name}.{node.attr}")
            known = self.facts.get(name) is not None
            if node.attr == "__name__" and not known and not base.indirect:
                self._note(base.name, UseKind.NAMED, node, base.certainty)
                return Plain("str"), None
            if not known and self.facts.is_own(base.name) and self.facts.is_module(base.name):
                # What a package has beside the names with rules is no concern of torch.
                return Foreign(name), None
            if not known and not self.facts.is_module(base.name):
                if node.attr in _of_enumerated(base.name.rpartition(".")[0]):
                    return Plain("str") if node.attr in ("name", "url") else UNKNOWN, None
                # A member of a class or of something else that torch defines.
                name = self.facts.member(base.name, node.attr) or name
            if base.indirect and node.attr in _OF_PARTIAL and self.facts.get(name) is None:
                return UNKNOWN, None
            value = self.members.constant(name, base.certainty)
            use = self._use(name, UseKind.READ, node, base.certainty)
            use.owner = None if self.members.is_method(name) else base.name
            return value, use
        owner, certainty = self.members.owner(base, node.attr)
        if owner is not None and node.attr != "__init__":
            member = self.facts.member(owner, node.attr)
            if base is UNKNOWN and call is None and self.members.is_method(member):
                member = None  # `settings.stride`: a tensor's methods are called, as a rule
            if member is not None:
                use = self._use(member, UseKind.READ, node, certainty, node.value, base)
                use.owner = owner
                if self.facts.torch_method(node.attr) != node.attr:
                    self._of_target.add(id(node))
                return self.members.read(member, base), use
            if isinstance(base, Instance) and self.facts.lacks(owner, node.attr):
                name = f"{owner}.{node.attr}"
                return UNKNOWN, self._use(name, UseKind.READ, node, certainty, node.value, base)
        own = isinstance(base, Foreign) and base.name.startswith(".")
        possible = self.facts.tensor_only if own else self.facts.tensor_members
        if (own or base is UNKNOWN) and node.attr in possible:
            self.unknown_members[id(node)] = UnknownMember(node, self.statement)
        elif node.attr in MODULE_MEMBERS and (base is UNKNOWN or isinstance(base, Foreign)):
            owner = "torch.nn.Module"
            self.unknown_members[id(node)] = UnknownMember(node, self.statement, owner)
        value = self.members.of_program(base, node.attr)
        if isinstance(value, UserFunction) and value.is_property:
            value = self.call_function(value, [], {})
        elif isinstance(value, ImportedFunction) and value.is_property:
            value = value.result
        return value, None

    def _of_own(self, base: OwnModule, node: ast.Attribute) -> tuple[Value, Use | None]:
        """A name of another module of the program, which may be one that it has from torch."""
        value = base.get(node.attr)
        if not isinstance(value, TorchObject) or value.indirect:
            return value, None
        return value, self._use(value.name, UseKind.READ, node, value.certainty)

    def _base(self, node: ast.expr) -> Value:
        """A receiver: chains of torch modules are followed without noting each as a use."""
        if isinstance(node, ast.Name):
            value = self.resolve(node)
            if isinstance(value, TorchObject) and not (value.indirect or self._leads_on(value)):
                self._note(value.name, UseKind.READ, node, value.certainty)
            return value
        if isinstance(node, ast.Attribute):
            value, use = self._member(node)
            if use is not None and not self._leads_on(value):
                self._keep(use)
            return value
        return self.eval(node)

    def tested(self, node: ast.expr) -> None:
        """Take a module that is tested for being there, as after an import that may have failed."""
        use = self.uses.get(id(node))
        if use is not None and use.kind is UseKind.READ and isinstance(node, ast.Name):
            use.kind = UseKind.PRESENCE if self.facts.is_module(use.name) else use.kind

    def _leads_on(self, value: Value) -> bool:
        """True for torch modules and classes: the use is the member that is read from them."""
        if not isinstance(value, TorchObject):
            return False
        entry = self.facts.get(value.name)
        return entry is None or entry.kind in {"module", "class"}

    def _use(
        self,
        name: str,
        kind: UseKind,
        node: ast.expr | ast.AugAssign,
        certainty: Certainty,
        receiver: ast.expr | None = None,
        value: Value = UNKNOWN,
    ) -> Use:
        return Use(name, kind, node, certainty, self.statement, receiver, value)

    def _keep(self, use: Use) -> None:
        if self.facts.is_own(use.name) and self.facts.is_module(use.name):
            return
        named = use.call.func if use.call is not None else use.node
        if use.kind is UseKind.PARTIAL and use.call is not None:
            named = use.call.args[0]
        method = use.owner == "torch.Tensor"
        if (use.receiver is None or method) and id(named) in self._of_target:
            return
        self.uses[id(use.node)] = use

    def _note(self, name: str, kind: UseKind, node: ast.expr, certainty: Certainty) -> None:
        self._keep(self._use(name, kind, node, certainty))


def _of_enumerated(name: str) -> frozenset[str]:
    """What may be asked of the members of a class, if it is an enumeration that targets have."""
    if name.startswith("torchvision.models.") and name.endswith("_Weights"):
        return _OF_WEIGHTS
    return _OF_ENUMERATED if name in _ENUMERATIONS else frozenset()
