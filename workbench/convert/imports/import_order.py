"""Where new import statements go among those that a module begins with, as isort would have it.

Sections follow each other: `__future__`, the standard library, other packages, the project's own,
relative imports. In each, plain imports come before `from` imports, or all go by their modules.
"""

from __future__ import annotations

import ast
import sys
from bisect import bisect_right
from collections.abc import Iterable, Sequence

from workbench.source.analysis import Analysis
from workbench.targets.helpers import MODULE

Statement = ast.Import | ast.ImportFrom
_Key = tuple[int, int, str, bool]

_FUTURE, _STANDARD, _OTHER, _OWN, _RELATIVE = range(5)


class Block:
    """The imports that a module begins with, and the lines that join them."""

    def __init__(self, analysis: Analysis, statements: Sequence[Statement]) -> None:
        self.statements = list(statements)
        self._blank = [_blank_above(analysis, statement) for statement in statements]
        self._ranks = self._ranked()
        kinds = [_key(one, rank, False) for one, rank in zip(statements, self._ranks, strict=True)]
        names = [_key(one, rank, True) for one, rank in zip(statements, self._ranks, strict=True)]
        self._by_module = kinds != sorted(kinds)
        self._keys = names if self._by_module else kinds
        single = all(len(one.names) == 1 for one in statements if isinstance(one, ast.Import))
        self.sorted = bool(statements) and single and self._keys == sorted(self._keys)
        # Whether names under other names are imported apart from those of their module.
        self.apart = not any(
            isinstance(one, ast.ImportFrom)
            and len(one.names) > 1
            and any(a.asname for a in one.names)
            for one in statements
        )
        ranks = self._ranks
        turns = [self._blank[n] for n in range(1, len(ranks)) if ranks[n] != ranks[n - 1]]
        self._divided = not turns or any(turns)
        self._before: dict[int, list[tuple[int, str]]] = {}
        self._after: dict[int, list[tuple[int, str]]] = {}

    def _ranked(self) -> list[int]:
        """Return the section of each statement; a second third-party group is first-party."""
        ranks: list[int] = []
        for statement, blank in zip(self.statements, self._blank, strict=True):
            rank = _rank(statement)
            if rank == _OTHER and ranks and (ranks[-1] == _OWN or (ranks[-1] == _OTHER and blank)):
                rank = _OWN
            ranks.append(rank)
        return ranks

    def put(self, lines: Iterable[str], gone: Iterable[Statement]) -> None:
        """Find a position for new lines, that of a removed statement if it fits."""
        going = {id(statement) for statement in gone}
        keyed = sorted((self._key(line), line) for line in lines)
        for key, line in keyed:
            rank, at = key[0], bisect_right(self._keys, key)
            near = [
                index < len(self._ranks) and index >= 0 and self._ranks[index] == rank
                for index in (at - 1, at)
            ]
            replaces = near[1] and id(self.statements[at]) in going
            if self._shares_line(at):  # a line before it comes before the other code on its line
                self._after.setdefault(at, []).append((rank, line))
            elif replaces or at == 0 or (near[1] and not near[0]):
                self._before.setdefault(at, []).append((rank, line))
            else:
                self._after.setdefault(at - 1, []).append((rank, line))

    def _shares_line(self, at: int) -> bool:
        """Return whether a statement follows another on its line."""
        if not 0 < at < len(self.statements):
            return False
        return self.statements[at].lineno == self.statements[at - 1].end_lineno

    def _key(self, line: str) -> _Key:
        node = ast.parse(line).body[0]
        assert isinstance(node, Statement)
        return _key(node, _rank(node), self._by_module)

    def before(self, statement: Statement) -> list[str]:
        """Return the lines right before a statement, empty ones between sections."""
        index = self._index(statement)
        return self._spaced([*self._before.get(index, []), (self._ranks[index], "")])[:-1]

    def after(self, statement: Statement) -> list[str]:
        """Return the lines right after a statement."""
        index = self._index(statement)
        return self._spaced([(self._ranks[index], ""), *self._after.get(index, [])])[1:]

    def _index(self, statement: Statement) -> int:
        return next(n for n, one in enumerate(self.statements) if one is statement)

    def _spaced(self, lines: Sequence[tuple[int, str]]) -> list[str]:
        result: list[str] = []
        last = lines[0][0]
        for rank, line in lines:
            if rank != last and self._divided:
                result.append("")
            result.append(line)
            last = rank
        return result


def _blank_above(analysis: Analysis, statement: Statement) -> bool:
    return statement.lineno > 1 and not analysis.lines.line(statement.lineno - 2).strip()


def _key(statement: Statement, rank: int, by_module: bool) -> _Key:
    if rank in {_FUTURE, _RELATIVE}:
        return rank, 0, "", False
    plain = by_module or isinstance(statement, ast.Import)
    return rank, 0 if plain else 1, _module(statement).lower(), is_renaming(statement)


def is_renaming(statement: Statement) -> bool:
    """Return whether a statement imports one name under another: `from m import a as b`."""
    names = statement.names
    return isinstance(statement, ast.ImportFrom) and len(names) == 1 and bool(names[0].asname)


def _module(statement: Statement) -> str:
    return statement.names[0].name if isinstance(statement, ast.Import) else statement.module or ""


def _rank(statement: Statement) -> int:
    if isinstance(statement, ast.ImportFrom) and statement.level:
        return _RELATIVE
    module = _module(statement)
    root = module.partition(".")[0]
    if root == "__future__":
        return _FUTURE
    if root in sys.stdlib_module_names:
        return _STANDARD
    return _OWN if module.rpartition(".")[2] == MODULE else _OTHER
