/** Plans a port, and converts a file, a folder or the workspace to a place that the user chooses. */

import * as vscode from 'vscode';

import type { Pages } from './pages';
import { counted } from './progress';
import type { Server } from './server';

interface Plan {
  readonly plan: string;
  readonly files: number;
  readonly uses: number;
  readonly converted: number;
  readonly steps: number;
  readonly risks: number;
}

interface Result {
  readonly exit_code: number;
  readonly uses: number;
  readonly converted_uses: number;
  readonly shown_share: string;
  readonly destination: string;
  readonly report: string | null;
  readonly failures: readonly string[];
}

export class Converter {
  constructor(
    private readonly server: Server,
    private readonly pages: Pages,
    private readonly storage: vscode.Uri,
  ) {}

  /** Convert one file or notebook, the active one where none is given. */
  async file(chosen?: vscode.Uri): Promise<void> {
    const { activeNotebookEditor, activeTextEditor } = vscode.window;
    const source = chosen ?? activeNotebookEditor?.notebook.uri ?? activeTextEditor?.document.uri;
    if (source?.scheme !== 'file') {
      void vscode.window.showInformationMessage('Open a Python file to convert it, and save it first.');
      return;
    }
    const name = nameOf(source);
    const dot = name.lastIndexOf('.');
    const proposed = `${name.slice(0, dot)}_${this.server.target}${name.slice(dot)}`;
    const destination = await vscode.window.showSaveDialog({
      defaultUri: vscode.Uri.joinPath(source, '..', proposed),
      saveLabel: 'Convert to This File',
    });
    if (destination !== undefined) {
      await this.convert(source, destination);
    }
  }

  /** Convert the code in the active document of Markdown, or the active file and that in its docstrings. */
  async examples(language: 'markdown' | 'python'): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    if (document?.languageId !== language) {
      const wanted = language === 'python' ? 'a Python file' : 'a Markdown document';
      void vscode.window.showInformationMessage(`Open ${wanted} to convert the code in it.`);
      return;
    }
    const { uri, version } = document;
    const text = document.getText();
    const summary = await this.server.execute<string>('convertExamples', uri.toString(), version, text);
    void vscode.window.showInformationMessage(summary);
  }

  /** Convert a folder, asked for where none is given. */
  async folder(chosen?: vscode.Uri): Promise<void> {
    const source = chosen ?? (await pick('Convert This Folder'));
    if (source !== undefined) {
      await this.folderTo(source);
    }
  }

  /** Convert a folder of the workspace, asked for where there are several. */
  async workspace(): Promise<void> {
    const folder = await workspaceFolder('Open a folder to convert it.');
    if (folder !== undefined) {
      await this.folderTo(folder);
    }
  }

  /** Write the plan of a port: its size, its risks and its steps; open it. */
  async plan(): Promise<void> {
    const folder = await workspaceFolder('Open a folder to plan its port.');
    if (folder === undefined) {
      return;
    }
    await vscode.workspace.saveAll(false);
    const made = await this.server.execute<Plan>('plan', folder.toString());
    await vscode.window.showTextDocument(vscode.Uri.parse(made.plan));
    const open = 'Convert the Workspace…';
    if ((await vscode.window.showInformationMessage(inWords(made), open)) === open) {
      await this.folderTo(folder);
    }
  }

  private async folderTo(source: vscode.Uri): Promise<void> {
    const proposed = vscode.Uri.joinPath(source, '..', `${nameOf(source)}-${this.server.target}`);
    const typed = await vscode.window.showInputBox({
      title: `Convert ${nameOf(source)} to ${this.server.target}`,
      prompt: 'The folder to write. The original is not changed.',
      value: proposed.fsPath,
      valueSelection: [proposed.fsPath.length, proposed.fsPath.length],
      ignoreFocusOut: true,
    });
    if (typed) {
      await this.convert(source, vscode.Uri.file(typed));
    }
  }

  private async convert(source: vscode.Uri, destination: vscode.Uri): Promise<void> {
    await vscode.workspace.saveAll(false);
    await vscode.workspace.fs.createDirectory(this.storage);
    const report = vscode.Uri.joinPath(this.storage, 'report.html');
    const order = {
      source: source.toString(),
      destination: destination.toString(),
      report: report.toString(),
    };
    const result = await this.server.execute<Result>('convert', order);
    await this.pages.showReport(`Conversion of ${nameOf(source)}`, report);
    await tell(result, destination);
  }
}

async function workspaceFolder(missing: string): Promise<vscode.Uri | undefined> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  if (folders.length === 0) {
    void vscode.window.showInformationMessage(missing);
  }
  return (folders.length > 1 ? await vscode.window.showWorkspaceFolderPick() : folders[0])?.uri;
}

function inWords({ files, uses, converted, steps, risks }: Plan): string {
  const share = `${converted} of ${counted(uses, 'use')} of torch in ${counted(files, 'file')} convert`;
  return `${share}. The plan has ${counted(steps, 'step')} and ${counted(risks, 'risk')}.`;
}

function nameOf(uri: vscode.Uri): string {
  return uri.path.split('/').pop() ?? '';
}

async function pick(openLabel: string): Promise<vscode.Uri | undefined> {
  const options = { canSelectFolders: true, canSelectFiles: false, openLabel };
  return (await vscode.window.showOpenDialog(options))?.[0];
}

async function tell(result: Result, destination: vscode.Uri): Promise<void> {
  const open = 'Open the Result';
  const left = result.uses - result.converted_uses;
  const share = result.uses === 0 ? 'no use of torch' : `${result.shown_share} of ${result.uses} uses`;
  const rest = left === 0 ? '' : ` ${left} ${left === 1 ? 'is' : 'are'} not converted; the report says why.`;
  const failed =
    result.failures.length === 0 ? '' : ` ${result.failures.length} files failed: ${result.failures[0]}`;
  const message = `Converted to ${destination.fsPath}: ${share}.${rest}${failed}`;
  const picked = await (failed === ''
    ? vscode.window.showInformationMessage(message, open)
    : vscode.window.showWarningMessage(message, open));
  if (picked !== open) {
    return;
  }
  const { type } = await vscode.workspace.fs.stat(destination);
  if (type === vscode.FileType.Directory) {
    await vscode.commands.executeCommand('vscode.openFolder', destination, { forceNewWindow: true });
  } else {
    await vscode.window.showTextDocument(destination);
  }
}
