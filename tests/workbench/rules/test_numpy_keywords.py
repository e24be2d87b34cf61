"""torch's functions take numpy's names of a few parameters; a conversion knows them as well."""

import pytest

import workbench
from workbench.targets import STYLES


def converted(line: str, style: str) -> str:
    source = f"import torch\nx = torch.ones(2, 3)\n{line}\n"
    return workbench.convert(source, style=style).code.splitlines()[-1]


def test_axis_and_keepdims_mean_dim_and_keepdim() -> None:
    named = converted("t = torch.sum(x, dim=1, keepdim=True)", "exact")
    assert converted("t = torch.sum(x, axis=1, keepdims=True)", "exact") == named
    assert converted("t = torch.sum(x, axis=1, keepdims=True)", "plain") == (
        "t = paddle.sum(x, axis=1, keepdim=True)"
    )


def test_method_takes_axis() -> None:
    assert converted("t = x.sum(axis=0)", "exact") == converted("t = x.sum(dim=0)", "exact")
    assert converted("t = x.sum(axis=0)", "plain") == "t = paddle.sum(x, axis=0)"


@pytest.mark.parametrize("style", STYLES)
def test_both_names_at_once_fit_no_signature(style: str) -> None:
    assert "torch.sum" in converted("t = torch.sum(x, dim=1, axis=1)", style)
