"""Starts the language server. Kept apart from what it is, so that importing this costs nothing."""

from __future__ import annotations

import argparse
import gc
import linecache
import sys
from typing import TYPE_CHECKING

from lsp_server import logbook

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = ()) -> None:
    """Serve on standard input and output; `None` reads options from the command line."""
    options = _parser().parse_args(sys.argv[1:] if arguments is None else arguments)
    logbook.start(options.log_level, options.log_file)
    # Collecting doubles the time of an analysis. The service collects when it is idle.
    gc.disable()
    from lsp_server.connection.transport import serve_stdio
    from lsp_server.requests import make_server

    # attrs keeps the source of the methods that it generates, for tracebacks only.
    linecache.clearcache()
    serve_stdio(make_server().protocol)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m lsp_server", description="Torchferry's language server, on stdio."
    )
    parser.add_argument(
        "--log-level",
        choices=["debug", "info", "warning", "error"],
        default="warning",
        help="lowest level of messages that are logged to standard error (default: warning)",
    )
    parser.add_argument(
        "--log-file", metavar="FILE", help="log to this file as well, to attach to a bug report"
    )
    # Clients of several servers pass it to all of them.
    parser.add_argument(
        "--stdio",
        action="store_true",
        help="accepted for compatibility; the server always uses standard input and output",
    )
    return parser
