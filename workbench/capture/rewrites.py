"""Hazards as findings that an editor shows and mends: where a rewrite is sure, its edits.

A rewrite is offered, never applied unasked: its title says what is different afterwards. Where the
source does not tell how to write it (a loop on a tensor's value), the finding has words alone.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from workbench.capture.hazards import Hazard, find_hazards
from workbench.capture.taint import Taint, dotted
from workbench.findings import Edit, Finding, Fix, Severity
from workbench.positions import Lines, Range

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


def hazard_findings(source: str, functions: Iterable[str] = ()) -> list[Finding]:
    """The hazards of a file or cell as findings, most with a fix.

    Args:
        source: the text; see `find_hazards` for what of it is looked at.
        functions: names of plain functions that are captured as well.

    Returns:
        Warnings for what capture refuses, and for what it bakes in without a word; in the order
        of the text.
    """
    hazards = find_hazards(source, functions)
    return as_findings(source, ast.parse(source), hazards) if hazards else []


def as_findings(source: str, tree: ast.Module, hazards: Iterable[Hazard]) -> list[Finding]:
    """Hazards as findings; `tree` is the source's."""
    text = _Text(source, tree, Lines(source))
    return [
        Finding(
            code=hazard.code,
            severity=Severity.WARNING,
            message=_sentence(hazard),
            range=text.range_of_columns(hazard),
            make_fix=partial(_fix, text, hazard),
        )
        for hazard in hazards
    ]


def _sentence(hazard: Hazard) -> str:
    lies = "capturing goes through, and the graph is wrong: " if hazard.silent else ""
    return f"{lies}this {hazard.message}. Instead: {hazard.rewrite}"


@dataclass
class _Text:
    """A source with its tree, and places in it as editors know them."""

    source: str
    tree: ast.Module
    lines: Lines

    def range_of_columns(self, hazard: Hazard) -> Range:
        start = self.lines.offset_of_bytes(hazard.line - 1, hazard.column)
        end = self.lines.offset_of_bytes(hazard.end_line - 1, hazard.end_column)
        return self.lines.range(start, end)

    def range(self, node: ast.AST) -> Range:
        start, end = self._span(node)
        return self.lines.range(start, end)

    def text(self, node: ast.AST) -> str:
        start, end = self._span(node)
        return self.source[start:end]

    def operand(self, node: ast.expr) -> str:
        """The text of an expression where it becomes an argument."""
        text = self.text(node)
        return f"({text})" if isinstance(node, (ast.NamedExpr, ast.Yield)) or "\n" in text else text

    def parents(self) -> Iterator[tuple[ast.AST, ast.AST]]:
        for parent in ast.walk(self.tree):
            for child in ast.iter_child_nodes(parent):
                yield parent, child

    def ancestors(self, node: ast.AST) -> list[ast.AST]:
        """The nodes around a node, innermost first."""
        above = {id(child): parent for parent, child in self.parents()}
        found = []
        while id(node) in above:
            node = above[id(node)]
            found.append(node)
        return found

    def _span(self, node: ast.AST) -> tuple[int, int]:
        place = vars(node)
        return (
            self.lines.offset_of_bytes(place["lineno"] - 1, place["col_offset"]),
            self.lines.offset_of_bytes(place["end_lineno"] - 1, place["end_col_offset"]),
        )


def _fix(text: _Text, hazard: Hazard) -> Fix | None:
    make = _FIXES.get(hazard.code)
    # A call that is a statement of its own has that statement's place: the inner one is meant.
    nodes = [n for n in ast.walk(text.tree) if _is_at(n, hazard)]
    return make(text, nodes[-1]) if make and nodes else None


def _is_at(node: ast.AST, hazard: Hazard) -> bool:
    return isinstance(node, (ast.expr, ast.stmt)) and (
        node.lineno,
        node.col_offset,
        node.end_lineno,
        node.end_col_offset,
    ) == (hazard.line, hazard.column, hazard.end_line, hazard.end_column)


def _choice(text: _Text, test: ast.AST) -> Fix | None:
    """`if` on a tensor with one value on each side: `torch.where`."""
    around = text.ancestors(test)
    function = next((a for a in around if isinstance(a, ast.FunctionDef)), None)
    if function is None or not isinstance(test, ast.expr):
        return None
    condition = _condition(text, test, Taint(function))
    if condition is None:
        return None
    statement = around[0]
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
    text: _Text, statement: ast.If, parent: ast.AST, condition: str, title: str
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


def _condition(text: _Text, test: ast.expr, taint: Taint) -> str | None:
    """The test as a tensor of truth; None where it is a number, or does not tell which it is."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _condition(text, test.operand, taint)
        return f"~({inner})" if inner else None
    if taint.is_number(test) or isinstance(test, ast.BoolOp):
        return None
    if isinstance(test, ast.Compare):
        return text.operand(test) if len(test.ops) == 1 and taint.is_tensor(test) else None
    method = test.func.attr if isinstance(test, ast.Call) and isinstance(
        test.func, ast.Attribute
    ) else ""  # fmt: skip
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
    """The one plain name that a statement binds; `x += 1` would change a tensor in place."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    target = statement.targets[0]
    return target.id if isinstance(target, ast.Name) else None


