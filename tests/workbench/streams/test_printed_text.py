"""Texts that both frameworks print, compared up to rounding and what no two runs share."""

from __future__ import annotations

import tempfile

import pytest

from workbench.streams.printed_text import difference

FOLDER = tempfile.gettempdir()


@pytest.mark.parametrize(
    ("ours", "theirs", "alike"),
    [
        ("tmp_s0gbf66/data.csv", "tmpmofh5c8s/data.csv", True),
        ("ckpt_abcd1234", "ckpt_zz_z1234", True),
        ("tmp_s0gbf66/data.csv", "tmpmofh5c8s/other.csv", False),
        ("results/one", "results/two", False),
    ],
)
def test_names_of_temporary_files_are_no_difference(ours: str, theirs: str, alike: bool) -> None:
    gap = difference(f"in {FOLDER}/{ours}", f"in {FOLDER}/{theirs}")
    assert (not gap) == alike
