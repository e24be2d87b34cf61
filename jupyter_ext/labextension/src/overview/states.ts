import { ICodeCellModel, ICellModel } from '@jupyterlab/cells';
import { NotebookActions } from '@jupyterlab/notebook';
import { IDisposable } from '@lumino/disposable';
import { ISignal, Signal } from '@lumino/signaling';

import { NotebookFollower } from '../kernel/follower';
import { CellState, ICellState } from '../kernel/protocol';

/** A cell is asked about again once nobody has typed in it for so long, in milliseconds. */
const PAUSE = 500;

/** The name of a state, its sign, and whether the person has something to do. */
export const STATES: Record<CellState, { word: string; sign: string; needed: boolean }> = {
  different: { word: 'different', sign: '✗', needed: true },
  'raised-alone': { word: 'raised on one side', sign: '✗', needed: true },
  unreadable: { word: 'unreadable', sign: '✗', needed: true },
  raised: { word: 'raised on both', sign: '!', needed: true },
  unconverted: { word: 'not converted', sign: '→', needed: true },
  stale: { word: 'stale', sign: '↻', needed: true },
  open: { word: 'not compared', sign: '·', needed: false },
  unchecked: { word: 'not checked', sign: '?', needed: false },
  drift: { word: 'within drift', sign: '≈', needed: false },
  same: { word: 'same', sign: '✓', needed: false },
  plain: { word: 'unchanged', sign: '', needed: false }
};

/** The states of all cells of a notebook, kept up to date while its kernel is wanted. */
export class CellStates implements IDisposable {
  constructor(
    readonly follower: NotebookFollower,
    private _aim: () => { target: string; style: string }
  ) {
    follower.link.stateChanged.connect(this.refresh, this);
    follower.notebook.content.modelChanged.connect(this._onModel, this);
    NotebookActions.executed.connect(this._onExecuted, this);
    this._onModel();
  }

  /** Emits when the states are others, or the cells are. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** The state of a cell; null where it has not been asked for. */
  of(cell: string): ICellState | null {
    return this._states.get(cell) ?? null;
  }

  dispose(): void {
    if (!this._isDisposed) {
      this._isDisposed = true;
      clearTimeout(this._timer);
      Signal.clearData(this);
    }
  }

  /** Ask about one cell again, or about all. */
  refresh(cell?: unknown): void {
    const ids = typeof cell === 'string' ? [cell] : this.follower.cells.map(({ id }) => id);
    ids.forEach(id => this._asked.add(id));
    this._asking ??= this._ask().finally(() => (this._asking = null));
  }

  /** One cell a question: what is asked about the active cell goes between. */
  private async _ask(): Promise<void> {
    const { link } = this.follower;
    // At the end of what is running now, so that whatever else changes is asked about as well.
    await Promise.resolve();
    while (this._asked.size && !this._isDisposed && link.wanted && link.state === 'ready') {
      const [cell] = this._asked;
      this._asked.delete(cell);
      try {
        const fields = { ...this.follower.changes(), cells: [cell], ...this._aim() };
        const { content } = await link.request<{ states: ICellState[] }>('glance', fields);
        content.states.forEach(state => this._states.set(state.cell, this._since(state)));
      } catch {
        // The link is lost; with the next one all are asked about.
        return;
      }
      this._changed.emit();
    }
  }

  /** A state, or what a kernel before this one found of the cell. */
  private _since(state: ICellState): ICellState {
    const before = this._compared.get(state.cell);
    if (state.torchSeconds != null) {
      this._compared.set(state.cell, state);
    } else if (before && (state.state === 'open' || state.state === 'plain')) {
      return { ...before, state: 'stale', said: `Before the kernel restarted: ${before.said}` };
    }
    return state;
  }

  private _onModel(): void {
    this.follower.notebook.content.model?.cells.changed.connect(this._onCells, this);
    this._onCells();
  }

  private _onCells(): void {
    const { cells } = this.follower;
    for (const cell of cells) {
      // Connecting twice connects once.
      cell.contentChanged.connect(this._onContent, this);
    }
    const fresh = cells.filter(({ id }) => !this._states.has(id));
    fresh.forEach(({ id }) => this.refresh(id));
    this._changed.emit();
  }

  private _onContent(cell: ICellModel): void {
    this._typed.add(cell.id);
    clearTimeout(this._timer);
    this._timer = window.setTimeout(() => {
      this._typed.forEach(id => this.refresh(id));
      this._typed.clear();
    }, PAUSE);
  }

  private _onExecuted(
    _: unknown,
    { notebook, cell }: { notebook: unknown; cell: { model: ICellModel } }
  ): void {
    if (notebook === this.follower.notebook.content) {
      this.refresh(cell.model.id);
    }
  }

  private _asked = new Set<string>();
  private _asking: Promise<void> | null = null;
  private _compared = new Map<string, ICellState>();
  private _changed = new Signal<this, void>(this);
  private _isDisposed = false;
  private _states = new Map<string, ICellState>();
  private _timer = 0;
  private _typed = new Set<string>();
}

/** The first line of a cell that says what it does: neither a comment, a magic nor an import. */
export function firstLine(cell: ICodeCellModel): string {
  const lines = cell.sharedModel.getSource().split('\n').map(line => line.trim());
  const code = lines.filter(line => line && !/^(#|%%convert)/.test(line));
  return code.find(line => !/^(import |from |[%@!])/.test(line)) ?? code[0] ?? '';
}
