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


def test_the_names_are_torchs() -> None:
    assert not set(MODELS_HAVE) - operators().keys()


@pytest.mark.parametrize("name", MODELS_HAVE)
def test_it_agrees_or_runs_in_torch(name: str) -> None:
    _judge(name)


@pytest.mark.thorough
@pytest.mark.parametrize("name", sorted(operators().keys() - {*MODELS_HAVE, *EXCEPTIONS}))
def test_so_does_every_other(name: str) -> None:
    _judge(name)


def _judge(name: str) -> None:
    operator = operators()[name]
    if torch.float32 not in operator.supported_dtypes("cpu"):
        pytest.skip("has no float32 form")
    *_, sample = samples(operator, torch.float32, 2)  # its first ones are the plain ones
    verdict = judge(sample)
    assert verdict.kind in ("equal", "torch", "skip"), verdict.reason


def test_what_cannot_be_handed_over_is_refused_where_it_is_made() -> None:
    """complex32 and sparse results: DLPack carries them into no Paddle tensor."""
    told = r"test_operators.py:\d+: the result of .* cannot be handed over"
    for function in (lambda x: x.chalf(), lambda x: x.to_sparse()):
        with pytest.raises(LowerError, match=told):
            lower(capture(function, torch.ones(2, 2)))
