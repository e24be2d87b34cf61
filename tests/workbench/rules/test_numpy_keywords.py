"""torch's functions take numpy's names of a few parameters; a conversion knows them as well."""

import workbench


def converted(line: str) -> str:
    source = f"import torch\nx = torch.ones(2, 3)\n{line}\n"
    return workbench.convert(source).code.splitlines()[-1]


def test_axis_and_keepdims_stand_for_dim_and_keepdim() -> None:
    named = converted("t = torch.sum(x, dim=1, keepdim=True)")
    assert converted("t = torch.sum(x, axis=1, keepdims=True)") == named


def test_method_takes_axis() -> None:
    assert converted("t = x.sum(axis=0)") == converted("t = x.sum(dim=0)")


def test_both_names_at_once_fit_no_signature() -> None:
    assert "torch.sum" in converted("t = torch.sum(x, dim=1, axis=1)")
