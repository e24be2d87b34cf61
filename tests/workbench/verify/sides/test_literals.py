"""The line that defines a value that another line uses; it is reported instead of the use."""

from __future__ import annotations

from pathlib import Path

from workbench.verify.sides.literals import (
    is_repeated,
    line_between,
    line_of_row,
    line_of_value,
    other_argument,
)
from workbench.verify.sides.places import Place

SOURCE = """\
EPS = 1e-3
ROWS = [
    (8, 1),
    (12, 2),
]


class Net:
    def __init__(self, rate=0.1, slope=0.2):
        self.norm = Norm(8, epsilon=EPS)
        self.drop = Drop(rate)
        self.blocks = [Block(*row) for row in ROWS]
        self.adam = Adam(
            parameters=(),
            weight_decay=0.05,
        )


net = Net(slope=0.3)
parser.add_argument("--max-norm", default=2.0)
clip(net, args.max_norm)
"""


def _line(tmp_path: Path, line: int, value: float) -> int | None:
    file = tmp_path / "port.py"
    file.write_text(SOURCE)
    found = line_of_value(Place(str(file), line), value)
    return found.line if found else None


def test_a_value_is_reported_where_it_is_written(tmp_path: Path) -> None:
    assert _line(tmp_path, 10, 1e-3) == 1  # a constant
    assert _line(tmp_path, 11, 0.1) == 9  # the default of a parameter
    assert _line(tmp_path, 13, 0.05) == 15  # an argument of a call over several lines
    assert _line(tmp_path, 21, 2.0) == 20  # an option of the command line
    assert _line(tmp_path, 10, 7.0) is None


def test_a_part_of_a_loop_is_reported_at_its_row(tmp_path: Path) -> None:
    file = tmp_path / "port.py"
    file.write_text(SOURCE)
    assert line_of_row(Place(str(file), 12), 1) == Place(str(file), 4)
    assert line_of_row(Place(str(file), 10), 1) is None


def test_an_argument_that_two_calls_write_otherwise(tmp_path: Path) -> None:
    file, other = tmp_path / "port.py", tmp_path / "original.py"
    file.write_text("y = resize(\n    x,\n    factor=2,\n    corners=False,\n)\n")
    other.write_text("y = torch.resize(x, factor=2, corners=True, size=None)\n")
    found = other_argument(Place(str(file), 1), Place(str(other), 1))
    assert found is not None
    assert (found[0].line, found[1]) == (4, "corners is False in the port and True in the original")
    assert other_argument(Place(str(file), 1), Place(str(file), 1)) is None


def test_the_line_between_two_that_names_a_word(tmp_path: Path) -> None:
    file = tmp_path / "port.py"
    file.write_text("loss.backward()\nprint(loss)\nclip_grad(net)\noptimizer.step()\n")
    first, last = Place(str(file), 1), Place(str(file), 4)
    assert line_between(first, last, "grad") == Place(str(file), 3)
    assert line_between(last, first, "grad") is None


def test_repeated_statements_of_a_loop(tmp_path: Path) -> None:
    file = tmp_path / "port.py"
    file.write_text("a = Block(1)\nb = [\n    Block(n)\n    for n in range(2)\n]\n")
    assert [is_repeated(Place(str(file), line)) for line in (1, 3)] == [False, True]
