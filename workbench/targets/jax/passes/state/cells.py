"""Parameters and buffers, which are the only tensors of JAX that change in place.

A cell is what a loop over `model.parameters()` yields, an entry of a state dict, the weight of a
layer, or an attribute to which a class assigns a parameter or a buffer. `p[...]` is its value.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from workbench.convert.decide.planner import Plan
from workbench.rules.match import literal
from workbench.source.tree import Notes, inside
from workbench.source.types.lattice import BUFFER, PARAMETER, Instance, OneOf, Tensor, Value
from workbench.source.uses import UseKind
from workbench.targets.jax.passes.program.places import Function
from workbench.targets.jax.passes.program.structure import Structure
from workbench.targets.jax.passes.state.makers import sequence_makers

# What yields parameters or buffers, by torch's names, and the place of a tensor in each item.
_YIELDING = {
    "torch.nn.Module.parameters": None,
    "torch.nn.Module.buffers": None,
    "torch.nn.Module.named_parameters": 1,
    "torch.nn.Module.named_buffers": 1,
    "torch.nn.ParameterDict.values": None,
    "torch.nn.ParameterDict.items": 1,
}
_MODULES = frozenset(
    (
        *(f"torch.nn.Module.{name}" for name in ("modules", "named_modules")),
        *(f"torch.nn.Module.{name}" for name in ("children", "named_children")),
        *(f"torch.nn.ModuleDict.{name}" for name in ("items", "values")),
    )
)
_Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
COMPREHENSIONS: tuple[type[_Comprehension], ...] = (
    *(ast.ListComp, ast.SetComp),
    *(ast.GeneratorExp, ast.DictComp),
)
_WRAPPERS = frozenset({"list", "tuple", "sorted", "iter", "reversed", "set"})
_STATE = frozenset({PARAMETER, BUFFER})
_LAYERS = "torch.nn."
_MODULE = "torch.nn.Module."
_PADDED = "torch.nn.Embedding of padding"
_SEQUENTIAL = "torch.nn.Sequential"
_CONTAINERS = frozenset({_SEQUENTIAL, "torch.nn.ModuleList"})
_RECURRENT = re.compile(r"(weight|bias)_(ih|hh)_l\d+(_reverse)?")
_WEIGHTS = frozenset({"weight", "bias"})
# Members that describe a tensor.
_DESCRIBING = frozenset({"shape", "size", "ndim", "dim", "dtype", "device", "numel", "nelement"})
_known: Notes[list[ast.AST]] = Notes("setting")
_BUILTINS = frozenset({"print", "float", "int", "abs", "round", "sum", "str", "repr"})


class Role(StrEnum):
    """What the code around a cell does with it."""

    VALUE = "value"  # p * 2, which reads the array
    CELL = "cell"  # params.append(p), which may change it later
    FORM = "form"  # p.shape
    TEST = "test"  # p is None
    OWN = "own"  # p * 2, in the layout of JAX
    FLAG = "flag"  # p.requires_grad


@dataclass(frozen=True, slots=True)
class Cell:
    """A parameter or buffer in the text.

    Attributes:
        node: its expression, without `.data`.
        attribute: its name in JAX if it is a member of a layer, or None.
        turned: whether it has torch's dimensions in reverse order.
        unknown: whether the layer's class is not known, so that torch's name is looked up.
    """

    node: ast.expr
    attribute: str | None = None
    turned: bool = False
    unknown: bool = False

    def written(self, role: Role) -> str:
        """Return the template of the expression."""
        assert isinstance(self.node, ast.Attribute)
        if self.unknown and role is Role.TEST:
            return f"torch_parameters({{self}}).get({self.attribute!r})"
        name = f"torch_parameters({{self}})[{self.attribute!r}]"
        name = name if self.unknown else f"{{self}}.{self.attribute}"
        if self.turned and role in {Role.VALUE, Role.FORM}:
            return f"{name}.T"
        if self.turned and role is Role.CELL:
            return f"TorchKernel({name})"
        return f"{name}[...]" if role in {Role.VALUE, Role.OWN} else name


@dataclass(slots=True)
class Cells:
    """The cells of a program.

    Attributes:
        structure: the program.
        plans: the plans of its uses, by the identity of their nodes.
        held: the names and entries that are cells, by identity.
        attributes: the attributes of its classes that are parameters or buffers, to whether they
            are buffers.
        layers: the attributes to which its classes only assign new layers, with their classes.
        sequences: the names and attributes of a `Sequential` of known layers, with their classes.
        containers: the names and attributes that are only sequences or lists of layers.
        models: the names of models, whose members are called.
        copies: the names and attributes of dicts to whose entries the program assigns copies.
        owners: the names of layers of unknown class, with the function that binds them.
    """

    structure: Structure
    plans: dict[int, Plan]
    held: set[int] = field(default_factory=set)
    attributes: dict[str, bool] = field(default_factory=dict)
    layers: dict[str, set[str]] = field(default_factory=dict)
    sequences: dict[str, list[str]] = field(default_factory=dict)
    containers: set[str] = field(default_factory=set)
    models: set[str] = field(default_factory=set)
    copies: set[str] = field(default_factory=set)
    owners: set[tuple[int, str]] = field(default_factory=set)

    @property
    def parents(self) -> dict[int, ast.AST]:
        """The node around each node, by identity."""
        return self.structure.places.parents

    def at(self, node: ast.expr) -> Cell | None:
        """Return the cell that an expression is, or None."""
        if id(node) in self.held:
            return Cell(node)
        if not isinstance(node, ast.Attribute):
            return None
        plan = self.plans.get(id(node))
        if plan is not None and plan.use.name.startswith(_LAYERS):
            return self._of_layer(node, plan)
        if plan is None and node.attr in _WEIGHTS and (made := self.made(node.value)):
            return self._named(node, made)
        if plan is None and node.attr in self.attributes:
            return Cell(node, node.attr)
        if plan is None and _RECURRENT.fullmatch(node.attr):
            return Cell(node, node.attr)
        if plan is None and node.attr in _WEIGHTS and self._has_weights(node):
            return Cell(node, node.attr, unknown=True)
        return None

    def _has_weights(self, node: ast.Attribute) -> bool:
        """Return whether an object whose member is read is a layer."""
        return self.is_listed(node.value) or self._is_part(node.value) or self._is_handled(node)

    def is_listed(self, node: ast.expr) -> bool:
        """Return whether an expression is a layer of a list, or of unknown class in a loop."""
        if isinstance(node, ast.Name) and key_of(self, node) in self.owners:
            return True
        return isinstance(node, ast.Subscript) and self.lists_layers(node.value)

    def _is_part(self, node: ast.expr) -> bool:
        """Return whether an expression is a part of a model, such as `net.mid.first`."""
        root = node
        while isinstance(root, ast.Attribute | ast.Subscript):
            root = root.value
        if not isinstance(root, ast.Name) or root is node:
            return False
        own = root.id == "self" and self.structure.class_of(node) is not None
        return own or root.id in self.models

    def lists_layers(self, node: ast.expr) -> bool:
        """Return whether an expression is a sequence or a list of layers."""
        return last_name(node) in self.containers

    def made(self, node: ast.expr) -> set[str]:
        """Return the classes of layers that the program assigns to an attribute or a place."""
        if isinstance(node, ast.Attribute):
            return self.layers.get(node.attr, set())
        if isinstance(node, ast.Subscript):
            parts = self.sequences.get(last_name(node.value), [])
            place = literal(node.slice)
            if isinstance(place, int) and -len(parts) <= place < len(parts):
                return {parts[place]}
        return set()

    def _of_layer(self, node: ast.Attribute, plan: Plan) -> Cell | None:
        """Return the weight of a layer of a known class."""
        if plan.use.kind not in {UseKind.READ, UseKind.STORE} or "Module." in plan.use.name:
            return None
        made = self.made(node.value)
        return self._named(node, made or _classes(plan.use.receiver_value))

    def _named(self, node: ast.Attribute, classes: set[str]) -> Cell | None:
        """Return the weight of a layer of one of these classes."""
        names = {self._own_name(one, node.attr) for one in classes}
        if len(names) == 1 and (name := names.pop()) is not None:
            return Cell(node, name, turned=name == "kernel")
        return Cell(node, node.attr, unknown=True) if node.attr in _WEIGHTS else None

    def _own_name(self, cls: str, attribute: str) -> str | None:
        """Return the name in JAX of a layer's parameter or buffer, or None if it is unknown."""
        short = cls.rpartition(".")[2]
        if short == "Linear":
            return {"weight": "kernel", "bias": "bias"}.get(attribute)
        if short == "LayerNorm":
            return {"weight": "scale", "bias": "bias"}.get(attribute)
        if cls == _PADDED:
            return "weight" if attribute == "weight" else None
        if short == "Embedding" and attribute == "weight":
            made = [p for p in self.plans.values() if p.use.name == cls and p.use.call is not None]
            padded = {one.match.given("padding_idx") for one in made}
            return None if len(padded) != 1 else "weight" if padded.pop() else "embedding"
        same = short.startswith(("Conv", "BatchNorm")) or short in {"GroupNorm", "LSTM", "GRU"}
        kept = attribute in {*_WEIGHTS, "running_mean", "running_var", "num_batches_tracked"}
        recurrent = attribute.startswith(("weight_", "bias_"))
        return attribute if same and (kept or recurrent) else None

    def _is_handled(self, node: ast.Attribute) -> bool:
        """Return whether the member of an unknown object is used as a parameter."""
        outer = self.outermost(node)
        while isinstance(parent := self.parents.get(id(outer)), ast.Subscript):
            outer = self.outermost(parent)
        if outer is not node and not isinstance(outer, ast.Subscript):
            return True
        parent = self.parents.get(id(outer))
        plan = self.plans.get(id(self.parents.get(id(parent))))
        if isinstance(parent, ast.Attribute) and plan is not None:
            return plan.use.name.startswith("torch.Tensor.") and parent.attr.endswith("_")
        given = self.plans.get(id(parent))
        stored = isinstance(parent, ast.Assign) and node in parent.targets
        made = self.plans.get(id(parent.value)) if isinstance(parent, ast.Assign) else None
        if stored and made is not None:
            return made.use.name.endswith(".Parameter") and ast.unparse(node.value) != "self"
        return given is not None and given.use.name.startswith("torch.nn.init.")

    def bare(self, node: ast.expr) -> ast.expr:
        """Return an expression without `.data` and `.detach()` at its end."""
        while (inner := inner_of(node)) is not None:
            node = inner
        return node

    def outermost(self, node: ast.expr) -> ast.expr:
        """Return an expression with the `.data` and `.detach()` that follow it."""
        while True:
            parent = self.parents.get(id(node))
            if isinstance(parent, ast.Attribute) and parent.attr == "detach":
                parent = self.parents.get(id(parent))
            if not isinstance(parent, ast.expr) or inner_of(parent) is not node:
                return node
            node = parent

    def role(self, node: ast.expr) -> Role:
        """Return what the code around an expression does with it."""
        parent = self.parents.get(id(node))
        match parent:
            case ast.Attribute(attr=attr):
                return self._role_of_member(parent, attr)
            case ast.Compare(ops=[ast.Is() | ast.IsNot()]):
                return Role.TEST
            case ast.BinOp() | ast.UnaryOp() | ast.Compare() | ast.FormattedValue():
                return Role.VALUE
            case ast.AugAssign(value=value) if value is node:
                return Role.VALUE
            case ast.Call(func=func) if func is not node:
                return self._role_of_argument(parent)
            case ast.Assign(value=value) if value is node:
                stored = [self.plans.get(id(one)) for one in parent.targets]
                kept = any(one is not None and one.use.kind is UseKind.STORE for one in stored)
                return Role.VALUE if kept else Role.CELL
        return Role.CELL

    def _role_of_member(self, parent: ast.Attribute, attribute: str) -> Role:
        if attribute in _DESCRIBING:
            return Role.FORM
        plan = self.plans.get(id(parent)) or self.plans.get(id(self.parents.get(id(parent))))
        known = plan is not None and plan.use.name.startswith("torch.Tensor.")
        if attribute.startswith("requires_grad"):
            return Role.FLAG
        return Role.VALUE if known and attribute != "grad" else Role.CELL

    def _role_of_argument(self, call: ast.Call) -> Role:
        plan = self.plans.get(id(call))
        if plan is not None:
            made = plan.use.name.startswith("torch.nn.") and plan.use.receiver is None
            function = plan.use.name.startswith(("torch.nn.functional.", "torch.nn.init."))
            return Role.CELL if made and not function else Role.VALUE
        builtin = isinstance(call.func, ast.Name) and call.func.id in _BUILTINS
        return Role.VALUE if builtin else Role.CELL


