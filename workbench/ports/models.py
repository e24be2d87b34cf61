"""Models of a project and the calls that build and run them, found in its text; nothing is run.

Tests, examples and documents build a model and call it with tensors of literal sizes. Such a call
verifies the module that defines the model.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from workbench.ports.plan import Trial

# Classes of torch that are modules are found by the names that they are used under.
_TORCH_MODULES = ("nn.", "torch.nn.", "torchvision.models.")
_DRAWN = frozenset({"randn", "rand", "zeros", "ones", "empty"})
_DTYPES = {
    "long": "int64",
    "int64": "int64",
    "int": "int32",
    "int32": "int32",
    "bool": "bool",
    "double": "float64",
    "float64": "float64",
}
# At most so many trials of one class.
_MOST = 2
_UNKNOWN = object()
# Inputs of more elements get a batch of this size.
_MUCH, _BATCH = 20_000, 4
_SHAPE = re.compile(r"(?P<name>(?:\w+=)?)(?P<batch>\d+)(?P<rest>(?:x\d+)+)(?=:|$)")
_LARGEST = 1e12
_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Div: operator.truediv,
}


@dataclass(slots=True)
class Model:
    """A class of modules: its name, its file, and the arguments that it requires."""

    name: str
    path: PurePosixPath
    required: tuple[str, ...]
    line: int


@dataclass(slots=True)
class Models:
    """The models of a project, with the trials found for each, by its name."""

    models: dict[str, Model] = field(default_factory=dict)
    trials: dict[str, list[Trial]] = field(default_factory=dict)

    def of(self, path: PurePosixPath) -> tuple[list[Trial], list[str]]:
        """Return the trials of a file's models, and the models that lack arguments or inputs."""
        trials: list[Trial] = []
        needs: list[str] = []
        for model in self.models.values():
            if model.path != path:
                continue
            found = self.trials.get(model.name, [])
            if not found and not model.required:
                found = [Trial(f"{model.name}()")]
            trials += found
            if not any(one.inputs for one in found):
                needs.append(
                    found[0].call if found else f"{model.name}({', '.join(model.required)})"
                )
        return trials, needs


def models_in(
    trees: Mapping[PurePosixPath, ast.Module], documents: Mapping[PurePosixPath, list[ast.Module]]
) -> Models:
    """Return the models of a project.

    Args:
        trees: its files of Python.
        documents: the pieces of code in its documents.
    """
    classes = {
        node.name: (path, node)
        for path, tree in trees.items()
        for node in tree.body
        if isinstance(node, ast.ClassDef)
    }
    found = Models()
    for name, (path, node) in classes.items():
        if _is_module(name, classes, set()) and not _is_abstract(node):
            required = _required(node, classes, set())
            found.models[name] = Model(name, path, required, node.lineno)
    known = {
        path: {name for name, model in found.models.items() if model.path == path}
        | {alias for alias in _imported(tree) if alias in found.models}
        for path, tree in trees.items()
    }
    callers = [(path, [tree]) for path, tree in trees.items()] + list(documents.items())
    for path, pieces in callers:
        scope = _Scope(found, known)
        for piece in pieces:  # the pieces of a document are one program
            scope.run(piece.body)
        for call in scope.calls:
            _note(found, call, f"{path}:{call.line}")
    return found


def _note(found: Models, call: _Call, place: str) -> None:
    trials = found.trials.setdefault(call.model, [])
    trial = Trial(call.built, _smaller(call.inputs), place)
    same = [one for one in trials if one.call == trial.call]
    if any(one.inputs == trial.inputs or not trial.inputs for one in same):
        return
    for one in same:
        if not one.inputs:
            trials.remove(one)
    if len(trials) < _MOST:
        trials.append(trial)


def _smaller(inputs: tuple[str, ...]) -> tuple[str, ...]:
    """Return inputs with a smaller batch if they are large and have one batch size.

    A verification runs the model some twenty times, also with other batch sizes.
    """
    shapes = [match for one in inputs if (match := _SHAPE.match(one)) is not None]
    batches = {match["batch"] for match in shapes}
    sizes = [math.prod(map(int, f"{one['batch']}{one['rest']}".split("x"))) for one in shapes]
    if len(batches) != 1 or int(next(iter(batches))) <= _BATCH or sum(sizes) <= _MUCH:
        return inputs
    return tuple(_SHAPE.sub(rf"\g<name>{_BATCH}\g<rest>", one) for one in inputs)


def _is_module(
    name: str, classes: Mapping[str, tuple[PurePosixPath, ast.ClassDef]], seen: set[str]
) -> bool:
    """Return whether a class of the project is a module, as far as its bases' names show."""
    if name in seen or name not in classes:
        return False
    seen.add(name)
    for base in classes[name][1].bases:
        text = ast.unparse(base)
        last = text.rpartition(".")[2]
        if text == "Module" or (text.startswith(_TORCH_MODULES) and last[:1].isupper()):
            return True
        if _is_module(last, classes, seen):
            return True
    return False


