"""A program's text with its tree, and the changes that rewrite it as plain torch."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from workbench.errors import SourceError
from workbench.positions import Lines, Position
from workbench.source.parsing.read import FAILURES, read


@dataclass(frozen=True, slots=True, order=True)
class Remark:
    """A message about a line of the original, counted from 1."""

    line: int
    message: str


@dataclass(frozen=True, slots=True, order=True)
class _Edit:
    start: int
    end: int
    text: str


class Program:
    """A program that is rewritten.

    Args:
        text: its source.
        name: the name of its file, for errors.

    Attributes:
        notes: differences from the original that a reader should know.
        refusals: the parts that are not rewritten, each with its reason.

    Raises:
        SourceError: the text is not Python.
    """

    def __init__(self, text: str, name: str) -> None:
        self.text, self.name, self.lines = text, name, Lines(text)
        try:
            self.tree = read(text)
        except FAILURES as error:
            line, column = getattr(error, "lineno", 1) or 1, getattr(error, "offset", 1) or 1
            raise SourceError(str(error), Position(line - 1, max(column - 1, 0)), name) from error
        self.parents = {
            child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)
        }
        self.notes: list[Remark] = []
        self.refusals: list[Remark] = []
        self.imports: set[str] = set()
        self.definitions: dict[str, str] = {}
        self.handled: set[ast.AST] = set()
        self._edits: set[_Edit] = set()
        self._removed: list[ast.stmt] = []
        self._written: list[tuple[ast.stmt, list[str], bool]] = []
        self._narrowed: dict[int, int] = {}
        self._own_lines = self._continued_strings()

    # Reading ----------------------------------------------------------------------------------

    def source(self, node: ast.expr | ast.stmt) -> str:
        """Return the text of a node."""
        start, end = self._span(node)
        return self.text[start:end]

    def statement(self, node: ast.AST) -> ast.stmt:
        """Return the statement that has an expression."""
        while not isinstance(node, ast.stmt):
            node = self.parents[node]
        return node

    def scope(self, node: ast.AST) -> ast.AST:
        """Return the function or the module whose names a node uses."""
        node = self.parents[node]
        while not isinstance(
            node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.Module
        ):
            node = self.parents[node]
        return node

    def indent(self, node: ast.stmt) -> str:
        """Return the indentation of a statement."""
        line = self.lines.line(node.lineno - 1)
        return line[: len(line) - len(line.lstrip())]

    def bound(self, name: str) -> Iterator[ast.AST]:
        """Yield the nodes that bind a name anywhere in the program, imports included."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Name):
                if node.id == name and not isinstance(node.ctx, ast.Load):
                    yield node
            elif isinstance(node, ast.arg):
                if node.arg == name:
                    yield node
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                if node.name == name:
                    yield node
            elif isinstance(node, ast.alias) and (node.asname or node.name) == name:
                yield node

    def fresh(self, name: str, node: ast.AST) -> str:
        """Return a name that is free in the scope of a node."""
        scope = self.scope(node)
        while name in self.definitions or any(
            self._is_used(name, one, scope) for one in self.parents
        ):
            name = f"{name}_"
        return name

    def _is_used(self, name: str, node: ast.AST, scope: ast.AST) -> bool:
        """Return whether a node means a name of a scope, or binds it there."""
        if isinstance(node, ast.Name) and node.id == name:
            own = self.scope(node)
            return own is scope or not any(self.scope(one) is own for one in self.bound(name))
        if (
            isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            and node.name == name
        ):
            return self.scope(node) is scope
        if isinstance(node, ast.arg) and node.arg == name:
            return self.scope(node) is scope
        return isinstance(node, ast.alias) and (node.asname or node.name) == name

    # Remarks ----------------------------------------------------------------------------------

    def note(self, node: ast.AST, message: str) -> None:
        """Report a difference from the original."""
        self.notes.append(Remark(getattr(node, "lineno", 1), message))

    def refuse(self, node: ast.AST, message: str) -> None:
        """Report a part that is not rewritten."""
        self.handled.update(ast.walk(node))
        self.refusals.append(Remark(getattr(node, "lineno", 1), message))

    # Writing ----------------------------------------------------------------------------------

    def replace(self, node: ast.expr | ast.stmt, text: str) -> None:
        """Write another text for a node."""
        self.handled.update(ast.walk(node))
        self._edits.add(_Edit(*self._span(node), text))

    def replace_between(self, first: ast.arg, last: ast.arg, text: str) -> None:
        """Write another text for two arguments and what is between them."""
        self.handled.update([*ast.walk(first), *ast.walk(last)])
        self._edits.add(_Edit(self._span(first)[0], self._span(last)[1], text))

    def replace_statement(self, node: ast.stmt, lines: list[str]) -> None:
        """Write other lines for a statement, at its indentation; none remove it."""
        if not lines:
            self.remove(node)
            return
        if self._shares_lines(node):
            self.refuse(node, "it shares a line with another statement: write each on its own line")
            return
        self.handled.update(ast.walk(node))
        self._written.append((node, lines, True))

    def insert_before(self, node: ast.stmt, lines: list[str]) -> None:
        """Write lines before a statement, at its indentation."""
        self._written.append((node, lines, False))

    def remove(self, node: ast.stmt) -> None:
        """Remove a statement with its lines."""
        self.handled.update(ast.walk(node))
        self._removed.append(node)

    def remove_base(self, node: ast.ClassDef, base: ast.expr) -> None:
        """Remove a base from a class."""
        if len(node.bases) > 1 or node.keywords:
            self.replace(base, "object")
            return
        self.handled.update(ast.walk(base))
        start, end = self._span(base)
        start, end = self.text.rindex("(", 0, start), self.text.index(")", end) + 1
        self._edits.add(_Edit(start, end, ""))

    def unindent(self, node: ast.With | ast.If) -> None:
        """Replace a compound statement by its body."""
        first, header = node.body[0], node.lineno - 1
        if first.lineno - 1 <= header or self.lines.line(first.lineno - 1).lstrip()[:1] == "@":
            self.refuse(node, "its body is not on lines of its own")
            return
        width = len(self.indent(first)) - len(self.indent(node))
        begin = self._header_end(node)
        self._edits.add(_Edit(self.lines.start(header), self.lines.start(begin), ""))
        for line in range(begin, node.end_lineno or begin):
            if line not in self._own_lines and self.lines.line(line).strip():
                self._narrowed[line] = self._narrowed.get(line, 0) + width

    def result(self) -> str:
        """Return the text with all changes."""
        self._write_removals()
        self._write_statements()
        for line, width in self._narrowed.items():
            start = self.lines.start(line)
            self._edits.add(_Edit(start, start + width, ""))
        text, done = [], 0
        # Of changes with one start, insertions come first, then the largest.
        for edit in sorted(self._edits, key=lambda one: (one.start, one.end > one.start, -one.end)):
            if edit.start < done:  # within a larger change
                continue
            text += [self.text[done : edit.start], edit.text]
            done = edit.end
        return self._with_additions("".join([*text, self.text[done:]]))

    def _write_statements(self) -> None:
        newline = self.lines.newline
        for node, lines, is_instead in self._written:
            indent = self.indent(node)[self._narrowed.get(node.lineno - 1, 0) :]
            if is_instead:
                self._edits.add(_Edit(*self._span(node), f"{newline}{indent}".join(lines)))
            else:
                start = self.lines.start(node.lineno - 1)
                text = "".join(f"{indent}{line}{newline}" for line in lines)
                self._edits.add(_Edit(start, start, text))

    def _write_removals(self) -> None:
        gone = set(self._removed)
        for node in self._removed:
            block = self._block(node)
            is_whole = gone.issuperset(block) and not isinstance(self.parents[node], ast.Module)
            if self._shares_lines(node) or (is_whole and node is block[0]):
                self._edits.add(_Edit(*self._span(node), "pass"))
                continue
            start = self.lines.start(node.lineno - 1)
            end = self.lines.start(node.end_lineno or node.lineno)
            self._edits.add(_Edit(start, end, ""))

    def _with_additions(self, text: str) -> str:
        """Add the imports and definitions after the imports at the top."""
        tree = read(text)
        new = _missing_imports(tree, self.imports)
        if not new and not self.definitions:
            return text
        lines, newline = Lines(text), self.lines.newline
        last = _imports_end(tree)
        at = lines.start(last)
        head, tail = text[:at], text[at:]
        if head and not head.endswith(("\n", "\r")):
            head += newline
        added = "".join(f"{one}{newline}" for one in new)
        if self.definitions:
            bodies = [one.strip("\n").replace("\n", newline) for one in self.definitions.values()]
            added += "".join(f"{newline}{newline}{one}{newline}" for one in bodies)
            tail = f"{newline}{newline}" + tail.lstrip("\r\n") if tail.strip() else tail
        return head + added + tail

    def _span(self, node: ast.expr | ast.stmt | ast.arg) -> tuple[int, int]:
        start = self.lines.offset_of_bytes(node.lineno - 1, node.col_offset)
        end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or 0
        return start, self.lines.offset_of_bytes(end_line - 1, end_column)

    def _block(self, node: ast.stmt) -> list[ast.stmt]:
        for field in ("body", "orelse", "finalbody"):
            block = getattr(self.parents[node], field, None)
            if isinstance(block, list) and node in block:
                return block
        return [node]

    def _shares_lines(self, node: ast.stmt) -> bool:
        """Return whether other code is on a statement's first or last line."""
        start, end = self._span(node)
        before = self.text[self.lines.start(node.lineno - 1) : start].strip()
        after = self.text[end : self.lines.start(node.end_lineno or node.lineno)].strip()
        return bool(before) or bool(after and not after.startswith("#"))

    def _header_end(self, node: ast.With | ast.If) -> int:
        """Return the first line, from 0, after a compound statement's header."""
        parts = (
            [node.test] if isinstance(node, ast.If) else [one.context_expr for one in node.items]
        )
        return max(part.end_lineno or part.lineno for part in parts)

    def _continued_strings(self) -> set[int]:
        """Return the lines, from 0, that begin within a string."""
        return {
            line
            for node in ast.walk(self.tree)
            if (isinstance(node, ast.Constant) and isinstance(node.value, str | bytes))
            or isinstance(node, ast.JoinedStr)
            for line in range(node.lineno, node.end_lineno or node.lineno)
        }


def _imports_end(tree: ast.Module) -> int:
    """Return the line, from 0, after the imports at the top of a program."""
    end = 0
    for node in tree.body:
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not is_text and not isinstance(node, ast.Import | ast.ImportFrom):
            break
        end = node.end_lineno or end
    return end


def _missing_imports(tree: ast.Module, wanted: set[str]) -> list[str]:
    """Return the import statements that a program lacks, names of one module in one of them."""
    have = {
        (getattr(node, "module", None), alias.name, alias.asname)
        for node in tree.body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    plain, names = [], dict[str, list[str]]()
    for statement in sorted(wanted):
        node = read(statement).body[0]
        assert isinstance(node, ast.Import | ast.ImportFrom)
        module = getattr(node, "module", None)
        for alias in node.names:
            if (module, alias.name, alias.asname) in have:
                continue
            have.add((module, alias.name, alias.asname))
            if module is None:
                plain.append(statement)
            else:
                names.setdefault(module, []).append(alias.name)
    return [*plain, *(f"from {one} import {', '.join(names[one])}" for one in sorted(names))]
