"""Whether code can be compiled: it does not ask for values, and has no effects but on models.

Each value has a kind. Code that needs the number of an array raises `Untraceable`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from workbench.source.tree import inside
from workbench.targets.jax.compiled import known
from workbench.targets.jax.compiled.program import Program
from workbench.targets.jax.passes.program.places import Function

_CELLS = frozenset({"nnx.Param", "nnx.BatchStat", "nnx.Variable", "nnx.Cache", "nnx.data"})
_WEIGHTS = frozenset({"weight", "kernel", "bias", "embedding", "scale", "mean", "var"})
_SPLITTING = frozenset({"split", "torch_split", "torch_chunk", "array_split", "meshgrid"})


class Untraceable(Exception):  # noqa: N818
    """Code cannot be compiled; the message says why."""


class Kind(IntEnum):
    """What is known of a value, the later kinds the more careful ones."""

    NONE = 0
    FIXED = 1  # it is the same in every run of the compiled code
    SIZE = 2  # it is computed from the shape of an array
    LAYER = 3  # a layer, several, or a function that can be compiled
    SERIES = 4  # a list or tuple of arrays
    ARRAY = 5
    OPEN = 6  # an array, or another object that is no model
    TRUTH = 7  # an array of bools

    @property
    def fixed(self) -> bool:
        return self <= Kind.LAYER


Names = dict[str, Kind]


@dataclass(slots=True)
class Tracer:
    """Follows code, with the functions and layers that it calls.

    Attributes:
        program: the text.
        layers: the classes of layers whose objects it may call.
        done: the kinds of results of functions, by their identity and the kinds of arguments.
    """

    program: Program
    layers: Sequence[ast.ClassDef]
    done: dict[tuple[int, tuple[tuple[str, Kind], ...]], Kind] = field(default_factory=dict)

    def function(self, node: Function, given: Names) -> Kind:
        """Return the kind of a function's result.

        Args:
            node: the function.
            given: the kinds of its arguments; others have their defaults.

        Raises:
            Untraceable: it cannot be compiled.
        """
        key = id(node), tuple(sorted(given.items()))
        if key not in self.done:
            if not all(map(_is_static, node.decorator_list)):
                raise Untraceable(f"{node.name} has a decorator")
            self.done[key] = Kind.ARRAY  # of a function that calls itself
            self.done[key] = _Body(self, _defaults(node) | given).run(node.body)
        return self.done[key]

    def layer(self, args: Sequence[Kind], keywords: Mapping[str, Kind]) -> Kind:
        """Follow the call of any layer with arguments of some kinds."""
        for cls in self.layers:
            method = self.program.method(cls, "__call__")
            bound = _bound(method, [Kind.LAYER, *args], keywords) if method is not None else None
            if method is not None and bound is not None:
                self.function(method, bound)
        return Kind.ARRAY

    def member(self, name: str) -> Kind:
        """Return the kind of a layer's member."""
        values = self.program.members.get(name)
        if values is None:
            return Kind.ARRAY if name.rpartition("_")[2] in _WEIGHTS else Kind.FIXED
        return max((self._stored(one, name) for one in values), default=Kind.FIXED)

    def _stored(self, value: ast.expr | None, name: str) -> Kind:
        program = self.program
        match value:
            case None:
                return Kind.ARRAY
            case ast.Call(func=func) if ast.unparse(func) in _CELLS:
                return Kind.ARRAY
            case ast.IfExp(body=body, orelse=other):
                return max(self._stored(body, name), self._stored(other, name))
            case ast.Call(func=ast.Name(id=called)) if called in program.functions:
                returned = program.returned(program.functions[called])
                return max((self._stored(one, "") for one in returned), default=Kind.ARRAY)
            case ast.Name(id=given) if given in program.layers_given(name):
                return Kind.LAYER
        assert value is not None
        if program.is_function(value) or program.makes_layer(value, None):
            return Kind.LAYER
        calls = [one for one in inside(value) if isinstance(one, ast.Call)]
        made = [ast.unparse(one.func).partition(".")[0] for one in calls]
        if any(one in {"jnp", "jax", "lax", "rngs"} or one.startswith("torch_") for one in made):
            return Kind.ARRAY
        return Kind.FIXED


