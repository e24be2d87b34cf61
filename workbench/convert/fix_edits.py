"""The edits of a fix: the expressions that it rewrites, and the imports and helpers they need."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from workbench.convert.decide.planner import Plan
from workbench.convert.findings.messages import safety_of
from workbench.convert.fix_request import FixRequest
from workbench.convert.imports.additions import additions
from workbench.convert.imports.helper_modules import source_of_helpers
from workbench.convert.imports.import_lines import has_import
from workbench.convert.imports.needed import still_needed
from workbench.convert.rewrite.edits import as_edits, expression_changes
from workbench.convert.rewrite.moving import moved
from workbench.convert.rewrite.spelling import spelling_of
from workbench.convert.rewrite.spelling_again import spell_again
from workbench.findings import Edit, Fix, Safety
from workbench.rules.outcome import Rewrite
from workbench.source.tree import inside
from workbench.source.uses import UseKind
from workbench.targets.helpers import Import


@dataclass(frozen=True, slots=True)
class WrittenFix:
    """A fix's edits, what they rewrite, and the helpers that they import.

    Attributes:
        edits: of the text.
        rewritten: the uses, those that were not chosen included.
        helpers: what it imports from the module of helpers.
        helpers_from: that module.
    """

    edits: list[Edit]
    rewritten: tuple[Plan, ...] = ()
    helpers: tuple[str, ...] = ()
    helpers_from: str | None = None

    def fix(self, title: str) -> Fix:
        safety = max(map(safety_of, self.rewritten), key=list(Safety).index, default=None)
        return Fix(title, tuple(self.edits), self.helpers, self.helpers_from, safety)


def written_fix(request: FixRequest, chosen: Iterable[Plan]) -> WrittenFix:
    """Write chosen uses, and what goes with them."""
    analysis, target = request.analysis, request.target
    wanted = {id(node) for one in _with_unit(request, chosen) for node in inside(one.use.node)}
    rest = [one for one in _rewritten(request.plans) if id(one.use.node) not in wanted]
    last = not any(_names_torch(one) for one in rest)
    if last:
        wanted |= {id(one.use.node) for one in rest}
    converted = {id(one.use.node) for one in request.plans if one.converts}
    needed = still_needed(analysis, request.plans, converted & wanted, target)
    if needed:
        # This fix leaves imports that nothing reads.
        needed |= {one.bound for one in analysis.imports} - _read(analysis.tree)
    plans = [one for one in request.plans if id(one.use.node) in wanted]
    spelling = spelling_of(analysis, plans, needed, target, request.first, later=rest)
    printed = target.module if last else "torch"
    changes = expression_changes(analysis, request.plans, wanted, printed, spelling)
    if not changes.converted:
        return WrittenFix([])
    spell_again(analysis, changes, spelling, target)
    module = source_of_helpers(analysis, request.plans, target, request.ask())
    extra = additions(
        analysis,
        changes,
        target,
        needed=needed,
        spelling=spelling,
        first=request.first,
        imported=has_import(analysis.tree, Import(target.module, "", target.module)),
        helpers_from=module,
        whole=last,
    )
    every = [*changes.changes, *extra.changes]
    if last and request.moves and all(one.converts for one in request.plans):
        every = moved(analysis.text, every, target.moved)
    edits = [request.move(edit) for edit in as_edits(analysis, every)]
    helpers = tuple(extra.helpers) if module else ()
    return WrittenFix(edits, tuple(_rewritten(changes.settled(plans))), helpers, module)


def _with_unit(request: FixRequest, chosen: Iterable[Plan]) -> list[Plan]:
    """Return the chosen uses, and those that must be written in the same way as one of them."""
    found = list(chosen)
    for unit in request.target.units:
        if any(one.use.name.startswith(unit) for one in found):
            found += [one for one in request.plans if one.use.name.startswith(unit)]
    if any(map(request.target.linked, found)):
        found += [one for one in request.plans if request.target.linked(one)]
    return found


def _rewritten(plans: Iterable[Plan]) -> Iterator[Plan]:
    return (one for one in plans if isinstance(one.outcome, Rewrite))


def _names_torch(plan: Plan) -> bool:
    """Return whether a use is torch's by its own text, unlike a member of a tensor."""
    return plan.use.receiver is None and plan.use.kind is not UseKind.PRESENCE


@lru_cache(maxsize=1)  # every fix of a file needs them
def _read(tree: ast.Module) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
