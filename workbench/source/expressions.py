"""Evaluation of expressions over what is known of their values, noting every use of torch."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from typing import Any

from workbench.findings import Certainty
from workbench.source import python
from workbench.source.members import Members
from workbench.source.scopes import Scope
from workbench.source.uses import UnknownMember, Use, UseKind
from workbench.source.values import (
    UNKNOWN,
    Foreign,
    ForeignInstance,
    Instance,
    Items,
    Method,
    OneOf,
    Partial,
    Plain,
    Table,
    Tensor,
    TorchObject,
    UserClass,
    UserFunction,
    UserObject,
    Value,
    items_of,
    join,
)
from workbench.upstream.facts import Facts

_BUILTINS = frozenset(dir(builtins))


class Expressions:
    """The half of the walk that evaluates expressions; `walk.Walk` adds the statements."""

    facts: Facts
    members: Members
    scope: Scope
    statement: ast.stmt
    uses: dict[int, Use]
    unknown_members: dict[int, UnknownMember]

    def call_function(
        self, function: UserFunction, values: list[Value], keywords: dict[str, Value]
    ) -> Value:
        """The result of calling a function of the program."""
        raise NotImplementedError

    def new_object(self, cls: UserClass, values: list[Value], keywords: dict[str, Value]) -> Value:
        """The result of calling a class of the program."""
        raise NotImplementedError

    def enclosing_class(self) -> tuple[UserClass, Value] | None:
        """The class whose method is being walked, and that method's receiver."""
        raise NotImplementedError

    def yields(self) -> None:
        """The function that is being walked is a generator."""
        raise NotImplementedError

    def eval(self, node: ast.expr | None) -> Value:
        """What is known of the value of an expression."""
        if node is None:
            return UNKNOWN
        method = _DISPATCH.get(type(node))
        return method(self, node) if method else UNKNOWN

    # Names and members ------------------------------------------------------------------------

    def _name(self, node: ast.Name) -> Value:
        value = self.resolve(node)
        if isinstance(value, TorchObject) and not value.indirect:
            self._note(value.name, UseKind.READ, node, value.certainty)
        return value

    def resolve(self, node: ast.Name) -> Value:
        """What a name is bound to, without noting a use."""
        value = self.scope.lookup(node.id)
        if value is not None:
            return value
        return Foreign(f"builtins.{node.id}") if node.id in _BUILTINS else UNKNOWN

    def _attribute(self, node: ast.Attribute) -> Value:
        value, use = self._member(node)
        if use is not None:
            self._keep(use)
        return value

    def _member(self, node: ast.Attribute) -> tuple[Value, Use | None]:
        """The value of an attribute, and the use of torch that reading it is."""
        base = self._base(node.value)
        if isinstance(base, TorchObject):
            base = self.members.instance_of(base)
        if isinstance(base, TorchObject):
            name = self.facts.canonical(f"{base.name}.{node.attr}")
            if self.facts.get(name) is None and not self.facts.is_module(base.name):
                # A member of a class or of something else that torch defines.
                name = self.facts.member(base.name, node.attr) or name
            value = self.members.constant(name, base.certainty)
            return value, self._use(name, UseKind.READ, node, base.certainty)
        owner, certainty = self.members.owner(base, node.attr)
        if owner is not None and node.attr != "__init__":
            member = self.facts.member(owner, node.attr)
            if member is not None:
                use = self._use(member, UseKind.READ, node, certainty, node.value, base)
                use.owner = owner
                return self.members.read(member, base), use
        if base is UNKNOWN and node.attr in self.facts.tensor_members:
            self.unknown_members[id(node)] = UnknownMember(node, self.statement)
        return self.members.of_program(base, node.attr), None

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

    def _leads_on(self, value: Value) -> bool:
        """True for torch modules and classes: the use is the member that is read from them."""
        if not isinstance(value, TorchObject):
            return False
        entry = self.facts.get(value.name)
        return entry is None or entry.kind in {"module", "class"}

    # Calls ------------------------------------------------------------------------------------

    def _call(self, node: ast.Call) -> Value:
        callee, use = self._callee(node)
        if callee == _SUPER and not node.args:
            return self._super()
        if callee == _GETATTR and (found := self._getattr(node)) is not None:
            return found
        if callee == _PARTIAL and (found := self._partial(node)) is not None:
            return found
        values, keywords = self._arguments(node.args, node.keywords)
        if use is not None:
            use.values, use.keywords = values, keywords
            self._keep(use)
        return self._result(callee, values, keywords, use, node)

    def _callee(self, node: ast.Call) -> tuple[Value, Use | None]:
        """What is called, and the use of torch that the call is."""
        function = node.func
        if isinstance(function, ast.Name):
            callee = self.resolve(function)
        elif isinstance(function, ast.Attribute):
            callee, read = self._member(function)
            if read is not None and not _indirect(callee):
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
        else:
            callee = self.eval(function)
        if not isinstance(callee, TorchObject):
            return callee, None
        kind = UseKind.CALL
        if callee.indirect or not isinstance(function, ast.Name):
            kind = UseKind.INDIRECT
        return callee, self._use(callee.name, kind, node, callee.certainty)

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
        return Partial(TorchObject(function.name, function.certainty, indirect=True))

    def _super_init(self, node: ast.Call, function: ast.Attribute) -> Use | None:
        """`super().__init__(...)` of a class derived from a torch class takes its arguments."""
        if not isinstance(function.value, ast.Call) or not (node.args or node.keywords):
            return None
        if self.resolve_callee(function.value.func) != _SUPER:
            return None
        base = self._super()
        if not isinstance(base, Instance):
            return None
        return self._use(base.cls, UseKind.SUPER, node, base.certainty)

    def resolve_callee(self, node: ast.expr) -> Value:
        """What a callee that is a plain name is bound to."""
        return self.resolve(node) if isinstance(node, ast.Name) else UNKNOWN

    def _arguments(
        self, arguments: list[ast.expr], named: list[ast.keyword]
    ) -> tuple[list[Value], dict[str, Value]]:
        values: list[Value] = []
        for argument in arguments:
            if isinstance(argument, ast.Starred):
                self.eval(argument.value)
                values.append(UNKNOWN)
            else:
                values.append(self.eval(argument))
        return values, {keyword.arg or "**": self.eval(keyword.value) for keyword in named}

    def _getattr(self, node: ast.Call) -> Value | None:
        """`getattr(torch, "relu")` with a constant name reads that member."""
        if len(node.args) < 2 or not isinstance(node.args[1], ast.Constant):
            return None
        name = node.args[1].value
        holder = node.args[0]
        base = self.resolve(holder) if isinstance(holder, ast.Name) else UNKNOWN
        if isinstance(holder, ast.Attribute):
            base, _ = self._member(holder)
        if not isinstance(name, str) or not isinstance(base, TorchObject):
            return None
        full = self.facts.canonical(f"{base.name}.{name}")
        self._note(full, UseKind.READ, node, base.certainty)
        return TorchObject(full, base.certainty, indirect=True)

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

    def _result(
        self,
        callee: Value,
        values: list[Value],
        keywords: dict[str, Value],
        use: Use | None,
        node: ast.Call,
    ) -> Value:
        if isinstance(callee, TorchObject):
            return self.members.call(callee, values, keywords)
        if isinstance(callee, UserFunction):
            return self.call_function(callee, values, keywords)
        if isinstance(callee, UserClass):
            return self.new_object(callee, values, keywords)
        if isinstance(callee, Partial):
            return self._result(callee.func, values, keywords, None, node)
        if isinstance(callee, Foreign):
            name = callee.name
            if name.startswith("builtins."):
                elements = [self.iterate(value) for value in values]
                return python.call_builtin(name[9:], values, elements)
            return python.call_foreign(callee, values)
        if isinstance(callee, UserObject):
            forward = self.members.of_program(callee, "forward")
            if not isinstance(forward, UserFunction):
                forward = self.members.of_program(callee, "__call__")
            if isinstance(forward, UserFunction):
                return self.call_function(forward, values, keywords)
            base = callee.cls.torch_base()
            return self.members.call_instance(Instance(base)) if base else UNKNOWN
        if use is not None:
            return self.members.call_member(use, values, keywords)
        if isinstance(callee, Instance):
            return self.members.call_instance(callee)
        if isinstance(callee, ForeignInstance):
            return callee
        if isinstance(callee, Method):
            changed = python.after(callee, values)
            if changed is not None and isinstance(node.func, ast.Attribute):
                self.assign(node.func.value, changed)
            return python.call_method(callee)
        return UNKNOWN

    # Operators, displays and the rest ---------------------------------------------------------

    def _binop(self, node: ast.BinOp) -> Value:
        left, right = self.eval(node.left), self.eval(node.right)
        return self.members.binary(left, right)

    def _unaryop(self, node: ast.UnaryOp) -> Value:
        operand = self.eval(node.operand)
        return Plain("bool") if isinstance(node.op, ast.Not) else operand

    def _boolop(self, node: ast.BoolOp) -> Value:
        value = self.eval(node.values[0])
        for other in node.values[1:]:
            value = join(value, self.eval(other))
        return value

    def _compare(self, node: ast.Compare) -> Value:
        values = [self.eval(node.left), *(self.eval(other) for other in node.comparators)]
        identity = (ast.Is, ast.IsNot, ast.In, ast.NotIn)
        if any(isinstance(op, identity) for op in node.ops):
            return Plain("bool")
        tensors = [value for value in values if isinstance(value, Tensor)]
        if tensors:
            return Tensor(tensors[0].certainty, "bool")
        return UNKNOWN if UNKNOWN in values else Plain("bool")

    def _ifexp(self, node: ast.IfExp) -> Value:
        self.eval(node.test)
        return join(self.eval(node.body), self.eval(node.orelse))

    def _constant(self, node: ast.Constant) -> Value:
        return Plain(type(node.value).__name__)

    def _display(self, node: ast.List | ast.Tuple | ast.Set) -> Value:
        kind = type(node).__name__.lower()
        if any(isinstance(item, ast.Starred) for item in node.elts):
            inner = [
                self.iterate(self.eval(item.value))
                if isinstance(item, ast.Starred)
                else self.eval(item)
                for item in node.elts
            ]
            return Items(kind, items_of(kind, inner).item)
        return items_of(kind, [self.eval(item) for item in node.elts])

    def _dict(self, node: ast.Dict) -> Value:
        for key in node.keys:
            self.eval(key)
        values = [self.eval(value) for value in node.values]
        return Table(items_of("list", values).item)

    def _subscript(self, node: ast.Subscript) -> Value:
        base = self.eval(node.value)
        index = node.slice
        at = self.eval(index)
        if isinstance(base, Items):
            if isinstance(index, ast.Slice):
                return Items(base.kind, base.item)
            position = _constant_index(index)
            if base.items is not None and position is not None:
                try:
                    return base.items[position]
                except IndexError:
                    return UNKNOWN
            return base.item
        if isinstance(base, Table):
            return base.item
        if isinstance(base, Tensor):
            return Tensor(base.certainty, base.dtype)
        if isinstance(base, Instance):
            return self.members.item(base, at)
        if isinstance(base, Plain) and base.kind in {"str", "bytes"}:
            return base
        if isinstance(base, ForeignInstance):
            return base
        return UNKNOWN

    def iterate(self, value: Value) -> Value:
        """What iterating over a value gives."""
        if isinstance(value, Tensor):
            return Tensor(value.certainty, value.dtype)
        if isinstance(value, Instance):
            return self.members.iterate(value)
        if isinstance(value, OneOf):
            options = [self.iterate(option) for option in value.options]
            return items_of("list", options).item
        return python.element(value)

    def _slice(self, node: ast.Slice) -> Value:
        for part in (node.lower, node.upper, node.step):
            self.eval(part)
        return Plain("slice")

    def _starred(self, node: ast.Starred) -> Value:
        return self.eval(node.value)

    def _joined(self, node: ast.JoinedStr) -> Value:
        for part in node.values:
            self.eval(part)
        return Plain("str")

    def _formatted(self, node: ast.FormattedValue) -> Value:
        self.eval(node.value)
        self.eval(node.format_spec)
        return Plain("str")

    def _walrus(self, node: ast.NamedExpr) -> Value:
        value = self.eval(node.value)
        self.scope.bind_outside_comprehension(node.target.id, value)
        return value

    def _lambda(self, node: ast.Lambda) -> Value:
        for default in (*node.args.defaults, *node.args.kw_defaults):
            self.eval(default)
        function = UserFunction(node, self.scope)
        self.call_function(function, [], {})
        return function

    def _await(self, node: ast.Await) -> Value:
        return self.eval(node.value)

    def _yield(self, node: ast.Yield | ast.YieldFrom) -> Value:
        self.yields()
        self.eval(node.value)
        return UNKNOWN

    def _comprehension(self, node: Any) -> Value:
        outer = self.scope
        self.scope = Scope("comprehension", outer)
        try:
            for generator in node.generators:
                item = self.iterate(self.eval(generator.iter))
                self.assign(generator.target, item)
                for condition in generator.ifs:
                    self.eval(condition)
            if isinstance(node, ast.DictComp):
                self.eval(node.key)
                return Table(self.eval(node.value))
            kind = {ast.ListComp: "list", ast.SetComp: "set"}.get(type(node), "generator")
            return Items(kind, self.eval(node.elt))
        finally:
            self.scope = outer

    def assign(self, target: ast.expr, value: Value) -> None:
        """Bind a target (name, attribute, item or pattern of them) to a value."""
        raise NotImplementedError

    # Notes ------------------------------------------------------------------------------------

    def _use(
        self,
        name: str,
        kind: UseKind,
        node: ast.expr,
        certainty: Certainty,
        receiver: ast.expr | None = None,
        value: Value = UNKNOWN,
    ) -> Use:
        return Use(name, kind, node, certainty, self.statement, receiver, value)

    def _keep(self, use: Use) -> None:
        self.uses[id(use.node)] = use

    def _note(self, name: str, kind: UseKind, node: ast.expr, certainty: Certainty) -> None:
        self._keep(self._use(name, kind, node, certainty))


