"""The kernel's side of the side panel: a comm that answers about the cells of one notebook.

The panel opens a comm to `TARGET` after one silent execution of `register()`. Requests are
`{"id": …, "do": …}` with their own fields, answers `{"id": …, "ok": …}` or `{"id": …, "error": …}`.
A request of several steps names the current one before its answer, as `{"id": …, "doing": …}`.
Files of an answer go before it, as `{"id": …, "file": …, "begins": …, "part": …}`: text, and in
parts, since a kernel gateway carries neither bytes nor long messages.
In ipykernel 7 requests arrive on a thread other than the one that runs cells, so a long cell does
not silence the panel; a lock separates the answers. Requests that call the user's code run where
cells run instead, by `as_cell`: they must not meet a running cell, and the kernel's interrupt must
stop them.
"""

from __future__ import annotations

import json
import logging
import threading
import traceback
from base64 import b64encode
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.source.parsing.notebook import cell_text
from workbench.targets import packages, specs

from ..installed import installed_only
from ..outcomes import body, outcome_of
from ..own_rules import revoke_rules, trust_rules
from .cells import Cells
from .devices import devices
from .glance import Glance, conversions
from .helpers import put_helpers
from .look import Look, edits_of, look
from .models import candidates
from .pair import pair_call
from .shelf import Shelf
from .trace import trace_call
from .values import tensor_of, values_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

TARGET = "torchferry"
PROTOCOL = 3
_PART = 3 << 20  # bytes of a file in one message; a multiple of three needs no filling
# The answer to *Fix all* where it changes nothing.
_KEPT = "Other cells still need the torch imports of this cell; Convert all converts them together"

Json = dict[str, Any]
log = logging.getLogger(__name__)

_open: dict[str, Connection] = {}
_shelf = Shelf()


def register() -> None:
    """Answer comms to `TARGET` in this kernel; a second call changes nothing."""
    shell = _shell()
    shell.kernel.comm_manager.register_target(TARGET, Connection.open)


def as_cell(comm_id: str, text: str) -> None:
    """Answer a request, given as JSON, in the thread that runs cells; the panel executes this."""
    connection = _open.get(comm_id)
    if connection is not None:
        request = json.loads(text)
        connection.answer(request, connection.cell_actions[request["do"]])


