"""Runs each fuzz target in a separate process: `python -m tests.fuzz --count 100000`."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

# Fuzz targets: programs, settings, checkpoints, and the language server's messages.
TARGETS = ("convert", "settings", "checkpoints", "protocol")
ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    """Divide the cases over the targets; 1 where one of them found something."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--count", type=int, default=100_000, help="how many cases in all")
    parser.add_argument("--seed", type=int, default=0, help="what they are made from")
    given = parser.parse_args()
    share, rest = divmod(given.count, len(TARGETS))
    failed: list[str] = []
    for index, name in enumerate(TARGETS):
        count = share + (index < rest)
        print(f"{name}: {count:,} cases from seed {given.seed}", flush=True)
        command = [sys.executable, "-m", f"tests.fuzz.{name}", f"--count={count}"]
        if subprocess.run([*command, f"--seed={given.seed}"], cwd=ROOT).returncode:
            failed.append(name)
    print(f"{', '.join(failed)}: see above" if failed else "nothing undocumented")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
