"""Provenance of nodes: the user's frames, kept through tracing and decomposition.

torch keeps only frames of functions called `forward`, and loses them for code under `no_grad`,
whose nodes then point at generated code. Frames are therefore filtered here instead, written to
every node's `custom` metadata before decomposition (which preserves it), and read afterwards.
"""

from __future__ import annotations

import linecache
import logging
import os
import re
import sys
import threading
import warnings
from contextlib import contextmanager
from pathlib import Path
from traceback import FrameSummary, StackSummary
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import torch
from torch._export import utils as _naming
from torch.export import _trace
from torch.fx.proxy import TracerBase

from workbench.capture.graph import Location
from workbench.capture.held_calls import replace_call

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from torch.fx import GraphModule
    from torch.fx import Node as FxNode

KEY = "torchferry"
_TORCH = str(Path(torch.__file__).parent)
_HERE = str(Path(__file__).parent)
_STAND_INS = str(Path(_HERE, "stand_ins"))  # called by the model
# The trace that torch's own passes write for nodes that they insert: a path of its sources.
_INSERTED = "torch/fx/passes/"
_FRAME = re.compile(r'File "(.*?)", line (\d+), in ([^\n]*)(?:\n\s+(?!File ")([^\n]*))?')
_OPENED = re.compile(r'File "(.*?)"')
_GENERATED = re.compile(r"<eval_with_key>\.\S*$")
_LOCK = threading.RLock()


def is_torch(file: str) -> bool:
    """Return whether a file belongs to torch itself, or is one of its generated sources."""
    return file.startswith((_TORCH, _INSERTED)) or bool(_GENERATED.match(file))


def _is_machinery(frame: FrameSummary) -> bool:
    file = frame.filename
    if file.startswith(_TORCH):
        return "/nn/modules/" not in file or file.endswith("/nn/modules/module.py")
    if file.startswith("<") and not _GENERATED.match(file):
        # Code from exec() without a registered source has no line to show.
        return not linecache.getline(file, frame.lineno or 0)
    return file.startswith(_HERE)


def _is_ours(file: str) -> bool:
    """Return whether a frame is of our own call into torch."""
    return file.startswith(_HERE) and not file.startswith(_STAND_INS)


def user_frames(frames: Iterable[FrameSummary]) -> list[FrameSummary]:
    """Return the frames between our own call into torch and torch's operator.

    Frames of `torch.nn` (which show the layer) and of generated code (which `Origins` resolves) are
    kept; the calling machinery is removed.
    """
    frames = list(frames)
    ours = [i for i, frame in enumerate(frames) if _is_ours(frame.filename)]
    inside = frames[ours[-1] + 1 :] if ours else frames
    return [frame for frame in inside if not _is_machinery(frame)]


@contextmanager
def user_traces() -> Iterator[None]:
    """Record all user frames while open, not only those named `forward`.

    One capture runs at a time in a process: the hook is a class attribute of torch's.
    """

    def keep(_self: TracerBase, frames: StackSummary) -> StackSummary:
        return StackSummary.from_list(user_frames(frames))

    with _LOCK, warnings.catch_warnings():
        # torch warns about its own behaviour while it exports: its use of its own deprecated class,
        # and the list of weights in its recurrent layers.
        warnings.filterwarnings("ignore", message=r".*LeafSpec.*", category=FutureWarning)
        warnings.filterwarnings("ignore", message=r".*_flat_weights.* assigned during export")
        handlers = _torch_handlers()
        for handler in handlers:
            handler.addFilter(_drop_record)
        # On failure torch also prints the partial graph to stderr.
        vars(_trace)["print"] = _ignore
        original = TracerBase._filter_traceback_frames
        TracerBase._filter_traceback_frames = keep  # type: ignore[method-assign,assignment]
        try:
            yield
        finally:
            TracerBase._filter_traceback_frames = original  # type: ignore[method-assign]
            del vars(_trace)["print"]
            for handler in handlers:
                handler.removeFilter(_drop_record)


def _ignore(*_text: object, **_options: object) -> None:
    pass


def _torch_handlers() -> list[logging.Handler]:
    """Return the log handlers that torch set up itself; none if the user enabled its logs."""
    if "TORCH_LOGS" in os.environ:
        return []
    known = logging.root.manager.loggerDict
    loggers = [logging.getLogger(name) for name in list(known) if name.split(".")[0] == "torch"]
    return [handler for logger in loggers for handler in logger.handlers]


def _drop_record(_record: logging.LogRecord) -> bool:
    """Drop every record: torch logs what it also raises, and the user reads a CaptureError."""
    return False


def _modules(module: GraphModule) -> Iterator[GraphModule]:
    yield module
    for child in module.children():
        if isinstance(child, torch.fx.GraphModule):
            yield from _modules(child)


def stamp(module: GraphModule) -> None:
    """Write provenance on every node of a freshly exported module and of its submodules."""
    for part in _modules(module):
        for node in part.graph.nodes:
            _stamp_node(node)
    for part in _modules(module):
        _inline_grad_regions(part)


def _stamp_node(node: FxNode) -> None:
    stack = node.meta.get("nn_module_stack") or {}
    path, kind = list(stack.values())[-1] if stack else ("", "")
    record = {
        "trace": node.meta.get("stack_trace") or "",
        "module": path,
        "type": kind if isinstance(kind, str) else f"{kind.__module__}.{kind.__qualname__}",
        "grad": True,
    }
    # A new dict: several nodes can share one `custom`.
    node.meta["custom"] = {**(node.meta.get("custom") or {}), KEY: record}


