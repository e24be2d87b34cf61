"""The mirror namespace: the target's values under the same names, kept from cell to cell.

A converted cell computes a name's value, or it is transferred from torch's namespace when a
converted cell first needs it. The fingerprint of torch's value at that time is stored. A value that
has changed since (in a cell that was not converted) is then transferred again.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import linecache
import logging
import types
from collections.abc import Callable, Collection, Mapping, MutableMapping
from itertools import count
from typing import TYPE_CHECKING, Any

import torch

from workbench.compare.carry.carrier import CarriedLog, Carrier
from workbench.compare.carry.fingerprint import fingerprint
from workbench.compare.carry.inside import is_a
from workbench.compare.carry.own_modules import OwnModules, module_behind, own_text
from workbench.compare.carry.pairing import Twins
from workbench.compare.carry.saved_states import saved_by_torch
from workbench.compare.carry.sources import NUMBERS, follow_source
from workbench.compare.cells.program import Program
from workbench.compare.cells.reach import reach
from workbench.compare.cells.steps import bound_names, free_names
from workbench.compare.guard import reason
from workbench.compare.result import Carried
from workbench.targets.bridge import Bridge, CarryError

if TYPE_CHECKING:
    from workbench.convert.conversion import Conversion

# Names that a cell may not use: bookkeeping of interactive shells.
_PRIVATE = {"get_ipython", "exit", "quit", "open"}
_VALUES = (torch.Tensor, torch.nn.Module)
_numbers = count(1)
log = logging.getLogger(__name__)


class Mirror:
    """The target's side of a namespace.

    `convert(source, around)` converts a transferred definition, `convert_module(text)` a module of
    the user's.
    """

    def __init__(
        self,
        bridge: Bridge,
        namespace: MutableMapping[str, Any],
        convert: Callable[[str, str], Conversion],
        convert_module: Callable[[str], Conversion],
    ) -> None:
        self.bridge = bridge
        self.twins = Twins()
        self.names: dict[str, Any] = {
            "__name__": "__main__",
            "__builtins__": builtins,
            **bridge.names(),
        }
        self.helpers: set[str] = set()
        self.partial: dict[str, str] = {}  # definitions that still use torch, and why
        self._theirs = namespace
        self._convert = convert
        self._program = Program(self, namespace) if bridge.by_program else None
        self._own = OwnModules(convert_module, self._helper_values, self._add_helpers)
        self._carrier = Carrier(
            bridge,
            self.twins,
            self._define,
            self._build,
            self._modules,
            self._optimizers,
            self._own.twin,
            self._named,
            self._program.made if self._program else None,
        )
        self._synced: dict[str, object] = {}
        self._agreeing: dict[str, object] = {}  # names that agree but for rounding
        self._uses: dict[str, set[str]] = {}
        self._carrying: list[Carried] = []
        self._under_way: set[str] = set()

    @property
    def log(self) -> CarriedLog:
        """The tensors transferred since the log was last cleared."""
        return self._carrier.log

    @property
    def program(self) -> Program | None:
        """What the mirror has of the cells above, for a target that converts them together."""
        return self._program

    # Names

    def ensure(self, names: Collection[str], known: Collection[str] = ()) -> list[Carried]:
        """Transfer what these names need and the mirror lacks or holds in an old state.

        Names in `known` were computed by the target in this cell and are kept. Returns the
        transfers.
        """
        self._carrying = []
        with self._carrier.round():
            for name in sorted(self.closure(names)):
                if name not in known or name not in self.names:
                    self._ensure(name)
        return self._carrying

    def known_helpers(self) -> set[str]:
        """Return the helper functions of converted code that are defined here."""
        return {name for name in self.helpers if name in self.names}

    def _helper_values(self) -> dict[str, Any]:
        return {name: self.names[name] for name in self.known_helpers()}

    def _add_helpers(self, made: dict[str, Any]) -> None:
        self.names.update(made)
        self.helpers.update(made)

    def in_step(self) -> set[str]:
        """Return the names whose values correspond, as far as is known."""
        return {name for name in self._synced if name in self.names and not self.stale(name)}

    def stale(self, name: str) -> bool:
        """Return whether torch's value of a name has changed since the mirror's was made."""
        if name not in self._theirs:
            return False
        return self._synced.get(name) != fingerprint(self._theirs[name])

    def sync(self, names: Collection[str], uses: Collection[str] = ()) -> None:
        """Record that these names hold corresponding values, made with the names in `uses`."""
        for name in names:
            if name in self._theirs and name in self.names:
                self._synced[name] = fingerprint(self._theirs[name])
            if uses and name not in uses:
                self._uses[name] = set(uses)  # rebound: what an older value used does not matter
            else:
                self._uses.setdefault(name, set()).update(set(uses) - {name})

    def follow_deletions(self) -> None:
        """Remove the names that were deleted in torch's namespace."""
        self.drop([name for name in self._synced if name not in self._theirs])

    def separate_own(self, names: Collection[str]) -> list[Carried]:
        """Remove torch's objects that an import bound here; return the transfers that replace them.

        Definitions of the user's modules are transferred when they are needed.
        """
        shared = [name for name in names if self.names.get(name, self) is self._theirs.get(name)]
        values = {
            name: value
            for name in shared
            if is_a(value := self._theirs[name], _VALUES) or own_text(module_behind(value))
        }
        self.drop(values)
        return self.ensure([name for name, value in values.items() if is_a(value, _VALUES)])

    def drop(self, names: Collection[str]) -> None:
        """Remove names, so that they are transferred again when next needed."""
        for name in names:
            self.names.pop(name, None)
            self._synced.pop(name, None)

    def clear(self) -> None:
        """Remove all values and pairs, so that they are transferred again when next needed."""
        self.names = {name: self.names[name] for name in ("__name__", "__builtins__")}
        self.names.update(self.bridge.names())
        self.twins.clear()
        self._own.clear()
        self.helpers.clear()
        self.partial.clear()
        self._synced.clear()
        self._agreeing.clear()
        self._uses.clear()

    def unsync(self, names: Collection[str], *, agreeing: Collection[str] = ()) -> None:
        """Mark these values as outdated, so that they are updated from torch's when next needed.

        Only rounding moved those in `agreeing`: parts that cannot be updated are kept.
        """
        for name in names:
            self._synced.pop(name, None)
        self._agreeing |= {
            name: fingerprint(self._theirs[name]) for name in agreeing if name in self._theirs
        }

    def restore(self, names: Mapping[str, Any]) -> None:
        """Restore these names; their values are updated from torch's when next needed."""
        self.names.clear()
        self.names.update(names)
        self.unsync(list(self.names))
        for value in list(self._theirs.values()):
            if not is_a(value, (torch.Tensor, torch.nn.Module)):
                self.twins.discard(value)  # to be made again: it may contain values from the cell

    def closure(self, names: Collection[str]) -> set[str]:
        """Return the names and, transitively, the names that their values were made with."""
        found: set[str] = set()
        waiting = list(names)
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += self._uses.get(name, ())
        return found

    def _ensure(self, name: str) -> None:
        if name not in self._theirs or name in _PRIVATE or _is_dunder(name):
            return
        if name in self._under_way or (name in self.names and not self.stale(name)):
            return
        self._under_way.add(name)
        try:
            self._transfer(name)
        finally:
            self._under_way.discard(name)

    def _transfer(self, name: str) -> None:
        value = self._theirs[name]
        if name in self.bridge.names() and value is self.bridge.names()[name]:
            return
        state = fingerprint(value)
        was = name in self.names
        try:
            self.names[name] = self._carrier.carry(value)
        except Exception as error:
            log.debug("%s was not transferred", name, exc_info=error)
            if was and self._agreeing.get(name) == state:
                self.names[name] = self._carrier.renewed(value, self.names[name])
                self._synced[name] = state
                return
            self.names.pop(name, None)
            self._carrying.append(Carried(name, type(value).__name__, reason(error)))
            return
        self._synced[name] = state
        self._uses.setdefault(name, set()).update(reach([name], self._theirs) - {name})
        if _is_worth_reporting(value):
            again = (
                "rounding has moved it" if self._agreeing.get(name) == state else "changed since"
            )
            what = type(value).__name__ + (f", {again}" if was else "")
            self._carrying.append(Carried(name, what))

    def _modules(self) -> list[torch.nn.Module]:
        """Return the outermost modules of torch's namespace."""
        return [value for value in list(self._theirs.values()) if is_a(value, torch.nn.Module)]

    def _named(self, value: Any) -> Any:
        """Return the counterpart of a container or a source of numbers that a variable holds.

        A source follows torch's; a container that has changed since has none.
        """
        for name in list(self._synced):
            if self._theirs.get(name) is value and name in self.names:
                mine = self.names[name]
                if is_a(value, NUMBERS):
                    return mine if follow_source(mine, value) else None
                return None if self.stale(name) else mine
        return None

    def _optimizers(self) -> list[torch.optim.Optimizer]:
        return [
            value for value in list(self._theirs.values()) if is_a(value, torch.optim.Optimizer)
        ]

    def loaded(self, file: Any) -> Any:
        """Return what the target loads from a file or buffer that torch wrote, otherwise None."""
        value = saved_by_torch(file)
        return None if value is None else self._carrier.carry(value)

    # Code

    def execute(self, statements: list[ast.stmt], filename: str, *, result: bool = False) -> object:
        """Run statements in the mirror; with `result`, return the last expression's value."""
        last = statements[-1] if result and statements else None
        if isinstance(last, ast.Expr):
            self._run(statements[:-1], filename)
            code = compile(ast.Expression(last.value), filename, "eval", dont_inherit=True)
            return eval(code, self.names)
        self._run(statements, filename)
        return None

    def _run(self, statements: list[ast.stmt], filename: str) -> None:
        module = ast.Module(statements, [])
        exec(compile(module, filename, "exec", dont_inherit=True), self.names)

    def follow_settings(self, added: list[ast.stmt], filename: str) -> None:
        """Give helper classes that keep settings torch's, also those that are added now."""
        for name, values in self.bridge.torch_settings().items():
            new = [each for each in added if isinstance(each, ast.ClassDef) and each.name == name]
            if new and name not in self.names:
                self.execute(list(new), filename)
                self.helpers.add(name)
            if name in self.names:
                for key, value in values.items():
                    setattr(self.names[name], key, value)

    def _define(self, source: str, around: str, name: str) -> Any:
        """Convert a user's definition, run it here, and return what it defines."""
        if self._program is not None and not name.startswith("_"):
            raise CarryError(f"no cell above defines {name} by itself")
        conversion = self._convert(source, around)
        try:
            tree = self.run_text(conversion.code)
        except Exception as error:
            raise CarryError(f"its converted definition raises {error!r}") from error
        self.helpers.update(conversion.helpers)
        self._uses.setdefault(name, set()).update(free_names(tree.body) - {name})
        if conversion.unconverted:
            self.partial[name] = conversion.unconverted[0].message
        made = self.names[name]
        if name not in self._theirs:
            del self.names[name]
        return made

    def _build(self, text: str, parts: Mapping[str, Any]) -> Any:
        """Convert an expression over torch names and evaluate it here."""
        module = text.partition("(")[0].rpartition(".")[0]
        source = f"import {module}\n_carried = {text}\n"
        conversion = self._convert(source, "")
        if conversion.unconverted:
            raise CarryError(conversion.unconverted[0].message)
        self.helpers.update(conversion.helpers)
        before = {name: self.names[name] for name in parts if name in self.names}
        kept = set(self.names)
        self.names.update(parts)
        try:
            self.run_text(conversion.code)
        except Exception as error:
            raise CarryError(f"the target cannot build {text}: {error}") from error
        finally:
            for name in (*parts, "torch"):
                if name not in kept:
                    self.names.pop(name, None)
            self.names.update(before)
        return self.names.pop("_carried")

    def run_text(self, code: str) -> ast.Module:
        """Run converted text in the mirror, and register its source for tracebacks."""
        filename = f"<converted {next(_numbers)}>"
        keep_source(filename, code)
        tree = ast.parse(code)
        free = {name for name in free_names(tree.body) if not name.startswith("_part")}
        self.need(free & names_read_at_once(code))
        self._run(tree.body, filename)
        self.need(free - bound_names(tree.body))  # definitions may need each other
        return tree

    def need(self, names: Collection[str]) -> None:
        """Transfer what these names need, as part of the transfer of another value."""
        for name in sorted(self.closure(names)):
            self._ensure(name)


