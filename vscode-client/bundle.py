"""Puts into the extension what it brings along: the language server, and Netron's page.

    python bundle.py

fills `bundled/`: `python/` holds the server and what it needs, to be run by CPython 3.11 to 3.14 on
the platform that this runs on; `netron/` holds the files of Netron that a graph needs.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import tempfile
import zipfile
from importlib.metadata import version
from pathlib import Path

from jupyter_ext.netron_handler import VIEW, plain_brackets

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
# Packages that the server imports, without the frameworks and the command line.
PURE = ("attrs", "cattrs", "lsprotocol", "pygls", "typing_extensions")
# Its compiled part comes once for each Python; the file names tell them apart.
COMPILED = "libcst"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
OURS = ("workbench", "lsp_server")
NETRON = (
    *("base.js", "browser.js", "dagre.js", "grapher.css", "grapher.js", "index.html", "json.js"),
    *("message.js", "text.js", "view.js", "zip.js"),
)


def main() -> None:
    """Fill the folder again; earlier downloads are kept while they are current."""
    wheels = HERE / "bundled" / "wheels"
    wanted = "\n".join(f"{name}=={version(name)}" for name in (*PURE, COMPILED))
    stamp = wheels / "wanted.txt"
    if not stamp.exists() or stamp.read_text() != wanted:
        shutil.rmtree(wheels, ignore_errors=True)
        _fetch(wheels)
        stamp.write_text(wanted)
    with tempfile.TemporaryDirectory(dir=HERE, prefix=".bundled-") as made:
        for name, fill in (("python", _server), ("netron", _netron)):
            fill(Path(made) / name)
            shutil.rmtree(HERE / "bundled" / name, ignore_errors=True)
            (Path(made) / name).rename(HERE / "bundled" / name)
    files = [file for name in ("python", "netron") for file in (HERE / "bundled" / name).rglob("*")]
    size = sum(file.stat().st_size for file in files if file.is_file())
    print(f"bundled: {size / 2**20:.1f} MB")


def _fetch(folder: Path) -> None:
    folder.mkdir(parents=True)
    _download(folder, [f"{name}=={version(name)}" for name in PURE])
    for python in PYTHONS:
        _download(folder, [f"{COMPILED}=={version(COMPILED)}"], f"--python-version={python}")


def _server(folder: Path) -> None:
    folder.mkdir()
    for name in OURS:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    # The pages that findings link to.
    docs = folder / "docs"
    shutil.copytree(ROOT / "docs" / "coverage", docs / "coverage")
    (docs / "editors").mkdir()
    shutil.copy(ROOT / "docs" / "editors" / "findings.md", docs / "editors")
    for wheel in sorted((HERE / "bundled" / "wheels").glob("*.whl")):
        with zipfile.ZipFile(wheel) as archive:
            names = [name for name in archive.namelist() if not _is_idle(name)]
            archive.extractall(folder, names)


def _is_idle(name: str) -> bool:
    """Whether the server never reads a file of a wheel."""
    return name.startswith(("libcst/tests/", "libcst/codemod/", "libcst/_nodes/tests/"))


def _download(folder: Path, wanted: list[str], *options: str) -> None:
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"),
            *("--no-deps", "--only-binary=:all:", "--dest", folder, *options, *wanted),
        ],
        check=True,
    )


def _netron(folder: Path) -> None:
    found = importlib.util.find_spec("netron")
    if found is None or found.origin is None:
        sys.exit("Netron is not installed here; run: pip install 'torchferry[lab]'")
    folder.mkdir()
    package = Path(found.origin).parent
    for name in NETRON:
        shutil.copy(package / name, folder)
    view = folder / VIEW
    view.write_text(plain_brackets(view.read_text(encoding="utf-8")), encoding="utf-8")
    for licence in package.parent.glob("netron-*.dist-info/licenses/LICENSE"):
        shutil.copy(licence, folder)


if __name__ == "__main__":
    main()
