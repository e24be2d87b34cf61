"""Uses of optimizers and schedules in a program, beyond creating and stepping them.

Optimizers, their parameter groups and their schedules belong together: a program that uses one of
them in a way that only torch's structure supports needs torch's structure for all of them.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from itertools import combinations, pairwise

from workbench.source.traits import own_optimizers
from workbench.source.traits.loaded_parts import is_name_of_part, loads_any_part
from workbench.source.traits.rates import rate
from workbench.source.traits.sequences import parts_of, sequence
from workbench.source.traits.traits import Training, Traits
from workbench.source.tree import Notes, children, inside, whole
from workbench.words import words

# The parameters of each class with a plain form, in torch's order. `-` marks a parameter that the
# plain form lacks: it must have its default value.
_ADAM = "params lr betas eps weight_decay amsgrad"
_PLAIN = {
    "Adadelta": "params lr rho eps weight_decay",
    "Adagrad": "params lr -lr_decay weight_decay initial_accumulator_value eps",
    "Adam": _ADAM,
    "AdamW": _ADAM,
    "NAdam": "params lr betas eps weight_decay momentum_decay",
    "RAdam": "params lr betas eps weight_decay",
    "Rprop": "params lr etas step_sizes",
    "SGD": "params lr momentum -dampening weight_decay nesterov",
    "CosineAnnealingLR": "optimizer T_max eta_min -last_epoch",
    "CosineAnnealingWarmRestarts": "optimizer T_0 T_mult eta_min -last_epoch",
    "CyclicLR": "optimizer base_lr max_lr step_size_up step_size_down mode gamma scale_fn "
    "scale_mode cycle_momentum -base_momentum -max_momentum -last_epoch",
    "ExponentialLR": "optimizer gamma -last_epoch",
    "LambdaLR": "optimizer lr_lambda -last_epoch",
    "LinearLR": "optimizer start_factor end_factor total_iters -last_epoch",
    "MultiStepLR": "optimizer milestones gamma -last_epoch",
    "MultiplicativeLR": "optimizer lr_lambda -last_epoch",
    "OneCycleLR": "optimizer max_lr total_steps epochs steps_per_epoch pct_start anneal_strategy "
    "cycle_momentum base_momentum max_momentum div_factor final_div_factor three_phase "
    "-last_epoch",
    "PolynomialLR": "optimizer total_iters power -last_epoch",
    "ReduceLROnPlateau": "optimizer mode factor patience threshold threshold_mode -cooldown "
    "min_lr eps",
    "StepLR": "optimizer step_size gamma -last_epoch",
}
OPTIMIZERS = frozenset(name for name, given in _PLAIN.items() if given.startswith("params"))
SCHEDULERS = frozenset(_PLAIN) - OPTIMIZERS
_ODD = frozenset(
    words(
        "ASGD Adafactor Adamax ChainedScheduler ConstantLR LBFGS LRScheduler Muon Optimizer "
        "RMSprop SWALR SequentialLR SparseAdam _LRScheduler"
    )
)
_SCHEDULES = ("LR", "Scheduler")
# All classes of optimizers, including those without a plain form.
OPTIMIZER_NAMES = OPTIMIZERS | {one for one in _ODD if not one.endswith(_SCHEDULES)}
# Keywords of any class that change how, not what, it computes; other unknown keywords are odd.
_FREE = frozenset({"capturable", "differentiable", "foreach", "fused", "verbose"})
_DEFAULTS = {"dampening": 0, "last_epoch": -1, "lr_decay": 0, "cooldown": 0}
_PAIRS = frozenset({"betas", "etas", "step_sizes"})
_HOOKS = ("register_step_", "register_state_dict_", "register_load_state_dict_")


# Names without which a statement has no such trait: general names, and those of members.
_ANY = _PLAIN.keys() | _ODD | {"optim", "lr_scheduler", "from_numpy", "save", "open"}
_MEMBERS = frozenset(words("param_groups add_param_group state state_dict load_state_dict step"))
# Members that Paddle's schedules lack, or keep as another value: `milestones` is a `Counter` of
# torch's and a list of Paddle's, `best` is infinite in torch before the first step.
_SCHEDULE_MEMBERS = frozenset(
    words(
        "_last_lr _milestones _schedulers _step_count base_lrs base_momentums best "
        "cycle_momentum default_min_lr eps eta_min get_lr in_cooldown is_better lr_lambdas "
        "max_lrs max_momentums milestones min_lrs mode_worse optimizer step_ratio total_iters "
        "total_size use_beta1"
    )
)
# Names that only schedules have, whatever holds the schedule.
_OF_SCHEDULES_ALONE = frozenset({"_last_lr", "_step_count", "lr_lambdas", "min_lrs"})
_BEGINNINGS = ("defaults", *_HOOKS)
_TELLING = frozenset({ast.Constant, ast.ClassDef, ast.Assign, ast.keyword})
_telling: Notes[bool] = Notes("telling")


def training(tree: ast.Module) -> Traits:
    """Return the traits of a text that concern optimizers, schedules, and saved files and arrays.

    An edit keeps the top-level statements that it does not touch. The result is cached for equal
    statements.
    """
    return _of_statements(tuple(filter(_is_relevant, tree.body)))


@lru_cache(maxsize=32)
def _of_statements(statements: tuple[ast.stmt, ...]) -> Traits:
    nodes = [node for one in statements for node in inside(one)]
    collector = _Collector(nodes)
    return Traits(
        training=frozenset([*collector.uses(), *own_optimizers.uses_of_bases(nodes)]),
        opened=frozenset(_opened(nodes)),
        arrays=frozenset(_read_as_arrays(nodes)),
        group_keys=frozenset(_group_keys(nodes)),
        parts=frozenset(collector.parts),
    )


def _is_relevant(statement: ast.stmt) -> bool:
    known = _telling.get(statement)
    if known is None:
        nodes = whole(statement)
        names = {one.id for one in nodes if type(one) is ast.Name}
        members = {one.attr for one in nodes if type(one) is ast.Attribute}
        known = _telling[statement] = (
            not (_ANY.isdisjoint(names) and _ANY.isdisjoint(members))
            or not (_MEMBERS.isdisjoint(members) and _SCHEDULE_MEMBERS.isdisjoint(members))
            or any(one.startswith(_BEGINNINGS) for one in members)
            or any(_is_relevant_node(one) for one in nodes if type(one) in _TELLING)
        )
    return known


def _is_relevant_node(node: ast.AST) -> bool:
    if type(node) is ast.Constant:
        return node.value in ("params", "param_groups") or is_name_of_part(node.value)
    if type(node) is ast.keyword:
        return node.arg == "params" or is_name_of_part(node.arg)
    if isinstance(node, ast.ClassDef):
        return node.name in _ANY
    # A NumPy array that is saved may be created anywhere.
    return isinstance(node, ast.Assign) and _is_numpys(node.value)


def _is_numpys(node: ast.expr) -> bool:
    """Return whether an expression starts with NumPy's name: `np.ones(2)[0] * 2`."""
    while not isinstance(node, ast.Name):
        match node:
            case ast.Attribute(value=inner) | ast.Subscript(value=inner):
                node = inner
            case ast.Call(func=inner) | ast.BinOp(left=inner):
                node = inner
            case _:
                return False
    return node.id in {"np", "numpy"}


