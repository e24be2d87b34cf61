"""The helper module in the folder that the kernel works in."""

from __future__ import annotations

import ast
import sys
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from workbench import files
from workbench.convert.configuration.keys import INLINE, MODULE
from workbench.convert.configuration.settings import settings_for
from workbench.convert.imports.helper_modules import HelperImport, existing_module, extended
from workbench.targets.helpers import MODULE as HELPERS

if TYPE_CHECKING:
    from workbench.targets import Target


def helper_import() -> HelperImport | None:
    """Return the module that cells import helpers from, or None if they define them.

    They do if the settings say so, or if the module's name is taken.
    """
    helpers = settings_for(Path.cwd()).helpers
    if helpers == INLINE or existing_module(_place())[1]:
        return None
    return HelperImport(HELPERS, few_inline=helpers != MODULE)


def put_helpers(names: Collection[str], target: Target) -> None:
    """Add these helpers to the module, and to the kernel's own copy if it is imported.

    Raises:
        TorchferryError: the file cannot be written.
    """
    if not names:
        return
    there, _ = existing_module(_place())
    text = extended(there, names, target)
    if text != there:
        files.write(_place(), text.encode())
    _define_new(text)


def _define_new(text: str) -> None:
    """Run what an imported module lacks: to reload it would make other classes of its classes."""
    module = sys.modules.get(HELPERS)
    if module is None:
        return
    new = [node for node in ast.parse(text).body if not _is_there(node, vars(module))]
    exec(compile(ast.Module(new, []), str(_place()), "exec"), vars(module))


def _is_there(node: ast.stmt, names: Collection[str]) -> bool:
    return isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name in names


def _place() -> Path:
    return Path(f"{HELPERS}.py")
