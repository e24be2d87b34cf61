"""Conditions of a captured graph on its inputs' sizes beyond ranges: divisibility and equality.

torch keeps these as Python source over `L['x'].size()[0]`, and enforces them when the exported
program is called. This module parses them into expressions that any caller can check or print.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from torch.export import ExportedProgram


@dataclass(frozen=True, slots=True)
class Size:
    """A size of an input: the argument's name, the path inside it, and the dimension."""

    name: str
    path: str
    axis: int

    def __str__(self) -> str:
        return f"{self.name}{self.path}.shape[{self.axis}]"


@dataclass(frozen=True)
class Guard:
    """A condition on sizes under which the graph equals the model."""

    condition: ast.expr
    sizes: tuple[Size, ...]

    def text(self, write: Callable[[Size], str] = str) -> str:
        """Return the condition as Python source, each size written by `write`."""
        return ast.unparse(_Filled(write).visit(_copied(self.condition)))

    @property
    def divisor(self) -> int | None:
        """The divisor of the guard's only size, if the guard says nothing else; else None."""
        match self.condition:
            case ast.Compare(
                left=ast.BinOp(left=ast.Call(), op=ast.Mod(), right=ast.Constant(int(number))),
                ops=[ast.Eq()],
                comparators=[ast.Constant(0)],
            ):
                return number
        return None


def guards(program: ExportedProgram) -> tuple[Guard, ...]:
    """Return the program's guards on sizes, without those that others imply."""
    found: dict[str, Guard] = {}
    for line in getattr(program, "_guards_code", None) or ():
        try:
            condition = ast.parse(line, mode="eval").body
        except SyntaxError:
            continue
        reader = _Sizes()
        condition = reader.visit(condition)
        # Conditions on values or types are covered by the types of the captured inputs.
        if reader.sizes and not reader.others and not _is_fixed(condition):
            guard = Guard(condition, tuple(dict.fromkeys(reader.sizes)))
            found.setdefault(guard.text(), guard)
    divisors: dict[Size, list[int]] = {}
    for guard in found.values():
        if guard.divisor is not None:
            divisors.setdefault(guard.sizes[0], []).append(guard.divisor)
    return tuple(guard for guard in found.values() if not _implied(guard, divisors))


def _is_fixed(condition: ast.expr) -> bool:
    """Return whether a size is fixed to the example's, which its shape says already."""
    match condition:
        case ast.Compare(left=ast.Call(), ops=[ast.Eq()], comparators=[ast.Constant()]):
            return True
    return False


def _implied(guard: Guard, divisors: Mapping[Size, Sequence[int]]) -> bool:
    """Return whether another guard requires a multiple of this one's divisor."""
    number = guard.divisor
    if number is None:
        return False
    return any(n != number and n % number == 0 for n in divisors[guard.sizes[0]])


def _copied(node: ast.expr) -> ast.expr:
    return ast.parse(ast.unparse(node), mode="eval").body


class _Sizes(ast.NodeTransformer):
    """Transformer that turns `L['x'][0].size()[1]` into a call of `size`, and lists the sizes."""

    def __init__(self) -> None:
        self.sizes: list[Size] = []
        self.others = False

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        match node:
            case ast.Subscript(
                value=ast.Call(func=ast.Attribute(value=owner, attr="size"), args=[]),
                slice=ast.Constant(int(axis)),
            ):
                path: list[str] = []
                while isinstance(owner, ast.Subscript) and not _is_scope(owner.value):
                    path.append(f"[{ast.unparse(owner.slice)}]")
                    owner = owner.value
                if isinstance(owner, ast.Subscript) and isinstance(owner.slice, ast.Constant):
                    size = Size(str(owner.slice.value), "".join(reversed(path)), axis)
                    self.sizes.append(size)
                    arguments = [ast.Constant(size.name), ast.Constant(size.path)]
                    return ast.Call(ast.Name("size"), [*arguments, ast.Constant(axis)], [])
        self.others = True
        return node

    def visit_Name(self, node: ast.Name) -> ast.Name:
        self.others = True
        return node


def _is_scope(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "L"


class _Filled(ast.NodeTransformer):
    """Transformer that puts the text of each size back in."""

    def __init__(self, write: Callable[[Size], str]) -> None:
        self._write = write

    def visit_Call(self, node: ast.Call) -> ast.expr:
        name, path, axis = (a.value for a in node.args if isinstance(a, ast.Constant))
        return ast.parse(self._write(Size(str(name), str(path), int(str(axis)))), mode="eval").body
