"""Programs for the target `convert`: snippets put together, then mutated tree-wise and bytewise."""

from __future__ import annotations

import ast
from collections.abc import Callable
from random import Random

from tests.fuzz.corpus import EXPRESSIONS, HEADS, SNIPPETS, TOKENS
from workbench import Lines, Position

_WRAPPERS = (
    "if flag:\n{}",
    "for _ in range(2):\n{}",
    "with torch.no_grad():\n{}",
    "def outer(x, y, model):\n{}",
    "class Outer(nn.Module):\n{}",
    "try:\n{}\nfinally:\n    pass",
    "while x.any():\n{}\n    break",
    "@torch.jit.script\ndef scripted(x: torch.Tensor):\n{}",
    "match x:\n    case _:\n{0}\n{0}",
)


def program(random: Random) -> str:
    """Return a program, more often than not one that Python takes."""
    parts = random.sample(SNIPPETS, random.choice((1, 1, 1, 2, 3)))
    if random.random() < 0.15:
        parts[0] = _wrapped(random, parts[0])
    text = random.choice(HEADS) + random.choice(("", "\n", "\n\n")).join(parts)
    for _ in range(random.choice((0, 1, 1, 2, 3))):
        text = random.choice(_TREE)(random, text)
    if random.random() < 0.3:
        for _ in range(random.randint(1, 4)):
            text = random.choice(_CHARACTERS)(random, text)
    return _laid_out(random, text)


def _wrapped(random: Random, text: str) -> str:
    wrapper = random.choice(_WRAPPERS)
    depth = "        " if "case" in wrapper else "    "
    return wrapper.format("".join(depth + line for line in text.splitlines(keepends=True))) + "\n"


def _span(lines: Lines, node: ast.AST) -> tuple[int, int]:
    """Return a node's start and end in the text; `ast` counts UTF-8 bytes."""

    def offset(line: int, column: int) -> int:
        inside = lines.line(line - 1).encode()[:column].decode(errors="replace")
        return lines.offset(Position(line - 1, len(inside)))

    return (
        offset(node.lineno, node.col_offset),  # type: ignore[attr-defined]
        offset(node.end_lineno, node.end_col_offset),  # type: ignore[attr-defined]
    )


def _nodes(text: str, kind: type[ast.AST]) -> list[ast.AST]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return []
    return [node for node in ast.walk(tree) if isinstance(node, kind)]


def _other_expression(random: Random, text: str) -> str:
    nodes = _nodes(text, ast.expr)
    if not nodes:
        return text
    lines = Lines(text)
    start, end = _span(lines, random.choice(nodes))
    new = random.choice(EXPRESSIONS)
    if random.random() < 0.5:
        low, high = _span(lines, random.choice(nodes))
        new = text[low:high]
    return f"{text[:start]}{random.choice(('{}', '({})', '({})', ' {} ')).format(new)}{text[end:]}"


def _nested(random: Random, text: str) -> str:
    nodes = _nodes(text, ast.expr)
    if not nodes:
        return text
    start, end = _span(Lines(text), random.choice(nodes))
    before, after = random.choice(
        (("(", ")"), ("torch.abs(", ")"), ("[", "][0]"), ("not ", ""), ("-", ""), ("(", ").t()"))
    )
    times = random.choice((1, 2, 5, 20, 60, 180))
    return f"{text[:start]}{before * times}({text[start:end]}){after * times}{text[end:]}"


def _other_arguments(random: Random, text: str) -> str:
    calls = [node for node in _nodes(text, ast.Call) if isinstance(node, ast.Call)]
    if not calls:
        return text
    call = random.choice(calls)
    lines = Lines(text)
    given = [text[slice(*_span(lines, one))] for one in call.args]
    named = [text[slice(*_span(lines, one))] for one in call.keywords]
    more = random.choice(("dim=0", "out=x", "**kw", "dtype=torch.int", "input=x", "é=1", "dim=-1"))
    named = random.choice((named, [*named, more], named[1:], named[::-1]))
    given = random.choice((given, given[1:], [*given, "1"], [*given, "*xs"], given[::-1]))
    gap = random.choice((", ", ",", ",\n        ", ",  # why\n      ", " , "))
    end = _span(lines, call.func)[1], _span(lines, call)[1]
    return f"{text[: end[0]]}({gap.join((*given, *named))}){text[end[1] :]}"


def _moved_statement(random: Random, text: str) -> str:
    nodes = _nodes(text, ast.stmt)
    if len(nodes) < 2:
        return text
    lines = Lines(text)
    one, other = random.sample(nodes, 2)
    piece = text[slice(*_span(lines, one))]
    start, end = _span(lines, other)
    return text[:start] + piece + random.choice((text[end:], f"; {text[start:]}", text[start:]))


def _other_layout(random: Random, text: str) -> str:
    places = [at for at, character in enumerate(text) if character in " ,(\n"]
    at = random.choice(places)
    new = random.choice((" \\\n", "\t", "\x0c", "  # é 😀\n", "\n\n", "   ", " # type: ignore\n"))
    return text[: at + 1] + new + text[at + 1 :]


_TREE: tuple[Callable[[Random, str], str], ...] = (
    _other_expression,
    _other_expression,
    _nested,
    _other_arguments,
    _other_arguments,
    _moved_statement,
    _other_layout,
)


def _thrown_in(random: Random, text: str) -> str:
    at = random.randint(0, len(text))
    return text[:at] + random.choice(TOKENS) + text[at:]


def _cut_out(random: Random, text: str) -> str:
    at = random.randint(0, len(text))
    return text[:at] + text[at + random.choice((1, 1, 2, 5, 40)) :]


def _doubled(random: Random, text: str) -> str:
    at, length = random.randint(0, len(text)), random.choice((1, 4, 30))
    return text[: at + length] + text[at:]


def _flipped(random: Random, text: str) -> str:
    data = bytearray(text.encode("utf-8", "surrogatepass"))
    if data:
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    return data.decode("utf-8", random.choice(("replace", "surrogateescape")))


_CHARACTERS: tuple[Callable[[Random, str], str], ...] = (_thrown_in, _cut_out, _doubled, _flipped)


def _laid_out(random: Random, text: str) -> str:
    """Return the text with other line endings, indents and ends, and with a byte order mark."""
    if random.random() < 0.1:
        text = text.replace("    ", "\t")
    if random.random() < 0.1:
        text = text.rstrip("\n") + random.choice(("", "  # end", "\\", "\n\n\n", " "))
    if random.random() < 0.2:
        text = text.replace("\n", random.choice(("\r\n", "\r\n", "\r")))
    if random.random() < 0.05:
        text = "\ufeff" + text
    return text