def cells_of(structure: Structure, plans: list[Plan]) -> Cells:
    """Find the cells of a program."""
    found = Cells(structure, {id(one.use.node): one for one in plans})
    found.attributes = dict(_attributes(found))
    _find_layers(found)
    found.models = {
        one.use.receiver.id
        for one in plans
        if one.use.name.startswith(_MODULE) and isinstance(one.use.receiver, ast.Name)
    }
    for node in structure.places.of(ast.Attribute):
        if isinstance(node.value, ast.Name):
            cell = found.at(node)
            if cell is not None and cell.unknown:
                found.owners.add(key_of(found, node.value))
    found.owners |= set(_modules(found))
    bound: set[tuple[int, str]] = set()
    for shown in _shown(plans):
        if id(shown) not in structure.owner:
            continue
        if isinstance(shown, ast.Name):
            bound.add(key_of(found, shown))
        else:
            found.held.add(id(shown))
    bound |= set(_iterated(found))
    bound |= set(_assigned(found))
    names = {name for _, name in bound}
    found.held |= {
        id(one)
        for one in structure.places.of(ast.Name)
        if one.id in names and key_of(found, one) in bound
    }
    return found


def _shown(plans: list[Plan]) -> Iterator[ast.expr]:
    """Yield the expressions that are known to be parameters or entries of a state."""
    for one in plans:
        use = one.use
        if use.receiver is not None and _is_state(use.receiver_value):
            yield use.receiver
        for node, value in zip(use.arguments, use.values, strict=False):
            if _is_state(value):
                yield node


