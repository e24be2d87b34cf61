"""Collection of the traits of a text, statement by statement."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from workbench.source.traits import comparing, containers, filling, naming, samples
from workbench.source.traits.aliasing import names_given_shared
from workbench.source.traits.appending import appended
from workbench.source.traits.backward_passes import (
    REGISTERING_HOOKS,
    TAKING_GRADIENTS,
    run_in_backward,
)
from workbench.source.traits.class_names import class_names
from workbench.source.traits.complex_parameters import REGISTERING, makes_complex_parameters
from workbench.source.traits.containers import last_name
from workbench.source.traits.derivatives import derivatives, derived
from workbench.source.traits.dimensions import layouts_shown
from workbench.source.traits.evaluating import switches_to_evaluation
from workbench.source.traits.floating import names_cast_to_float
from workbench.source.traits.given_models import asks_for_parameters, takers
from workbench.source.traits.gradients import holds_gradients
from workbench.source.traits.imported_names import imports_from_torch, in_torchs_names
from workbench.source.traits.initialising import (
    OWN_PARAMETERS,
    initialised_parameter,
    names_a_norm,
    runs,
    sets_biases_to_zero,
    sets_weights_to_zero,
    type_test,
)
from workbench.source.traits.masking import masks_given_outside, masks_in
from workbench.source.traits.presumed import called_by_text
from workbench.source.traits.sharing import shared_in, shared_outside
from workbench.source.traits.training import training
from workbench.source.traits.traits import (
    OF_OTHERS,
    STARRED,
    Argument,
    Assigned,
    AttributeRead,
    Compared,
    Contained,
    Gathered,
    Initialised,
    Layout,
    Named,
    PassedOn,
    SamplesOf,
    SetOfClass,
    Traits,
)
from workbench.source.tree import Notes, children, inside, within
from workbench.source.types.views import root
from workbench.words import words

_DERIVING = frozenset({"backward", "grad", "grad_and_value", "jacrev", "jacfwd", "vjp", "hessian"})
# Entries of the state of a BatchNorm.
_STATISTICS = frozenset({"running_mean", "running_var", "num_batches_tracked"})
_OF_CONTAINERS = frozenset({"append", "add_module", "extend", "insert", "update"})
# Members of a parameter that do not depend on its layout; converted code has `stop_gradient`.
_HARMLESS = frozenset(
    words("device dtype ndim dim numel requires_grad requires_grad_ stop_gradient is_cuda is_leaf")
)
# Objects that hold options: their members are not members of a layer.
_OPTIONS = frozenset(
    {"args", "opt", "opts", "options", "cfg", "config", "conf", "hparams", "hps", "flags", "FLAGS"}
)
_SIGNS: dict[type[ast.unaryop], Callable[[int], int]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
}
# Traits of statements and of methods, and the members of `self` that statements of a class set. An
# edit keeps the nodes of the statements that it does not touch.
_known: Notes[Gathered] = Notes("traits")
_methods: Notes[_OfMethod] = Notes("method")
_members: Notes[frozenset[str]] = Notes("members")


@dataclass(frozen=True, slots=True)
class _OfMethod:
    """Traits of a method in a class of this name.

    `asked` are the members of `self` that it reads, `own` those of them that the class has.
    """

    cls: str
    asked: frozenset[str]
    own: frozenset[str]
    traits: Traits


def traits_of(tree: ast.Module) -> Traits:
    """Return the traits of one text."""
    tree = in_torchs_names(tree)
    gathered = Gathered()
    for statement in tree.body:
        gathered.join(_of_statement(statement))
    gathered.add(training(tree))
    found = gathered.traits()
    shared = found.shared | names_given_shared(tree)
    compared = found.compared
    if found.reads_class_names:
        texts, _ = class_names(tree)
        compared |= {Compared(one.text, exactly=True) for one in texts}
    laid_out = found.laid_out | layouts_shown(tree)
    if "state_dict" in found.called:
        laid_out |= filling.changes_of_states(tree.body)
    imported = frozenset(
        one.name for statement in imports_from_torch(tree.body) for one in statement.names
    )
    hooked = "Function" in found.bases or not found.called.isdisjoint(REGISTERING_HOOKS)
    hooked = hooked and not found.called.isdisjoint(TAKING_GRADIENTS)
    registers = not found.called.isdisjoint(REGISTERING)
    shares, rewritten = shared_outside(tree.body)
    return replace(
        found,
        shared=shared,
        compared=compared,
        laid_out=laid_out,
        imported=imported,
        complex_parameters=registers and makes_complex_parameters(tree),
        run_in_backward=run_in_backward(tree) if hooked else frozenset(),
        masks=found.masks | masks_given_outside(tree.body),
        shares=found.shares | shares,
        rewritten=found.rewritten | rewritten,
    )


def _of_statement(statement: ast.stmt) -> Gathered:
    known = _known.get(statement)
    if known is not None:
        return known
    collector = _Collector()
    collector.visit(statement)
    collector.note_gradients(statement)
    collector.note_derivatives(statement)
    collector.note_takers(statement)
    if not isinstance(statement, ast.ClassDef):
        collector.note_filling(statement, of_class=False)
    _known[statement] = collector.found
    return collector.found


class _Collector(ast.NodeVisitor):
    def __init__(self) -> None:
        self.found = Gathered()
        self._sets, self._true = self.found.sets, self.found.true
        self._own: list[set[str]] = []  # members of `self` of the enclosing classes
        self._classes: list[str] = []  # the names of these classes
        self._functions: list[str] = [""]  # the names of the enclosing functions
        self._named: set[int] = set()  # classes that are called, derived from or tested for
        # Variable, and the classes that it may have.
        self._tested: list[tuple[str, frozenset[str]]] = []
        self._naming = 0  # enclosing nodes that choose parameters by their names
        self._norms = 0  # enclosing tests for a normalisation
        self._asked: set[str] = set()  # members of `self` that are read

    def traits(self) -> Traits:
        return self.found.traits()

    def note_shared(self, node: ast.Module | ast.FunctionDef) -> None:
        self._sets["shared"].update(names_given_shared(node))

    def note_gradients(self, statement: ast.stmt) -> None:
        if "grad" in self._sets["read"] and holds_gradients(statement):
            self._true.add("holds_gradients")

    def note_derivatives(self, statement: ast.stmt) -> None:
        if "create_graph" in self._sets["keywords"]:
            kept, differentiated = derivatives(statement)
            self._sets["gradients"].update(kept)
            self._sets["differentiated"].update(differentiated)
        if not self._sets["called"].isdisjoint(_DERIVING):
            self._sets["derived"].update(derived(statement))

    def note_filling(self, scope: ast.stmt, *, of_class: bool) -> None:
        self._sets["laid_out"].update(filling.places_values(scope, of_class=of_class))
        self._sets["laid_out"].update(filling.uses_of_states(scope))

    def note_takers(self, statement: ast.stmt) -> None:
        if any(map(asks_for_parameters, self._sets["called"])):
            self._sets["takers"].update(takers(statement))

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        if (kind := samples.of_class(node)) is not None:
            self._sets["samples"].add(SamplesOf(node.name, kind))
        bases = filter(None, map(last_name, node.bases))
        self._named.update(map(id, node.bases))
        self._sets["bases"].update(bases)
        alone = not (self._classes or self._naming or self._tested)
        self._own.append(set[str]().union(*map(_members_of_self, node.body)))
        self._classes.append(node.name)
        for child in ast.iter_child_nodes(node):
            if alone and isinstance(child, ast.FunctionDef):
                self.found.add(_of_method(child, node.name, self._own[-1]))
            else:
                self.visit(child)
        self._classes.pop()
        self._own.pop()

    def read_method(self, node: ast.FunctionDef, cls: str, own: set[str]) -> _OfMethod:
        """Return the traits of a method of a class that has these members."""
        self._own.append(own)
        self._classes.append(cls)
        self.visit(node)
        self.note_filling(node, of_class=True)
        asked = frozenset(self._asked)
        return _OfMethod(cls, asked, asked & own, self.traits())

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.note_shared(node)
        given, variables = masks_in(node)
        self._sets["masks"].update(given)
        self._sets["may_be_masks"].update(variables)
        shares, rewritten = shared_in(node, self._classes[-1] if self._classes else None)
        self._sets["shares"].update(shares)
        self._sets["rewritten"].update(rewritten)
        self._sets["appended"].update(appended(node))
        self._note_type(node.returns)
        self._note_compared(node)
        if node.decorator_list and self._classes:
            self._sets["made"].add(Assigned(node.name, "", self._classes[-1]))
        if node.name == "train" and self._classes and any(map(_is_base_train, inside(node))):
            self._true.add("extends_train")
        self._functions.append(node.name)
        self.generic_visit(node)
        self._functions.pop()

    def visit_Name(self, node: ast.Name) -> None:
        self._note_class(node, node.id)

    def _note_class(self, node: ast.expr, name: str) -> None:
        if name.lstrip("_")[:1].isupper() and id(node) not in self._named:
            self._sets["passed_on"].add(PassedOn(name))

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self._note_compared(node)
        own = isinstance(node.value, ast.Name) and node.value.id == "self"
        if not own:
            self._note_class(node, node.attr)
        holder = last_name(node.value)
        if isinstance(node.ctx, ast.Load):
            if own:
                self._asked.add(node.attr)
            if not (own and self._own and node.attr in self._own[-1]) and holder not in _OPTIONS:
                self._sets["read"].add(node.attr)
                self._note_asked(node)
                self._note_parameter(node)
        elif not own:
            self._sets["stored"].add(node.attr)
            self._note_parameter(node)
        inner = node.value
        if (
            node.attr in _HARMLESS
            and isinstance(inner, ast.Attribute)
            and inner.attr in OWN_PARAMETERS
        ):
            self._sets["read"].add(inner.attr)
            self.visit(inner.value)
            return
        self.generic_visit(node)

    def _note_asked(self, node: ast.Attribute) -> None:
        owner = node.value
        match owner:
            case ast.Call(func=ast.Name(id="super")):
                return
            case ast.Attribute(value=ast.Name(id="self"), attr=member) if self._classes:
                read = AttributeRead(member, node.attr, of_member=True, cls=self._classes[-1])
                self._sets["asked"].add(read)
                return
        self._sets["asked"].add(_attribute_read(node))

    def visit_For(self, node: ast.For) -> None:
        self._sets["loops"].update(containers.loops(node))
        self._sets["filled"].update(filling.sources(node))
        self._sets["kept"].update(filling.kept(node))
        self._note_layout(node, node.body)
        self.generic_visit(node)

    def _note_layout(self, over: ast.For | ast.comprehension, parts: Iterable[ast.AST]) -> None:
        if filling.shows_layout(over, parts):
            self._sets["laid_out"].add(Layout.PARAMETERS)

    def visit_ListComp(self, node: ast.ListComp | ast.GeneratorExp) -> None:
        for over in node.generators:
            self._note_layout(over, [node.elt])
        self.generic_visit(node)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> None:
        self.visit_ListComp(node)

    def visit_DictComp(self, node: ast.DictComp) -> None:
        for over in node.generators:
            self._note_layout(over, [node.value])
        self.generic_visit(node)

    def _note_parameter(self, node: ast.Attribute) -> None:
        if node.attr in OWN_PARAMETERS:
            self._sets["parameters"].add(_attribute_read(node))

    def visit_arg(self, node: ast.arg) -> None:
        self._note_type(node.annotation)
        self.generic_visit(node)

    def _note_type(self, annotation: ast.expr | None) -> None:
        if annotation is not None:
            self._named.update(map(id, inside(annotation)))

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self._note_type(node.annotation)
        if name := last_name(node.target):
            self._sets["made"].add(Assigned(name, "", self._classes[-1] if self._classes else ""))
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        self._sets["kept"].update(filling.kept(node))
        for target in node.targets:
            pairs = [(target, node.value)]
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                pairs = list(zip(target.elts, node.value.elts, strict=False))
            for aim, value in pairs:
                self._note_assigned(aim, value)
        self.generic_visit(node)

    def _note_assigned(self, aim: ast.expr, value: ast.expr) -> None:
        if isinstance(aim, ast.Name) and (number := _whole_number(value)) is not None:
            self._sets["named"].add(Named(aim.id, number))
        name = last_name(aim)
        if name:
            self._sets["items"].update(Contained(name, one) for one in containers.items(value))
            holder = self._classes[-1] if self._classes else ""
            if isinstance(aim, ast.Attribute) and not isinstance(aim.value, ast.Name):
                holder = ast.unparse(aim.value)
            maker, is_variable = containers.maker(value), isinstance(aim, ast.Name)
            self._sets["made"].add(Assigned(name, maker, holder, is_variable))
        if _may_freeze(name, value):
            self._true.add("freezes")

    def _note_item(self, node: ast.Call, method: str) -> None:
        """Note the layers that `self.convs.append(nn.Conv2d(...))` adds."""
        if method not in _OF_CONTAINERS or not isinstance(node.func, ast.Attribute):
            return
        if name := last_name(node.func.value):
            given = node.args[-1:] or [one.value for one in node.keywords[-1:]]
            of_many = method in {"extend", "update"}
            found = [item for one in given for item in containers.items(one)] if of_many else []
            found = found or [containers.maker(one) for one in given]
            self._sets["items"].update(Contained(name, one) for one in found)

    def _note_compared(self, node: ast.AST) -> None:
        self._sets["compared"].update(comparing.classes_compared(node))
        if comparing.reads_class_name(node):
            self._true.add("reads_class_names")

    def visit_MatchClass(self, node: ast.MatchClass) -> None:
        self._note_compared(node)
        self._named.add(id(node.cls))
        self.generic_visit(node)

    def visit_Dict(self, node: ast.Dict) -> None:
        self._named.update(map(id, node.keys))  # `{nn.Linear: rule}` is a lookup table
        self._note_compared(node)
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        match node:
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as number)):
                self._sets["numbers"].add(-number)
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        self._note_compared(node)
        self._sets["floated"].update(names_cast_to_float(node))
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self._change(node.target)
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if not isinstance(node.ctx, ast.Load):
            self._change(node.value)
            self._note_compared(node)
        self.generic_visit(node)

    def _change(self, node: ast.expr) -> None:
        name = root(node)
        if name is not None:
            self._sets["changed"].add(name)

    def visit_Call(self, node: ast.Call) -> None:
        name = last_name(node.func)
        self._sets["floated"].update(names_cast_to_float(node))
        self._named.add(id(node.func))
        for keyword in node.keywords:
            if keyword.arg == "out":
                self._change(keyword.value)
        self._sets["keywords"].update(one.arg for one in node.keywords if one.arg)
        if any(one.arg == "inplace" for one in node.keywords):
            self._sets["in_place"].add(name or "")
        self._sets["called"].update(called_by_text(node))
        if name is not None:
            self._note_call(node, name)
        parameter = initialised_parameter(node)
        if parameter is None:
            self.generic_visit(node)
        else:
            self._note_initialised(node, parameter)

    def _note_call(self, node: ast.Call, name: str) -> None:
        """Note the traits of a call, except its keywords."""
        given = [*node.args, *(one.value for one in node.keywords)]
        self._sets["called"].add(name)
        self._sets["runs"].update(runs(node, name, in_class=bool(self._classes)))
        self._note_item(node, name)
        self._note_mention(node, name)
        if name.endswith("_") and isinstance(node.func, ast.Attribute):
            self._change(node.func.value)
        if name.endswith("_") and node.args:
            self._change(node.args[0])
        self._note_compared(node)
        if name[:1].isupper():
            self._sets["given"].update(Argument(name, one) for one in _places(node))
        if name[:1].isupper() or name == "partial":
            self._sets["ways"].add(comparing.construction(node, name))
        if any(map(_is_starred, node.args)) or any(map(_is_starred, node.keywords)):
            self._sets["starred"].add(name)
        if sets_weights_to_zero(name, node):
            self._true.add("zeros_weights")
        if not self._norms and sets_biases_to_zero(name, node):
            self._true.add("zeros_biases")
        if switches_to_evaluation(node):
            self._true.add("evaluates")
        if name == "requires_grad_" and given and not _is_true(given[0]):
            self._true.add("freezes")

    def _note_mention(self, node: ast.Call, name: str) -> None:
        """Note arguments that name a class without passing it on."""
        if name == "partial" and node.args and (first := last_name(node.args[0])):
            self._named.add(id(node.args[0]))
            self._sets["passed_on"].add(PassedOn(first, partly=True))
        if name == "super":
            self._named.update(map(id, node.args))
        if name in {"isinstance", "issubclass"}:
            self._named.update(id(part) for one in node.args[1:] for part in inside(one))

    def _note_initialised(self, node: ast.Call, parameter: ast.Attribute) -> None:
        """Note a call that fills a parameter but reads no value: `init.zeros_(self.fc.weight)`."""
        self._sets["read"].add(parameter.attr)
        if isinstance(parameter.value, ast.Attribute):
            member = Initialised(parameter.value.attr, parameter.attr)
            self._sets["initialised"].add(member)
            own = self._classes and last_name(parameter.value.value) == "self"
            setter = self._classes[-1] if own else OF_OTHERS
            self._sets["initialised"].add(member._replace(cls=setter))
        if isinstance(parameter.value, ast.Name):
            for variable, classes in self._tested:
                if variable == parameter.value.id:
                    for one in classes:
                        set_ = SetOfClass(one, parameter.attr, self._functions[-1])
                        self._sets["set_of_class"].add(set_)
        for part in (*node.args, *(one.value for one in node.keywords)):
            if part is not parameter and getattr(part, "value", None) is not parameter:
                self.visit(part)
        self.visit(parameter.value)

    def visit(self, node: ast.AST) -> None:
        """Visit a node that may choose parameters by their names."""
        kind = type(node)
        method = _VISITORS.get(kind) or _visitor(kind)
        if kind in naming.CHOOSING and naming.chooses_parameters(node):
            self._naming += 1
            method(self, node)
            self._naming -= 1
        else:
            method(self, node)

    def generic_visit(self, node: ast.AST) -> None:
        """Visit the children of a node, except contexts and operators."""
        for child in children(node):
            self.visit(child)

    def visit_Compare(self, node: ast.Compare) -> None:
        self._note_compared(node)
        self._named.update(id(part) for one in node.comparators for part in inside(one))
        if not self._naming or not naming.asks_for_a_kind(node):
            self.visit(node.left)
        for one in node.comparators:
            self.visit(one)

    def visit_If(self, node: ast.If) -> None:
        self.visit(node.test)
        found = type_test(node.test)
        if found is not None:
            self._tested.append(found)
        of_norm = names_a_norm(node.test)
        self._norms += of_norm
        for statement in node.body:
            self.visit(statement)
        self._norms -= of_norm
        if found is not None:
            self._tested.pop()
        for statement in node.orelse:
            self.visit(statement)

    def visit_Constant(self, node: ast.Constant) -> None:
        if not isinstance(node.value, str):
            return
        last = node.value.rpartition(".")[2]
        if node.value.isidentifier():
            self._sets["strings"].add(node.value)
        elif last in _STATISTICS:
            self._sets["strings"].add(last)  # state["bn.running_mean"]

    def visit_Import(self, node: ast.Import) -> None:
        self._sets["modules"].update(one.name.partition(".")[0] for one in node.names)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        self._sets["modules"].add((node.module or "").partition(".")[0])
        private = (one.name for one in node.names if one.name.startswith("_"))
        self._sets["read"].update(private)


_VISITORS: dict[type[ast.AST], Callable[[_Collector, Any], None]] = {}


def _visitor(kind: type[ast.AST]) -> Callable[[_Collector, Any], None]:
    default = _Collector.generic_visit
    found = _VISITORS[kind] = getattr(_Collector, f"visit_{kind.__name__}", default)
    return found


def _of_method(node: ast.FunctionDef, cls: str, own: set[str]) -> Traits:
    known = _methods.get(node)
    if known is None or known.cls != cls or known.own != known.asked & own:
        known = _methods[node] = _Collector().read_method(node, cls, own)
    return known.traits


def _members_of_self(statement: ast.stmt) -> frozenset[str]:
    """Return the members of `self` that a statement of a class sets, and what it defines."""
    known = _members.get(statement)
    if known is None:
        known = _members[statement] = frozenset(_put_into_self(statement))
    return known


def _put_into_self(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, ast.Assign):
        yield from (one.id for one in statement.targets if isinstance(one, ast.Name))
    for part in (statement, *within(statement)):
        if type(part) is ast.Attribute:
            of = part.value
            if type(part.ctx) is ast.Store and type(of) is ast.Name and of.id == "self":
                yield part.attr
        elif type(part) is ast.FunctionDef:
            yield part.name


def _places(node: ast.Call) -> Iterator[str | int]:
    """Yield the positions and keywords of a call's arguments."""
    for index, one in enumerate(node.args):
        yield STARRED if _is_starred(one) else index
    for keyword in node.keywords:
        yield keyword.arg or STARRED


