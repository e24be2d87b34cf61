"""Findings as the protocol's diagnostics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from workbench.findings import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lsp_server.documents import Document, Program
    from lsp_server.encoding import Encoding

SOURCE = "torchferry"

_SEVERITY = {
    Severity.HINT: types.DiagnosticSeverity.Hint.value,
    Severity.INFORMATION: types.DiagnosticSeverity.Information.value,
    Severity.WARNING: types.DiagnosticSeverity.Warning.value,
    Severity.ERROR: types.DiagnosticSeverity.Error.value,
}


def diagnostics(
    program: Program, findings: Iterable[Finding], encoding: Encoding
) -> list[tuple[Document, list[dict[str, Any]]]]:
    """The diagnostics of every document of a program, those without any included."""
    lists: dict[str, list[dict[str, Any]]] = {document.uri: [] for document in program.documents}
    for finding in findings:
        if place := program.locate(finding.range):
            where = encoding.encode_range_plainly(place.document.lines, place.range)
            lists[place.document.uri].append(_diagnostic(finding, where))
    return [(document, lists[document.uri]) for document in program.documents]


def _diagnostic(finding: Finding, where: dict[str, Any]) -> dict[str, Any]:
    return {
        "range": where,
        "severity": _SEVERITY[finding.severity],
        "code": finding.code,
        "source": SOURCE,
        "message": finding.message,
    }