def _is_state(value: Value) -> bool:
    return isinstance(value, Tensor) and bool(value.states & _STATE)


def _classes(value: Value) -> set[str]:
    """Return the classes of layers that a value may be an instance of."""
    options = value.options if isinstance(value, OneOf) else {value}
    return {one.cls if isinstance(one, Instance) else "" for one in options}


def inner_of(node: ast.expr) -> ast.expr | None:
    """Return `p` for `p.data` and `p.detach()`, or None."""
    match node:
        case ast.Attribute(value=value, attr="data"):
            return value
        case ast.Call(func=ast.Attribute(value=value, attr="detach"), args=[], keywords=[]):
            return value
    return None


def key_of(cells: Cells, name: ast.Name) -> tuple[int, str]:
    """Return the loop, comprehension or function that binds a name, by identity, and the name.

    The identity is 0 for a name of the module.
    """
    node: ast.AST = name
    while (parent := cells.parents.get(id(node))) is not None:
        if isinstance(parent, ast.For | ast.AsyncFor) and node is not parent.iter:
            if name.id in _names(parent.target):
                return id(parent), name.id
        elif isinstance(parent, COMPREHENSIONS):
            first = node is parent.generators[0]
            outside = first and name in inside(parent.generators[0].iter)
            if not outside and any(name.id in _names(one.target) for one in parent.generators):
                return id(parent), name.id
        elif isinstance(parent, Function | ast.Lambda):
            return id(parent), name.id
        node = parent
    return 0, name.id


