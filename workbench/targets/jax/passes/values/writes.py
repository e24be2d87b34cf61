"""Changes of tensors in place: the variable is bound to a changed copy.

That computes the same if nothing else refers to the tensor. Otherwise the change is refused, and
the reason names who refers to it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from workbench.convert.decide.planner import Plan
from workbench.convert.passes import Draft
from workbench.rules.difference import Differs, unless
from workbench.rules.outcome import Keep, Outcome, Refusal, Rewrite, Shared, TextEdit
from workbench.source.holders import Following, Program
from workbench.source.origins import Sharing
from workbench.source.tree import inside
from workbench.source.types.lattice import Tensor
from workbench.source.uses import UseKind
from workbench.targets.jax.passes.program.structure import Structure, structure_of

_WHY = "nothing else refers to the tensor, so that a changed copy may take its name"
_MODES = frozenset({"torch.no_grad", "torch.inference_mode"})
_WRITE = "torch.Tensor.__setitem__"
Pieces = tuple[str | ast.expr, ...]
# Methods of `x.at[i]`, by operator.
_METHODS: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "subtract",
    ast.Mult: "multiply",
    ast.Div: "divide",
    ast.Pow: "power",
}
_SIGNS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Pow: "**",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
}


def rebind_changed(draft: Draft) -> Draft:
    """Write changes in place as new values of the variable, where nothing else can see them."""
    changes = [one for one in draft.plans if isinstance(one.outcome, Shared)]
    if not changes:
        return draft
    owners = _Owners(draft)
    decided: dict[int, Plan] = {}
    for one in changes:
        if id(one) not in decided:
            decided |= {id(new): plan for new, plan in owners.decided(one)}
    return replace(draft, plans=[decided.get(id(one), one) for one in draft.plans])


def stop_within_writes(draft: Draft) -> Draft:
    """Stop the gradients of values that are written to elements within a block without gradients.

    The pass that removes the block has edited the values where they stood; the new statements have
    them in another place.
    """
    whole = [one for one in draft.plans if _pieces_of(one)]
    spans = {id(one): draft.analysis.span(one.use.statement) for one in whole}
    edits = [
        edit
        for one in draft.plans
        if one.use.name in _MODES and not isinstance(one.outcome, Refusal)
        for edit in one.outcome.elsewhere
    ]
    moved = {id(one) for one in whole if any(_is_in(edit, spans[id(one)]) for edit in edits)}
    if not moved:
        return draft
    taken = [spans[key] for key in moved]
    plans = [_stopped(one) if id(one) in moved else _without(one, taken) for one in draft.plans]
    return replace(draft, plans=plans)


def _pieces_of(plan: Plan) -> Pieces:
    return plan.outcome.pieces if isinstance(plan.outcome, Rewrite) else ()


def _is_in(edit: TextEdit, span: tuple[int, int]) -> bool:
    return span[0] < edit[0] <= edit[1] <= span[1]


def _stopped(plan: Plan) -> Plan:
    """Return the plan of a write whose values pass no gradients on."""
    outcome, statement = plan.outcome, plan.use.statement
    assert isinstance(outcome, Rewrite)
    value = getattr(statement, "value", None)
    values = value.elts if isinstance(value, ast.Tuple) else [value]
    pieces: Pieces = ()
    for piece in outcome.pieces:
        stops = any(piece is one for one in values) and not isinstance(piece, ast.Constant)
        pieces += ("lax.stop_gradient(", piece, ")") if stops else (piece,)
    return plan.decided(replace(outcome, pieces=pieces), _WHY)


def _without(plan: Plan, spans: list[tuple[int, int]]) -> Plan:
    """Return the plan without its edits of statements that are written anew."""
    outcome = plan.outcome
    if plan.use.name not in _MODES or isinstance(outcome, Refusal):
        return plan
    left = tuple(one for one in outcome.elsewhere if not any(_is_in(one, span) for span in spans))
    return plan.decided(replace(outcome, elsewhere=left), _WHY)


@dataclass(slots=True)
class _Owners:
    """The program, and who refers to its tensors."""

    plans: dict[int, Plan]
    structure: Structure
    program: Program

    def __init__(self, draft: Draft) -> None:
        self.plans = {id(one.use.node): one for one in draft.plans}
        self.structure = structure_of(draft.analysis, draft.plans)
        uses = [*draft.analysis.uses, *(one.use for one in draft.plans)]
        self.program = Program(draft.analysis.tree, uses)

    def decided(self, plan: Plan) -> Iterator[tuple[Plan, Plan]]:
        """Yield a change with its decision, and the other changes of its statement with theirs."""
        if plan.use.name == _WRITE:
            yield from self._written(plan)
            return
        outcome = plan.outcome
        assert isinstance(outcome, Shared)
        yield plan, plan.decided(self._changed(plan, outcome), _WHY)

    def following(self, node: ast.AST) -> Following:
        """Return what is known of the variables of the function around a node."""
        around = self.structure.owner[id(node)]
        return self.program.following(around if around is not None else self.program.tree)

    # --------------------------------------------------------------- methods, `x += y`

    def _changed(self, plan: Plan, outcome: Shared) -> Outcome:
        result = outcome.result
        if result is None or _is_leaf(plan):
            return outcome
        use = plan.use
        if use.kind is UseKind.AUGMENTED:
            sharing = self._of_name(use.receiver, use.statement)
            if isinstance(result, Rewrite):  # the statement has no `=` otherwise
                result = replace(result, assigned=True)
            return _unless_shared(outcome, result, sharing)
        root = self._root(use.receiver)
        statement = use.statement
        if not isinstance(root, ast.Name):
            if root is None:
                return outcome
            sharing = self.following(use.node).of_value(statement, root)
            return _unless_shared(outcome, result, sharing)
        sharing = self._of_name(root, statement)
        if isinstance(statement, ast.Expr) and self._root(statement.value) is root:
            if statement.value is use.node and isinstance(result, Rewrite):
                result = replace(result, pieces=(f"{root.id} = ", use.node))
            return _unless_shared(outcome, result, sharing)
        if why := self._is_read_again(statement, root):
            return Shared(_reason(why), outcome.instead, outcome.result)
        return _unless_shared(outcome, result, sharing)

    def _ends(self, statement: ast.stmt) -> bool:
        """Return whether a statement ends its function, in which nothing runs after it."""
        function = self.structure.owner[id(statement)]
        return (
            isinstance(statement, ast.Return)
            and function is not None
            and not any(isinstance(one, ast.Try) for one in inside(function))
        )

    def _root(self, node: ast.expr | None) -> ast.expr | None:
        """Return the tensor that a chain of changes in place begins with."""
        while isinstance(node, ast.Call):
            plan = self.plans.get(id(node))
            name = plan.use.name if plan is not None else ""
            if plan is None or not name.endswith("_") or name.endswith("__"):
                break
            node = plan.use.receiver
        return node

    def _is_read_again(self, statement: ast.stmt, root: ast.Name) -> str:
        """Return how a variable is read after its change within an expression, or ""."""
        named = [one for one in inside(statement) if getattr(one, "id", "") == root.id]
        if sum(isinstance(one.ctx, ast.Load) for one in named if isinstance(one, ast.Name)) > 1:
            return f"the statement changes {root.id} and reads it too"
        stored = any(isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store) for one in named)
        later = not stored and not self._ends(statement)
        if later and self.following(root).live.reads(statement, root.id):
            return f"the changed {root.id} has another name from here on"
        return ""

    def _of_name(self, node: ast.expr | None, statement: ast.stmt) -> Sharing:
        if not isinstance(node, ast.Name):
            text = ast.unparse(node) if node is not None else "it"
            return Sharing(f"{text} may be known by another name")
        return self.following(node).of_variable(statement, node.id)

    # ------------------------------------------------------------------- `x[i] = value`

    def _written(self, plan: Plan) -> Iterator[tuple[Plan, Plan]]:
        """Yield the plans of all writes of a statement: the first one writes the statement."""
        statement = plan.use.statement
        writes = [
            one
            for node in inside(statement)
            if (one := self.plans.get(id(node))) is not None and one.use.name == _WRITE
        ]
        entries = {id(one.use.node): one for one in writes if _is_entry(one)}
        pieces = self._pieces(statement, frozenset(entries))
        conditions = [_also_named(one) for one in entries.values()]
        if isinstance(pieces, str):
            yield from ((one, one.decided(_because(one, pieces), _WHY)) for one in writes)
            return
        for one in writes:
            if id(one.use.node) in entries:
                continue
            name = _base(one.use.node)
            sharing = self._of_name(name, statement)
            if _is_leaf(one):
                return
            if sharing.certain:
                refusals = ((w, w.decided(_because(w, sharing.certain), _WHY)) for w in writes)
                yield from refusals
                return
            conditions += sharing.open
        for one in writes:
            assert isinstance(one.outcome, Shared)
            if one is plan:
                if self._is_dedented(statement):
                    pieces = tuple("; " if piece == "\n" else piece for piece in pieces)
                written = Rewrite("{self}.at[{key}]", pieces=pieces, differs=_open(conditions))
                yield one, one.decided(written, _WHY)
            else:
                yield one, one.decided(Keep(), _WHY)

    def _is_dedented(self, statement: ast.stmt) -> bool:
        """Return whether the lines of a statement move, since a block around it goes."""
        return any(
            one.lineno < statement.lineno <= (one.end_lineno or 0)
            and any(id(item.context_expr) in self.plans for item in one.items)
            for one in self.structure.places.of(ast.With)
        )

    def _pieces(self, statement: ast.stmt, entries: frozenset[int]) -> Pieces | str:
        """Return the new code of a statement that writes to elements, or why there is none.

        `entries` are the writes to elements of a tensor that a list or a dict holds.
        """
        match statement:
            case ast.AugAssign(target=ast.Subscript() as aim, op=op, value=value):
                return self._augmented(aim, op, value, entries)
            case ast.Assign(targets=[ast.Subscript() as aim], value=value):
                return _set(aim, value, entries)
            case ast.Assign(targets=[ast.Tuple(elts=aims)], value=ast.Tuple(elts=values)):
                return _one_by_one(aims, values, entries)
            case ast.Assign(targets=targets, value=value) if len(targets) > 1:
                return _from_name(targets, value, entries)
        return "it is written within another statement"

    def _augmented(
        self, aim: ast.Subscript, op: ast.operator, value: ast.expr, entries: frozenset[int]
    ) -> Pieces | str:
        method = _METHODS.get(type(op))
        if method is not None and self._selects_once(aim.slice):
            return _placed(aim, method, ("", value), entries)
        sign = _SIGNS.get(type(op))
        if sign is None:
            return "there is no such operation on elements"
        base: Pieces = (aim.value, "[", *_key(aim.slice), "]")
        return _placed(aim, "set", (*base, f" {sign} ", *_in_brackets(value)), entries)

    def _selects_once(self, index: ast.expr) -> bool:
        """Return whether an index is known to select no element twice."""
        parts = index.elts if isinstance(index, ast.Tuple) else [index]
        return all(
            isinstance(one, ast.Slice | ast.Constant | ast.Compare)
            or (isinstance(one, ast.UnaryOp) and isinstance(one.operand, ast.Constant))
            or (isinstance(one, ast.Name) and self._counts(one))
            for one in parts
        )

    def _counts(self, node: ast.Name) -> bool:
        """Return whether a variable is only bound to numbers by loops over a range."""
        around = self.structure.owner[id(node)]
        binding = [
            one
            for one in inside(around if around is not None else self.program.tree)
            if isinstance(one, ast.Name) and one.id == node.id and isinstance(one.ctx, ast.Store)
        ]
        counted = {
            id(one.target)
            for one in self.structure.places.of(ast.For)
            if isinstance(one.iter, ast.Call) and ast.unparse(one.iter.func) == "range"
        }
        return bool(binding) and all(id(one) in counted for one in binding)


def _is_leaf(plan: Plan) -> bool:
    """Return whether a tensor asks for gradients, so that others find it by its identity."""
    value = plan.use.receiver_value
    return isinstance(value, Tensor) and value.grad


def _unless_shared(outcome: Shared, result: Rewrite | Keep, sharing: Sharing) -> Outcome:
    if sharing.certain:
        return Shared(_reason(sharing.certain), outcome.instead, outcome.result)
    return replace(result, differs=(*result.differs, *_open(sharing.open)))


def _because(plan: Plan, why: str) -> Refusal:
    outcome = plan.outcome
    assert isinstance(outcome, Shared)
    return Shared(_reason(why), outcome.instead, outcome.result)


def _reason(why: str) -> str:
    return f"JAX arrays cannot be changed in place, and {why}"


def _open(conditions: Iterable[str]) -> Differs:
    words = " or ".join(dict.fromkeys(conditions))
    if not words:
        return ()
    return unless(f"if {words}: torch changes the tensor itself, {{target}} a copy")


def _base(node: ast.AST) -> ast.expr | None:
    """Return the variable of `x[i]`, or of `x[1][i]`."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node if isinstance(node, ast.expr) else None


