"""Writes the JSON schema of `[tool.torchferry]` for editors, from `workbench`'s table of its keys.

python scripts/settings_schema.py
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from workbench.convert.configuration.keys import schema  # noqa: E402

FILE = ROOT / "vscode-client" / "settings.schema.json"


def written() -> str:
    """Return the schema as text for the file."""
    return json.dumps(schema(), indent=2) + "\n"


if __name__ == "__main__":
    FILE.write_text(written(), encoding="utf-8")
