"""Changes of parameters and buffers in place: `p.data.mul_(2)` becomes `p[...] = p[...] * 2`."""

from __future__ import annotations

import ast
from dataclasses import replace

from workbench.convert.decide.planner import Plan
from workbench.convert.decide.planner import plan as decide
from workbench.convert.passes import Draft
from workbench.findings import Certainty
from workbench.rules.difference import Difference, Differs, unless
from workbench.rules.match import matches
from workbench.rules.outcome import Keep, Outcome, Refusal, Rewrite
from workbench.source.types.lattice import Plain, Tensor
from workbench.source.uses import Use, UseKind
from workbench.targets import Target
from workbench.targets.jax.passes.program.plans import named, position
from workbench.targets.jax.passes.program.structure import structure_of
from workbench.targets.jax.passes.state.cells import (
    Cell,
    Cells,
    Role,
    cells_of,
    inner_of,
    key_of,
    last_name,
)

_TENSOR = "torch.Tensor."
_INIT = "torch.nn.init."
_STORED = "torch.Tensor.data"
_WHY = "parameters and buffers are variables, which change in place"
# The values that a tensor gets, by the methods that set all of them.
_SET = {
    f"{_TENSOR}copy_": "{other}",
    f"{_TENSOR}set_": "{source}",
    f"{_TENSOR}fill_": "{value}",
    f"{_TENSOR}zero_": "0",
    f"{_INIT}zeros_": "0",
    f"{_INIT}ones_": "1",
    f"{_INIT}constant_": "{val}",
}
_DRAWN = {
    f"{_TENSOR}uniform_": "rngs.uniform({self}.shape, minval={from_=0.0}, maxval={to=1.0})",
    f"{_TENSOR}normal_": "rngs.normal({self}.shape)",
    f"{_INIT}uniform_": "rngs.uniform({tensor}.shape, minval={a=0.0}, maxval={b=1.0})",
    f"{_INIT}normal_": "rngs.normal({tensor}.shape)",
}
_ELEMENTWISE = frozenset({"add_", "sub_", "mul_", "div_", "clamp_", "pow_", "neg_", "abs_"})
_KEPT = unless(
    "if the parameter is changed in place while this value is kept: in torch the value changes too"
)
_SHARED = Refusal(
    "the layers of JAX hold their weights in different layouts, so that they cannot share one",
    "logits = embedding.attend(x)",
)
_UNKNOWN = Refusal(
    "whether the value is a parameter is not known here", "fc.kernel[...] = weight.T"
)
_UNSHOWN = Refusal(
    "the text does not show which layer shares this weight",
    "self.head.weight = self.embedding.weight",
)
_MOVED = unless("if another name refers to this entry: in torch its value changes too")
# Parts of templates that take arrays, but no variables.
_STRICT = ("lax.", "torch_", "special.", ".copy()")


def write_cells(draft: Draft) -> Draft:
    """Write parameters and buffers as variables of flax: their reads and changes."""
    if not any(one.use.name.startswith("torch.nn.") for one in draft.plans):
        return draft
    cells = cells_of(structure_of(draft.analysis, draft.plans), draft.plans)
    further = _of_unknown(draft, cells)
    cells.plans |= {id(one.use.node): one for one in further}
    draft = replace(draft, plans=[*draft.plans, *further])
    writer = _Writer(cells, draft.target)
    for one in draft.plans:
        writer.change(one)
    places = cells.structure.places
    for statement in places.of(ast.Assign):
        writer.store(statement)
    for call in places.of(ast.Call):
        writer.ask(call)
    for node in places.nodes:
        if type(node) is not ast.Attribute and id(node) not in cells.held:
            continue  # no cell
        if isinstance(node, ast.expr) and (cell := cells.at(node)) is not None:
            writer.read(cell)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            writer.entry(node)
    known = {id(one.use.node) for one in draft.plans}
    plans = [writer.decided.get(id(one.use.node), one) for one in draft.plans]
    plans += [one for key, one in writer.decided.items() if key not in known]
    return replace(draft, plans=sorted(plans, key=position))


