"""Conversion of programs to JAX, and runs of both sides from the same weights."""

from __future__ import annotations

import contextlib
import io
import textwrap
from typing import Any

import numpy as np

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


def printed(code: str) -> list[str]:
    """Return the words that a program prints."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        run(code)
    return out.getvalue().replace("torch.Size([", "(").replace("])", ")").split()


def assert_same(text: str) -> str:
    """Check that a program prints the same on both sides, and return its code for JAX."""
    code = written(text)
    ours, theirs = printed(code), printed(HEAD + textwrap.dedent(text))
    assert len(ours) == len(theirs) > 0
    for one, other in zip(ours, theirs, strict=True):
        try:
            mine, torchs = float(one.strip("[](),")), float(other.strip("[](),"))
        except ValueError:
            assert one == other
        else:
            np.testing.assert_allclose(mine, torchs, 1e-3, 1e-6)
    return code
