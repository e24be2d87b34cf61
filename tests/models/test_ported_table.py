"""The column of `verify` in the table of converted models."""

from __future__ import annotations

from ported_table import HEAD, filled

TABLE = "\n".join(
    [
        "## The plain style",
        "",
        "**2 of 3 are equal.**",
        "",
        *HEAD,
        "| timm/a | equal | | 1e-07 | 1e-07 | 1e-07 | 1e-07 | |",
        "| timm/b | equal | | 1e-07 | 1e-07 | 1e-07 | 1e-07 | |",
        "| timm/c | fails | | nan | 0e+00 | nan | 0e+00 | ValueError |",
        "",
        "## The exact style",
        "",
        "**1 of 1 are equal.**",
        "",
        *HEAD,
        "| timm/a | equal | | 1e-07 | 1e-07 | 1e-07 | 1e-07 | |",
        "",
    ]
)


def test_one_style_is_filled_and_counted() -> None:
    found = filled(TABLE, "plain", {"timm/a": "certified", "timm/c": "gradients: off | by 1"})
    sentence = " Of 2 that `torchferry verify` has judged, 1 are certified."
    expected = TABLE.replace("**2 of 3 are equal.**", f"**2 of 3 are equal.**{sentence}")
    first = "| timm/a | equal | | "
    expected = expected.replace(first, "| timm/a | equal | certified | ", 1)
    expected = expected.replace("fails | |", "fails | gradients: off / by 1 |")
    assert found == expected


def test_earlier_findings_stay_and_count() -> None:
    before = filled(TABLE, "plain", {"timm/a": "certified"})
    found = filled(before, "plain", {"timm/b": "certified"})
    assert "Of 2 that `torchferry verify` has judged, 2 are certified." in found
    assert filled(found, "plain", {}) == found
