"""Real code that is installed with the tests.

Code without torch has no findings, and torch's own modules convert soundly. `make wild` runs over
whole packages.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from bench.wild.examining import examine
from workbench import check, convert, files

# None of them uses torch.
WITHOUT = ["rich", "pygments", "jinja2", "networkx", "sympy", "numpy", "jupyter_server", "libcst"]
SOME = 25


def sources(package: str, count: int = SOME) -> list[Path]:
    """Some of a package's files, spread over all of it, the same in every run."""
    found = importlib.util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        pytest.skip(f"{package} is not installed")
    every = sorted(Path(found.submodule_search_locations[0]).rglob("*.py"))
    every = [file for file in every if file.stat().st_size < 60_000]
    return every[:: max(1, len(every) // count)][:count]


@pytest.mark.parametrize("package", WITHOUT)
def test_code_without_torch_has_no_findings(package: str) -> None:
    for file in sources(package):
        text = files.decode(file, file.read_bytes())[0]
        assert check(text) == [], file


@pytest.mark.parametrize("package", ["torch.nn.modules", "torch.optim", "torch.distributions"])
def test_torch_s_own_modules_convert_soundly(package: str) -> None:
    for file in sources(package, 5):
        assert examine(file.read_text(encoding="utf-8")).wrong == [], file


# Receivers that are not tensors, though torch is imported: tensors have such members too.
NOT_TENSORS = """\
import io
import numpy as np
import pandas as pd
import torch

frame = pd.DataFrame({"a": [1, 2]})
column = frame["a"]
means = frame.groupby("a").mean()
total = column.sum() + column.max() - frame.min().abs().cumsum().mean()
frame.index.sort_values().argsort().repeat(2)
values = column.to_numpy().reshape(-1, 1).squeeze().transpose()
array = np.zeros((2, 3))
array = array.reshape(-1).astype(np.float32).sum(axis=0)
more = np.stack([array, array]).mean(axis=1, keepdims=True).view(np.int32)
rows, columns = np.ones((2, 3)).shape
text = "a,b".split(",")
words = ", ".join(text).index("a")
numbers = [1, 2].copy()
numbers.append(3)
table = {"size": 1}.get("size")
table_2 = dict(a=1).copy()
chosen = {1, 2}.add(3)
with open("file") as stream:
    stream.seek(0)
    size = stream.read().count("a")
buffer = io.BytesIO().view if False else None


def norm(frame: pd.DataFrame, array: np.ndarray, text: str) -> float:
    frame = frame.sort_values("a").clip(0, 1).fillna(0).round(2)
    return float(array.dot(array).max()) + frame.sum().max() + len(text.split())
"""


def test_members_of_other_objects_are_left_alone() -> None:
    conversion = convert(NOT_TENSORS)
    expected = NOT_TENSORS.replace("import torch\n", "")
    expected = expected.replace("import pandas", "import paddle\nimport pandas")
    assert conversion.code == expected
    assert [finding for finding in conversion.findings if finding.converts] == []
