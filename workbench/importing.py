"""Python files as their program imports them: a member of a package under its full name."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

# What a conversion of a folder leaves there: its record of the files that it wrote.
RECORD = ".torchferry.jsonl"
_ROOT = (RECORD, "pyproject.toml", "setup.py", ".git")


def home_of(file: Path) -> Path:
    """The folder that holds the packages around a file, its own folder if there are none."""
    return next(at for at in file.resolve().parents if not (at / "__init__.py").is_file())


def roots_of(file: Path) -> list[Path]:
    """The folders in which a file's absolute imports are looked up, the first one first."""
    folder, name = file.resolve().parent, name_of(file)
    found = [folder, home_of(file)]
    levels = name.count(".") + (file.stem == "__init__")
    if levels:  # the folder of a member comes last: a file may be named as its package
        found = [_above(folder, levels), folder]
    if (project := _project_of(file)) is not None:
        found.append(project)
    return list(dict.fromkeys(found))


def name_of(file: Path) -> str:
    """The full name of the module that a file is.

    A file in a package is a member of it if it imports from there, or is named as the package.
    """
    file = file.resolve()
    folder, home = file.parent, home_of(file)
    level, imported = _imports(file)
    if level and home == folder:  # a package without `__init__.py`
        project = _project_of(file)
        home = (
            project if project not in (None, folder) else home_of(_above(folder, level) / file.name)
        )
    elif not level and file.stem != "__init__":
        top = file.relative_to(home).parts[0]
        if home == folder or not (top in imported or top == file.stem):
            return file.stem
    parts = file.relative_to(home).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def import_file(file: Path) -> ModuleType:
    """The module that a Python file makes; it is run, as an import would.

    Raises:
        ImportError: it is no Python file.
        Exception: whatever running it raises.
    """
    name = name_of(file)
    roots = [str(root) for root in roots_of(file)]
    if "." in name or file.stem == "__init__":
        sys.path[:0] = roots
        _forget_others(name.partition(".")[0], Path(roots[0]))
        return importlib.import_module(name)
    spec = importlib.util.spec_from_file_location(name, file.resolve())
    if spec is None or spec.loader is None:
        raise ImportError("not a Python file")
    module = importlib.util.module_from_spec(spec)
    # As `python FILE` does: what lies beside the file can be imported, and classes be found again.
    sys.path[:0] = roots
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _imports(file: Path) -> tuple[int, set[str]]:
    """How many packages up a file's relative imports go, and which modules it imports."""
    level = 0
    names: set[str] = set()
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError):  # reported where it is run
        return level, names
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            level = max(level, node.level)
            names |= set() if node.level else {str(node.module).partition(".")[0]}
        elif isinstance(node, ast.Import):
            names |= {one.name.partition(".")[0] for one in node.names}
    return level, names


def _project_of(file: Path) -> Path | None:
    """The nearest folder around a file that a conversion, or another tool, marks as a project's."""
    parents: Iterator[Path] = iter(file.resolve().parents)
    return next((at for at in parents if any((at / mark).exists() for mark in _ROOT)), None)


def _above(folder: Path, count: int) -> Path:
    return folder.parents[min(count, len(folder.parents)) - 1]


def _forget_others(package: str, home: Path) -> None:
    """Have a package be imported from a folder, where one of its name came from elsewhere."""
    held = sys.modules.get(package)
    places = [*getattr(held, "__path__", ()), str(getattr(held, "__file__", None) or home)]
    if held is not None and any(Path(place).is_relative_to(home / package) for place in places):
        return
    for name in [one for one in sys.modules if one.partition(".")[0] == package]:
        del sys.modules[name]
