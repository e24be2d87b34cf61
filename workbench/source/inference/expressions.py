"""Evaluation of every kind of expression: operators, displays, comprehensions and the rest."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from workbench.source.inference.calls import Calls
from workbench.source.inference.operators import Operators
from workbench.source.inference.tensor_states import FOUND
from workbench.source.types import builtin_types
from workbench.source.types.lattice import (
    NONE,
    NUMBERED,
    RECORDED,
    UNKNOWN,
    UNSURE,
    ForeignInstance,
    Instance,
    Items,
    OneOf,
    Plain,
    Table,
    Tensor,
    UserFunction,
    UserObject,
    Value,
    items_of,
    join,
)
from workbench.source.types.scopes import Scope
from workbench.source.types.views import gathers, numbered, viewed


class Expressions(Calls, Operators):
    """The half of the walk that evaluates expressions; `walk.Walk` adds the statements."""

    def eval(self, node: ast.expr | None) -> Value:
        if node is None:
            return UNKNOWN
        method = _DISPATCH.get(type(node))
        return method(self, node) if method else UNKNOWN

    def _binop(self, node: ast.BinOp) -> Value:
        left, right = self.eval(node.left), self.eval(node.right)
        if isinstance(left, Tensor) or isinstance(right, Tensor):
            self.note_operator(node, (left, right))
        elif isinstance(left, Instance | UserObject):
            joined = self.note_concatenation(node, left)
            if joined is not UNKNOWN:
                return joined
        return self.members.binary(left, right, isinstance(node.op, ast.Div))

    def _unaryop(self, node: ast.UnaryOp) -> Value:
        operand = self.eval(node.operand)
        if not isinstance(node.op, ast.Not):
            return operand
        self.tested(node.operand)
        return Plain("bool")

    def _boolop(self, node: ast.BoolOp) -> Value:
        value = self.eval(node.values[0])
        for other in node.values[1:]:
            value = join(value, self.eval(other))
        for tested in node.values[:-1]:
            self.tested(tested)
        return value

    def _compare(self, node: ast.Compare) -> Value:
        values = [self.eval(node.left), *(self.eval(other) for other in node.comparators)]
        if any(isinstance(op, _TRUTHS) for op in node.ops):
            if values[1:] == [NONE]:
                self.tested(node.left)
            if isinstance(node.ops[0], ast.In | ast.NotIn) and len(values) == 2:
                self.note_operator(node, (values[0], values[1]))
            return Plain("bool")
        tensors = [value for value in values if isinstance(value, Tensor)]
        if tensors:
            if len(values) == 2:
                self.note_operator(node, (values[0], values[1]))
            return Tensor(tensors[0].certainty, "bool", all(_is_scalar(value) for value in values))
        return UNKNOWN if UNKNOWN in values else Plain("bool")

    def _ifexp(self, node: ast.IfExp) -> Value:
        self.eval(node.test)
        self.tested(node.test)
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
        values = []
        for key, value in zip(node.keys, node.values, strict=True):
            self.eval(key)
            held = self.eval(value)
            # `{**options}` holds what the other holds.
            values.append(held.item if key is None and isinstance(held, Table) else held)
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
            self.note_index(node, base, at)
            part = None if gathers(at) else base.part or viewed(node)
            told = base.states & {FOUND, RECORDED, UNSURE} | ({RECORDED} if base.grad else set())
            told |= {NUMBERED} if part and numbered(index, at) else frozenset()
            return Tensor(base.certainty, base.dtype, part=part, states=told)
        if isinstance(base, Instance):
            self.note_layers(node, base, at)
            return self.members.item(base, at)
        if isinstance(base, Plain) and base.kind in {"str", "bytes"}:
            return base
        if isinstance(base, ForeignInstance):
            return base
        if base is UNKNOWN:
            self.note_index(node, base, at)
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
        return builtin_types.element(value)

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
        value = self.eval(node.value)
        self.yields(self.iterate(value) if isinstance(node, ast.YieldFrom) else value)
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


_TRUTHS = (ast.Is, ast.IsNot, ast.In, ast.NotIn)


def _is_scalar(value: Value) -> bool:
    return value.scalar if isinstance(value, Tensor) else isinstance(value, Plain)


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
