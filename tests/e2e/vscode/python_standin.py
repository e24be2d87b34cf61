"""A stand-in for the Python extension: it has selected an interpreter, and tells others which.

The real one cannot be had from npm or PyPI. What Torchferry asks of it is its public interface,
and this answers in the same form.
"""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_MANIFEST = {
    "name": "python",
    "publisher": "ms-python",
    "version": "2026.0.0",
    "engines": {"vscode": "^1.91.0"},
    "main": "./extension.js",
    "activationEvents": [],
    "extensionKind": ["workspace"],
    "capabilities": {"untrustedWorkspaces": {"supported": True}},
    "contributes": {
        "configuration": {
            "properties": {
                "python.defaultInterpreterPath": {"type": "string", "scope": "machine-overridable"}
            }
        }
    },
}
_CODE = """
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
_TYPES = """<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension=".json" ContentType="application/json"/>
<Default Extension=".js" ContentType="application/javascript"/>
<Default Extension=".vsixmanifest" ContentType="text/xml"/></Types>
"""
_PACKAGE = """<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
<Metadata><Identity Language="en-US" Id="python" Version="2026.0.0" Publisher="ms-python"/>
<DisplayName>Python</DisplayName></Metadata>
<Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
<Dependencies/>
<Assets><Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json"
Addressable="true"/></Assets></PackageManifest>
"""


def write(folder: Path) -> Path:
    """The stand-in as a package to install."""
    place = folder / "python-standin.vsix"
    with zipfile.ZipFile(place, "w") as archive:
        archive.writestr("[Content_Types].xml", _TYPES)
        archive.writestr("extension.vsixmanifest", _PACKAGE)
        archive.writestr("extension/package.json", json.dumps(_MANIFEST))
        archive.writestr("extension/extension.js", _CODE)
    return place