def _indirect(value: Value) -> bool:
    return isinstance(value, TorchObject) and value.indirect


def _constant_index(node: ast.expr) -> int | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if (
        isinstance(node, ast.UnaryOp)
        and isinstance(node.op, ast.USub)
        and isinstance(node.operand, ast.Constant)
        and isinstance(node.operand.value, int)
    ):
        return -node.operand.value
    return None


_SUPER = Foreign("builtins.super")
_GETATTR = Foreign("builtins.getattr")
_PARTIAL = Foreign("functools.partial")
_DISPATCH: dict[type, Callable[[Any, Any], Value]] = {
    ast.Name: Expressions._name,
    ast.Attribute: Expressions._attribute,
    ast.Call: Expressions._call,
    ast.BinOp: Expressions._binop,
    ast.UnaryOp: Expressions._unaryop,
    ast.BoolOp: Expressions._boolop,
    ast.Compare: Expressions._compare,
    ast.IfExp: Expressions._ifexp,
    ast.Constant: Expressions._constant,
    ast.List: Expressions._display,
    ast.Tuple: Expressions._display,
    ast.Set: Expressions._display,
    ast.Dict: Expressions._dict,
    ast.Subscript: Expressions._subscript,
    ast.Slice: Expressions._slice,
    ast.Starred: Expressions._starred,
    ast.JoinedStr: Expressions._joined,
    ast.FormattedValue: Expressions._formatted,
    ast.NamedExpr: Expressions._walrus,
    ast.Lambda: Expressions._lambda,
    ast.Await: Expressions._await,
    ast.YieldFrom: Expressions._yield,
    ast.Yield: Expressions._yield,
    ast.ListComp: Expressions._comprehension,
    ast.SetComp: Expressions._comprehension,
    ast.DictComp: Expressions._comprehension,
    ast.GeneratorExp: Expressions._comprehension,
}
