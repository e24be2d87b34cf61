/** Starts and stops what the extension consists of. */

import * as vscode from 'vscode';

import { offerTools } from './agents';
import { Aim } from './aim';
import { Converter } from './convert';
import { Explainer } from './explain';
import { Findings } from './findings';
import { Models } from './models';
import { Notebooks } from './notebooks';
import { Pages } from './pages';
import { PreviewProvider } from './preview';
import { showFailure } from './remedies';
import { Server } from './server';
import { StatusBar } from './status';
import { Tests } from './tests';

let server: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const output = vscode.window.createOutputChannel('Torchferry', { log: true });
  const status = new StatusBar();
  const running = new Server(context, output, status);
  server = running;
  const aim = new Aim(running, status);
  const preview = new PreviewProvider(running);
  const pages = new Pages();
  const converter = new Converter(running, pages, context.globalStorageUri);
  const explainer = new Explainer(running, pages);
  const findings = new Findings(running, pages, context.workspaceState);
  const models = new Models(context, running, pages, output);
  const notebooks = new Notebooks(running);
  const tests = new Tests(running, output);

  const commands: Record<string, (...args: never[]) => unknown> = {
    chooseTarget: () => aim.choose(),
    preview: () => preview.show(),
    convertFile: (file?: vscode.Uri) => converter.file(file),
    convertFolder: (folder?: vscode.Uri) => converter.folder(folder),
    convertDocument: () => converter.examples('markdown'),
    convertDocstrings: () => converter.examples('python'),
    convertWorkspace: () => converter.workspace(),
    planPort: () => converter.plan(),
    explain: () => explainer.explain(),
    prove: () => explainer.prove(),
    showGraph: (uri?: string, name?: string) => models.showGraph(uri, name),
    runSideBySide: (uri?: string, name?: string) => models.runSideBySide(uri, name),
    verifyPort: (uri: string, name: string) => tests.verify(uri, name),
    convertCell: (cell?: Parameters<Notebooks['convertCell']>[0]) => notebooks.convertCell(cell),
    convertNotebook: (toolbar?: Parameters<Notebooks['convertNotebook']>[0]) => notebooks.convertNotebook(toolbar),
    runCellSideBySide: (cell?: Parameters<Notebooks['runSideBySide']>[0]) => notebooks.runSideBySide(cell),
    refreshFindings: () => findings.refresh(),
    groupFindings: () => findings.choose(),
    filterFindings: () => findings.chooseFilter(),
    convertFindings: (node: Parameters<Findings['convert']>[0]) => findings.convert(node),
    openCell: (row: Parameters<Findings['openCell']>[0]) => findings.openCell(row),
    showProgress: () => findings.showProgress(),
    showEnvironment: () => explainer.bugReport(),
    install: () => running.install(),
    restart: () => running.restart(),
    showOutput: () => output.show(),
  };
  for (const [name, run] of Object.entries(commands)) {
    context.subscriptions.push(
      vscode.commands.registerCommand(`torchferry.${name}`, (...args: never[]) => runOrReport(output, run, args)),
    );
  }
  context.subscriptions.push(
    output,
    status,
    aim,
    preview,
    pages,
    findings,
    tests,
    offerTools(running, context.extension.packageJSON.version),
    vscode.workspace.onDidChangeConfiguration((event) => running.configurationChanged(event)),
    vscode.workspace.onDidGrantWorkspaceTrust(() => running.restart()),
  );
  await running.start();
}

/** Run a command, and show an error as a message. */
async function runOrReport(
  output: vscode.LogOutputChannel,
  run: (...args: never[]) => unknown,
  args: never[],
): Promise<void> {
  try {
    await run(...args);
  } catch (error) {
    if (error instanceof vscode.CancellationError) {
      return;
    }
    const message = error instanceof Error ? error.message : String(error);
    output.error(message);
    await showFailure(message);
  }
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}
