import { ICodeCellModel, ICellModel, isCodeCellModel } from '@jupyterlab/cells';
import { PathExt } from '@jupyterlab/coreutils';
import { NotebookPanel } from '@jupyterlab/notebook';
import { JSONObject } from '@lumino/coreutils';
import { IDisposable } from '@lumino/disposable';
import { ISignal, Signal } from '@lumino/signaling';

import { KernelLink } from './comm';
import { ILook } from './protocol';

/** Follows one notebook: sends changed cells to the kernel, and asks it about the active one. */
export class NotebookFollower implements IDisposable {
  /** `aim` returns the target and the style of the code. */
  constructor(
    readonly notebook: NotebookPanel,
    private _aim: () => { target: string; style: string }
  ) {
    this.link = new KernelLink(notebook.sessionContext);
    this.link.stateChanged.connect(this._onLink, this);
    notebook.content.activeCellChanged.connect(this._onActiveCell, this);
    notebook.content.modelChanged.connect(this._onModel, this);
    this.name = nameOf(notebook);
    notebook.context.pathChanged.connect(() => (this.name = nameOf(notebook)));
    this._onModel();
  }

  readonly link: KernelLink;

  /** The notebook's name; it stays when the notebook is closed. */
  name: string;

  /** The active cell, if it is one of code. */
  get cell(): ICodeCellModel | null {
    const model = this.notebook.content.activeCell?.model;
    return model && isCodeCellModel(model) ? model : null;
  }

  /** All code cells, in the notebook's order. */
  get cells(): ICodeCellModel[] {
    const cells = this.notebook.content.model?.cells ?? [];
    return [...cells].filter(isCodeCellModel) as ICodeCellModel[];
  }

  /** The last look at the active cell, which may have changed since. */
  get look(): ILook | null {
    const cell = this.cell;
    return cell && this._look?.cell === cell.id ? this._look : null;
  }

  /** The look at the current text of the active cell; null while there is none. */
  get fresh(): ILook | null {
    const look = this.look;
    return look?.source === this.cell?.sharedModel.getSource() ? look : null;
  }

  /** Why the last look failed; empty where it did not. */
  get problem(): string {
    return this._problem;
  }

  /** Emits when the cell, the link or the look is another. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    this.link.dispose();
    Signal.clearData(this);
  }

  /** The code cell of an id. */
  find(id: string): ICodeCellModel | null {
    return this.cells.find(cell => cell.id === id) ?? null;
  }

  /** The code cell that ran as number `count`. */
  findByCount(count: number): ICodeCellModel | null {
    return (
      this.cells.find(cell => cell.executionCount === count) ?? null
    );
  }

  /**
   * Look at the active cell again, if the kernel may be asked.
   *
   * The first request goes out at once; while it is on its way, any number of keystrokes cause only
   * one more. So the kernel sets the pace, and no timer delays an answer.
   */
  refresh(): Promise<void> {
    this._lookAgain = true;
    this._looking ??= this._lookOn().finally(() => (this._looking = null));
    return this._looking;
  }

  /** Bring the kernel's copy of the notebook up to date with the next request. */
  changes(): JSONObject {
    const fields: JSONObject = {};
    const { cells } = this;
    const order = cells.map(cell => cell.id);
    if (order.join() !== this._sentOrder) {
      this._sentOrder = order.join();
      fields.order = order;
      // A cell that came in, perhaps by undo, is unknown to the kernel.
      const known = this._known;
      this._known = new Set(order);
      order.filter(id => !known.has(id)).forEach(id => this._dirty.add(id));
    }
    fields.sources = Object.fromEntries(
      cells
        .filter(cell => this._dirty.has(cell.id))
        .map(cell => [cell.id, cell.sharedModel.getSource()])
    );
    this._dirty.clear();
    return fields;
  }

  private async _lookOn(): Promise<void> {
    while (this._lookAgain && !this._isDisposed) {
      this._lookAgain = false;
      await this._lookOnce();
    }
  }

  private async _lookOnce(): Promise<void> {
    const cell = this.cell;
    if (!cell || !this.link.wanted || this.link.state !== 'ready') {
      this._changed.emit();
      return;
    }
    const source = cell.sharedModel.getSource();
    try {
      const fields = { ...this.changes(), cell: cell.id, ...this._aim() };
      const answer = await this.link.request<ILook>('look', fields);
      if (answer.content.source !== source) {
        // The kernel has a new copy, so everything is sent again.
        this._forget();
        this._lookAgain = true;
      }
      this._look = answer.content;
      this._problem = '';
    } catch (error) {
      this._look = null;
      this._problem = (error as Error).message;
    }
    if (!this._isDisposed) {
      this._changed.emit();
    }
  }

  private _onModel(): void {
    const cells = this.notebook.content.model?.cells;
    cells?.changed.connect(this._onCells, this);
    this._forget();
    this._onCells();
  }

  private _onCells(): void {
    for (const cell of this.cells) {
      // Connecting twice connects once.
      cell.contentChanged.connect(this._onContent, this);
    }
    void this.refresh();
  }

  private _onContent(cell: ICellModel): void {
    this._dirty.add(cell.id);
    void this.refresh();
  }

  private _onActiveCell(): void {
    this._problem = '';
    this._changed.emit();
    void this.refresh();
  }

  private _onLink(): void {
    if (this.link.state === 'ready') {
      this._forget();
      void this.refresh();
    }
    this._changed.emit();
  }

  /** The kernel is new, or the notebook is: it knows of no cell yet. */
  private _forget(): void {
    this._sentOrder = null;
    this._known.clear();
  }

  private _changed = new Signal<this, void>(this);
  private _dirty = new Set<string>();
  private _isDisposed = false;
  private _known = new Set<string>();
  private _look: ILook | null = null;
  private _lookAgain = false;
  private _looking: Promise<void> | null = null;
  private _problem = '';
  private _sentOrder: string | null = null;
}

function nameOf(notebook: NotebookPanel): string {
  return PathExt.basename(notebook.context.path);
}