def _device(text: _Text, node: ast.AST) -> Fix | None:
    """A move to a fixed device goes: the input's own device stays."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    plain = len(node.args) + len(node.keywords) <= 1
    if node.func.attr not in ("cuda", "to") or not plain:
        return None
    edit = Edit(text.range(node), text.text(node.func.value))
    return Fix("Stay on the device that the tensor is on", (edit,))


def _behind(text: _Text, node: ast.AST) -> Fix | None:
    """`.data` of what an in-place operation changes becomes `.detach()`, which autograd sees."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    data = node.func.value
    if not isinstance(data, ast.Attribute) or data.attr != "data":
        return None
    edit = Edit(text.range(data), f"{text.text(data.value)}.detach()")
    return Fix("Change it through detach(), which autograd notices", (edit,))


def _printed(text: _Text, node: ast.AST) -> Fix | None:
    """A print of a tensor goes."""
    around = text.ancestors(node)
    if not around or not isinstance(around[0], ast.Expr) or dotted(getattr(node, "func", None)) != (
        "print"
    ):
        return None
    return Fix("Remove the print", (Edit(text.range(around[0]), "pass"),))


_RANDOM: dict[str, Callable[[str], str]] = {
    "random.random": lambda _: "torch.rand(())",
    "random.uniform": lambda given: f"torch.empty(()).uniform_({given})",
    "random.gauss": lambda given: f"torch.empty(()).normal_({given})",
    "np.random.rand": lambda given: f"torch.rand({given or '()'})",
    "np.random.randn": lambda given: f"torch.randn({given or '()'})",
    "numpy.random.rand": lambda given: f"torch.rand({given or '()'})",
    "numpy.random.randn": lambda given: f"torch.randn({given or '()'})",
}


def _drawn(text: _Text, node: ast.AST) -> Fix | None:
    """A draw of Python's becomes a tensor that the graph draws each time."""
    make = _RANDOM.get(dotted(node.func)) if isinstance(node, ast.Call) else None
    if make is None or not isinstance(node, ast.Call) or node.keywords:
        return None
    given = ", ".join(text.text(argument) for argument in node.args)
    title = "Draw with torch, anew on every call (a tensor, from torch's own stream)"
    return Fix(title, (Edit(text.range(node), make(given)),))


def _counted(text: _Text, node: ast.AST) -> Fix | None:
    """A counter that `__init__` sets to a number becomes a buffer."""
    if not isinstance(node, ast.AugAssign) or not isinstance(node.target, ast.Attribute):
        return None
    owner = next((a for a in text.ancestors(node) if isinstance(a, ast.ClassDef)), None)
    methods = owner.body if owner else []
    start = next(
        (m for m in methods if isinstance(m, ast.FunctionDef) and m.name == "__init__"), None
    )
    name = node.target.attr
    for statement in start.body if start else []:
        if (
            isinstance(statement, ast.Assign)
            and [dotted(t) for t in statement.targets] == [f"self.{name}"]
            and isinstance(statement.value, ast.Constant)
            and isinstance(statement.value.value, (int, float))
        ):
            value = f"torch.tensor({text.text(statement.value)})"
            made = f'self.register_buffer("{name}", {value}, persistent=False)'
            title = f"Keep self.{name} in a buffer, which the graph updates"
            return Fix(title, (Edit(text.range(statement), made),))
    return None


def _number(text: _Text, node: ast.AST) -> Fix | None:
    """`float(x)` of a tensor becomes its `.item()`, which a graph carries as a number."""
    if not isinstance(node, ast.Call) or len(node.args) != 1:
        return None
    width = {"int": "long", "float": "double"}[dotted(node.func)]
    owner = text.text(node.args[0])
    if not isinstance(node.args[0], (ast.Name, ast.Attribute, ast.Call, ast.Subscript)):
        owner = f"({owner})"
    edit = Edit(text.range(node), f"{owner}.{width}().item()")
    return Fix("Take the number with .item(), which stays in the graph", (edit,))


def _record(text: _Text, node: ast.AST) -> Fix | None:
    """A dataclass that `forward` returns is registered below its definition."""
    if not isinstance(node, ast.Return) or not isinstance(node.value, ast.Call):
        return None
    name = dotted(node.value.func)
    for statement in text.tree.body:
        if isinstance(statement, ast.ClassDef) and statement.name == name:
            end = text.range(statement).end
            line = f"\n\n\ntorch.export.register_dataclass({name})"
            return Fix(f"Register {name} with torch.export", (Edit(Range(end, end), line),))
    return None


_FIXES: dict[str, Callable[[_Text, ast.AST], Fix | None]] = {
    "TF401": _choice,
    "TF405": _device,
    "TF406": _behind,
    "TF407": _printed,
    "TF408": _drawn,
    "TF409": _counted,
    "TF411": _record,
    "TF414": _number,
}