def _of_unknown(draft: Draft, cells: Cells) -> list[Plan]:
    """Return the plans of members of cells that the analysis did not know as tensors."""
    found: list[Plan] = []
    facts, program = draft.target.facts, draft.analysis.program
    for node in cells.structure.places.of(ast.Attribute):
        if id(node) in cells.plans or node.attr == "data":
            continue
        call = cells.parents.get(id(node))
        called = isinstance(call, ast.Call) and call.func is node
        if id(call) in cells.plans or facts.get(f"{_TENSOR}{node.attr}") is None:
            continue
        cell = cells.at(cells.bare(node.value))
        place = ast.Attribute | ast.Name
        if cell is None or not isinstance(cell.node, place) or id(cell.node) in cells.plans:
            continue
        use = Use(
            f"{_TENSOR}{node.attr}",
            UseKind.CALL if called else UseKind.READ,
            call if isinstance(call, ast.Call) and called else node,
            Certainty.PROVED,
            cells.structure.statement[id(node)],
            node.value,
            Tensor(dtype="floating"),
        )
        found.append(decide(use, draft.target, program))
    return found


class _Writer:
    """The decisions on the cells of a program, by the identity of the uses' nodes."""

    def __init__(self, cells: Cells, target: Target) -> None:
        self.cells = cells
        self.target = target
        self.decided: dict[int, Plan] = {}
        self.replaces = any(map(_replaces, cells.structure.places.of(ast.Assign)))
        self.changes = False
        self.ties = False
        self.roles: dict[int, Role] = {}

    # ------------------------------------------------------------------------- changes

    def change(self, plan: Plan) -> None:
        """Decide a use if it changes a cell."""
        if id(plan.use.node) in self.decided:
            return
        if plan.use.kind is UseKind.AUGMENTED:
            self._augmented(plan)
        elif plan.use.name == f"{_TENSOR}__setitem__" and isinstance(plan.use.node, ast.Subscript):
            if (cell := self.cells.at(self._indexed(plan.use.node))) is not None:
                self._note(cell, Role.CELL)
                self._decide(plan, Keep())
        elif self._is_change(plan) and (found := self._changed(plan)) is not None:
            self._called(plan, *found)

    def _is_change(self, plan: Plan) -> bool:
        name = plan.use.name
        if plan.use.call is None:
            return False
        own = name.startswith(_TENSOR) and name.endswith("_") and not name.endswith("__")
        return (own and plan.use.receiver is not None and "requires_grad" not in name) or (
            name in _SET or name in _DRAWN
        )

    def _changed(self, plan: Plan) -> tuple[Cell, ast.expr, bool] | None:
        """Return the cell that a call changes, what it works on, and whether that is a part."""
        node = plan.use.receiver
        if plan.use.name.startswith(_INIT):
            argument = plan.match.arguments.get("tensor")
            node = argument.node if argument is not None else None
        if node is None:
            return None
        base = self.cells.bare(node)
        inner = self.cells.plans.get(id(base))
        if inner is not None and self._is_change(inner) and (found := self._changed(inner)):
            return found
        part = self._indexed(node)
        cell = self.cells.at(part)
        return (cell, node, part is not base) if cell is not None else None

    def _indexed(self, node: ast.expr) -> ast.expr:
        """Return the tensor of which an expression selects a part."""
        node = self.cells.bare(node)
        while isinstance(node, ast.Subscript) and id(node) not in self.cells.held:
            node = self.cells.bare(node.value)
        return node

    def _called(self, plan: Plan, cell: Cell, node: ast.expr, part: bool) -> None:
        """Decide a call of an in-place method, or of an initialiser."""
        self.changes = True
        statement = plan.use.statement
        alone = isinstance(statement, ast.Expr) and statement.value is plan.use.node
        outer = self.cells.outermost(plan.use.node) if isinstance(plan.use.node, ast.expr) else None
        inner = outer is not None and self._is_chained(outer)
        outcome = self._value_of(plan, chained=inner)
        if isinstance(outcome, Refusal):
            self._decide(plan, outcome)
            return
        if inner:
            self._note(cell, Role.VALUE)
            self._decide(plan, outcome)
            return
        if not alone:
            placed = "{tensor}" if plan.use.name.startswith(_INIT) else "{self}"
            self._note(cell, Role.CELL)
            text = f"torch_set({placed}, {outcome.template})"
            self._decide(plan, replace(outcome, template=text))
            return
        whole = cell.turned and not part
        if whole and not self._is_full(plan, cell):
            whole = False
        self._note(cell, Role.VALUE if whole or not (part or cell.turned) else Role.CELL)
        behind = "" if part or not cell.turned else "[...]"
        place = node if not behind else cell.node
        if whole:
            assert isinstance(cell.node, ast.Attribute)
            place, behind = cell.node.value, f".{cell.attribute}[...]"
            if _is_uniform(plan):
                self._note(cell, Role.OWN)
            else:
                outcome = replace(outcome, template=_turned(outcome.template))
        assert isinstance(plan.use.node, ast.expr)
        pieces = (place, f"{behind} = ", plan.use.node)
        self._decide(plan, replace(outcome, pieces=pieces))

    def _is_chained(self, node: ast.expr) -> bool:
        """Return whether a further change is called on the result of a change."""
        parent = self.cells.parents.get(id(node))
        call = self.cells.parents.get(id(parent))
        plan = self.cells.plans.get(id(call))
        if isinstance(parent, ast.Attribute) and plan is not None:
            return self._is_change(plan)
        given = self.cells.plans.get(id(parent))
        return given is not None and self._is_change(given) and given.use.name.startswith(_INIT)

    def _is_full(self, plan: Plan, cell: Cell) -> bool:
        """Return whether the new values are known to have all dimensions of a kernel."""
        if plan.use.name != f"{_TENSOR}copy_":
            return True
        own = ast.unparse(cell.node)
        source = ast.unparse(plan.match.arguments["other"].node)
        return any(f"{own}.{name}" in source for name in ("shape", "size(", "data.shape"))

    def _value_of(self, plan: Plan, *, chained: bool) -> Rewrite | Refusal:
        """Return what a changed tensor holds then."""
        name = plan.use.name
        ignored = frozenset({"non_blocking", "generator"}) & plan.match.arguments.keys()
        if plan.match.given("generator"):
            return Refusal("JAX has no generators with a state of their own", "rngs.normal(shape)")
        if name in _SET:
            text = _SET[name]
            if chained and text != "{other}":
                filled = "{tensor}" if name.startswith(_INIT) else "{self}"
                text = f"jnp.full({filled}.shape, {text})"
            return Rewrite(text, consumed=ignored | {"tensor"} & plan.match.arguments.keys())
        if name in _DRAWN:
            draws: Differs = (Difference.RANDOM_DRAWS,)
            text = _DRAWN[name]
            if name.endswith(".normal_"):
                text += " * {std}" if plan.match.given("std") else ""
                text += " + {mean}" if plan.match.given("mean") else ""
                ignored |= frozenset({"std", "mean"} & plan.match.arguments.keys())
            return Rewrite(text, consumed=ignored, differs=draws)
        return self._computed(plan)

    def _computed(self, plan: Plan) -> Rewrite | Refusal:
        """Return the result of the method that leaves its tensor as it is."""
        name = plan.use.name.removesuffix("_")
        entry, rule = self.target.facts.get(name), self.target.rules.find(name)
        if entry is None or rule is None:
            return Refusal(f"{name} has no proven form in JAX yet")
        use = replace(plan.use, name=name)
        found = list(matches(use, entry, self.target.version, plan.match.program))
        outcome: Outcome = Refusal("its arguments are not known here")
        for one in found:
            outcome = rule.apply(one)
            if isinstance(outcome, Rewrite):
                return outcome
        if isinstance(outcome, Keep):
            return Rewrite(f"{{self}}.{name.removeprefix(_TENSOR)}(...)", differs=outcome.differs)
        return outcome if isinstance(outcome, Refusal) else Refusal("it has no form in JAX")

    def _augmented(self, plan: Plan) -> None:
        """Decide `p -= x`."""
        receiver = plan.use.receiver
        if receiver is None:
            return
        part = self._indexed(receiver)
        cell = self.cells.at(part)
        if cell is None:
            return
        self.changes = True
        whole = part is self.cells.bare(receiver)
        turned = cell.turned and whole
        number = isinstance(plan.use.values[0] if plan.use.values else None, Plain)
        if turned and number and cell.attribute is not None:
            self._decide_cell(cell, f"{{self}}.{cell.attribute}[...]", receiver)
        elif whole:
            self._decide_cell(cell, f"{self._text(cell, Role.CELL)}[...]", receiver)
        else:
            self._note(cell, Role.CELL)
        self._decide(plan, Keep())

    def store(self, statement: ast.Assign) -> None:
        """Decide `p.data = x`, and the value of a buffer that is assigned again."""
        node = statement.targets[0]
        if len(statement.targets) != 1 or not isinstance(node, ast.Attribute):
            return
        cell = self.cells.at(self.cells.bare(node))
        if cell is None:
            self.entry(node, _MOVED)
            return
        if cell.node is node:
            self._replaced(cell, statement)
            return
        turned = cell.turned and self._turn(statement.value)
        self._note(cell, Role.TEST if turned else Role.CELL)
        plan = self.cells.plans.get(id(node))
        if plan is None:
            self._add(node, "{self}[...]")
        elif plan.use.name == _STORED:
            self._decide(plan, Rewrite("{self}[...]"))

    def entry(self, node: ast.Attribute, differs: Differs = ()) -> None:
        """Write `shadow[name].data` as the entry itself, where a dict holds copies of tensors."""
        owner = node.value.value if isinstance(node.value, ast.Subscript) else None
        plan = self.cells.plans.get(id(node))
        if node.attr != "data" or owner is None or last_name(owner) not in self.cells.copies:
            return
        if plan is None:
            self._add(node, "{self}")
            plan = self.decided[id(node)]
        self._decide(plan, Rewrite("{self}", differs=differs))

    def _replaced(self, cell: Cell, statement: ast.Assign) -> None:
        """Decide `fc.weight = nn.Parameter(x)`, and a weight that two layers share."""
        assert isinstance(cell.node, ast.Attribute)
        if cell.node.attr in self.cells.attributes and id(cell.node) not in self.cells.plans:
            return
        made = self.cells.plans.get(id(statement.value))
        parameter = made is not None and made.use.name.endswith(".Parameter")
        other = self.cells.at(self.cells.bare(statement.value))
        if made is not None and parameter and isinstance(made.outcome, Rewrite):
            if cell.unknown:
                self._write(cell.node, f"{cell.written(Role.CELL)}[...]")
                self._decide(made, replace(made.outcome, template="{data}"))
                return
            turned = "{data}.T" if cell.turned else "{data}"
            self._write(cell.node, f"{{self}}.{cell.attribute}")
            text = made.outcome.template.replace("{data}", turned)
            self._decide(made, replace(made.outcome, template=text))
        elif other is not None and _is_alike(cell, other):
            self._write(cell.node, f"{{self}}.{cell.attribute}")
            self._note(other, Role.TEST)
        elif other is not None and _is_tied(cell, other):
            self._tie(cell, other)
        elif not (isinstance(statement.value, ast.Constant) and statement.value.value is None):
            self._refuse(cell.node, _SHARED if other is not None else _UNKNOWN)

    def _tie(self, cell: Cell, other: Cell) -> None:
        """Let a linear layer use the weight of an embedding, in whichever way they are joined."""
        self.ties = True
        if cell.turned:
            self._write(cell.node, f"{{self}}.{cell.attribute}")
            self._write(other.node, f"TorchTied({{self}}.{other.attribute})")
            return
        assert isinstance(cell.node, ast.Attribute) and isinstance(other.node, ast.Attribute)
        weight = f"{ast.unparse(cell.node.value)}.{cell.attribute}"
        tied = f"{ast.unparse(other.node.value)}.{other.attribute} = TorchTied({weight})"
        self._write(cell.node, "{self}", (f"{weight}[...] = ", other.node, f"\n{tied}"))
        self._note(other, Role.VALUE)

    def _write(
        self, node: ast.expr, template: str, pieces: tuple[str | ast.expr, ...] = ()
    ) -> None:
        plan = self.cells.plans.get(id(node))
        if plan is None:
            self._add(node, template)
            plan = self.decided[id(node)]
        self._decide(plan, Rewrite(template, pieces=pieces))

    def _refuse(self, node: ast.expr, refusal: Refusal) -> None:
        plan = self.cells.plans.get(id(node))
        if plan is None:
            self._add(node, "{self}")
            plan = self.decided[id(node)]
        self._decide(plan, refusal)

    def ask(self, call: ast.Call) -> None:
        """Look up `hasattr(m, "weight")` by torch's name."""
        match call:
            case ast.Call(
                func=ast.Name(id="hasattr" | "getattr" as function),
                args=[
                    ast.Name(id=layer) as node,
                    ast.Constant(value="weight" | "bias" as name),
                    *rest,
                ],
            ) if key_of(self.cells, node) in self.cells.owners:
                listed = f"torch_parameters({layer})"
                none = [ast.unparse(one) for one in rest] == ["None"]
                if function == "hasattr":
                    self._add(call, f"{name!r} in {listed}", UseKind.CALL)
                elif none:
                    self._add(call, f"{listed}.get({name!r})", UseKind.CALL)

    def _turn(self, value: ast.expr) -> bool:
        """Transpose an assigned value if that is possible."""
        plan = self.cells.plans.get(id(value))
        if isinstance(value, ast.Name) and plan is None and self.cells.at(value) is None:
            self._add(value, f"{value.id}.T")
            return True
        if (
            plan is None
            or not isinstance(plan.outcome, Rewrite)
            or "{" not in plan.outcome.template
        ):
            return False
        self._decide(plan, replace(plan.outcome, template=_turned(plan.outcome.template)))
        return True

    # ------------------------------------------------------------------------- reads

    def _note(self, cell: Cell, role: Role) -> None:
        self.roles[id(cell.node)] = role

    def read(self, cell: Cell) -> None:
        """Decide the expression of a cell by what is done with it."""
        outer = self.cells.outermost(cell.node)
        if isinstance(getattr(cell.node, "ctx", None), ast.Store | ast.Del):
            return
        if outer is cell.node and self._is_shared(cell):
            self._refuse(outer, _UNSHOWN)
            return
        role = self.roles.get(id(cell.node)) or self._role(cell, outer)
        self._copied(outer)
        text, differs = self._text(cell, role), self._kept(outer, role)
        if self.ties and role is Role.TEST and cell.turned and id(cell.node) not in self.roles:
            text = f"getattr({{self}}.{cell.attribute}, 'weight', None)"
        noted = id(cell.node) in self.roles
        if role is Role.CELL and outer is not cell.node and self.replaces and not noted:
            text = self._text(cell, Role.VALUE)
        self._decide_cell(cell, text, outer, differs)

    def _is_shared(self, cell: Cell) -> bool:
        """Return whether a parameter becomes the weight of a layer that is not known."""
        parent = self.cells.parents.get(id(cell.node))
        return (
            isinstance(parent, ast.Assign)
            and parent.value is cell.node
            and cell.attribute is not None
            and any(
                isinstance(one, ast.Attribute)
                and one.attr in {"weight", "bias"}
                and id(one) not in self.decided
                and ast.unparse(one.value) != "self"
                for one in parent.targets
            )
        )

    def _kept(self, outer: ast.expr, role: Role) -> Differs:
        """Return what differs if a parameter's `data` is kept and the parameter changes."""
        parent = self.cells.parents.get(id(outer))
        both = role is Role.CELL and self.replaces and self.changes
        kept = isinstance(parent, ast.Assign | ast.List | ast.Tuple | ast.Dict | ast.Return)
        return _KEPT if both and kept and self.cells.bare(outer) is not outer else ()

    def _copied(self, node: ast.expr) -> None:
        """Write `p.clone()` as the value of `p`, which is an array of its own."""
        parent = self.cells.parents.get(id(node))
        plan = self.cells.plans.get(id(self.cells.parents.get(id(parent))))
        if plan is not None and plan.use.name == f"{_TENSOR}clone" and plan.use.receiver is node:
            left = frozenset(plan.match.arguments)
            self._decide(plan, Rewrite("{self}", consumed=left))

    def _role(self, cell: Cell, outer: ast.expr) -> Role:
        """Return the role of a cell; variables of flax can be operands of most operations."""
        role = self.cells.role(outer)
        own = isinstance(cell.node, ast.Attribute) and cell.node.attr in self.cells.attributes
        known = own and id(cell.node) not in self.cells.plans
        return Role.CELL if known and role is Role.VALUE and not self._is_strict(outer) else role

    def _is_strict(self, node: ast.expr) -> bool:
        """Return whether an operation takes arrays alone."""
        parent = self.cells.parents.get(id(node))
        if isinstance(parent, ast.Attribute):
            parent = self.cells.parents.get(id(parent))
        if isinstance(parent, ast.Compare | ast.FormattedValue):
            return True
        plan = self.cells.plans.get(id(parent))
        outcome = plan.outcome if plan is not None else None
        if isinstance(outcome, Rewrite):
            return any(text in outcome.template for text in _STRICT)
        return isinstance(parent, ast.Call) and plan is None

    def _text(self, cell: Cell, role: Role) -> str:
        if isinstance(cell.node, ast.Attribute) and cell.attribute is not None:
            return cell.written(role)
        read = role is Role.VALUE and isinstance(cell.node, ast.Name)
        return f"{ast.unparse(cell.node)}[...]" if read else ast.unparse(cell.node)

    def _decide_cell(
        self, cell: Cell, template: str, outer: ast.expr, differs: Differs = ()
    ) -> None:
        """Write a cell, without `.data` and `.detach()`."""
        node = outer
        while node is not cell.node:
            plan = self.cells.plans.get(id(node))
            if id(node) not in self.decided and plan is not None:
                self._decide(plan, Rewrite("{self}", differs=differs))
            elif id(node) not in self.decided and isinstance(node, ast.Attribute):
                self._add(node, "{self}")
            node = inner_of(node) or cell.node
        if id(cell.node) in self.decided or template == ast.unparse(cell.node):
            return
        plan = self.cells.plans.get(id(cell.node))
        if plan is not None and cell.attribute is not None:
            self._decide(plan, Rewrite(template))
        elif plan is None:
            self._add(cell.node, template)

    def _add(self, node: ast.expr, template: str, kind: UseKind = UseKind.READ) -> None:
        name = "torch.nn.Module.parameters"
        self.decided[id(node)] = named(node, name, Rewrite(template), self.cells.structure, kind)

    def _decide(self, plan: Plan, outcome: Outcome) -> None:
        self.decided[id(plan.use.node)] = plan.decided(outcome, _WHY)


