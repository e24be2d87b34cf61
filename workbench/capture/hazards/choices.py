"""Rewrites of code that depends on a tensor's value: choices, loops, counts and `try`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from workbench.capture.hazards.taint import Taint
from workbench.findings import Edit, Fix
from workbench.positions import Range

if TYPE_CHECKING:
    from workbench.capture.hazards.source_text import Passage


def chosen(text: Passage, test: ast.AST) -> Fix | None:
    """Return the rewrite of a choice as `torch.where`, or of a loop as `torch.while_loop`."""
    around = text.ancestors(test)
    function = next((a for a in around if isinstance(a, ast.FunctionDef)), None)
    if function is None or not isinstance(test, ast.expr):
        return None
    condition = _condition(text, test, Taint(function))
    if condition is None:
        return None
    statement = around[0]
    if isinstance(statement, ast.While):
        return _loop(text, statement, condition)
    title = "Choose with torch.where, which computes both sides"
    if isinstance(statement, ast.Assert):
        message = text.text(statement.msg) if statement.msg else repr(text.text(test))
        edit = Edit(text.range(statement), f"torch._assert_async({condition}, {message})")
        return Fix("Check with torch._assert_async", (edit,))
    if isinstance(statement, ast.IfExp):
        sides = f"{text.operand(statement.body)}, {text.operand(statement.orelse)}"
        return Fix(title, (Edit(text.range(statement), f"torch.where({condition}, {sides})"),))
    if not isinstance(statement, ast.If):
        return None
    return _statement_choice(text, statement, around[1], condition, title)


def _statement_choice(
    text: Passage, statement: ast.If, parent: ast.AST, condition: str, title: str
) -> Fix | None:
    yes = _single(statement.body)
    no = _single(statement.orelse)
    written = Range(text.range(statement).start, text.range(statement).end)
    if isinstance(yes, ast.Return) and yes.value is not None:
        if not statement.orelse:
            after = _next(parent, statement)
            if not isinstance(after, ast.Return):
                return None
            no, written = after, Range(written.start, text.range(after).end)
        if not isinstance(no, ast.Return) or no.value is None:
            return None
        sides = f"{text.operand(yes.value)}, {text.operand(no.value)}"
        return Fix(title, (Edit(written, f"return torch.where({condition}, {sides})"),))
    target = _assigned(yes)
    if target is None or not isinstance(yes, ast.Assign):
        return None
    other = target
    if statement.orelse:
        if not isinstance(no, ast.Assign) or _assigned(no) != target:
            return None
        other = text.operand(no.value)
    chosen = f"{target} = torch.where({condition}, {text.operand(yes.value)}, {other})"
    return Fix(title, (Edit(written, chosen),))


def _condition(text: Passage, test: ast.expr, taint: Taint) -> str | None:
    """Return the test as a boolean tensor, or None if it is a number or may be one."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _condition(text, test.operand, taint)
        return f"~({inner})" if inner else None
    if taint.is_number(test) or isinstance(test, ast.BoolOp):
        return None
    if isinstance(test, ast.Compare):
        return text.operand(test) if len(test.ops) == 1 and taint.is_tensor(test) else None
    method = (
        test.func.attr
        if isinstance(test, ast.Call) and isinstance(test.func, ast.Attribute)
        else ""
    )
    return text.operand(test) if method in ("any", "all") and taint.is_tensor(test) else None


def _single(body: list[ast.stmt]) -> ast.stmt | None:
    return body[0] if len(body) == 1 else None


def _next(parent: ast.AST, statement: ast.stmt) -> ast.stmt | None:
    for field in ("body", "orelse", "finalbody"):
        body = getattr(parent, field, None)
        if isinstance(body, list) and statement in body:
            place = body.index(statement) + 1
            return body[place] if place < len(body) else None
    return None


def _assigned(statement: ast.stmt | None) -> str | None:
    """Return the only plain name that a statement binds, or None; `x += 1` may modify a tensor."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    target = statement.targets[0]
    return target.id if isinstance(target, ast.Name) else None


def repeated(text: Passage, over: ast.AST) -> Fix | None:
    """Return the rewrite of a `for` loop over a tensor's number of steps as `torch.while_loop`."""
    around = text.ancestors(over)
    function = next((a for a in around if isinstance(a, ast.FunctionDef)), None)
    loop = around[0]
    if function is None or not isinstance(loop, ast.For) or loop.orelse:
        return None
    step = _single(loop.body)
    name = _assigned(step)
    bound = _whole_number(text, over, Taint(function))
    if name is None or bound is None or not isinstance(step, ast.Assign):
        return None
    if not isinstance(loop.target, ast.Name) or name == loop.target.id:
        return None
    place = loop.target.id if loop.target.id != "_" else "i"
    inside = set(ast.walk(loop))
    outside = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and n not in inside}
    outside |= {argument.arg for argument in ast.walk(function) if isinstance(argument, ast.arg)}
    # The rewrite makes the counter local to the loop, and introduces the name `steps`.
    if {place, "steps"} & outside:
        return None
    body = f"lambda {place}, {name}: ({place} + 1, {text.operand(step.value)})"
    check = f"lambda {place}, {name}: {place} < steps"
    made = f"_, {name} = torch.while_loop({check}, {body}, (torch.tensor(0), {name}))"
    indent = " " * loop.col_offset
    edit = Edit(text.range(loop), f"steps = {bound}\n{indent}{made}")
    return Fix("Repeat it with torch.while_loop, which the graph keeps", (edit,))


def tried(text: Passage, test: ast.AST) -> Fix | None:
    """Return the rewrite of a choice in a `try` that ignores errors, as `torch.where`, or None."""
    around = text.ancestors(test)
    inner = chosen(text, test)
    attempt = around[1] if len(around) > 1 else None
    if inner is None or not isinstance(attempt, ast.Try) or len(attempt.body) != 1:
        return None
    passes = all(isinstance(_single(h.body), ast.Pass) for h in attempt.handlers)
    if not passes or attempt.orelse or attempt.finalbody or not isinstance(around[0], ast.If):
        return None
    (edit,) = inner.edits
    title = "Choose with torch.where, which computes both sides, without the try"
    return Fix(title, (Edit(text.range(attempt), edit.text),))


def _loop(text: Passage, loop: ast.While, condition: str) -> Fix | None:
    """Return the rewrite of a `while` loop that rebinds one name, or None."""
    step = _single(loop.body)
    name = _assigned(step)
    if name is None or not isinstance(step, ast.Assign) or loop.orelse:
        return None
    body = f"lambda {name}: ({text.operand(step.value)},)"
    made = f"({name},) = torch.while_loop(lambda {name}: {condition}, {body}, ({name},))"
    title = "Repeat it with torch.while_loop, which the graph keeps"
    return Fix(title, (Edit(text.range(loop), made),))


def _whole_number(text: Passage, over: ast.AST, taint: Taint) -> str | None:
    """Return the integer tensor that `range(int(t))` or `range(t.item())` counts to, or None."""
    match over:
        case ast.Call(args=[ast.Call(func=ast.Name("int"), args=[tensor], keywords=[])]):
            cast = ".long()"
        case ast.Call(args=[ast.Call(func=ast.Attribute(value=tensor, attr="item"), args=[])]):
            cast = ""  # range() accepts only integers, so its dtype is one already
        case _:
            return None
    if not taint.is_tensor(tensor):
        return None
    plain = isinstance(tensor, (ast.Name, ast.Attribute, ast.Call, ast.Subscript))
    return f"{text.text(tensor) if plain else f'({text.text(tensor)})'}{cast}"
