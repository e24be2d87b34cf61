/** Pages next to the code: texts in Markdown, and reports in HTML. */

import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';

const SCHEME = 'torchferry-page';
const POLICY = /<meta http-equiv="Content-Security-Policy"[^>]*>/;

export class Pages implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<vscode.Uri>();
  private readonly texts = new Map<string, string>();
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  readonly onDidChange = this.changes.event;

  /** Show a text in Markdown, as a preview next to the editor. */
  async showMarkdown(title: string, text: string): Promise<void> {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${title}.md` });
    this.texts.set(uri.toString(), text);
    this.changes.fire(uri);
    await vscode.commands.executeCommand('markdown.showPreviewToSide', uri);
  }

  /** Show a report that is one page of HTML, which may load nothing and ask nobody. */
  async showReport(title: string, file: vscode.Uri): Promise<void> {
    const html = new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
    const panel = vscode.window.createWebviewPanel(
      'torchferry.report',
      title,
      vscode.ViewColumn.Active,
      { enableScripts: true, enableFindWidget: true, localResourceRoots: [] },
    );
    const show = () => (panel.webview.html = guarded(themed(html)));
    const theme = vscode.window.onDidChangeActiveColorTheme(show);
    panel.onDidDispose(() => theme.dispose());
    show();
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? '';
  }

  dispose(): void {
    this.registration.dispose();
    this.changes.dispose();
  }
}

/** A page in the colours of the editor, which need not be those of the system. */
function themed(html: string): string {
  const { kind } = vscode.window.activeColorTheme;
  const isDark = kind === vscode.ColorThemeKind.Dark || kind === vscode.ColorThemeKind.HighContrast;
  return html
    .replaceAll('(prefers-color-scheme: dark)', isDark ? 'all' : 'not all')
    .replaceAll('color-scheme: light dark', `color-scheme: ${isDark ? 'dark' : 'light'}`);
}

/** A page whose own scripts run, and no others. */
function guarded(html: string): string {
  const nonce = newNonce();
  const policy = `default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'nonce-${nonce}'`;
  return html
    .replace(POLICY, `<meta http-equiv="Content-Security-Policy" content="${policy}">`)
    .replaceAll('<script', `<script nonce="${nonce}"`);
}

/** A word that marks the scripts of one page as ours. */
export function newNonce(): string {
  return randomBytes(16).toString('hex');
}
