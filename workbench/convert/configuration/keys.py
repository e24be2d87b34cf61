"""The keys of `[tool.torchferry]`: what each means, and what it may hold.

Editors complete them and show them on hover, and the JSON schema is written from this table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workbench.codes import CODES
from workbench.findings import Severity
from workbench.targets import DEFAULT, INITS, NAMES, STYLES

OFF = "off"
MODULE, INLINE = "module", "inline"
_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}


@dataclass(frozen=True, slots=True)
class Key:
    """A setting.

    Attributes:
        meaning: what it decides.
        example: as it is written.
        schema: what it may hold, as JSON Schema.
        values: the words that it may hold, where these are all.
    """

    meaning: str
    example: str
    schema: Mapping[str, Any]
    values: tuple[str, ...] = ()


def _one_of(meaning: str, *values: str) -> Key:
    return Key(meaning, f'"{values[0]}"', {"type": "string", "enum": list(values)}, values)


KEYS: Mapping[str, Key] = {
    "target": Key(
        "The framework to convert to, optionally with a version.",
        f'"{DEFAULT}"',
        _TEXT | {"default": DEFAULT},
        NAMES,
    ),
    "version": Key("The version of the target.", '"3.3"', _TEXT),
    "style": _one_of(
        "How code is written: as an expert of the target writes it (plain), or with helper"
        " functions that follow torch in every edge case (exact).",
        *STYLES,
    ),
    "init": _one_of(
        "How new weights are initialized: as torch does it, or as the target does it (native).",
        *INITS,
    ),
    "exclude": Key("Globs of files and folders to leave out.", '["third_party"]', _TEXTS),
    "select": Key("The codes to report; all others are hidden.", '["TF2", "TF4"]', _TEXTS),
    "ignore": Key("Codes that are not reported.", '["TF110"]', _TEXTS),
    "per-file-ignores": Key(
        "Codes that are not reported in the files of a glob.",
        '{ "tests/**" = ["TF2"] }',
        {"type": "object", "additionalProperties": _TEXTS},
    ),
    "severities": Key(
        "The severity of a code's findings; off hides them.",
        '{ TF300 = "off" }',
        {
            "type": "object",
            "properties": {
                code: {
                    "description": known.meaning,
                    "type": "string",
                    "enum": [*map(str, Severity), OFF],
                }
                for code, known in CODES.items()
            },
            "additionalProperties": False,
        },
    ),
    "examples": Key(
        "Whether `check` also reads code in docstrings and Markdown files.",
        "true",
        {"type": "boolean"},
        ("true", "false"),
    ),
    "helpers": _one_of(
        "Where helper functions go: into a module next to the code, or into each file.",
        MODULE,
        INLINE,
    ),
    "rules": Key("The project's own rules: a Python file, or a module.", '"tools/rules.py"', _TEXT),
    "models": Key(
        "Models to compare with their conversions or their ports.",
        '{ "model.py:Net" = { inputs = ["2x3x32x32"] } }',
        {"type": "object", "additionalProperties": {"type": "object"}},
    ),
}


def schema() -> dict[str, Any]:
    """Return the JSON schema of `[tool.torchferry]`."""
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Torchferry: [tool.torchferry] in pyproject.toml",
        "type": "object",
        "properties": {
            name: {"description": key.meaning, **key.schema} for name, key in KEYS.items()
        },
        "additionalProperties": False,
    }
