"""The spelling of the target's names in a file: under its names for torch's modules.

`import torch.nn as nn` becomes `import paddle.nn as nn`, and lines with `nn.` keep it; `from
torch.utils.data import DataLoader` becomes `from paddle.io import DataLoader`.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from workbench.convert.decide.planner import Plan
from workbench.rules.outcome import Rewrite
from workbench.rules.template import compile_template
from workbench.source.analysis import Analysis
from workbench.source.tree import within
from workbench.source.uses import TorchImport, UseKind
from workbench.targets import Target
from workbench.targets.helpers import HelperLibrary, Import


@dataclass(frozen=True, slots=True)
class Constant:
    """A value that a file defines once for all of its uses.

    Attributes:
        name: as templates write it.
        bound: as the file calls it.
        line: the statement that defines it, as the file spells it.
        there: the file has the statement already.
    """

    name: str
    bound: str
    line: str
    there: bool


@dataclass(slots=True)
class Spelling:
    """The short names of a file.

    Attributes:
        modules: the target's modules, by their names in the file: `{"paddle.nn": "nn"}`.
        names: single names of the target, likewise: `{"paddle.io.DataLoader": "DataLoader"}`.
        imports: by the identity of an import's alias, its replacement for each short name.
        known: the short names that the file already had for the target's.
        constants: the target's constants under the file's names for them.
        quote: the quote of most of the file's strings, or empty.
    """

    module: str = ""
    modules: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    imports: dict[str, Import] = field(default_factory=dict)
    known: set[str] = field(default_factory=set)
    constants: list[Constant] = field(default_factory=list)
    quote: str = ""
    _spelled: dict[str, str] = field(default_factory=dict)

    def __call__(self, text: str) -> str:
        """Return a template, or code, with names and strings as the file spells them."""
        known = self._spelled.get(text)
        if known is None:
            known = self._spelled[text] = self._write(text)
        return known

    def _write(self, text: str) -> str:
        if self.quote and self.quote not in text and "\\" not in text and "#" not in text:
            text = re.sub("[\"']", self.quote, text)
        for one in self.constants:
            if one.name in text:
                text = re.sub(rf"\b{one.name}\b", one.bound, text)
        if not (self.modules or self.names) or self.module not in text:
            return text
        return re.sub(rf"(?<![\w.\"']){self.module}(?:\.[A-Za-z_]\w*)+", self._short, text)

    def _short(self, found: re.Match[str]) -> str:
        dotted = found[0]
        parts = dotted.split(".")
        for end in range(len(parts), 1, -1):
            head = ".".join(parts[:end])
            bound = self.names.get(head) or self.modules.get(head)
            if bound:
                return ".".join([bound, *parts[end:]])
        return dotted


def spelling_of(
    analysis: Analysis,
    plans: Iterable[Plan],
    needed: Collection[str],
    target: Target,
    first: int = 0,
    later: Iterable[Plan] = (),
) -> Spelling:
    """Return the short names that converted code may use.

    Args:
        analysis: the program.
        plans: of the uses that are converted.
        needed: names bound to torch that stay in use: they cannot mean the target's.
        target: where to.
        first: imports before this line stand elsewhere, and are not the code's own.
        later: plans of uses that another fix may convert.
    """
    result = Spelling(target.module)
    if not target.counterparts and not target.constants:
        return result
    double, single = analysis.text.count('"'), analysis.text.count("'")
    if double != single:
        result.quote = '"' if double > single else "'"
    top = {id(statement) for statement in analysis.tree.body}
    bound, mentioned, members = _names(analysis.tree, target.helpers)
    once = {name for name, count in bound.items() if count == 1}
    if "*" in needed:  # a star import that stays may hide them
        once -= star_imported(analysis, target)
    free = [
        item
        for item in analysis.imports
        if item.statement.lineno > first
        and id(item.statement) in top
        and item.bound in once
        and item.bound not in needed
        and not item.own
    ]
    _take_known(result, analysis.tree, once, target.module)
    result.known = set(result.imports)
    singles: dict[str, TorchImport] = {}
    for item in free:
        other = target.counterparts.get(item.name)
        if other is None:
            if not target.facts.is_module(item.name):
                singles[item.bound] = item
        elif other != target.module and other not in result.modules:
            result.modules[other] = item.bound
            result.imports[item.bound] = _of_module(item, other)
    taken = mentioned | bound.keys()
    _name_singles(result, singles, plans, target, taken)
    # No `init` next to `nn.init`, whether that is in the text already or not yet.
    unlike = taken | members | result.imports.keys() | _members_written((*plans, *later))
    result.constants = [
        _constant(analysis, name, preferred, result, result(code), unlike)
        for name, (preferred, code) in target.constants.items()
    ]
    result._spelled.clear()  # without the constants
    return result


def _members_written(plans: Iterable[Plan]) -> set[str]:
    """Return the members that rewrites of uses bring into the text."""
    outcomes = [one.outcome for one in plans if isinstance(one.outcome, Rewrite)]
    # Many uses have the same template.
    texts = {text for one in outcomes for text in (one.template, *one.texts.values(), one.after)}
    return {name for text in texts if text for name in re.findall(r"\.(\w+)", text)}


def star_imported(analysis: Analysis, target: Target) -> set[str]:
    """Return the names that the program's star imports of torch bind."""
    stars = {item.name for item in analysis.imports if item.bound == "*"}
    return {short for module in stars for short, _ in target.facts.offered(module)}


