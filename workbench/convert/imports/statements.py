"""Remainders and replacements of import statements that lose names."""

from __future__ import annotations

import ast
import io
import tokenize

import libcst as cst

from workbench.convert.imports.import_order import Statement
from workbench.convert.rewrite.edits import Change, statement_start
from workbench.source.analysis import Analysis
from workbench.source.uses import TorchImport

# A placeholder, among new lines, for the remaining names of the replaced statement.
HERE = "\0"


def replaced(
    analysis: Analysis,
    statement: Statement,
    gone: list[TorchImport],
    lines: list[str],
    nested: bool,
) -> list[Change]:
    """Remove names from an import statement, or all of it if none is left.

    New lines replace the removed part; one of them may be a placeholder for the remaining
    statement.
    """
    start, end = analysis.span(statement)
    line_start, indent = statement_start(analysis, statement)
    dropped = {id(item.alias) for item in gone}
    left = [alias for alias in statement.names if id(alias) not in dropped]
    code = analysis.text[start:end]
    kept = [_without(code, statement, left)] if left else []
    place = lines.index(HERE) if HERE in lines else len(lines)
    parts = [*lines[:place], *kept, *lines[place + 1 :]]
    comments = [text for text in _comments(code) if text not in "".join(kept)]
    if parts:
        glue = analysis.lines.newline
        parts = [*comments, *parts]
        text = parts[0] + "".join(f"{glue}{part and indent}{part}" for part in parts[1:])
        return [Change(start, end, text)]
    rest = analysis.text[end : analysis.lines.start(statement.end_lineno or statement.lineno)]
    alone = not analysis.text[line_start:start].strip() and rest.lstrip()[:1] in {"", "#"}
    if not alone or (nested and not _has_siblings(analysis, statement)):
        above = [f"{indent}{comment}{analysis.lines.newline}" for comment in comments]
        changes = [Change(line_start, line_start, "".join(above))] if above else []
        return [*changes, Change(start, end, "pass")]
    comments += [rest.strip()] if rest.strip() else []
    text = "".join(f"{indent}{comment}{analysis.lines.newline}" for comment in comments)
    return [Change(line_start, end + len(rest), text)]


def _has_siblings(analysis: Analysis, statement: Statement) -> bool:
    """Return whether other statements, that stay, are in the same block."""
    torch = {id(item.statement) for item in analysis.imports}
    for node in ast.walk(analysis.tree):
        for body in (getattr(node, name, None) for name in ("body", "orelse", "finalbody")):
            if isinstance(body, list) and any(one is statement for one in body):
                return any(id(one) not in torch for one in body)
    return False


def _comments(code: str) -> list[str]:
    """Return the comments inside an import statement."""
    if "#" not in code:
        return []
    tokens = tokenize.generate_tokens(io.StringIO(code).readline)
    return [token.string for token in tokens if token.type == tokenize.COMMENT]


def _without(code: str, statement: Statement, left: list[ast.alias]) -> str:
    """Return the import statement with only the names in `left`, in the same layout."""
    tree = cst.parse_statement(code)
    assert isinstance(tree, cst.SimpleStatementLine)
    node = tree.body[0]
    assert isinstance(node, cst.Import | cst.ImportFrom)
    names = node.names
    assert not isinstance(names, cst.ImportStar)
    keep = {id(alias) for alias in left}
    chosen = [twin for alias, twin in zip(statement.names, names, strict=True) if id(alias) in keep]
    if not names[-1].comma or isinstance(names[-1].comma, cst.MaybeSentinel):
        chosen[-1] = chosen[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    return cst.Module([]).code_for_node(node.with_changes(names=chosen))
