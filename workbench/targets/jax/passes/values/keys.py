"""Keys for random numbers: `rngs` is passed to all that makes weights or draws.

A rule whose call needs keys writes `rngs=rngs`, or `rngs.normal(shape)`. The constructor of a class
of layers, and a function that only other functions of the program call, take `rngs` by keyword. A
layer that draws when it is called keeps them as `self.rngs`. Any other function uses the keys of
its own `torch.manual_seed`, or else those that the file defines once.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from workbench.convert.decide.planner import Plan
from workbench.convert.passes import Draft
from workbench.convert.rewrite.edits import statement_start
from workbench.rules.outcome import Refusal, Rewrite, TextEdit
from workbench.source.analysis import Analysis
from workbench.source.uses import UseKind
from workbench.targets.jax.passes.program.imported import has_other_files
from workbench.targets.jax.passes.program.places import Function
from workbench.targets.jax.passes.program.plans import named, position, with_edits
from workbench.targets.jax.passes.program.structure import Structure, structure_of, with_parameter
from workbench.targets.jax.passes.values.handed import Handed, handed_on

# The keys in templates, but for the name of an argument.
_GIVEN = re.compile(r"(?<![\w.])rngs\b(?!=)")
GIVEN = "rngs"
KEPT = "self.rngs"
# The keys that a file defines once, by their name in templates.
SHARED = "torch_keys"
_INIT = "nnx.initializers.variance_scaling(1 / 3, 'fan_in', 'uniform')"
CONSTANTS = {SHARED: ("shared_rngs", "nnx.Rngs(0)"), "torch_init": ("init", _INIT)}
_SEED = "torch.manual_seed"
_LOST = Refusal(
    "the keys for random numbers do not reach the calls of this class, which is handed on",
    "partial(Block, rngs=rngs)",
)
_WHY = "keys for random numbers are passed by keyword"


@dataclass(slots=True)
class _Keys:
    """What needs keys, and where they come from.

    Attributes:
        structure: the program.
        shared: whether other files may call its functions and make objects of its classes.
        takes: the functions that take keys, by identity.
        classes: the names of classes whose constructor takes keys.
        keeps: the constructors that keep the keys for the other methods, by identity.
        seeded: the functions with keys of their own, by identity; None is the module.
        handed: where the classes go as values; None if it has not been asked.
    """

    structure: Structure
    shared: bool = False
    takes: dict[int, Function] = field(default_factory=dict)
    classes: set[str] = field(default_factory=set)
    keeps: dict[int, Function] = field(default_factory=dict)
    seeded: set[int | None] = field(default_factory=set)
    handed: Handed | None = None

    def given_at(self, node: ast.AST) -> str:
        """Return the name of the keys at a place of the program."""
        function = self.structure.owner[id(node)]
        while function is not None:
            if id(function) in self.takes or id(function) in self.seeded:
                return GIVEN
            if (made := self.constructor(function)) is not None and id(made) in self.keeps:
                return KEPT
            function = self.structure.owner[id(function)]
        return GIVEN if None in self.seeded else SHARED

    def constructor(self, method: Function) -> Function | None:
        """Return the constructor of the class that a method belongs to, or None."""
        cls = self.structure.methods.get(id(method))
        found = (one for one in cls.body if isinstance(one, Function)) if cls is not None else ()
        return next((one for one in found if one.name == "__init__"), None)

    def are_given_to(self, call: ast.Call) -> bool:
        """Return whether a call is one of a class or a function that takes keys."""
        if self.handed is not None and id(call) in self.handed.calls:
            return True
        match call.func:
            case ast.Name(id=name):
                function = self.structure.functions.get(name)
                taken = function is not None and id(function) in self.takes
                return taken or self.are_given_to_class(call.func)
            case ast.Attribute(value=ast.Name(id="self"), attr=name):
                return self._is_method(call, name)
            case ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr="__init__"):
                cls = self.structure.class_of(call)
                bases = cls.bases if cls is not None else []
                return any(map(self.are_given_to_class, bases))
        return self.structure.imported.takes_keys(call.func)

    def are_given_to_class(self, node: ast.expr) -> bool:
        """Return whether an expression names a class whose constructor takes keys."""
        own = isinstance(node, ast.Name) and node.id in self.classes
        return own or self.structure.imported.takes_keys(node)

    def _is_method(self, call: ast.Call, name: str) -> bool:
        cls = self.structure.class_of(call)
        method = self.structure.method(cls, name) if cls is not None else None
        return method is not None and id(method) in self.takes


def pass_keys(draft: Draft) -> Draft:
    """Pass keys from where they are made to where weights are made or numbers drawn."""
    drawing = [one for one in draft.plans if one.converts and _draws(one)]
    seeds = [one for one in draft.plans if one.use.name == _SEED and one.converts]
    shared = has_other_files(draft.analysis)
    if not drawing and not seeds and not shared:
        return draft
    structure = structure_of(draft.analysis, draft.plans)
    keys = _Keys(structure, shared)
    if shared:
        _take_for_other_files(keys)
    for one in drawing:
        _take(keys, structure.owner[id(one.use.node)])
    while _spread(keys):
        pass
    _seed(keys, seeds, drawing)
    plans = [_decided(one, keys, seeds) for one in draft.plans]
    plans += _calls(keys, plans)
    lost = keys.handed.lost.values() if keys.handed is not None else ()
    plans += [named(one, one.id, _LOST, structure) for one in lost]
    return replace(draft, plans=sorted(_with_headers(plans, keys), key=position))


def _draws(plan: Plan) -> bool:
    found = isinstance(plan.outcome, Rewrite) and _GIVEN.search(plan.outcome.template)
    return bool(found) and plan.use.name != _SEED


def _take(keys: _Keys, function: Function | None) -> bool:
    """Have a function take keys if it makes layers for others; return whether that is new."""
    if function is None or id(function) in keys.takes:
        return False
    if not _is_given_keys(keys, function):
        made = keys.constructor(function)
        if made is None or id(made) in keys.keeps:
            return False
        keys.keeps[id(made)] = made
        _take(keys, made)
        return True
    keys.takes[id(function)] = function
    cls = keys.structure.methods.get(id(function))
    if cls is not None and function.name == "__init__":
        inherited = (
            one.name
            for one in keys.structure.family(cls)
            if keys.structure.method(one, "__init__") is function
        )
        keys.classes |= {cls.name, *inherited}
    return True


def _take_for_other_files(keys: _Keys) -> None:
    """Have each constructor of the program's classes of layers take keys."""
    structure = keys.structure
    for cls in structure.classes.values():
        made = structure.method(cls, "__init__")
        if made is not None:
            _take(keys, made)
        elif any(map(keys.are_given_to_class, cls.bases)):
            keys.classes.add(cls.name)


