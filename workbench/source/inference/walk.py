"""The one pass over a program: statements in order, branches joined, functions when called for.

A function's body is walked once, when its result is first asked for or else at the end, in the
scope that defines it. Functions whose parameters say nothing by themselves are walked again at
the end with what the program's own calls pass to them.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from workbench.findings import Certainty
from workbench.source.inference import evidence, tensor_states
from workbench.source.inference.control_flow import Branches
from workbench.source.inference.functions import Function
from workbench.source.inference.modules import Neighbours, Summary, handing_on, summary
from workbench.source.inference.torch_types import Members
from workbench.source.tree import inside
from workbench.source.types.lattice import (
    UNKNOWN,
    Instance,
    Items,
    OneOf,
    Plain,
    Table,
    Tensor,
    TorchObject,
    UserClass,
    UserFunction,
    UserObject,
    Value,
    join,
)
from workbench.source.types.narrowing import narrow
from workbench.source.types.ownership import changed_by, held_elsewhere, maker
from workbench.source.types.scopes import Scope
from workbench.source.types.views import spread, spreads
from workbench.source.uses import (
    ForeignImport,
    TorchImport,
    UnknownChange,
    UnknownMember,
    Use,
    UseKind,
)
from workbench.upstream.facts import Facts


class Walk(Branches):
    """Walks a module and collects its uses of torch."""

    def __init__(
        self,
        facts: Facts,
        live: dict[str, Value] | None = None,
        neighbours: Neighbours | None = None,
    ) -> None:
        super().__init__()
        self.facts = facts
        self.members = Members(facts)
        self.scope = Scope("module")
        self.scope.names.update(live or {})
        self.live = live or {}
        self.uses: dict[int, Use] = {}
        self.unknown_members: dict[int, UnknownMember] = {}
        self.unknown_changes: dict[int, UnknownChange] = {}
        self._kept: dict[int, tuple[UserClass, ast.Attribute]] = {}
        self.imports: list[TorchImport] = []
        self.foreign: list[ForeignImport] = []
        self.quoted = {}
        self.neighbours = neighbours
        self.borrowed = {}
        self.touched = False
        self.stars = []
        self.handing_on = set()
        self._open_classes: dict[int, UserClass] = {}
        self._scopes: list[Scope] = [self.scope]
        self._classes: list[UserClass] = []
        self._program = ast.Module([], [])

    def module(self, tree: ast.Module, live_from: int = 0) -> None:
        """Walk a whole program, whose first `live_from` lines gave the live objects."""
        self._program = tree
        if self.neighbours is not None:
            self.handing_on = handing_on(tree)
        self._hoist(tree.body)
        if live_from:
            self.block(one for one in tree.body if one.lineno <= live_from)
            self._revive()
        self.block(one for one in tree.body if one.lineno > live_from)
        self.walk_functions()

    def _revive(self) -> None:
        """Live types take the place of what the lines that made the objects tell."""
        names = self.scope.names
        for name, value in self.live.items():
            told = names.get(name, UNKNOWN)
            if value is UNKNOWN or isinstance(told, _TELLING):
                continue
            if isinstance(value, Tensor) and isinstance(told, Tensor):
                value = Tensor(value.certainty, told.dtype)
            if not (isinstance(value, Items | Table) and type(told) is type(value)):
                names[name] = value

    def summary(self, tree: ast.Module) -> Summary:
        """What other files of the program see of this module."""
        return summary(tree, self.scope.names, self._results, self.stars)

    def release(self) -> None:
        """Undo the circles of scopes, classes and methods, so that their memory goes with them.

        Of the program's classes their bases stay known, which tell torch's among them.
        """
        for scope in self._scopes:
            scope.names.clear()
            scope.parent = None
        for cls in self._classes:
            cls.members.clear()
            cls.attributes.clear()
        for function in self._walked:
            function.owner = None
            function.receiver = None

    def _hoist(self, body: Iterable[ast.stmt]) -> None:
        """Bind what a module defines before walking it: functions see later definitions."""
        for statement in body:
            if isinstance(statement, ast.Import | ast.ImportFrom):
                self.statement = statement
                self.import_names(statement, note=False)
            elif isinstance(statement, Function):
                self.scope.names.setdefault(statement.name, UserFunction(statement, self.scope))
            elif isinstance(statement, ast.If | ast.Try):
                self._hoist(statement.body)
                self._hoist(statement.orelse)

    def block(self, body: Iterable[ast.stmt]) -> None:
        for statement in body:
            self.statement = statement
            handler = _STATEMENTS.get(type(statement))
            if handler:
                handler(self, statement)

    def _asking(self, node: ast.stmt) -> None:
        """Note that a variable asks for gradients from this statement on."""
        told = tensor_states.asking(node)
        value = self.scope.lookup(told[0]) if told is not None else UNKNOWN
        if told is not None and isinstance(value, Tensor):
            self.scope.bind(told[0], replace(value, grad=told[1]))

    def _expression(self, node: ast.Expr) -> None:
        self.eval(node.value)
        changed, use = changed_by(node), self.uses.get(id(node.value))
        if changed is not None and use is not None:
            use.maker = self._maker(node, changed.id)
        self._asking(node)
        name = tensor_states.retaining(node.value)
        value = self.scope.lookup(name) if name is not None else UNKNOWN
        if name is not None and isinstance(value, Tensor) and not value.grad:
            self.scope.bind(name, replace(value, states=value.states | {tensor_states.RETAINING}))

    def _maker(self, statement: ast.stmt, name: str) -> str | None:
        """What made the tensor that a statement changes, where this variable alone holds it."""
        return maker(self._around().body, statement, name, self.uses)

    def _around(self) -> ast.FunctionDef | ast.AsyncFunctionDef | ast.Module:
        """The function that is being walked, or the program."""
        return self.function_walked() or self._program

    def _assign(self, node: ast.Assign) -> None:
        value = self.eval(node.value)
        if self.inferring and isinstance(node.value, ast.BinOp | ast.UnaryOp):
            value = tensor_states.inferred(value, node.value)
        if spreads(node.value, self.scope):
            value = spread(value)
        for target in node.targets:
            self.assign(target, value)
        self._asking(node)

    def _annotated_assign(self, node: ast.AnnAssign) -> None:
        declared = self.annotation(node.annotation)
        name = getattr(node.annotation, "attr", getattr(node.annotation, "id", ""))
        if name == "TypeAlias" and isinstance(node.value, ast.Constant):
            self.annotation(node.value)
        value = self.eval(node.value) if node.value else UNKNOWN
        self.assign(node.target, declared if value is UNKNOWN else value)

    def _augmented(self, node: ast.AugAssign) -> None:
        target = node.target
        old = self.resolve(target) if isinstance(target, ast.Name) else self.eval(target)
        placed = isinstance(target, ast.Subscript)
        if isinstance(target, ast.Subscript):
            holder = self.eval(target.value)
            self.note_placing(target, holder, self.eval(target.slice), old)
            # What a list or a mapping holds changes itself, like what a name stands for.
            placed = not isinstance(holder, Items | Table) or any(
                isinstance(part, ast.Call) for part in inside(target)
            )
        right = self.eval(node.value)
        value = self.members.binary(old, right, isinstance(node.op, ast.Div))
        if isinstance(old, Tensor):
            value = old  # it changes in place, and keeps its dtype
        if isinstance(target, ast.Name):
            self.scope.bind(target.id, value)
        method = _IN_PLACE.get(type(node.op))
        if method and isinstance(old, Tensor) and not placed:
            use = self._use(
                f"torch.Tensor.{method}", UseKind.AUGMENTED, node, old.certainty, target, old
            )
            use.owner, use.values = "torch.Tensor", [right]
            if isinstance(target, ast.Name):
                use.maker = self._maker(node, target.id)
            self._keep(use)
        elif method == "__iadd__" and isinstance(old, Instance) and old.cls == _GROWS:
            use = self._use(
                f"{_GROWS}.{method}", UseKind.AUGMENTED, node, old.certainty, target, old
            )
            use.owner, use.values = _GROWS, [right]
            self._keep(use)
            self.assign(target, old)
        self.unknown_changes.pop(id(node), None)  # an earlier walk may have known less
        text = isinstance(right, Plain) and right.kind == "str"
        if method and old is UNKNOWN and isinstance(target, ast.Name) and not text:
            held = held_elsewhere(self._around(), node, target.id)
            if held is not None:
                self.unknown_changes[id(node)] = UnknownChange(node, held)

    def assign(self, target: ast.expr, value: Value) -> None:
        if isinstance(value, TorchObject):
            value = replace(value, indirect=True)
        if isinstance(target, ast.Name):
            self.scope.bind(target.id, self.evident(target.id, value))
        elif isinstance(target, ast.Tuple | ast.List):
            self._unpack(target, value)
        elif isinstance(target, ast.Starred):
            self.assign(target.value, Items("list", self.iterate(value)))
        elif isinstance(target, ast.Attribute):
            self._store(target, value)
        elif isinstance(target, ast.Subscript):
            at = self.eval(target.slice)
            base = self.eval(target.value)
            self.note_index(target, base, at)
            self.note_placing(target, base, at, value)
            self.note_layers(target, base, at)
            if isinstance(base, Table) and isinstance(target.value, ast.Name):
                self.scope.bind(
                    target.value.id,
                    Table(value if base.item is UNKNOWN else join(base.item, value)),
                )

    def _unpack(self, target: ast.Tuple | ast.List, value: Value) -> None:
        starred = any(isinstance(item, ast.Starred) for item in target.elts)
        items = value.items if isinstance(value, Items) else None
        if items is not None and not starred and len(items) == len(target.elts):
            for item, part in zip(target.elts, items, strict=True):
                self.assign(item, part)
            return
        part = self.iterate(value)
        for item in target.elts:
            self.assign(item, value if isinstance(item, ast.Starred) else part)

    def _store(self, target: ast.Attribute, value: Value) -> None:
        base = self.eval(target.value)
        if isinstance(base, UserObject):
            base.cls.note(target.attr, value)
            if isinstance(value, Tensor) and self._is_made():
                self._kept[id(target)] = base.cls, target
            if base.cls.torch_base() is None or not self._is_data_member(base, target.attr):
                return
        owner, certainty = self.members.owner(base, target.attr)
        member = self.facts.member(owner, target.attr) if owner else None
        if member is not None and self._is_data_member(base, target.attr):
            use = self._use(member, UseKind.STORE, target, certainty, target.value, base)
            use.owner = owner
            self._keep(use)

    def _is_made(self) -> bool:
        """Whether an assignment makes a tensor that is no parameter, as far as it shows."""
        value = self.statement.value if isinstance(self.statement, ast.Assign) else None
        called = value.func if isinstance(value, ast.Call) else None
        name = getattr(called, "attr", getattr(called, "id", ""))
        return isinstance(value, ast.Call | ast.BinOp) and not name.endswith("Parameter")

    def apart(self) -> list[ast.Attribute]:
        """Where tensors of modules are assigned that a target may hide, or keep as nothing else.

        They go by the name of a constant of the class, or a number has the name by turns.
        Parameters are no such tensors: torch, too, keeps them where the class hides them.
        """
        found = []
        for cls, target in self._kept.values():
            owner, value = cls.torch_base(), cls.attribute(target.attr)
            if self.facts.member(owner or "", "parameters") != "torch.nn.Module.parameters":
                continue
            options = value.options if isinstance(value, OneOf) else ()
            changes = any(isinstance(one, Plain | Items) for one in options)
            if changes or isinstance(cls.find(target.attr), Plain):
                found.append(target)
        return found

    def _is_data_member(self, base: Value, attribute: str) -> bool:
        owner = base.cls.torch_base() if isinstance(base, UserObject) else None
        if owner is None:
            owner, _ = self.members.owner(base, attribute)
        member = self.facts.member(owner, attribute) if owner else None
        entry = self.facts.get(member) if member else None
        return entry is not None and entry.kind in {"property", "attribute"}

    def _delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name):
                self.scope.names.pop(target.id, None)
            else:
                self.eval(target)

    def _return(self, node: ast.Return) -> None:
        value = self.eval(node.value) if node.value else Plain("NoneType")
        self.returned(value)

    def _assert(self, node: ast.Assert) -> None:
        self.eval(node.test)
        self.eval(node.msg)
        self.scope.names, _ = narrow(node.test, self.scope.names, self._quiet)

    def _raise(self, node: ast.Raise) -> None:
        self.eval(node.exc)
        self.eval(node.cause)

    def _global(self, node: ast.Global) -> None:
        self.scope.globals.update(node.names)

    def _nonlocal(self, node: ast.Nonlocal) -> None:
        self.scope.nonlocals.update(node.names)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        owner = self._class_of_scope()
        function = UserFunction(node, self.scope, owner)
        for decorator in node.decorator_list:
            self.eval(decorator)
            if tensor_states.enters_inference(self.uses.get(id(decorator))):
                self._for_inference.add(id(node))
        for parameter, default, _ in evidence.parameters(node.args):
            self.annotation(parameter.annotation)
            self.eval(default)
        self.annotation(node.returns)
        self._scopes.append(self.scope)
        self.scope.bind(node.name, function)
        if owner is not None:
            owner.members[node.name] = function
        self.pending.append(function)

    def _note_overrides(self, cls: UserClass) -> None:
        """Note methods that torch calls by themselves, and another framework may not."""
        base = cls.torch_base()
        for method in cls.node.body if base is not None else ():
            if not isinstance(method, ast.FunctionDef) or method.name not in _CALLED_BY_TORCH:
                continue
            name = self.facts.member(base or "", method.name)
            if name is None:
                continue
            at = method.col_offset + len("def ")
            node = ast.Name(
                method.name,
                ast.Load(),
                lineno=method.lineno,
                col_offset=at,
                end_lineno=method.lineno,
                end_col_offset=at + len(method.name),
            )
            self.statement = method
            self._note(name, UseKind.OVERRIDE, node, Certainty.PROVED)

    def _class_of_scope(self) -> UserClass | None:
        return self._open_classes.get(id(self.scope))

    def _class(self, node: ast.ClassDef) -> None:
        for decorator in node.decorator_list:
            self.eval(decorator)
        bases: list[Value] = []
        for base in node.bases:
            value = self.eval(base)
            if isinstance(value, TorchObject) and (use := self.uses.get(id(base))):
                use.kind = UseKind.BASE
            bases.append(value)
        for keyword in node.keywords:
            self.eval(keyword.value)
        cls = UserClass(node, self.scope, tuple(bases))
        self.scope.bind(node.name, cls)
        outer = self.scope
        self.scope = Scope("class", outer)
        self._scopes += [outer, self.scope]
        self._classes.append(cls)
        self._open_classes[id(self.scope)] = cls
        try:
            self.block(node.body)
            for name, value in self.scope.names.items():
                cls.members.setdefault(name, value)
            self._note_overrides(cls)
        finally:
            del self._open_classes[id(self.scope)]
            self.scope = outer


# What a program tells of its own classes and functions is more than the name of a type.
_TELLING = (UserClass, UserFunction, UserObject, TorchObject)

# Methods that nothing in a program calls: torch does, while it saves, loads and dispatches.
_CALLED_BY_TORCH = frozenset(
    {
        "get_extra_state",
        "set_extra_state",
        "_load_from_state_dict",
        "_save_to_state_dict",
        "__torch_function__",
    }
)

# The container of layers whose `+=` a target may lack.
_GROWS = "torch.nn.Sequential"
# What an augmented assignment does to a tensor; to an item of one it assigns, as everywhere.
_IN_PLACE: dict[type[ast.operator], str] = {
    ast.Add: "__iadd__",
    ast.Sub: "__isub__",
    ast.Mult: "__imul__",
    ast.Div: "__itruediv__",
    ast.FloorDiv: "__ifloordiv__",
    ast.Mod: "__imod__",
    ast.Pow: "__ipow__",
    ast.BitAnd: "__iand__",
    ast.BitOr: "__ior__",
    ast.BitXor: "__ixor__",
    ast.LShift: "__ilshift__",
    ast.RShift: "__irshift__",
}


_STATEMENTS: dict[type, Callable[[Any, Any], None]] = {
    ast.Expr: Walk._expression,
    ast.Assign: Walk._assign,
    ast.AnnAssign: Walk._annotated_assign,
    ast.AugAssign: Walk._augmented,
    ast.Delete: Walk._delete,
    ast.Return: Walk._return,
    ast.If: Walk._if,
    ast.For: Walk._for,
    ast.AsyncFor: Walk._for,
    ast.While: Walk._while,
    ast.With: Walk._with,
    ast.AsyncWith: Walk._with,
    ast.Try: Walk._try,
    ast.TryStar: Walk._try,
    ast.Match: Walk._match,
    ast.Assert: Walk._assert,
    ast.Raise: Walk._raise,
    ast.Global: Walk._global,
    ast.Nonlocal: Walk._nonlocal,
    ast.FunctionDef: Walk._function,
    ast.AsyncFunctionDef: Walk._function,
    ast.ClassDef: Walk._class,
    ast.Import: Walk.import_names,
    ast.ImportFrom: Walk.import_names,
}
