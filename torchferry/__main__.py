"""Starts the `torchferry` command, which can be ended quietly while it is still being read."""

from __future__ import annotations

import signal


def main() -> None:
    """Read the command and run it; `workbench.stopping` takes the signals over."""
    # There is nothing to clear up yet, so that the system's own answer is the right one.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from workbench.cli import main as run

    run()


if __name__ == "__main__":
    main()
