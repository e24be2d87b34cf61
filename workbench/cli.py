"""The `torchferry` command."""

from __future__ import annotations

import io
import sys
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path

import click

from workbench.errors import TorchferryError
from workbench.garbage import keep_all, no_collection
from workbench.stopping import listen, stoppable
from workbench.terminal import print_message, visible
from workbench.version import __version__
from workbench.words import words

# Each is a function in the module of its name; a run imports only one of them.
_COMMANDS = words(
    "check compare convert explain plan port prove report rules sync trace unwrap verify weights"
)


class _Group(click.Group):
    """Commands that are imported when they are used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*_COMMANDS, *super().list_commands(ctx)])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return super().get_command(ctx, cmd_name)
        with no_collection():  # modules are never freed
            module = import_module(f"workbench.commands.{cmd_name}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            close = get_close_matches(args[0], self.list_commands(ctx), n=1)
            if not close:
                raise
            raise click.UsageError(f"{error.message} Did you mean {close[0]}?", ctx) from None


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="torchferry")
def cli() -> None:
    """Convert PyTorch code to another framework, and prove that it computes the same."""


@cli.command()
@click.option(
    "--log-level",
    type=click.Choice(["debug", "info", "warning", "error"]),
    default="warning",
    show_default=True,
    help="The lowest level of messages that are logged to standard error.",
)
@click.option(
    "--log-file", metavar="FILE", help="Also log to this file, to attach it to a bug report."
)
@click.option("--stdio", is_flag=True, help="Accepted for compatibility, and always in effect.")
def lsp(log_level: str, log_file: str | None, stdio: bool) -> None:
    """Serve the Language Server Protocol on standard input and output."""
    from lsp_server.server import main as serve

    serve(["--log-level", log_level, *([f"--log-file={log_file}"] if log_file else [])])


@cli.command(short_help="Serve agents through the Model Context Protocol.")
@click.option(
    "--root",
    "roots",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="A folder that agents may read. [default: the folders that the client names]",
)
@click.option("--print-skill", is_flag=True, help="Print a skill file for agents, and stop.")
def mcp(roots: tuple[Path, ...], print_skill: bool) -> None:
    """Serve agents through the Model Context Protocol on standard input and output."""
    if print_skill:
        from importlib.resources import files

        click.echo(files("mcp_server").joinpath("skill.md").read_text(encoding="utf-8"), nl=False)
        return
    try:
        from mcp_server.server import main as serve
    except ImportError as error:
        raise TorchferryError(
            f"the protocol's SDK is not installed ({error.name}); run: pip install"
            " 'torchferry[mcp]'"
        ) from error
    serve(roots)


@cli.command(
    context_settings={"ignore_unknown_options": True},
    short_help="Open JupyterLab with Torchferry's panel.",
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def lab(arguments: tuple[str, ...]) -> None:
    """Open JupyterLab with Torchferry's panel.

    ARGUMENTS are passed to JupyterLab.
    """
    try:
        from jupyter_ext.launch import main as launch
    except ImportError as error:
        raise TorchferryError(
            f"JupyterLab is not installed ({error.name}); run: pip install 'torchferry[lab]'"
        ) from error
    sys.exit(launch(list(arguments)))


def main() -> None:
    """Run the command; exit with code 2 after an error that is meant for the user."""
    listen()
    try:
        with stoppable():
            cli(prog_name="torchferry", standalone_mode=False)
    except click.ClickException as error:
        shown = io.StringIO()
        error.show(shown)
        click.echo(visible(shown.getvalue(), "\n"), nl=False, err=True)
        sys.exit(2)
    except TorchferryError as error:
        print_message(error.line)
        sys.exit(2)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        print_message(f"{place}{error.strerror or error}; check the path")
        sys.exit(2)
    finally:
        keep_all()  # everything left ends with the process


if __name__ == "__main__":
    main()
