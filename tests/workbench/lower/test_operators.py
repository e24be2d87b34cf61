"""Every operator of torch's own database: lowered it agrees, or it says that it runs in torch."""

from __future__ import annotations

import pytest
import torch
from opdb import MODELS_HAVE, judge, operators, samples

from workbench.capture import capture
from workbench.lower import LowerError, lower

# Operators that are about memory, or about layouts that Paddle's tensors do not have.
EXCEPTIONS = {
    "as_strided/partial_views": "reads torch's memory beside the tensor it is given",
    "sparse.mm/reduce": "its input is sparse, which DLPack cannot carry",
    "sparse.sampled_addmm": "its input is sparse, which DLPack cannot carry",
}
SHARES = 20


def test_the_names_are_torchs() -> None:
    assert not set(MODELS_HAVE) - operators().keys()


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", MODELS_HAVE)
def test_it_agrees_or_runs_in_torch(name: str) -> None:
    assert not _wrong(name)


# Their names are known only once the database is imported, which takes seconds.
@pytest.mark.thorough
@pytest.mark.parametrize("share", range(SHARES))
def test_so_does_every_other(share: int) -> None:
    names = sorted(operators().keys() - {*MODELS_HAVE, *EXCEPTIONS})[share::SHARES]
    assert {name: why for name in names if (why := _wrong(name))} == {}


def _wrong(name: str) -> str:
    """Why an operator neither agrees nor runs in torch; empty where it does."""
    operator = operators()[name]
    if torch.float32 not in operator.supported_dtypes("cpu"):
        return ""
    *_, sample = samples(operator, torch.float32, 2)  # its first ones are the plain ones
    verdict = judge(sample)
    return "" if verdict.kind in ("equal", "torch", "skip") else verdict.reason or verdict.kind


def test_a_value_that_cannot_be_passed_is_refused_where_it_is_made() -> None:
    """complex32 and sparse results: DLPack carries them into no Paddle tensor."""
    message = r"test_operators.py:\d+: the result of .* cannot be passed between the frameworks"
    for function in (lambda x: x.chalf(), lambda x: x.to_sparse()):
        with pytest.raises(LowerError, match=message):
            lower(capture(function, torch.ones(2, 2)))
