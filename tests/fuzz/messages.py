"""Messages to a language server, from nearly right to noise; each seed gives the same ones."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from random import Random
from typing import Any

_NESTED: Any = json.loads("[" * 60 + "]" * 60)
_VALUES: list[Any] = [
    *(
        None,
        True,
        False,
        0,
        -1,
        1,
        2**31,
        -(2**31),
        2**63,
        10**400,
        0.5,
        float("inf"),
        float("nan"),
    ),
    *("", "x", "\0", "\ud800", "é😀", "a" * 5_000, "python", [], {}, [None], {"uri": 5}, _NESTED),
]
_URIS = [
    *("file:///w/a.py", "file:///w/b.py", "file:///w/cell-1", "file:///w/cell-2", "untitled:One"),
    *("file:///%00/x.py", "file://[::1/x.py", "file:", "file://", "file:///", "", "\0", "%", "x y"),
    *("file:///w/%ff%fe.py", "file:///w/\ud800.py", "file:///" + "d/" * 3_000 + "x.py"),
    *(
        "file:///w/" + "n" * 5_000 + ".py",
        "file://host/share/x.py",
        "http://x/%zz",
        "vscode-cell:a",
    ),
    *("file:///w/pyproject.toml", "file:relative.py", "FILE:///w/a.py", "file:///w/../../a.py"),
]
_TEXTS = [
    "import torch\n\n\ndef f(x: torch.Tensor):\n    y = x.view(-1)\n    return torch.relu(y)\n",
    "import torch\nclass N(torch.nn.Module):\n    def forward(self, x):\n        if x.sum() > 0:\n"
    "            return x.numpy()\n        return x\n",
    "import torch\r\nx = torch.add(a, b, alpha=2)\r\n",
    "import torch\nx = " + "(" * 150 + "torch.relu(x)" + ")" * 150 + "\n",
    "import torch\nx = " + "torch.abs(" * 300 + "\n",
    "import torch\nx = " + "-" * 5_000 + "torch.abs(y)\n",
    "import torch\nx = " + "9" * 5_000 + "\ny = torch.relu(x)\n",
    "import torch\n\0x = torch.relu('\ud800')\n\f\u2028y = '😀'; torch.abs(y)\n",
    "import torch\nif x:\n\ttorch.abs(y)\n        torch.abs(z)\n  torch.abs(w)\n",
    "%%time\nimport torch\n!ls\ny = %time torch.abs(x)\n",
    "import torch  # torchferry: ignore-file[TF1\n# torchferry: ignore[\nx = torch.abs(y)  # torch",
    "import torch\nx = '''" + "torch.relu(x)\n" * 50,
    "import torch\nx = [" + "torch.relu(x), " * 2_000 + "]\n",
    *(
        "",
        "\n",
        "\ufeffimport torch",
        "x" * 30_000,
        "import torch\n" + "y = torch.abs(x)\n" * 1_500,
    ),
]
_LARGE = "import torch\n" + "y = torch.abs(x)\n" * 40_000
_SETTINGS: dict[str, list[Any]] = {
    "target": ["paddle", "nonesuch", "paddle==0", ""],
    "severities": [{"TF100": "off"}, {"TF100": []}, {"TF100": "warning"}, {"": None}],
    "diagnosticMode": ["workspace", "openFiles"],
    "interpreter": ["\0", "/nonesuch"],
}
_PYPROJECTS = [
    b"[tool.torchferry]\nx = " + b"[" * 5_000,
    b"[tool.torchferry]\nx = " + b"9" * 5_000,
    b"[tool.torchferry]\nexclude = ['\0', 5]\n",
    b"\xff\xfe torchferry",
    b"[tool]\ntorchferry = 5\n",
    b"[tool.torchferry]\nrules = '../../../../etc/passwd'\nseverities = { TF100 = [] }\n",
]
_METHODS = [
    "textDocument/didOpen",
    "textDocument/didChange",
    "textDocument/didClose",
    "textDocument/didSave",
    "textDocument/hover",
    "textDocument/completion",
    "textDocument/codeAction",
    "textDocument/codeLens",
    "textDocument/inlayHint",
    "textDocument/diagnostic",
    "codeAction/resolve",
    "workspace/executeCommand",
    "workspace/didChangeConfiguration",
    "workspace/didChangeWatchedFiles",
    "workspace/didChangeWorkspaceFolders",
    "notebookDocument/didOpen",
    "notebookDocument/didChange",
    "notebookDocument/didClose",
    "$/cancelRequest",
    "$/setTrace",
    "$/progress",
    "window/workDoneProgress/cancel",
    "textDocument/definition",
    "workspace/diagnostic",
    "initialize",
    "no/such",
]
_NOTIFICATIONS = frozenset(
    each for each in _METHODS if "/did" in each or each[0] == "$" or each.startswith("window")
)


def framed(message: Any) -> bytes:
    """Return a message as it goes over the wire."""
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


class Client:
    """A client that means no good.

    `asked` are the ids of the requests that are to be answered.
    """

    def __init__(self, rng: Random, folder: Path) -> None:
        self.rng = rng
        self.pulls = rng.random() < 0.3
        self.asked: list[str] = []
        self._uris = [*_URIS]
        for number, content in enumerate(_PYPROJECTS):
            place = folder / str(number)
            place.mkdir(exist_ok=True)
            (place / "pyproject.toml").write_bytes(content)
            (place / "beside.py").write_text("import torch\nx = torch.abs(1)\n")
            self._uris.append((place / "x.py").as_uri())
        self._folders = [folder.as_uri(), (folder / "1").as_uri(), *_URIS[5:9], "file:///nonesuch"]

    def hello(self) -> dict[str, Any]:
        """Return the parameters of an `initialize` that is in order."""
        folder = {"uri": self._folders[0], "name": "folder"}
        encoding = self.rng.choice(["utf-8", "utf-16", "utf-32"])
        documents: dict[str, Any] = {"publishDiagnostics": {"relatedInformation": True}}
        if self.pulls:
            documents["diagnostic"] = {}
        return {
            "processId": None,
            "workspaceFolders": [folder],
            "capabilities": {
                "general": {"positionEncodings": [encoding]},
                "textDocument": documents,
            },
        }

    def message(self) -> bytes:
        """Return the next message."""
        kind = self.rng.random()
        if kind < 0.08:
            return self._noise()
        if kind < 0.16:
            return framed(self._any_object())
        method = self.rng.choice(_METHODS)
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
        message["params"] = self._params(method)
        if self.rng.random() < 0.4:
            message["params"] = self._spoilt(message["params"])
        if method not in _NOTIFICATIONS:
            message["id"] = f"request {self.rng.getrandbits(60)}"
            if method != "workspace/diagnostic":  # which is answered once there is something new
                self.asked.append(message["id"])
        return framed(message)

    # Data that is not a message

    def _noise(self) -> bytes:
        rng = self.rng
        match rng.randrange(8):
            case 0:
                return rng.randbytes(rng.randrange(300)) + b"\r\n"
            case 1:
                return b"Content-Length: -5\r\n\r\n{}"
            case 2:
                return b"Content-Length: 99999999999\r\n\r\n{}"
            case 3:
                return b"content-LENGTH:2\r\nX: y\r\n\r\n{}"
            case 4:
                return framed(b"[" * 100_000)
            case 5:
                # A length that is too short, and one that is too long and eats what follows.
                return b"Content-Length: 3\r\n\r\n" + b'{"id": 1}\r\n'
            case 6:
                return b"Content-Length: 40\r\n\r\n{}" + framed(
                    {"method": "$/eaten", "x": "y" * 40}
                )
            case _:
                return framed(
                    rng.choice([b"", b"{", b"\xff\xfe", b"nul", b'{"id":' + b"9" * 5_000])
                )

    def _any_object(self) -> Any:
        rng = self.rng
        keys = ["jsonrpc", "method", "id", "params", "result", "error"]
        made = {key: rng.choice(_VALUES) for key in keys if rng.random() < 0.5}
        return rng.choice([made, made, made, [made], rng.choice(_VALUES)])

    # Malformed messages

    def _spoilt(self, params: Any) -> Any:
        """Return the same with something in it replaced or left out."""
        params = copy.deepcopy(params)
        inside = params
        while isinstance(inside, dict | list) and inside:
            keys = list(inside) if isinstance(inside, dict) else list(range(len(inside)))
            key = self.rng.choice(keys)
            if self.rng.random() < 0.4 or not isinstance(inside[key], dict | list):
                if self.rng.random() < 0.3:
                    del inside[key]
                else:
                    inside[key] = self.rng.choice(_VALUES)
                return params
            inside = inside[key]
        return self.rng.choice(_VALUES)

    def _uri(self) -> str:
        return self.rng.choice(self._uris[:5] if self.rng.random() < 0.6 else self._uris)

    def _text(self) -> str:
        return _LARGE if self.rng.random() < 0.02 else self.rng.choice(_TEXTS)

    def _number(self) -> int:
        return self.rng.choice([0, 1, 2, 3, 5, 20, -1, 2**31 - 1, 2**31, 2**64, -(2**40)])

    def _place(self) -> dict[str, int]:
        return {"line": self._number(), "character": self._number()}

    def _range(self) -> dict[str, Any]:
        return {"start": self._place(), "end": self._place()}

    def _changes(self) -> list[Any]:
        return [
            {"text": self._text()}
            if self.rng.random() < 0.3
            else {
                "range": self._range(),
                "text": self.rng.choice(["", "\n", "(", "'", "torch.abs(x)", "😀"]),
            }
            for _ in range(self.rng.randrange(4))
        ]

    def _item(self) -> dict[str, Any]:
        language = "python" if self.rng.random() < 0.9 else "markdown"
        return {
            "uri": self._uri(),
            "languageId": language,
            "version": self._number(),
            "text": self._text(),
        }

    def _cell(self) -> dict[str, Any]:
        return {"kind": self.rng.choice([1, 2, 2, 2, 9]), "document": self._uri()}

    def _notebook_params(self, method: str) -> Any:
        rng = self.rng
        document = {"uri": self._uri()}
        match method.rpartition("/")[2]:
            case "didOpen":
                notebook = {
                    "uri": rng.choice(["file:///w/n.ipynb", "nb:x", self._uri()]),
                    "notebookType": "jupyter-notebook",
                    "version": self._number(),
                    "cells": [self._cell() for _ in range(rng.randrange(4))],
                }
                items = [self._item() for _ in range(rng.randrange(4))]
                return {"notebookDocument": notebook, "cellTextDocuments": items}
            case "didChange":
                array = {
                    "start": self._number(),
                    "deleteCount": self._number(),
                    "cells": [self._cell() for _ in range(rng.randrange(3))],
                }
                structure = {"array": array, "didOpen": [self._item()], "didClose": [document]}
                content = {
                    "document": {"uri": self._uri(), "version": self._number()},
                    "changes": self._changes(),
                }
                cells = {"structure": structure, "data": [self._cell()], "textContent": [content]}
                kept = {key: value for key, value in cells.items() if rng.random() < 0.6}
                uri = rng.choice(["file:///w/n.ipynb", "nb:x", self._uri()])
                return {"notebookDocument": {"uri": uri, "version": 1}, "change": {"cells": kept}}
            case "didClose":
                uri = rng.choice(["file:///w/n.ipynb", "nb:x"])
                return {"notebookDocument": {"uri": uri}, "cellTextDocuments": [document]}
            case _:
                return {"textDocument": document, "position": self._place(), "range": self._range()}

    def _params(self, method: str) -> Any:
        if method.startswith("notebook"):
            return self._notebook_params(method)
        rng = self.rng
        document = {"uri": self._uri()}
        match method.rpartition("/")[2]:
            case "didOpen":
                return {"textDocument": self._item()}
            case "didChange":
                which = {**document, "version": self._number()}
                return {"textDocument": which, "contentChanges": self._changes()}
            case "codeAction":
                context = {
                    "diagnostics": [],
                    "only": rng.choice([None, [""], ["quickfix"], ["source"]]),
                }
                return {"textDocument": document, "range": self._range(), "context": context}
            case "resolve":
                data = {"uri": self._uri(), "revision": self._number(), "what": "all"}
                return {"title": "", "data": data}
            case "executeCommand":
                return self._command()
            case "didChangeConfiguration":
                chosen = {key: rng.choice(values) for key, values in _SETTINGS.items()}
                return {"settings": {"torchferry": chosen}}
            case "didChangeWatchedFiles":
                return {"changes": [{"uri": self._uri(), "type": rng.choice([1, 2, 3])}]}
            case "didChangeWorkspaceFolders":
                folder = {"uri": rng.choice(self._folders), "name": "x"}
                return {"event": {"added": [folder], "removed": []}}
            case "cancelRequest":
                return {"id": rng.choice([1, [], *self.asked[-3:]])}
            case "setTrace":
                return {"value": rng.choice(["off", "verbose"])}
            case "initialize":
                return {"capabilities": 5}
            case _:
                return {"textDocument": document, "position": self._place(), "range": self._range()}

    def _command(self) -> dict[str, Any]:
        name = self.rng.choice(
            [
                "preview",
                "convertLines",
                "explain",
                "environment",
                "bugReport",
                "prove",
                "convert",
                "convertCells",
                "convertExamples",
                "models",
                "no",
            ]
        )
        arguments: list[Any] = {
            "preview": [self._uri()],
            "convertLines": [self._uri(), self._number(), self._number(), self._number()],
            "explain": [self._uri(), self._number(), self._number()],
            "prove": [{}, []],  # nothing that starts a worker
            "convert": [{"source": 5, "destination": None}],
            "convertCells": [self._number(), True],
            "convertExamples": [self._uri(), self._number(), "```py\nimport torch\n```"],
            "models": [[self._uri(), self._number()]],
        }.get(name, [])
        return {"command": f"torchferry.server.{name}", "arguments": arguments}
