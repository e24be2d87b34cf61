"""Elements by their places, in JAX."""

from __future__ import annotations

import pytest

from tests.workbench.targets.jax.source import HEAD, assert_same, refused, written
from workbench.convert.conversion import convert

pytestmark = pytest.mark.usefixtures("narrow")
_READS = {
    "a list that grows": """
        def picked(x: torch.Tensor):
            places = [2]
            places.append(int(x[places].sum()) - 8)
            return x[places]

        print(picked(torch.arange(6.0).reshape(3, 2)).sum().item())
        """,
    "a list that may be empty": """
        x = torch.ones(3, 2)
        places = [i for i in range(3) if i > 5]
        print(x[places].shape)
        """,
    "truth values": """
        x = torch.arange(3.0)
        keep = [True, False, True]
        print(x[keep].sum().item(), x[[False, False, True]].sum().item())
        """,
    "lists from calls": """
        import random

        x = torch.arange(4.0)
        random.seed(0)
        print(x[random.sample(range(4), 2)].sum().item())
        print(x[sorted([3, 1])].sum().item(), x[list(range(1, 3))].sum().item())
        print(x[range(2, 4)].sum().item())
        """,
    "a list within the list": """
        x = torch.arange(6.0).reshape(3, 2)
        print(x[[torch.arange(2), torch.arange(2)]].sum().item(), x[[[0, 1], [1, 0]]].sum().item())
        """,
    "a list that code of torch computes": """
        x = torch.arange(4.0)
        print(x[[int(one.sum()) for one in torch.ones(2, 3)]].sum().item())
        """,
}


@pytest.mark.parametrize("text", _READS.values(), ids=_READS)
def test_a_list_selects_the_same_elements(text: str) -> None:
    assert_same(text)


def test_an_index_that_is_no_list_stays() -> None:
    code = written("""
        x = torch.arange(6.0).reshape(3, 2)
        for i in range(3):
            print(x[i], x[i, 0], x[1:], x[:, [0, 1]])
        """)
    assert "x[i], x[i, 0], x[1:], x[:, [0, 1]]" in code


def test_paddle_keeps_a_list() -> None:
    text = "x = torch.arange(6.0)\nplaces = [1, 2]\nprint(x[places])\n"
    assert "x[places]" in convert(HEAD + text, target="paddle").code


def test_a_write_to_a_list_of_places_is_refused() -> None:
    reasons = refused("""
        x = torch.zeros(3)
        places = [0, 2]
        x[places] = 1.0
        """)
    assert len(reasons) == 1
    assert "JAX takes no list for places" in reasons[0]
