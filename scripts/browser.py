"""Finds the Chromium that the browser tests drive; `--install` gets one where there is none.

Order: the one that TORCHFERRY_CHROMIUM names, one on the path, the one that Playwright keeps. To
install, Debian's package comes first where packages may be installed, then Playwright's browser.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
REMEDY = (
    "No Chromium was found for the browser tests. Install one (Debian: apt-get install chromium; "
    "anywhere: python -m playwright install --with-deps chromium), or name one in "
    "TORCHFERRY_CHROMIUM."
)


class BrowserMissingError(RuntimeError):
    """An error for a missing or broken Chromium."""


def find_browser() -> Path:
    """Return the Chromium to use.

    Raises:
        BrowserMissingError: there is none; the message has the remedy.
    """
    named = os.environ.get("TORCHFERRY_CHROMIUM")
    if named:
        if not starts(Path(named)):
            raise BrowserMissingError(f"TORCHFERRY_CHROMIUM names {named}, which does not start.")
        return Path(named)
    for candidate in candidates():
        if starts(candidate):
            return candidate
    raise BrowserMissingError(REMEDY)


def candidates() -> list[Path]:
    """Return paths of possible Chromium programs, in order of preference."""
    found = [Path(path) for name in NAMES if (path := shutil.which(name))]
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found.append(Path(playwright.chromium.executable_path))
    return found


def starts(path: Path) -> bool:
    """Return whether the program is a browser rather than, say, a stub that asks for a snap."""
    try:
        answer = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return answer.returncode == 0 and "chrom" in answer.stdout.lower()


def install() -> Path:
    """Find a browser, or install one."""
    try:
        return find_browser()
    except BrowserMissingError as error:
        print(f"{error}\nInstalling one …", flush=True)
    for steps in (debian_package(), playwright_browser()):
        if all(subprocess.run(step).returncode == 0 for step in steps):
            try:
                return find_browser()
            except BrowserMissingError:
                continue
    raise BrowserMissingError(REMEDY)


def debian_package() -> list[list[str]]:
    """Return the commands that install Debian's chromium, or a failing one if not allowed."""
    if shutil.which("apt-get") is None:
        return [["false"]]
    as_root = [] if os.geteuid() == 0 else ["sudo", "-n"]
    if as_root and shutil.which("sudo") is None:
        return [["false"]]
    quiet = ["apt-get", "-qq", "-o", "Dpkg::Use-Pty=0"]
    return [
        [*as_root, *quiet, "update"],
        [*as_root, *quiet, "install", "-y", "--no-install-recommends", "chromium"],
    ]


def playwright_browser() -> list[list[str]]:
    """Return the commands that install Playwright's own browser."""
    return [[sys.executable, "-m", "playwright", "install", "chromium"]]


def main() -> None:
    try:
        print(f"Browser tests use {install() if '--install' in sys.argv else find_browser()}")
    except BrowserMissingError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
