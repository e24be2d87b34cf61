"""Models and their optimizers, and the functions that read a model by themselves."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from workbench.convert.decide.planner import Plan
from workbench.rules.outcome import Rewrite
from workbench.source.tree import Notes, inside
from workbench.targets.jax.passes.program.binding import names
from workbench.targets.jax.passes.program.dependence import simple
from workbench.targets.jax.passes.program.places import Function, Places
from workbench.targets.jax.passes.program.structure import Structure
from workbench.targets.jax.passes.state.listed import GROUPED
from workbench.targets.jax.passes.steps.unused import keeps_zeros
from workbench.targets.jax.trained import models_of


@dataclass(frozen=True, slots=True)
class _Made:
    """An optimizer that a statement makes, and the models that it is given."""

    statement: ast.stmt
    function: Function | None
    name: str
    models: tuple[str, ...]
    still: bool


def models_trained(
    optimizer: str, plans: list[Plan], structure: Structure, at: ast.stmt
) -> tuple[list[str], bool] | None:
    """Return the models of an optimizer as a statement names them, or None if that is not shown.

    The second value is whether it leaves parameters whose gradients are zero.

    Its function itself shows them, or else its calls, or else the program by one name for all.
    """
    function = structure.owner[id(at)]
    made = [one for one in _constructions(plans, structure) if one.name == optimizer]
    own = _in_scope(optimizer, made, structure, at)
    if own is not None:
        return (list(own.models), own.still) if own else None
    found = {one.models for one in made}
    still = all(one.still for one in made)
    if function is not None and optimizer in parameters(function):
        given = _from_callers(optimizer, plans, structure, function)
        found, still = (
            ({models for models, _ in given}, all(one for _, one in given))
            if given
            else (found, still)
        )
    return (list(found.pop()), still) if len(found) == 1 else None


def _in_scope(
    optimizer: str, made: list[_Made], structure: Structure, at: ast.stmt
) -> _Made | Literal[False] | None:
    """Return what a statement's own scope assigns to an optimizer's name before the statement.

    Return None if the scope assigns nothing to it, and False if it is not shown which value the
    name has.
    """
    function = structure.owner[id(at)]
    body = structure.analysis.tree.body if function is None else function.body
    known = {id(one.statement): one for one in made}
    every = [one for one in simple(body) if optimizer in _targets(one)]
    if not every:
        return None
    if (
        all(id(one) in known for one in every)
        and len({known[id(one)].models for one in every}) == 1
    ):
        return known[id(every[0])]
    before = [one for one in every if one.lineno < at.lineno]
    last = before[-1] if before else None
    after = [one for one in every if one.lineno > at.lineno]
    if last is None or not is_certain(last, at, body) or _repeats(last, at, after, body):
        return False
    return known.get(id(last), False)


_aims: Notes[frozenset[str]] = Notes("aims")


def _targets(statement: ast.stmt) -> frozenset[str]:
    """Return the names and attributes that a statement assigns, as text."""
    found = _aims.get(statement)
    if found is None:
        found = _aims[statement] = frozenset(_assigned(statement))
    return found


def _assigned(statement: ast.stmt) -> set[str]:
    aims = statement.targets if isinstance(statement, ast.Assign) else []
    if isinstance(statement, ast.AnnAssign | ast.For):
        aims = [statement.target]
    parts = (part for aim in aims for part in inside(aim))
    return {
        ast.unparse(one)
        for one in parts
        if isinstance(one, ast.Name | ast.Attribute) and isinstance(one.ctx, ast.Store)
    }


def is_certain(first: ast.stmt, second: ast.stmt, body: list[ast.stmt]) -> bool:
    """Return whether a statement always runs before another, which stands below it."""
    for one in simple([ast.If(ast.Constant(True), body, [])]):
        for part in ("body", "orelse", "finalbody"):
            block = getattr(one, part, None)
            if isinstance(block, list) and first in block:
                later = block[block.index(first) :]
                return any(second in simple([below]) for below in later)
    return False


def _repeats(
    first: ast.stmt, second: ast.stmt, after: list[ast.stmt], body: list[ast.stmt]
) -> bool:
    """Return whether a loop around a statement, not the one before, holds one of some below it."""
    for one in simple(body):
        if isinstance(one, ast.For | ast.AsyncFor | ast.While):
            within = list(simple([one]))
            if second in within and first not in within and any(late in within for late in after):
                return True
    return False


def _constructions(plans: list[Plan], structure: Structure) -> Iterator[_Made]:
    """Yield the optimizers of known models."""
    for one in plans:
        if not (one.use.name.startswith("torch.optim.") and isinstance(one.outcome, Rewrite)):
            continue
        given = one.match.arguments.get("params")
        models = models_of(given.node) if given is not None else None
        statement = one.use.statement
        aim = _aim(statement, one.use.node)
        if models is not None and aim is not None:
            function = structure.owner[id(one.use.node)]
            still = keeps_zeros(one.match)
            name = ast.unparse(aim)
            if name.startswith("self.") and function is not None:
                models = [_kept_as(model, function) for model in models]
            yield _Made(statement, function, name, tuple(models), still)


def is_listed(optimizer: str, plans: list[Plan]) -> bool:
    """Return whether a statement gives an optimizer of this name a list of parameters."""
    return any(
        isinstance(one.outcome, Rewrite)
        and one.outcome.template.startswith(GROUPED)
        and (aim := _aim(one.use.statement, one.use.node)) is not None
        and ast.unparse(aim) == optimizer
        for one in plans
    )


def _kept_as(model: str, function: Function) -> str:
    """Return the member in which a constructor keeps the model of a name, or else the name."""
    for one in simple(function.body):
        if isinstance(one, ast.Assign) and ast.unparse(one.value) == model:
            found = [ast.unparse(aim) for aim in one.targets]
            if found[0].startswith("self."):
                return found[0]
    return model


def _aim(statement: ast.stmt, value: ast.AST) -> ast.expr | None:
    """Return what a statement assigns a value to, or None."""
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=aims)], value=ast.Tuple(elts=values)):
            pairs = zip(aims, values, strict=False)
            return next((aim for aim, one in pairs if one is value), None)
        case ast.Assign(targets=[aim], value=one) if one is value:
            return aim
        case ast.AnnAssign(target=aim, value=one) if one is value:
            return aim
    return None


def parameters(function: Function) -> list[str]:
    """Return the parameters of a function, without `*args` and `**kwargs`."""
    listed = function.args
    return [one.arg for one in (*listed.posonlyargs, *listed.args, *listed.kwonlyargs)]


def local_names(function: Function) -> set[str]:
    """Return the parameters of a function and the names that it assigns."""
    return {*parameters(function), *names(function, ast.Store)}


def _from_callers(
    optimizer: str, plans: list[Plan], structure: Structure, function: Function
) -> set[tuple[tuple[str, ...], bool]]:
    """Return the models of an optimizer that a function is given, by its calls in the program."""
    found: set[tuple[tuple[str, ...], bool]] = set()
    for call in structure.calls:
        if not isinstance(call.func, ast.Name) or call.func.id != function.name:
            continue
        given = _given(call, function)
        statement = structure.statement[id(call)]
        trained = (
            models_trained(given[optimizer], plans, structure, statement)
            if optimizer in given and structure.owner[id(call)] is not function
            else None
        )
        if trained is None:
            return set()
        by_text = {text: name for name, text in given.items()}
        models, still = trained
        found.add((tuple(by_text.get(one, one) for one in models), still))
    return found


def _given(call: ast.Call, function: Function) -> dict[str, str]:
    """Return the arguments of a call as text, by the parameters of a function."""
    given = dict(zip(parameters(function), map(ast.unparse, call.args), strict=False))
    return given | {one.arg: ast.unparse(one.value) for one in call.keywords if one.arg}


def readers(models: list[str], structure: Structure) -> set[str]:
    """Return the functions that read a model which is none of their parameters, or call such.

    The models are paths; methods that read `self.net` are returned as `self.loss`.
    """
    return structure.ask(("readers", *models), lambda: _readers(models, structure))


def _readers(models: list[str], structure: Structure) -> set[str]:
    every = structure.ask(("functions",), lambda: _functions_read(structure.places))
    found: set[str] = set()
    size = -1
    while size != len(found):
        size = len(found)
        paths = {*models, *found}
        for name, (own, read) in every.items():
            if any("." in one or one not in own for one in paths & read):
                found.add(name)
    return found


def _functions_read(places: Places) -> dict[str, tuple[set[str], set[str]]]:
    """Return the own names of each function, and the paths that it reads."""
    return {name: (_own(function), _paths(function)) for name, function in _functions(places)}


def _functions(places: Places) -> Iterator[tuple[str, Function | ast.Lambda]]:
    for node in places.nodes:
        if isinstance(node, Function):
            method = isinstance(places.parents.get(id(node)), ast.ClassDef)
            yield f"self.{node.name}" if method else node.name, node
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
            for aim in node.targets:
                if isinstance(aim, ast.Name):
                    yield aim.id, node.value


def _own(function: Function | ast.Lambda) -> set[str]:
    listed = function.args
    every = (*listed.posonlyargs, *listed.args, *listed.kwonlyargs)
    return {one.arg for one in every} | names(function, ast.Store)


def _paths(function: Function | ast.Lambda) -> set[str]:
    """Return the names and attributes that a function reads, as text."""
    body = function.body if isinstance(function.body, list) else [function.body]
    return {
        ast.unparse(node)
        for one in body
        for node in inside(one)
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load)
    }


def callers_of(plans: list[Plan], structure: Structure) -> set[str]:
    """Return the names of the functions that make some uses, or call such functions."""
    found: set[str] = set()
    for one in plans:
        function = structure.owner[id(one.use.node)]
        while function is not None:
            found.add(function.name)
            function = structure.owner[id(function)]
    if not found:
        return found
    named = structure.ask(("named",), lambda: _named_in(structure))
    size = -1
    while size != len(found):
        size = len(found)
        found |= {name for name, every in named if every & found}
    return found


def _named_in(structure: Structure) -> list[tuple[str, set[str]]]:
    """Return the name of each function, and the names and attributes within it."""
    return [
        (
            node.name,
            {
                one.attr if isinstance(one, ast.Attribute) else getattr(one, "id", "")
                for one in inside(node)
            },
        )
        for node in structure.places.of(ast.FunctionDef, ast.AsyncFunctionDef)
    ]


def parts(models: list[str], structure: Structure) -> set[str]:
    """Return the names that a program assigns from members of models, except plain values."""
    return structure.ask(("parts", *models), lambda: _parts(models, structure))


def _parts(models: list[str], structure: Structure) -> set[str]:
    given = structure.ask(("members",), lambda: _given_members(structure.places))
    found = set(models)
    size = 0
    while size != len(found):
        size = len(found)
        for aims, owners in given:
            if owners & found:
                found |= aims
    return found - set(models)


def _given_members(places: Places) -> list[tuple[set[str], set[str]]]:
    """Return the names that each assignment or loop binds, and whose members it reads."""
    left = {"parameters", "state_dict", "training", *_plain_members(places)}
    given = [(one.value, one.targets) for one in places.of(ast.Assign)]
    given += [(one.iter, [one.target]) for one in places.of(ast.For)]
    found = []
    for value, aims in given:
        owners = {
            ast.unparse(part.value)
            for part in inside(value)
            if isinstance(part, ast.Attribute) and part.attr not in left
        }
        if owners:
            bound = {name for aim in aims for name in names(aim, ast.Store)}
            found.append((bound, owners))
    return found


def _plain_members(places: Places) -> set[str]:
    """Return the members that are only given numbers, texts or arguments, by the text."""
    plain: dict[str, bool] = {}
    for node in places.of(ast.Assign):
        for aim in node.targets:
            if isinstance(aim, ast.Attribute):
                made = any(isinstance(one, ast.Call) for one in inside(node.value))
                number = isinstance(node.value, ast.Constant | ast.BinOp | ast.Name) and not made
                plain[aim.attr] = plain.get(aim.attr, True) and number
    return {name for name, is_plain in plain.items() if is_plain}


def known_modules(plans: list[Plan]) -> set[str]:
    """Return the names whose methods of modules the program calls."""
    return {
        one.use.receiver.id
        for one in plans
        if one.use.name.startswith("torch.nn.Module.") and isinstance(one.use.receiver, ast.Name)
    } - {"self"}


def defined(structure: Structure) -> set[str]:
    """Return the names of functions, classes, imports and builtins."""
    return structure.ask(("defined",), lambda: _defined(structure.places))


def _defined(places: Places) -> set[str]:
    found = {*dir(builtins), *(one.name for one in places.of(ast.ClassDef))}
    found |= {one.name for one in places.of(ast.FunctionDef, ast.AsyncFunctionDef)}
    for statement in places.of(ast.Import, ast.ImportFrom):
        found |= {(one.asname or one.name).partition(".")[0] for one in statement.names}
    return found