def _names(target: ast.AST) -> set[str]:
    return {one.id for one in inside(target) if isinstance(one, ast.Name)}


def _iterated(cells: Cells) -> Iterator[tuple[int, str]]:
    """Yield the names that loops over parameters bind."""
    for node, target, iterated in _loops(cells):
        yield from ((id(node), one.id) for one in _bound(cells, target, iterated))


def _loops(cells: Cells) -> Iterator[tuple[ast.AST, ast.expr, ast.expr]]:
    """Yield each loop and comprehension with what it binds and what it runs over."""
    places = cells.structure.places
    for loop in places.of(ast.For):
        yield loop, loop.target, loop.iter
    for node in places.of(*COMPREHENSIONS):
        yield from ((node, one.target, one.iter) for one in node.generators)
    for call in places.of(ast.Call):
        match call:
            case ast.Call(func=ast.Name(id="filter" | "map"), args=[ast.Lambda() as held, given]):
                yield from ((held, ast.Name(one.arg), given) for one in held.args.args)


def _modules(cells: Cells) -> Iterator[tuple[int, str]]:
    """Yield the names of layers that loops bind, and of arguments of functions given to `apply`."""
    for node, target, iterated in _loops(cells):
        every = inside(iterated)
        inner = [cells.plans.get(id(one)) for one in every]
        listed = any(isinstance(one, ast.expr) and cells.lists_layers(one) for one in every)
        if listed or any(one is not None and one.use.name in _MODULES for one in inner):
            yield from ((id(node), name) for name in _names(target))
    applied = {
        last_name(given)
        for one in cells.plans.values()
        if one.use.name == "torch.nn.Module.apply" and one.use.call
        for given in one.use.call.args
    }
    for function in cells.structure.places.of(ast.FunctionDef, ast.AsyncFunctionDef):
        if function.name in applied:
            yield from ((id(function), one.arg) for one in function.args.args)


