"""One expression of the user's, rewritten with libcst from the plans for the uses in it."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import libcst as cst

from workbench.convert.decide.planner import Plan
from workbench.convert.rewrite.argument_layout import Source, arrange, is_splice, spliced
from workbench.convert.rewrite.ast_cst_pairs import children, pair
from workbench.convert.rewrite.precedence import bracketed, placed
from workbench.convert.rewrite.templates import expression_of, placeholder_of
from workbench.rules.outcome import Rewrite
from workbench.rules.template import compile_template
from workbench.source.uses import Use, UseKind

# Parents inside which an expression of any precedence needs no brackets.
_LOOSE = (ast.Call, ast.keyword, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.FormattedValue)


@dataclass(frozen=True, slots=True)
class Rewritten:
    """New code of an expression, and the comments that have no position in it."""

    code: str
    comments: tuple[str, ...]


def rewrite(code: str, root: ast.expr, plans: Mapping[int, Plan], newline: str) -> Rewritten:
    """Rewrite one expression.

    Args:
        code: its text, without brackets around it.
        root: its `ast` node.
        plans: by the identity of a use's node, what becomes of it.
        newline: the line ending of the text.

    Raises:
        PairingError: libcst reads the text differently.
    """
    tree = cst.parse_expression(f"({code})", config=_config(newline))
    twins: dict[cst.CSTNode, tuple[Plan, bool]] = {}
    loose = _nodes_without_brackets(root)
    pairs = pair(root, tree)
    around = {id(outer): one for one in plans.values() if (outer := _around(one)) is not None}
    for node, twin in pairs.twins:
        found = around.get(id(node)) or plans.get(id(node))
        if found is not None and _around(found) is not None and id(node) not in around:
            continue
        if found is not None and isinstance(found.outcome, Rewrite):
            twins[twin] = found, id(node) in loose
    numbers = {id(node) for one in plans.values() for node in one.numbers}
    items = {twin for node, twin in pairs.twins if id(node) in numbers}
    new = tree.visit(_Writer(twins, items, pairs.around({*twins, *items})))
    assert isinstance(new, cst.BaseExpression)
    text = cst.Module([], default_newline=newline).code_for_node(new)
    lost: list[str] = []
    if "#" in code:
        left = Counter(_comments(tree)) - Counter(_comments(new))
        lost = [comment for comment in _comments(tree) if _take(left, comment)]
    return Rewritten(text[1:-1], tuple(lost))


def _around(planned: Plan) -> ast.expr | None:
    """Return the rewritten expression if it is more than the use's own node, else None."""
    return planned.outcome.around if isinstance(planned.outcome, Rewrite) else None


@cache
def _config(newline: str) -> cst.PartialParserConfig:
    """Set the default line ending, which libcst represents by its absence."""
    return cst.PartialParserConfig(default_newline=newline)


def _take(left: Counter[str], comment: str) -> bool:
    if left[comment] == 0:
        return False
    left[comment] -= 1
    return True


def _comments(tree: cst.CSTNode) -> list[str]:
    found: list[str] = []
    stack = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, cst.Comment):
            found.append(node.value)
        stack.extend(reversed(node.children))
    return found


def _nodes_without_brackets(root: ast.expr) -> set[int]:
    """Return nodes that stand where no brackets are needed around them."""
    found = {id(root)}
    stack: list[ast.expr] = [root]
    while stack:
        node = stack.pop()
        inner = children(node)
        if isinstance(node, _LOOSE):
            func = node.func if isinstance(node, ast.Call) else None
            found.update(id(child) for child in inner if child is not func)
        elif isinstance(node, ast.Subscript):
            found.add(id(node.slice))
        stack.extend(inner)
    return found