def place_of(*nodes: FxNode) -> Location | None:
    """Return the user's line of the first of these exported nodes that has one, or None."""
    traces = (node.meta.get("stack_trace") or "" for node in nodes)
    return next((place for trace in traces if (place := innermost(locations(trace)))), None)


@contextmanager
def keeping_weight_metadata() -> Iterator[None]:
    """Make decomposition keep each weight's own metadata while open.

    torch looks up the metadata of a weight called `mean` by that name alone, finds that of the node
    `mean`, and rejects the program because the two differ.
    """
    original = _naming._assign_new_node_names

    def assign(module: GraphModule, names: dict[str, str], records: dict[str, Any]) -> None:
        inputs = [node for node in module.graph.nodes if node.op == "placeholder"]
        own = {names.get(n.name) for n in inputs if KEY in (n.meta.get("custom") or {})}
        original(module, names, {name: r for name, r in records.items() if name not in own})

    with patch.object(_naming, "_assign_new_node_names", assign):
        yield


def _inline_grad_regions(module: GraphModule) -> None:
    """Replace calls of `wrap_with_set_grad_enabled` by the nodes that they wrap, marked.

    Decomposition inlines these regions too, but loses both the missing gradient and the provenance
    of the nodes.
    """
    changed = False
    wrap = torch.ops.higher_order.wrap_with_set_grad_enabled
    for node in list(module.graph.nodes):
        if node.op != "call_function" or node.target is not wrap:
            continue
        enabled, holder, *operands = node.args
        inner = module.get_submodule(str(holder.target))
        assert isinstance(inner, torch.fx.GraphModule)
        _inline_grad_regions(inner)
        placeholders = [n for n in inner.graph.nodes if n.op == "placeholder"]
        copies: dict[FxNode, FxNode] = dict(zip(placeholders, operands, strict=True))
        with module.graph.inserting_before(node):
            results = _copy_region(module, inner, copies, enabled=bool(enabled))
        replace_call(node, holder, results)
        changed = True
    if changed:
        module.graph.lint()
        module.recompile()


def _copy_region(
    module: GraphModule, inner: GraphModule, copies: dict[FxNode, FxNode], *, enabled: bool
) -> Any:
    for source in inner.graph.nodes:
        if source.op == "placeholder":
            continue
        if source.op == "output":
            return torch.fx.map_arg(source.args[0], lambda n: copies[n])
        copy = module.graph.node_copy(source, lambda n: copies[n])
        if source.op == "get_attr":
            name = f"_region_{len(list(module.named_children()))}_{source.target}"
            setattr(module, name, getattr(inner, str(source.target)))
            copy.target = name
        record = dict((copy.meta.get("custom") or {}).get(KEY, {}))
        # A region nested in this one has already decided for its own nodes.
        if not record.pop("settled", False):
            record["grad"] = enabled
        copy.meta["custom"] = {**copy.meta["custom"], KEY: {**record, "settled": True}}
        copies[source] = copy
    raise AssertionError("a graph without an output node")


def users_part(trace: str) -> str:
    """Return the part of a formatted stack inside the model: the frames after our own."""
    pieces = re.split(r'(?m)^(?=\s*File ")', trace)
    ours = [i for i, piece in enumerate(pieces) if any(map(_is_ours, _OPENED.findall(piece)))]
    return "".join(pieces[ours[-1] + 1 :] if ours else pieces)


class Origins:
    """Reader of provenance from nodes after decomposition.

    `exported` is the module before decomposition: nodes under autocast are traced through its
    generated code, whose lines lead back to them.
    """

    def __init__(self, exported: GraphModule | None = None) -> None:
        self._generated: dict[str, dict[str, FxNode]] = {}
        for part in _modules(exported) if exported is not None else ():
            file = getattr(type(part).forward, "__code__", None)
            if file is not None:
                self._generated[file.co_filename] = {n.name: n for n in part.graph.nodes}

    def record(self, node: FxNode) -> dict[str, Any]:
        """Return the provenance of the node: `trace`, `module`, `type` and `grad`."""
        trace = node.meta.get("stack_trace") or ""
        for file, line, *_ in reversed(_FRAME.findall(trace)):
            inner = self._line_of(file, int(line))
            if inner is not None and inner is not node:
                node.meta["custom"] = {**node.meta.get("custom", {}), KEY: self.record(inner)}
                break
        stamped = (node.meta.get("custom") or {}).get(KEY)
        if stamped is not None:
            return dict(stamped)
        stack = node.meta.get("nn_module_stack") or {}
        path, kind = list(stack.values())[-1] if stack else ("", "")
        kind = kind if isinstance(kind, str) else f"{kind.__module__}.{kind.__qualname__}"
        if path.startswith("_empty_nn_module_stack"):
            path = kind = ""  # inserted by torch, for no module
        return {"trace": trace, "module": path, "type": kind, "grad": True}

    def _line_of(self, file: str, line: int) -> FxNode | None:
        nodes = self._generated.get(file)
        if nodes is None:
            return None
        return nodes.get(linecache.getline(file, line).partition("=")[0].strip())


def locations(trace: str) -> tuple[Location, ...]:
    """Return the frames in a node's trace, outermost first, cells by their execution count."""
    return tuple(
        Location(file, int(line), function, code.strip(), _cell(file))
        for file, line, function, code in _FRAME.findall(trace)
    )


def innermost(stack: Iterable[Location]) -> Location | None:
    """Return the last line outside torch, which is the most useful one, or None."""
    stack = tuple(stack)
    return next((place for place in reversed(stack) if not is_torch(place.file)), None)


def _cell(file: str) -> int | None:
    """Return the execution count of the cell that IPython compiled under a file name, or None."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    known = getattr(getattr(shell, "compile", None), "_filename_map", {})
    count = known.get(file)
    return count if isinstance(count, int) else None
