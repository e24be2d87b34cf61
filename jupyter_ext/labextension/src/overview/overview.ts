import { Dialog, showDialog } from '@jupyterlab/apputils';
import { Panel, Widget } from '@lumino/widgets';

import { count, h } from '../dom';
import { PanelModel } from '../kernel/model';
import { markCells } from './marks';
import { NotebookRun } from './notebookrun';
import { CellStates } from './states';
import { CellTable, time } from './table';

/** The notebook at a glance: its cells, and what can be done with all of them. */
export class Overview extends Panel {
  /** `line` makes the magic's line that cells are run by. */
  constructor(
    private _model: PanelModel,
    private _line: () => string
  ) {
    super();
    this.addClass('tf-Overview');
    this._run = this._button('Run all', 'Run every cell and its conversion side by side', () =>
      this.runAll()
    );
    this._convert = this._button('Convert all', 'Convert every cell in place', () =>
      this.convertAll()
    );
    const port = 'Save the notebook, and write its port to a second notebook next to it';
    this._port = this._button('Port', port, () => this.port());
    this._undo = this._button('Undo', 'Undo the conversion of all cells', async () =>
      this._takeBack()
    );
    this._undo.hidden = true;
    this._stop = this._button('Stop', 'Interrupt the running cell, and do not run the others', () =>
      this.stop()
    );
    this._bar = h('progress', { max: 1, value: 0, 'aria-label': 'Cells run' });
    this._note = h('div', { className: 'tf-Note', role: 'status', hidden: true });
    this._table = new CellTable(cell => {
      const follower = this._model.follower;
      void (follower && this._model.revealCell(follower, cell));
    });
    const buttons = [this._run, this._port, this._convert, this._undo, this._bar, this._stop];
    this.addWidget(
      new Widget({
        node: h('div', {}, h('div', { className: 'tf-Graph-row' }, ...buttons), this._note)
      })
    );
    this.addWidget(this._table);
    _model.changed.connect(this._see, this);
    this._see();
  }

  /** Run every cell of the notebook in front on both sides. */
  async runAll(): Promise<void> {
    const states = this._states();
    if (!states || this._runs.has(states)) {
      return;
    }
    const run = new NotebookRun(states, this._line);
    this._runs.set(states, run);
    run.changed.connect(() => this._see());
    this._say('');
    try {
      await run.start();
    } catch (error) {
      this._say((error as Error).message, true);
    } finally {
      this._runs.delete(states);
      this._see();
    }
  }

  /** Convert every cell of the notebook in front in place, if the person confirms it. */
  async convertAll(): Promise<void> {
    const states = this._states();
    let found = 0;
    this._say('Converting …');
    try {
      const undo = await this._model.convertAll(async cells => {
        found = cells;
        return asked(
          'Convert all cells in place?',
          `${count(cells, 'cell changes', 'cells change')}, and the outputs of all cells are ` +
            'removed, since they are torch’s. Undo in the panel reverts this. Port leaves this ' +
            'notebook unchanged and writes a second one.',
          'Convert'
        );
      });
      if (undo && states) {
        this._undos.set(states, undo);
      }
      this._say(found ? '' : 'Nothing to convert in this notebook.');
      this._see();
    } catch (error) {
      this._say((error as Error).message, true);
    }
  }

  /** Write the port of the notebook in front next to it, and open it. */
  async port(): Promise<void> {
    this._say('Writing the port …');
    try {
      const said = await this._model.port(edited =>
        asked('Overwrite the port?', `${edited}. The new port replaces these changes.`, 'Overwrite')
      );
      this._say(said ?? '');
    } catch (error) {
      this._say((error as Error).message, true);
    }
  }

  private _takeBack(): void {
    const states = this._states();
    if (states) {
      this._undos.get(states)?.();
      this._undos.delete(states);
      this._see();
    }
  }

  /** Stop the run of the notebook in front. */
  async stop(): Promise<void> {
    const states = this._states();
    await (states && this._runs.get(states)?.stop());
  }

  private _states(): CellStates | null {
    return this._model.follower ? this._model.statesOf(this._model.follower) : null;
  }

  private _see(): void {
    const states = this._states();
    if (!states || !this._model.watching) {
      return;
    }
    if (!this._seen.has(states)) {
      this._seen.add(states);
      states.changed.connect(() => {
        markCells(states);
        if (this._states() === states) {
          this._table.display(states);
        }
      });
    }
    this._table.display(states);
    const progress = this._runs.get(states)?.progress ?? null;
    const running = this._runs.has(states);
    this._run.hidden = this._port.hidden = this._convert.hidden = running;
    this._undo.hidden = running || !this._undos.has(states);
    this._bar.hidden = this._stop.hidden = !running;
    if (progress) {
      this._bar.max = progress.all;
      this._bar.value = progress.done;
      const { done, all, spent, left } = progress;
      const words = left === null ? `${time(spent)} so far` : `about ${time(left)} left`;
      this._say(`${done} of ${all} cells · ${words}`);
    } else if (this._wasRunning) {
      this._say('');
    }
    this._wasRunning = !!progress;
  }

  private _button(word: string, title: string, act: () => Promise<void>): HTMLButtonElement {
    const onclick = () => void act();
    return h('button', { className: 'tf-SmallButton', type: 'button', title, onclick }, word);
  }

  private _say(text: string, bad = false): void {
    this._note.textContent = text;
    this._note.hidden = !text;
    this._note.classList.toggle('tf-mod-error', bad);
  }

  private _port: HTMLButtonElement;
  private _undo: HTMLButtonElement;
  private _undos = new WeakMap<CellStates, () => void>();
  private _bar: HTMLProgressElement;
  private _convert: HTMLButtonElement;
  private _note: HTMLElement;
  private _run: HTMLButtonElement;
  private _runs = new Map<CellStates, NotebookRun>();
  private _seen = new WeakSet<CellStates>();
  private _stop: HTMLButtonElement;
  private _table: CellTable;
  private _wasRunning = false;
}

/** Ask the person; true for yes. */
async function asked(title: string, body: string, yes: string): Promise<boolean> {
  const buttons = [Dialog.cancelButton(), Dialog.warnButton({ label: yes })];
  return (await showDialog({ title, body, buttons })).button.accept;
}
