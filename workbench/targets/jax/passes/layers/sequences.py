"""The layers of a sequence: flax's container keeps them in a list, `net.layers[0]`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from workbench.convert.decide.planner import Plan
from workbench.convert.passes import Draft
from workbench.rules.outcome import Refusal, Rewrite
from workbench.source.tree import inside
from workbench.source.types.lattice import Instance
from workbench.targets.jax.passes.program.places import Places
from workbench.targets.jax.passes.program.plans import named, position
from workbench.targets.jax.passes.program.structure import structure_of
from workbench.targets.jax.passes.state.cells import Cells, cells_of, last_name, made_of
from workbench.targets.jax.passes.state.makers import returned_values

_SEQUENTIAL = "torch.nn.Sequential"
_NAME = "torch.nn.Sequential.__getitem__"
_EMBEDDING = "torch.nn.Embedding"
_SIZE = "embedding_dim"
_OTHER = Refusal("whether it is a layer of flax, which has another name for it, is not known")
_WHY = "flax keeps the layers of a sequence in a list"
_TAKING = frozenset({"len", "enumerate", "list", "tuple", "zip", "reversed", "iter"})


def read_sizes(draft: Draft) -> Draft:
    """Write the sizes of embeddings in a list: `sum(e.embedding_dim for e in self.embeds)`."""
    made = [one for one in draft.plans if one.use.name == _EMBEDDING and one.use.call is not None]
    if not made or _SIZE not in draft.analysis.text:
        return draft
    cells = cells_of(structure_of(draft.analysis, draft.plans), draft.plans)
    sizes = [
        one
        for one in cells.structure.places.of(ast.Attribute)
        if one.attr == _SIZE and id(one) not in cells.plans
    ]
    own = any(isinstance(one.ctx, ast.Store) for one in sizes)
    outcome = _OTHER if own else Rewrite("{self}.features")
    plans = [
        named(one, f"{_EMBEDDING}.{_SIZE}", outcome, cells.structure)
        for one in sizes
        if cells.is_listed(one.value)
    ]
    return replace(draft, plans=sorted([*draft.plans, *plans], key=position))


def read_sequences(draft: Draft) -> Draft:
    """Write `net[0]`, `net[:2]` and loops over a sequence of layers."""
    made = [one for one in draft.plans if one.use.name == _SEQUENTIAL]
    if not any(_is_flax(one) for one in made):
        return draft
    cells = cells_of(structure_of(draft.analysis, draft.plans), draft.plans)
    names = set(_names(cells))
    known = {id(one.use.receiver) for one in draft.plans if _is_sequence(one)}
    plans = [_sliced(cells, one, names) if one.use.name == _NAME else one for one in draft.plans]
    places = cells.structure.places
    for node in places.of(ast.Name, ast.Attribute):
        if not isinstance(node.ctx, ast.Load):
            continue
        if last_name(node) in names and id(node) not in cells.plans and id(node) not in known:
            plans += _read(cells, node)
    return replace(draft, plans=sorted(plans, key=position))


def open_sequences(draft: Draft) -> Draft:
    """Write a container that is read like a list for a sequence of which a name is not certain.

    self.ff = Experts() if sparse else nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    first = self.ff[0]

    A name is not certain either if it is that of another value too, of an argument, or of the
    result of a function.
    """
    made = [one for one in draft.plans if one.use.name == _SEQUENTIAL and _is_flax(one)]
    if not made:
        return draft
    cells = cells_of(structure_of(draft.analysis, draft.plans), draft.plans)
    names = set(_names(cells))
    read = {
        last_name(node)
        for node in _read_as_lists(cells.structure.places)
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load)
    }
    within: set[int] = set()
    for value in _uncertain(cells, read - names):
        within |= {id(one) for one in inside(value)}
    changed = {id(one) for one in made if id(one.use.node) in within}
    return replace(draft, plans=[_named(one) if id(one) in changed else one for one in draft.plans])


def _uncertain(cells: Cells, read: set[str]) -> Iterator[ast.expr]:
    """Yield the values that names which are read like a list may have."""
    places = cells.structure.places
    returned = {
        function.name: [one for one in returned_values(function) if one is not None]
        for function in places.of(ast.FunctionDef, ast.AsyncFunctionDef)
    }
    assigned = cells.structure.ask(("assigned by name",), lambda: _assigned(places))
    given = _given(cells)
    left, seen = list(read), set(read)
    while left:
        name = left.pop()
        for value in (*assigned.get(name, ()), *given.get(name, ())):
            call = made_of(value)
            made = returned.get(last_name(call.func), []) if isinstance(call, ast.Call) else []
            for one in (value, *made):
                yield one
                if (other := last_name(one)) and other not in seen:
                    seen.add(other)
                    left.append(other)


def _assigned(places: Places) -> dict[str, list[ast.expr]]:
    """Return what the program assigns to each last name of a variable or attribute."""
    found: dict[str, list[ast.expr]] = {}
    for one in places.of(ast.Assign):
        for name in dict.fromkeys(map(last_name, one.targets)):
            found.setdefault(name, []).append(one.value)
    return found


def _given(cells: Cells) -> dict[str, list[ast.expr]]:
    """Return what calls give to the parameters of the program's functions, by their names."""
    found: dict[str, list[ast.expr]] = {}
    functions: dict[str, list[str]] = {}
    for one in cells.structure.places.of(ast.FunctionDef, ast.AsyncFunctionDef):
        functions[one.name] = [each.arg for each in one.args.args if each.arg != "self"]
    for call in cells.structure.calls:
        names = functions.get(last_name(call.func), [])
        for name, value in zip(names, call.args, strict=False):
            found.setdefault(name, []).append(value)
        for keyword in call.keywords:
            if keyword.arg in names:
                found.setdefault(keyword.arg, []).append(keyword.value)
    return found


