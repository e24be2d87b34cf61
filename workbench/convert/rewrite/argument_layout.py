"""Arguments of a rewritten call, in the user's layout."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from workbench.convert.rewrite.templates import placeholder_of
from workbench.rules.match import Match
from workbench.rules.outcome import Rewrite
from workbench.rules.template import compile_template


@dataclass(slots=True)
class Source:
    """Code for the placeholders of a template in one use.

    `values` has the converted arguments by upstream parameter, several for a variadic one.
    """

    call: cst.Call | None
    values: dict[str, list[cst.Arg]]
    match: Match
    outcome: Rewrite

    def has(self, name: str) -> bool:
        """Return whether there is code for a placeholder."""
        return (
            name in self.values
            or name in self.outcome.texts
            or name in compile_template(self.outcome.template).literals
        )

    def expression(self, name: str) -> cst.BaseExpression:
        """Return the code for a placeholder; a variadic parameter's is a list."""
        if name in self.outcome.texts:
            return cst.parse_expression(self.outcome.texts[name])
        arguments = self.values.get(name)
        if arguments is None:
            literal = compile_template(self.outcome.template).literals[name]
            return cst.parse_expression(literal)
        argument = self.match.arguments.get(name)
        if argument is not None and argument.variadic:
            return _as_list(arguments)
        value = arguments[0].value
        if isinstance(value, cst.NamedExpr) and not value.lpar:
            return value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
        return value

    def original(self, name: str | None) -> cst.Arg | None:
        """Return the argument, as written, that fills a placeholder by itself, or None."""
        arguments = self.values.get(name or "")
        if arguments is None or len(arguments) != 1 or name == "self":
            return None
        argument = self.match.arguments.get(name or "")
        return None if argument is not None and argument.variadic else arguments[0]


def _as_list(arguments: list[cst.Arg]) -> cst.List:
    elements: list[cst.BaseElement] = []
    for index, arg in enumerate(arguments):
        comma = arg.comma
        if index + 1 < len(arguments) and not isinstance(comma, cst.Comma):
            comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
        elif index + 1 == len(arguments) and not _breaks(comma):
            comma = cst.MaybeSentinel.DEFAULT
        make = cst.StarredElement if arg.star == "*" else cst.Element
        elements.append(make(value=arg.value, comma=comma))
    return cst.List(elements)


def arrange(new: cst.Call, template: cst.BaseExpression, source: Source) -> cst.Call:
    """Give a filled call the user's line breaks, comments and order of keywords."""
    old = source.call
    assert isinstance(template, cst.Call)
    assert old is not None
    originals: list[cst.Arg | None] = []
    for arg in template.args:
        if is_splice(arg, source):
            originals += spliced(arg, source)
        elif _stays(arg, source):
            originals.append(source.original(placeholder_of(arg.value)))
    pairs = list(zip(new.args, originals, strict=True))
    place = {id(arg): index for index, arg in enumerate(old.args)}
    last = len(old.args)
    positional = [(arg, was) for arg, was in pairs if arg.keyword is None]
    keywords = [(arg, was) for arg, was in pairs if arg.keyword is not None]
    order = {id(arg): index for index, (arg, _) in enumerate(keywords)}
    keywords.sort(
        key=lambda item: (
            _place(item[1], old, place) if item[1] is not None else last,
            order[id(item[0])],
        )
    )
    ordered = positional + keywords
    trailing = bool(old.args) and isinstance(old.args[-1].comma, cst.Comma)
    arguments = [
        _laid_out(arg, was, index + 1 == len(ordered), old, trailing)
        for index, (arg, was) in enumerate(ordered)
    ]
    return new.with_changes(
        args=arguments,
        whitespace_before_args=old.whitespace_before_args if old.args else cst.SimpleWhitespace(""),
        whitespace_after_func=old.whitespace_after_func,
    )


def is_splice(arg: cst.Arg, source: Source) -> bool:
    """Return whether an argument is `*{layers}` of a variadic parameter with given arguments.

    Its arguments are inserted as written; those of `**{layers}` are the items of the one given
    list.
    """
    name = placeholder_of(arg.value) if arg.star else None
    argument = source.match.arguments.get(name or "")
    return argument is not None and argument.variadic and name in source.values