class _Writer(cst.CSTTransformer):
    """Replaces each twin of a use, inner ones first; `around` are the ancestors.

    `items` are tensors that become numbers, after their own uses are written.
    """

    def __init__(
        self,
        twins: dict[cst.CSTNode, tuple[Plan, bool]],
        items: set[cst.CSTNode],
        around: set[cst.CSTNode],
    ) -> None:
        super().__init__()
        self._twins = twins
        self._items = items
        self._around = around
        self._path: list[cst.CSTNode] = []

    def on_visit(self, node: cst.CSTNode) -> bool:
        self._path.append(node)
        return node in self._around

    def on_visit_attribute(self, node: cst.CSTNode, attribute: str) -> None:
        """Do nothing: looking for a method for each attribute takes a third of the time."""

    def on_leave_attribute(self, original_node: cst.CSTNode, attribute: str) -> None:
        """Do nothing, likewise."""

    def on_leave(  # type: ignore[override]
        self, original_node: cst.CSTNode, updated_node: cst.CSTNode
    ) -> cst.CSTNode:
        self._path.pop()
        new = self._replaced(original_node, updated_node)
        if original_node not in self._items:
            return new
        assert isinstance(new, cst.BaseExpression)
        return cst.Call(cst.Attribute(bracketed(new), cst.Name("item")))

    def _replaced(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> cst.CSTNode:
        """Return the new code of a use, or what an expression around uses becomes."""
        found = self._twins.get(original_node)
        if found is None:
            if isinstance(updated_node, cst.IfExp) and original_node in self._around:
                return _without_false(updated_node)
            if isinstance(updated_node, cst.CompFor) and original_node in self._around:
                return _without_true(updated_node)
            if isinstance(updated_node, cst.FormattedString) and original_node in self._around:
                requoted = updated_node.visit(_OtherQuotes(updated_node.quote))
                assert isinstance(requoted, cst.FormattedString)
                return requoted
            if isinstance(updated_node, cst.UnaryOperation) and original_node in self._around:
                return _without_second_not(updated_node)
            return updated_node
        planned, loose = found
        assert isinstance(updated_node, cst.BaseExpression)
        new = _wrapped(_unbracketed(_write(planned, updated_node), planned), planned)
        if planned.use.kind is not UseKind.NUMBER:  # whose brackets are around the tensor
            new = new.with_changes(
                lpar=[*updated_node.lpar, *new.lpar], rpar=[*new.rpar, *updated_node.rpar]
            )
        return new if loose else placed(new, self._path[-1] if self._path else None, original_node)


def _wrapped(new: cst.BaseExpression, planned: Plan) -> cst.BaseExpression:
    """Return the call of a function with the new expression, if the outcome asks for one."""
    outcome = planned.outcome
    assert isinstance(outcome, Rewrite)
    if outcome.wrapped is None:
        return new
    return cst.Call(cst.Name(outcome.wrapped), [cst.Arg(new)])


def _without_second_not(node: cst.BaseExpression) -> cst.BaseExpression:
    """Return `p.stop_gradient` for `not (not p.stop_gradient)`, and `bool(x)` for `not (not x)`."""
    match node:
        case cst.UnaryOperation(
            operator=cst.Not(),
            expression=cst.UnaryOperation(operator=cst.Not(), expression=value),
        ):
            value = value.with_changes(lpar=[], rpar=[])
            is_flag = isinstance(value, cst.Attribute)
            plain = value if is_flag else cst.Call(cst.Name("bool"), [cst.Arg(value)])
            return plain.with_changes(lpar=node.lpar, rpar=node.rpar)
    return node


def _without_false(choice: cst.IfExp) -> cst.BaseExpression:
    """Return `"cpu"` for `"mps" if False else "cpu"`."""
    never = isinstance(choice.test, cst.Name) and choice.test.value == "False"
    if not never or not isinstance(choice.body, cst.SimpleString):
        return choice
    left = choice.orelse
    return left.with_changes(lpar=[*choice.lpar, *left.lpar], rpar=[*left.rpar, *choice.rpar])


def _without_true(loop: cst.CompFor) -> cst.CompFor:
    """Return the loop of a comprehension without conditions that always hold."""
    left = [one.with_changes(test=_other_condition(one.test)) for one in loop.ifs]
    return loop.with_changes(ifs=[one for one in left if not _is_true(one.test)])


def _other_condition(test: cst.BaseExpression) -> cst.BaseExpression:
    """Return `b` for `True and b` and for `b and True`."""
    if not isinstance(test, cst.BooleanOperation) or not isinstance(test.operator, cst.And):
        return test
    if _is_true(test.left):
        return test.right
    return test.left if _is_true(test.right) else test


def _is_true(test: cst.BaseExpression) -> bool:
    return isinstance(test, cst.Name) and test.value == "True"


class _OtherQuotes(cst.CSTTransformer):
    """Strings within an f-string in the quotes that do not end it: they do before Python 3.12."""

    def __init__(self, quote: str) -> None:
        super().__init__()
        self._quote = quote

    def leave_SimpleString(  # noqa: N802
        self, original_node: cst.SimpleString, updated_node: cst.SimpleString
    ) -> cst.SimpleString:
        other = "'" if self._quote[0] == '"' else '"'
        value = updated_node.value
        if not value.endswith(self._quote) or other in value or "\\" in value:
            return updated_node
        return updated_node.with_changes(value=value.replace(self._quote, other))


def _unbracketed(new: cst.BaseExpression, planned: Plan) -> cst.BaseExpression:
    """Return the new expression without the brackets that its template always has around it."""
    outcome = planned.outcome
    assert isinstance(outcome, Rewrite)
    whole = expression_of(outcome.template)
    own = bool(whole.lpar) and not isinstance(whole, (cst.Lambda, *_BRACKETED))
    return new.with_changes(lpar=[], rpar=[]) if own and type(new) is type(whole) else new


def _write(planned: Plan, node: cst.BaseExpression) -> cst.BaseExpression:
    outcome = planned.outcome
    assert isinstance(outcome, Rewrite)
    use = planned.use
    outer = (cst.Subscript, cst.Attribute) if use.call is not None else cst.Subscript
    while outcome.around is not None and isinstance(node, outer):
        assert isinstance(node, cst.Subscript | cst.Attribute)
        node = node.value
    call = node if isinstance(node, cst.Call) and use.call is not None else None
    values = _worked_on(planned, node, call)
    template = compile_template(outcome.template)
    if outcome.callee_only and (call is not None or isinstance(node, cst.Subscript)):
        written = fill(expression_of(template.text), Source(None, values, planned.match, outcome))
        assert isinstance(written, cst.BaseExpression)
        if call is None:
            return node.with_changes(value=bracketed(written), lpar=[], rpar=[])
        if _is_same_method(template.text, call):
            return call.with_changes(lpar=[], rpar=[])  # on several lines perhaps
        own = use.kind in {UseKind.SUPER, UseKind.LAYER}
        func = call.func if own else bracketed(written)
        return call.with_changes(func=func, lpar=[], rpar=[])
    if call is not None:
        arguments = _in_call_order(call)[use.skips_first :]
        for name, argument in planned.match.arguments.items():
            values[name] = [arguments[index] for index in argument.indexes]
    source = Source(call, values, planned.match, outcome)
    new = fill(expression_of(template.text), source)
    assert isinstance(new, cst.BaseExpression)
    # A template that is one placeholder may have been filled with a call, which stays unchanged.
    if isinstance(new, cst.Call) and template.is_call and call is not None:
        if template.passes_on:
            new = _with_own_arguments(new, call, use.skips_first)
        else:
            new = arrange(new, expression_of(template.text), source)
        calls_layer = use.kind is UseKind.LAYER and not template.takes_receiver
        if use.kind in {UseKind.SUPER, UseKind.INDIRECT} or calls_layer:
            new = new.with_changes(func=call.func)
        elif use.kind is UseKind.PARTIAL:
            new = _partial(new, call, use.indirect)
    return new


def _is_same_method(template: str, call: cst.Call) -> bool:
    """Return whether a template is the method of a call: `{self}.view` of `x.view(n)`."""
    return isinstance(call.func, cst.Attribute) and template == f"{{self}}.{call.func.attr.value}"


def _worked_on(
    planned: Plan, node: cst.BaseExpression, call: cst.Call | None
) -> dict[str, list[cst.Arg]]:
    """Return the operand of a method or operator as `self`, and the other operand or the index."""
    use = planned.use
    if use.kind is UseKind.NUMBER:
        return {"self": [cst.Arg(node)]}
    if use.kind is UseKind.OPERATOR and isinstance(node, cst.Subscript):
        part = node.slice[0].slice if len(node.slice) == 1 else None
        key = [cst.Arg(part.value)] if isinstance(part, cst.Index) else None
        given = dict.fromkeys(planned.match.arguments, key) if key is not None else {}
        return {"self": [cst.Arg(node.value)], **given}
    if use.kind is UseKind.OPERATOR:
        own, other = _operands(node, use)
        return {"self": own, **dict.fromkeys(planned.match.arguments, other)}
    if call is not None and use.kind is UseKind.UNBOUND:
        return {"self": [cst.Arg(call.args[0].value)]}
    if call is not None and use.kind is UseKind.LAYER:
        return {"self": [cst.Arg(call.func)]}
    callee = call.func if call is not None else node
    receiver = callee.value if isinstance(callee, cst.Attribute) else None
    if isinstance(callee, cst.Call) and use.kind is UseKind.READ:
        receiver = callee.args[0].value  # of `getattr(x, "sum")`
    if receiver is not None and use.receiver is not None:
        return {"self": [cst.Arg(receiver)]}
    return {}


def _operands(node: cst.BaseExpression, use: Use) -> tuple[list[cst.Arg], list[cst.Arg]]:
    """Return the receiver of an operation and its other operand."""
    if isinstance(node, cst.BinaryOperation):
        left, right = node.left, node.right
    else:
        assert isinstance(node, cst.Comparison)
        left, right = node.left, node.comparisons[0].comparator
    operation = use.node
    assert isinstance(operation, ast.BinOp | ast.Compare)
    sides = [cst.Arg(left)], [cst.Arg(right)]
    return sides if operation.left is use.receiver else sides[::-1]


def _with_own_arguments(new: cst.Call, call: cst.Call, skips_first: bool) -> cst.Call:
    """Return the call's own arguments and layout among the others of the template."""
    at = next(n for n, one in enumerate(new.args) if isinstance(one.value, cst.Ellipsis))
    before, after = list(new.args[:at]), list(new.args[at + 1 :])
    own = list(call.args)[skips_first:]
    if not own and not after and before:
        before[-1] = before[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    if own and after:
        own = _followed(own)
    return call.with_changes(func=new.func, args=[*before, *own, *after], lpar=[], rpar=[])


def _followed(arguments: list[cst.Arg]) -> list[cst.Arg]:
    """Return arguments with a comma behind the last one."""
    last = arguments[-1]
    if isinstance(last.comma, cst.Comma):
        return arguments
    comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    return [*arguments[:-1], last.with_changes(comma=comma)]


def _partial(new: cst.Call, call: cst.Call, indirect: bool) -> cst.Call:
    """Return `functools.partial` over the template's callee; a variable's name stays."""
    first = call.args[0]
    if not indirect:
        first = first.with_changes(value=new.func)
    if new.args and not isinstance(first.comma, cst.Comma):
        first = first.with_changes(comma=cst.Comma(whitespace_after=cst.SimpleWhitespace(" ")))
    elif not new.args and len(call.args) > 1:
        first = first.with_changes(comma=cst.MaybeSentinel.DEFAULT)
    return new.with_changes(func=call.func, args=[first, *new.args])


def _in_call_order(call: cst.Call) -> list[cst.Arg]:
    """Return arguments as `ast` counts them: positional ones first, then keywords."""
    positional = [arg for arg in call.args if arg.keyword is None and arg.star != "**"]
    keywords = [arg for arg in call.args if arg.keyword is not None or arg.star == "**"]
    return positional + keywords


def fill(node: cst.CSTNode, source: Source) -> cst.CSTNode:
    """Return a copy of a template's expression with its placeholders filled in."""
    filled = node.visit(_Filler(source))
    assert isinstance(filled, cst.CSTNode)
    return filled


def _separated(arguments: list[cst.Arg]) -> list[cst.Arg]:
    """Return arguments that stand where another argument may follow."""
    comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    return [
        arg if isinstance(arg.comma, cst.Comma) else arg.with_changes(comma=comma)
        for arg in arguments[:-1]
    ] + [arguments[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)]


def _unended(arguments: Sequence[cst.Arg]) -> list[cst.Arg]:
    """Return arguments without a trailing comma that preceded a dropped argument.

    Its place is on the line of the bracket that follows.
    """
    *others, last = arguments
    comma = last.comma
    if isinstance(comma, cst.Comma) and isinstance(comma.whitespace_after, cst.SimpleWhitespace):
        last = last.with_changes(comma=cst.MaybeSentinel.DEFAULT)
    return [*others, last]


# Expressions that need their own brackets as one of several arguments.
_BRACKETED = (cst.Tuple, cst.GeneratorExp, cst.NamedExpr, cst.Yield)


def _bare(value: cst.BaseExpression) -> cst.BaseExpression:
    """Return a receiver as an argument, without the brackets that only a member needed."""
    plain = all(
        isinstance(space, cst.SimpleWhitespace)
        for space in (
            *(bracket.whitespace_after for bracket in value.lpar),
            *(bracket.whitespace_before for bracket in value.rpar),
        )
    )
    if not value.lpar or not plain or isinstance(value, _BRACKETED):
        return value
    return value.with_changes(lpar=[], rpar=[])


class _Filler(cst.CSTTransformer):
    """Fills placeholders; drops those arguments of calls that were not given."""

    def __init__(self, source: Source) -> None:
        super().__init__()
        self._source = source
        self._path: list[cst.CSTNode] = []

    def on_visit(self, node: cst.CSTNode) -> bool:
        self._path.append(node)
        return not self._dropped(node)

    def on_leave(  # type: ignore[override]
        self, original_node: cst.CSTNode, updated_node: cst.CSTNode
    ) -> cst.CSTNode | cst.RemovalSentinel | cst.FlattenSentinel[cst.Arg]:
        self._path.pop()
        if self._dropped(original_node):
            return cst.RemoveFromParent()
        if isinstance(original_node, cst.Arg) and is_splice(original_node, self._source):
            return cst.FlattenSentinel(_separated(spliced(original_node, self._source)))
        name = placeholder_of(original_node)
        if name is None:
            if isinstance(updated_node, cst.Call) and updated_node.args:
                return updated_node.with_changes(args=_unended(updated_node.args))
            return updated_node
        value = self._source.expression(name)
        parent = self._path[-1] if self._path else None
        if parent is None or isinstance(parent, cst.Arg | cst.Element | cst.Index):
            return _bare(value) if name == "self" and isinstance(parent, cst.Arg) else value
        return placed(value, parent, original_node)

    def _dropped(self, node: cst.CSTNode) -> bool:
        """Return True for an argument whose parameter was not given."""
        name = placeholder_of(node.value) if isinstance(node, cst.Arg) else None
        return name is not None and not self._source.has(name)
