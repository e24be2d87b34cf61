"""The server that the extension brings along, in a Python that has nothing installed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from vscode_install import CLIENT, install

# As the extension starts it: the bundle goes first on the module path.
SERVE = (
    "import sys; sys.path.insert(0, sys.argv.pop(1));from lsp_server.server import main; main(None)"
)
URI = "file:///w/a.py"
TEXT = "import torch\n\nx = torch.abs(y)\n"


def frame(method: str, params: object, identity: int | None = None) -> bytes:
    message: dict[str, object] = {"jsonrpc": "2.0", "method": method, "params": params}
    if identity is not None:
        message["id"] = identity
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def test_findings_and_fixes_without_anything_installed() -> None:
    install()
    python = Path(sys.base_prefix, "bin", f"python3.{sys.version_info.minor}")
    bundle = CLIENT / "bundled" / "python"
    where = {"start": {"line": 2, "character": 6}, "end": {"line": 2, "character": 6}}
    document = {"uri": URI, "languageId": "python", "version": 1, "text": TEXT}
    asked = {"textDocument": {"uri": URI}, "range": where, "context": {"diagnostics": []}}
    talk = [
        frame("initialize", {"processId": None, "rootUri": None, "capabilities": {}}, 1),
        frame("initialized", {}),
        frame("textDocument/didOpen", {"textDocument": document}),
        frame("textDocument/codeAction", asked, 2),
        frame("shutdown", None, 3),
        frame("exit", None),
    ]
    ended = subprocess.run(
        [python, "-I", "-c", SERVE, bundle],
        input=b"".join(talk),
        capture_output=True,
        timeout=90,
    )
    assert ended.returncode == 0, ended.stderr.decode()
    said = ended.stdout.decode()
    # This client resolves nothing: the edits, which take libcst, come with the actions.
    assert '"newText"' in said
    assert "Convert torch.abs to paddle.abs" in said and "paddle.abs" in said
