"""Session of a namespace and its mirror: cells are converted, run on both sides and compared."""

from __future__ import annotations

import ast
import logging
import re
import types
from collections.abc import Callable, Collection, MutableMapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from statistics import median
from typing import Any

import torch

import workbench
from workbench.compare import devices
from workbench.compare.carry.inside import is_a
from workbench.compare.carry.origin import live_imports
from workbench.compare.carry.own_modules import texts_behind
from workbench.compare.carry.rebuild import calls_of, calls_of_distributions
from workbench.compare.cells import steps as cut
from workbench.compare.cells.alone import run_alone
from workbench.compare.cells.cell import Cell
from workbench.compare.cells.mirror import Mirror
from workbench.compare.cells.options import Options
from workbench.compare.cells.reach import uses_torch
from workbench.compare.cells.shared import Shared
from workbench.compare.cells.snapshot import Snapshot
from workbench.compare.guard import reason
from workbench.compare.result import Comparison, Row, Run
from workbench.convert.notebook.cell import ReadCell, read_cell
from workbench.convert.notebook.live_types import live_type
from workbench.convert.notebook.whole import ConvertedProgram, convert_program
from workbench.errors import TorchferryError
from workbench.targets import DEFAULT, load
from workbench.targets.bridge import Bridge, load_bridge
from workbench.targets.own import aim

_STATE = "state_dict"
_IMPORT = "import torch"
_MADE = re.compile(r"^_made(\d+) = ([^(\n]*)", re.MULTILINE)
log = logging.getLogger(__name__)


