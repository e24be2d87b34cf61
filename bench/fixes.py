"""Fixes that are accepted one after the other, in random order, until a file is converted.

After each step the text is read again, as in an editor. It must parse and define names before their
use; at the end it must equal the conversion of the whole file.
"""

from __future__ import annotations

import ast
import builtins
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import workbench
from bench.sources import PLAIN_PACKAGES, files_of
from bench.table import Row
from workbench import Finding, Fix, apply_edits, fix_together
from workbench.targets import DEFAULT

_FILES = 60
_LONGEST = 260  # lines of a file, each of which has its fixes accepted one by one


def rows() -> Iterator[Row]:
    """Yield how many real files have equal results in random order; print each failure."""
    files = files_of(*PLAIN_PACKAGES, longest=_LONGEST, count=_FILES)
    for mixed in (False, True):
        good = 0
        for place, file in enumerate(files):
            found = Session(file.read_text(encoding="utf-8"), random.Random(place)).run(mixed)
            good += not found
            for problem in found:
                print(f"{file}: {problem}")
        kind = "with undoing, class and file fixes" if mixed else "one by one"
        yield Row(f"fixes {kind}, files the same", f"{good} of {len(files)}", budget="all")


@dataclass
class Session:
    """A file in an editor, and the order in which its fixes are accepted.

    Attributes:
        text: the file, then the result of fixes.
        chance: the random numbers that select the next fix.
        style: the style of the conversion; None is the default.
        target: the target.
        past: the texts before each fix, for undoing.
        problems: the problems so far.
    """

    text: str
    chance: random.Random
    style: str | None = None
    target: str = DEFAULT
    past: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def run(self, mixed: bool = False) -> list[str]:
        """Accept fixes until none is left; return what is wrong, if anything.

        Args:
            mixed: some steps are undone, and some fixes are of a class or of the file.
        """
        whole = workbench.convert(self.text, target=self.target, style=self.style).code
        late = used_before(self.text)
        undone = 0
        while not self.problems:
            if mixed and self.past and undone < 8 and self.chance.random() < 0.15:
                self.text, undone = self.past.pop(), undone + 1
                continue
            fix = self._next(mixed)
            if fix is None:
                break
            self._take(fix, late)
        if not self.problems:
            self.problems += differences(self.text, whole)
        return self.problems

    def _next(self, mixed: bool) -> Fix | None:
        every = workbench.check(self.text, target=self.target, style=self.style)
        found = [one for one in every if one.make_fix is not None]
        self.chance.shuffle(found)
        if mixed and found and self.chance.random() < 0.1:
            together = fix_together(self._scope(found))
            if together is not None:
                return together
        fixes = (one.fix for one in found)
        return next((fix for fix in fixes if fix is not None and fix.edits), None)

    def _scope(self, found: list[Finding]) -> list[Finding]:
        """Return the findings of one class, or of the file."""
        classes = [node for node in ast.parse(self.text).body if isinstance(node, ast.ClassDef)]
        chosen = self.chance.choice([*classes, None])
        if chosen is None:
            return found
        lines = range(chosen.lineno - 1, chosen.end_lineno or chosen.lineno)
        return [one for one in found if one.range.start.line in lines]

    def _take(self, fix: Fix, late: set[str]) -> None:
        new = apply_edits(self.text, fix.edits)
        try:
            ast.parse(new)
        except SyntaxError as error:
            self.problems.append(f"after {fix.title!r} it does not parse: {error}")
            return
        if new == self.text or new in self.past:
            self.problems.append(f"{fix.title!r} leads nowhere")
        if missing := used_before(new) - late:
            self.problems.append(f"after {fix.title!r} used before defined: {sorted(missing)}")
        self.past.append(self.text)
        self.text = new


def differences(code: str, whole: str) -> list[str]:
    """Return the differences of two texts, independent of the names of imports."""
    found = []
    if _imports_torch(code) and not _imports_torch(whole):
        found.append("torch is imported still")
    mine, theirs = Counter(canonical(code)), Counter(canonical(whole))
    for title, extra in (("said", mine - theirs), ("should say", theirs - mine)):
        found += [f"{title}: {statement.partition(chr(10))[0]}" for statement in extra]
    return found


def canonical(code: str) -> list[str]:
    """Return the top-level statements with full names of imports, without the imports."""
    tree = ast.parse(code)
    bound: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            bound |= {one.asname: one.name for one in node.names if one.asname}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            bound |= {one.asname or one.name: f"{node.module}.{one.name}" for one in node.names}
    return [ast.unparse(node) for node in _InFull(bound).visit(tree).body]


class _InFull(ast.NodeTransformer):
    def __init__(self, bound: dict[str, str]) -> None:
        self.bound = bound

    def visit_Name(self, node: ast.Name) -> ast.AST:
        dotted = self.bound.get(node.id)
        return ast.parse(dotted, mode="eval").body if dotted else node

    def visit_Import(self, node: ast.Import) -> None:
        return None

    visit_ImportFrom = visit_Import  # type: ignore[assignment]  # noqa: N815


def used_before(code: str) -> set[str]:
    """Return names of a module that run before the statement that defines them."""
    body = ast.parse(code).body
    defined = [set(_defined(statement)) for statement in body]
    every = set().union(*defined)
    known: set[str] = set(dir(builtins))
    found: set[str] = set()
    for statement, names in zip(body, defined, strict=True):
        own = names if isinstance(statement, ast.FunctionDef | ast.ClassDef) else set()
        found |= {name for name in _run_at_once([statement]) if name in every} - known - names | (
            own & set(_run_at_once(_outside(statement))) - known
        )
        known |= names
    return found


def _outside(statement: ast.stmt) -> Iterable[ast.AST]:
    """Return the expressions that a definition evaluates before its name is bound."""
    if isinstance(statement, ast.ClassDef):
        return [*statement.decorator_list, *statement.bases]
    return statement.decorator_list if isinstance(statement, ast.FunctionDef) else []


def _defined(statement: ast.stmt) -> Iterator[str]:
    for node in ast.walk(statement):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from (one.asname or one.name.partition(".")[0] for one in node.names)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield statement.name


def _run_at_once(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Return the names that a module reads when it runs, without bodies of functions."""
    stack = list(nodes)
    while stack:
        node = stack.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            defaults = [*node.args.defaults, *(one for one in node.args.kw_defaults if one)]
            stack += defaults + getattr(node, "decorator_list", [])
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id
        stack += ast.iter_child_nodes(node)


def _imports_torch(code: str) -> bool:
    names = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            names |= {one.name.partition(".")[0] for one in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names.add((node.module or "").partition(".")[0])
    return "torch" in names


def of_file(path: Path, seed: int = 0, *, mixed: bool = False) -> list[str]:
    """Return what is wrong if the fixes of one file are accepted one after the other."""
    return Session(path.read_text(encoding="utf-8"), random.Random(seed)).run(mixed)