def _is_uniform(plan: Plan) -> bool:
    """Return whether all values change alike, so that the order of dimensions has no effect."""
    given = [*plan.use.values, *plan.use.keywords.values()]
    constant = plan.use.name in _SET and not plan.use.name.endswith("copy_")
    elementwise = plan.use.name.removeprefix(_TENSOR) in _ELEMENTWISE
    return constant or (elementwise and all(isinstance(one, Plain) for one in given))


def _is_alike(cell: Cell, other: Cell) -> bool:
    """Return whether two layers hold their weights in the same layout."""
    known = isinstance(other.node, ast.Attribute) and not (cell.unknown or other.unknown)
    return known and cell.attribute == other.attribute


def _is_tied(cell: Cell, other: Cell) -> bool:
    """Return whether one is the weight of a linear layer, and the other that of an embedding."""
    names = {one.attribute for one in (cell, other) if not one.unknown}
    known = isinstance(other.node, ast.Attribute) and len(names) == 2
    return known and cell.turned != other.turned and bool(names & {"embedding", "weight"})


def _replaces(node: ast.Assign) -> bool:
    """Return whether a statement gives a parameter other values, as torch's `p.data = x` does."""
    return any(isinstance(one, ast.Attribute) and one.attr == "data" for one in node.targets)


def _turned(template: str) -> str:
    """Return a template whose result has its dimensions in reverse order."""
    simple = template.startswith("{") and template.endswith("}") and template.count("{") == 1
    called = template.endswith(")") and template.count("(") == 1
    return f"{template}.T" if simple or called else f"({template}).T"
