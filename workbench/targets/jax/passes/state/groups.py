"""Groups of an optimizer's parameters by their dimensions: a decay that spares vectors.

    decay = [p for p in model.parameters() if p.dim() > 1]
    rest = [p for p in model.parameters() if p.dim() <= 1]
    AdamW([{"params": decay, "weight_decay": 0.1}, {"params": rest, "weight_decay": 0.0}])

Together such groups hold all parameters of a model, and optax takes the condition as a mask.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from workbench.convert.decide.planner import Plan
from workbench.convert.passes import Draft
from workbench.rules.match import Argument
from workbench.rules.outcome import Refusal, Rewrite, TextEdit
from workbench.source.analysis import Analysis
from workbench.source.tree import inside
from workbench.source.types.lattice import UNKNOWN
from workbench.targets.jax.passes.program.structure import Structure, structure_of

_OPTIMIZERS = "torch.optim."
_WHY = "the groups hold all parameters, by their dimensions"
_DECAY = re.compile(r"\{weight_decay(=[^}]*)?\}")
_INJECTED = re.compile(r"optax\.inject_hyperparams\((?P<function>[\w.]+)\)\(")
_COMPARISONS: dict[type[ast.cmpop], Callable[[int, int], bool]] = {
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.NotEq: operator.ne,
}
_MOST_DIMENSIONS = 9


@dataclass(frozen=True, slots=True)
class _Group:
    """The parameters of a model whose number of dimensions meets a condition.

    Attributes:
        model: the model.
        condition: the comparison of dimensions with a number.
        decay: the decay of the group's weights; None is the optimizer's.
        statement: the statement that lists the parameters.
        name: the variable of the list.
    """

    model: str
    condition: ast.Compare
    decay: ast.expr | None
    statement: ast.Assign
    name: str


def merge_groups(draft: Draft) -> Draft:
    """Write optimizers of groups by dimensions with a mask, and drop the lists of the groups."""
    wanted = [one for one in draft.plans if _is_refused(one)]
    if not wanted:
        return draft
    structure = structure_of(draft.analysis, draft.plans)
    plans, gone = list(draft.plans), set[int]()
    for one in wanted:
        groups = _groups_of(one, structure)
        merged = _merged(one, groups) if groups is not None else None
        if groups is None or merged is None:
            continue
        merged, lists = _without_lists(merged, groups, structure)
        gone |= {id(node) for statement in lists for node in inside(statement)}
        plans[plans.index(one)] = merged
    return replace(draft, plans=[one for one in plans if id(one.use.node) not in gone])


def _is_refused(plan: Plan) -> bool:
    given = plan.match.arguments.get("params")
    return (
        plan.use.name.startswith(_OPTIMIZERS)
        and isinstance(plan.outcome, Refusal)
        and given is not None
        and isinstance(given.node, ast.List)
    )


def _groups_of(plan: Plan, structure: Structure) -> tuple[_Group, _Group] | None:
    """Return two groups that hold all parameters of a model, the one that decays first."""
    listed = plan.match.arguments["params"].node
    assert isinstance(listed, ast.List)
    found = [_group_of(one, plan, structure) for one in listed.elts]
    if len(found) != 2 or found[0] is None or found[1] is None:
        return None
    first, second = found[0], found[1]
    if first.model != second.model or not _are_opposite(first.condition, second.condition):
        return None
    if _is_zero(second.decay) and not _is_zero(first.decay):
        return first, second
    return (second, first) if _is_zero(first.decay) and not _is_zero(second.decay) else None


def _group_of(node: ast.expr, plan: Plan, structure: Structure) -> _Group | None:
    if not isinstance(node, ast.Dict) or not all(isinstance(k, ast.Constant) for k in node.keys):
        return None
    parts = {
        k.value: v
        for k, v in zip(node.keys, node.values, strict=True)
        if isinstance(k, ast.Constant)
    }
    name = parts.get("params")
    if not isinstance(name, ast.Name) or not parts.keys() <= {"params", "weight_decay"}:
        return None
    statement = _definition(name.id, plan, structure)
    if statement is None or not isinstance(statement.value, ast.ListComp):
        return None
    match statement.value:
        case ast.ListComp(
            elt=ast.Name(id=each),
            generators=[
                ast.comprehension(
                    target=ast.Name(id=target),
                    iter=ast.Call(
                        func=ast.Attribute(value=model, attr="parameters"), args=[], keywords=[]
                    ),
                    ifs=[ast.Compare(ops=[_]) as condition],
                )
            ],
        ) if each == target and _is_of_dimensions(condition, target):
            decay = parts.get("weight_decay")
            return _Group(ast.unparse(model), condition, decay, statement, name.id)
    return None


def _definition(name: str, plan: Plan, structure: Structure) -> ast.Assign | None:
    """Return the only statement that binds a variable, in the function of a use."""
    function = structure.owner[id(plan.use.node)]
    bound = [
        one
        for one in structure.named(name)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    ]
    if len(bound) != 1 or structure.owner[id(bound[0])] is not function:
        return None
    body = function.body if function is not None else structure.analysis.tree.body
    return next((one for one in body if isinstance(one, ast.Assign) and one.targets == bound), None)


def _is_of_dimensions(condition: ast.Compare, name: str) -> bool:
    """Return whether a comparison is one of a parameter's dimensions with a number."""
    number = condition.comparators[0]
    texts = {f"{name}.dim()", f"{name}.ndim", f"len({name}.shape)", f"{name}.ndimension()"}
    return (
        ast.unparse(condition.left) in texts
        and isinstance(number, ast.Constant)
        and isinstance(number.value, int)
        and type(condition.ops[0]) in _COMPARISONS
    )