def _is_given_keys(keys: _Keys, function: Function) -> bool:
    """Return whether all callers of a function are in reach, so that they can pass keys."""
    structure = keys.structure
    if id(function) in structure.methods:
        return function.name == "__init__" or _makes_parts(keys, function)
    if keys.shared and not function.name.startswith("_"):
        return False
    return function.name in structure.functions and _called_only(structure, function, ast.Name)


def _makes_parts(keys: _Keys, method: Function) -> bool:
    """Return whether a method is called while an object is made, and nothing else names it."""
    structure = keys.structure
    makers = (
        structure.owner[id(call)]
        for call in structure.calls
        if isinstance(call.func, ast.Attribute) and call.func.attr == method.name
    )
    made = all(
        one is not None and (one.name == "__init__" or id(one) in keys.takes) for one in makers
    )
    return made and _called_only(structure, method, ast.Attribute)


def _called_only(structure: Structure, function: Function, kind: type[ast.expr]) -> bool:
    """Return whether other functions of the program call a function, and nothing else names it."""
    called = {id(call.func) for call in structure.calls}
    found = [node for node in structure.named(function.name) if isinstance(node, kind)]
    within = all(structure.owner[id(node)] is not None for node in found)
    return bool(found) and within and all(id(node) in called for node in found)


def _spread(keys: _Keys) -> bool:
    """Have the callers of what takes keys take them too; return whether anything changed."""
    keys.handed = handed_on(keys.structure, keys.classes)
    calls = [one for one in keys.structure.calls if keys.are_given_to(one)]
    changed = [_take(keys, keys.structure.owner[id(one)]) for one in calls]
    for cls in keys.structure.classes.values():
        made = keys.structure.method(cls, "__init__")
        if made is not None and id(made) in keys.takes and cls.name not in keys.classes:
            keys.classes.add(cls.name)
            changed.append(True)
    return any(changed)


