/** The conversion of a file next to the file itself, updated while the user types. */

import * as vscode from 'vscode';

import type { Server } from './server';

const SCHEME = 'torchferry-preview';

interface Preview {
  readonly code: string;
  /** For each line of the code its line in the file, -1 for what was added. */
  readonly lines: readonly number[];
  readonly findings: number;
  readonly unconverted: number;
}

export class PreviewProvider implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<vscode.Uri>();
  private readonly subscriptions: vscode.Disposable[];
  private readonly lastCode = new Map<string, string>();
  readonly onDidChange = this.changes.event;

  constructor(private readonly server: Server) {
    this.subscriptions = [
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.follow(document)),
      vscode.workspace.onDidCloseTextDocument((document) => this.forget(document)),
      this.changes,
    ];
  }

  /** Show the active file next to its conversion, at the line of the cursor. */
  async show(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor?.document.languageId !== 'python') {
      void vscode.window.showInformationMessage('Open a Python file to preview its conversion.');
      return;
    }
    const { uri } = editor.document;
    const name = uri.path.split('/').pop() ?? 'file';
    const title = `${name}: original ↔ converted`;
    const selection = await this.place(uri, editor.selection.active.line);
    await vscode.commands.executeCommand('vscode.diff', uri, previewOf(uri), title, { selection });
  }

  /**
   * Return the line of the conversion for a line of the file; the top if there is no conversion.
   */
  private async place(original: vscode.Uri, line: number): Promise<vscode.Range> {
    const lines: readonly number[] = await this.server.execute<Preview>('preview', original.toString()).then(
      (preview) => preview.lines,
      () => [], // the page says why
    );
    const place = Math.max(lines.findLastIndex((from) => from >= 0 && from <= line), 0);
    return new vscode.Range(place, 0, place, 0);
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const original = originalOf(uri);
    try {
      const preview = await this.server.execute<Preview>('preview', original);
      this.lastCode.set(original, preview.code);
      return preview.code;
    } catch (error) {
      // Half-typed code does not convert: what did a moment ago is better than an empty page.
      return this.lastCode.get(original) ?? `# There is no preview:\n# ${error}\n`;
    }
  }

  dispose(): void {
    for (const subscription of this.subscriptions) {
      subscription.dispose();
    }
  }

  private follow(document: vscode.TextDocument): void {
    const preview = previewOf(document.uri).toString();
    if (vscode.workspace.textDocuments.some((open) => open.uri.toString() === preview)) {
      this.changes.fire(previewOf(document.uri));
    }
  }

  private forget(document: vscode.TextDocument): void {
    if (document.uri.scheme === SCHEME) {
      this.lastCode.delete(originalOf(document.uri));
    }
  }
}

function previewOf(original: vscode.Uri): vscode.Uri {
  return vscode.Uri.from({ scheme: SCHEME, path: original.path, query: original.toString() });
}

function originalOf(preview: vscode.Uri): string {
  return preview.query;
}
