/** Shows why something failed; where a package is missing, with a button that installs it. */

import { execFile } from 'node:child_process';
import * as vscode from 'vscode';

import { SAFE_PATH } from './interpreter';

// As the server and the command line say it, and `reasonOf` in the same words.
const LACKS = /^(?<command>.+?) does not have .*\(pip install (?<packages>[^)]+)\)/s;

/** Show an error, and offer to install what is missing. */
export async function showFailure(message: string): Promise<void> {
  const { command, packages } = LACKS.exec(message)?.groups ?? {};
  if (command === undefined || packages === undefined || !vscode.workspace.isTrusted) {
    void vscode.window.showErrorMessage(message);
    return;
  }
  const install = `Install ${packages.split(' ').join(' and ')}`;
  const choose = 'Select Another Interpreter';
  const picked = await vscode.window.showErrorMessage(message, install, choose);
  if (picked === install) {
    installInto(command, packages.split(' '));
  } else if (picked === choose) {
    await vscode.commands.executeCommand('workbench.action.openSettings', 'torchferry.interpreter');
  }
}

/** Install packages into an interpreter, in a terminal. */
export function installInto(command: string, packages: readonly string[]): void {
  const terminal = vscode.window.createTerminal({
    name: `Install ${packages.join(' ')}`,
    shellPath: command,
    shellArgs: ['-m', 'pip', 'install', '--upgrade', ...packages],
  });
  terminal.show();
}

/** The version of torchferry that an interpreter has; empty for none. */
export function installedVersion(command: string): Promise<string> {
  const code = "import importlib.metadata as m; print(m.version('torchferry'))";
  return new Promise((resolve) => {
    execFile(command, [SAFE_PATH, '-c', code], { windowsHide: true }, (error, out) => {
      resolve(error === null ? out.trim() : '');
    });
  });
}
