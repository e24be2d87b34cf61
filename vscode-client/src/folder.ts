/** Converts a folder to another place, in the server's interpreter, and says how it went. */

import { spawn } from 'node:child_process';
import * as vscode from 'vscode';

import { SAFE_PATH } from './interpreter';

/** Ask for a place, convert into it, and offer to open the result. */
export async function convertFolder(
  command: string | undefined,
  output: vscode.LogOutputChannel,
  chosen: vscode.Uri | undefined,
): Promise<void> {
  if (command === undefined) {
    void vscode.window.showErrorMessage('Torchferry has no Python to run in; its log says why.');
    return;
  }
  const source = chosen ?? (await pick('Convert This Folder'));
  const parent = source && (await pick('Put the Converted Folder Here'));
  if (source === undefined || parent === undefined) {
    return;
  }
  const name = `${source.path.split('/').pop()}-converted`;
  const destination = vscode.Uri.joinPath(parent, name);
  if (await exists(destination)) {
    void vscode.window.showErrorMessage(
      `${destination.fsPath} exists already, and is not overwritten. Move it away, or choose another place.`,
    );
    return;
  }
  const code = await run(command, source.fsPath, destination.fsPath, output);
  await tell(code, destination, output);
}

async function pick(openLabel: string): Promise<vscode.Uri | undefined> {
  const options = { canSelectFolders: true, canSelectFiles: false, openLabel };
  return (await vscode.window.showOpenDialog(options))?.[0];
}

async function exists(uri: vscode.Uri): Promise<boolean> {
  return vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
}

function run(
  command: string,
  source: string,
  destination: string,
  output: vscode.LogOutputChannel,
): Thenable<number | null> {
  const target = vscode.workspace.getConfiguration('torchferry').get<string>('target', 'paddle');
  const call = [SAFE_PATH, '-m', 'workbench.cli', 'convert', source, '-o', destination, '--target', target];
  const progress = {
    location: vscode.ProgressLocation.Notification,
    title: `Torchferry converts ${source}`,
    cancellable: true,
  };
  return vscode.window.withProgress(
    progress,
    (_report, cancelled) =>
      new Promise<number | null>((resolve) => {
        const child = spawn(command, call, { windowsHide: true });
        const log = (data: Buffer): void => output.info(data.toString().trimEnd());
        child.stdout.on('data', log);
        child.stderr.on('data', log);
        child.on('error', (error) => output.error(String(error)));
        child.on('close', resolve);
        cancelled.onCancellationRequested(() => child.kill());
      }),
  );
}

async function tell(
  code: number | null,
  destination: vscode.Uri,
  output: vscode.LogOutputChannel,
): Promise<void> {
  const open = 'Open the Result';
  const show = 'Show the Report';
  const message =
    code === 0
      ? `All of it was converted to ${destination.fsPath}.`
      : code === 1
        ? `Converted to ${destination.fsPath}; some uses remain, each under a comment that says why.`
        : 'The folder was not converted; the log says why.';
  const picked = await (code === 0 || code === 1
    ? vscode.window.showInformationMessage(message, open, show)
    : vscode.window.showErrorMessage(message, show));
  if (picked === open) {
    await vscode.commands.executeCommand('vscode.openFolder', destination, { forceNewWindow: true });
  } else if (picked === show) {
    output.show();
  }
}
