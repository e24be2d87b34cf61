import { ICodeCellModel } from '@jupyterlab/cells';
import { PathExt } from '@jupyterlab/coreutils';
import {
  INotebookTracker,
  NotebookActions,
  NotebookPanel
} from '@jupyterlab/notebook';
import { ISignal, Signal } from '@lumino/signaling';

import { NotebookFollower } from './follower';
import { IOrigin } from '../graphs/graphtab';
import { CellStates } from '../overview/states';
import { ICall, ICellEdits, IEdit, IGraph, ILook, IOutcome, IPair, IPlace } from './protocol';

const CHANGED = 'The cell has changed in the meantime; try again.';

/** A captured graph with the bytes that Netron opens. */
export interface ITraced {
  graph: IGraph;
  netron: Uint8Array;
  follower: NotebookFollower;
}

/** The answer to a request for a port: `edited` says which file a person has changed. */
interface IPorted {
  edited?: string;
  name: string;
  said: string;
}

/** A captured graph and its counterpart in the target. */
export interface IPaired extends ITraced {
  graph: IPair;
  counterpart: Uint8Array;
}

/** The panel's data: the notebook in front, its active cell, and the actions on it. */
export class PanelModel {
  constructor(
    private _tracker: INotebookTracker,
    private _bringToFront: (notebook: NotebookPanel) => void,
    private _open: (path: string) => Promise<unknown>
  ) {
    _tracker.currentChanged.connect(this._onNotebook, this);
    NotebookActions.executed.connect((_, { notebook }) => {
      // Names have other types now, so the cell may convert otherwise.
      if (this._follower?.notebook.content === notebook) {
        void this._follower.refresh();
      }
    });
    this._onNotebook();
  }

