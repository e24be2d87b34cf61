"""Positions of import statements: those at the start of the code, and the scopes they reach."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from workbench.convert.imports.import_order import Statement
from workbench.source.analysis import Analysis
from workbench.source.tree import unparsed
from workbench.source.uses import TorchImport

_DEFINITIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def leading_imports(analysis: Analysis, first: int = 0) -> list[Statement]:
    """Return the imports that the code begins with, after its docstring."""
    return [one for one in leading_statements(analysis, first) if isinstance(one, Statement)]


def leading_statements(analysis: Analysis, first: int) -> list[ast.stmt]:
    found: list[ast.stmt] = []
    for statement in analysis.tree.body:
        if statement.lineno <= first:
            continue
        docstring = (
            not found
            and isinstance(statement, ast.Expr)
            and isinstance(statement.value, ast.Constant)
            and isinstance(statement.value.value, str)
        )
        if not docstring and not isinstance(statement, Statement):
            break
        found.append(statement)
    return found


def line_below(analysis: Analysis, statement: ast.stmt) -> int:
    """Return the offset of the line after a statement and its continued comment."""
    line = statement.end_lineno or statement.lineno
    rest = analysis.text[analysis.span(statement)[1] : analysis.lines.start(line)]
    while rest.strip() == "\\":
        rest = analysis.lines.line(line)
        line += 1
    return analysis.lines.start(line)


def import_line(analysis: Analysis, first: int = 0) -> int:
    """Return the offset of a new import: after the last leading import, docstring or future."""
    leading = leading_statements(analysis, first)
    if leading:
        return line_below(analysis, leading[-1])
    return analysis.lines.start(first) if first else _first_code_line(analysis)


def _first_code_line(analysis: Analysis) -> int:
    """Return the offset after a byte order mark, a #! line and an encoding line."""
    line = 0
    while (
        analysis.lines.line(line).lstrip("\ufeff").startswith(("#!", "# -*-", "# vim", "# coding"))
    ):
        line += 1
    if line == 0 and analysis.text.startswith("\ufeff"):
        return 1
    return analysis.lines.start(line)


def within_reach(analysis: Analysis, lines: Iterable[int]) -> bool:
    """Return whether an import of torch below the top level is in scope on each of these lines.

    Its replacement is in scope there too. An import only for type checkers is in scope nowhere.
    """
    statements = {id(item.statement) for item in analysis.imports}
    reached: list[range] = []

    def visit(node: ast.AST, reach: range) -> None:
        if id(node) in statements:
            reached.append(reach)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            reach = range(node.lineno, (node.end_lineno or node.lineno) + 1)
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in unparsed(node.test):
            reach = range(0)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
                visit(child, reach)

    visit(analysis.tree, range(len(analysis.lines) + 1))
    return all(any(line in reach for reach in reached) for line in lines)


def path_extension(analysis: Analysis, first: int = 0) -> ast.stmt | None:
    """Return the last statement that changes `sys.path` before the code does anything else."""
    found = None
    used = {use.node.lineno for use in analysis.uses}
    for statement in analysis.tree.body:
        lines = range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
        if isinstance(statement, _DEFINITIONS) or not used.isdisjoint(lines):
            break
        if statement.lineno > first and any(map(_is_search_path, ast.walk(statement))):
            found = statement
    return found


def _is_search_path(node: ast.AST) -> bool:
    match node:
        case ast.Attribute(value=ast.Name(id="sys"), attr="path"):
            return True
        case ast.Attribute(value=ast.Name(id="site"), attr="addsitedir"):
            return True
    return False


def tried_imports(
    tree: ast.Module, removed: Iterable[tuple[Statement, list[TorchImport]]]
) -> tuple[set[int], set[int]]:
    """Return the removed imports, by identity: the first of each `try` at the top, and others."""
    gone = {id(statement) for statement, _ in removed}
    first: set[int] = set()
    later: set[int] = set()
    for block in tree.body:
        if isinstance(block, ast.Try):
            inside_it = [id(one) for one in block.body if id(one) in gone]
            first.update(inside_it[:1])
            later.update(inside_it[1:])
    return first, later
