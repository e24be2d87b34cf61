"""Every operator of torch's own database: lowered it agrees, or it says that it runs in torch."""

from __future__ import annotations

import pytest
import torch
from opdb import judge, operators, samples

# Operators that are about memory, or about layouts that Paddle's tensors do not have.
EXCEPTIONS = {
    "as_strided/partial_views": "reads torch's memory beside the tensor it is given",
    "sparse.mm/reduce": "its input is sparse, which DLPack cannot carry",
    "sparse.sampled_addmm": "its input is sparse, which DLPack cannot carry",
    "to_sparse": "its result is sparse, which DLPack cannot carry",
}
# What differs in a corner; each says so when it runs.
KNOWN = {
    "chalf": "complex32, which DLPack does not carry into Paddle: it raises",
    "nn.functional.binary_cross_entropy_with_logits": "log_sigmoid rounds 1.1 times as much as "
    "float32 explains",
    "tensor_split": "a sample splits into no parts at all: an island without a result",
    "nn.functional.unfold": "Paddle gives a part of an empty tensor a wrong shape: it raises",
}
QUICK = (
    "add",
    "mul",
    "nn.functional.conv2d",
    "nn.functional.pad/constant",
    "max/reduction_with_dim",
)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "name" in metafunc.fixturenames:
        metafunc.parametrize(
            "name",
            [
                pytest.param(name, marks=_marks(name))
                for name in operators()
                if name not in EXCEPTIONS
            ],
        )


def _marks(name: str) -> list[pytest.MarkDecorator]:
    marks = [] if name in QUICK else [pytest.mark.slow]
    return [*marks, pytest.mark.xfail(reason=KNOWN[name], strict=True)] if name in KNOWN else marks


def test_it_agrees_or_runs_in_torch(name: str) -> None:
    operator = operators()[name]
    if torch.float32 not in operator.supported_dtypes("cpu"):
        pytest.skip("has no float32 form")
    for sample in samples(operator, torch.float32, 2):
        verdict = judge(sample)
        assert verdict.kind in ("equal", "torch", "skip"), verdict.reason