def _seed(keys: _Keys, seeds: list[Plan], drawing: list[Plan]) -> None:
    """Note the functions whose own seed comes before all that they draw."""
    structure = keys.structure
    nodes = [one.use.node for one in drawing]
    nodes += [one for one in structure.calls if keys.are_given_to(one)]
    for one in seeds:
        function = structure.owner[id(one.use.node)]
        body = structure.analysis.tree.body if function is None else function.body
        lines = [node.lineno for node in nodes if structure.owner[id(node)] is function]
        first = one.use.statement in body and all(line > one.use.node.lineno for line in lines)
        if first and (lines or function is None):
            keys.seeded.add(None if function is None else id(function))


def _decided(plan: Plan, keys: _Keys, seeds: list[Plan]) -> Plan:
    """Return the plan of a call that draws, or of a seed, with the keys in its place."""
    outcome = plan.outcome
    if plan in seeds:
        return _seeded(plan, keys)
    if not isinstance(outcome, Rewrite) or not _draws(plan):
        return plan
    given = keys.given_at(plan.use.node)
    written = replace(outcome, template=_GIVEN.sub(given, outcome.template))
    return plan.decided(written, _WHY)


def _seeded(plan: Plan, keys: _Keys) -> Plan:
    function = keys.structure.owner[id(plan.use.node)]
    if (None if function is None else id(function)) not in keys.seeded:
        refusal = Refusal(
            "JAX has no seed for all that follows; keys for random numbers are passed on",
            "rngs = nnx.Rngs(seed), and pass rngs to what draws",
        )
        return plan.decided(refusal, _WHY)
    argument = plan.match.arguments["seed"].node
    statement = plan.use.statement
    written = Rewrite("nnx.Rngs({seed})", instead=("rngs = nnx.Rngs(", argument, ")"))
    return plan.decided(written, _WHY) if isinstance(statement, ast.Expr) else plan


def _calls(keys: _Keys, plans: list[Plan]) -> list[Plan]:
    """Return the plans of the program's own calls that pass keys."""
    planned = {id(one.use.node) for one in plans}
    return [
        named(
            call,
            ast.unparse(call.func),
            Rewrite(f"{ast.unparse(call.func)}(..., rngs={keys.given_at(call)})"),
            keys.structure,
            UseKind.CALL,
        )
        for call in keys.structure.calls
        if id(call) not in planned and keys.are_given_to(call)
    ]


def _with_headers(plans: list[Plan], keys: _Keys) -> list[Plan]:
    """Return the plans; the first one that needs keys of a function brings them there."""
    takes, keeps = dict(keys.takes), dict(keys.keeps)
    result = []
    for one in sorted(plans, key=position):
        edits: list[TextEdit] = []
        for function in (*_constructors(one, keys), *_declared(one, keys)):
            if takes.pop(id(function), None) is not None:
                edits.append(with_parameter(keys.structure.analysis, function, GIVEN))
            if keeps.pop(id(function), None) is not None:
                edits.append(_keeping(keys.structure.analysis, function))
        result.append(with_edits(one, tuple(edits), _WHY))
    return result


def _declared(plan: Plan, keys: _Keys) -> Iterator[Function]:
    """Yield the constructors of the classes of layers that a base class begins."""
    if not keys.shared or plan.use.kind is not UseKind.BASE:
        return
    if isinstance(plan.use.statement, ast.ClassDef):
        for cls in keys.structure.family(plan.use.statement):
            yield from (one for one in cls.body if isinstance(one, Function))


def _constructors(plan: Plan, keys: _Keys) -> Iterator[Function]:
    """Yield the functions around a use that take the keys which its new code names."""
    outcome = plan.outcome
    if not isinstance(outcome, Rewrite) or "rngs" not in outcome.template:
        return
    function = keys.structure.owner.get(id(plan.use.node))
    while function is not None:
        yield function
        if KEPT in outcome.template and (made := keys.constructor(function)) is not None:
            yield made
        function = keys.structure.owner[id(function)]


def _keeping(analysis: Analysis, made: Function) -> TextEdit:
    """Return the edit by which a constructor keeps its keys, after that of its base."""
    before = [one for one in made.body if _is_opening(one)]
    first = next((one for one in made.body if not _is_opening(one)), None)
    line = before[-1].end_lineno if before else None
    at = analysis.lines.start(line or (first or made.body[0]).lineno - 1)
    _, indent = statement_start(analysis, made.body[0])
    return at, at, f"{indent}self.rngs = rngs{analysis.lines.newline}"


def _is_opening(statement: ast.stmt) -> bool:
    """Return whether a statement is a docstring or the call of the base's constructor."""
    if not isinstance(statement, ast.Expr):
        return False
    value = statement.value
    return isinstance(value, ast.Constant) or (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Attribute)
        and value.func.attr == "__init__"
    )
