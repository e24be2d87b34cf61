"""The functions, classes and calls of a program, as the passes ask for them."""

from __future__ import annotations

import ast
import io
import tokenize
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from workbench.convert.decide.planner import Plan
from workbench.source.analysis import Analysis
from workbench.source.tree import Notes, children
from workbench.source.uses import UseKind
from workbench.targets.jax.passes.program.imported import ImportedLayers

T = TypeVar("T")
Function = ast.FunctionDef | ast.AsyncFunctionDef
MODULE = "torch.nn.Module"
# The base of a class that an earlier conversion wrote.
_CONVERTED = "nnx.Module"
_WITHOUT_TEXT = (tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)


@dataclass(slots=True)
class Structure:
    """Functions by what they contain, and classes of layers.

    Attributes:
        analysis: the program.
        imported: the classes of layers from other files.
        owner: the function around each node, by identity.
        statement: the innermost statement that holds each expression, by identity.
        classes: the program's own classes of layers, by name.
        methods: the class of layers that each of its methods belongs to, by identity.
        functions: functions at the top of the module, by name.
        calls: all calls of the program.
        named: names and attributes by their last name.
        answers: answers to questions about the whole program, by the question.
    """

    analysis: Analysis
    imported: ImportedLayers
    owner: dict[int, Function | None] = field(default_factory=dict)
    statement: dict[int, ast.stmt] = field(default_factory=dict)
    classes: dict[str, ast.ClassDef] = field(default_factory=dict)
    methods: dict[int, ast.ClassDef] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)
    calls: list[ast.Call] = field(default_factory=list)
    named: dict[str, list[ast.Name | ast.Attribute]] = field(
        default_factory=lambda: defaultdict(list)
    )
    answers: dict[tuple[str, ...], Any] = field(default_factory=dict)

    def ask(self, question: tuple[str, ...], answer: Callable[[], T]) -> T:
        """Return the answer to a question about the program, which is computed once."""
        if question not in self.answers:
            self.answers[question] = answer()
        found: T = self.answers[question]
        return found

    def class_of(self, node: ast.AST) -> ast.ClassDef | None:
        """Return the class of layers in one of whose methods a node is, or None."""
        function = self.owner[id(node)]
        while function is not None and id(function) not in self.methods:
            function = self.owner[id(function)]
        return self.methods.get(id(function)) if function is not None else None

    def family(self, cls: ast.ClassDef) -> list[ast.ClassDef]:
        """Return a class and the program's classes below it."""
        below = [
            one
            for one in self.classes.values()
            if one is not cls
            and any(isinstance(b, ast.Name) and b.id == cls.name for b in one.bases)
        ]
        return [cls, *(found for one in below for found in self.family(one))]

    def method(self, cls: ast.ClassDef, name: str) -> Function | None:
        """Return the method of a class or of its bases in the program, or None."""
        for node in cls.body:
            if isinstance(node, Function) and node.name == name:
                return node
        for base in cls.bases:
            above = self.classes.get(base.id) if isinstance(base, ast.Name) else None
            if above is not None and above is not cls and (found := self.method(above, name)):
                return found
        return None


@dataclass(slots=True)
class _Places:
    """What a tree alone shows: the parts of a Structure of the same names, and all classes."""

    owner: dict[int, Function | None] = field(default_factory=dict)
    statement: dict[int, ast.stmt] = field(default_factory=dict)
    calls: list[ast.Call] = field(default_factory=list)
    named: dict[str, list[ast.Name | ast.Attribute]] = field(
        default_factory=lambda: defaultdict(list)
    )
    classes: list[ast.ClassDef] = field(default_factory=list)


# Each pass asks for the structure of the same tree.
_PLACES: Notes[_Places] = Notes("places")