class _Collector:
    """A single walk over a text's statements, which knows the parents of each node."""

    def __init__(self, nodes: list[ast.AST]) -> None:
        self._nodes = nodes
        self._parents = {id(child): node for node in self._nodes for child in children(node)}
        self._scheduled: list[tuple[str, ast.Call]] = []
        self._made = set(self._names_of(OPTIMIZERS))
        self._schedules = set(self._names_of(SCHEDULERS | {"SequentialLR"}))
        self._own = {node.name for node in self._nodes if isinstance(node, ast.ClassDef)}
        self.parts, self._of_parts = parts_of(self._nodes)

    def uses(self) -> Iterator[Training]:
        for node in self._nodes:
            if isinstance(node, ast.Attribute | ast.Name):
                yield from self._of_name(node)
            elif isinstance(node, ast.Call):
                if self._saves_array(node):
                    yield Training.SAVES_ARRAYS
            elif isinstance(node, ast.Constant) and node.value == "param_groups":
                yield from self._of_key(node)
            elif isinstance(node, ast.ClassDef):
                bases = {_last(base) for base in node.bases}
                yield from [Training.ODD] if bases & (_PLAIN.keys() | _ODD) else []
        pairs = combinations(self._scheduled, 2)
        if any(self._together(*one, *other) for one, other in pairs):
            yield Training.ODD  # torch multiplies the rates of both
        if loads_any_part(self._nodes, self._parents):
            yield Training.ODD

    def _of_name(self, node: ast.Attribute | ast.Name) -> Iterator[Training]:
        name = _last(node) or ""
        parent = self._parents.get(id(node))
        if isinstance(node, ast.Name) and name in self._own:
            return  # a class of the text with the name of a torch class
        made = name in OPTIMIZERS or (name in _ODD and not name.endswith(_SCHEDULES))
        if made and not self._names_a_type(node) and not isinstance(parent, ast.ClassDef):
            yield Training.MAKES
        called = parent if isinstance(parent, ast.Call) and parent.func is node else None
        if name in _PLAIN:
            yield from self._of_class(node, name, called)
        elif name == "SequentialLR" and called is not None:
            yield from self._of_sequence(called)
        elif name in _ODD and called is not None:
            yield Training.ODD
        elif name in {"optim", "lr_scheduler"}:
            if isinstance(parent, ast.Call) and _last(parent.func) == "getattr":
                yield Training.ODD
        elif isinstance(node, ast.Attribute):
            yield from self._of_member(node, name, called)

    def _of_member(
        self, node: ast.Attribute, name: str, called: ast.Call | None
    ) -> Iterator[Training]:
        """Yield the uses of a member of an optimizer or of a schedule."""
        if name == "param_groups":
            found = rate(self._statement(node), node) if simple(node.value) else None
            yield found.use if found is not None else Training.ODD
        elif name == "add_param_group" or name.startswith(_HOOKS) or name in _OF_SCHEDULES_ALONE:
            yield Training.ODD
        elif isinstance(node.ctx, ast.Load) and (
            _names(node.value, "opt") or _last(node.value) in self._made
        ):
            if name in {"state", "defaults"}:
                yield Training.ODD
            elif name == "step" and called is not None and (called.args or called.keywords):
                yield Training.ODD  # with a closure
            elif name == "load_state_dict" and called is not None:
                taken = (_last(part) for one in called.args for part in inside(one))
                # The names of a state of the same process differ.
                yield Training.ODD if "state_dict" in taken else Training.LOADS_STATE
        elif _names(node.value, "sched") or _last(node.value) in self._schedules:
            if name in _SCHEDULE_MEMBERS:
                yield Training.ODD
            elif name in {"state_dict", "load_state_dict"}:
                yield Training.SAVES_SCHEDULE

    def _names_of(self, classes: Collection[str]) -> Iterator[str]:
        """Yield the names of objects of these classes where they are created."""
        for node in self._nodes:
            made = node.value if isinstance(node, ast.Assign) else None
            if isinstance(made, ast.Call) and _last(made.func) in classes:
                assert isinstance(node, ast.Assign)
                yield from filter(None, map(_last, node.targets))

    def _saves_array(self, node: ast.Call) -> bool:
        """Return whether a call saves a value that is known to be a NumPy array."""
        if _last(node.func) != "save" or not node.args:
            return False
        saved = node.args[0]
        made = [saved]
        if isinstance(saved, ast.Name):
            held = (one for one in self._nodes if isinstance(one, ast.Assign))
            made = [one.value for one in held if _last(one.targets[0]) == saved.id]
        return any(map(_is_numpys, made))

    def _of_class(self, node: ast.expr, name: str, called: ast.Call | None) -> Iterator[Training]:
        if called is None:
            if not self._names_a_type(node) or name == "SGD":
                yield Training.ODD
            return
        if name in SCHEDULERS:
            yield Training.SCHEDULES
            if name == "CosineAnnealingWarmRestarts":
                yield Training.RESTARTS
            given = _arguments(called, name).get("optimizer")
            if given is not None and id(called) not in self._of_parts:
                self._scheduled.append((ast.unparse(given), called))
        if not plainly_called(called, name):
            yield Training.ODD

    def _of_sequence(self, called: ast.Call) -> Iterator[Training]:
        """Yield a use for a sequence of schedules, unless each belongs to this one alone."""
        found = sequence(called)
        parts = found.schedules if found is not None else ()
        own = [
            one.id in self.parts if isinstance(one, ast.Name) else id(one) in self._of_parts
            for one in parts
        ]
        if found is None or not all(own) or not simple(found.optimizer):
            yield Training.ODD
        else:
            self._scheduled.append((ast.unparse(found.optimizer), called))

    def _names_a_type(self, node: ast.AST) -> bool:
        """Return whether a class is only named in an annotation or a test."""
        inner: ast.AST | None = node
        parent = self._parents.get(id(node))
        while isinstance(parent, ast.BinOp | ast.Tuple | ast.Subscript):
            inner, parent = parent, self._parents.get(id(parent))
        if isinstance(parent, ast.Call):
            return _last(parent.func) == "isinstance" and inner in parent.args[1:]
        if isinstance(parent, ast.AnnAssign | ast.arg):
            return parent.annotation is inner
        return isinstance(parent, ast.FunctionDef) and parent.returns is inner

    def _of_key(self, node: ast.Constant) -> Iterator[Training]:
        """Yield a use for `optimizer.state_dict()["param_groups"]`."""
        parent = self._parents.get(id(node))
        within = isinstance(parent, ast.Subscript) and parent.slice is node
        if within:
            yield Training.ODD

    def _together(self, one: str, first: ast.Call, other: str, second: ast.Call) -> bool:
        """Return whether one run may create two schedules for the same optimizer."""
        if one != other or isinstance(self._statement(first), ast.Return):
            return False
        here, there = self._around(first), self._around(second)
        shared = [(a, b) for a, b in zip(here, there, strict=False) if a[0] is b[0]]
        if any(isinstance(a[0], ast.If | ast.IfExp) and a[1] != b[1] for a, b in shared):
            return False
        scopes = [[a for a, _ in path if isinstance(a, ast.FunctionDef)] for path in (here, there)]
        return scopes[0][-1:] == scopes[1][-1:]

    def _around(self, node: ast.AST) -> list[tuple[ast.AST, str]]:
        """Return the ancestors of a node, outermost first, each with the field that contains the
        node.
        """
        found: list[tuple[ast.AST, str]] = []
        while (parent := self._parents.get(id(node))) is not None:
            fields = ((name, getattr(parent, name, None)) for name in parent._fields)
            holding = (n for n, v in fields if v is node or (isinstance(v, list) and node in v))
            found.append((parent, next(holding, "")))
            node = parent
        return found[::-1]

    def _statement(self, node: ast.AST) -> ast.stmt:
        found = node
        while not isinstance(found, ast.stmt):
            found = self._parents[id(found)]
        return found