def _is_abstract(node: ast.ClassDef) -> bool:
    """Return whether a class is private, or only a base for others."""
    abstract = any("ABC" in ast.unparse(one) for one in [*node.bases, *node.keywords])
    marked = any(
        isinstance(one, ast.FunctionDef)
        and any("abstract" in ast.unparse(d) for d in one.decorator_list)
        for one in node.body
    )
    return node.name.startswith("_") or abstract or marked


def _required(
    node: ast.ClassDef,
    classes: Mapping[str, tuple[PurePosixPath, ast.ClassDef]],
    seen: set[str],
) -> tuple[str, ...]:
    """Return the arguments that a class requires, as its `__init__` or that of a base shows."""
    for one in node.body:
        if isinstance(one, ast.FunctionDef) and one.name == "__init__":
            names = [arg.arg for arg in [*one.args.posonlyargs, *one.args.args]][1:]
            without = names[: len(names) - len(one.args.defaults)]
            only = [
                arg.arg
                for arg, default in zip(one.args.kwonlyargs, one.args.kw_defaults, strict=True)
                if default is None
            ]
            return (*without, *only)
    for base in node.bases:
        name = ast.unparse(base).rpartition(".")[2]
        if name in classes and name not in seen:
            return _required(classes[name][1], classes, {*seen, name})
    return ()


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield from (alias.asname or alias.name for alias in node.names)


@dataclass(frozen=True, slots=True)
class _Call:
    """A model that a text builds, and the inputs that it is called with."""

    model: str
    built: str
    inputs: tuple[str, ...]
    line: int


