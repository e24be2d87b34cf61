"""Signatures of torch's functions and methods, from the best available source of each."""

from __future__ import annotations

import ast
import copy
import functools
import inspect
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import torch
from torch._jit_internal import boolean_dispatched

from workbench.upstream.generation.definitions import Definitions, Function, read
from workbench.upstream.generation.schemas import from_docstring, from_schemas
from workbench.upstream.generation.typetext import Resolve, type_node, type_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from workbench.upstream.generation.names import Namespace

_ROOT: Final = Path(torch.__file__).parent
_ANYTHING: Final = "(*args, **kwargs)"
_VARIABLE_FUNCTIONS: Final = "_VariableFunctionsClass."


class Signatures:
    """Writer of signatures as texts that `facts.parse_signature` reads."""

    def __init__(self, namespace: Namespace) -> None:
        self._namespace = namespace
        self.in_stub = self.within(vars(torch) | {"torch": torch})
        """Resolves names as torch's stubs mean them."""

    def of_function(self, function: Any) -> list[str]:
        """Return the signatures of a module's function."""
        if _is_dispatcher(function):
            return [text for flags, leaf in _leaves(function) for text in self._leaf(leaf, flags)]
        return self.of_callable(function)

    def of_callable(self, function: Any, *, bound: bool = False) -> list[str]:
        """Return the signatures of a function, without the receiver if it is a bound method."""
        if definitions := _definitions(function):
            texts = self.render(definitions, self.within(_globals(function)), bound=bound)
            if not any(") -> " in text for text in texts):
                texts = [text + self._documented_result(function) for text in texts]
            return [_as_context_manager(text) for text in texts] if _manages(function) else texts
        return self._of_builtin(function) or self._inspected(function, bound)

    def render(
        self, functions: list[Function], resolve: Resolve, *, bound: bool = False
    ) -> list[str]:
        """Return the texts of all overloads."""
        texts = list(dict.fromkeys(_render(function, resolve, bound) for function in functions))
        # Some overloads exist only for type checkers.
        return [text for text in texts if not text.startswith(_ANYTHING)] or texts

    def within(self, module: Mapping[str, Any]) -> Resolve:
        """Return a function that resolves names as the code of a module does."""

        def resolve(name: str) -> str | None:
            first, *rest = name.split(".")
            thing = module.get(first)
            for part in rest:
                try:
                    thing = getattr(thing, part, None)
                except ImportError:
                    # Some modules import a package only when one of its names is read.
                    return None
            return self._namespace.name_of(thing) if isinstance(thing, type) else None

        return resolve

    def _documented_result(self, function: Any) -> str:
        """Return the result of an unannotated function according to its documentation."""
        documented = from_docstring(
            function.__doc__, getattr(function, "__name__", ""), self.in_stub
        )
        results = {text.rpartition(" -> ")[2] for text in documented if ") -> " in text}
        return f" -> {results.pop()}" if len(results) == 1 else ""

    def _leaf(self, leaf: Any, flags: dict[str, bool]) -> list[str]:
        """Return the signatures of a dispatcher's function, with its flags as literal types."""
        definitions = copy.deepcopy(_definitions(leaf))
        for definition in definitions:
            for arg in [*definition.args.args, *definition.args.kwonlyargs]:
                if arg.arg in flags:
                    arg.annotation = ast.parse(f"Literal[{flags[arg.arg]}]", mode="eval").body
        return self.render(definitions, self.within(_globals(leaf)))

    def _of_builtin(self, function: Any) -> list[str]:
        name = getattr(function, "__name__", "")
        module = getattr(function, "__module__", None) or ""
        if getattr(function, "__qualname__", "").startswith(_VARIABLE_FUNCTIONS):
            module = "torch._C._VariableFunctions"
        texts: list[str] = []
        for place in (module, "torch._C"):
            found = stub(place).overloads(name)
            texts = texts or self.render(found, self.in_stub)
        # Some stubs omit the default values, which the schemas have.
        if module.startswith("torch._C._") and (not texts or "=..." in "".join(texts)):
            texts = from_schemas(name) or texts
        return texts or from_docstring(function.__doc__, name, self.in_stub)

    def _inspected(self, function: Any, bound: bool) -> list[str]:
        """Return the signature that Python knows of a function without source."""
        try:
            signature = inspect.signature(function)
        except (TypeError, ValueError):
            return []
        empty = inspect.Parameter.empty
        resolve = self.within(
            vars(torch) | {"torch": torch} | getattr(_innermost(function), "__globals__", {})
        )
        parameters = [
            parameter.replace(
                annotation=_annotation(parameter.annotation, resolve) or empty,
                default=empty if parameter.default is empty else _default(parameter.default),
            )
            for parameter in list(signature.parameters.values())[1 if bound else 0 :]
        ]
        returns = _annotation(signature.return_annotation, resolve)
        return [str(inspect.Signature(parameters, return_annotation=returns or empty))]


