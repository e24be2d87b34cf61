"""The tiers of the tests: what each needs and which files it holds.

    python -m tests.tiers unit     prints the paths of a tier, for pytest

A path belongs to the tier with the longest entry that it starts with; every other path belongs to
`frameworks`. The tier `thorough` holds single tests, marked as such; `make test` leaves it out.
"""

from __future__ import annotations

import sys
from typing import Final

UNIT: Final = "unit"
PROCESSES: Final = "processes"
FRAMEWORKS: Final = "frameworks"
BROWSER: Final = "browser"
EDITOR: Final = "editor"
DEFAULT: Final = FRAMEWORKS

NEEDS: Final = {
    UNIT: "neither a framework nor a browser",
    PROCESSES: "the language server, workers and hooks as processes; no framework",
    FRAMEWORKS: "torch and a target, in process",
    "proof": "torch and a target: the cases of changed rules, and a rotating share of all",
    BROWSER: "JupyterLab in a real browser",
    EDITOR: "VS Code in a real browser",
    "thorough": "minutes for each file: left out of make test",
}

# One test in so many of a tier's files runs in `make test`, another one for each commit.
SHARES: Final = {BROWSER: 2, EDITOR: 3}

PATHS: Final = {
    UNIT: (
        "tests/docs",
        "tests/test_workflows.py",
        "tests/torchferry",
        "tests/workbench/convert",
        "tests/workbench/rules",
        "tests/workbench/source",
    ),
    PROCESSES: (
        "tests/docs/test_ci_recipes.py",
        "tests/lsp_server",
        "tests/vscode_client",
        "tests/workbench/convert/project",
    ),
    FRAMEWORKS: (
        "tests/torchferry/test_pytest_plugin.py",
        "tests/workbench/convert/project/test_project_helpers.py",
        "tests/workbench/convert/rewrite/test_augmented.py",
    ),
    "proof": ("tests/workbench/proof", "tests/workbench/targets/paddle/test_rules.py"),
    BROWSER: ("tests/e2e/jupyterlab", "tests/e2e/test_report_page.py"),
    EDITOR: ("tests/e2e/vscode",),
}


def tier_of(path: str) -> str:
    """Return the tier of a test file, given relative to the repository root with slashes."""
    _, tier = max(
        (
            (len(start), tier)
            for tier, paths in PATHS.items()
            for start in paths
            if path.startswith(start)
        ),
        default=(0, DEFAULT),
    )
    return tier


if __name__ == "__main__":
    print(*(path for tier in sys.argv[1:] for path in PATHS[tier]))
