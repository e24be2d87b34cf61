"""A hook of mkdocs that gives the site of the documentation the layout of the repository.

So every link between documents that holds in the repository holds in the site as well.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
PLACES = (":(glob)*.md", "LICENSE", "docs/*", "bench/wild/*.md", "tests/models/*.md")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Return the paths of documents in git, relative to the root, without the theme's."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *PLACES],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    found = [one for one in files if one.src_dir != config.docs_dir]
    found += [
        File(name, str(ROOT), config.site_dir, config.use_directory_urls)
        for name in listed.stdout.split("\0")
        if name
    ]
    return Files(found)
