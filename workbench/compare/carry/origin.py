"""The source of live functions and classes, to be converted and run again."""

from __future__ import annotations

import ast
import enum
import inspect
import linecache
import re
import sys
import sysconfig
import textwrap
import types
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import torch

from workbench.compare.carry.inside import is_a
from workbench.source.parsing.notebook import cell_text
from workbench.source.parsing.parse import parse
from workbench.source.tree import imported_names
from workbench.targets.bridge import CarryError

NAMED = (
    type,
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    types.MethodDescriptorType,
)
_LIBRARIES = tuple(
    {
        str(Path(sysconfig.get_path(key)).resolve())
        for key in ("stdlib", "platstdlib", "purelib", "platlib")
    }
)
_TIMED = "<timed exec>"  # IPython's name for the code below `%%time`
# Folders into which installers put packages, also those of another Python.
_INSTALLED = frozenset({"site-packages", "dist-packages"})


@dataclass(frozen=True, slots=True)
class Definition:
    """The statement that defines a name, and the text of the file or cell around it."""

    name: str
    source: str
    around: str


def is_torch(value: Any) -> bool:
    """Return whether torch itself defines a class, function or module."""
    module = value.__name__ if isinstance(value, types.ModuleType) else _module_of(value)
    return module == "torch" or module.startswith("torch.")


def is_library(value: Any) -> bool:
    """Return whether an installed package or Python itself defines a value."""
    module = _module_of(value)
    if module in ("builtins", "__main__"):
        return module == "builtins"
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None:
        return module in sys.builtin_module_names or module in sys.stdlib_module_names
    return is_installed(file)


def is_foreign(value: object) -> bool:
    """Return whether an object belongs to an installed package other than torch and NumPy."""
    module = type(value).__module__.partition(".")[0]
    if module in ("torch", "numpy", "__main__") or module in sys.stdlib_module_names:
        return False
    return is_library(type(value))


def is_installed(file: str) -> bool:
    """Return whether a file belongs to Python or to an installed package."""
    path = Path(file).resolve()
    if str(path).startswith(_LIBRARIES) or not _INSTALLED.isdisjoint(path.parts):
        return True
    above = (folder for folder in path.parents if str(folder) in sys.path)
    return any(_has_packages(folder, folder.stat().st_mtime_ns) for folder in above)


@lru_cache(maxsize=64)
def _has_packages(folder: Path, _changed: int) -> bool:
    """Return whether pip has installed packages into a folder, as `--target` does."""
    return any(folder.glob("*.dist-info"))


def public_name(value: Any) -> str:
    """Return torch's public dotted name of one of its classes or functions."""
    name = getattr(value, "__name__", None)
    if not isinstance(name, str):
        raise CarryError("it has no name, which its conversion needs")
    for module in (
        "torch",
        "torch.nn",
        "torch.nn.functional",
        "torch.optim",
        "torch.optim.lr_scheduler",
        "torch.utils.data",
        "torch.nn.init",
        "torch.linalg",
        _module_of(value),
    ):
        if getattr(sys.modules.get(module), name, None) is value:
            return f"{module}.{name}"
    raise CarryError(f"torch has no public name for {name}")


def live_imports(
    names: Collection[str], namespace: Mapping[str, Any], cells: Iterable[str] = ()
) -> str:
    """Return imports that bind these names to the torch objects that they hold now.

    Those that the last import of their name in `cells` binds to the same object are left out.
    """
    lines = []
    earlier = (node for cell in cells for node in parse(cell_text(cell)).tree.body)
    known = imported_names(earlier)
    for name in sorted(set(names) & namespace.keys()):
        value = namespace[name]
        if is_a(value, types.ModuleType) and is_torch(value):
            if known.get(name) != value.__name__:
                lines.append(f"import {value.__name__} as {name}")
        elif is_a(value, NAMED) and is_torch(value):
            with suppress(CarryError):
                public = public_name(value)
                module, _, own = public.rpartition(".")
                if known.get(name) != public:
                    lines.append(f"from {module} import {own} as {name}")
    return "\n".join(lines)


def definition(value: Any) -> Definition:
    """Return the source of a user's function, lambda or class."""
    if isinstance(value, type):
        return _class(value)
    code = getattr(inspect.unwrap(value), "__code__", None)
    if code is None:
        raise CarryError("it has no Python source")
    if code.co_freevars:
        names = ", ".join(code.co_freevars)
        raise CarryError(f"it closes over {names} of the function that made it")
    for around in _texts(code.co_filename):
        for node in ast.walk(_parsed(around)):
            if code.co_name == "<lambda>":
                if isinstance(node, ast.Lambda) and node.lineno == code.co_firstlineno:
                    text = ast.get_source_segment(around, node) or ""
                    return Definition("_carried_lambda", f"_carried_lambda = {text}", around)
            elif (
                isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
                and node.name == code.co_name
                and _first_line(node) == code.co_firstlineno
            ):
                return Definition(node.name, _segment(around, node), around)
    raise CarryError("its source has changed since it was defined")


