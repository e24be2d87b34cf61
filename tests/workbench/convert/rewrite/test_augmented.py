"""`x += y` on tensors: torch changes the tensor, and so must what it becomes."""

from __future__ import annotations

import pytest

from tests.workbench import exact
from workbench import convert
from workbench.proof.cases import prove_case


def statement(line: str) -> str:
    source = f"import torch\ndef f(x: torch.Tensor, y: torch.Tensor, n: int):\n    {line}\n"
    return convert(source).code.split("\n")[-2].strip()


def test_the_tensor_itself_changes() -> None:
    assert "+=" not in statement("x += y")
    assert statement("x += torch.exp(y)  # why").endswith("# why")
    assert "paddle.exp(y)" in statement("x += torch.exp(y)")


@pytest.mark.parametrize("line", ["n += 1", "x[0] += y", "n += x.shape[0]"])
def test_numbers_and_items_are_left_as_they_are(line: str) -> None:
    assert statement(line) == line


@pytest.mark.parametrize("operator", ["+", "-", "*", "/", "//", "%", "**"])
def test_another_name_of_the_tensor_sees_the_change(operator: str) -> None:
    for value in ("2", "2.5", "p"):
        case = f"b = p.clone()\nalias = b\nb {operator}= {value}\nr = alias"
        result = prove_case("augmented", case)
        assert result.problem is None, f"{value}: {result.problem}\n{result.converted}"


def test_a_step_of_gradient_descent_by_hand() -> None:
    case = (
        "(w * w).sum().backward()\nkept = w\nwith torch.no_grad():\n    w -= 0.1 * w.grad\n"
        "    w.grad.zero_()\n(w * 3).sum().backward()\ng = kept.grad\nr = kept.detach()"
    )
    result = prove_case("augmented", case, target=exact.TARGET)
    assert result.problem is None, f"{result.problem}\n{result.converted}"


@pytest.mark.parametrize(
    "case",
    [
        "b = p.clone()\nheld = [b, x]\nheld[0] += 1\nheld[0] *= 2.5\nheld[0] -= y\nr = b",
        "b = p.clone()\nheld = {'b': b}\nheld['b'] /= 2\nheld['b'] += i\nr = b",
        "t = w * 2\nheld = [t]\nheld[0] *= p\nt.sum().backward()\ng = w.grad",
        "b = p.clone()\nheld = (b,)\nheld[0].mul_(2)\nheld[0].zero_()\nr = b",
        "b = p.clone()\nheld = dict(b=b)\nheld['b'] += 1\nmore = {**held}\nmore['b'] *= 2\nr = b",
        "from collections import OrderedDict\nb = p.clone()\nheld = OrderedDict([('b', b)])\n"
        "held['b'] -= 1\nr = b",
        "b = p.clone()\nheld = {'b': [b]}\nrow = held['b']\nrow[0].fill_(3)\nr = b",
    ],
)
def test_items_of_a_list_or_a_mapping_change_in_place(case: str) -> None:
    result = prove_case("augmented", case)
    assert result.problem is None, f"{result.problem}\n{result.converted}"


def test_counts_in_a_mapping_that_holds_tensors_too_are_left_as_they_are() -> None:
    source = "import torch\nstate = {'n': 0, 'mean': torch.zeros(2)}\nstate['n'] += 1\n"
    assert convert(source).code.endswith("state['n'] += 1\n")