def _named(plan: Plan) -> Plan:
    outcome = plan.outcome
    assert isinstance(outcome, Rewrite)
    text = outcome.template.replace("nnx.Sequential(", "TorchSequential(", 1)
    return plan.decided(replace(outcome, template=text), _WHY)


def _is_flax(plan: Plan) -> bool:
    outcome = plan.outcome
    return isinstance(outcome, Rewrite) and outcome.template.startswith("nnx.Sequential")


def _is_sequence(plan: Plan) -> bool:
    """Return whether a use is a member of a sequence, which is written by its rule."""
    return plan.use.receiver_value == Instance(_SEQUENTIAL)


def _names(cells: Cells) -> Iterator[str]:
    """Yield the names and attributes to which the program only assigns sequences of flax."""
    found: dict[str, list[bool]] = {}
    places = cells.structure.places
    for node in places.of(ast.Assign):
        plan = cells.plans.get(id(made_of(node.value)))
        flax = plan is not None and plan.use.name == _SEQUENTIAL and _is_flax(plan)
        for target in node.targets:
            found.setdefault(last_name(target), []).append(flax)
    for parameter in places.of(ast.arg):
        found.setdefault(parameter.arg, []).append(False)
    yield from (name for name, kinds in found.items() if name and all(kinds))


def _read_as_lists(places: Places) -> Iterator[ast.expr]:
    """Yield the expressions for which `_is_read` is true, and others that are no names."""
    for call in places.of(ast.Call):
        if isinstance(call.func, ast.Name) and call.func.id in _TAKING:
            yield from (call.func, *call.args)
    for part in places.of(ast.Subscript):
        if not isinstance(part.slice, ast.Slice):
            yield part.value
    yield from (loop.iter for loop in places.of(ast.For, ast.comprehension))
    yield from (one.value for one in places.of(ast.Starred))


def _is_read(cells: Cells, node: ast.Name | ast.Attribute) -> bool:
    """Return whether the layers of a sequence are read: `net[0]`, `len(net)`."""
    parent = cells.parents.get(id(node))
    if isinstance(parent, ast.Call):
        return isinstance(parent.func, ast.Name) and parent.func.id in _TAKING
    if isinstance(parent, ast.Subscript):
        return parent.value is node and not isinstance(parent.slice, ast.Slice)
    if isinstance(parent, ast.For | ast.comprehension):
        return parent.iter is node
    return isinstance(parent, ast.Starred)


def _read(cells: Cells, node: ast.Name | ast.Attribute) -> Iterator[Plan]:
    """Yield the plan of a sequence whose layers are read."""
    if _is_read(cells, node):
        text = "{self}." + node.attr if isinstance(node, ast.Attribute) else node.id
        yield named(node, _NAME, Rewrite(f"{text}.layers"), cells.structure)


def _sliced(cells: Cells, plan: Plan, names: set[str]) -> Plan:
    """Return the plan of some layers of a sequence, which are a sequence again."""
    node, receiver = plan.use.node, plan.use.receiver
    if not isinstance(node, ast.Subscript) or receiver is None:
        return plan
    if last_name(receiver) not in names or _holds_uses(cells, node.slice):
        return plan
    text = f"nnx.Sequential(*{{self}}.layers[{ast.unparse(node.slice)}])"
    return plan.decided(Rewrite(text, consumed=frozenset(plan.match.arguments)), _WHY)


def _holds_uses(cells: Cells, node: ast.expr) -> bool:
    return any(id(one) in cells.plans for one in inside(node))
