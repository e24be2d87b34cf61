/** A model's graph in Netron, in a page that asks nothing of any other host. */

import * as vscode from 'vscode';

import { newNonce } from './pages';

/** A node of a captured graph, and where in the source it comes from. */
export interface GraphNode {
  readonly node: string;
  /** `file:line`, or empty where no line of the user's made it. */
  readonly location: string;
}

const DROPPED = [
  /<meta http-equiv="Content-Security-Policy"[^>]*>/,
  /<meta name="date"[^>]*>/,
  /<script[^>]*src="index.js"[^>]*><\/script>/,
  /<link[^>]*>/g,
];

export class GraphView {
  constructor(private readonly context: vscode.ExtensionContext) {}

  /** Show a graph; a click on a node goes to its line. */
  async show(
    name: string,
    graph: Uint8Array,
    nodes: readonly GraphNode[],
    source: vscode.Uri,
  ): Promise<void> {
    const root = this.context.extensionUri;
    const panel = vscode.window.createWebviewPanel(
      'torchferry.graph',
      `Graph of ${name}`,
      { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
      { enableScripts: true, retainContextWhenHidden: true, localResourceRoots: [vscode.Uri.joinPath(root, 'dist')] },
    );
    const places = new Map(nodes.map(({ node, location }) => [node, location]));
    panel.webview.onDidReceiveMessage(async (message: { kind: string; name?: string }) => {
      if (message.kind === 'ready') {
        await panel.webview.postMessage({ name: `${name}.netron`, text: new TextDecoder().decode(graph) });
      } else if (message.kind === 'selected') {
        await goTo(places.get(message.name ?? ''), source);
      }
    });
    panel.webview.html = await this.page(panel.webview);
  }

  private async page(webview: vscode.Webview): Promise<string> {
    const root = this.context.extensionUri;
    let html = await this.netron('index.html');
    const style = await this.netron('grapher.css');
    for (const part of DROPPED) {
      html = html.replace(part, '');
    }
    const nonce = newNonce();
    const script = webview.asWebviewUri(vscode.Uri.joinPath(root, 'dist', 'graph.js'));
    const policy = [
      "default-src 'none'",
      `script-src 'nonce-${nonce}'`,
      `style-src 'unsafe-inline'`,
      `img-src data: blob:`,
      "form-action 'none'",
      "base-uri 'none'",
    ].join('; ');
    return html
      .replace('<head>', `<head><meta http-equiv="Content-Security-Policy" content="${policy}">`)
      // A version that was never released: Netron then asks nobody for newer ones.
      .replace(/<meta name="version" content="[^"]*">/, '<meta name="version" content="0.0.0">')
      .replace('</head>', `<style>${style}</style></head>`)
      .replace('</body>', `<script nonce="${nonce}" src="${script}"></script></body>`);
  }

  /** A file of Netron's page. */
  private async netron(name: string): Promise<string> {
    const file = vscode.Uri.joinPath(this.context.extensionUri, 'bundled', 'netron', name);
    return new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
  }
}

async function goTo(location: string | undefined, source: vscode.Uri): Promise<void> {
  const found = /^(.*):(\d+)(?::\d+)?$/.exec(location ?? '');
  if (found === null) {
    vscode.window.setStatusBarMessage('This node does not come from a line of your code.', 3000);
    return;
  }
  const file = found[1].startsWith('/') || /^[A-Za-z]:/.test(found[1])
    ? vscode.Uri.file(found[1])
    : vscode.Uri.joinPath(source, '..', found[1]);
  const line = Number(found[2]) - 1;
  const range = new vscode.Range(line, 0, line, 0);
  const shown = vscode.window.visibleTextEditors.find(
    (editor) => editor.document.uri.toString() === file.toString(),
  );
  const editor = await vscode.window.showTextDocument(file, {
    viewColumn: shown?.viewColumn ?? vscode.ViewColumn.One,
    selection: range,
  });
  editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}