class Session:
    """Session of one namespace and one target; its mirror is kept from cell to cell."""

    def __init__(
        self,
        namespace: MutableMapping[str, Any],
        target: str = DEFAULT,
        *,
        earlier: Callable[[], Sequence[str]] = tuple,
        quiet: Callable[[], AbstractContextManager[Any]] = nullcontext,
        rules: Path | None = None,
        style: str | None = None,
        init: str | None = None,
    ) -> None:
        """Create a session.

        Args:
            namespace: the user's namespace.
            target: the target framework.
            earlier: returns the sources before the cell.
            quiet: mutes what the target displays.
            rules: the module of a project's own rules.
            style: the style of converted code.
            init: the framework whose initial distribution new weights follow.
        """
        self.target = target
        self.rules = rules
        self.style, self.init = style, init
        self._earlier = earlier
        self._source = ""  # the cell that is being converted
        self._replaced_by: dict[str, str] = {}
        self._reaches_torch = False  # what the cell reads, or the cell itself
        self._warm = False
        self._converted: ConvertedProgram | None = None
        bridge = load_bridge(target)
        mirror = Mirror(bridge, namespace, self._convert_definition, self._convert_module)
        self._shared = Shared(namespace, mirror, quiet)

    @property
    def namespace(self) -> MutableMapping[str, Any]:
        """The user's namespace."""
        return self._shared.namespace

    @property
    def mirror(self) -> Mirror:
        """The target's namespace."""
        return self._shared.mirror

    @property
    def bridge(self) -> Bridge:
        """The target's bridge."""
        return self._shared.bridge

    # Conversion

    def convert(self, source: str, *, placed: bool = False) -> workbench.Conversion:
        """Convert a cell, given earlier sources and the types of live objects.

        `placed` code is for a cell of the notebook, not for the mirror.
        """
        if self.bridge.by_program:
            return self._convert_program(source)
        read = self._read(source)  # it may clear the mirror
        known = () if placed else self.mirror.known_helpers()
        return read.convert(known_helpers=known, placed=placed)

    def convert_to_show(self, source: str) -> tuple[workbench.Conversion, workbench.Conversion]:
        """Convert a cell for the mirror, and as a port of the notebook has it."""
        if self.bridge.by_program:
            conversion = self._convert_program(source)
            return conversion, conversion
        read = self._read(source)
        known = self.mirror.known_helpers()
        return read.convert(known_helpers=known), read.convert(in_port=True)

    def _convert_program(self, source: str) -> workbench.Conversion:
        """Convert a cell with those above it."""
        names = cut.free_names(ast.parse(source).body)
        earlier = self._earlier()
        self._source = source
        self._converted = convert_program(
            source,
            load(aim(self.target, self.rules, self.style, self.init)),
            earlier=[live_imports(names, self.namespace, [*earlier, source]), *earlier],
            live=self._live(names),
        )
        return self._converted.last.conversion

    def _read(self, source: str) -> ReadCell:
        names = cut.free_names(ast.parse(source).body)
        self._source = source
        torch_in_reach = (
            "torch" in source
            or uses_torch(names, self.namespace)
            or (_defines_functions(source) and any("torch" in text for text in self._earlier()))
        )
        self._reaches_torch = torch_in_reach
        if torch_in_reach:
            self._clear_if_replaced()
        earlier = self._earlier() if torch_in_reach else []
        return read_cell(
            source,
            earlier=[*earlier, live_imports(names, self.namespace, earlier)]
            if torch_in_reach
            else (),
            live=self._live(names) if torch_in_reach else None,
            target=aim(self.target, self.rules, self.style, self.init),
            beside=self._modules() if torch_in_reach else (),
        )

    def _modules(self) -> list[str]:
        """Return the texts of the user's modules that use torch and that live values come from."""
        return texts_behind(list(self.namespace.values()))

    def _program(self) -> list[str]:
        """Return the texts of the program up to the cell that is being converted."""
        return [*self._modules(), *self._earlier(), self._source]

    def _clear_if_replaced(self) -> None:
        """Clear the mirror if this cell replaces torch's classes by others than before.

        A plain layer is used until a cell accesses its weights, a plain optimizer until one
        accesses its groups. Objects of earlier cells are then transferred again.
        """
        now = self._replacements()
        if _STATE in now and _STATE not in self._replaced_by:
            self._replaced_by[_STATE] = self._state_form(self._earlier())
        changed = {name for name, made in now.items() if self._replaced_by.get(name, made) != made}
        if changed:
            self._shared.files.clear()
        if changed == {_STATE}:
            held = (name for name, value in self.namespace.items() if is_a(value, (dict, list)))
            self.mirror.drop(list(held))
        elif changed:
            self.mirror.clear()
        self._replaced_by |= now

    def _replacements(self) -> dict[str, str]:
        """Return the replacements of torch's classes of live values, for the present cell."""
        found: dict[str, str] = {}
        written = "\n".join(self._program())
        calls = [*calls_of(list(self.namespace.values())), *calls_of_distributions(written)]
        with suppress(TorchferryError):
            made = "".join(f"_made{number} = {call}\n" for number, call in enumerate(calls))
            code = self._convert_definition(f"import torch\n{made}", "").code if calls else ""
            found = {
                calls[int(line[1])].partition("(")[0]: line[2] for line in _MADE.finditer(code)
            }
        if "load_state_dict" in self._source:
            found[_STATE] = self._state_form([*self._earlier(), self._source])
        return found

    def _state_form(self, program: Sequence[str]) -> str:
        """Return how these cells of a program save the state of an optimizer."""
        source = "import torch\nmade = torch.optim.SGD([torch.ones(1)], 0.1)\nmade.state_dict()\n"
        own = aim(self.target, self.rules, self.style, self.init)
        code = workbench.convert_cell(source, target=own, beside=program).code
        return code.strip().rpartition("\n")[2]

    def _convert_definition(self, source: str, around: str) -> workbench.Conversion:
        names = cut.free_names(ast.parse(source).body)
        # As in the cell: values are not taken for tensors in a program that has no torch.
        earlier = [around, _IMPORT] if around else [_IMPORT]
        return workbench.convert_cell(
            source,
            earlier=[*earlier, live_imports(names, self.namespace)],
            live=self._live(names),
            known_helpers=self.mirror.known_helpers(),
            target=aim(self.target, self.rules, self.style, self.init),
            beside=self._program(),
        )

    def _convert_module(self, text: str) -> workbench.Conversion:
        own = aim(self.target, self.rules, self.style, self.init)
        return workbench.convert_cell(
            text,
            known_helpers=self.mirror.known_helpers(),
            target=own,
            placed=True,
            beside=self._program(),
        )

    def _live(self, names: Collection[str]) -> dict[str, str]:
        return {
            name: live_type(self.namespace[name])
            for name in names
            if name in self.namespace and name not in ("In", "Out")
        }

    def foreign(self, source: str) -> list[str]:
        """Return names that a cell reads whose values are torch's and differ in the mirror."""
        read: set[str] = set()
        bound: set[str] = set()
        for statement in ast.parse(source).body:
            read |= cut.free_names([statement]) - bound
            bound |= cut.bound_names([statement])
        self.mirror.ensure(read)
        values = ((name, self.namespace.get(name)) for name in sorted(read))
        return [
            name
            for name, value in values
            if not isinstance(value, types.ModuleType)
            and self.mirror.names.get(name, value) is not value
        ]

    def copied(self, name: str, new: str) -> str | None:
        """Return a target statement that copies a torch tensor, or None for other statements.

        A tensor with gradients is not copied: the copy would be cut off from what it came from.
        """
        value: Any = self.namespace.get(name)
        if not is_a(value, torch.Tensor) or value.requires_grad or value.dtype == torch.bfloat16:
            return None
        source = f"import torch\n{new} = torch.from_numpy(_values)\n"
        code = self._convert_definition(source, "").code.strip("\n")
        statement = code.rpartition("\n")[2]
        return statement.replace("_values", f"{name}.cpu().numpy()")

    # Execution

    def run(
        self,
        source: str,
        conversion: workbench.Conversion | None = None,
        *,
        filename: str | None = None,
        options: Options | None = None,
    ) -> Comparison:
        """Run a cell and its conversion side by side and compare them.

        KeyboardInterrupt propagates. The namespace then keeps the changes made so far, as with any
        cell; a repeated cell is undone.

        Raises:
            RepeatError: the cell is to run several times, but its values cannot be restored.
        """
        conversion = conversion or self.convert(source)
        options = options or Options()
        devices.check(self.bridge, options.device, options.target_device or options.device)
        program, converted = self.mirror.program, self._converted
        try:
            if program is not None and converted is not None:
                program.follow(converted)
            cell = Cell(self._shared, source, conversion, filename, options)
        except Exception as error:
            log.debug("a cell was not prepared", exc_info=error)
            return self.alone(source, reason(error), filename=filename, options=options)
        begin = cell.begin
        mirrored = dict(self.mirror.names)
        try:
            if options.repeats < 2:
                comparison = cell.run()
                if program is not None and converted is not None:
                    program.note(converted.last)
                elif program is None and self._reaches_torch:
                    self._replaced_by |= self._replacements()
                comparison.torch.cold = comparison.target.cold = not self._warm
                self._warm = True
                return comparison
            if begin is None or begin.incomplete:
                names = ", ".join(begin.incomplete if begin else ())
                raise RepeatError(f"{names} cannot be restored between runs; omit --repeats")
            return self._repeated(cell, begin, mirrored)
        except KeyboardInterrupt:
            if options.repeats > 1 and begin is not None:
                begin.restore()
            self.mirror.restore(mirrored)
            raise

    def alone(
        self, source: str, why: str, *, filename: str | None = None, options: Options | None = None
    ) -> Comparison:
        """Run torch's side of a cell that cannot be compared, for the given reason."""
        options = options or Options()
        name = self.bridge.name
        runs = Run("torch", options.device), Run(name, options.target_device or options.device)
        unchecked = [Row("cell", same=None, reason=f"not checked: {why}")]
        first = options.first_line
        comparison = Comparison(source, source, name, *runs, rows=unchecked, first_line=first)
        run_alone(comparison, options.executed or source, filename, self.namespace)
        return comparison

    def _repeated(self, first: Cell, begin: Snapshot, mirrored: dict[str, Any]) -> Comparison:
        """Run a cell once to warm up, then as often as requested from the same start.

        The last run's values are kept; the times are medians without the warm-up.
        """
        comparison = first.run(show=False)
        timings: list[tuple[float, float]] = []
        for left in reversed(range(first.options.repeats)):
            if comparison.torch.error or comparison.target.error:
                break
            self._restore(begin, mirrored)
            again = Cell(
                self._shared, first.source, first.conversion, first.torch_file, first.options, begin
            )
            comparison = again.run(show=not left)
            timings.append((comparison.torch.seconds, comparison.target.seconds))
        if timings:
            runs = (comparison.torch, comparison.target)
            for run, taken in zip(runs, zip(*timings, strict=True), strict=True):
                run.seconds, run.repeats = median(taken), len(taken)
        return comparison

    def _restore(self, begin: Snapshot, mirrored: dict[str, Any]) -> None:
        """Restore both namespaces."""
        begin.restore()
        self.mirror.restore(mirrored)


class RepeatError(TorchferryError):
    """A cell cannot run several times from the same start."""


def _defines_functions(source: str) -> bool:
    """Return whether a cell defines functions, which a later cell may give tensors or modules."""
    functions = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    return any(isinstance(node, functions) for node in ast.walk(ast.parse(source)))


__all__ = ["Options", "Session"]
