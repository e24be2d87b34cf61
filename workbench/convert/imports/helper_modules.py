"""Modules of helper functions that converted files share, and the files that import them."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from workbench import files
from workbench.convert.decide.planner import Plan
from workbench.convert.decide.reconversion import is_helper
from workbench.convert.imports.helper_placement import defined, helper_module, problem
from workbench.convert.imports.import_lines import has_import, import_lines
from workbench.rules.outcome import Rewrite
from workbench.source.analysis import Analysis
from workbench.targets import Target
from workbench.targets.helpers import MODULE, Helper, Import

# A file that needs fewer lines of helpers than this defines them itself.
FEW = 25
_NAME = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class HelperImport:
    """The helper module next to a file.

    Attributes:
        module: its name in the file's imports; it may be relative.
        few_inline: whether a file that needs only a few lines of helpers defines them itself.
    """

    module: str
    few_inline: bool = True


def existing_module(file: Path) -> tuple[str, str | None]:
    """Return the text of a helper module, "" if it does not exist, and why it cannot be extended.

    Raises:
        TorchferryError: it cannot be read.
    """
    if not file.exists():
        return "", None
    text = files.decode(file, files.read(file))[0]
    return text, problem(text)


def source_of_helpers(
    analysis: Analysis, plans: Iterable[Plan], target: Target, helper_import: HelperImport | None
) -> str | None:
    """Return the module that a file imports its helpers from, or None if it defines them.

    All uses of the file count, even those that are not converted now: so fixes that are accepted
    one by one give the same result as converting the whole file.

    Args:
        analysis: the program.
        plans: the plans of all its uses.
        target: the target.
        helper_import: the module that may be imported; None for none.
    """
    if helper_import is None:
        return None
    if not helper_import.few_inline or _imports_helpers(analysis.tree):
        return helper_import.module
    definitions = (
        one for one in analysis.tree.body if isinstance(one, ast.FunctionDef | ast.ClassDef)
    )
    own = {one.name for one in definitions if is_helper(one, target)}
    helpers = target.helpers.closure(own | _called(plans, target))
    lines = sum(helper.source.count("\n") + 1 for helper in helpers)
    shared = any(_is_shared(helper) for helper in helpers)
    return helper_import.module if lines >= FEW or shared else None


def _is_shared(helper: Helper) -> bool:
    """Return whether a helper is a class that all files must share; NamedTuples need not be."""
    head = helper.source.partition("\n")[0]
    return head.startswith("class ") and "NamedTuple" not in head


def _imports_helpers(tree: ast.Module) -> bool:
    imports = (one for one in tree.body if isinstance(one, ast.ImportFrom))
    return any((one.module or "").rpartition(".")[2] == MODULE for one in imports)


def _called(plans: Iterable[Plan], target: Target) -> set[str]:
    """Return the helpers that the plans' new code names."""
    outcomes = (one.outcome for one in plans)
    texts = [
        text
        for outcome in outcomes
        if isinstance(outcome, Rewrite)
        for text in (outcome.template, outcome.after or "", *outcome.texts.values())
    ]
    return {name for text in set(texts) for name in _NAME.findall(text) if name in target.helpers}


def module_of(names: Collection[str], target: Target) -> str:
    """Return the text of a module with these helpers, and those that they need.

    It is the same whether a helper is one of `names` or is only needed by one.
    """
    every = (helper.name for helper in target.helpers.closure(names))
    helpers = target.helpers.closure(every)
    lines = import_lines(_imports(helpers, target))
    return helper_module(lines, [helper.source for helper in helpers])


def extended(text: str, names: Collection[str], target: Target) -> str:
    """Return a module of helpers with these and the helpers they need.

    A module that someone has changed, or that another version wrote, keeps its content, and the new
    helpers come below it. Otherwise the order of additions has no effect. The text must parse,
    which `helper_placement.problem` checks.
    """
    if not text:
        return module_of(names, target)
    known = defined(text)
    if all(name in target.helpers for name in known) and text == module_of(known, target):
        return module_of({*known, *names}, target)
    new = [helper for helper in target.helpers.closure(names) if helper.name not in known]
    if not new:
        return text
    tree = ast.parse(text)
    imports = {one for one in _imports(new, target) if not has_import(tree, one)}
    last = max(
        (one.end_lineno or 1 for one in tree.body if isinstance(one, ast.Import | ast.ImportFrom)),
        default=tree.body[0].end_lineno or 1,
    )
    lines = text.splitlines()
    lines[last:last] = import_lines(imports)
    whole = "\n".join(lines).rstrip("\n")
    whole = "\n\n\n".join([whole, *(helper.source for helper in new)]) + "\n"
    return whole.replace("\n", "\r\n") if "\r\n" in text else whole


def kept(text: str, names: Collection[str], target: Target) -> list[str]:
    """Return those of these helpers that a module defines in other words, which stay.

    An earlier version wrote them so, or the user changed them.
    """
    new = {helper.name: helper.source for helper in target.helpers.closure(names)}
    return [
        node.name
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        and node.name in new
        and ast.dump(node) != ast.dump(ast.parse(new[node.name]).body[0])
    ]


def _imports(helpers: Iterable[Helper], target: Target) -> set[Import]:
    found = {item for helper in helpers for item in helper.imports}
    return found | {Import(target.module, "", target.module)}