def _bound(cells: Cells, target: ast.expr, iterated: ast.expr) -> Iterator[ast.Name]:
    """Yield the names of a loop's target that are cells."""
    match iterated:
        case ast.Call(func=ast.Name(id="zip"), args=args) if isinstance(target, ast.Tuple):
            for one, given in zip(target.elts, args, strict=False):
                yield from _bound(cells, one, given)
        case ast.Call(func=ast.Name(id="enumerate"), args=[given, *_]):
            if isinstance(target, ast.Tuple) and len(target.elts) == 2:
                yield from _bound(cells, target.elts[1], given)
        case ast.Call(func=ast.Name(id=name), args=[given, *_]) if name in _WRAPPERS:
            yield from _bound(cells, target, given)
        case ast.Call(func=ast.Attribute(value=value, attr="items" | "values" as attr)):
            plan = cells.plans.get(id(value))
            if plan is not None and plan.use.name == "torch.nn.Module.state_dict":
                yield from _part(target, 1 if attr == "items" else None)
            yield from _yielded(cells, target, iterated)
        case ast.Call():
            yield from _yielded(cells, target, iterated)


def _yielded(cells: Cells, target: ast.expr, call: ast.expr) -> Iterator[ast.Name]:
    """Yield the name of a target that is a cell if a call yields parameters or buffers."""
    plan = cells.plans.get(id(call))
    if plan is not None and plan.use.name in _YIELDING:
        yield from _part(target, _YIELDING[plan.use.name])


def _part(target: ast.expr, place: int | None) -> Iterator[ast.Name]:
    """Yield the name of a target, or that at a place of a tuple."""
    if place is None:
        found: ast.expr | None = target
    else:
        split = isinstance(target, ast.Tuple) and len(target.elts) > place
        found = target.elts[place] if split and isinstance(target, ast.Tuple) else None
    if isinstance(found, ast.Name):
        yield found


def _assigned(cells: Cells) -> Iterator[tuple[int, str]]:
    """Yield the names that are assigned once, from the parameter of a layer: `w = fc.weight`."""
    found: list[ast.Name] = []
    for node in cells.structure.places.of(ast.Assign):
        target = node.targets[0]
        if isinstance(target, ast.Name):
            value = cells.bare(node.value)
            if isinstance(value, ast.Attribute) and cells.at(value) is not None:
                found.append(target)
    names = {one.id for one in found}
    counted = Counter(
        key_of(cells, one)
        for one in cells.structure.places.of(ast.Name)
        if one.id in names and isinstance(one.ctx, ast.Store)
    )
    yield from (key for key in (key_of(cells, one) for one in found) if counted[key] == 1)


def _attributes(cells: Cells) -> Iterator[tuple[str, bool]]:
    """Yield the attributes that classes of layers only give parameters or buffers."""
    kinds: dict[str, set[str]] = {}
    for cls in cells.structure.classes.values():
        for node in _setting(cls):
            if isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for one in targets:
                    if isinstance(one, ast.Attribute) and _is_of_self(one):
                        kinds.setdefault(one.attr, set()).add(_kind(cells, node.value))
            plan = cells.plans.get(id(node))
            if plan is not None and (name := registered(plan)) is not None:
                kind = "buffer" if plan.use.name.endswith("buffer") else "parameter"
                kinds.setdefault(name, set()).add(kind)
    for name, found in kinds.items():
        if found - {"none"} == {"parameter"} or ("buffer" in found and "parameter" not in found):
            yield name, "buffer" in found


def _setting(cls: ast.ClassDef) -> list[ast.AST]:
    """Return the assignments and calls in a class, by which it may set its attributes."""
    known = _known.get(cls)
    if known is None:
        kinds = {ast.Assign, ast.AnnAssign, ast.Call}
        known = _known[cls] = [node for node in inside(cls) if type(node) in kinds]
    return known