class _Scope:
    """The values of names in a text, statement by statement, as far as they are literal."""

    def __init__(self, found: Models, known: Mapping[PurePosixPath, set[str]]) -> None:
        self._found, self._known = found, known
        self.constants: dict[str, ast.expr] = {}
        self.built: dict[str, tuple[str, str]] = {}  # names of models: the class, its call
        self.inputs: dict[str, str] = {}  # names of tensors
        self.calls: list[_Call] = []

    def run(self, body: list[ast.stmt]) -> None:
        """Read statements in order, and the functions among them, each in its own scope."""
        inner: list[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef] = []
        for statement in body:
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                inner.append(statement)
                continue
            self._statement(statement)
            for block in ("body", "orelse", "finalbody"):
                self.run(getattr(statement, block, []))
        for one in inner:
            held = dict(self.constants), dict(self.built), dict(self.inputs)
            self.run(one.body)
            mine = {name: value for name, value in self.built.items() if name.startswith("self.")}
            own = {name: value for name, value in self.inputs.items() if name.startswith("self.")}
            self.constants, self.built, self.inputs = held
            # What a method such as setUp keeps is there in the class's other methods.
            self.built |= mine
            self.inputs |= own

    def _statement(self, statement: ast.stmt) -> None:
        for node in _calls_in(statement):
            self._called(node)
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            self._assign(statement.targets[0], statement.value)
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            self._assign(statement.target, statement.value)

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            if len(target.elts) == len(value.elts):
                for one, other in zip(target.elts, value.elts, strict=True):
                    self._assign(one, other)
            return
        name = ast.unparse(target)
        for table in (self.constants, self.built, self.inputs):
            table.pop(name, None)
        if (model := self._model(value)) is not None:
            self.built[name] = model
            self.calls.append(_Call(*model, (), value.lineno))
        elif (drawn := self._drawn(value)) is not None:
            self.inputs[name] = drawn
        elif self._literal(value) is not _UNKNOWN:
            self.constants[name] = self._filled(value)

    def _called(self, node: ast.Call) -> None:
        """Note a call of a model, by its name or where it is built."""
        function = node.func
        if isinstance(function, ast.Attribute) and function.attr == "forward":
            function = function.value
        model = self.built.get(ast.unparse(function)) or self._model(function)
        if model is None:
            return
        inputs: list[str] = []
        for argument in node.args:
            inputs.append(self._input(argument) or "")
        for keyword in node.keywords:
            value = self._input(keyword.value)
            inputs.append(f"{keyword.arg}={value}" if value and keyword.arg else "")
        if inputs and all(inputs):
            self.calls.append(_Call(*model, tuple(inputs), node.lineno))

    def _input(self, node: ast.expr) -> str | None:
        drawn = self.inputs.get(ast.unparse(node)) or self._drawn(node)
        if drawn is not None:
            return drawn
        literal = self._literal(node)
        return None if literal is _UNKNOWN else repr(literal)

    def _model(self, node: ast.expr) -> tuple[str, str] | None:
        """Return the class and the call of a model that an expression builds."""
        while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr not in ("eval", "train", "to", "cpu", "cuda", "double", "float"):
                break
            node = node.func.value
        if not isinstance(node, ast.Call):
            return None
        name = ast.unparse(node.func).rpartition(".")[2]
        model = self._found.models.get(name)
        if model is None:
            return None
        arguments = []
        for argument in node.args:
            arguments.append(self._argument(argument, model.path))
        for keyword in node.keywords:
            value = self._argument(keyword.value, model.path) if keyword.arg else None
            arguments.append(None if value is None else f"{keyword.arg}={value}")
        texts = [text for text in arguments if text is not None]
        return (name, f"{name}({', '.join(texts)})") if len(texts) == len(arguments) else None

    def _argument(self, node: ast.expr, path: PurePosixPath) -> str | None:
        """Return an argument as the model's own file can evaluate it, or None if it cannot."""
        if self._literal(node) is not _UNKNOWN:
            return ast.unparse(self._filled(node))
        if isinstance(node, ast.Name) and node.id in self.built:
            kind, call = self.built[node.id]
            return call if kind in self._known.get(path, ()) else None
        if isinstance(node, ast.Call):
            model = self._model(node)
            if model is not None:
                return model[1] if model[0] in self._known.get(path, ()) else None
            if ast.unparse(node.func).startswith("nn."):
                parts = [self._argument(one, path) for one in node.args]
                words = [(one.arg, self._argument(one.value, path)) for one in node.keywords]
                if None in parts or any(None in word for word in words):
                    return None
                texts = [*map(str, parts), *(f"{name}={value}" for name, value in words)]
                return f"{ast.unparse(node.func)}({', '.join(texts)})"
        return None

    def _drawn(self, node: ast.expr) -> str | None:
        """Return a tensor of literal size as `torchferry verify` takes it: `2x3`, `2x16:int64`."""
        dtype = ""
        while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            method = node.func.attr
            if method in _DTYPES and not node.args:
                dtype = dtype or _DTYPES[method]
            elif method not in ("to", "cuda", "cpu", "float", "requires_grad_", "contiguous"):
                break
            node = node.func.value
        if not isinstance(node, ast.Call):
            return None
        owner, _, name = ast.unparse(node.func).rpartition(".")
        if owner != "torch":
            return None
        given = {word.arg: word.value for word in node.keywords}
        if "dtype" in given:
            dtype = dtype or _DTYPES.get(ast.unparse(given["dtype"]).rpartition(".")[2], "")
        if name in _DRAWN:
            shape = self._shape(given.get("size") or node.args)
            return None if shape is None else f"{shape}{f':{dtype}' if dtype else ''}"
        if name == "randint":
            return self._integers(node, given)
        return None

    def _integers(self, node: ast.Call, given: Mapping[str | None, ast.expr]) -> str | None:
        size = given.get("size") or (node.args[-1] if node.args else None)
        bounds = node.args if "size" in given else node.args[:-1]
        high = given.get("high") or (bounds[-1] if bounds else None)
        limit = self._literal(high)
        shape = self._shape(size)
        if shape is None or not isinstance(limit, int):
            return None
        return f"{shape}:int64:{limit}"

    def _shape(self, size: ast.expr | list[ast.expr] | None) -> str | None:
        nodes = size if isinstance(size, list) else [size]
        values = [self._literal(one) for one in nodes]
        if len(values) == 1 and isinstance(values[0], tuple | list):
            values = list(values[0])
        if not values or not all(type(one) is int and one > 0 for one in values):
            return None
        return "x".join(map(str, values))

    def _literal(self, node: ast.expr | None) -> object:
        """Return the value of an expression of literals and of names of literals, or _UNKNOWN."""
        if node is None or isinstance(node, ast.Starred):
            return _UNKNOWN
        try:
            return _value(self._filled(node))
        except (ValueError, TypeError, ZeroDivisionError, OverflowError):
            return _UNKNOWN

    def _filled(self, node: ast.expr) -> ast.expr:
        """Return an expression with the names of literals replaced by them."""
        constants = self.constants

        class Fill(ast.NodeTransformer):
            def visit_Name(self, name: ast.Name) -> ast.AST:
                return constants.get(name.id, name)

        copied = ast.parse(ast.unparse(node), mode="eval").body
        filled: ast.expr = ast.fix_missing_locations(Fill().visit(copied))
        return filled


def _calls_in(statement: ast.stmt) -> Iterator[ast.Call]:
    """Yield the calls of a statement itself, without those of the statements in it."""
    waiting: list[ast.AST] = [
        child for child in ast.iter_child_nodes(statement) if not isinstance(child, ast.stmt)
    ]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Call):
            yield node
        if not isinstance(node, ast.stmt):
            waiting += [one for one in ast.iter_child_nodes(node) if not isinstance(one, ast.stmt)]


def _value(node: ast.expr) -> object:
    """Return the value of an expression of literals with simple arithmetic.

    Raises:
        ValueError: it is another expression, or its numbers are too large.
    """
    if isinstance(node, ast.BinOp):
        left, right = _value(node.left), _value(node.right)
        apply = _ARITHMETIC.get(type(node.op))
        if apply is None or not all(isinstance(one, int | float) for one in (left, right)):
            raise ValueError
        value: float = apply(left, right)
        if abs(value) > _LARGEST:
            raise ValueError
        return value
    if isinstance(node, ast.Tuple | ast.List):
        values = [_value(one) for one in node.elts]
        return tuple(values) if isinstance(node, ast.Tuple) else values
    return ast.literal_eval(node)
