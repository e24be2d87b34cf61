"""Calls that change what Paddle's own names mean are found, with what to do."""

from __future__ import annotations

import pytest

import workbench

SWITCHED = "TF103"


@pytest.mark.parametrize(
    "call",
    [
        "paddle.enable_compat(level=2)",
        "paddle.enable_compat(scope={'triton'}, level=level)",
        "switch(level=2)",
        "paddle.use_compat_guard(enable=True, level=3)",
    ],
)
def test_a_level_above_one_is_warned_of_where_it_is_set(call: str) -> None:
    text = f"import paddle\nfrom paddle import enable_compat as switch\nimport torch\n{call}\n"
    (found,) = (one for one in workbench.convert(text).findings if one.code == SWITCHED)
    assert found.severity == "warning"
    assert found.range.start.line == 3
    assert "remove `level`" in found.message


@pytest.mark.parametrize(
    "call", ["paddle.enable_compat()", "paddle.enable_compat(level=1)", "net.enable(level=2)"]
)
def test_other_calls_are_not(call: str) -> None:
    found = workbench.convert(f"import paddle\nimport torch\n{call}\n").findings
    assert SWITCHED not in {one.code for one in found}
