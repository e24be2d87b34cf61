"""Builds what is released: a wheel and a .vsix, and their hashes.

    python scripts/package.py            fills dist/
    python scripts/package.py --check    builds the last commit twice, in two folders, and compares

Two builds of one commit with the same tools are the same byte for byte: times come from the commit,
through SOURCE_DATE_EPOCH, and access rights from a fixed umask.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SUMS = "SHA256SUMS"


def main() -> int:
    """Build, or build twice and compare; return the exit code."""
    if "--check" in sys.argv[1:]:
        return check()
    build(ROOT, ROOT / "dist")
    print((ROOT / "dist" / SUMS).read_text(), end="")
    return 0


def build(root: Path, dist: Path) -> None:
    """Fill a folder with the wheel and the .vsix of a source tree, and the file of their hashes."""
    os.umask(0o022)
    # zip files cannot store times before 1980
    epoch = (
        os.environ.get("SOURCE_DATE_EPOCH")
        or _git(root, "log", "-1", "--format=%ct")
        or "315532800"
    )
    env = os.environ | {"SOURCE_DATE_EPOCH": epoch}
    shutil.rmtree(dist, ignore_errors=True)
    dist.mkdir(parents=True)
    client = root / "vscode-client"
    npm = shutil.which("npm") or sys.exit("npm is not on the path; install Node 20 or newer")
    for folder, command in (
        (root, [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", dist, root]),
        (client, [sys.executable, "bundle.py"]),
        (client, [npm, "ci", "--no-audit", "--no-fund", "--loglevel=error"]),
        (client, [npm, "run", "--silent", "package", "--", "--out", dist / "torchferry.vsix"]),
    ):
        subprocess.run(command, cwd=folder, env=env, check=True)
    fix_times(dist / "torchferry.vsix", int(epoch))
    made = sorted(file for file in dist.iterdir() if file.suffix in {".whl", ".vsix"})
    lines = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in made]
    (dist / SUMS).write_text("".join(lines))


def fix_times(archive: Path, epoch: int) -> None:
    """Rewrite a zip file with sorted entries and one time, since vsce stores varying ones."""
    moment = time.gmtime(epoch)[:6]
    with zipfile.ZipFile(archive) as old:
        entries = sorted((one.filename, one.external_attr, old.read(one)) for one in old.infolist())
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as new:
        for name, rights, content in entries:
            info = zipfile.ZipInfo(name, moment)
            info.external_attr, info.compress_type = rights, zipfile.ZIP_DEFLATED
            new.writestr(info, content)


def _git(root: Path, *command: str) -> str:
    return subprocess.run(
        ["git", *command], cwd=root, capture_output=True, text=True
    ).stdout.strip()


def check() -> int:
    """Build the last commit in two folders and print how the results differ."""
    with tempfile.TemporaryDirectory(prefix="torchferry-package-") as made:
        commit = _git(ROOT, "rev-parse", "HEAD")
        places = [Path(made) / "one", Path(made) / "another" / "folder"]
        for place in places:
            subprocess.run(["git", "clone", "--quiet", ROOT, place], check=True)
            subprocess.run(["git", "checkout", "--quiet", commit], cwd=place, check=True)
            build(place, place / "dist")
        first, second = ((place / "dist" / SUMS).read_text() for place in places)
        if first == second:
            print(f"two builds are the same:\n{first}", end="")
            return 0
        for file in sorted((places[0] / "dist").glob("*.[wv][hs]*")):
            for line in differing(file, places[1] / "dist" / file.name):
                print(f"{file.name}: {line}")
    return 1


def differing(one: Path, other: Path) -> list[str]:
    """Return the differences of two zip files: entries, their contents or their attributes."""
    with zipfile.ZipFile(one) as left, zipfile.ZipFile(other) as right:
        names = left.namelist(), right.namelist()
        if names[0] != names[1]:
            return [f"only in one: {name}" for name in sorted(set(names[0]) ^ set(names[1]))]
        found = []
        for a, b in zip(left.infolist(), right.infolist(), strict=True):
            if a.CRC != b.CRC:
                found.append(f"{a.filename}: its content")
            elif (a.date_time, a.external_attr) != (b.date_time, b.external_attr):
                found.append(f"{a.filename}: its time or access rights")
    return found


if __name__ == "__main__":
    sys.exit(main())
