"""Torchferry in notebooks: `%load_ext jupyter_ext` brings the `%%convert` cell magic."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from workbench.compare import Comparison

__all__ = ["last_comparison", "load_ipython_extension", "unload_ipython_extension"]


def last_comparison() -> Comparison:
    """Return the comparison of the last `%%convert` cell that ran."""
    from jupyter_ext.magics import last_comparison as last

    return last()


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Bring the magics into a shell; loading twice changes nothing."""
    from jupyter_ext.installed import installed_only

    with installed_only():
        from jupyter_ext.completion import install
        from jupyter_ext.magics import ConvertMagics
        from jupyter_ext.verify_magic import VerifyMagics

    if "ConvertMagics" in shell.magics_manager.registry:
        return
    magics = ConvertMagics(shell)
    shell.register_magics(magics, VerifyMagics)
    install(shell)
    shell.events.register("pre_run_cell", magics.remember)


def unload_ipython_extension(shell: InteractiveShell) -> None:
    """Take the magics out again, with the mirror namespaces that they kept."""
    magics = shell.magics_manager.registry.pop("ConvertMagics", None)
    if magics is not None:
        shell.events.unregister("pre_run_cell", magics.remember)
        shell.magics_manager.magics["cell"].pop("convert", None)
        shell.magics_manager.registry.pop("VerifyMagics", None)
        for name in ("torchferry", "convert_notebook", "verify"):
            shell.magics_manager.magics["line"].pop(name, None)
