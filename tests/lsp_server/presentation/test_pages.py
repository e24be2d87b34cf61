"""The pages that findings link to."""

from __future__ import annotations

from lsp_server.presentation.pages import page_of


def test_every_finding_has_a_page_at_its_line() -> None:
    for name, code in (("torch.abs", "TF100"), ("transformers", "TF400"), (None, "TF102")):
        page = page_of(name, code)
        assert page is not None and "#L" in page
    assert "findings.md" in str(page_of("transformers", "TF400"))