def spliced(arg: cst.Arg, source: Source) -> list[cst.Arg]:
    """Return the arguments that replace `*{layers}` or `**{layers}`."""
    arguments = source.values[placeholder_of(arg.value) or ""]
    if arg.star == "*":
        return arguments
    listed = arguments[0].value
    assert isinstance(listed, cst.List | cst.Tuple)
    return [cst.Arg(one.value, comma=one.comma) for one in listed.elements]


def _stays(arg: cst.Arg, source: Source) -> bool:
    name = placeholder_of(arg.value)
    return name is None or source.has(name)


def _place(was: cst.Arg | None, old: cst.Call, place: dict[int, int]) -> int:
    return place.get(id(was), len(old.args))


def _laid_out(
    arg: cst.Arg, was: cst.Arg | None, last: bool, old: cst.Call, trailing: bool
) -> cst.Arg:
    """Return one argument with the whitespace and comments that it had."""
    comma: cst.Comma | cst.MaybeSentinel = cst.MaybeSentinel.DEFAULT
    after: cst.BaseParenthesizableWhitespace = cst.SimpleWhitespace("")
    equal = _equal(was) if arg.keyword is not None else cst.MaybeSentinel.DEFAULT
    was_last = was is not None and was is old.args[-1]
    if was is not None:
        comma, after = was.comma, was.whitespace_after_arg
    if last and not was_last:
        end = old.args[-1] if old.args else None
        if trailing and end is not None and isinstance(end.comma, cst.Comma):
            comma = _closing(comma, end.comma)
        elif isinstance(comma, cst.Comma):
            if _breaks(comma):
                after = comma.whitespace_after
            comma = cst.MaybeSentinel.DEFAULT
        elif end is not None and was is None:
            after = end.whitespace_after_arg
    elif not last and not isinstance(comma, cst.Comma):
        after = cst.SimpleWhitespace("")
        comma = cst.Comma(whitespace_after=_between(old))
    elif not last and was_last and isinstance(comma, cst.Comma):
        comma = comma.with_changes(whitespace_after=_between(old))
    return arg.with_changes(comma=comma, whitespace_after_arg=after, equal=equal)


def _between(old: cst.Call) -> cst.BaseParenthesizableWhitespace:
    """Return the whitespace that the user puts between arguments, without comments."""
    for arg in old.args[:-1]:
        if isinstance(arg.comma, cst.Comma):
            space = arg.comma.whitespace_after
            if isinstance(space, cst.ParenthesizedWhitespace):
                return space.with_changes(
                    first_line=cst.TrailingWhitespace(newline=space.first_line.newline),
                    empty_lines=[],
                )
            return space
    return cst.SimpleWhitespace(" ")


def _equal(was: cst.Arg | None) -> cst.AssignEqual | cst.MaybeSentinel:
    if was is not None and isinstance(was.equal, cst.AssignEqual):
        return was.equal
    return cst.AssignEqual(
        whitespace_before=cst.SimpleWhitespace(""), whitespace_after=cst.SimpleWhitespace("")
    )


def _closing(comma: cst.Comma | cst.MaybeSentinel, end: cst.Comma) -> cst.Comma:
    """Return the last comma: with this argument's comment, and the closing bracket where it was."""
    if not isinstance(comma, cst.Comma):
        return end
    mine, theirs = comma.whitespace_after, end.whitespace_after
    if isinstance(mine, cst.ParenthesizedWhitespace) and isinstance(
        theirs, cst.ParenthesizedWhitespace
    ):
        mine = mine.with_changes(
            indent=theirs.indent, last_line=theirs.last_line, empty_lines=theirs.empty_lines
        )
        return comma.with_changes(whitespace_after=mine)
    return end


def _breaks(comma: cst.Comma | cst.MaybeSentinel) -> bool:
    return isinstance(comma, cst.Comma) and isinstance(
        comma.whitespace_after, cst.ParenthesizedWhitespace
    )
