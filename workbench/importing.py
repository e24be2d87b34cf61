"""Import of Python files as in their program: a module of a package by its full name."""

from __future__ import annotations

import ast
import contextlib
import importlib
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

# The record of the files that a conversion of a folder wrote.
RECORD = ".torchferry.jsonl"
_ROOT = (RECORD, "pyproject.toml", "setup.py", ".git")


def home_of(file: Path) -> Path:
    """Return the folder that contains the packages around a file, or its own folder if there are
    none.
    """
    return next(at for at in file.resolve().parents if not (at / "__init__.py").is_file())


def roots_of(file: Path) -> list[Path]:
    """Return the folders in which a file's absolute imports are looked up, in order."""
    folder, name = file.resolve().parent, name_of(file)
    found = [folder, home_of(file)]
    levels = name.count(".") + (file.stem == "__init__")
    if levels:  # the folder of a module is last: a file may have the name of its package
        found = [_above(folder, levels), folder]
    if (project := _project_of(file)) is not None:
        found.append(project)
    return list(dict.fromkeys(found))


def name_of(file: Path) -> str:
    """Return the full name of a file's module.

    A file in a package belongs to it if the file imports from the package or has its name.
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
    """Run a Python file as on import and return its module; compiled modules are not written.

    Raises:
        ImportError: it is not a Python file.
        Exception: any exception that running it raises.
    """
    with without_bytecode():
        return _imported(file)


@contextlib.contextmanager
def without_bytecode() -> Iterator[None]:
    """Write no `__pycache__` into the user's folders.

    Python takes a compiled module for current if the source has the same size and was saved in the
    same second: an edit such as `0.9` to `0.1` between two verifications would go unseen.
    """
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        yield
    finally:
        sys.dont_write_bytecode = before


def _imported(file: Path) -> ModuleType:
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
    # As in `python FILE`: neighbours of the file can be imported, and its classes can be found.
    sys.path[:0] = roots
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _imports(file: Path) -> tuple[int, set[str]]:
    """Return the highest level of a file's relative imports, and the modules that it imports."""
    level = 0
    names: set[str] = set()
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError):  # reported when it is run
        return level, names
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            level = max(level, node.level)
            names |= set() if node.level else {str(node.module).partition(".")[0]}
        elif isinstance(node, ast.Import):
            names |= {one.name.partition(".")[0] for one in node.names}
    return level, names


def _project_of(file: Path) -> Path | None:
    """Return the nearest enclosing folder with a mark of a project, or None."""
    parents: Iterator[Path] = iter(file.resolve().parents)
    return next((at for at in parents if any((at / mark).exists() for mark in _ROOT)), None)


def _above(folder: Path, count: int) -> Path:
    return folder.parents[min(count, len(folder.parents)) - 1]


def _forget_others(package: str, home: Path) -> None:
    """Make a package importable from a folder if one of its name was imported from elsewhere."""
    held = sys.modules.get(package)
    places = [*getattr(held, "__path__", ()), str(getattr(held, "__file__", None) or home)]
    if held is not None and any(Path(place).is_relative_to(home / package) for place in places):
        return
    for name in [one for one in sys.modules if one.partition(".")[0] == package]:
        del sys.modules[name]
