import { CodeCell, ICodeCellModel } from '@jupyterlab/cells';
import { OutputArea } from '@jupyterlab/outputarea';
import { ISignal, Signal } from '@lumino/signaling';

import { NotebookFollower } from '../kernel/follower';
import { ICellState } from '../kernel/protocol';
import { CellStates } from './states';

/**
 * How far a run is: cells done, of how many, the seconds spent, and those that are left. These are
 * known if all cells to come have run before; the next cell may take a thousand times the last one.
 */
export interface IProgress {
  done: number;
  all: number;
  spent: number;
  left: number | null;
}

/**
 * Runs every code cell of a notebook on both sides, in order. Cells stay as they are, and show what
 * they print; those under another language's magic run as they are.
 */
export class NotebookRun {
  /** `line` makes the magic's line that cells are run by. */
  constructor(
    private _states: CellStates,
    private _line: () => string
  ) {}

  /** How far it is; null once it has ended. */
  get progress(): IProgress | null {
    return this._progress;
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** Run all cells; those that raise stop nothing. Rejects where the kernel is lost. */
  async start(): Promise<void> {
    const { follower } = this._states;
    const cells = follower.cells.filter(cell => cell.sharedModel.getSource().trim());
    const begun = performance.now();
    this._known = new Map(cells.map(({ id }) => [id, this._states.of(id)]));
    this._stopped = false;
    try {
      await follower.link.requestAsCell('ready');
      for (const [done, cell] of cells.entries()) {
        if (this._stopped) {
          return;
        }
        const spent = (performance.now() - begun) / 1000;
        this._say({ done, all: cells.length, spent, left: this._left(cells.slice(done)) });
        await this._run(follower, cell);
        this._states.refresh(cell.id);
      }
    } finally {
      this._say(null);
      void follower.refresh();
    }
  }

  /** Interrupt the cell that is running, and run no other. */
  async stop(): Promise<void> {
    this._stopped = true;
    await this._states.follower.notebook.sessionContext.session?.kernel?.interrupt();
  }

  /** The seconds that cells took when they last ran; null if one has not. */
  private _left(cells: ICodeCellModel[]): number | null {
    return cells.reduce<number | null>((sum, { id }) => {
      const { torchSeconds, targetSeconds } = this._known.get(id) ?? {};
      return sum === null || torchSeconds == null ? null : sum + torchSeconds + (targetSeconds ?? 0);
    }, 0);
  }

  private async _run(follower: NotebookFollower, cell: ICodeCellModel): Promise<void> {
    const { content, sessionContext } = follower.notebook;
    const widget = content.widgets.find(each => each.model === cell);
    if (!(widget instanceof CodeCell)) {
      return;
    }
    const source = cell.sharedModel.getSource();
    if (source.trimStart().startsWith('%%')) {
      await CodeCell.execute(widget, sessionContext);
      return;
    }
    cell.sharedModel.transact(() => cell.clearExecution(), false, 'silent-change');
    cell.executionState = 'running';
    cell.trusted = true;
    try {
      const code = `${this._line()}\n${source}`;
      const metadata = { cellId: cell.id, tags: ['raises-exception'] };
      const reply = await OutputArea.execute(code, widget.outputArea, sessionContext, metadata);
      cell.executionCount = reply?.content.execution_count ?? null;
    } finally {
      cell.executionState = 'idle';
    }
  }

  private _say(progress: IProgress | null): void {
    this._progress = progress;
    this._changed.emit();
  }

  private _changed = new Signal<this, void>(this);
  private _known = new Map<string, ICellState | null>();
  private _progress: IProgress | null = null;
  private _stopped = false;
}
