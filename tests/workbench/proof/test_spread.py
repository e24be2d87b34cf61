"""A spread of torch's databases, run on both sides; `make prove` runs all of them."""

from __future__ import annotations

import pytest

from workbench.proof.jobs import Job, trials
from workbench.proof.snippet import UNREPORTED

_SPREAD = [
    Job("operator", "abs", ("torch.abs",)),
    Job("operator", "cumsum", ("torch.cumsum",)),
    Job("operator", "chunk", ("torch.chunk",)),
    Job("module", "torch.nn.Linear", ("torch.nn.Linear",)),
    Job("optimizer", "torch.optim.SGD", ("torch.optim.SGD",)),
    Job("cases", "torch.stack", ("torch.stack",)),
]


@pytest.mark.one_in(4)
@pytest.mark.timeout(240)
@pytest.mark.parametrize("job", _SPREAD, ids=lambda job: str(job.name))
def test_samples_give_the_same_or_say_why_not(job: Job) -> None:
    results = [run() for _, run in trials(job, "paddle", 0.1)]
    assert any(result.outcome == "equal" for result in results)
    wrong = [
        f"{result.form}: {result.detail}\n{result.source}\n{result.converted}"
        for result in results
        if result.outcome in UNREPORTED
    ]
    assert not wrong, "\n".join(wrong)
