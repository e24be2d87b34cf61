"""Commands that a client can run: preview, conversion, explanations, proofs, a bug report."""

from __future__ import annotations

import platform
import sys
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from lsp_server import logbook, workers
from lsp_server.features.code_actions.offered import resolve
from lsp_server.presentation.hover import finding_at, text
from lsp_server.progress import Progress
from lsp_server.workspace.addresses import path_of
from workbench.proof.recording.facts import rule_page
from workbench.targets import STYLES, packages, specs

if TYPE_CHECKING:
    from lsp_server.service import TorchferryServer
    from lsp_server.session import Session
    from lsp_server.workspace.documents import Document, Program

T = TypeVar("T")

_PACKAGES = ("torchferry", "pygls", "libcst", "torch")
_PROOF_SECONDS = 300


async def preview(session: Session, uri: str) -> dict[str, Any]:
    """Return the whole program converted, as text, with what stays unconverted."""
    return _opened(uri, await session.written(uri, partial(_preview, session)))


async def lines_edit(
    session: Session, uri: str, revision: int, first: int, last: int
) -> types.WorkspaceEdit:
    """Return the edit that converts some lines of a program, which must be as they were."""
    data = {"uri": uri, "revision": revision, "what": "lines", "lines": [first, last]}
    edit = (await resolve(session, types.CodeAction(title="", data=data))).edit
    assert edit is not None
    return edit


async def explain(session: Session, uri: str, line: int, character: int) -> dict[str, Any]:
    """All that is to be said about the finding at a place, in Markdown."""
    return _opened(
        uri,
        await session.about(
            uri, lambda program, document: _explain(session, program, document, line, character)
        ),
    )


def _opened(uri: str, answer: T | None) -> T:
    if answer is None:
        raise workers.failed(f"{uri} is not an open Python file; open it and try again.")
    return answer


def _preview(session: Session, program: Program, document: Document) -> dict[str, Any]:
    conversion = session.convert(program)
    return {
        "code": conversion.code,
        "lines": conversion.line_map,
        "version": document.version,
        "findings": len(conversion.findings),
        "unconverted": len(conversion.unconverted),
    }


def _explain(
    session: Session, program: Program, document: Document, line: int, character: int
) -> dict[str, Any]:
    every = [*session.findings(program), *session.hazards(program)]
    at = session.place(program, document, line, character)
    # The cursor need not be on the name itself: the line's first finding suffices.
    finding = finding_at(every, at) or next(
        (each for each in every if each.range.start.line == at.line), None
    )
    if finding is None:
        raise workers.failed(
            "There is no finding on this line; put the cursor on an underlined name."
        )
    target = session.target(program.uri)
    parts = [f"# {finding.name or finding.code}", text(program, finding, target, linked=False)]
    if finding.name:
        parts.append(rule_page(finding.name, target))
    return {"name": finding.name, "text": "\n\n".join(part for part in parts if part) + "\n"}


async def rules(session: Session, uri: str) -> list[dict[str, Any]]:
    """Return the rules that a program uses and that have cases, each name at its first use."""
    return _opened(uri, await session.about(uri, partial(_rules, session)))


def _rules(session: Session, program: Program, document: Document) -> list[dict[str, Any]]:
    rules = session.target(program.uri).rules
    uses = sorted(session.findings(program), key=lambda each: each.range.start)
    first: dict[str, int] = {}
    for use in uses:
        if not use.name or not use.converts:
            continue
        rule = rules.find(use.name)
        if rule is not None and rule.refusal is None and rule.cases:
            at = program.locate(use.range)
            if at is not None and at.document is document:
                first.setdefault(use.name, at.range.start.line)
    return [{"name": name, "line": line} for name, line in first.items()]


async def convert(server: TorchferryServer, order: Any) -> Any:
    """Convert a file or a folder to another place, in a worker, with progress."""
    match order:
        case {"source": str(source), "destination": str(destination)}:
            report = str(order.get("report") or "")
        case _:
            raise JsonRpcException("Give the source and the destination as URIs.", -32602)
    places = [path_of(source), path_of(destination), path_of(report) if report else Path()]
    if None in places:
        raise JsonRpcException("Source and destination must be on the server's disk.", -32602)
    target, *others = _chosen(server.session)
    arguments = [str(places[0]), str(places[1]), target, str(places[2]) if report else "", *others]
    async with Progress(server, f"Converting {places[0].name if places[0] else ''}") as progress:
        return await workers.run("lsp_server.convert_worker", arguments, tick=progress.report)


def _chosen(session: Session) -> list[str]:
    """Return the user's settings for a worker: target, trust, style and helpers."""
    settings = session.settings
    trust = "trusted" if settings.trusted and settings.loadRules else ""
    return [settings.target, trust, settings.style, settings.helpers]


async def plan(server: TorchferryServer, uri: str) -> Any:
    """Write the plan of a folder's port, in a worker, with progress; return its figures."""
    folder = path_of(uri)
    if folder is None:
        raise JsonRpcException("The folder must be on the server's disk.", -32602)
    async with Progress(server, f"Planning the port of {folder.name}") as progress:
        arguments = [str(folder), *_chosen(server.session)]
        return await workers.run("lsp_server.plan_worker", arguments, tick=progress.report)


async def prove(server: TorchferryServer, name: str) -> Any:
    """Run the cases of one rule on both sides, in the interpreter that the user selected."""
    session = server.session
    settings = session.projects.of("")
    arguments = [name, settings.target, settings.style]
    async with Progress(server, f"Proving {name}") as progress:
        return await workers.run(
            "workbench.proof.one",
            arguments,
            interpreter=session.settings.interpreter,
            tick=progress.report,
            patience=_PROOF_SECONDS,
        )


def aim(session: Session, uri: str) -> dict[str, Any]:
    """Return what a file is converted to, and what else there is to choose from."""
    target = session.target(uri)
    return {
        "title": target.title,
        "version": target.version,
        "style": target.style,
        "targets": specs(),
        "styles": list(STYLES),
    }


def environment() -> dict[str, str | None]:
    """Return the server's environment, without importing packages; None means not installed."""
    found: dict[str, str | None] = {
        "python": platform.python_version(),
        "platform": platform.platform(),
        "executable": sys.executable,
    }
    for name in (*_PACKAGES, *packages()):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = None
    return found


def bug_report(server: TorchferryServer) -> str:
    """Return facts about a fault, in Markdown, without any of the user's code."""
    session = server.session
    client = server.client
    lines = [f"- {name}: {value or 'not installed'}" for name, value in environment().items()]
    if client is not None:
        lines.append(f"- client: {client.name} {client.version or ''}".rstrip())
    settings = ", ".join(f"{name} = {value!r}" for name, value in vars(session.settings).items())
    programs = session.documents.programs()
    counts = [f"{len(program.lines)} lines" for program in programs]
    lines += [
        f"- positions: {session.encoding.kind};"
        f" diagnostics {'pulled' if session.is_asked else 'pushed'}",
        f"- settings: {settings}",
        f"- open: {', '.join(counts) or 'nothing'}",
    ]
    log = "\n".join(logbook.kept()) or "(nothing was logged)"
    return "\n".join(["# Torchferry's language server", "", *lines, "", "```", log, "```", ""])