def names_read_at_once(code: str) -> set[str]:
    """Return the names that a text reads while it runs, also in class statements."""
    found: set[str] = set()
    waiting = [compile(code, "<text>", "exec", dont_inherit=True)]
    while waiting:
        part = waiting.pop()
        found |= set(part.co_names)
        inner = (each for each in part.co_consts if is_a(each, types.CodeType))
        # Class bodies and comprehensions run with the text; functions and lambdas do not.
        waiting += [each for each in inner if not _is_called_later(each)]
    return found


def _is_called_later(code: types.CodeType) -> bool:
    function = bool(code.co_flags & inspect.CO_OPTIMIZED)
    return function and (code.co_name == "<lambda>" or not code.co_name.startswith("<"))


def keep_source(filename: str, text: str) -> None:
    """Register the source of code without a file for tracebacks and `inspect`."""
    lines = text.splitlines(keepends=True)
    linecache.cache[filename] = (len(text), None, lines, filename)


def _is_worth_reporting(value: object) -> bool:
    """Return whether a transfer is worth reporting: not for numbers, text and functions."""
    plain = (type(None), bool, int, float, complex, str, bytes, types.ModuleType, type)
    return (not isinstance(value, plain) and not callable(value)) or hasattr(value, "parameters")


def _is_dunder(name: str) -> bool:
    """Return whether Python sets a name, such as `__name__`; `__` is an earlier result."""
    return name.startswith("__") and bool(name.strip("_"))
