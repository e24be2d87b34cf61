/** Offers Torchferry's tools to the agents of the editor: `torchferry mcp`, which reads in the open folders. */

import { execFile } from 'node:child_process';
import * as vscode from 'vscode';

import { SAFE_PATH, workInterpreter } from './interpreter';
import { commandLine } from './runs';
import type { Server } from './server';

const ID = 'torchferry';
const PROBE = 'import mcp_server.server';
const PATIENCE_MS = 60_000;

/** Register the tools; in a workspace that is not trusted there are none, since some of them run code. */
export function offerTools(server: Server, version: string): vscode.Disposable {
  const changes = new vscode.EventEmitter<void>();
  const provider: vscode.McpServerDefinitionProvider<vscode.McpStdioServerDefinition> = {
    onDidChangeMcpServerDefinitions: changes.event,
    provideMcpServerDefinitions: async () => {
      const command = await workInterpreter(server.interpreter);
      const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
      if (!vscode.workspace.isTrusted || command === undefined || folders.length === 0) {
        return [];
      }
      const roots = folders.map(({ uri }) => `--root=${uri.fsPath}`);
      const call = commandLine('mcp', ...roots);
      return [new vscode.McpStdioServerDefinition('Torchferry', command, call, { PYTHONUTF8: '1' }, version)];
    },
    resolveMcpServerDefinition: async (definition) => {
      await probe(definition.command);
      return definition;
    },
  };
  return vscode.Disposable.from(
    changes,
    server.onDidStart(() => changes.fire()), // the interpreter may be another one
    vscode.workspace.onDidChangeWorkspaceFolders(() => changes.fire()),
    vscode.lm.registerMcpServerDefinitionProvider(ID, provider),
  );
}

/** Fails, with what to do, where an interpreter cannot serve. */
function probe(command: string): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile(command, [SAFE_PATH, '-c', PROBE], { timeout: PATIENCE_MS, windowsHide: true }, (error, _out, errors) => {
      if (error === null) {
        resolve();
      } else {
        const why = errors.trim().split('\n').pop() || error.message;
        const install = "pip install 'torchferry[torch,paddle,mcp]'";
        reject(new Error(`${command} cannot run Torchferry's tools for agents (${why}). Install the missing package there: ${install}`));
      }
    });
  });
}
