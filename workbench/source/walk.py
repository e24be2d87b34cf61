"""The one pass over a program: statements in order, branches joined, functions when called for.

A function's body is walked once, when its result is first asked for or else at the end, in the
scope that defines it. Functions whose parameters say nothing by themselves are walked again at
the end with what the program's own calls pass to them.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any

from workbench.findings import Certainty
from workbench.source import evidence
from workbench.source.annotations import Annotations
from workbench.source.members import Members
from workbench.source.narrowing import narrow
from workbench.source.scopes import Scope, merge
from workbench.source.uses import ForeignImport, TorchImport, UnknownMember, Use, UseKind
from workbench.source.values import (
    ASSUMED_TENSOR,
    UNKNOWN,
    Foreign,
    Items,
    Plain,
    Table,
    TorchObject,
    UserClass,
    UserFunction,
    UserObject,
    Value,
    join,
)
from workbench.upstream.facts import Facts

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_INITIALISERS = ("__init__", "__post_init__", "setup", "build", "_build", "reset_parameters")
# Packages built on torch: code that uses them is torch code, though no rule knows them.
TORCH_PACKAGES = frozenset(
    {"torchvision", "torchaudio", "torchtext", "torchdata", "torchmetrics", "timm", "transformers",
     "accelerate", "lightning", "pytorch_lightning", "kornia", "monai", "fastai", "ignite",
     "torch_geometric", "diffusers", "peft", "deepspeed", "apex", "botorch", "gpytorch", "captum",
     "fairseq", "detectron2", "mmcv", "mmdet", "skorch", "torchsummary", "torchinfo", "xformers",
     "flash_attn", "triton", "functorch", "torch_scatter", "torch_sparse", "einops.layers.torch"}
)  # fmt: skip


class Walk(Annotations):
    """Walks a module and collects its uses of torch."""

    def __init__(self, facts: Facts, live: dict[str, Value] | None = None) -> None:
        self.facts = facts
        self.members = Members(facts)
        self.scope = Scope("module")
        self.scope.names.update(live or {})
        self.uses: dict[int, Use] = {}
        self.unknown_members: dict[int, UnknownMember] = {}
        self.imports: list[TorchImport] = []
        self.foreign: list[ForeignImport] = []
        self._live = live or {}
        self._results: dict[int, Value] = {}
        self._active: set[int] = set()
        self._passed: dict[int, dict[str, Value]] = {}
        self._pending: list[UserFunction] = []
        self._functions: list[UserFunction] = []
        self._open_classes: dict[int, UserClass] = {}
        self._generators: set[int] = set()
        self._initialised: set[int] = set()
        self._frames: list[tuple[UserFunction, list[Value]]] = []

    def module(self, tree: ast.Module) -> None:
        """Walk a whole program."""
        self._hoist(tree.body)
        self._block(tree.body)
        self._finish()
        again = [function for function in self._functions if self._learned(function)]
        for function in again:
            self._results.pop(id(function.node), None)
        for function in again:
            self._walk_function(function)
        self._finish()

    # Functions and classes --------------------------------------------------------------------

    def _hoist(self, body: Iterable[ast.stmt]) -> None:
        """Bind what a module defines before walking it: functions see later definitions."""
        for statement in body:
            if isinstance(statement, ast.Import | ast.ImportFrom):
                self.statement = statement
                self._import(statement, note=False)
            elif isinstance(statement, _Function):
                self.scope.names.setdefault(statement.name, UserFunction(statement, self.scope))
            elif isinstance(statement, ast.If | ast.Try):
                self._hoist(statement.body)
                self._hoist(statement.orelse)

    def _finish(self) -> None:
        """Walk every function that no call has asked for."""
        while self._pending:
            function = self._pending.pop(0)
            self._functions.append(function)
            if id(function.node) not in self._results:
                self._walk_function(function)

    def _learned(self, function: UserFunction) -> bool:
        """True where calls pass something to a parameter of which nothing else is known."""
        passed = self._passed.get(id(function.node), {})
        return any(
            value is not UNKNOWN and self._own_evidence(function, name) is UNKNOWN
            for name, value in passed.items()
        )

    def _own_evidence(self, function: UserFunction, name: str) -> Value:
        for parameter, default, kind in evidence.parameters(function.node.args):
            if parameter.arg == name and not kind:
                return self._parameter(function, parameter, default, {}, None)
        return UNKNOWN

    def call_function(
        self, function: UserFunction, values: list[Value], keywords: dict[str, Value]
    ) -> Value:
        self._remember_call(function, values, keywords)
        if isinstance(function.node, ast.Lambda):
            return self._walk_function(function)
        if id(function.node) in self._active:
            return UNKNOWN
        if id(function.node) in self._results:
            return self._results[id(function.node)]
        return self._walk_function(function)

    def _remember_call(
        self, function: UserFunction, values: list[Value], keywords: dict[str, Value]
    ) -> None:
        passed = self._passed.setdefault(id(function.node), {})
        names = [parameter.arg for parameter, _, kind in evidence.parameters(function.node.args)
                 if not kind]  # fmt: skip
        if function.receiver is not None and names:
            names = names[1:]
        for name, value in [*zip(names, values, strict=False), *keywords.items()]:
            passed[name] = join(passed[name], value) if name in passed else value

    def new_object(self, cls: UserClass, values: list[Value], keywords: dict[str, Value]) -> Value:
        constructor = cls.find("__init__")
        if isinstance(constructor, UserFunction):
            bound = UserFunction(constructor.node, constructor.scope, cls, UserObject(cls))
            self._remember_call(bound, values, keywords)
        self._initialise(cls)
        return UserObject(cls)

    def _initialise(self, cls: UserClass) -> None:
        """Walk what sets the attributes of a class, base classes first."""
        if id(cls.node) in self._initialised:
            return
        self._initialised.add(id(cls.node))
        for base in cls.bases:
            if isinstance(base, UserClass):
                self._initialise(base)
        for name in _INITIALISERS:
            method = cls.members.get(name)
            if isinstance(method, UserFunction) and id(method.node) not in self._results:
                self._walk_function(method)

    def _walk_function(self, function: UserFunction) -> Value:
        node = function.node
        if id(node) in self._active or len(self._active) > 40:
            return UNKNOWN
        outer_scope, outer_statement = self.scope, self.statement
        returns: list[Value] = []
        self._active.add(id(node))
        self._frames.append((function, returns))
        self.scope = Scope("function", function.scope)
        try:
            self._bind_parameters(function)
            if isinstance(node, ast.Lambda):
                returns.append(self.eval(node.body))
            else:
                self.statement = node
                self._block(node.body)
        finally:
            self._frames.pop()
            self._active.discard(id(node))
            self.scope, self.statement = outer_scope, outer_statement
        result = returns[0] if returns else Plain("NoneType")
        for value in returns[1:]:
            result = join(result, value)
        if isinstance(node, _Function):
            annotated = self.annotated(node.returns, function.scope)
            if annotated is not UNKNOWN and result is UNKNOWN:
                result = annotated
            if id(node) in self._generators:
                result = Items("generator", UNKNOWN)
            elif isinstance(node, ast.AsyncFunctionDef):
                result = UNKNOWN
        self._results[id(node)] = result
        return result

    def _bind_parameters(self, function: UserFunction) -> None:
        passed = self._passed.get(id(function.node), {})
        body = evidence.BodyEvidence(function.node, self.facts)
        receiver = self._receiver(function)
        for index, (parameter, default, kind) in enumerate(evidence.parameters(function.node.args)):
            if index == 0 and receiver is not None:
                value = receiver
            elif kind == "**":
                value = Table(UNKNOWN)
            elif kind == "*":
                forward = self._is_forward(function)
                value = Items("tuple", ASSUMED_TENSOR if forward else UNKNOWN)
            else:
                value = self._parameter(function, parameter, default, passed, body)
            self.scope.names[parameter.arg] = value

    def _receiver(self, function: UserFunction) -> Value | None:
        if function.owner is None or isinstance(function.node, ast.Lambda):
            return None
        decorators = {ast.unparse(decorator) for decorator in function.node.decorator_list}
        if "staticmethod" in decorators:
            return None
        self._initialise(function.owner)
        return function.owner if "classmethod" in decorators else UserObject(function.owner)

    def _parameter(
        self,
        function: UserFunction,
        parameter: ast.arg,
        default: ast.expr | None,
        passed: dict[str, Value],
        body: evidence.BodyEvidence | None,
    ) -> Value:
        value = self.annotated(parameter.annotation, function.scope)
        if value is not UNKNOWN:
            return value
        called = passed.get(parameter.arg, UNKNOWN)
        if isinstance(called, TorchObject):
            called = TorchObject(called.name, Certainty.ASSUMED, indirect=True)
        if called is not UNKNOWN and called != Plain("NoneType"):
            return called
        if body is not None and (used := body.of(parameter.arg)) is not UNKNOWN:
            return used
        if default is not None:
            outer, self.scope = self.scope, function.scope
            named = self._quiet(default)
            self.scope = outer
            if isinstance(named, TorchObject):
                return TorchObject(named.name, Certainty.ASSUMED, indirect=True)
            if isinstance(named, UserClass | UserFunction | Plain) and named != Plain("NoneType"):
                return named
        if self._is_forward(function):
            return ASSUMED_TENSOR
        return evidence.by_convention(parameter.arg)

    def _quiet(self, node: ast.expr) -> Value:
        """The value of a default, whose uses are noted where it stands, not here."""
        kept, self.uses = self.uses, {}
        unknown, self.unknown_members = self.unknown_members, {}
        try:
            return self.eval(node)
        finally:
            self.uses, self.unknown_members = kept, unknown

    def _is_forward(self, function: UserFunction) -> bool:
        owner, node = function.owner, function.node
        if owner is None or isinstance(node, ast.Lambda) or not node.name.startswith("forward"):
            return False
        base = owner.torch_base()
        return base is not None and (
            self.facts.member(base, "parameters") == "torch.nn.Module.parameters"
        )

    def yields(self) -> None:
        if self._frames:
            self._generators.add(id(self._frames[-1][0].node))

    def enclosing_class(self) -> tuple[UserClass, Value] | None:
        for function, _ in reversed(self._frames):
            if function.owner is not None:
                return function.owner, UserObject(function.owner)
        return None

    # Statements -------------------------------------------------------------------------------

    def _block(self, body: Iterable[ast.stmt]) -> None:
        for statement in body:
            self.statement = statement
            handler = _STATEMENTS.get(type(statement))
            if handler:
                handler(self, statement)

    def _branch(self, body: Iterable[ast.stmt], names: dict[str, Value]) -> dict[str, Value]:
        """The names after a branch that starts with `names`."""
        self.scope.names = dict(names)
        self._block(body)
        return self.scope.names

    def _expression(self, node: ast.Expr) -> None:
        self.eval(node.value)

    def _assign(self, node: ast.Assign) -> None:
        value = self.eval(node.value)
        for target in node.targets:
            self.assign(target, value)

    def _annotated_assign(self, node: ast.AnnAssign) -> None:
        declared = self.annotation(node.annotation)
        value = self.eval(node.value) if node.value else UNKNOWN
        self.assign(node.target, declared if value is UNKNOWN else value)

    def _augmented(self, node: ast.AugAssign) -> None:
        target = node.target
        old = self.resolve(target) if isinstance(target, ast.Name) else self.eval(target)
        value = self.members.binary(old, self.eval(node.value))
        if isinstance(target, ast.Name):
            self.scope.bind(target.id, value)

    def assign(self, target: ast.expr, value: Value) -> None:
        if isinstance(value, TorchObject):
            value = TorchObject(value.name, value.certainty, indirect=True)
        if isinstance(target, ast.Name):
            self.scope.bind(target.id, value)
        elif isinstance(target, ast.Tuple | ast.List):
            self._unpack(target, value)
        elif isinstance(target, ast.Starred):
            self.assign(target.value, Items("list", self.iterate(value)))
        elif isinstance(target, ast.Attribute):
            self._store(target, value)
        elif isinstance(target, ast.Subscript):
            self.eval(target.slice)
            base = self.eval(target.value)
            if isinstance(base, Table) and isinstance(target.value, ast.Name):
                self.scope.bind(target.value.id, Table(value if base.item is UNKNOWN
                                                       else join(base.item, value)))  # fmt: skip

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
            attributes = base.cls.attributes
            known = attributes.get(target.attr)
            attributes[target.attr] = value if known is None else join(known, value)
            if base.cls.torch_base() is None or not self._is_data_member(base, target.attr):
                return
        owner, certainty = self.members.owner(base, target.attr)
        member = self.facts.member(owner, target.attr) if owner else None
        if member is not None and self._is_data_member(base, target.attr):
            use = self._use(member, UseKind.STORE, target, certainty, target.value, base)
            use.owner = owner
            self._keep(use)

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
        if self._frames:
            self._frames[-1][1].append(value)

    def _if(self, node: ast.If) -> None:
        self.eval(node.test)
        before = self.scope.names
        then_names, else_names = narrow(node.test, before, self._quiet)
        after = self._branch(node.body, then_names)
        otherwise = self._branch(node.orelse, else_names)
        if _leaves(node.body):
            self.scope.names = otherwise
        elif node.orelse and _leaves(node.orelse):
            self.scope.names = after
        else:
            self.scope.names = merge(after, otherwise)

    def _loop(self, body: list[ast.stmt], orelse: list[ast.stmt], head: Callable[[], None]) -> None:
        """Walk a loop; a second time where its body changes what its start has seen."""
        before = dict(self.scope.names)
        head()
        self._block(body)
        merged = merge(self.scope.names, before)
        if any(merged.get(name) != value for name, value in before.items()):
            self.scope.names = dict(merged)
            head()
            self._block(body)
            merged = merge(self.scope.names, merged)
        self.scope.names = dict(merged)
        self._block(orelse)

    def _for(self, node: ast.For | ast.AsyncFor) -> None:
        def head() -> None:
            self.statement = node
            self.assign(node.target, self.iterate(self.eval(node.iter)))

        self._loop(node.body, node.orelse, head)

    def _while(self, node: ast.While) -> None:
        def head() -> None:
            self.statement = node
            self.eval(node.test)

        self._loop(node.body, node.orelse, head)

    def _with(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            value = self.eval(item.context_expr)
            if item.optional_vars is not None:
                self.assign(item.optional_vars, value)
        self._block(node.body)

    def _try(self, node: ast.Try) -> None:
        before = dict(self.scope.names)
        self._block(node.body)
        after = self.scope.names
        merged = merge(after, before)
        for handler in node.handlers:
            self.statement = node
            self.eval(handler.type)
            merged = merge(self._branch(handler.body, merge(after, before)), merged)
        self.scope.names = dict(after)
        self._block(node.orelse)
        self.scope.names = merge(self.scope.names, merged) if node.handlers else self.scope.names
        self._block(node.finalbody)

    def _match(self, node: ast.Match) -> None:
        self.eval(node.subject)
        before = dict(self.scope.names)
        merged = before
        for case in node.cases:
            self.scope.names = dict(before)
            for part in ast.walk(case.pattern):
                if isinstance(part, ast.MatchValue | ast.MatchClass):
                    self.eval(part.value if isinstance(part, ast.MatchValue) else part.cls)
                elif isinstance(part, ast.MatchAs | ast.MatchStar) and part.name:
                    self.scope.bind(part.name, UNKNOWN)
            self.eval(case.guard)
            self._block(case.body)
            merged = merge(self.scope.names, merged)
        self.scope.names = merged

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
        for parameter, default, _ in evidence.parameters(node.args):
            self.annotation(parameter.annotation)
            self.eval(default)
        self.annotation(node.returns)
        self.scope.bind(node.name, function)
        if owner is not None:
            owner.members[node.name] = function
        self._pending.append(function)

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
        self._open_classes[id(self.scope)] = cls
        try:
            self._block(node.body)
            for name, value in self.scope.names.items():
                cls.members.setdefault(name, value)
        finally:
            del self._open_classes[id(self.scope)]
            self.scope = outer

    # Imports ----------------------------------------------------------------------------------

    def _import(self, node: ast.Import | ast.ImportFrom, note: bool = True) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                root = alias.name.partition(".")[0]
                bound = alias.asname or root
                name = alias.name if alias.asname else root
                self._bind_import(node, alias, bound, name, alias.name, note)
            return
        if node.level:
            for alias in node.names:
                self.scope.bind(alias.asname or alias.name, self._live.get(alias.name, UNKNOWN))
            return
        module = node.module or ""
        for alias in node.names:
            if alias.name == "*":
                self._star(node, alias, module, note)
            else:
                full = f"{module}.{alias.name}"
                self._bind_import(node, alias, alias.asname or alias.name, full, full, note)

    def _bind_import(
        self,
        node: ast.Import | ast.ImportFrom,
        alias: ast.alias,
        bound: str,
        name: str,
        imported: str,
        note: bool,
    ) -> None:
        if name == "torch" or name.startswith("torch."):
            name = self.facts.canonical(name)
            self.scope.bind(bound, TorchObject(name))
            if note:
                self.imports.append(TorchImport(node, alias, bound, name))
            return
        self.scope.bind(bound, Foreign(name))
        self._note_foreign(node, imported, note)

    def _star(self, node: ast.ImportFrom, alias: ast.alias, module: str, note: bool) -> None:
        if module != "torch" and not module.startswith("torch."):
            self._note_foreign(node, module, note)
            return
        prefix = f"{self.facts.canonical(module)}."
        for name in self.facts.names:
            if name.startswith(prefix) and "." not in name[len(prefix) :]:
                self.scope.bind(name[len(prefix) :], TorchObject(name))
        if note:
            self.imports.append(TorchImport(node, alias, "*", prefix[:-1]))

    def _note_foreign(self, node: ast.Import | ast.ImportFrom, imported: str, note: bool) -> None:
        parts = imported.split(".")
        names = {".".join(parts[:count]) for count in range(1, len(parts) + 1)} & TORCH_PACKAGES
        if note and names and not (self.foreign and self.foreign[-1].statement is node):
            self.foreign.append(ForeignImport(node, max(names, key=len)))


def _leaves(body: list[ast.stmt]) -> bool:
    """True where a block never runs on to what follows it."""
    return bool(body) and isinstance(body[-1], ast.Return | ast.Raise | ast.Continue | ast.Break)


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
    ast.Import: Walk._import,
    ast.ImportFrom: Walk._import,
}
