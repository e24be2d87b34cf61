"""A file that was converted in part has one spelling of each name at the end."""

from __future__ import annotations

import pytest

from workbench import convert


@pytest.mark.parametrize("name", ["(paddle.float32).view", "((paddle.nn).Linear)", "paddle . nn"])
def test_names_with_brackets_or_spaces_are_left_alone(name: str) -> None:
    text = f"import paddle\nimport paddle.nn as nn\n\nx = {name}\n"
    assert convert(text).code == text