class _Text:
    """A text whose representation is the text itself."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def _default(value: object) -> _Text:
    simple = value is None or isinstance(value, (bool, int, float, str))
    return _Text(ascii(value) if simple else "...")


def _annotation(annotation: Any, resolve: Resolve) -> _Text | None:
    if annotation is inspect.Parameter.empty:
        return None
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    try:
        node = ast.parse(text, mode="eval").body
    except SyntaxError:
        return None
    found = type_text(node, resolve)
    return _Text(found) if found else None


@functools.cache
def stub(module: str) -> Definitions:
    """Return torch's stub file for a module; it is empty if there is none."""
    path = _ROOT.joinpath(*module.split(".")[1:])
    for file in (path / "__init__.pyi", path.with_suffix(".pyi")):
        if file.is_file():
            return read(str(file))
    return Definitions()


def _definitions(function: Any) -> list[Function]:
    """Return the definitions of a function in torch's source, with all overloads."""
    code = getattr(_innermost(function), "__code__", None)
    if code is None:
        return []
    return read(code.co_filename).lines.get((code.co_firstlineno, code.co_name), [])


def _globals(function: Any) -> dict[str, Any]:
    module: dict[str, Any] = _innermost(function).__globals__
    return module


def _innermost(function: Any) -> Any:
    """Return the original function, without decorators, partials and binding."""
    while True:
        if isinstance(function, functools.partial):
            function = function.func
        elif hasattr(function, "__func__"):
            function = function.__func__
        elif hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        else:
            return function


def _manages(function: Any) -> bool:
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    return code is not None and code.co_filename == sys.modules["contextlib"].__file__


def _as_context_manager(text: str) -> str:
    """Return `-> AbstractContextManager[X]` for `-> Iterator[X]`, as `contextmanager` does."""
    parameters, _, returns = text.partition(") -> ")
    yielded = ast.parse(returns or "None", mode="eval").body
    inner = ""
    if isinstance(yielded, ast.Subscript):
        item = yielded.slice
        inner = ast.unparse(item.elts[0] if isinstance(item, ast.Tuple) else item)
    parameters = parameters if returns else parameters.removesuffix(")")
    return f"{parameters}) -> AbstractContextManager{f'[{inner}]' if inner else ''}"


def _is_dispatcher(function: Any) -> bool:
    try:
        return function in boolean_dispatched
    except TypeError:
        return False


def _leaves(function: Any, **flags: bool) -> Iterator[tuple[dict[str, bool], Any]]:
    """Yield the functions that a dispatcher chooses from, starting with the default."""
    if not _is_dispatcher(function):
        yield flags, function
        return
    choice: dict[str, Any] = boolean_dispatched[function]
    for value in (choice["default"], not choice["default"]):
        branch = choice["if_true" if value else "if_false"]
        yield from _leaves(branch, **flags, **{choice["arg_name"]: value})


def _render(function: Function, resolve: Resolve, bound: bool) -> str:
    args = copy.deepcopy(function.args)
    receiver: ast.expr | None = None
    if bound:
        owner = args.posonlyargs or args.args
        if owner:
            receiver = owner.pop(0).annotation
            # Defaults belong to the last parameters; a receiver never has one.
    for arg in [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]:
        if arg is not None:
            arg.annotation = type_node(arg.annotation, resolve)
    returns = _result(type_text(function.returns, resolve))
    if receiver is not None and returns == ast.unparse(receiver) and "." not in returns:
        returns = "Self"
    text = f"({ast.unparse(args)})"
    return f"{text} -> {returns}" if returns else text


def _result(text: str) -> str:
    """Return the actual result type: for lists of tensors, torch returns tuples."""
    vague = ("Sequence[Tensor]", "tuple[Tensor, ...] | list[Tensor]")
    return "tuple[Tensor, ...]" if text in vague else text
