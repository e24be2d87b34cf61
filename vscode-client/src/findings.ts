/** The findings of the workspace as a tree: by file, by code, or by name for what cannot be converted. */

import { isDeepStrictEqual } from 'node:util';

import * as vscode from 'vscode';

import type { Pages } from './pages';
import { type Count, Progress } from './progress';
import { type FileRows, GROUPINGS, type Grouping, group, type Group, type Overview, type Row } from './grouping';
import type { Server } from './server';

type Node = Group | Row;

const VIEW = 'torchferry.findings';
const GROUPING = 'torchferry.grouping';
// Diagnostics come with every keystroke; the rows follow when there has been none for so long.
const QUIET_MS = 400;
// A sidebar is narrow: the icon says how severe, and the colours are those of the Problems panel.
const ICON: Record<Row['severity'], vscode.ThemeIcon> = {
  hint: new vscode.ThemeIcon('circle-outline'),
  information: new vscode.ThemeIcon('info', new vscode.ThemeColor('problemsInfoIcon.foreground')),
  warning: new vscode.ThemeIcon('warning', new vscode.ThemeColor('problemsWarningIcon.foreground')),
  error: new vscode.ThemeIcon('error', new vscode.ThemeColor('problemsErrorIcon.foreground')),
};

export class Findings implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<undefined>();
  private readonly view: vscode.TreeView<Node>;
  private readonly subscriptions: vscode.Disposable[];
  private files = new Map<string, FileRows>();
  private readonly progress: Progress;
  private codes: Record<string, string> = {};
  private filter = '';
  private isStale = true;
  private readonly changed = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  readonly onDidChangeTreeData = this.changes.event;

  constructor(
    private readonly server: Server,
    private readonly pages: Pages,
    private readonly state: vscode.Memento,
  ) {
    this.progress = new Progress(state);
    this.view = vscode.window.createTreeView(VIEW, { treeDataProvider: this, showCollapseAll: true });
    const files = vscode.workspace.createFileSystemWatcher('**/*.{py,ipynb}');
    this.subscriptions = [
      this.view,
      this.changes,
      files,
      server.onDidStart(() => this.outdated()),
      this.view.onDidChangeVisibility(() => this.refreshWhereSeen()),
      files.onDidChange((uri) => this.touched(uri)),
      files.onDidDelete((uri) => this.touched(uri)),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.outdated()),
      vscode.languages.onDidChangeDiagnostics(({ uris }) => uris.forEach((uri) => this.touched(uri))),
    ];
  }

  /** Look through the whole workspace again. */
  async refresh(): Promise<void> {
    this.isStale = false;
    this.changed.clear();
    this.take(await this.server.execute<Overview>('overview', null), new Map());
  }

  /** Ask by what the findings are to be grouped. */
  async choose(): Promise<void> {
    const items = GROUPINGS.map(({ label, grouping }) => ({
      label,
      grouping,
      description: grouping === this.grouping ? 'current' : '',
    }));
    const picked = await vscode.window.showQuickPick(items, { title: 'Group Torchferry’s Findings' });
    if (picked !== undefined) {
      await this.state.update(GROUPING, picked.grouping);
      this.show();
    }
  }

  /** Ask for words that a finding must have: in its code, its name, its message, its file. */
  async chooseFilter(): Promise<void> {
    const typed = await vscode.window.showInputBox({
      title: 'Filter Torchferry’s Findings',
      prompt: 'Show findings whose code, name, message or path has all of these words. Leave empty to show all.',
      value: this.filter,
    });
    if (typed !== undefined) {
      this.filter = typed.trim();
      this.show();
    }
  }

  /** Convert the findings of a row in the files, without saving them; the editor knows no row that it draws again. */
  async convert(node: Node | undefined): Promise<void> {
    if (node === undefined) {
      void vscode.window.showInformationMessage('The findings have just changed. Press Convert again.');
      return;
    }
    const rows = 'rows' in node ? node.rows : [node];
    for (const [uri, those] of byFile(rows.filter((row) => row.safety !== null))) {
      const opened = await open(vscode.Uri.parse(uri), those[0].cell);
      await this.server.execute('convertRows', opened, isWhole(node) ? null : those.map(({ at }) => at));
    }
  }

  /** Show a finding in a cell of a notebook. */
  async openCell({ uri, cell, range: { start, end } }: Row): Promise<void> {
    const notebook = await vscode.workspace.openNotebookDocument(vscode.Uri.parse(uri));
    const chosen = notebook.cellAt((cell ?? 1) - 1);
    const selections = [new vscode.NotebookRange(chosen.index, chosen.index + 1)];
    await vscode.window.showNotebookDocument(notebook, { selections });
    const selection = new vscode.Range(start.line, start.character, end.line, end.character);
    await vscode.window.showTextDocument(chosen.document, { selection });
  }

  /** Show how the count of uses went down from day to day. */
  async showProgress(): Promise<void> {
    await this.refresh();
    await this.pages.showMarkdown('Progress of the Port', this.progress.page());
  }

  getChildren(node?: Node): Node[] {
    if (node === undefined) {
      return group([...this.files.values()], this.codes, this.grouping, this.filter);
    }
    return 'rows' in node ? [...node.rows] : [];
  }

  getTreeItem(node: Node): vscode.TreeItem {
    return 'rows' in node ? groupItem(node) : rowItem(node, this.grouping === 'file');
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const subscription of this.subscriptions) {
      subscription.dispose();
    }
  }

  private get grouping(): Grouping {
    return this.state.get<Grouping>(GROUPING, 'file');
  }

  private outdated(): void {
    this.isStale = true;
    void this.refreshWhereSeen();
  }

  private async refreshWhereSeen(): Promise<void> {
    if (this.isStale && this.view.visible && this.server.isRunning) {
      await this.refresh().catch((error: unknown) => this.failed(error));
    }
  }

  private failed(error: unknown): void {
    this.view.message = error instanceof Error ? error.message : String(error);
  }

  /** A file may have others now; one that was not there counts once it is seen in an editor. */
  private touched(changed: vscode.Uri): void {
    const uri = fileOf(changed);
    const known = this.files.has(uri.toString());
    const seen = vscode.window.visibleTextEditors.some(({ document }) => fileOf(document.uri).toString() === uri.toString());
    if (this.isStale || !(known || (seen && vscode.workspace.getWorkspaceFolder(uri) && /\.(py|ipynb)$/.test(uri.path)))) {
      return;
    }
    this.changed.add(uri.toString());
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.follow().catch((error: unknown) => this.failed(error)), QUIET_MS);
  }

  private async follow(): Promise<void> {
    const uris = [...this.changed];
    this.changed.clear();
    if (this.server.isRunning && uris.length > 0) {
      this.take(await this.server.execute<Overview>('overview', uris));
    }
  }

  /** Replace the findings of some files among the known ones; an empty tree is drawn as well. */
  private take(found: Overview, known = this.files): void {
    const files = new Map(known);
    for (const { uri, rows } of found.files) {
      if (rows.length === 0) {
        files.delete(uri);
      } else {
        files.set(uri, { uri, rows: rows.map((row) => ({ ...row, uri })) });
      }
    }
    // A tree that is drawn again loses its buttons while a person presses them.
    if (files.size === 0 || !isDeepStrictEqual(files, this.files)) {
      this.files = files;
      this.codes = { ...this.codes, ...found.codes };
      this.show();
    }
  }

  private show(): void {
    const uses = [...this.files.values()].flatMap(({ rows }) => rows.filter((row) => row.isUse));
    const count: Count = { uses: uses.length, stay: uses.filter((row) => row.stays).length };
    this.view.message = this.progress.note(count, this.files.size);
    this.view.description = this.filter && `filter: “${this.filter}”`;
    this.changes.fire(undefined);
  }
}

