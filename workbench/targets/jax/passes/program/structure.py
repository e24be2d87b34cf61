"""The functions, classes and calls of a program, as the passes ask for them."""

from __future__ import annotations

import ast
import io
import tokenize
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from workbench.convert.decide.planner import Plan
from workbench.source.analysis import Analysis
from workbench.source.uses import UseKind
from workbench.targets.jax.passes.program.imported import ImportedLayers
from workbench.targets.jax.passes.program.places import Function, Places, method_of, places_of

T = TypeVar("T")
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
        places: where the parts of its tree are.
        classes: the program's own classes of layers, by name.
        methods: the class of layers that each of its methods belongs to, by identity.
        functions: functions at the top of the module, by name.
    """

    analysis: Analysis
    imported: ImportedLayers
    places: Places
    classes: dict[str, ast.ClassDef] = field(default_factory=dict)
    methods: dict[int, ast.ClassDef] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)

    @property
    def owner(self) -> dict[int, Function | None]:
        """The function around each node, by identity."""
        return self.places.owner

    @property
    def statement(self) -> dict[int, ast.stmt]:
        """The innermost statement that holds each node, by identity."""
        return self.places.statement

    @property
    def calls(self) -> list[ast.Call]:
        """All calls of the program."""
        return self.places.of(ast.Call)

    def named(self, name: str) -> list[ast.Name | ast.Attribute]:
        """Return the names and attributes with a last name."""
        return self.ask(("by name",), lambda: _by_name(self.places)).get(name, [])

    def ask(self, question: tuple[str, ...], answer: Callable[[], T]) -> T:
        """Return the answer to a question about the tree, which is computed once."""
        answers = self.places.answers
        if question not in answers:
            answers[question] = answer()
        found: T = answers[question]
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
        return method_of(cls, name, self.classes)


def _by_name(places: Places) -> dict[str, list[ast.Name | ast.Attribute]]:
    found: dict[str, list[ast.Name | ast.Attribute]] = defaultdict(list)
    for name in places.of(ast.Name):
        found[name.id].append(name)
    for attribute in places.of(ast.Attribute):
        found[attribute.attr].append(attribute)
    return found


def structure_of(analysis: Analysis, plans: list[Plan]) -> Structure:
    """Read the structure of a program."""
    result = Structure(analysis, ImportedLayers.of(analysis), places_of(analysis.tree))
    bases = {id(one.use.node) for one in plans if one.use.kind is UseKind.BASE and one.converts}
    for node in analysis.tree.body:
        if isinstance(node, Function):
            result.functions[node.name] = node
    for cls in result.places.of(ast.ClassDef):
        if _is_module(result, cls, bases):
            result.classes[cls.name] = cls
            result.methods |= {id(one): cls for one in cls.body if isinstance(one, Function)}
    return result


def _is_module(result: Structure, node: ast.ClassDef, bases: set[int]) -> bool:
    return any(
        id(base) in bases
        or (isinstance(base, ast.Name) and base.id in result.classes)
        or (isinstance(base, ast.Attribute) and ast.unparse(base) == _CONVERTED)
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