def structure_of(analysis: Analysis, plans: list[Plan]) -> Structure:
    """Read the structure of a program."""
    places = _places_of(analysis.tree)
    result = Structure(
        analysis,
        ImportedLayers.of(analysis),
        places.owner,
        places.statement,
        calls=places.calls,
        named=places.named,
    )
    bases = {id(one.use.node) for one in plans if one.use.kind is UseKind.BASE and one.converts}
    for node in analysis.tree.body:
        if isinstance(node, Function):
            result.functions[node.name] = node
    for cls in places.classes:
        if _is_module(result, cls, bases):
            result.classes[cls.name] = cls
            result.methods |= {id(one): cls for one in cls.body if isinstance(one, Function)}
    return result


def _places_of(tree: ast.Module) -> _Places:
    """Return what a tree shows, read once for all passes."""
    found = _PLACES.get(tree)
    if found is None:
        found = _PLACES[tree] = _Places()
        _visit(found, tree, None, None)
        found.classes += [one for one in ast.walk(tree) if isinstance(one, ast.ClassDef)]
    return found


def _visit(
    result: _Places, node: ast.AST, function: Function | None, statement: ast.stmt | None
) -> None:
    for child in children(node):
        result.owner[id(child)] = function
        match child:
            case ast.Call():
                result.calls.append(child)
            case ast.Name(id=name) | ast.Attribute(attr=name):
                result.named[name].append(child)
        if statement is not None and isinstance(child, ast.expr):
            result.statement[id(child)] = statement
        inner = child if isinstance(child, Function) else function
        _visit(result, child, inner, child if isinstance(child, ast.stmt) else statement)


def _is_module(result: Structure, node: ast.ClassDef, bases: set[int]) -> bool:
    return any(
        id(base) in bases
        or (isinstance(base, ast.Name) and base.id in result.classes)
        or ast.unparse(base) == _CONVERTED
        or result.imported.named_by(base) is not None
        for base in node.bases
    )


def logical_lines(text: str) -> set[int]:
    """Return the lines, from 1, on which a statement, a clause such as `else` or a comment begins.

    A statement may go on over further lines within brackets or a text. The text is a whole number
    of statements with the same indentation.
    """
    found: set[int] = set()
    new = True
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.NEWLINE, tokenize.NL):
            new = new or token.type == tokenize.NEWLINE
        elif new and token.type not in _WITHOUT_TEXT:
            found.add(token.start[0])
            new = token.type == tokenize.COMMENT
    return found


def name_span(analysis: Analysis, function: Function) -> tuple[int, int]:
    """Return the offsets of a function's name in its header."""
    start = analysis.text.index(function.name, analysis.span(function)[0] + len("def"))
    return start, start + len(function.name)


def with_parameter(analysis: Analysis, function: Function, name: str) -> tuple[int, int, str]:
    """Return the edit that adds a parameter given by keyword to the end of a header."""
    arguments = function.args
    listed = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    star = arguments.vararg is None and not arguments.kwonlyargs
    if arguments.kwarg is not None:
        at = analysis.text.rindex("**", 0, _offset(analysis, arguments.kwarg))
        return at, at, f"*, {name}, " if star else f"{name}, "
    at = _closing(analysis, function)
    text = analysis.text[:at].rstrip()
    listed += [arguments.vararg] if arguments.vararg is not None else []
    separator = "" if not listed else " " if text.endswith(",") else ", "
    return len(text), len(text), separator + (f"*, {name}" if star else name)


def _closing(analysis: Analysis, function: Function) -> int:
    """Return the offset of the bracket that closes a function's parameters."""
    arguments = function.args
    listed = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    listed += [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
    values = [*arguments.defaults, *(one for one in arguments.kw_defaults if one is not None)]
    ends = [_offset(analysis, one) + len(one.arg) for one in listed]
    ends += [analysis.span(one)[1] for one in values]
    ends += [analysis.span(one.annotation)[1] for one in listed if one.annotation is not None]
    start = max(ends, default=name_span(analysis, function)[1])
    return analysis.text.index(")", start)


def _offset(analysis: Analysis, parameter: ast.arg) -> int:
    return analysis.lines.offset_of_bytes(parameter.lineno - 1, parameter.col_offset)
