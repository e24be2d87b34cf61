"""Texts of sizes and dtypes that a program keeps."""

from __future__ import annotations

import pytest

import workbench


def _notes(code: str) -> list[str]:
    findings = workbench.convert(f"import torch\nx = torch.ones(2, 3)\n{code}\n").findings
    return [one.message for one in findings if "its text names" in one.message]


@pytest.mark.parametrize(
    "code",
    [
        "label = f'{x.shape}'",
        "label = str(x.size())",
        "label = 'of {}'.format(x.dtype)",
        "label = '%s, %d' % (x.shape, 3)",
        "def f(t: torch.Tensor) -> str:\n    return repr(t.dtype)",
    ],
)
def test_a_text_that_names_the_targets_type_is_reported(code: str) -> None:
    (note,) = _notes(code)
    assert "not torch's" in note


@pytest.mark.parametrize(
    "code",
    [
        "print(f'{x.shape}')",
        "assert x.dim() == 2, f'{x.shape}'",
        "rows = f'{x.shape[0]} of {x.shape.numel()}'",
        "same = str(x.dtype) == 'torch.float32'",
        "short = str(x.dtype).split('.')[-1]",
        "size = x.shape, f'{3 % 2}'",
    ],
)
def test_texts_that_are_printed_compared_or_not_sizes_are_not_reported(code: str) -> None:
    assert not _notes(code)