def _is_starred(one: ast.expr | ast.keyword) -> bool:
    return isinstance(one, ast.Starred) or getattr(one, "arg", "") is None


def _is_base_train(node: ast.AST) -> bool:
    """Return whether a call is `super().train(mode)` or `nn.Module.train(self, mode)`."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr="train")):
            return True
        case ast.Call(func=ast.Attribute(attr="train"), args=[ast.Name(id="self"), *_]):
            return True
    return False


def _is_true(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is True


def _may_freeze(name: str | None, value: ast.expr) -> bool:
    """Return whether an assignment to a member may turn gradients off, in converted code too."""
    if name == "stop_gradient":
        return not (isinstance(value, ast.Constant) and value.value is False)
    return name == "requires_grad" and not _is_true(value)


def _attribute_read(node: ast.Attribute) -> AttributeRead:
    owner = node.value
    while isinstance(owner, ast.Subscript):
        owner = owner.value
    return AttributeRead(last_name(owner) or "", node.attr, isinstance(owner, ast.Attribute))


def _whole_number(node: ast.expr) -> int | None:
    """Return a literal integer, or None."""
    match node:
        case ast.Constant(value=int() as number) if type(number) is int:
            return number
        case ast.UnaryOp(op=sign, operand=ast.Constant(value=int() as number)) if (
            type(sign) in _SIGNS
        ):
            return _SIGNS[type(sign)](number)
    return None
