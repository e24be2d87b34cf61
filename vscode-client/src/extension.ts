/** Starts and stops what the extension consists of. */

import * as vscode from 'vscode';

import { convertFolder } from './folder';
import { PreviewProvider } from './preview';
import { Server } from './server';
import { StatusBar } from './status';

let server: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const output = vscode.window.createOutputChannel('Torchferry', { log: true });
  const status = new StatusBar();
  const running = new Server(context, output, status);
  server = running;
  const preview = new PreviewProvider(running);

  context.subscriptions.push(
    output,
    status,
    preview,
    vscode.commands.registerCommand('torchferry.preview', () => preview.show()),
    vscode.commands.registerCommand('torchferry.convertFolder', (folder?: vscode.Uri) =>
      convertFolder(running.interpreter, output, folder),
    ),
    vscode.commands.registerCommand('torchferry.showEnvironment', () => showEnvironment(running)),
    vscode.commands.registerCommand('torchferry.restart', () => running.restart()),
    vscode.commands.registerCommand('torchferry.showOutput', () => output.show()),
    vscode.workspace.onDidChangeConfiguration((event) => running.configurationChanged(event)),
    vscode.workspace.onDidGrantWorkspaceTrust(() => running.restart()),
  );
  await running.start();
}

/** What the server runs in, as a text to read or to attach to a bug report. */
async function showEnvironment(server: Server): Promise<void> {
  const found = await server.execute<Record<string, string | null>>('environment');
  const lines = Object.entries(found).map(([name, value]) => `${name}: ${value ?? 'not installed'}`);
  const content = [`vscode: ${vscode.version}`, ...lines, ''].join('\n');
  const document = await vscode.workspace.openTextDocument({ content });
  await vscode.window.showTextDocument(document);
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}
