"""The message level: lines are counted as Python's grammar counts them, and all is answered.

pygls splits lines as `str.splitlines` does, also at form feeds and U+2028, and applies edits to the
wrong place after one; and it leaves a request that it cannot read without an answer.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method

if TYPE_CHECKING:
    from collections.abc import Generator

    from lsp_server.session import Session

logger = logging.getLogger(__name__)

_CANCEL = re.compile(rb'"method"\s*:\s*"\$/cancelRequest"')


class DocumentServer(LanguageServer):
    """A server whose session follows the open documents."""

    @property
    def session(self) -> Session:
        """The session, which is created when it is first needed."""
        raise NotImplementedError

    def document_closed(self, uri: str) -> None:
        """Record that a file is no longer open."""
        raise NotImplementedError


@dataclass(frozen=True)
class Plain:
    """A result that is ready for the wire as it is."""

    value: Any


class TorchferryProtocol(LanguageServerProtocol):
    """pygls' protocol with documents of our own and an answer to every request."""

    _server: DocumentServer
    _before_initialize: ClassVar = {types.INITIALIZE, types.EXIT}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._cancelled: set[int | str] = set()
        self._unanswered: dict[int | str, str] = {}  # the methods of requests, by their ids
        self.ended = asyncio.Event()  # set when the server has nothing left to do
        self.exit_code = 0

    # Incoming messages

    def note_cancellation(self, body: bytes) -> None:
        """Note a cancellation as soon as it is read; called on the reading thread."""
        if len(body) < 300 and _CANCEL.search(body):
            try:
                self._cancelled.add(json.loads(body)["params"]["id"])
            except (ValueError, KeyError, TypeError):
                return  # `receive` reports the fault

    def receive(self, body: bytes) -> None:
        """Handle one message, whatever it is: answer it, or log why not."""
        try:
            data = json.loads(body)
        except (ValueError, RecursionError) as error:
            self._refuse(None, types.ErrorCodes.ParseError, f"The message is not JSON: {error}")
            return
        if not isinstance(data, dict) or not isinstance(data.get("method", ""), str):
            self._refuse(
                None, types.ErrorCodes.InvalidRequest, "The message is not a JSON-RPC object"
            )
            return
        identity = data.get("id")
        if identity is not None and not isinstance(identity, int | str):
            self._refuse(
                None,
                types.ErrorCodes.InvalidRequest,
                "The message's id is neither a number nor a string",
            )
            return
        if "method" not in data:
            identity = None  # the id of our own request
        if refusal := self._out_of_order(data, identity):
            if identity is not None:
                self._refuse(identity, *refusal)
            return
        data.setdefault("jsonrpc", self.VERSION)
        try:
            self.handle_message(self.structure_message(data))
        except JsonRpcException as error:
            self._refuse(identity, types.ErrorCodes.InvalidParams, str(error))
        except Exception as error:
            logger.exception("Could not handle %s", data.get("method", "a response"))
            self._refuse(identity, types.ErrorCodes.InternalError, str(error))

    def _out_of_order(self, data: dict[str, Any], identity: Any) -> tuple[int, str] | None:
        method = data.get("method")
        if method is None:
            return None
        if method == types.CANCEL_REQUEST:
            return self._late_cancellation(data)
        if self._workspace is None and method not in self._before_initialize:
            return types.ErrorCodes.ServerNotInitialized, f"{method} came before initialize"
        if self._workspace is not None and method == types.INITIALIZE:
            return types.ErrorCodes.InvalidRequest, "initialize came twice"
        if self._shutdown and method != types.EXIT:
            return types.ErrorCodes.InvalidRequest, f"{method} came after shutdown"
        if identity in self._cancelled:
            self._cancelled.discard(identity)
            return types.LSPErrorCodes.RequestCancelled, f"{method} was cancelled"
        return None

    def _late_cancellation(self, data: dict[str, Any]) -> tuple[int, str] | None:
        """Forget a cancellation whose request has its answer; pygls ends one that is still open."""
        params = data.get("params")
        identity = params.get("id") if isinstance(params, dict) else None
        if not isinstance(identity, int | str):
            return types.ErrorCodes.InvalidParams, "a cancellation names no request"
        if identity in self._request_futures:
            return None
        self._cancelled.discard(identity)
        return types.LSPErrorCodes.RequestCancelled, "the request is over"

    def _handle_request(self, msg_id: int | str, method_name: str, params: Any) -> None:
        """Handle a request, and know of it until it has its answer."""
        self._unanswered[msg_id] = method_name
        super()._handle_request(msg_id, method_name, params)

    def _refuse(self, identity: int | str | None, code: int, message: str) -> None:
        logger.warning("Refused: %s", message)
        self.send_plain({"id": identity, "error": {"code": int(code), "message": message}})

    # Outgoing messages

    def send_plain(self, message: dict[str, Any]) -> None:
        """Send a message made of plain values; typed ones cost a millisecond per dozen."""
        self._send_data({"jsonrpc": self.VERSION, **message})

    def _send_response(
        self, msg_id: int | str, result: Any = None, error: types.ResponseError | None = None
    ) -> None:
        """Answer a request, with plain values as they are."""
        self._unanswered.pop(msg_id, None)
        if isinstance(result, Plain):
            self._result_types.pop(msg_id, None)
            self.send_plain({"id": msg_id, "result": result.value})
        else:
            super()._send_response(msg_id, result, error)

    # Shutdown

    @lsp_method(types.SHUTDOWN)
    def lsp_shutdown(self, *args: Any) -> Generator[Any, Any, Any]:
        """Answer once the requests before it have their answers.

        What concerns whole folders, and commands, may take minutes: these are ended with an error.
        """
        self._shutdown = True
        ours = self.msg_id
        for identity, method in list(self._unanswered.items()):
            if method.startswith("workspace/") and identity in self._request_futures:
                self._request_futures[identity].cancel()
        yield self._all_answered, (ours,), None

    @lsp_method(types.EXIT)
    def lsp_exit(self, *args: Any) -> Any:
        """End the serving, with an error if no shutdown came before."""
        self.exit_code = 0 if self._shutdown else 1
        self.ended.set()

    async def finish(self) -> None:
        """Let a shutdown be answered; a client that left without one waits for no answer."""
        if self._shutdown:
            await self._all_answered()

    async def _all_answered(self, but: int | str | None = None) -> None:
        """Wait for the answers to all requests that have come, but for one."""
        open_ones = self._unanswered.keys() & self._request_futures.keys() - {but}
        waiting = [asyncio.wrap_future(self._request_futures[each]) for each in open_ones]
        if waiting:
            await asyncio.wait(waiting)

    # Commands

    @lsp_method(types.WORKSPACE_EXECUTE_COMMAND)
    def lsp_workspace__execute_command(self, params: types.ExecuteCommandParams) -> Any:
        """Run a command; one that lacks arguments is refused, also where there are none at all."""
        params.arguments = params.arguments or []
        return (yield from super().lsp_workspace__execute_command(params))

    # Documents

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        """Take in a document."""
        self._server.session.changed(self._server.session.documents.open(params.text_document))

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """Apply edits to a document; those to one that is not open are logged and dropped."""
        self._server.session.changed(
            self._server.session.documents.change(params.text_document, params.content_changes)
        )

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """Forget a document, and clear its diagnostics."""
        uri = params.text_document.uri
        self._server.session.closed(self._server.session.documents.close(uri))
        self._server.document_closed(uri)

    # Notebooks

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    def lsp_notebook_document__did_open(self, params: types.DidOpenNotebookDocumentParams) -> None:
        """Take in a notebook."""
        self._server.session.changed(self._server.session.notebooks.open(params))

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def lsp_notebook_document__did_change(
        self, params: types.DidChangeNotebookDocumentParams
    ) -> None:
        """Apply edits of cells, and of which cells there are."""
        program, gone = self._server.session.notebooks.change(params)
        self._server.session.changed(program)
        self._server.session.cleared(gone)

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def lsp_notebook_document__did_close(
        self, params: types.DidCloseNotebookDocumentParams
    ) -> None:
        """Forget a notebook, and clear the diagnostics of its cells."""
        self._server.session.closed(self._server.session.notebooks.close(params))