  /** Follows the notebook in front; null where there is none. */
  get follower(): NotebookFollower | null {
    return this._follower;
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** The target of the conversion, with a version if one was chosen. */
  get target(): string {
    return this._target;
  }
  set target(target: string) {
    if (target !== this._target) {
      this._target = target;
      this._refreshAll();
      this._emit();
    }
  }

  /** How code is written: plain or exact; empty for what the project's settings say. */
  get style(): string {
    return this._style;
  }
  set style(style: string) {
    if (style !== this._style) {
      this._style = style;
      this._refreshAll();
      this._emit();
    }
  }

  /** Whether the panel is visible; kernels are asked about cells only then. */
  get watching(): boolean {
    return this._watching;
  }
  set watching(watching: boolean) {
    if (watching !== this._watching) {
      this._watching = watching;
      this._attend();
      this._emit();
    }
  }

  /** Resolve once the kernel has seen the current text of the active cell. */
  async seen(): Promise<void> {
    const { follower } = this._need();
    await follower.link.ready();
    await follower.refresh();
  }

  /** Let the rules that a folder brings run, from now on, or no more. */
  async trustRules(folder: string, trust: boolean): Promise<void> {
    const { follower } = this._need();
    await follower.link.request(trust ? 'trust' : 'revoke', { folder });
    await follower.refresh();
  }

  /** Apply the fix of a finding of the active cell, or all of them; one step of undo. */
  async fix(finding: number | null): Promise<void> {
    const { follower, cell } = this._need();
    const source = this._needFresh(follower).source;
    const { content } = await follower.link.request<{ edits: IEdit[] }>('fix', {
      cell: cell.id,
      source,
      finding
    });
    if (cell.sharedModel.getSource() !== source) {
      throw new Error(CHANGED);
    }
    apply(cell, content.edits);
  }

  /**
   * Convert all cells in place, as one program, and drop torch's outputs. Returns a function that
   * takes it back, for cells that nobody has changed since; null where there is nothing to convert
   * or `confirm`, which gets the number of cells that change, does not resolve to true.
   */
  async convertAll(confirm: (cells: number) => Promise<boolean>): Promise<(() => void) | null> {
    const follower = this._follower;
    if (!follower) {
      return null;
    }
    const { content } = await follower.link.request<{ cells: ICellEdits[] }>('conversions', {
      ...follower.changes(),
      ...this._aim()
    });
    const found = content.cells.map(({ cell, source, edits }) => {
      const model = follower.find(cell);
      if (model?.sharedModel.getSource() !== source) {
        throw new Error('The notebook has changed in the meantime; try again.');
      }
      return { model, source, edits };
    });
    if (!found.length || !(await confirm(found.length))) {
      return null;
    }
    if (found.some(({ model, source }) => model.sharedModel.getSource() !== source)) {
      throw new Error('The notebook has changed in the meantime; try again.');
    }
    const before = follower.cells.map(cell => ({
      cell,
      source: cell.sharedModel.getSource(),
      outputs: cell.outputs.toJSON(),
      count: cell.executionCount
    }));
    found.forEach(({ model, edits }) => apply(model, edits));
    follower.cells.forEach(cell => cell.clearExecution());
    const after = new Map(follower.cells.map(cell => [cell, cell.sharedModel.getSource()]));
    return () => {
      for (const { cell, source, outputs, count } of before) {
        if (!cell.isDisposed && cell.sharedModel.getSource() === after.get(cell)) {
          cell.sharedModel.setSource(source);
          cell.outputs.fromJSON(outputs);
          cell.executionCount = count;
        }
      }
    };
  }

  /**
   * Save the notebook, write its port next to it, open that, and return the summary. `overwrite` is
   * asked about a port that a person has edited; the result is null if it refuses.
   */
  async port(overwrite: (edited: string) => Promise<boolean>): Promise<string | null> {
    const follower = this._follower;
    if (!follower) {
      return null;
    }
    const { context } = follower.notebook;
    await context.save();
    const ask = async (force: boolean) => {
      const fields = { name: PathExt.basename(context.path), force, ...this._aim() };
      return (await follower.link.request<IPorted>('port', fields)).content;
    };
    let ported = await ask(false);
    if (ported.edited) {
      if (!(await overwrite(ported.edited))) {
        return null;
      }
      ported = await ask(true);
    }
    await this._open(PathExt.join(PathExt.dirname(context.path), ported.name));
    return ported.said;
  }

  /** Return the last outcome of the active cell, or null if it was not compared in this kernel. */
  async outcome(follower: NotebookFollower, cell: ICodeCellModel): Promise<IOutcome | null> {
    const fields = { cell: cell.id };
    const { content } = await follower.link.request<{ outcome: IOutcome | null }>('outcome', fields);
    return content.outcome;
  }

  /** The states of a notebook's cells. */
  statesOf(follower: NotebookFollower): CellStates {
    let states = this._states.get(follower);
    if (!states) {
      states = new CellStates(follower, () => this._aim());
      this._states.set(follower, states);
    }
    return states;
  }

  private _aim(): { target: string; style: string } {
    return { target: this._target, style: this._style };
  }

  /** The calls of models that can be traced for the active cell. */
  async calls(): Promise<ICall[]> {
    const { follower, cell } = this._need();
    const { content } = await follower.link.request<{ calls: ICall[] }>(
      'models',
      { cell: cell.id }
    );
    return content.calls;
  }

  /** Capture the graph of a call, in the kernel. */
  async trace(call: string): Promise<ITraced> {
    return this._trace(this._need().follower, call);
  }

  /**
   * Capture a call, convert its graph, and compare both sides node by node, in the kernel. `doing`
   * gets the steps.
   */
  async pair(call: string, doing: (step: string) => void): Promise<IPaired> {
    return this._pair(this._need().follower, call, this._target, doing);
  }

  /** The program behind a graph, as torch writes it. */
  async program(origin: IOrigin): Promise<Uint8Array> {
    const follower = await this._followerAt(origin.path);
    const { bytes } = await follower.link.requestAsCell('program', { key: origin.key });
    return bytes[0];
  }

  /** Return a graph that was shown before: the one that the kernel holds, or created `anew`. */
  async shown(origin: IOrigin, anew: boolean): Promise<ITraced | IPaired> {
    const follower = await this._followerAt(origin.path);
    const { call, key, kind, target } = origin;
    if (anew) {
      return kind === 'pair'
        ? this._pair(follower, call, target)
        : this._trace(follower, call);
    }
    const { content, bytes } = await follower.link.request<IPair>('again', { key });
    return { graph: content, netron: bytes[0], counterpart: bytes[1], follower };
  }

  private async _trace(follower: NotebookFollower, call: string): Promise<ITraced> {
    const { content, bytes } = await follower.link.requestAsCell<IGraph>('trace', { call });
    return { graph: content, netron: bytes[0], follower };
  }

  private async _pair(
    follower: NotebookFollower,
    call: string,
    target: string,
    doing?: (step: string) => void
  ): Promise<IPaired> {
    const fields = { call, target };
    const { content, bytes } = await follower.link.requestAsCell<IPair>('pair', fields, doing);
    return { graph: content, netron: bytes[0], counterpart: bytes[1], follower };
  }

  /** Follows the notebook of a path, its kernel at hand; rejects where it is not open. */
  private async _followerAt(path: string): Promise<NotebookFollower> {
    await this._tracker.restored;
    const notebook = this._tracker.find(each => each.context.path === path);
    if (!notebook) {
      throw new Error(`This graph belongs to ${path}: open that notebook, and trace again`);
    }
    const follower = this._followerOf(notebook);
    await follower.link.ready();
    return follower;
  }

  /** Put the converted code of the active cell into a new one below it, with new names. */
  async insertBelow(): Promise<void> {
    const { follower, cell } = this._need();
    await this.seen();
    const fields = { cell: cell.id, source: this._needFresh(follower).source };
    const { content } = await follower.link.request<{ code: string }>('insert', fields);
    const notebook = follower.notebook.content;
    if (follower.cell?.id !== cell.id) {
      throw new Error(CHANGED);
    }
    NotebookActions.insertBelow(notebook);
    notebook.activeCell?.model.sharedModel.setSource(content.code);
  }

  /** Select a stretch of the active cell, in its editor. */
  async reveal(start: number, end: number): Promise<void> {
    const { follower, cell } = this._need();
    this._bringToFront(follower.notebook);
    await showStretch(follower.notebook, cell, start, end);
  }

  /** Go to a line of the active cell. */
  async revealLine(line: number): Promise<void> {
    const { follower, cell } = this._need();
    this._bringToFront(follower.notebook);
    await showLine(follower.notebook, cell, line);
  }

  /** Go to a cell of a notebook, which is brought to the front. */
  async revealCell(follower: NotebookFollower, id: string): Promise<void> {
    const cell = follower.find(id);
    if (cell) {
      this._bringToFront(follower.notebook);
      await showStretch(follower.notebook, cell, 0, 0);
    }
  }

  /** Go to the line that a node of a graph comes from; why that cannot be done, if it cannot. */
  async revealPlace(
    follower: NotebookFollower,
    place: IPlace
  ): Promise<string> {
    const byText = place.cell ? follower.find(place.cell) : null;
    const cell =
      byText ?? (place.count ? follower.findByCount(place.count) : null);
    if (!cell) {
      return `This line is not in the notebook: ${place.file}, line ${place.line + 1}`;
    }
    const lines = cell.sharedModel.getSource().split('\n');
    const same = (line: number) => lines[line]?.trim() === place.code;
    let line = place.line;
    if (place.code && !same(line)) {
      line = lines.findIndex((_, index) => same(index));
    }
    this._bringToFront(follower.notebook);
    await showLine(follower.notebook, cell, Math.max(line, 0));
    return line < 0 ? 'The cell has changed since it ran.' : '';
  }

  private _need(): { follower: NotebookFollower; cell: ICodeCellModel } {
    const follower = this._follower;
    const cell = follower?.cell;
    if (!follower || !cell) {
      throw new Error('There is no active code cell.');
    }
    return { follower, cell };
  }

  private _needFresh(follower: NotebookFollower): ILook {
    const look = follower.fresh;
    if (!look) {
      void follower.refresh();
      throw new Error(CHANGED);
    }
    return look;
  }

  private _onNotebook(): void {
    const notebook = this._tracker.currentWidget;
    this._follower?.changed.disconnect(this._emit, this);
    this._follower = notebook ? this._followerOf(notebook) : null;
    this._follower?.changed.connect(this._emit, this);
    this._emit();
    this._attend();
  }

  /** Keep a link to the kernel of the notebook in front, while the panel is in sight. */
  private _attend(): void {
    this._followers.forEach(follower => {
      follower.link.wanted = this._watching && follower === this._follower;
    });
    void this._follower?.refresh();
  }

  private _followerOf(notebook: NotebookPanel): NotebookFollower {
    let follower = this._followers.get(notebook);
    if (!follower) {
      follower = new NotebookFollower(notebook, () => this._aim());
      this._followers.set(notebook, follower);
      notebook.disposed.connect(() => {
        const closed = this._followers.get(notebook);
        if (closed) {
          this._states.get(closed)?.dispose();
          this._states.delete(closed);
          closed.dispose();
        }
        this._followers.delete(notebook);
      });
    }
    return follower;
  }

  private _refreshAll(): void {
    this._followers.forEach(follower => void follower.refresh());
    this._states.forEach(states => states.refresh());
  }

  private _emit(): void {
    this._changed.emit();
  }

  private _changed = new Signal<this, void>(this);
  private _follower: NotebookFollower | null = null;
  private _states = new Map<NotebookFollower, CellStates>();
  private _style = '';
  private _target = 'paddle';
  private _watching = false;
  private _followers = new Map<NotebookPanel, NotebookFollower>();
}

/** Change a cell's text, in one step of undo. */
function apply(cell: ICodeCellModel, edits: IEdit[]): void {
  cell.sharedModel.transact(() => {
    for (const edit of edits) {
      cell.sharedModel.updateSource(edit.start, edit.end, edit.text);
    }
  });
}

/** Activate the cell and set its editor's selection. */
async function showStretch(
  notebook: NotebookPanel,
  cell: ICodeCellModel,
  start: number,
  end: number
): Promise<void> {
  const content = notebook.content;
  const index = content.widgets.findIndex(widget => widget.model === cell);
  if (index < 0) {
    return;
  }
  content.activeCellIndex = index;
  await content.scrollToItem(index, 'auto');
  const widget = content.widgets[index];
  await widget.ready;
  content.mode = 'edit';
  const editor = widget.editor;
  if (!editor) {
    return;
  }
  const [from, to] = [editor.getPositionAt(start), editor.getPositionAt(end)];
  if (from && to) {
    editor.setSelection({ start: from, end: to });
    editor.revealSelection({ start: from, end: to });
  }
  editor.focus();
}

/** Activate the cell and select a line of it, without its indentation. */
async function showLine(
  notebook: NotebookPanel,
  cell: ICodeCellModel,
  line: number
): Promise<void> {
  const lines = cell.sharedModel.getSource().split('\n');
  const start = lines
    .slice(0, line)
    .reduce((offset, text) => offset + text.length + 1, 0);
  const text = lines[line] ?? '';
  const indent = text.length - text.trimStart().length;
  await showStretch(notebook, cell, start + indent, start + text.length);
}
