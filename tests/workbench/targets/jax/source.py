"""Conversion of programs to JAX, and runs of both sides from the same weights."""

from __future__ import annotations

import textwrap
from typing import Any

from workbench.convert.conversion import convert

HEAD = "import numpy as np\nimport torch\nfrom torch import nn, optim\n"


def written(text: str) -> str:
    """Return the code of a converted text, of which every use converts."""
    conversion = convert(HEAD + textwrap.dedent(text), target="jax")
    assert conversion.unconverted == []
    return conversion.code


def refused(text: str) -> list[str]:
    """Return the reasons for which uses of a text do not convert."""
    conversion = convert(HEAD + textwrap.dedent(text), target="jax")
    return [finding.message for finding in conversion.unconverted]


def run(code: str) -> dict[str, Any]:
    """Return the names that a text binds."""
    names: dict[str, Any] = {"__name__": "program"}
    exec(compile(code, "<program>", "exec"), names)
    return names
