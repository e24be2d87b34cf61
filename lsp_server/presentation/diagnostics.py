"""Findings as the protocol's diagnostics."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from lsp_server.presentation.pages import page_of
from lsp_server.presentation.related import Origins
from workbench.codes import UNUSED
from workbench.findings import Finding, Severity
from workbench.targets import DEFAULT
from workbench.upstream.facts import load

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lsp_server.wire.encoding import Encoding
    from lsp_server.workspace.documents import Document, Program
    from workbench.positions import Range
    from workbench.source.analysis import Analysis

SOURCE = "torchferry"
# The number of a file's diagnostics that an editor underlines, in the order of arrival.
_MOST_SHOWN = 500

_SEVERITY = {
    Severity.HINT: types.DiagnosticSeverity.Hint.value,
    Severity.INFORMATION: types.DiagnosticSeverity.Information.value,
    Severity.WARNING: types.DiagnosticSeverity.Warning.value,
    Severity.ERROR: types.DiagnosticSeverity.Error.value,
}


@dataclass(frozen=True)
class Extras:
    """Optional parts of a diagnostic that the client can show."""

    links: bool
    tags: bool
    related: bool

    @classmethod
    def of(cls, able: types.TextDocumentClientCapabilities | None) -> Extras:
        """Return the abilities that a client declares for diagnostics, pushed or pulled."""
        abilities = [able.diagnostic, able.publish_diagnostics] if able else []
        return cls(
            links=any(each and each.code_description_support for each in abilities),
            tags=any(each and each.tag_support for each in abilities),
            related=any(each and each.related_information for each in abilities),
        )


def diagnostics(
    program: Program,
    findings: Iterable[Finding],
    encoding: Encoding,
    extras: Extras,
    analysis: Analysis | None,
    target: str = DEFAULT,
) -> list[tuple[Document, list[dict[str, Any]]]]:
    """Return the diagnostics of every document of a program, those without any included.

    A notebook whose cells change meanwhile is checked again.
    """
    documents = program.documents
    lists: dict[str, list[dict[str, Any]]] = {document.uri: [] for document in documents}
    origins = Origins(analysis) if analysis and extras.related else None
    for finding in findings:
        place = program.locate(finding.range)
        if place and place.document.uri in lists:
            where = encoding.encode_range_plainly(place.document.lines, place.range)
            made = diagnostic(finding, where, extras, target)
            if origins and (origin := origins.of(finding)):
                made["relatedInformation"] = _related(program, *origin, encoding)
            lists[place.document.uri].append(made)
    for items in lists.values():
        if len(items) > _MOST_SHOWN:
            items.sort(key=lambda item: int(item["severity"]))
    return [(document, lists[document.uri]) for document in documents]


def _related(
    program: Program, where: Range, message: str, encoding: Encoding
) -> list[dict[str, Any]]:
    place = program.locate(where)
    if place is None:
        return []
    shown = encoding.encode_range_plainly(place.document.lines, place.range)
    return [{"location": {"uri": place.document.uri, "range": shown}, "message": message}]


def diagnostic(
    finding: Finding, where: dict[str, Any], extras: Extras, target: str = DEFAULT
) -> dict[str, Any]:
    """Return one finding as it goes over the wire."""
    made: dict[str, Any] = {
        "range": where,
        "severity": _SEVERITY[finding.severity],
        "code": finding.code,
        "source": SOURCE,
        "message": finding.message,
    }
    if extras.links and (page := page_of(finding.name, finding.code, target)):
        made["codeDescription"] = {"href": page}
    if extras.tags and (tag := _tag(finding.name, finding.code)):
        made["tags"] = [tag]
    return made


@cache
def _tag(name: str | None, code: str) -> int | None:
    """Fades what is of no use, and strikes through what torch itself advises against."""
    if code == UNUSED:
        return types.DiagnosticTag.Unnecessary.value
    entry = load().get(name) if name else None
    return types.DiagnosticTag.Deprecated.value if entry and entry.deprecated else None