def _find_layers(cells: Cells) -> None:
    """Note the layers that attributes and sequences hold, where all assignments show them."""
    layers: dict[str, list[str]] = {}
    sequences: dict[str, list[list[str]]] = {}
    containers: dict[str, set[str]] = {}
    returning = set(sequence_makers(cells.structure, cells.plans))
    for node in cells.structure.places.of(ast.Assign):
        plan = cells.plans.get(id(made_of(node.value)))
        made = plan is not None and plan.use.call is not None
        kind = _kind_of_layer(plan) if plan is not None and made else ""
        for target in node.targets:
            name = last_name(target)
            if isinstance(target, ast.Subscript) and _is_copy(cells, node.value):
                cells.copies.add(last_name(target.value))
            if isinstance(target, ast.Attribute):
                layers.setdefault(name, []).append(kind)
            for key, inner in _entries(cells, plan if made else None):
                layers.setdefault(key, []).append(inner)
            sequences.setdefault(name, []).append(_parts(cells, plan if made else None))
            made_by = node.value.func if isinstance(node.value, ast.Call) else node.value
            returned = isinstance(made_by, ast.Name) and made_by.id in returning
            containers.setdefault(name, set()).add(_SEQUENTIAL if returned else kind)
    cells.layers = {
        name: set(found) for name, found in layers.items() if all(map(_is_layer, found))
    }
    cells.containers = {n for n, found in containers.items() if n and found <= _CONTAINERS}
    cells.sequences = {
        n: found[0] for n, found in sequences.items() if len(found) == 1 and found[0]
    }


def made_of(node: ast.expr) -> ast.expr:
    """Return the constructor's call in `nn.Sequential(...).to(device).eval()`."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr not in {"to", "eval", "train", "cpu", "cuda", "float"}:
            break
        node = node.func.value
    return node


def _is_copy(cells: Cells, node: ast.expr) -> bool:
    plan = cells.plans.get(id(node))
    return plan is not None and plan.use.name == "torch.Tensor.clone"


def _is_layer(name: str) -> bool:
    return name.startswith(_LAYERS) and name[len(_LAYERS)].isupper() and name != _SEQUENTIAL


def _parts(cells: Cells, plan: Plan | None) -> list[str]:
    """Return the classes of the layers of a `Sequential`, or an empty list."""
    if plan is None or plan.use.name != _SEQUENTIAL or plan.use.call is None:
        return []
    found = [cells.plans.get(id(one)) for one in plan.use.call.args]
    known = all(one is not None and one.use.call is not None for one in found)
    return [one.use.name for one in found if one is not None] if known else []


def _kind_of_layer(plan: Plan) -> str:
    """Return the class of a layer, which differs in JAX for an embedding with a row for padding."""
    padded = plan.use.name == f"{_LAYERS}Embedding" and plan.match.given("padding_idx")
    return _PADDED if padded else plan.use.name


def _entries(cells: Cells, plan: Plan | None) -> Iterator[tuple[str, str]]:
    """Yield the names and classes of the layers that a `ModuleDict` is made of."""
    if plan is None or plan.use.name != f"{_LAYERS}ModuleDict" or plan.use.call is None:
        return
    for given in plan.use.call.args:
        pairs: list[tuple[object, ast.expr]] = []
        if isinstance(given, ast.Call) and ast.unparse(given.func) == "dict":
            pairs = [(one.arg, one.value) for one in given.keywords]
        elif isinstance(given, ast.Dict):
            pairs = [(literal(k), v) for k, v in zip(given.keys, given.values, strict=True) if k]
        for name, value in pairs:
            inner = cells.plans.get(id(value))
            if isinstance(name, str) and inner is not None and inner.use.call is not None:
                yield name, _kind_of_layer(inner)


def last_name(node: ast.expr) -> str:
    """Return a name, or the last one of an attribute, or ""."""
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def registered(plan: Plan) -> str | None:
    """Return the name of the parameter or buffer that a call registers, or None."""
    if plan.use.name not in {
        "torch.nn.Module.register_buffer",
        "torch.nn.Module.register_parameter",
    }:
        return None
    name = plan.match.constant("name")
    return name if isinstance(name, str) else None


def _is_of_self(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    )


def _kind(cells: Cells, value: ast.expr | None) -> str:
    if isinstance(value, ast.Constant) and value.value is None:
        return "none"
    plan = cells.plans.get(id(value))
    made = plan is not None and plan.use.name in {
        "torch.nn.Parameter",
        "torch.nn.parameter.Parameter",
    }
    return "parameter" if made else "other"
