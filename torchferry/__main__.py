"""The start of the `torchferry` command, which can be interrupted quietly while it is imported."""

from __future__ import annotations

import signal


def main() -> None:
    """Import the command and run it; `workbench.stopping` then handles the signals."""
    # There is nothing to clean up yet, so the system's default action is right.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from workbench.cli import main as run

    run()


if __name__ == "__main__":
    main()