def _is_static(decorator: ast.expr) -> bool:
    return isinstance(decorator, ast.Name) and decorator.id == "staticmethod"


def _defaults(node: Function) -> Names:
    """Return the kinds of a function's arguments without a call."""
    names = [*node.args.posonlyargs, *node.args.args]
    given = node.args.defaults
    none = {
        name.arg
        for some, values in (
            (names[len(names) - len(given) :], given),
            (node.args.kwonlyargs, node.args.kw_defaults),
        )
        for name, value in zip(some, values, strict=True)
        if _is_none(value)
    }
    return {
        one.arg: Kind.NONE if one.arg in none else Kind.FIXED
        for one in (*names, *node.args.kwonlyargs)
    }


def _is_none(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _bound(
    node: Function, args: Sequence[Kind], keywords: Mapping[str, Kind]
) -> dict[str, Kind] | None:
    """Return the kinds of a function's arguments in a call, or None if it does not take these."""
    names = [one.arg for one in (*node.args.posonlyargs, *node.args.args)]
    every = {*names, *(one.arg for one in node.args.kwonlyargs)}
    if any(map(_is_static, node.decorator_list)):
        args = args[1:]
    if len(args) > len(names) or not set(keywords) <= every:
        return None
    bound = dict(zip(names, args, strict=False))
    needed = names[len(args) : len(names) - len(node.args.defaults)]
    if set(bound) & set(keywords) or not set(needed) <= set(keywords):
        return None
    return bound | dict(keywords)


@dataclass(slots=True)
class _Body:
    """The statements of one function.

    Attributes:
        tracer: what follows the functions that it calls.
        names: the kinds of its variables.
        own: the variables that are lists of its own.
        result: the kind of what it returns.
    """

    tracer: Tracer
    names: Names
    own: set[str] = field(default_factory=set)
    result: Kind = Kind.FIXED

    def run(self, statements: Sequence[ast.stmt]) -> Kind:
        for one in statements:
            self._statement(one)
        return self.result

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign(targets=targets, value=value):
                for aim in targets:
                    self._assign(aim, value)
            case ast.AnnAssign(target=ast.Name() as aim, value=value):
                if value is not None:
                    self._assign(aim, value)
            case ast.AugAssign(target=ast.Name(id=name), value=value):
                old = self.names.get(name, Kind.ARRAY)
                self.names[name] = max(old, self.kind(value))
            case ast.Expr(value=ast.Constant()) | ast.Pass() | ast.Raise():
                pass
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[x])
            ) if name in self.own:
                self.names[name] = max(Kind.SERIES, self.names[name], self.kind(x))
                self.names[name] = min(self.names[name], Kind.SERIES)
            case ast.Expr(value=value):
                self.kind(value)
            case ast.Return(value=value):
                if value is not None:
                    self.result = max(self.result, self.kind(value))
            case ast.Assert(test=test):
                self._fixed(test)
            case _:
                self._compound(node)

    def _compound(self, node: ast.stmt) -> None:
        match node:
            case ast.If(test=test, body=body, orelse=other):
                self._fixed(test)
                known = self._truth(test)
                if known is None:
                    self._either(body, other)
                else:
                    self.run(body if known else other)
            case ast.For(target=target, iter=iterated, body=body, orelse=[]):
                for _ in range(2):  # what a run changes, the next one reads
                    self._loop(target, iterated)
                    self.run(body)
            case _:
                raise Untraceable(f"line {node.lineno} has effects, or a loop of unknown length")

    def _either(self, body: Sequence[ast.stmt], other: Sequence[ast.stmt]) -> None:
        before = dict(self.names)
        self.run(body)
        first, self.names = self.names, before
        self.run(other)
        for name, kind in first.items():
            self.names[name] = max(kind, self.names.get(name, kind))

    def _assign(self, aim: ast.expr, value: ast.expr) -> None:
        match aim, value:
            case ast.Tuple(elts=aims), ast.Tuple(elts=values) if len(aims) == len(values):
                kinds = [self.kind(one) for one in values]
                for one, kind in zip(aims, kinds, strict=True):
                    self._bind(one, kind)
            case ast.Tuple(elts=aims), ast.GeneratorExp(elt=elt, generators=generators):
                kind = self._within(generators, [elt])
                for one in aims:
                    self._bind(one, kind)
            case _:
                self._bind(aim, self.kind(value))
                if isinstance(aim, ast.Name):
                    made = isinstance(value, ast.List | ast.ListComp)
                    self.own = self.own | {aim.id} if made else self.own - {aim.id}

    def _bind(self, aim: ast.expr, kind: Kind) -> None:
        """Bind a name, or the names of a tuple, to a value of a kind."""
        match aim:
            case ast.Name(id=name):
                self.names[name] = kind
            case ast.Tuple(elts=aims) | ast.List(elts=aims):
                for one in aims:
                    self._bind(one, Kind.ARRAY if kind is Kind.SERIES else kind)
            case ast.Starred(value=value):
                self._bind(value, Kind.SERIES if kind is Kind.ARRAY else kind)
            case _:
                raise Untraceable(f"line {aim.lineno} changes an object")

    # ------------------------------------------------------------------------- expressions

    def kind(self, node: ast.expr) -> Kind:
        """Return the kind of an expression.

        Raises:
            Untraceable: it cannot be compiled.
        """
        match node:
            case ast.Constant(value=value):
                return Kind.NONE if value is None else Kind.FIXED
            case ast.Name(id=name):
                return self._name(name)
            case ast.Attribute():
                return self._attribute(node)
            case ast.Subscript():
                return self._item(node)
            case ast.Starred(value=value):
                return self.kind(value)
            case ast.Slice(lower=lower, upper=upper, step=step):
                return self._fixed_parts(one for one in (lower, upper, step) if one is not None)
            case ast.BinOp(left=left, op=op, right=right):
                return self._operation(self.kind(left), op, self.kind(right))
            case ast.UnaryOp(op=op, operand=operand):
                return self._fixed(operand) if isinstance(op, ast.Not) else self.kind(operand)
            case ast.Compare():
                return self._comparison(node)
            case ast.BoolOp() | ast.IfExp():
                return self._choice(node)
            case ast.Call():
                return self._call(node)
        return self._made(node)

    def _made(self, node: ast.expr) -> Kind:
        match node:
            case ast.Tuple(elts=elts) | ast.List(elts=elts):
                found = max(map(self.kind, elts), default=Kind.FIXED)
                return min(found, Kind.SERIES)
            case ast.Dict(values=values):
                return max(map(self.kind, values), default=Kind.FIXED)
            case ast.JoinedStr():
                return self._fixed_parts(one.value for one in _shown(node))
            case (
                ast.ListComp(elt=elt, generators=generators)
                | ast.GeneratorExp(elt=elt, generators=generators)
            ):
                return min(self._within(generators, [elt]), Kind.SERIES)
        raise Untraceable(f"line {node.lineno} has a form that is not followed")

    def _choice(self, node: ast.BoolOp | ast.IfExp) -> Kind:
        """Return the kind of an expression of which not all parts may be evaluated."""
        if isinstance(node, ast.IfExp):
            self._fixed(node.test)
            known = self._truth(node.test)
            if known is not None:
                return self.kind(node.body if known else node.orelse)
            return max(self.kind(node.body), self.kind(node.orelse))
        found = Kind.FIXED
        for one in node.values:
            found = max(found, self._fixed(one))
            if self._truth(one) is isinstance(node.op, ast.Or):
                break  # the others are not evaluated
        return found

    def _fixed(self, node: ast.expr) -> Kind:
        """Return the kind of an expression that has its value when the code is compiled.

        Raises:
            Untraceable: it may have none then.
        """
        found = self.kind(node)
        if not found.fixed:
            raise Untraceable(f"{ast.unparse(node)} is needed as a number")
        return found

    def _truth(self, test: ast.expr) -> bool | None:
        """Return whether a test for None holds, or None if that is not known."""
        match test:
            case ast.Compare(left=ast.Name(id=name), ops=[op], comparators=[other]) if (
                _is_none(other) and self.names.get(name) is Kind.NONE
            ):
                return isinstance(op, ast.Is | ast.Eq)
            case ast.BoolOp(op=op, values=values):
                known = [self._truth(one) for one in values]
                ends = isinstance(op, ast.Or)
                if ends in known:
                    return ends
        return None

    def _fixed_parts(self, nodes: Iterable[ast.expr]) -> Kind:
        return max(map(self._fixed, nodes), default=Kind.FIXED)

    def _name(self, name: str) -> Kind:
        if name in self.names:
            return self.names[name]
        program = self.tracer.program
        known_here = name in program.functions or name in program.classes
        if name in program.imports or (known_here and name not in program.changed):
            return Kind.FIXED
        if name in {"bool", "int", "float"}:
            return Kind.FIXED
        value = program.values.get(name)
        if value is not None and program.is_constant(value):
            return Kind.FIXED
        raise Untraceable(f"{name} is read from outside")

    def _attribute(self, node: ast.Attribute) -> Kind:
        base = self.kind(node.value)
        if base is Kind.LAYER:
            if node.attr in known.FACTS:
                return Kind.SIZE
            return self.tracer.member(node.attr)
        if base.fixed:
            if node.attr in self.tracer.program.reset:
                raise Untraceable(f"{ast.unparse(node)} may change")
            return base
        if node.attr in known.FACTS:
            return Kind.SIZE
        if node.attr in known.ARRAYS:
            return base
        raise Untraceable(f"{ast.unparse(node)} is no member of an array")

    def _item(self, node: ast.Subscript) -> Kind:
        base, index = self.kind(node.value), self._index(node.slice)
        if index in {Kind.OPEN, Kind.TRUTH}:
            raise Untraceable(f"the size of {ast.unparse(node)} may depend on values")
        if base.fixed and not index.fixed:
            raise Untraceable(f"{ast.unparse(node)} is chosen by a value")
        named = isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)
        if named and not base.fixed:
            raise Untraceable(f"{ast.unparse(node.value)} is a dict")
        if base is Kind.SERIES:
            return Kind.SERIES if isinstance(node.slice, ast.Slice) else Kind.ARRAY
        return base

    def _index(self, node: ast.expr) -> Kind:
        if isinstance(node, ast.Tuple):
            return max(map(self._index, node.elts), default=Kind.FIXED)
        return self.kind(node)

    def _operation(self, left: Kind, op: ast.operator, right: Kind) -> Kind:
        if left.fixed and right.fixed:
            return max(left, right)
        if isinstance(op, ast.Pow) and not right.fixed and right is not Kind.ARRAY:
            raise Untraceable("the exponent is no number")
        if Kind.SERIES in {left, right}:
            return Kind.SERIES
        both = isinstance(op, ast.BitAnd | ast.BitOr | ast.BitXor)
        return Kind.TRUTH if both and Kind.TRUTH in {left, right} else Kind.ARRAY

    def _comparison(self, node: ast.Compare) -> Kind:
        every = [node.left, *node.comparators]
        kinds = [self.kind(one) for one in every]
        if all(isinstance(op, ast.Is | ast.IsNot) for op in node.ops):
            return Kind.FIXED
        if all(one.fixed for one in kinds):
            return max(kinds)
        if len(node.ops) > 1 or isinstance(node.ops[0], ast.In | ast.NotIn):
            raise Untraceable(f"{ast.unparse(node)} is needed as a number")
        return Kind.TRUTH

    def _within(
        self, generators: Sequence[ast.comprehension], elements: Sequence[ast.expr]
    ) -> Kind:
        """Return the kind of what is computed for each element of other values."""
        before = dict(self.names)
        for one in generators:
            self._loop(one.target, one.iter)
            for test in one.ifs:
                self._fixed(test)
        found = max(map(self.kind, elements))
        self.names = before
        return found

    def _loop(self, target: ast.expr, iterated: ast.expr) -> None:
        """Bind the target of a loop to what it goes through, whose length is the program's."""
        match target, iterated:
            case ast.Tuple(elts=[count, rest]), ast.Call(
                func=ast.Name(id="enumerate"), args=[inner]
            ):
                self._bind(count, Kind.FIXED)
                self._loop(rest, inner)
            case ast.Tuple(elts=aims), ast.Call(func=ast.Name(id="zip"), args=args) if len(
                aims
            ) == len(args):
                for aim, one in zip(aims, args, strict=True):
                    self._loop(aim, one)
            case _:
                kind = self.kind(iterated)
                if kind not in {Kind.FIXED, Kind.LAYER, Kind.SERIES}:
                    raise Untraceable(f"the loop over {ast.unparse(iterated)} may be long")
                self._bind(target, Kind.ARRAY if kind is Kind.SERIES else kind)

    # ------------------------------------------------------------------------- calls

    def _call(self, node: ast.Call) -> Kind:
        if any(one.arg is None for one in node.keywords):
            raise Untraceable(f"{ast.unparse(node)} unpacks a dict")
        args = [self.kind(one) for one in node.args]
        keywords = {one.arg or "": self.kind(one.value) for one in node.keywords}
        if isinstance(node.func, ast.Name):
            return self._called_name(node, node.func.id, args, keywords)
        if isinstance(node.func, ast.Attribute):
            return self._called_member(node, node.func, args, keywords)
        if self.kind(node.func) is Kind.LAYER:
            return self.tracer.layer(args, keywords)
        raise Untraceable(f"{ast.unparse(node.func)} is not followed")

    def _called_name(
        self, node: ast.Call, name: str, args: list[Kind], keywords: dict[str, Kind]
    ) -> Kind:
        program = self.tracer.program
        every = [*args, *keywords.values()]
        if name in self.names:
            if self.names[name] is not Kind.LAYER:
                raise Untraceable(f"{name} is a function that is not shown")
            return self.tracer.layer(args, keywords)
        if name in {"torch_one_hot", "torch_repeat_interleave"} and len(node.args) > 1:
            self._fixed_parts(node.args[1:2])
            return Kind.ARRAY
        if name in known.HELPERS:
            return Kind.SERIES if name in _SPLITTING else max(every, default=Kind.FIXED)
        if name in program.functions and not name.startswith("torch_"):
            starred = any(isinstance(one, ast.Starred) for one in node.args)
            bound = None if starred else _bound(program.functions[name], args, keywords)
            if bound is None:
                raise Untraceable(f"the arguments of {name} are not followed")
            return self.tracer.function(program.functions[name], bound)
        if name in program.values:
            return self._called_value(node, program.values[name], args, keywords)
        if program.imports.get(name, "").startswith("math."):
            return self._fixed_call(node)
        if name in program.imports or name in program.classes:
            raise Untraceable(f"{name} is not followed")
        return self._called_builtin(node, name, every)

    def _called_builtin(self, node: ast.Call, name: str, kinds: list[Kind]) -> Kind:
        if name in {"isinstance", "hasattr", "type"}:
            return Kind.FIXED
        if name == "len":
            return Kind.SIZE
        if name == "super":
            return Kind.LAYER
        if name in known.OF_ANYTHING:
            return max(kinds, default=Kind.FIXED)
        if name in {"sum", "abs"} and not kinds[0].fixed:
            return Kind.ARRAY
        if name in known.OF_FACTS or name == "range":
            return self._fixed_call(node)
        raise Untraceable(f"{name} is not followed")

    def _called_value(
        self, node: ast.Call, value: ast.expr, args: list[Kind], keywords: dict[str, Kind]
    ) -> Kind:
        """Follow the call of a name that the program binds once, to a function."""
        match value:
            case _ if self.tracer.program.is_function(value):
                return Kind.ARRAY
            case ast.Name(id=name) if name in self.tracer.program.functions:
                return self._called_name(node, name, args, keywords)
            case ast.Lambda(args=parameters, body=body):
                names = [one.arg for one in parameters.args]
                if len(args) == len(names) and not keywords:
                    return _Body(self.tracer, dict(zip(names, args, strict=True))).kind(body)
        raise Untraceable(f"{ast.unparse(node.func)} is not followed")

    def _fixed_call(self, node: ast.Call) -> Kind:
        return self._fixed_parts((*node.args, *(one.value for one in node.keywords)))

    def _called_member(
        self, node: ast.Call, func: ast.Attribute, args: list[Kind], keywords: dict[str, Kind]
    ) -> Kind:
        root = ast.unparse(func).split(".")
        every = [*args, *keywords.values()]
        if root[0] in self.tracer.program.imports and root[0] not in self.names:
            return self._called_import(node, root, every)
        if root[:2] == ["self", "rngs"]:
            return Kind.ARRAY  # the layer's own keys
        base = self.kind(func.value)
        if base is Kind.LAYER:
            return self._called_of_layer(func, args, keywords)
        if base.fixed and func.attr in known.OF_TEXTS and all(one.fixed for one in every):
            return max([base, *every])
        if func.attr not in known.METHODS or base is Kind.SERIES or base.fixed:
            raise Untraceable(f"{ast.unparse(func)} is not followed")
        if func.attr in {"reshape", "repeat", "astype", "transpose", "take"}:
            self._fixed_call(node)
        truth = func.attr in {"all", "any"} or (base is Kind.TRUTH and func.attr != "astype")
        return Kind.TRUTH if truth and func.attr not in {"sum", "mean"} else Kind.ARRAY

    def _called_import(self, node: ast.Call, path: list[str], kinds: list[Kind]) -> Kind:
        if path[0] in {"np", "numpy", "math"}:
            if "random" in path:
                raise Untraceable(f"{'.'.join(path)} has effects")
            return self._fixed_call(node)
        if path[0] not in known.MODULES or set(path[1:]) & known.VALUE_DEPENDENT:
            raise Untraceable(f"{'.'.join(path)} is not followed")
        if path[0] == "nnx" and path[1][:1].isupper():
            raise Untraceable(f"{'.'.join(path)} makes a layer")
        name = path[-1]
        if name in known.SHAPED:
            self._fixed_call(node)
            return Kind.ARRAY
        if name in {"full", "tile", "repeat", "broadcast_to", "reshape"}:
            first = 0 if name != "full" else 1
            self._fixed_parts(one for place, one in enumerate(node.args) if place != first)
            if name == "full":
                self._fixed(node.args[0])
            return Kind.ARRAY
        if name == "where" and len(node.args) == 1:
            raise Untraceable("the size of jnp.where of one argument depends on values")
        if name in _SPLITTING:
            return Kind.SERIES
        if name.startswith(("is", "logical_", "greater", "less", "equal", "not_equal")):
            return Kind.TRUTH
        return Kind.FIXED if name in {"finfo", "iinfo"} else Kind.ARRAY

    def _called_of_layer(
        self, func: ast.Attribute, args: list[Kind], keywords: dict[str, Kind]
    ) -> Kind:
        """Follow the call of a member or a method of a layer."""
        program = self.tracer.program
        methods = [
            method
            for cls in program.layers.values()
            if (method := program.method(cls, func.attr)) is not None
        ]
        if func.attr == "__call__":
            return self.tracer.layer(args, keywords)
        if methods:
            found = Kind.FIXED
            for one in dict.fromkeys(methods):
                bound = _bound(one, [Kind.LAYER, *args], keywords)
                if bound is None:
                    raise Untraceable(f"the arguments of {func.attr} are not followed")
                found = max(found, self.tracer.function(one, bound))
            return found
        if func.attr in {"items", "keys", "values"}:
            return Kind.LAYER
        if func.attr in known.GROWING:
            raise Untraceable(f"{ast.unparse(func)} changes an object")
        part = func.attr not in program.members and not isinstance(func.value, ast.Name)
        if part or self.tracer.member(func.attr) is Kind.LAYER:
            return self.tracer.layer(args, keywords)
        raise Untraceable(f"{ast.unparse(func)} is not followed")


def _shown(node: ast.JoinedStr) -> Iterable[ast.FormattedValue]:
    return (one for one in node.values if isinstance(one, ast.FormattedValue))
