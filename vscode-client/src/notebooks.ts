/** Notebooks: a cell or all of them converted where they stand, and a cell run in torch and in the target. */

import * as vscode from 'vscode';

import type { Server } from './server';

/** The argument that the notebook's toolbar passes to a command. */
interface Toolbar {
  readonly notebookEditor?: { readonly notebookUri: vscode.Uri };
}

const KIND = 'jupyter-notebook';
const CONVERT = '%%convert';
const LOAD = '%load_ext jupyter_ext';

export class Notebooks {
  constructor(private readonly server: Server) {}

  /** Convert a cell, the selected one where none is given. */
  async convertCell(chosen?: vscode.NotebookCell): Promise<void> {
    const cell = codeCell(chosen);
    if (cell !== undefined) {
      await this.convert(cell, false);
    }
  }

  /** Convert every cell of the notebook whose toolbar was used, or of the active one. */
  async convertNotebook(toolbar?: Toolbar): Promise<void> {
    const uri = toolbar?.notebookEditor?.notebookUri.toString();
    const notebook =
      vscode.workspace.notebookDocuments.find((open) => open.uri.toString() === uri) ??
      vscode.window.activeNotebookEditor?.notebook;
    const cell = notebook?.getCells().find(isPython);
    if (cell === undefined) {
      void vscode.window.showInformationMessage('Open a notebook that has a Python cell.');
      return;
    }
    await this.convert(cell, true);
  }

  /** Make a cell one that runs on both sides, and run it. */
  async runSideBySide(chosen?: vscode.NotebookCell): Promise<void> {
    const cell = codeCell(chosen);
    const magic = cell && /^%%\S*/.exec(cell.document.getText())?.[0];
    if (cell === undefined) {
      return;
    }
    if (magic !== undefined && magic !== CONVERT) {
      const message = `The cell begins with ${magic}, but ${CONVERT} must be its first line. Remove ${magic} first.`;
      void vscode.window.showInformationMessage(message);
      return;
    }
    const { notebook } = cell;
    const above = await chosenAbove(cell);
    if (above === undefined) {
      return;
    }
    const loads = notebook.getCells().find((each) => each.index < cell.index && each.document.getText().includes(LOAD));
    const edit = new vscode.WorkspaceEdit();
    if (magic === undefined) {
      edit.insert(cell.document.uri, new vscode.Position(0, 0), `${CONVERT}\n`);
    }
    if (loads === undefined) {
      const data = new vscode.NotebookCellData(vscode.NotebookCellKind.Code, LOAD, 'python');
      edit.set(notebook.uri, [vscode.NotebookEdit.insertCells(0, [data])]);
    }
    if (!(await vscode.workspace.applyEdit(edit))) {
      throw new Error('The notebook has changed; try again.');
    }
    // Loading twice does no harm, but the cell that loads may hold more.
    const first = loads ?? notebook.cellAt(0);
    const cells = [...(hasRun(first) || above.includes(first) ? [] : [first]), ...above, cell];
    await vscode.commands.executeCommand('notebook.cell.execute', {
      ranges: cells.map(({ index }) => ({ start: index, end: index + 1 })),
      document: notebook.uri,
    });
  }

  private async convert(cell: vscode.NotebookCell, whole: boolean): Promise<void> {
    const summary = await this.server.execute<string>('convertCells', cell.document.uri.toString(), whole);
    void vscode.window.showInformationMessage(summary);
  }
}

/** The cells above that are to run first: a cell needs the names that they define. Nothing where the user gives up. */
async function chosenAbove(cell: vscode.NotebookCell): Promise<vscode.NotebookCell[] | undefined> {
  const cells = cell.notebook.getCells().filter(
    (each) => each.index < cell.index && isPython(each) && !hasRun(each) && each.document.getText().trim() !== '',
  );
  const others = cells.filter((each) => each.document.getText().trim() !== LOAD);
  if (others.length === 0) {
    return [];
  }
  const count = others.length === 1 ? '1 cell above has' : `${others.length} cells above have`;
  const all = others.length === 1 ? 'Run It First' : 'Run Them First';
  const one = 'Run Only This Cell';
  const picked = await vscode.window.showInformationMessage(`${count} not run yet.`, all, one);
  return picked === all ? cells : picked === one ? [] : undefined;
}

function hasRun(cell: vscode.NotebookCell): boolean {
  return cell.executionSummary?.success === true;
}

/** The cell that is meant, where it is one of Python; else it is said what is missing. */
function codeCell(chosen?: vscode.NotebookCell): vscode.NotebookCell | undefined {
  const editor = vscode.window.activeNotebookEditor;
  const cell = chosen ?? (editor && editor.notebook.cellCount > 0 ? editor.notebook.cellAt(editor.selection.start) : undefined);
  if (cell === undefined || !isPython(cell)) {
    void vscode.window.showInformationMessage('Choose a Python cell in a notebook.');
    return undefined;
  }
  return cell;
}

function isPython({ document, notebook }: vscode.NotebookCell): boolean {
  return notebook.notebookType === KIND && document.languageId === 'python';
}
