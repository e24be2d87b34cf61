"""A cell and its conversion, divided into pairs of corresponding statements.

The two sides run in turns, one step at a time. torch's random draws of a step can thus be passed to
the target before anything depends on them.
"""

from __future__ import annotations

import ast
import copy
import symtable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass
class Step:
    """Statements of the cell and their conversions; lines are 0-based.

    `added` are imports and helpers of the target that correspond to no statement of the cell.
    """

    first: int
    last: int
    torch: list[ast.stmt] = field(default_factory=list)
    target: list[ast.stmt] = field(default_factory=list)
    added: list[ast.stmt] = field(default_factory=list)

    @cached_property
    def defines(self) -> bool:
        """Return whether the step only defines functions or classes, without running their code."""
        return all(isinstance(statement, _DEFINITIONS) for statement in self.torch)

    @cached_property
    def is_unchanged(self) -> bool:
        """Return whether the conversion did not change the statements."""
        return [ast.dump(each) for each in self.torch] == [ast.dump(each) for each in self.target]

    @cached_property
    def binds_alone(self) -> bool:
        """Return whether the step only imports, defines, or names or shows existing values."""
        return all(_binds_alone(statement) for statement in self.torch)

    @cached_property
    def calls_shell(self) -> bool:
        """Return whether the step contains a magic or a shell command."""
        return "get_ipython" in free_names(self.torch)

    @cached_property
    def binds(self) -> set[str]:
        """Names that the cell's statements bind at the top level."""
        return bound_names(self.torch)

    @cached_property
    def needs(self) -> set[str]:
        """Global names that the target's statements refer to, at any depth."""
        return free_names(self.target)


def pair(source: str, code: str, line_map: Sequence[int]) -> list[Step]:
    """Return the steps of a cell; `line_map` maps each line of `code` to one of `source`."""
    steps: list[Step] = []
    for statement in ast.parse(source).body:
        first, last = _span(statement)
        if steps and first <= steps[-1].last:
            steps[-1].torch.append(statement)  # two statements on one line
            steps[-1].last = max(last, steps[-1].last)
        else:
            steps.append(Step(first, last, [statement]))
    if not steps:
        return []
    current = len(steps) - 1
    statements = ast.parse(code).body
    homes = [_home(steps, _origins(each, line_map)) for each in statements]
    for index, statement in reversed(list(enumerate(statements))):
        home = homes[index]
        # Added lines (imports, helpers) belong to the statement that follows them, added calls
        # to the one that they complete.
        if home is None and isinstance(statement, ast.Expr):
            above = (each for each in reversed(homes[:index]) if each is not None)
            home = next(above, None)
        current = current if home is None else min(home, current)
        steps[current].target.insert(0, statement)
        if home is None and isinstance(statement, (ast.Import, ast.ImportFrom, *_DEFINITIONS)):
            steps[current].added.insert(0, statement)
    return steps


def _binds_alone(statement: ast.stmt) -> bool:
    if isinstance(statement, (ast.Import, ast.ImportFrom, *_DEFINITIONS)):
        return True
    return isinstance(statement, (ast.Assign, ast.Expr)) and not any(
        isinstance(node, (ast.Call, ast.Attribute, ast.Subscript)) for node in ast.walk(statement)
    )


def _home(steps: Sequence[Step], origins: Sequence[int]) -> int | None:
    for origin in origins:
        for index, step in enumerate(steps):
            if step.first <= origin <= step.last:
                return index
    return None


def _span(statement: ast.stmt) -> tuple[int, int]:
    decorators = getattr(statement, "decorator_list", [])
    first = min([statement.lineno, *(decorator.lineno for decorator in decorators)])
    return first - 1, (statement.end_lineno or statement.lineno) - 1


def _origins(statement: ast.stmt, line_map: Sequence[int]) -> Sequence[int]:
    first, last = _span(statement)
    return line_map[first : last + 1]


def bound_names(statements: Sequence[ast.stmt]) -> set[str]:
    """Return the names that statements bind in their scope."""
    table = symtable.symtable(ast.unparse(_module(statements)), "<cell>", "exec")
    return {
        symbol.get_name()
        for symbol in table.get_symbols()
        if symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()
    } | _declared_global(table)


def free_names(statements: Sequence[ast.stmt]) -> set[str]:
    """Return the names that statements read from the module's scope, also in nested functions."""
    if not statements:
        return set()
    module = _module(statements)
    if any(isinstance(node, ast.AugAssign | ast.Delete) for node in ast.walk(module)):
        module = _Reading().visit(copy.deepcopy(module))
    return _read_globals(symtable.symtable(ast.unparse(module), "<cell>", "exec"), top=True)


class _Reading(ast.NodeTransformer):
    """Writes `x += 1` as `x = x + 1`, and a read before `del x`: symbol tables miss these reads."""

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        if not isinstance(node.target, ast.Name):
            return node
        read = ast.Name(node.target.id, ast.Load())
        return ast.Assign([node.target], ast.BinOp(read, node.op, node.value), lineno=0)

    def visit_Delete(self, node: ast.Delete) -> list[ast.stmt]:
        names = [target.id for target in node.targets if isinstance(target, ast.Name)]
        return [*(ast.Expr(ast.Name(name, ast.Load())) for name in names), node]


def _module(statements: Sequence[ast.stmt]) -> ast.Module:
    return ast.Module(list(statements), [])


def _read_globals(table: symtable.SymbolTable, *, top: bool) -> set[str]:
    names = {
        symbol.get_name()
        for symbol in table.get_symbols()
        if symbol.is_referenced() and (top or symbol.is_global())
    }
    return names.union(*(_read_globals(child, top=False) for child in table.get_children()))


def _declared_global(table: symtable.SymbolTable) -> set[str]:
    names: set[str] = set()
    for child in table.get_children():
        names |= {
            symbol.get_name()
            for symbol in child.get_symbols()
            if symbol.is_declared_global() and symbol.is_assigned()
        }
        names |= _declared_global(child)
    return names
