"""Stand-ins for extensions that Torchferry works with, which cannot be had from npm or PyPI.

Of the Python extension it asks which interpreter was selected, and the stand-in answers in the form
of its public interface. Of the Jupyter extension a notebook needs a kernel that runs its cells: the
stand-in's is a real one.
"""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


def _manifest(name: str, publisher: str, **more: Any) -> dict[str, Any]:
    return {
        "name": name,
        "publisher": publisher,
        "version": "2026.0.0",
        "engines": {"vscode": "^1.91.0"},
        "main": "./extension.js",
        "extensionKind": ["workspace"],
        "capabilities": {"untrustedWorkspaces": {"supported": True}},
        **more,
    }


_SETTING = {"python.defaultInterpreterPath": {"type": "string", "scope": "machine-overridable"}}
_PYTHON = _manifest(
    "python",
    "ms-python",
    activationEvents=[],
    contributes={"configuration": {"properties": _SETTING}},
)
_SELECTED = """
const vscode = require('vscode');
const changed = new vscode.EventEmitter();
const selected = () =>
  vscode.workspace.getConfiguration('python').get('defaultInterpreterPath');
exports.activate = context => {
  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration(
      event => event.affectsConfiguration('python') && changed.fire({ path: selected() })
    )
  );
  return {
    environments: {
      getActiveEnvironmentPath: () => ({ id: selected(), path: selected() }),
      resolveEnvironment: async ({ path }) => ({ executable: { uri: vscode.Uri.file(path) } }),
      onDidChangeActiveEnvironmentPath: changed.event
    }
  };
};
"""
_KERNEL = _manifest("kernel", "tests", activationEvents=["onNotebook:jupyter-notebook"])
# Starts a kernel and runs in it what comes in; out goes a line for each output, and one at the end.
_KERNEL_LOOP = """
import json, sys
from jupyter_client.manager import start_new_kernel

manager, client = start_new_kernel()

def tell(**what):
    print(json.dumps(what), flush=True)

def shown(message):
    content = message["content"]
    if message["msg_type"] in ("display_data", "execute_result"):
        tell(data=content["data"])
    elif message["msg_type"] == "stream":
        tell(data={"text/plain": content["text"]})
    elif message["msg_type"] == "error":
        tell(data={"text/plain": "\\\\n".join(content["traceback"])})

for line in sys.stdin:
    reply = client.execute_interactive(json.loads(line), output_hook=shown)
    tell(ok=reply["content"]["status"] == "ok")
manager.shutdown_kernel(now=True)
"""
_RUNS_CELLS = """
const { spawn } = require('node:child_process');
const readline = require('node:readline');
const vscode = require('vscode');
const LOOP = `LOOP`;
let child, lines;
const asOutput = data => new vscode.NotebookCellOutput(
  Object.entries(data).map(([mime, value]) => typeof value === 'string'
    ? vscode.NotebookCellOutputItem.text(value, mime)
    : vscode.NotebookCellOutputItem.json(value, mime)));
const run = async (controller, cell) => {
  const execution = controller.createNotebookCellExecution(cell);
  execution.start(Date.now());
  await execution.clearOutput();
  child.stdin.write(JSON.stringify(cell.document.getText()) + '\\n');
  for (;;) {
    const { value } = await lines.next();
    const told = JSON.parse(value);
    if ('ok' in told) return execution.end(told.ok, Date.now());
    await execution.appendOutput(asOutput(told.data));
  }
};
exports.activate = context => {
  const create = vscode.notebooks.createNotebookController;
  const controller = create('tests', 'jupyter-notebook', 'A kernel');
  controller.supportedLanguages = ['python'];
  controller.executeHandler = async cells => {
    if (!child) {
      const python = vscode.workspace.getConfiguration('python').get('defaultInterpreterPath');
      child = spawn(python, ['-c', LOOP]);
      lines = readline.createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    }
    for (const cell of cells) await run(controller, cell);
  };
  context.subscriptions.push(controller, { dispose: () => child && child.stdin.end() });
};
""".replace("LOOP`", f"{_KERNEL_LOOP}`")
_TYPES = """<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension=".json" ContentType="application/json"/>
<Default Extension=".js" ContentType="application/javascript"/>
<Default Extension=".vsixmanifest" ContentType="text/xml"/></Types>
"""
_PACKAGE = """<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
<Metadata><Identity Language="en-US" Id="{name}" Version="{version}" Publisher="{publisher}"/>
<DisplayName>{name}</DisplayName></Metadata>
<Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
<Dependencies/>
<Assets><Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json"
Addressable="true"/></Assets></PackageManifest>
"""


def python(folder: Path) -> Path:
    """Return the stand-in that has selected an interpreter, as a package to install."""
    return _write(folder, _PYTHON, _SELECTED)


def kernel(folder: Path) -> Path:
    """Return the stand-in that runs the cells of notebooks, as a package to install."""
    return _write(folder, _KERNEL, _RUNS_CELLS)


def _write(folder: Path, manifest: dict[str, Any], code: str) -> Path:
    place = folder / f"{manifest['name']}-standin.vsix"
    with zipfile.ZipFile(place, "w") as archive:
        archive.writestr("[Content_Types].xml", _TYPES)
        archive.writestr("extension.vsixmanifest", _PACKAGE.format(**manifest))
        archive.writestr("extension/package.json", json.dumps(manifest))
        archive.writestr("extension/extension.js", code)
    return place
