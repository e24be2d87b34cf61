"""The guide to projects says what the program does."""

from __future__ import annotations

import re
from pathlib import Path

import workbench
from workbench.convert.configuration.settings import read_settings

GUIDE = (Path(__file__).parents[4] / "docs" / "guides" / "projects.md").read_text()


def test_its_settings_are_settings(tmp_path: Path) -> None:
    tables = re.findall(r"```toml\n(.*?)```", GUIDE, re.DOTALL)
    (tmp_path / "pyproject.toml").write_text("\n".join(tables))
    settings = read_settings(tmp_path / "pyproject.toml")
    assert settings is not None
    assert settings.target == "paddle==3.3"
    assert settings.excludes(tmp_path / "x" / "a_pb2.py")
    assert [model.port for model in settings.models] == ["", "ported/train.py:GPT(config)"]


def test_its_comments_are_understood() -> None:
    [block] = re.findall(r"## Leaving something alone\n\n```python\n(.*?)```", GUIDE, re.DOTALL)
    for line in block.splitlines():
        found = workbench.check(f"import torch\n{line}\n")
        assert not [finding for finding in found if finding.code == "TF902"], line
