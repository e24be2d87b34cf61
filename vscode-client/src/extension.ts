/** Starts and stops what the extension consists of. */

import * as vscode from 'vscode';

import { Server } from './server';
import { StatusBar } from './status';

let server: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const output = vscode.window.createOutputChannel('Torchferry', { log: true });
  const status = new StatusBar();
  const running = new Server(context, output, status);
  server = running;

  context.subscriptions.push(
    output,
    status,
    vscode.commands.registerCommand('torchferry.restart', () => running.restart()),
    vscode.commands.registerCommand('torchferry.showOutput', () => output.show()),
    vscode.workspace.onDidChangeConfiguration((event) => running.configurationChanged(event)),
    vscode.workspace.onDidGrantWorkspaceTrust(() => running.restart()),
  );
  await running.start();
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}
