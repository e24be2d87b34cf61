"""The requests and notifications that the server answers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from lsprotocol import types

from lsp_server.connection.protocol import Plain
from lsp_server.features.code_actions.kinds import ACTION_KINDS
from lsp_server.service import TorchferryServer
from lsp_server.settings import WORKSPACE, Settings

PROJECT_FILE = "pyproject.toml"


def make_server() -> TorchferryServer:
    """Return a server that answers all of them."""
    server = TorchferryServer()
    for name, answer in _FEATURES.items():
        server.feature(name, _OPTIONS.get(name))(answer)
    for command, answer in _COMMANDS.items():
        server.command(command)(answer)
    return server


def _is_of_project(ls: TorchferryServer, uri: str) -> bool:
    """Return whether a file decides how the others are checked."""
    return uri.endswith(f"/{PROJECT_FILE}") or ls.session.projects.has_rules(uri)


def _initialize(ls: TorchferryServer, params: types.InitializeParams) -> None:
    ls.client = params.client_info
    settings = Settings.read(params.initialization_options)
    ls.start_with(settings)
    able = params.capabilities.text_document
    if able and able.diagnostic:
        _register_pull(ls, closed_files=settings.diagnosticMode == WORKSPACE)


def _initialized(ls: TorchferryServer, params: types.InitializedParams) -> None:
    asyncio.get_running_loop().call_soon(_begin, ls)


def _configured(ls: TorchferryServer, params: types.DidChangeConfigurationParams) -> None:
    if not params.settings:
        return  # Eglot sends an empty one after its start, in addition to initialization options
    ls.session.configure(Settings.read(params.settings))
    _check_closed_files(ls)


def _files_changed(ls: TorchferryServer, params: types.DidChangeWatchedFilesParams) -> None:
    if any(_is_of_project(ls, change.uri) for change in params.changes):
        ls.session.reread()
    ls.session.files_changed()
    _check_closed_files(ls)


def _folders_changed(ls: TorchferryServer, params: types.DidChangeWorkspaceFoldersParams) -> None:
    ls.session.files_changed()
    _check_closed_files(ls)


def _saved(ls: TorchferryServer, params: types.DidSaveTextDocumentParams) -> None:
    if _is_of_project(ls, params.text_document.uri):
        ls.session.reread()  # for clients that watch no files
    ls.session.files_changed()
    _check_closed_files(ls)


async def _code_actions(
    ls: TorchferryServer, params: types.CodeActionParams
) -> list[types.CodeAction] | None:
    from lsp_server.features.code_actions.offered import offered

    session = ls.session
    answer = session.about if session.resolves_actions else session.written
    return await answer(
        params.text_document.uri,
        lambda program, document: offered(session, program, document, params),
    )


async def _resolve_action(ls: TorchferryServer, params: types.CodeAction) -> types.CodeAction:
    from lsp_server.features.code_actions.offered import resolve

    return await resolve(ls.session, params)


async def _hover_text(ls: TorchferryServer, params: types.HoverParams) -> types.Hover | None:
    if (settings := ls.session.project_file(params.text_document.uri)) is not None:
        from lsp_server.presentation import project_file

        return project_file.hover(settings, ls.session.encoding, params.position)
    return await ls.session.about(
        params.text_document.uri,
        lambda program, document: ls.session.hover(program, document, params.position),
    )


async def _complete(
    ls: TorchferryServer, params: types.CompletionParams
) -> list[types.CompletionItem] | None:
    if (settings := ls.session.project_file(params.text_document.uri)) is not None:
        from lsp_server.presentation import project_file

        return project_file.completions(settings, ls.session.encoding, params.position)
    from lsp_server.features.completion import completions

    return await ls.session.about(
        params.text_document.uri,
        lambda program, document: completions(ls.session, program, document, params.position),
    )


async def _code_lenses(
    ls: TorchferryServer, params: types.CodeLensParams
) -> list[types.CodeLens] | None:
    from lsp_server.features.inline import lenses

    return await ls.session.about(params.text_document.uri, partial(lenses, ls.session))


async def _inlay_hints(
    ls: TorchferryServer, params: types.InlayHintParams
) -> list[types.InlayHint] | None:
    from lsp_server.features.inline import hints

    return await ls.session.about(
        params.text_document.uri,
        lambda program, document: hints(ls.session, program, document, params.range),
    )


async def _preview(ls: TorchferryServer, uri: str) -> dict[str, Any]:
    from lsp_server.features import commands

    return await commands.preview(ls.session, uri)


async def _convert_lines(
    ls: TorchferryServer, uri: str, revision: int, first: int, last: int
) -> None:
    from lsp_server.features import commands

    await ls.apply(await commands.lines_edit(ls.session, uri, revision, first, last))


async def _explain(ls: TorchferryServer, uri: str, line: int, character: int) -> dict[str, Any]:
    from lsp_server.features import commands

    return await commands.explain(ls.session, uri, line, character)


async def _overview(ls: TorchferryServer, uris: Any) -> dict[str, Any]:
    from lsp_server.features.overview import overview

    return await overview(ls, [str(uri) for uri in uris or []])


async def _convert_rows(ls: TorchferryServer, uri: str, places: Any) -> None:
    from lsp_server.features.overview import asked_places, rows_edit

    await ls.apply(await rows_edit(ls.session, uri, asked_places(places)))


async def _convert_cells(ls: TorchferryServer, uri: str, whole: bool) -> str:
    from lsp_server.features.cells import convert_cells

    return await convert_cells(ls, uri, whole)


async def _convert_examples(ls: TorchferryServer, uri: str, version: int, text: str) -> str:
    from lsp_server.features.examples import convert_examples

    return await convert_examples(ls, uri, version, text)


def _models(ls: TorchferryServer, uris: Any) -> list[dict[str, Any]]:
    from lsp_server.features.models import models

    return models(ls.session, [str(uri) for uri in uris or []])


async def _rules(ls: TorchferryServer, uri: str) -> list[dict[str, Any]]:
    from lsp_server.features import commands

    return await commands.rules(ls.session, uri)


async def _convert(ls: TorchferryServer, order: Any) -> Any:
    from lsp_server.features import commands

    return await commands.convert(ls, order)


async def _plan(ls: TorchferryServer, uri: str) -> Any:
    from lsp_server.features import commands

    return await commands.plan(ls, uri)


async def _prove(ls: TorchferryServer, name: str) -> Any:
    from lsp_server.features import commands

    return await commands.prove(ls, name)


def _aim(ls: TorchferryServer, uri: str) -> dict[str, Any]:
    from lsp_server.features import commands

    return commands.aim(ls.session, uri)


def _environment(ls: TorchferryServer) -> dict[str, str | None]:
    from lsp_server.features import commands

    return commands.environment()


def _bug_report(ls: TorchferryServer) -> str:
    from lsp_server.features import commands

    return commands.bug_report(ls)


def _begin(server: TorchferryServer) -> None:
    """Register and warm up after the client has its answer."""
    able = server.client_capabilities.workspace
    watched = able and able.did_change_watched_files
    if watched and watched.dynamic_registration:
        globs = [f"**/{PROJECT_FILE}", "**/*.py"]
        options = types.DidChangeWatchedFilesRegistrationOptions(
            watchers=[types.FileSystemWatcher(glob_pattern=glob) for glob in globs]
        )
        method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
        what = types.Registration(id="torchferry-files", method=method, register_options=options)
        server.client_register_capability(
            types.RegistrationParams([what]), lambda _: server.session.settings_watched()
        )
    server.session.warm_up()
    _check_closed_files(server)


def _check_closed_files(server: TorchferryServer) -> None:
    """Check files that are not open again, where that is wanted."""
    if server.session.settings.diagnosticMode == WORKSPACE or "folders" in vars(server):
        server.folders.changed()


def _register_pull(server: TorchferryServer, *, closed_files: bool) -> None:
    """Answer requests for diagnostics, and offer that only to clients that pull them.

    Cells of a notebook depend on each other, so a client should ask again about the others. Closed
    files are offered only if they are wanted: a client that may ask about them keeps the
    diagnostics of a file whose tab is closed, and waits for that answer.
    """
    options = types.DiagnosticOptions(
        identifier="torchferry", inter_file_dependencies=True, workspace_diagnostics=closed_files
    )

    @server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options)
    async def report(ls: TorchferryServer, params: types.DocumentDiagnosticParams) -> Plain:
        return Plain(await ls.session.report(params.text_document.uri, params.previous_result_id))

    if not closed_files:
        return

    @server.feature(types.WORKSPACE_DIAGNOSTIC)
    async def report_all(ls: TorchferryServer, params: types.WorkspaceDiagnosticParams) -> Plain:
        return Plain(await ls.folders.report(params))


_FEATURES: Mapping[str, Callable[..., Any]] = {
    types.INITIALIZE: _initialize,
    types.INITIALIZED: _initialized,
    types.WORKSPACE_DID_CHANGE_CONFIGURATION: _configured,
    types.WORKSPACE_DID_CHANGE_WATCHED_FILES: _files_changed,
    types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: _folders_changed,
    types.TEXT_DOCUMENT_DID_SAVE: _saved,
    types.TEXT_DOCUMENT_CODE_ACTION: _code_actions,
    types.CODE_ACTION_RESOLVE: _resolve_action,
    types.TEXT_DOCUMENT_HOVER: _hover_text,
    types.TEXT_DOCUMENT_COMPLETION: _complete,
    types.TEXT_DOCUMENT_CODE_LENS: _code_lenses,
    types.TEXT_DOCUMENT_INLAY_HINT: _inlay_hints,
}
_OPTIONS: Mapping[str, Any] = {
    types.TEXT_DOCUMENT_CODE_ACTION: types.CodeActionOptions(
        code_action_kinds=ACTION_KINDS, resolve_provider=True
    ),
    # "#" opens a comment, ":" the order in it, "[" and "," its codes.
    types.TEXT_DOCUMENT_COMPLETION: types.CompletionOptions(
        trigger_characters=["#", ":", "[", ","]
    ),
}
_COMMANDS: Mapping[str, Callable[..., Any]] = {
    "torchferry.server.preview": _preview,
    "torchferry.server.convertLines": _convert_lines,
    "torchferry.server.overview": _overview,
    "torchferry.server.convertRows": _convert_rows,
    "torchferry.server.convertCells": _convert_cells,
    "torchferry.server.convertExamples": _convert_examples,
    "torchferry.server.models": _models,
    "torchferry.server.rules": _rules,
    "torchferry.server.explain": _explain,
    "torchferry.server.convert": _convert,
    "torchferry.server.plan": _plan,
    "torchferry.server.prove": _prove,
    "torchferry.server.aim": _aim,
    "torchferry.server.environment": _environment,
    "torchferry.server.bugReport": _bug_report,
}
