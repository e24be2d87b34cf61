"""Tensors that nothing but one variable refers to, found by following the values of variables.

A target without changes in place may bind the variable to a changed copy. `ownership` answers the
same for one statement, for targets that change tensors in place.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Final

from workbench.source.callees import PASSING_LAYERS, Callees, Function, parameters
from workbench.source.liveness import Liveness
from workbench.source.origins import NONE, Origin, Origins, Sharing, State, Summary
from workbench.source.tree import Notes, inside, whole
from workbench.source.types.views import is_view
from workbench.source.uses import Use, UseKind
from workbench.upstream.facts import load
from workbench.words import words

Block = Function | ast.Module

_TENSORS: Final = frozenset(
    {"torch", "torch.Tensor", "torch.nn.functional", "torch.linalg", "torch.fft", "torch.special"}
)
# Functions, methods and members whose result may share the values of their arguments.
_SHARING: Final = frozenset(
    words(
        "view view_as reshape reshape_as t transpose swapaxes swapdims permute movedim moveaxis "
        "select narrow unsqueeze squeeze flatten unflatten ravel diagonal diag detach data "
        "contiguous to type type_as float double half bfloat16 long int short byte char bool "
        "cfloat cdouble cpu cuda numpy from_numpy as_tensor asarray real imag conj view_as_real "
        "view_as_complex resolve_conj resolve_neg chunk split split_with_sizes unsafe_chunk "
        "unsafe_split tensor_split vsplit hsplit dsplit unbind unfold atleast_1d atleast_2d "
        "atleast_3d adjoint T H mT mH positive dropout dropout1d dropout2d dropout3d "
        "alpha_dropout feature_alpha_dropout einsum pixel_shuffle channel_shuffle sum_to_size "
        "to_dense coalesce values indices rename align_to align_as refine_names pin_memory "
        "grad retain_grad requires_grad_ narrow_copy pad interpolate upsample"
    )
)
# Functions whose result may share the values of any of their arguments.
_OF_ALL: Final = frozenset(words("einsum atleast_1d atleast_2d atleast_3d"))
_DRAWING: Final = "torch.distributions."
# Views whose elements share memory with each other.
_OVERLAPPING: Final = frozenset(
    words("expand expand_as as_strided broadcast_to broadcast_tensors meshgrid")
)
# Members that are no tensors.
_FORM: Final = frozenset(
    words("device dim dtype ndim numel shape size is_leaf requires_grad layout")
)
# Functions that return several new tensors.
_SEVERAL: Final = frozenset(
    owner + name
    for owner in ("torch.", "torch.Tensor.")
    for name in words("topk sort max min kthvalue median mode cummax cummin unique frexp var_mean")
)
# Functions of Python that keep nothing, whose result holds what they are given.
_PASSING: Final = frozenset(
    words("list tuple zip enumerate reversed sorted iter next min max dict set map filter getattr")
)
_READING: Final = frozenset(
    words(
        "print len range int float bool str repr isinstance type abs round any all id hasattr sum"
    )
)
_KEEPING: Final = frozenset(
    words("append extend insert add put push appendleft update setdefault enqueue store")
)
_ROUNDS: Final = 5


class Program(Callees):
    """The functions of a program, and who refers to the tensors that they change in place."""

    def __init__(self, tree: ast.Module, uses: Iterable[Use]) -> None:
        super().__init__(tree, uses)
        self._summaries: dict[int, Summary | None] = {}
        self._followed: dict[int, Following] = {}

    def following(self, block: Block) -> Following:
        """Return what the variables of a function or of the module hold."""
        if id(block) not in self._followed:
            self._followed[id(block)] = Following(self, block)
        return self._followed[id(block)]

    def summary(self, function: Function) -> Summary | None:
        """Return what a function does with its arguments; None while that is being found."""
        if id(function) not in self._summaries:
            self._summaries[id(function)] = None
            followed = self.following(function)
            self._summaries[id(function)] = Summary(followed.returned, followed.end.kept)
        return self._summaries[id(function)]


class Following:
    """What the variables of a function or module hold before each of its statements."""

    def __init__(self, program: Program, block: Block) -> None:
        self.program = program
        self.block = block
        self.before: dict[int, State] = {}
        self.returned: Origins = NONE
        self._breaks: list[State] = []
        self._continues: list[State] = []
        self._evaluated: set[int] = set()
        self._local = _bound_in(block)
        self._captured: dict[str, str] = {}
        self._captured = self._kept_by_inner()
        state = State()
        if not isinstance(block, ast.Module):
            for one in parameters(block.args):
                state.held[one] = frozenset({Origin(one, f"{one} is an argument of {block.name}")})
        # Other files, and later cells, may read what a module has bound.
        end = self._local if isinstance(block, ast.Module) else frozenset()
        self.live = Liveness(block.body, self._read_elsewhere(), end)
        self.end = self._run(block.body, state)

    def _read_elsewhere(self) -> frozenset[str]:
        if not isinstance(self.block, ast.Module):
            return frozenset()
        return frozenset(
            part.id
            for one in inside(self.block)
            if isinstance(one, Function | ast.Lambda)
            for part in (whole(one) if isinstance(one, Function) else inside(one))
            if type(part) is ast.Name and type(part.ctx) is ast.Load
        )

    # ------------------------------------------------------------------------------- answers

    def of_variable(self, statement: ast.stmt, name: str) -> Sharing:
        """Return who else refers to the tensor of a variable that a statement changes."""
        state = self.before.get(id(statement))
        if state is None or name not in self._local:
            return Sharing(f"{name} is not made in this function")
        mine = state.held.get(name, frozenset({_unknown(name)}))
        return self._sharing(state, statement, mine, name)

    def of_value(self, statement: ast.stmt, value: ast.expr) -> Sharing:
        """Return who else refers to the value of an expression in a statement."""
        state = self.before.get(id(statement))
        if state is None:
            return Sharing("it is not followed here")
        state = state.copy()
        return self._sharing(state, statement, self._value(value, state), "")

    def _sharing(self, state: State, statement: ast.stmt, mine: Origins, name: str) -> Sharing:
        if not mine:
            return Sharing("where it was made is not known")
        reasons = {(one.words, one.unsure) for one in mine if one.words}
        reasons |= {one for origin in mine for one in state.kept.get(origin, frozenset())}
        certain = sorted(words for words, unsure in reasons if not unsure)
        if certain:
            return Sharing(certain[0])
        for other, origins in state.held.items():
            if other != name and origins & mine and self.live.reads(statement, other):
                return Sharing(f"{other} refers to it too")
        return Sharing(open=tuple(sorted(words for words, _ in reasons)))

    # ---------------------------------------------------------------------------- statements

    def _run(self, body: Sequence[ast.stmt], state: State) -> State:
        for one in body:
            known = self.before.get(id(one))
            if known is None:
                self.before[id(one)] = state.copy()
            else:
                known.join(state)
            state = self._after(one, state)
        return state

    def _after(self, node: ast.stmt, state: State) -> State:
        match node:
            case ast.If(test=test):
                self._value(test, state)
                other = self._run(node.orelse, state.copy())
                state = self._run(node.body, state)
                state.join(other)
            case ast.While(test=test):
                self._value(test, state)
                return self._loop(node, None, state)
            case ast.For() | ast.AsyncFor():
                return self._loop(node, self._value(node.iter, state), state)
            case ast.With() | ast.AsyncWith():
                for item in node.items:
                    found = self._value(item.context_expr, state)
                    if item.optional_vars is not None:
                        self._bind(item.optional_vars, found, state)
                return self._run(node.body, state)
            case ast.Try() | ast.TryStar():
                return self._try(node, state)
            case ast.Match():
                self._match(node, state)
            case _:
                self._follow(node, state)
        return state

    def _follow(self, node: ast.stmt, state: State) -> None:
        """Change the state as a statement without blocks, or a definition, does."""
        match node:
            case ast.Assign(targets=targets, value=value):
                self._assign(targets, value, state)
            case ast.AnnAssign(target=target, value=value) if value is not None:
                self._assign([target], value, state)
            case ast.AugAssign():
                self._augment(node, state)
            case ast.Return(value=value) if value is not None:
                self.returned |= self._value(value, state)
            case ast.Break():
                self._breaks[-1].join(state)
            case ast.Continue():
                self._continues[-1].join(state)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                given = [*node.args.defaults, *node.args.kw_defaults, *node.decorator_list]
                self._keep(self._all(given, state), f"{node.name} holds it", state)
            case ast.Delete(targets=targets):
                for aim in targets:
                    if isinstance(aim, ast.Name):
                        state.held.pop(aim.id, None)
            case ast.Expr(value=value) | ast.Assert(test=value) | ast.Raise(exc=value):
                self._all([value], state)

    def _match(self, node: ast.Match, state: State) -> None:
        found = self._value(node.subject, state)
        ends: list[State] = []
        for clause in node.cases:
            inner = state.copy()
            for one in inside(clause.pattern):
                if (name := getattr(one, "name", None)) is not None:
                    inner.held[name] = found
            ends.append(self._run(clause.body, inner))
        for end in ends:
            state.join(end)

    def _loop(
        self, node: ast.While | ast.For | ast.AsyncFor, items: Origins | None, state: State
    ) -> State:
        end = state.copy()
        for _ in range(_ROUNDS):
            self._breaks.append(State())
            self._continues.append(State())
            inner = state.copy()
            if items is not None and not isinstance(node, ast.While):
                self._bind(node.target, items, inner)
            inner = self._run(node.body, inner)
            if isinstance(node, ast.While):
                self._value(node.test, inner)
            inner.join(self._continues.pop())
            end.join(self._breaks.pop())
            if not state.join(inner):
                break
        end.join(self._run(node.orelse, state))
        return end

    def _try(self, node: ast.Try | ast.TryStar, state: State) -> State:
        reached = state.copy()
        for one in node.body:
            state = self._run([one], state)
            reached.join(state)
        end = self._run(node.orelse, state)
        for handler in node.handlers:
            end.join(self._run(handler.body, reached.copy()))
        return self._run(node.finalbody, end)

    def _kept_by_inner(self) -> dict[str, str]:
        """Return the variables whose values inner functions keep or return, with words on it."""
        found: dict[str, str] = {}
        named = {name: frozenset({_unknown(name)}) for name in self._local}
        for one in inside(self.block):
            if isinstance(one, Function) and one is not self.block:
                if self._local.isdisjoint(_read_in(one)):
                    continue
                summary = self.program.summary(one)
                mine = _bound_in(one)
                origins = {*summary.returned, *summary.kept} if summary is not None else set()
                found |= {str(o.key): f"{one.name} keeps it" for o in origins if o.key not in mine}
            elif isinstance(one, ast.Lambda):
                origins = set(self._value(one.body, State(dict(named))))
                found |= {str(o.key): "a lambda returns it" for o in origins}
            elif isinstance(one, ast.Nonlocal | ast.Global):
                found |= dict.fromkeys(one.names, "another function binds it too")
        return {name: words for name, words in found.items() if name in self._local}

    # --------------------------------------------------------------------------- assignments

    def _assign(self, targets: list[ast.expr], value: ast.expr, state: State) -> None:
        for aim in targets:
            same = isinstance(aim, ast.Tuple | ast.List) and isinstance(value, ast.Tuple | ast.List)
            if same and len(targets) == 1 and len(aim.elts) == len(value.elts):  # type: ignore[attr-defined]
                parts = [self._value(one, state) for one in value.elts]  # type: ignore[attr-defined]
                for one, found in zip(aim.elts, parts, strict=True):  # type: ignore[attr-defined]
                    self._bind(one, found, state)
                return
        found = self._value(value, state)
        for aim in targets:
            if isinstance(aim, ast.Tuple) and self._makes_several(value, found):
                for place, one in enumerate(aim.elts):
                    self._bind(one, frozenset({Origin((id(value), place))}), state)
                continue
            self._bind(aim, found, state)

    def _makes_several(self, value: ast.expr, found: Origins) -> bool:
        """Return whether a call of torch returns several new tensors: `x.topk(2)`."""
        use = self.program.uses.get(id(value))
        return use is not None and use.name in _SEVERAL and found == {Origin(id(value))}

    def _augment(self, node: ast.AugAssign, state: State) -> None:
        found = self._value(node.value, state)
        if id(node) in self.program.changed or not isinstance(node.op, ast.Add):
            return
        if isinstance(node.target, ast.Name):
            state.held[node.target.id] = state.held.get(node.target.id, NONE) | found
        elif self.program.is_list(node.value):
            self._keep(found, f"{ast.unparse(node.target)} holds it", state)

    def _bind(self, aim: ast.expr, origins: Origins, state: State) -> None:
        match aim:
            case ast.Name(id=name):
                state.held[name] = origins
                if name in self._captured:
                    self._keep(origins, self._captured[name], state)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                for one in parts:
                    self._bind(one, origins, state)
            case ast.Starred(value=inner):
                self._bind(inner, origins, state)
            case ast.Attribute():
                self._keep(origins, f"{ast.unparse(aim)} refers to it", state)
            case ast.Subscript(value=base, slice=index):
                self._value(index, state)
                if isinstance(base, ast.Name) and base.id in state.held:
                    if not self._is_of_tensor(aim):
                        state.held[base.id] |= origins
                elif not self._is_of_tensor(aim):
                    self._keep(origins, f"{ast.unparse(base)} holds it", state)

    def _is_of_tensor(self, aim: ast.Subscript) -> bool:
        """Return whether a write to an element copies values into a tensor."""
        return id(aim) in self.program.elements

    def _keep(self, origins: Origins, keeper: str, state: State, unsure: bool = False) -> None:
        for one in origins:
            state.kept[one] = state.kept.get(one, frozenset()) | {(keeper, unsure)}

    # --------------------------------------------------------------------------- expressions

    def _value(self, node: ast.expr, state: State) -> Origins:
        """Return what the value of an expression may share memory with or contain."""
        match node:
            case ast.Name(id=name):
                return state.held.get(name, frozenset({_unknown(name)}))
            case ast.Constant() | ast.JoinedStr():
                return NONE
            case ast.Lambda(args=given):
                held = self._all([*given.defaults, *given.kw_defaults], state)
                self._keep(held, "a lambda holds it", state)
                return NONE
            case ast.Attribute() | ast.Subscript():
                return self._part(node, state)
            case ast.Call():
                return self._call(node, state)
            case ast.NamedExpr(target=target, value=value):
                found = self._value(value, state)
                self._bind(target, found, state)
                return found
            case ast.Yield(value=value):
                self._keep(self._all([value], state), "the generator has yielded it", state)
                return frozenset({Origin("yield", "it was sent to the generator")})
            case ast.ListComp(elt=elt) | ast.SetComp(elt=elt) | ast.GeneratorExp(elt=elt):
                return self._comprehended(node, [elt], state)
            case ast.DictComp(value=value):
                return self._comprehended(node, [value], state)
        return self._combined(node, state)

    def _part(self, node: ast.Attribute | ast.Subscript, state: State) -> Origins:
        found = self._value(node.value, state)
        if isinstance(node, ast.Subscript):
            self._value(node.slice, state)
            return self._made(node, state) if _gathers(node.slice) else found
        if node.attr in _FORM:
            return NONE
        return found if node.attr in _SHARING else frozenset({_unknown(ast.unparse(node))})

    def _combined(self, node: ast.expr, state: State) -> Origins:
        """Return the origins of the value of an operation or a display."""
        match node:
            case ast.BinOp(left=left, right=right, op=op):
                both = self._value(left, state) | self._value(right, state)
                joins = isinstance(op, ast.Add | ast.Mult) and self.program.is_list(node)
                return both if joins else self._made(node, state)
            case ast.UnaryOp() | ast.Compare():
                self._parts(node, state)
                return self._made(node, state)
            case ast.IfExp(test=test, body=body, orelse=other):
                self._value(test, state)
                return self._all([body, other], state)
        return self._parts(node, state)

    def _parts(self, node: ast.expr, state: State) -> Origins:
        parts = [one for one in ast.iter_child_nodes(node) if isinstance(one, ast.expr)]
        return self._all(parts, state)

    def _all(self, parts: Iterable[ast.expr | None], state: State) -> Origins:
        found = NONE
        for one in parts:
            found |= self._value(one, state) if one is not None else NONE
        return found

    def _comprehended(
        self,
        node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp,
        parts: list[ast.expr],
        state: State,
    ) -> Origins:
        before = dict(state.held)
        for one in node.generators:
            self._bind(one.target, self._value(one.iter, state), state)
            self._all(one.ifs, state)
        found = self._all(parts, state)
        local = self._local_to(node)
        state.held = before | {name: held for name, held in state.held.items() if name not in local}
        return found

    def _local_to(self, node: ast.AST) -> set[str]:
        return {
            part.id
            for one in inside(node)
            if isinstance(one, ast.comprehension)
            for part in inside(one.target)
            if isinstance(part, ast.Name)
        }

    def _made(self, node: ast.expr, state: State) -> Origins:
        """Return the origin of a new tensor; one that was made here before is an old one now."""
        new, old = Origin(id(node)), Origin(id(node), old=True)
        if id(node) not in self._evaluated:
            self._evaluated.add(id(node))
            return frozenset({new})
        for name, origins in state.held.items():
            if new in origins:
                state.held[name] = origins - {new} | {old}
        if new in state.kept:
            state.kept[old] = state.kept.get(old, frozenset()) | state.kept.pop(new)
        return frozenset({new})

    def _call(self, node: ast.Call, state: State) -> Origins:
        use = self.program.uses.get(id(node))
        receiver = node.func.value if isinstance(node.func, ast.Attribute) else None
        held = self._value(receiver, state) if receiver is not None else NONE
        parts = [self._value(one, state) for one in node.args]
        parts += [self._value(one.value, state) for one in node.keywords]
        values = NONE.union(*parts)
        if use is not None and use.kind is UseKind.PARTIAL:
            return values
        if use is not None and use.name.rpartition(".")[0] in _TENSORS:
            return self._of_torch(node, use, [held] if use.receiver is not None else parts, state)
        if use is not None and (use.kind is UseKind.LAYER or use.name.startswith(_DRAWING)):
            passing = use.name.split(".")[2] in PASSING_LAYERS
            return values if passing else self._made(node, state)
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in _READING:
            return self._made(node, state)
        if name in _PASSING:
            return values
        if isinstance(node.func, ast.Attribute) and node.func.attr in _KEEPING:
            self._keep_in(node.func.value, values, state)
            return held
        called = self.program.called(node) if use is None else None
        if called is not None:
            return self._of_program(node, called, held, parts, state)
        method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        if use is None and f"torch.Tensor.{method}" in load().names:
            return held if method in _SHARING else self._made(node, state)
        layer = self.program.is_torch_layer(node.func) if use is None else None
        if layer is not None:
            return self._made(node, state) if layer else values
        if use is None and self.program.is_numeric(node.func):
            return values | self._made(node, state)
        return self._of_unknown(node, use, values, state)

    def _keep_in(self, holder: ast.expr, values: Origins, state: State) -> None:
        if isinstance(holder, ast.Name) and holder.id in state.held:
            state.held[holder.id] |= values
        else:
            self._keep(values, f"{ast.unparse(holder)} holds it", state)

    def _of_torch(self, node: ast.Call, use: Use, parts: list[Origins], state: State) -> Origins:
        short = use.name.rpartition(".")[2]
        if short in _OVERLAPPING:
            return frozenset({Origin(id(node), f"{short} shares elements with itself")})
        first = parts[0] if parts else NONE
        if short.endswith("_") and not short.endswith("__"):
            return first
        if short in _OF_ALL or any(one.arg == "out" for one in node.keywords):
            return NONE.union(*parts) | self._made(node, state)
        changes = any(one.arg == "inplace" for one in node.keywords)
        if short in _SHARING or is_view(use.name) or changes:
            return first or self._made(node, state)
        return self._made(node, state)

    def _of_unknown(
        self, node: ast.Call, use: Use | None, values: Origins, state: State
    ) -> Origins:
        """Return what a call of unknown code may return; it may keep its arguments."""
        text = ast.unparse(node.func)
        certain = use is not None or text == "setattr"
        self._keep(values, f"{text} keeps its argument", state, unsure=not certain)
        of_model = f"torch.nn.Module.{text.rpartition('.')[2]}" in load().names
        unsure = use is None and not of_model
        doubt = Origin(id(node), f"{text} keeps what it returns", unsure)
        return values | {doubt}

    def _of_program(
        self,
        node: ast.Call,
        called: list[Function],
        held: Origins,
        parts: list[Origins],
        state: State,
    ) -> Origins:
        found = NONE
        for one in called:
            summary = self.program.summary(one)
            given = _given(node, one, held, parts)
            if summary is None:
                return NONE.union(*parts) | self._made(node, state)
            for origin in summary.returned:
                if origin.key in given:
                    found |= given[str(origin.key)]
                elif origin.words:
                    found |= {origin}
            for origin, keepers in summary.kept.items():
                for keeper, unsure in keepers:
                    if origin.key in given:
                        self._keep(given[str(origin.key)], keeper, state, unsure)
                    elif origin in summary.returned:
                        found |= {Origin(f"{one.name}: {keeper}", keeper, unsure)}
        return found | self._made(node, state)


def _given(
    node: ast.Call, function: Function, held: Origins, parts: list[Origins]
) -> dict[str, Origins]:
    """Return the origins of a call's arguments by the names of the parameters."""
    names = parameters(function.args)
    is_method = isinstance(node.func, ast.Attribute) or (names[:1] == ["self"])
    if any(isinstance(one, ast.Starred) for one in node.args) or function.args.vararg is not None:
        return dict.fromkeys(names, NONE.union(*parts))
    found = dict.fromkeys(names, NONE)
    takes = names
    if is_method and names[:1] in (["self"], ["cls"]):
        found[names[0]] = held
        takes = names[1:]
    found |= dict(zip(takes, parts[: len(node.args)], strict=False))
    for one, part in zip(node.keywords, parts[len(node.args) :], strict=True):
        if one.arg in found:
            found[one.arg] = part
        elif function.args.kwarg is not None:
            found[function.args.kwarg.arg] |= part
    return found


def _unknown(name: str) -> Origin:
    return Origin(name, f"{name} may be known by another name")


def _bound_in(block: Block) -> frozenset[str]:
    """Return the variables of a function or module, but for those of inner ones."""
    found: set[str] = set()
    foreign: set[str] = set()
    if not isinstance(block, ast.Module):
        found |= set(parameters(block.args))
    stack: list[ast.AST] = list(block.body)
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            foreign |= set(node.names)
        if not isinstance(node, Function | ast.ClassDef | ast.Lambda):
            stack += ast.iter_child_nodes(node)
    return frozenset(found - foreign)


_READ: Notes[frozenset[str]] = Notes("read within")


def _read_in(function: Function) -> frozenset[str]:
    """Return the names that a function reads, but for the variables of its own."""
    found = _READ.get(function)
    if found is None:
        read = {
            one.id
            for one in inside(function)
            if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)
        }
        found = _READ[function] = frozenset(read - _bound_in(function))
    return found


def _gathers(index: ast.expr) -> bool:
    """Return whether an index selects by values, which copies them."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return any(isinstance(one, ast.Compare | ast.List | ast.ListComp) for one in parts)