def _are_opposite(first: ast.Compare, second: ast.Compare) -> bool:
    """Return whether exactly one of two comparisons holds for any number of dimensions."""
    return all(one != other for one, other in zip(_holding(first), _holding(second), strict=True))


def _holding(condition: ast.Compare) -> list[bool]:
    """Return whether a comparison holds, for each number of dimensions."""
    number = condition.comparators[0]
    assert isinstance(number, ast.Constant) and isinstance(number.value, int)
    compare = _COMPARISONS[type(condition.ops[0])]
    return [compare(count, number.value) for count in range(_MOST_DIMENSIONS)]


def _is_zero(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and node.value == 0


def _merged(plan: Plan, groups: tuple[_Group, _Group]) -> Plan | None:
    """Return the plan of an optimizer of the whole model, with a mask for the decay."""
    decaying = groups[0]
    model = ast.parse(f"{decaying.model}.parameters()", mode="eval").body
    arguments = dict(plan.match.arguments)
    arguments["params"] = replace(arguments["params"], nodes=[model], values=[UNKNOWN])
    if decaying.decay is not None:
        arguments["weight_decay"] = Argument([decaying.decay], [UNKNOWN], [-1])
    elif "weight_decay" not in arguments:
        return None
    match = replace(plan.match, arguments=arguments)
    outcome = plan.rule.apply(match) if plan.rule is not None else None
    if not isinstance(outcome, Rewrite) or not _DECAY.search(outcome.template):
        return None
    decay = ast.unparse(arguments["weight_decay"].node)
    held = ast.unparse(
        ast.Compare(
            ast.Attribute(ast.Name("p"), "ndim"),
            decaying.condition.ops,
            decaying.condition.comparators,
        )
    )
    mask = f"{decay}, mask=lambda params: jax.tree.map(lambda p: {held}, params)"
    template = _DECAY.sub(lambda found: mask, outcome.template)
    template = _INJECTED.sub(
        lambda found: f"optax.inject_hyperparams({found['function']}, static_args=('mask',))(",
        template,
    )
    written = replace(outcome, template=template, consumed=outcome.consumed | {"weight_decay"})
    return replace(plan.decided(written, _WHY), match=match)


def _without_lists(
    plan: Plan, groups: tuple[_Group, _Group], structure: Structure
) -> tuple[Plan, list[ast.Assign]]:
    """Return the plan with edits that remove the lists which nothing else reads, and these."""
    lists = [
        one.statement
        for one in groups
        if len(structure.named(one.name)) == 2 and _is_alone(one.statement, structure.analysis)
    ]
    edits = tuple(_removal(structure.analysis, lists))
    outcome = plan.outcome
    assert isinstance(outcome, Rewrite)
    done = replace(outcome, elsewhere=(*outcome.elsewhere, *edits))
    return plan.decided(done, "the lists of the groups are not read"), lists


def _is_alone(statement: ast.stmt, analysis: Analysis) -> bool:
    """Return whether a statement has its lines for itself."""
    lines = analysis.lines
    before = analysis.text[lines.start(statement.lineno - 1) : analysis.span(statement)[0]]
    last = statement.end_lineno or statement.lineno
    after = analysis.text[analysis.span(statement)[1] : lines.start(last)]
    return not before.strip() and not after.strip()


def _removal(analysis: Analysis, statements: list[ast.Assign]) -> Iterator[TextEdit]:
    for one in statements:
        last = one.end_lineno or one.lineno
        yield analysis.lines.start(one.lineno - 1), analysis.lines.start(last), ""