def _group_keys(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the keys of parameter groups, which are dictionaries with the key `params`."""
    for node in nodes:
        keys: set[str] = set()
        if isinstance(node, ast.Dict):
            keys = {ast.unparse(one).strip("'") if one is not None else "**" for one in node.keys}
        elif isinstance(node, ast.Call) and _last(node.func) == "dict":
            keys = {one.arg or "**" for one in node.keywords}
        if "params" in keys:
            yield from keys - {"params", "name"}


def plainly_called(call: ast.Call, name: str) -> bool:
    """Return whether all arguments of an optimizer's or a schedule's call have a plain form."""
    given = _arguments(call, name)
    taken = [one.lstrip("-") for one in _PLAIN[name].split()]
    if given.keys() - set(taken) - _FREE:
        return False
    for one in _PLAIN[name].split():
        name_, value = one[1:], given.get(one[1:]) if one.startswith("-") else None
        if value is not None and not _is(value, _DEFAULTS.get(name_)):
            return False
    for one in _PAIRS & given.keys():
        pair = given[one]
        spelled = isinstance(pair, ast.Tuple | ast.List) and len(pair.elts) == 2
        if not spelled and not simple(pair):
            return False
    if name in {"CyclicLR", "OneCycleLR"} and not _is(given.get("cycle_momentum"), False):
        return False
    if name == "MultiStepLR" and rising(given.get("milestones")) is False:
        return False
    per_group = (given.get(one) for one in ("lr_lambda", "max_lr", "base_lr", "min_lr"))
    if any(isinstance(one, ast.List | ast.Tuple | ast.ListComp) for one in per_group):
        return False
    return "optimizer" not in taken or ("optimizer" in given and simple(given["optimizer"]))


def rising(milestones: ast.expr | None) -> bool | None:
    """Return whether milestones are a list or tuple that rises at each step, as Paddle demands.

    Returns None if the text does not show it.
    """
    match milestones:
        case ast.List(elts=given) | ast.Tuple(elts=given):
            numbers = [one.value for one in given if isinstance(one, ast.Constant)]
            shown = [one for one in numbers if isinstance(one, int)]
            return all(a < b for a, b in pairwise(shown)) if len(shown) == len(given) else None
        case ast.Call(func=ast.Name(id="list"), args=[ast.Call(func=ast.Name(id="range"))]):
            return True
        case ast.Set() | ast.GeneratorExp() | ast.Call(func=ast.Name(id="range" | "set")):
            return False
    return None


def simple(node: ast.AST) -> bool:
    """Return whether an expression may be evaluated twice: a name, or its members and items."""
    if isinstance(node, ast.Subscript):
        return simple(node.value) and isinstance(node.slice, ast.Constant | ast.Name)
    return isinstance(node, ast.Name) or (isinstance(node, ast.Attribute) and simple(node.value))


def _arguments(call: ast.Call, name: str) -> dict[str, ast.expr]:
    """Return the arguments by parameter name; starred ones have the names `*` and `**`."""
    names = [one.lstrip("-") for one in _PLAIN[name].split()]
    given: dict[str, ast.expr] = {}
    for index, node in enumerate(call.args):
        starred = isinstance(node, ast.Starred) or index >= len(names)
        given["*" if starred else names[index]] = node
    given.update((one.arg or "**", one.value) for one in call.keywords)
    return given


def _read_as_arrays(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the variables in `torch.from_numpy(data[1:])`."""
    for node in nodes:
        if isinstance(node, ast.Call) and _last(node.func) == "from_numpy" and node.args:
            name = _last(node.args[0])
            if name is not None:
                yield name


def _opened(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the variables in `with open(path, "wb") as file`."""
    for node in nodes:
        match node:
            case ast.withitem(context_expr=ast.Call(func=func), optional_vars=ast.Name(id=name)):
                if _last(func) == "open":
                    yield name


def _is(node: ast.AST | None, value: object) -> bool:
    return isinstance(node, ast.expr) and ast.unparse(node) in {repr(value), f"{value}.0"}


def _names(node: ast.expr, part: str) -> bool:
    """Return whether the last name of an expression contains a text: `self.optimizer_d`."""
    name = _last(node)
    return name is not None and part in name.lower()


def _last(node: ast.AST) -> str | None:
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Subscript):
        return _last(node.value)
    return node.id if isinstance(node, ast.Name) else None