def made_by_call(kind: type) -> bool:
    """Return whether a call made a named tuple or an enumeration, which has no code to convert."""
    if kind.__bases__ not in ((tuple,), (enum.Enum,)):
        return False
    values = vars(kind).values()
    return not (
        any(isinstance(each, torch.Tensor) for each in values)
        or _own_code(kind)
        or _has_statement(kind)
    )


def _has_statement(kind: type) -> bool:
    """Return whether a class statement that is known here defines a class."""
    try:
        return bool(_class(kind))
    except CarryError:
        return False


def _own_code(kind: type) -> list[types.CodeType]:
    """Return the code of the functions in a class statement."""
    # Functions that were set on the class later, even from its own file, lie outside its statement;
    # those that a decorator generates, such as `dataclass`, have no text.
    return [
        m.__code__
        for m in vars(kind).values()
        if isinstance(m, types.FunctionType)
        and m.__qualname__.startswith(f"{kind.__qualname__}.")
        and (linecache.getlines(m.__code__.co_filename) or m.__code__.co_filename == _TIMED)
        and not (kind.__module__ == "__main__" and is_installed(m.__code__.co_filename))
    ]


def _class(kind: type) -> Definition:
    own = _own_code(kind)
    files = [code.co_filename for code in own]
    lines = [code.co_firstlineno for code in own if code.co_filename in files[:1]]
    if not files:
        file = getattr(sys.modules.get(kind.__module__), "__file__", None)
        files = _cells(kind.__name__) if kind.__module__ == "__main__" else []
        files += [file] if file else []
    for around in (text for file in files for text in _texts(file)):
        found = [
            node
            for node in ast.walk(_parsed(around))
            if isinstance(node, ast.ClassDef)
            and node.name == kind.__name__
            and all(node.lineno <= line <= (node.end_lineno or 0) for line in lines)
            and (lines or _names_in(node) <= {*vars(kind), *vars(kind).get("__annotations__", ())})
        ]
        if found:
            return Definition(kind.__name__, _segment(around, found[-1]), around)
    raise CarryError("its source cannot be found")


def _cells(name: str) -> list[str]:
    """Return the cells that may define a class without functions, the newest first."""
    found = []
    for file, entry in reversed(list(linecache.cache.items())):
        if len(entry) == 4 and entry[1] is None and not file.startswith("<converted"):
            lines: list[str] = entry[2]
            if any(re.match(rf"\s*class {name}\b", line) for line in lines):
                found.append(file)
    return found


def _names_in(node: ast.ClassDef) -> set[str]:
    """Return the names of the attributes that a class statement defines."""
    found: set[str] = set()
    for part in node.body:
        if isinstance(part, ast.Assign):
            found |= {target.id for target in part.targets if isinstance(target, ast.Name)}
        elif isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
            found.add(part.target.id)
        elif isinstance(part, ast.FunctionDef):
            found.add(part.name)
    return found


def _texts(filename: str) -> list[str]:
    """Return the text of a file or cell; of `%%time` all cells, the newest first."""
    lines = linecache.getlines(filename)
    texts = ["".join(lines)] if lines else _timed_cells() if filename == _TIMED else []
    if not texts:
        raise CarryError("its source cannot be found")
    return texts


def _timed_cells() -> list[str]:
    """Return the texts below `%%time`, which IPython compiles under one name and does not keep."""
    found = []
    for entry in reversed(list(linecache.cache.values())):
        text = "".join(entry[2]) if len(entry) == 4 and entry[1] is None else ""
        if "run_cell_magic('time'" in text:
            calls = (node for node in ast.walk(_parsed(text)) if isinstance(node, ast.Call))
            bodies = (call.args[2] for call in calls if len(call.args) == 3)
            found += [str(each.value) for each in bodies if isinstance(each, ast.Constant)]
    return found


def _parsed(text: str) -> ast.AST:
    try:
        return ast.parse(text)
    except SyntaxError as error:
        raise CarryError("its source has changed since it was defined") from error


def _first_line(node: Any) -> int:
    lines: list[int] = [node.lineno, *(decorator.lineno for decorator in node.decorator_list)]
    return min(lines)


def _segment(text: str, node: Any) -> str:
    lines = text.splitlines(keepends=True)
    return textwrap.dedent("".join(lines[_first_line(node) - 1 : node.end_lineno]))


def _module_of(value: Any) -> str:
    return getattr(value, "__module__", None) or type(value).__module__
