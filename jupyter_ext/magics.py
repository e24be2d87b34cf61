"""`%%convert`: a cell in torch, the same cell in another framework, and proof that they agree."""

from __future__ import annotations

import shlex
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from IPython.core.magic import Magics, cell_magic, line_magic, magics_class

from jupyter_ext.errors import ConvertError
from jupyter_ext.options import convert_parser, read_convert
from jupyter_ext.output import Shown, publish
from workbench.compare.result import Comparison, Run
from workbench.errors import SourceError, TorchferryError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from IPython.core.interactiveshell import InteractiveShell

    import workbench
    from jupyter_ext.options import ConvertOptions
    from workbench.compare.session import Session

_last: list[Comparison] = []


def last_comparison() -> Comparison:
    """The comparison of the last `%%convert` cell that ran.

    Raises:
        LookupError: no `%%convert` cell has run yet.
    """
    if not _last:
        raise LookupError("no %%convert cell has run yet")
    return _last[-1]


@magics_class
class ConvertMagics(Magics):
    """The cell magic and the sessions behind it, one per target."""

    def __init__(self, shell: InteractiveShell) -> None:
        super().__init__(shell=shell)
        self._kernel = shell
        self.sessions: dict[str, Session] = {}
        self.sources: list[str] = []

    def remember(self, info: Any) -> None:
        """Note the source of a cell that is about to run: later cells are read in its light."""
        source = getattr(info, "raw_cell", None)
        if isinstance(source, str):
            self.sources.append(source)

    @cell_magic
    def convert(self, line: str, cell: str) -> None:
        """Convert the cell, run it and its conversion side by side, and show where they differ.

        The cell runs in your namespace as if the first line were not there; its conversion runs in
        a mirror namespace that stays alive, so that the next converted cell goes on from it.
        """
        options = read_convert(line)
        source = self._python(cell)
        session = self._session(options.target)
        conversion = self._converted(session, source)
        if options.run:
            comparison = self._run(session, source, conversion, options)
        else:
            comparison = Comparison(
                source,
                conversion.code,
                session.bridge.name,
                Run("torch"),
                Run(session.bridge.name),
                findings=conversion.findings,
                ran=False,
                first_line=2,
            )
        _last[:] = [comparison]
        if options.show:
            publish(Shown(comparison, conversion.line_map, options.show))
        self._raise(comparison)

    @line_magic
    def torchferry(self, line: str) -> None:
        """Show the targets in use, what their mirror namespaces hold, and the devices here.

        `%torchferry` shows; `%torchferry reset` forgets the mirror namespaces.
        """
        from jupyter_ext.status import status

        word = line.strip()
        if word == "reset":
            self.sessions.clear()
        elif word:
            raise ConvertError(f"%torchferry knows reset, and shows its state without; not {word}")
        print(status(self.sessions or {"paddle": self._session("paddle")}))

    def _python(self, cell: str) -> str:
        """The cell as Python: shell escapes and other magics are not part of a comparison."""
        for number, text in enumerate(cell.splitlines(), 2):
            if text.startswith(("%", "!")):
                word = shlex.split(text)[0] if text.strip("%! ") else text
                raise ConvertError(
                    f"line {number}: {word} cannot run on both sides; move it to a cell of its own"
                )
        if not cell.strip():
            raise ConvertError("the cell is empty: there is nothing to convert")
        return cell

    def _session(self, target: str) -> Session:
        from workbench.compare.session import Session

        session = self.sessions.get(target)
        if session is None:
            try:
                session = Session(
                    self._kernel.user_ns, target, earlier=lambda: self.sources[:-1], quiet=_muted
                )
            except TorchferryError as error:
                raise ConvertError(str(error)) from None
            except ImportError as error:
                raise ConvertError(
                    f"{error.name} is not installed here; "
                    f"install it beside torch: pip install 'torchferry[torch,{target}]'"
                ) from None
            self.sessions[target] = session
        return session

    def _converted(self, session: Session, source: str) -> workbench.Conversion:
        try:
            return session.convert(source)
        except SourceError as error:
            raise ConvertError(f"line {error.position.line + 2}: {error}") from None
        except SyntaxError as error:
            raise ConvertError(f"line {(error.lineno or 1) + 1}: {error.msg}") from None
        except TorchferryError as error:
            raise ConvertError(str(error)) from None

    def _run(
        self,
        session: Session,
        source: str,
        conversion: workbench.Conversion,
        options: ConvertOptions,
    ) -> Comparison:
        from workbench.compare.devices import DeviceError
        from workbench.compare.session import Options
        from workbench.compare.tolerance import Tolerance
        from workbench.targets.bridge import CarryError

        filename = self._kernel.compile.cache(source, self._kernel.execution_count, raw_code=source)
        try:
            return session.run(
                source,
                conversion,
                filename=filename,
                options=Options(
                    device=options.device,
                    target_device=options.target_device,
                    tolerance=Tolerance(options.relative, options.absolute),
                    seed=options.seed,
                    first_line=2,
                ),
            )
        except (CarryError, DeviceError) as error:
            raise ConvertError(str(error)) from None

    def _raise(self, comparison: Comparison) -> None:
        """An exception of the user's own code ends the cell as it would have without the magic."""
        error = comparison.torch.values.get("__exception__")
        if error is not None:
            raise error


# What `%%convert?` prints: the text above, and every option.
ConvertMagics.convert.__doc__ = f"{ConvertMagics.convert.__doc__}\n{convert_parser().format_help()}"


@contextmanager
def _muted() -> Iterator[None]:
    """Nothing that the converted side displays or draws reaches the notebook."""
    from IPython.utils.capture import capture_output

    figures = getattr(sys.modules.get("matplotlib._pylab_helpers"), "Gcf", None)
    kept = figures.figs.copy() if figures else None
    with capture_output(stdout=False, stderr=False, display=True):
        try:
            yield
        finally:
            if figures is not None and kept is not None:
                figures.figs.clear()
                figures.figs.update(kept)
