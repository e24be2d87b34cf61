"""Names of torch that converted code still needs."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Set

from workbench.convert.decide.planner import Plan, left_out
from workbench.convert.decide.reconversion import is_helper
from workbench.convert.rewrite.dtype_literals import printed_dtypes
from workbench.convert.rewrite.spelling import star_imported
from workbench.rules.outcome import Keep, Rewrite
from workbench.source.analysis import Analysis
from workbench.source.tree import inside, within
from workbench.source.uses import TorchImport, Use, UseKind
from workbench.targets import Target

# Uses that name torch in the first argument of a call: `partial(torch.sum)`, `getattr(torch, x)`.
_OF_FIRST_ARGUMENT = frozenset({UseKind.PARTIAL, UseKind.READ, UseKind.COMPUTED})


_READ = frozenset({ast.Name, ast.Constant})


def still_needed(
    analysis: Analysis,
    plans: Iterable[Plan],
    converted: Collection[int],
    target: Target,
    others: Collection[str] = (),
) -> set[str]:
    """Return the names bound to torch that the code, or `others`, still read after these uses are
    converted.

    A name that the file imports and never reads may be there for others to import: it stays where
    the target has nothing for it.
    """
    plans = list(plans)
    consumed = _consumed(analysis, plans, converted, target)
    bound = {item.bound for item in analysis.imports} | analysis.borrowed.keys()
    nodes = list(_nodes(analysis, target))
    names = list(_names_read(analysis, nodes))
    read = {one.id for one in names}
    needed = bound & (_offered(analysis.tree) | set(others))
    needed |= {one.id for one in names if one.id in bound and id(one) not in consumed}
    needed |= _named_in_strings(analysis, nodes, bound, consumed)
    if "*" in bound:
        left = (one.use for one in plans if id(one.use.node) not in converted)
        firsts = [_first_name(use) for use in left if use.receiver is None]
        stay = [name for name in firsts if name is not None and id(name) not in consumed]
        stars = star_imported(analysis, target) - bound
        needed |= {"*" for name in stay if name.id in stars}
    needed |= {one.bound for one in analysis.imports if _hands_on(one, read, target)}
    return needed | {
        one.bound
        for one in analysis.imports
        if _has_effects(one, read, target) and (needed or not _is_in(one, target.dropped))
    }


def _consumed(
    analysis: Analysis, plans: list[Plan], converted: Collection[int], target: Target
) -> set[int]:
    """Return nodes that go with the uses that are converted, by identity."""
    consumed = {id(one) for one, _ in printed_dtypes(analysis, target.module)}
    for one in plans:
        use = one.use
        if id(use.node) not in converted:
            continue
        if _is_cut(analysis, one):
            consumed.update(id(part) for part in inside(use.node))
        if not isinstance(one.outcome, Rewrite):
            continue
        consumed.update(id(part) for node in left_out(one) for part in inside(node))
        if use.kind is UseKind.ASKED:
            consumed.update(id(part) for part in inside(use.node))
        own = use.receiver is None or use.kind is UseKind.UNBOUND
        first = _first_name(use) if own else None
        if first is not None:
            consumed.add(id(first))
    return consumed


def _is_cut(analysis: Analysis, plan: Plan) -> bool:
    """Return whether an edit of a kept use cuts it out, such as the header of a block."""
    if not isinstance(plan.outcome, Keep) or not plan.outcome.elsewhere:
        return False
    first, last = analysis.span(plan.use.node)
    return any(start <= first and last <= end for start, end, _ in plan.outcome.elsewhere)


def _names_read(analysis: Analysis, nodes: Iterable[ast.AST]) -> Iterator[ast.Name]:
    """Yield the names among these nodes, and those in quoted annotations among them."""
    quoted = {id(one.node): one.tree for one in analysis.quoted}
    for node in nodes:
        if isinstance(node, ast.Name):
            yield node
        elif id(node) in quoted:
            yield from (part for part in inside(quoted[id(node)]) if isinstance(part, ast.Name))


def _named_in_strings(
    analysis: Analysis, nodes: Iterable[ast.AST], bound: Set[str], consumed: set[int]
) -> set[str]:
    """Return names that strings begin with, as in `"torch.float32"`; longer texts are prose."""
    others = consumed | {id(one.node) for one in analysis.quoted}
    beginnings = tuple(f"{name}." for name in bound)
    texts = [
        node.value
        for node in nodes
        if type(node) is ast.Constant
        and isinstance(node.value, str)
        and node.value.startswith(beginnings)
        and id(node) not in others
    ]
    return {name for name in bound for text in texts if text.startswith(f"{name}.")}


def _nodes(analysis: Analysis, target: Target) -> Iterator[ast.Name | ast.Constant]:
    """Yield the names and constants in a program, except in helpers of an earlier conversion."""
    for statement in analysis.tree.body:
        if not is_helper(statement, target):
            for node in within(statement):
                if type(node) in _READ:
                    yield node  # type: ignore[misc]


def _hands_on(item: TorchImport, read: set[str], target: Target) -> bool:
    """Return whether others may import a name that a file never reads and the target lacks."""
    if item.bound == "*":
        return target.facts.is_own(item.name)  # it may bind more names than those with rules
    if item.bound in read or target.facts.is_module(item.name):
        return False
    rule = target.rules.find(item.name)
    return rule is None or rule.refusal is not None


def _has_effects(item: TorchImport, read: set[str], target: Target) -> bool:
    """Return whether a package that is not read may be imported for what its import does."""
    facts = target.facts
    return item.bound not in read and facts.is_own(item.name) and facts.is_module(item.name)


def _is_in(item: TorchImport, modules: Collection[str]) -> bool:
    """Return whether an import is of one of these modules, or of something in it."""
    names = (item.name, item.alias.name)
    return any(f"{name}.".startswith(f"{module}.") for name in names for module in modules)


def _offered(tree: ast.Module) -> set[str]:
    """Return the names in the module's `__all__`, which others import."""
    names: set[str] = set()
    for statement in tree.body:
        if isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            if any(isinstance(one, ast.Name) and one.id == "__all__" for one in targets):
                strings = (one for one in inside(statement) if isinstance(one, ast.Constant))
                names.update(one.value for one in strings if isinstance(one.value, str))
    return names


def _first_name(use: Use) -> ast.Name | None:
    if isinstance(use.node, ast.AugAssign):
        return None
    node: ast.expr = use.call.func if use.call is not None else use.node
    if use.kind is UseKind.INDIRECT or use.indirect:
        return None
    if isinstance(use.node, ast.Call) and use.kind in _OF_FIRST_ARGUMENT:
        node = use.node.args[0]
    if use.among and isinstance(node, ast.Call):
        node = node.args[0]
    while isinstance(node, ast.Attribute):
        node = node.value
    return node if isinstance(node, ast.Name) else None