class Connection:
    """One notebook's panel, for as long as its comm is open."""

    def __init__(self, comm: Any) -> None:
        self.comm = comm
        self.cells = Cells()
        self.glances = Glance()
        self.last: Look | None = None
        self.lock = threading.Lock()
        self.actions: Mapping[str, Callable[[Json], Answer]] = {
            "hello": self.hello,
            "look": self.look,
            "fix": self.fix,
            "insert": self.insert,
            "glance": self.glance,
            "conversions": self.conversions,
            "port": self.port,
            "outcome": self.outcome,
            "values": self.values,
            "tensor": self.tensor,
            "models": self.models,
            "again": self.again,
            "trust": self.trust,
            "revoke": self.revoke,
        }
        self.cell_actions: Mapping[str, Callable[[Json], Answer]] = {
            "trace": self.trace,
            "pair": self.pair,
            "program": self.program,
            "devices": self.devices,
            "ready": self.ready,
        }

    @classmethod
    def open(cls, comm: Any, _message: Json) -> None:
        """Register the comm of a panel; the kernel calls this when a panel opens it."""
        connection = cls(comm)
        _open[comm.comm_id] = connection
        comm.on_close(lambda _message: _open.pop(comm.comm_id, None))

        @comm.on_msg  # type: ignore[untyped-decorator]
        def receive(message: Json) -> None:
            connection.receive(message["content"]["data"])

    def receive(self, request: Json) -> None:
        """Answer one request."""
        action = self.actions.get(request.get("do", ""))
        if action is None:
            problem = f"this kernel's Torchferry does not know the request {request.get('do')!r}"
            self.comm.send({"id": request.get("id"), "error": {"message": problem}})
            return
        with self.lock, installed_only():
            self.answer(request, action)

    def answer(self, request: Json, action: Callable[[Json], Answer]) -> None:
        """Send what the action gives, or what went wrong in it; nothing escapes to the kernel."""
        try:
            content, files = action(request)
        except KeyboardInterrupt:
            self.comm.send({"id": request["id"], "error": {"message": "interrupted"}})
        except Exception as error:
            self.comm.send({"id": request["id"], "error": _describe(error)})
        else:
            for number, file in enumerate(files):
                self.send_file(request["id"], number, file)
            self.comm.send({"id": request["id"], "ok": content})

    def send_file(self, question: str, number: int, file: bytes) -> None:
        """Send a file of an answer; a first part says so, since a question may be asked twice."""
        for start in range(0, max(1, len(file)), _PART):
            part = b64encode(file[start : start + _PART]).decode()
            message = {"id": question, "file": number, "begins": start == 0, "part": part}
            self.comm.send(message)

    def hello(self, _request: Json) -> Answer:
        """Return the versions and targets of this kernel."""
        versions = {name: _version(name) for name in ("torchferry", "torch", *packages())}
        return {"protocol": PROTOCOL, "versions": versions, "targets": specs()}, []

    def look(self, request: Json) -> Answer:
        """Return findings and converted code of a cell, after the changes in the request."""
        self.cells.change(request.get("order"), request.get("sources", {}))
        self.last = look(
            self.cells,
            request["cell"],
            _names(),
            request["target"],
            request.get("style") or None,
        )
        return self.last.content(), []

    def seen(self, request: Json) -> Look:
        """Return the last look, which has to be of the current cell.

        Raises:
            ValueError: it is of another text.
        """
        last = self.last
        if last is None or (last.cell, last.source) != (request["cell"], request["source"]):
            raise ValueError("the cell has changed since its findings were made; try again")
        return last

    def insert(self, request: Json) -> Answer:
        """Return the code of a new cell below one: its conversion, with new names."""
        from ..inserted import inserted_unrun

        last = self.seen(request)
        target = last.target.name if last.target else ""
        source = cell_text(body(last.source))
        code = cell_text(body(last.alone.code))
        return {"code": inserted_unrun(code, source, _names(), target)}, []

    def fix(self, request: Json) -> Answer:
        """Return the edits of one finding of the last look, or of all of them."""
        last = self.seen(request)
        edits, helpers = edits_of(last, request["finding"])
        if not edits:
            raise ValueError(_KEPT)
        if last.target is not None:
            put_helpers(helpers, last.target)
        return {"edits": edits}, []

    def glance(self, request: Json) -> Answer:
        """Return the states of some cells, after the changes in the request."""
        self.cells.change(request.get("order"), request.get("sources", {}))
        target, style, names = request["target"], request.get("style") or None, _names()
        known = [cell for cell in request["cells"] if cell in self.cells.sources]
        states = [self.glances.at(self.cells, cell, names, target, style) for cell in known]
        return {"states": states}, []

    def conversions(self, request: Json) -> Answer:
        """Return the edits that convert every cell in place."""
        self.cells.change(request.get("order"), request.get("sources", {}))
        style = request.get("style") or None
        return {"cells": conversions(self.cells, request["target"], style)}, []

    def port(self, request: Json) -> Answer:
        """Write the port of a notebook in the kernel's folder; `edited` if that needs an answer."""
        from workbench.convert.project.notebook_port import EditedPortError, port_notebook
        from workbench.convert.project.runner import order_for

        notebook = Path(request["name"])
        if not notebook.is_file():
            raise ValueError(f"the kernel works in {Path.cwd()}, which has no {notebook}")
        style = request.get("style") or None
        order = order_for(notebook, target=request["target"], style=style)
        try:
            port = port_notebook(notebook, order, force=request.get("force", False))
        except EditedPortError as error:
            return {"edited": str(error).partition(";")[0]}, []
        return {"name": port.notebook.name, "said": port.summary()}, []

    def outcome(self, request: Json) -> Answer:
        """Return a cell's last outcome as an output for the panel, or null before it has run."""
        known = outcome_of(request["cell"])
        output = None
        if known is not None:
            output = {"source": known.source, "data": known.shown.static()}
        return {"outcome": output}, []

    def values(self, request: Json) -> Answer:
        """Return the values of a cell's last comparison, or null before it has run."""
        return {"values": values_of(request["cell"])}, []

    def tensor(self, request: Json) -> Answer:
        """Return a slice of one tensor's two values, and the positions of the differences."""
        return tensor_of(request["cell"], request["name"], request["at"])

    def models(self, request: Json) -> Answer:
        """Return the calls of models that could be traced for a cell."""
        source, others = self.cells.apart(request["cell"])
        found = candidates(source, others, _names())
        return {"calls": [call.content() for call in found]}, []

    def trace(self, request: Json) -> Answer:
        """Return the graph of a call: facts about its nodes, and Netron's file as bytes."""
        traced = trace_call(request["call"], _names(), self.cells, _shell())
        return _shelf.put(traced.content(), [traced.netron], traced.graph)

    def pair(self, request: Json) -> Answer:
        """Return the graph of a call and its counterpart in the target, compared node by node."""

        def say(step: str) -> None:
            self.comm.send({"id": request["id"], "doing": step})

        target = request["target"]
        paired = pair_call(request["call"], _names(), self.cells, _shell(), target=target, say=say)
        return _shelf.put(paired.content(), paired.files(), paired.traced.graph)

    def trust(self, request: Json) -> Answer:
        """Trust a folder's rules, as the person decided."""
        trust_rules(Path(request["folder"]))
        return {}, []

    def revoke(self, request: Json) -> Answer:
        """Revoke the trust in a folder's rules."""
        revoke_rules(Path(request["folder"]))
        return {}, []

    def again(self, request: Json) -> Answer:
        """Return a graph that was shown before."""
        shown = _shelf.get(request["key"])
        return shown.content, shown.files

    def program(self, request: Json) -> Answer:
        """Return the program behind a shown graph, as torch writes it."""
        with installed_only():
            return {}, [_shelf.program(request["key"])]

    def devices(self, request: Json) -> Answer:
        """Return the devices to run a cell on, and the reason why others lack one side."""
        with installed_only():
            return devices(request["target"]), []

    def ready(self, _request: Json) -> Answer:
        """Provide `%%convert` in the kernel, by which the panel runs cells."""
        with installed_only():
            _shell().run_line_magic("load_ext", "jupyter_ext")
        return {}, []


Answer = tuple[Json, list[bytes]]


def _shell() -> Any:
    from IPython import get_ipython

    return get_ipython()


def _names() -> dict[str, object]:
    """Return the values of the user's names; a copy, since a cell may be running."""
    return dict(_shell().user_ns)


def _version(distribution: str) -> str | None:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


def _describe(error: Exception) -> Json:
    """Return an error for the panel: our own name the next step, others have their traceback."""
    from workbench import TorchferryError
    from workbench.capture import CaptureError

    if isinstance(error, (TorchferryError, CaptureError, ValueError)):
        return {"message": str(error)}
    log.exception("a request of the panel failed", exc_info=error)
    trail = "".join(traceback.format_exception(error))
    return {"message": f"{type(error).__name__}: {error}", "traceback": trail}
