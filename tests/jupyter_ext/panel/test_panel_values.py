"""The kernel's messages to the panel about the values of a compared cell."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from IPython.core.interactiveshell import InteractiveShell

from jupyter_ext.panel.values import tensor_of, values_of

PARTED = """%%convert --show none
import torch
image = torch.zeros(2, 3, 4)
if 'paddle' in type(image).__module__:
    image[1, 2, 3] = 1
other = image * 2"""


@pytest.fixture
def shell() -> Iterator[InteractiveShell]:
    shell = InteractiveShell.instance()
    shell.reset(new_session=False)
    shell.run_line_magic("load_ext", "jupyter_ext")
    yield shell
    shell.run_line_magic("torchferry", "reset")
    shell.run_line_magic("unload_ext", "jupyter_ext")
    InteractiveShell.clear_instance()


def test_rows_and_a_slice_at_the_largest_difference(shell: InteractiveShell) -> None:
    shell.run_cell(PARTED, cell_id="parted")
    # Later changes by the notebook do not matter.
    shell.run_cell("image += 7")
    found = values_of("parted")
    assert found is not None
    rows = {row["name"]: row for row in found["rows"]}
    assert (rows["image"]["verdict"], rows["image"]["difference"]) == ("different", 1.0)
    assert rows["image"]["held"]
    content, drawn = tensor_of("parted", "image", None)
    assert (content["shape"], content["at"], content["slice"]) == ([2, 3, 4], [1], [3, 4])
    assert content["peak"]["index"] == [1, 2, 3]
    assert (content["peak"]["torch"], content["peak"]["target"]) == ("0", "1")
    ours, theirs, apart = (torch.frombuffer(bytearray(each), dtype=torch.float32) for each in drawn)
    assert (float(ours.max()), float(theirs[11]), float(apart[11])) == (0.0, 1.0, 1.0)


def test_the_tensors_of_the_last_few_cells_are_held(shell: InteractiveShell) -> None:
    for number in range(9):
        code = f"%%convert --show none\nimport torch\nx = torch.ones({number + 1})"
        shell.run_cell(code, cell_id=f"cell{number}")
    assert tensor_of("cell8", "x", None)[0]["shape"] == [9]
    assert values_of("cell0")["rows"][0]["held"] is False  # type: ignore[index]
    with pytest.raises(ValueError, match="run the cell again"):
        tensor_of("cell0", "x", None)


def test_before_it_has_run_a_cell_has_no_values() -> None:
    assert values_of("never") is None
