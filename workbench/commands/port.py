"""`torchferry port`: convert a notebook into a second one in the same folder."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from workbench.commands import conversion_options as options
from workbench.commands.rules import TRUST_RULES, in_force
from workbench.convert.project.file_job import Order
from workbench.convert.project.notebook_port import EditedPortError, port_notebook, port_place
from workbench.errors import TorchferryError
from workbench.files import NOTEBOOK, check_ending


@click.command(short_help="Convert a notebook into a second one next to it.")
@click.argument("notebook", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The port, in the notebook's folder. [default: NAME_TARGET.ipynb]",
)
@click.option("--force", is_flag=True, help="Overwrite a port that was edited.")
@click.option(
    "--verify",
    is_flag=True,
    help="Run the port, and compare what it shows with the original's saved outputs.",
)
@TRUST_RULES
@options.TARGET
@options.STYLE
@options.INIT
def port(
    notebook: Path,
    output: Path | None,
    force: bool,
    verify: bool,
    trust_rules: bool,
    target: str | None,
    style: str | None,
    init: str | None,
) -> None:
    """Write NAME_TARGET.ipynb next to NAME.ipynb, with converted modules and helpers.

    Modules in its folder that it imports and that use torch are converted to MODULE_TARGET.py.
    No original is changed, and an edited port is not overwritten.

    Exit code 0: every use converted and no output differs; 1: a use remains, or an output differs;
    2: bad input.
    """
    if notebook.suffix != NOTEBOOK:
        raise TorchferryError(
            f"{notebook} is not a notebook; use torchferry convert for other files"
        )
    if output is not None:
        check_ending(output, notebook)
    settings = options.settings_of(notebook, target=target, style=style, init=init)
    own, understood = in_force(settings, trust_rules)
    order = Order(settings.target, settings, helpers=settings.helpers, rules=own)
    code, place = 0, output or port_place(notebook, settings.target)
    try:
        written = port_notebook(notebook, order, place, force=force)
        click.echo(written.summary())
        code = written.report.exit_code
    except EditedPortError as error:
        if not verify:
            raise
        click.echo(f"{error}; the existing port is verified")
    if verify:
        from workbench.verify.notebook import verify_notebook

        click.echo(f"running {place}, cell by cell ...", err=True)
        verified = verify_notebook(notebook, place)
        click.echo(str(verified))
        code = max(code, 0 if verified.agrees else 1)
    sys.exit(code if understood else 2)
