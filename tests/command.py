"""The `torchferry` command in this process, for tests that do not need a separate one."""

from __future__ import annotations

import contextlib
import logging
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from click.testing import CliRunner

from workbench.cli import main
from workbench.commands import options


@dataclass(frozen=True)
class Done:
    """The result of a command, with the names of `subprocess.CompletedProcess`."""

    returncode: int
    stdout: str
    stderr: str


def torchferry(*arguments: object, cwd: Path | None = None, stdin: str | None = None) -> Done:
    """Run the entry point of the command with these arguments, without starting a process.

    Work that a command gives to a watched process is done here as well.

    Args:
        arguments: what stands behind `torchferry`.
        cwd: the working folder of the command.
        stdin: what it reads from standard input.
    """
    code = 0
    with (
        contextlib.chdir(cwd or Path.cwd()),
        mock.patch.object(sys, "argv", ["torchferry", *map(str, arguments)]),
        mock.patch("workbench.cli.listen"),  # the signals of the tests stay as they are
        mock.patch("workbench.cli.keep_all"),  # the process goes on
        mock.patch.object(options, "watched", _here),
        mock.patch.object(logging.getLogger(), "handlers", []),  # warnings go to standard error
        CliRunner().isolation(stdin) as (stdout, stderr, _),
    ):
        try:
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
        sys.stdout.flush()
    return Done(code, stdout.getvalue().decode(), stderr.getvalue().decode())


def _here(work: Callable[..., Any], *args: Any, patience: float) -> Any:
    return work(*args, lambda what: None)