def _constant(
    analysis: Analysis,
    name: str,
    preferred: str,
    spelling: Spelling,
    code: str,
    taken: Collection[str],
) -> Constant:
    """Return a constant under an unused name, or under the name that it has in the file."""
    made = ast.parse(code, mode="eval").body
    for statement in analysis.tree.body:
        if isinstance(statement, ast.Assign) and _is_like(statement.value, made):
            [aim, *more] = statement.targets
            written = ast.parse(spelling(ast.unparse(statement.value)), mode="eval").body
            same = ast.dump(written) == ast.dump(made)
            if same and isinstance(aim, ast.Name) and not more:
                return Constant(name, aim.id, "", True)
    bound = next(one for one in (preferred, name, f"{name}_") if one not in taken)
    return Constant(name, bound, f"{bound} = {code}", False)


def _is_like(value: ast.expr, made: ast.expr) -> bool:
    """Return whether two values may be written alike: calls with as many arguments."""
    if not isinstance(value, ast.Call) or not isinstance(made, ast.Call):
        return type(value) is type(made)
    return (len(value.args), len(value.keywords)) == (len(made.args), len(made.keywords))


def _take_known(result: Spelling, tree: ast.Module, once: Collection[str], module: str) -> None:
    """Note the short names that the file already has, from an earlier fix or a person."""
    for statement in tree.body:
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                bound = alias.asname
                if bound and bound in once and alias.name.startswith(f"{module}."):
                    result.modules[alias.name] = bound
                    result.imports[bound] = Import(alias.name, "", bound)
        elif isinstance(statement, ast.ImportFrom) and not statement.level:
            package = statement.module or ""
            for alias in statement.names:
                bound = alias.asname or alias.name
                if package.partition(".")[0] == module and bound in once:
                    dotted = f"{package}.{alias.name}"
                    lower = alias.name.islower()  # usually a module whose members are accessed
                    (result.modules if lower else result.names)[dotted] = bound
                    result.names[dotted] = bound
                    result.imports[bound] = Import(package, alias.name, bound)


def _of_module(item: TorchImport, other: str) -> Import:
    """Return the import of a target's module in torch's form: `from torch import nn` or whole."""
    package, _, last = other.rpartition(".")
    if isinstance(item.statement, ast.ImportFrom):
        return Import(package, last, item.bound)
    return Import(other, "", item.bound)


def _name_singles(
    result: Spelling,
    singles: dict[str, TorchImport],
    plans: Iterable[Plan],
    target: Target,
    taken: Collection[str],
) -> None:
    """Add names imported one by one: the target's names, imported in the same way."""
    for one in plans:
        outcome, node = one.outcome, one.use.node
        if not isinstance(outcome, Rewrite) or one.use.kind is UseKind.INDIRECT:
            continue
        head: ast.AST = one.use.call.func if one.use.call is not None else node
        template = compile_template(outcome.template)
        dotted = template.callee if template.is_call else template.text
        while isinstance(head, ast.Attribute) and dotted.endswith(f".{head.attr}"):
            head, dotted = head.value, dotted.rpartition(".")[0]  # a member of the imported name
        if not isinstance(head, ast.Name) or head.id not in singles:
            continue
        package, _, last = dotted.rpartition(".")
        if not re.fullmatch(rf"{target.module}(\.\w+)+", dotted) or dotted in result.names:
            continue
        item = singles[head.id]
        renamed = item.bound != item.name.rpartition(".")[2]
        bound = item.bound if renamed or last == item.bound else last
        if bound in result.imports or (bound != item.bound and bound in taken):
            continue
        result.names[dotted] = bound
        result.imports[bound] = Import(package, last, bound)


@lru_cache(maxsize=1)  # every fix of a file needs them
def _names(
    tree: ast.Module, helpers: HelperLibrary
) -> tuple[Counter[str], frozenset[str], frozenset[str]]:
    """Return how often each name is bound in any scope, all names, and those of members.

    A name that has its meaning once, by an import, has it everywhere. Members in helpers of an
    earlier fix are left out.
    """
    found: Counter[str] = Counter()
    mentioned: set[str] = set()
    members: set[str] = set()
    nodes = ((one, part) for one in tree.body for part in (one, *within(one)))
    for statement, node in nodes:
        if type(node) is ast.Name:
            mentioned.add(node.id)
            if type(node.ctx) is not ast.Load:
                found[node.id] += 1
        elif type(node) is ast.arg:
            found[node.arg] += 1
        elif type(node) is ast.Attribute:
            if getattr(statement, "name", None) not in helpers:
                members.add(node.attr)
        elif isinstance(node, ast.expr):
            pass  # no other expression binds a name
        elif isinstance(node, ast.Import | ast.ImportFrom):
            # A star binds names that are not in the text.
            names = (one.asname or one.name.partition(".")[0] for one in node.names)
            found.update(name for name in names if name != "*")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found[node.name] += 1
        elif isinstance(node, ast.Global | ast.Nonlocal):
            found.update(node.names)
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            found[node.name] += 1
    return found, frozenset(mentioned), frozenset(members)
