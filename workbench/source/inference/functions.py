"""Functions and classes of the program: when their bodies are walked, and what they return."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace

from workbench.findings import Certainty
from workbench.source.inference import callbacks, evidence, tensor_states
from workbench.source.inference.importing import Importing
from workbench.source.tree import unparsed
from workbench.source.types.lattice import (
    ASSUMED_TENSOR,
    NONE,
    UNKNOWN,
    UNSURE,
    ImportedFunction,
    Items,
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
from workbench.source.types.scopes import Scope

Function = ast.FunctionDef | ast.AsyncFunctionDef
# Defaults that tell what else a parameter may be given.
_DEFAULTS = (UserClass, UserFunction, ImportedFunction, Plain)
_INITIALISERS = ("__init__", "__post_init__", "setup", "build", "_build", "reset_parameters")


class Functions(Importing):
    """The part of the walk that enters functions."""

    def __init__(self) -> None:
        super().__init__()
        self.pending: list[UserFunction] = []
        self._walked: list[UserFunction] = []
        self._results: dict[int, Value] = {}
        self._for_inference: set[int] = set()  # functions decorated so
        self._active: set[int] = set()
        self._homes: dict[int, ast.stmt] = {}  # the statement in which a lambda stands
        self._passed: dict[int, dict[str, Value]] = {}
        self._with_tensors: set[int] = set()
        self._initialised: set[int] = set()
        self._yielded: dict[int, Value] = {}
        self._frames: list[tuple[UserFunction, list[Value]]] = []

    def block(self, body: Iterable[ast.stmt]) -> None:
        """Walk statements one after another."""
        raise NotImplementedError

    def walk_functions(self) -> None:
        """Walk the functions that no call has asked for; then those that calls tell more of."""
        self._finish()
        again = [function for function in self._walked if self._learned(function)]
        for function in again:
            self._results.pop(id(function.node), None)
        for function in again:
            self._walk_function(function)
        self._finish()

    def returned(self, value: Value) -> None:
        """The function that is being walked returns this."""
        if self._frames:
            self._frames[-1][1].append(value)

    def function_walked(self) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
        """The function that is being walked; none outside of functions."""
        node = self._frames[-1][0].node if self._frames else None
        return node if isinstance(node, Function) else None

    def _finish(self) -> None:
        """Walk every function that no call has asked for."""
        while self.pending:
            function = self.pending.pop(0)
            self._walked.append(function)
            if function.owner is not None:
                self._initialise(function.owner)  # in its own order, `__init__` before the others
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
        if name == "*":
            return UNKNOWN
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

    def call_with_tensors(self, function: UserFunction) -> None:
        self._with_tensors.add(id(function.node))
        self.call_function(function, [], {})

    def _remember_call(
        self, function: UserFunction, values: list[Value], keywords: dict[str, Value]
    ) -> None:
        passed = self._passed.setdefault(id(function.node), {})
        names = [
            parameter.arg
            for parameter, _, kind in evidence.parameters(function.node.args)
            if not kind
        ]
        if _is_bound(function):
            names = names[1:]
        given = [*zip(names, values, strict=False), *keywords.items()]
        if function.node.args.vararg is not None:
            first = len(function.node.args.posonlyargs) + len(function.node.args.args)
            first -= _is_bound(function)
            given += [("*", value) for value in values[first:]]
        for name, value in given:
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
        outer_inferring, self.inferring = self.inferring, id(node) in self._for_inference
        returns: list[Value] = []
        self._active.add(id(node))
        self._frames.append((function, returns))
        self.scope = Scope("function", function.scope)
        try:
            self._bind_parameters(function)
            if isinstance(node, ast.Lambda):
                # It may be called far from where it stands, and its uses stand where it does.
                self.statement = self._homes.setdefault(id(node), self.statement)
                returns.append(self.eval(node.body))
            else:
                self.statement = node
                self.block(node.body)
        finally:
            self._frames.pop()
            self._active.discard(id(node))
            self.scope, self.statement = outer_scope, outer_statement
            self.inferring = outer_inferring
        result = returns[0] if returns else NONE
        for value in returns[1:]:
            result = join(result, value)
        if isinstance(node, Function):
            annotated = self.annotated(node.returns, function.scope)
            if annotated is not UNKNOWN and result in (UNKNOWN, NONE):
                result = annotated
            item = self._yielded.get(id(node))
            if item is not None:
                known = item is UNKNOWN and isinstance(annotated, Items)
                result = annotated if known else Items("generator", item)
        if id(node) in self._for_inference:
            result = tensor_states.for_inference(result)
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
                value = passed.get("*", UNKNOWN)
                if value is UNKNOWN and (
                    self._is_forward(function) or self._is_differentiated(function, parameter)
                ):
                    value = ASSUMED_TENSOR
                value = Items("tuple", value)
            else:
                value = self._parameter(function, parameter, default, passed, body)
                if isinstance(value, Tensor) and not value.recorded:
                    value = replace(value, states=value.states | {UNSURE})
            self.scope.names[parameter.arg] = value

    def _receiver(self, function: UserFunction) -> Value | None:
        if function.owner is None or isinstance(function.node, ast.Lambda):
            return None
        decorators = _decorators(function)
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
        called = passed.get(parameter.arg, UNKNOWN)
        if isinstance(value, Tensor) and isinstance(called, Tensor):
            return replace(called, certainty=value.certainty)  # an annotation names no dtype
        if value is not UNKNOWN:
            return value
        if isinstance(called, TorchObject):
            called = replace(called, certainty=Certainty.ASSUMED, indirect=True)
        if called is not UNKNOWN and called != Plain("NoneType"):
            return called
        if body is not None and (used := body.of(parameter.arg)) is not UNKNOWN:
            return used
        if default is not None:
            outer, self.scope = self.scope, function.scope
            named = self._quiet(default)
            self.scope = outer
            if named == TorchObject("torch"):
                return UNKNOWN  # one library of several that callers pass
            if isinstance(named, TorchObject):
                return replace(named, certainty=Certainty.ASSUMED, indirect=True)
            if isinstance(named, _DEFAULTS) and named != Plain("NoneType"):
                return named
        if self._is_forward(function) or self._is_differentiated(function, parameter):
            return ASSUMED_TENSOR
        if id(function.node) in self._with_tensors and callbacks.may_be_tensor(parameter.arg):
            return ASSUMED_TENSOR if parameter.arg in callbacks.required(function) else UNKNOWN
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

    def _is_differentiated(self, function: UserFunction, parameter: ast.arg) -> bool:
        """True for the first input of a `torch.autograd.Function`, and for all its gradients."""
        owner, node = function.owner, function.node
        if owner is None or owner.torch_base() != "torch.autograd.Function":
            return False
        if isinstance(node, ast.Lambda) or node.name not in {"forward", "backward"}:
            return False
        names = [one.arg for one in node.args.args]
        inputs = names[2 if "classmethod" in _decorators(function) else 1 :]  # behind the context
        if node.name == "forward":
            return parameter.arg in inputs[:1]
        return parameter is node.args.vararg or parameter.arg in inputs

    def yields(self, value: Value) -> None:
        if self._frames:
            key = id(self._frames[-1][0].node)
            self._yielded[key] = join(self._yielded[key], value) if key in self._yielded else value

    def evident(self, name: str, value: Value) -> Value:
        """What a variable is bound to, or what the function tells of it where that is unknown."""
        if (
            value is not UNKNOWN
            or not self._frames
            or isinstance(self._frames[-1][0].node, ast.Lambda)
        ):
            return value
        return evidence.BodyEvidence(self._frames[-1][0].node, self.facts).of(name)

    def is_no_tensor(self, receiver: ast.expr) -> bool:
        if not self._frames:
            return False
        return evidence.BodyEvidence(self._frames[-1][0].node, self.facts).is_no_tensor(receiver)

    def enclosing_class(self) -> tuple[UserClass, Value] | None:
        for function, _ in reversed(self._frames):
            if function.owner is not None:
                return function.owner, UserObject(function.owner)
        return None


def _decorators(function: UserFunction) -> set[str]:
    if isinstance(function.node, ast.Lambda):
        return set()
    return {unparsed(decorator) for decorator in function.node.decorator_list}


def _is_bound(function: UserFunction) -> bool:
    """Whether a call passes its receiver by itself, as the first argument."""
    arguments = function.node.args
    if function.receiver is None or not (arguments.posonlyargs or arguments.args):
        return False
    decorators = _decorators(function)
    if "classmethod" in decorators:
        return True
    return "staticmethod" not in decorators and not isinstance(function.receiver, UserClass)