/** The file of a document, which is a notebook's for a cell; a remote one's address names its host. */
function fileOf(uri: vscode.Uri): vscode.Uri {
  return uri.scheme === 'vscode-notebook-cell' ? uri.with({ scheme: 'file', authority: '', fragment: '' }) : uri;
}

/** Open a file to be changed; the address that the server knows it by, which is a cell's for a notebook. */
async function open(uri: vscode.Uri, cell: number | null): Promise<string> {
  if (cell === null) {
    return (await vscode.workspace.openTextDocument(uri)).uri.toString();
  }
  const notebook = await vscode.workspace.openNotebookDocument(uri);
  await vscode.window.showNotebookDocument(notebook, { preserveFocus: true });
  return notebook.cellAt(cell - 1).document.uri.toString();
}

function byFile(rows: readonly Row[]): Map<string, Row[]> {
  const found = new Map<string, Row[]>();
  for (const row of rows) {
    found.set(row.uri, [...(found.get(row.uri) ?? []), row]);
  }
  return found;
}

/** Return whether a row has all findings of one file. */
function isWhole(node: Node): boolean {
  return 'rows' in node && node.isWhole;
}

function groupItem(node: Group): vscode.TreeItem {
  const item = new vscode.TreeItem(node.label, vscode.TreeItemCollapsibleState.Collapsed);
  const detail = node.file === undefined ? node.detail : folderOf(vscode.Uri.parse(node.file));
  item.description = [node.counts, detail].filter(Boolean).join(' · ');
  item.tooltip = `${node.label}\n${item.description}`;
  item.contextValue = node.rows.some((row) => row.safety !== null) ? 'converts' : 'stays';
  if (node.file === undefined) {
    item.iconPath = ICON[node.rows[0].severity];
  } else {
    item.resourceUri = vscode.Uri.parse(node.file);
    item.iconPath = vscode.ThemeIcon.File;
  }
  return item;
}

/** The folder of a file, as seen from the workspace; empty at its top. */
function folderOf(uri: vscode.Uri): string {
  return vscode.workspace.asRelativePath(uri).split('/').slice(0, -1).join('/');
}

function rowItem(row: Row, isUnderFile: boolean): vscode.TreeItem {
  const uri = vscode.Uri.parse(row.uri);
  const line = row.range.start.line;
  const item = new vscode.TreeItem(row.name ?? row.code);
  const inCell = row.cell === null ? '' : `cell ${row.cell}`;
  const place = isUnderFile
    ? [inCell, `line ${line + 1}`].filter(Boolean).join(', ')
    : [uri.path.split('/').pop(), inCell, line + 1].filter(Boolean).join(':');
  const safety = row.safety === null || row.safety === 'safe' ? '' : row.safety;
  const target = row.target ? `→ ${row.target}` : '';
  // The new name comes first: a narrow view cuts the end.
  item.description = [target, place, row.code, row.stays ? 'not converted' : safety].filter(Boolean).join(' · ');
  item.tooltip = row.message;
  item.iconPath = ICON[row.severity];
  item.contextValue = row.safety === null ? 'stays' : 'converts';
  const { start, end } = row.range;
  const selection = new vscode.Range(start.line, start.character, end.line, end.character);
  item.command =
    row.cell === null
      ? { command: 'vscode.open', title: 'Open', arguments: [uri, { selection }] }
      : { command: 'torchferry.openCell', title: 'Open', arguments: [row] };
  return item;
}
