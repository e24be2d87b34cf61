"""Steps of converted code that are moved to functions of their own, which `nnx.jit` compiles.

for x, y in batches:
    def loss_fn(model):
        return ((model(x) - y) ** 2).mean()

    loss, grads = nnx.value_and_grad(loss_fn)(model)
    optimizer.update(model, grads)
    print(loss.item())

becomes

@nnx.jit
def train_step(model, optimizer, x, y):
    def loss_fn(model):
        return ((model(x) - y) ** 2).mean()

    loss, grads = nnx.value_and_grad(loss_fn)(model)
    optimizer.update(model, grads)
    return loss

for x, y in batches:
    loss = train_step(model, optimizer, x, y)
    print(loss.item())
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from textwrap import indent
from typing import TypeGuard

from workbench.convert.rewrite.moving import Move
from workbench.positions import Lines
from workbench.source.tree import inside
from workbench.targets.jax.compiled.hazards import hides_code
from workbench.targets.jax.compiled.parts import parts_of, with_parts
from workbench.targets.jax.compiled.program import Program
from workbench.targets.jax.compiled.traced import Kind, Tracer, Untraceable
from workbench.targets.jax.passes.program.places import Function

_GRADIENTS = frozenset({"nnx.value_and_grad", "nnx.grad"})
# What may stand between the gradients and the update, with the gradients as an argument.
_BETWEEN = frozenset({"torch_clip_grad_norm", "optax.tree.norm", "jax.tree.map"})
_NAME = "train_step"
# Words in the names of arrays of bools.
_MASKS = ("mask", "valid", "keep", "done")


@dataclass(slots=True)
class Step:
    """The statements from the function of a loss to the update.

    Attributes:
        losses: the functions of losses.
        statements: all of them.
        calls: the calls that differentiate losses.
        models: the models that are differentiated, and what else the losses are given.
        optimizers: the names of the optimizers.
        updated: what they update.
        gradients: the names of gradients.
    """

    losses: list[ast.FunctionDef] = field(default_factory=list)
    statements: list[ast.stmt] = field(default_factory=list)
    calls: list[ast.Call] = field(default_factory=list)
    models: list[str] = field(default_factory=list)
    optimizers: list[str] = field(default_factory=list)
    updated: list[ast.expr] = field(default_factory=list)
    gradients: list[str] = field(default_factory=list)


def compiled_steps(text: str) -> list[Move]:
    """Return the moves that compile the training steps of a converted text."""
    if "nnx.value_and_grad(" not in text and "nnx.grad(" not in text:
        return []
    program = Program.of(ast.parse(text))
    steps = _every_step(program)
    if not steps or hides_code(program):
        return []
    names = {one.id for one in program.places.of(ast.Name)}
    names |= {one.name for one in program.places.of(ast.FunctionDef)}
    moves: list[Move] = []
    for place in range(len(steps)):
        with suppress(Untraceable):
            moves.append(_move(place, steps, program, text, names))
    return moves


def _every_step(program: Program) -> list[Step]:
    blocks = [program.tree.body]
    for node in program.places.nodes:
        for part in ("body", "orelse", "finalbody"):
            if isinstance(statements := getattr(node, part, None), list):
                blocks.append(statements)
    steps = [step for block in blocks for step in _steps_of(block)]
    program.same = {id(arg) for step in steps for loss in step.losses for arg in loss.args.args}
    return steps


def _move(place: int, steps: list[Step], program: Program, text: str, names: set[str]) -> Move:
    """Return the move of a step, which is given objects, or else the parts that it reads of them.

    Raises:
        Untraceable: it cannot be compiled.
    """
    writer = _Writer(steps[place], steps, program, text, names)
    try:
        return writer.move()
    except Untraceable:
        given = writer.given()
        parts = parts_of(steps[place].statements, given, program, names)
        other = with_parts(text, parts)
        if not parts or other is None:
            raise
        program = Program.of(ast.parse(other))
        steps = _every_step(program)
        writer = _Writer(steps[place], steps, program, other, names)
        writer.offsets = Lines(text)
        writer.parts = {one.name: ast.get_source_segment(text, one.node) or "" for one in parts}
        return writer.move()


def _steps_of(block: Sequence[ast.stmt]) -> Iterator[Step]:
    """Yield the steps among the statements of a block."""
    place = 0
    while place < len(block):
        step = _step_at(block, place)
        if step is not None:
            yield step
            place += len(step.statements)
        else:
            place += 1


def _step_at(block: Sequence[ast.stmt], place: int) -> Step | None:
    """Return the step that begins with a statement, or None."""
    step = Step()
    for one in block[place:]:
        match one:
            case ast.FunctionDef() if not step.optimizers:
                step.losses.append(one)
            case ast.Assign(targets=[aim], value=ast.Call(func=ast.Call() as inner) as call) if (
                step.losses
                and not step.optimizers
                and ast.unparse(inner.func) in _GRADIENTS
                and isinstance(inner.args[0], ast.Name)
                and inner.args[0].id in {loss.name for loss in step.losses}
            ):
                step.calls.append(call)
                step.models += [ast.unparse(given) for given in call.args]
                parts = isinstance(aim, ast.Tuple) and len(aim.elts) == 2
                last = aim.elts[-1] if isinstance(aim, ast.Tuple) and parts else aim
                step.gradients += [n.id for n in inside(last) if isinstance(n, ast.Name)]
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=func) as call) if (
                step.calls and ast.unparse(func) in _BETWEEN and _reads(call, step.gradients)
            ):
                if ast.unparse(func) != "optax.tree.norm":
                    step.gradients.append(name)
            case ast.Expr(
                value=ast.Call(
                    func=ast.Attribute(value=ast.Name(id=name), attr="update"),
                    args=[model, given],
                    keywords=[],
                )
            ) if step.calls and _reads(given, step.gradients):
                step.optimizers.append(name)
                step.updated.append(model)
            case _:
                break
        step.statements.append(one)
    return step if step.optimizers and len(step.losses) == len(step.calls) else None


def _is_name(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name)


def _reads(node: ast.expr, names: Sequence[str]) -> bool:
    return any(isinstance(one, ast.Name) and one.id in names for one in inside(node))


class _Writer:
    """The function of one step."""

    def __init__(
        self, step: Step, others: list[Step], program: Program, text: str, names: set[str]
    ) -> None:
        self.step = step
        self.others = [one for one in others if one is not step]
        self.program = program
        self.text = text
        self.lines = self.offsets = Lines(text)
        self.parts: dict[str, str] = {}  # parameters that are given a part of an object
        self.names = names
        self.function = program.places.owner[id(step.statements[0])]

    def move(self) -> Move:
        """Return the move of the step into a function.

        Raises:
            Untraceable: it cannot be compiled.
        """
        step = self.step
        self._check_repeated()
        if any(not one.isidentifier() for one in step.models):
            raise Untraceable("a model is a part of another object")
        given = self.given()
        if set(given) & set(step.gradients):
            raise Untraceable("gradients add up to earlier ones")
        self._check(given)
        static = [one for one in given if self._is_static(one)]
        named = f'"{static[0]}"' if len(static) == 1 else str(tuple(static)).replace("'", '"')
        jitted = f"nnx.jit(static_argnames={named})" if static else "nnx.jit"
        results = self._results({*given, *step.models})
        first, last = step.statements[0], step.statements[-1]
        start = self.lines.start(first.lineno - 1)
        above_it = first.lineno - 2  # a blank line that parts the function from other code
        blank = above_it > 0 and not self.lines.line(above_it).strip()
        end = self.lines.start(last.end_lineno or last.lineno)
        margin = " " * first.col_offset
        self._check_alone(start, end, margin)
        every = list(dict.fromkeys((*step.models, *step.optimizers, *given)))
        parameters = ", ".join(every)
        arguments = ", ".join(self.parts.get(one, one) for one in every)
        name = self._function_name()
        body = self.text[start:end].rstrip("\r\n")
        lines = [one.removeprefix(margin) for one in body.split("\n")]
        newline = self.lines.newline
        inner = indent("\n".join(lines).replace("\r", ""), "    ")
        if results:
            inner += f"\n    return {', '.join(results)}"
        above = self._above()
        gap = "\n" * max(0, 2 - self._blank_lines(above)) if above else ""
        code = f"{gap}@{jitted}\ndef {name}({parameters}):\n{inner}\n\n\n"
        aim = f"{', '.join(results)} = " if results else ""
        call = f"{margin}{aim}{name}({arguments})\n"
        self.names.add(name)
        call, code = call.replace("\n", newline), code.replace("\n", newline)
        start = self.offsets.start(above_it if blank else first.lineno - 1)
        end = self.offsets.start(last.end_lineno or last.lineno)
        above = self.offsets.start(self.lines.position(above).line)
        return Move(start, end, call, above, code)

    def _check_repeated(self) -> None:
        """Raise unless the step runs more than once."""
        if self.program.is_repeated(self.step.statements[0]):
            return
        if self.function is None or not self.program.called_in_loops(self.function.name):
            raise Untraceable("it runs once")

    def _check_alone(self, start: int, end: int, margin: str) -> None:
        """Raise unless the lines of the step hold nothing else."""
        own = self.text[start:end]
        first = self.step.statements[0]
        if not own.startswith(f"{margin}def ") or first.decorator_list:  # type: ignore[attr-defined]
            raise Untraceable("its lines have other code")
        rest = [one for one in own.split("\n") if one.strip() and not one.startswith(margin)]
        last = self.step.statements[-1]
        behind = self.lines.line((last.end_lineno or 1) - 1).rstrip("\r\n")
        if rest or '"""' in own or "'''" in own or len(behind.encode()) != last.end_col_offset:
            raise Untraceable("its lines have other code")

    # ------------------------------------------------------------------------- arguments

    def given(self) -> list[str]:
        """Return the names that the function is given besides models and optimizers."""
        found: dict[str, None] = {}
        inner: set[str] = set()
        step = self.step
        for one in step.statements:
            inner |= {one.name} if isinstance(one, ast.FunctionDef) else set()
            for node in self._loaded(one):
                if node.id not in inner:
                    found[node.id] = None
            if not isinstance(one, ast.FunctionDef):
                inner |= _stored(one)
        known = {*step.models, *step.optimizers}
        return [one for one in found if one not in known and not self._is_global(one)]

    def _loaded(self, statement: ast.stmt) -> Iterator[ast.Name]:
        """Yield the names that a statement reads from outside, in their order."""
        own: set[str] = set()
        if isinstance(statement, ast.FunctionDef):
            own = {one.arg for one in statement.args.args} | {
                name for one in statement.body for name in _stored(one)
            }
        for node in inside(statement):
            if isinstance(node, ast.Lambda | ast.comprehension):
                own |= _bound_within(node)
        reads = (one for one in inside(statement) if isinstance(one, ast.Name))
        for node in sorted(reads, key=lambda one: (one.lineno, one.col_offset)):
            if isinstance(node.ctx, ast.Load) and node.id not in own:
                yield node

    def _is_global(self, name: str) -> bool:
        """Return whether a name means the same everywhere in the text, in every run."""
        program = self.program
        if name in self.parts:
            return False
        around = self.function
        while around is not None:
            if name in _locals(around):
                return False
            around = program.places.owner[id(around)]
        if name in program.imports or name in program.functions or name in program.classes:
            return True
        if name in program.values:
            value = program.values[name]
            made = isinstance(value, ast.Name | ast.Attribute | ast.Lambda) or (
                isinstance(value, ast.Call) and ast.unparse(value.func) == "partial"
            )
            return made or program.is_constant(value)
        return hasattr(builtins, name)

    def _check(self, given: Sequence[str]) -> None:
        """Raise unless the losses can be compiled."""
        step = self.step
        called = {
            one.func.id
            for loss in step.losses
            for one in inside(loss)
            if isinstance(one, ast.Call) and isinstance(one.func, ast.Name)
        }
        kinds = {one: self._kind(one) for one in given}
        for one in called & set(given):
            if not (self._is_static(one) or self._is_layer(one)):
                raise Untraceable(f"{one} is not shown to be a model")
            kinds[one] = Kind.LAYER
        trained = {node.id for one in step.updated for node in inside(one) if _is_name(node)}
        for one in step.models:
            known = one in trained or self._is_layer(one)
            kinds[one] = Kind.LAYER if known else self._kind(one)
        tracer = Tracer(self.program, list(self.program.layers.values()))
        for loss, call in zip(step.losses, step.calls, strict=True):
            names = [one.arg for one in loss.args.args]
            if len(names) != len(call.args):
                raise Untraceable("the arguments of the loss are not followed")
            own = {
                name: kinds[ast.unparse(one)] for name, one in zip(names, call.args, strict=True)
            }
            tracer.function(loss, kinds | own)

    def _kind(self, name: str) -> Kind:
        """Return the kind of an argument, by all that its name is assigned in the text."""
        if self.parts.get(name, name).startswith(f"{name}["):
            return Kind.OPEN  # a part of an array
        values = self.program.assigned(name, self.function)
        nodes = [node for one in values if one is not None for node in inside(one)]
        compared = any(
            isinstance(node, ast.Compare) or (isinstance(node, ast.Name) and node.id == "bool")
            for node in nodes
        )
        if compared or any(word in name.lower() for word in _MASKS):
            return Kind.TRUTH
        shown = all(
            one is not None and self.program.makes_array(one, self.function) for one in values
        )
        return Kind.ARRAY if values and shown else Kind.OPEN

    def _is_layer(self, name: str) -> bool:
        return self.program.makes_layer(ast.Name(name, ast.Load()), self.function)

    def _is_static(self, name: str) -> bool:
        """Return whether a name is bound to one function only."""
        values = self.program.assigned(name, self.function)
        return bool(values) and all(
            one is not None and self.program.is_function(one) for one in values
        )

    # ------------------------------------------------------------------------- results

    def _results(self, given: set[str]) -> list[str]:
        """Return the names of the step that other code reads, or its own next run."""
        step = self.step
        aims: dict[str, None] = {}
        for one in step.statements:
            if isinstance(one, ast.Assign):
                names = (node for node in inside(one.targets[0]) if isinstance(node, ast.Name))
                aims |= dict.fromkeys(node.id for node in names)
        own = {id(node) for one in step.statements for node in inside(one)}
        again = {id(node): bound for other in self.others for node, bound in _rebound(other)}
        read = {
            one.id
            for one in self.program.places.of(ast.Name)
            if isinstance(one.ctx, ast.Load)
            and id(one) not in own
            and self._may_mean(one)
            and one.id not in again.get(id(one), ())
        }
        found = [one for one in aims if one in read or one in given]
        if set(found) & set(step.gradients) or read & {one.name for one in step.losses}:
            raise Untraceable("the gradients are read elsewhere")
        return found

    def _may_mean(self, node: ast.Name) -> bool:
        """Return whether a name may be read where it means what the step assigns."""
        owner = self.program.places.owner
        around = owner[id(node)]
        while around is not None and around is not self.function:
            if node.id in _locals(around):
                return False
            around = owner[id(around)]
        return around is self.function

    # ------------------------------------------------------------------------- the place

    def _function_name(self) -> str:
        if _NAME not in self.names:
            return _NAME
        name = f"{'_'.join(self.step.models)}_step"
        while name in self.names:
            name += "_again" if name.endswith("_step") else "_more"
        return name

    def _above(self) -> int:
        """Return the offset before the statement at the top of the text that holds the step."""
        line = self.step.statements[0].lineno
        top = next(
            one for one in self.program.tree.body if one.lineno <= line <= (one.end_lineno or 0)
        )
        decorators = getattr(top, "decorator_list", [])
        number = min([top.lineno, *(one.lineno for one in decorators)]) - 1
        while number > 0 and self.lines.line(number - 1).startswith("#"):
            number -= 1
        return self.lines.start(number)

    def _blank_lines(self, offset: int) -> int:
        number, found = self.lines.position(offset).line, 0
        while number > 0 and not self.lines.line(number - 1).strip():
            number, found = number - 1, found + 1
        return found


def _rebound(step: Step) -> Iterator[tuple[ast.AST, set[str]]]:
    """Yield the nodes of a step, with the names that it binds before it reads them."""
    bound = {one.name for one in step.losses}
    for one in step.statements:
        for node in inside(one):
            yield node, set(bound)
        if not isinstance(one, ast.FunctionDef):
            bound |= _stored(one)


def _stored(statement: ast.stmt) -> set[str]:
    names = (one for one in inside(statement) if isinstance(one, ast.Name))
    return {one.id for one in names if isinstance(one.ctx, ast.Store)}


def _bound_within(node: ast.Lambda | ast.comprehension) -> set[str]:
    if isinstance(node, ast.Lambda):
        return {one.arg for one in node.args.args}
    return {one.id for one in inside(node.target) if isinstance(one, ast.Name)}


def _locals(function: Function) -> set[str]:
    every = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    made = (one.name for one in inside(function) if isinstance(one, ast.FunctionDef))
    stored = (name for one in function.body for name in _stored(one))
    return {*(one.arg for one in every), *made, *stored} - {function.name}