def _set(aim: ast.expr, value: ast.expr, entries: frozenset[int]) -> Pieces | str:
    if not isinstance(aim, ast.Subscript):
        return (aim, " = ", *_on_its_own(value))
    return _placed(aim, "set", ("", value), entries)


def _is_entry(plan: Plan) -> bool:
    """Return whether a write is one to elements of a tensor that a list or a dict holds."""
    node, value = plan.use.node, plan.use.receiver_value
    inner = isinstance(node, ast.Subscript) and isinstance(node.value, ast.Subscript)
    is_view = isinstance(value, Tensor) and value.part is not None
    return inner and not is_view


def _also_named(plan: Plan) -> str:
    assert isinstance(plan.use.node, ast.Subscript)
    return f"another name refers to {ast.unparse(plan.use.node.value)}"


def _placed(
    aim: ast.Subscript, method: str, value: Pieces, entries: frozenset[int]
) -> Pieces | str:
    """Return `x = x.at[i].set(value)`, or the same through basic indices: `x[0][i]`."""
    code: Pieces = (".at[", *_key(aim.slice), f"].{method}(", *value, ")")
    base = aim.value
    if id(aim) in entries:
        assert isinstance(base, ast.Subscript)
        plain = isinstance(base.slice, ast.Constant | ast.Name | ast.Attribute)
        if not plain or not isinstance(base.value, ast.Name | ast.Attribute):
            return f"it is not shown which tensor {ast.unparse(base)} is"
        return (base, " = ", base, *code)
    while isinstance(base, ast.Subscript):
        if not _is_basic(base.slice):
            return "the elements that it writes to may be a copy"
        code = (".at[", *_key(base.slice), "].set(", base, *code, ")")
        base = base.value
    if not isinstance(base, ast.Name):
        return f"{ast.unparse(base)} may be known by another name"
    return (f"{base.id} = {base.id}", *code)


def _one_by_one(
    aims: list[ast.expr], values: list[ast.expr], entries: frozenset[int]
) -> Pieces | str:
    """Return the assignments of a tuple one after another, if none reads what another writes."""
    if len(aims) != len(values) or not all(
        isinstance(one, ast.Name | ast.Subscript) for one in aims
    ):
        return "its targets are assigned together"
    found: Pieces = ()
    written: set[str] = set()
    for aim, value in zip(aims, values, strict=True):
        if written & {one.id for one in inside(value) if isinstance(one, ast.Name)}:
            return "a value reads what the same statement writes"
        pieces = _set(aim, value, entries)
        if isinstance(pieces, str):
            return pieces
        name = _base(aim)
        written |= {name.id} if isinstance(name, ast.Name) else set()
        found = (*found, "\n", *pieces) if found else pieces
    return found


def _from_name(targets: list[ast.expr], value: ast.expr, entries: frozenset[int]) -> Pieces | str:
    """Return the code of `x[i] = y = value`: the variable first."""
    names = [one for one in targets if isinstance(one, ast.Name)]
    aims = [one for one in targets if isinstance(one, ast.Subscript)]
    if len(names) != 1 or len(names) + len(aims) != len(targets):
        return "its targets are assigned together"
    found: Pieces = (f"{names[0].id} = ", *_on_its_own(value))
    for aim in aims:
        if names[0].id in {one.id for one in inside(aim) if isinstance(one, ast.Name)}:
            return "a value reads what the same statement writes"
        pieces = _placed(aim, "set", (names[0].id,), entries)
        if isinstance(pieces, str):
            return pieces
        found = (*found, "\n", *pieces)
    return found


def _key(index: ast.expr) -> Pieces:
    """Return an index, with an array for each list."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    if not any(isinstance(one, ast.List) for one in parts):
        return (index,)
    found: Pieces = ()
    for one in parts:
        found = (*found, ", ") if found else ()
        found += ("jnp.array(", one, ")") if isinstance(one, ast.List) else (one,)
    return found


def _on_its_own(value: ast.expr) -> Pieces:
    """Return the code of a value that no brackets surround."""
    if value.lineno == value.end_lineno or isinstance(value, ast.List | ast.Dict | ast.Tuple):
        return (value,)
    opens = isinstance(value, ast.Call) and value.func.end_lineno == value.lineno
    return (value,) if opens else ("(", value, ")")


def _in_brackets(value: ast.expr) -> Pieces:
    plain = isinstance(value, ast.Name | ast.Constant | ast.Call | ast.Attribute | ast.Subscript)
    return (value,) if plain else ("(", value, ")")


def _is_basic(index: ast.expr) -> bool:
    """Return whether an index consists of numbers and slices, which select a view."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return all(
        isinstance(one, ast.Slice | ast.Constant)
        or (isinstance(one, ast.UnaryOp) and isinstance(one.operand, ast.Constant))
        for one in parts
    )
