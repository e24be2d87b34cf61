import { ICodeCellModel } from '@jupyterlab/cells';
import { Widget } from '@lumino/widgets';

import { count, h } from '../dom';
import { CellState, ICellState } from '../kernel/protocol';
import { CellStates, firstLine, STATES } from './states';

interface IEntry {
  place: number;
  cell: ICodeCellModel;
  state: ICellState | null;
}

type Order = 'cell' | 'outcome' | 'difference' | 'time';

const RANKS = Object.keys(STATES) as CellState[];
const HEADS: [Order, string, string][] = [
  ['outcome', '', 'Outcome: problems first'],
  ['cell', 'Cell', 'In the notebook’s order'],
  ['difference', 'Rel. diff.', 'The largest relative difference of a value'],
  ['time', 'Time', 'The time of both sides together']
];
const KEYS: Record<Order, (entry: IEntry) => number> = {
  cell: ({ place }) => place,
  outcome: ({ state }) => (state ? RANKS.indexOf(state.state) : RANKS.length),
  difference: ({ state }) => -(state?.difference ?? -1),
  time: ({ state }) => -seconds(state)
};

/** All code cells of a notebook with what they came to; a click on one leads there. */
export class CellTable extends Widget {
  constructor(private _reveal: (cell: string) => void) {
    super({ node: h('div', { className: 'tf-Cells' }) });
    this._filter = h('input', { type: 'checkbox', onchange: () => this.update() });
    this._sum = h('span', { className: 'tf-Cells-sum' });
    this._body = h('tbody', { onkeydown: (event: KeyboardEvent) => this._onKey(event) });
    this._heads = HEADS.map(([order, word, title]) =>
      h(
        'th',
        { scope: 'col' },
        h(
          'button',
          { type: 'button', title, 'aria-label': word || 'Outcome', onclick: () => this._sort(order) },
          word || '●'
        )
      )
    );
    this.node.append(
      h(
        'div',
        { className: 'tf-Cells-bar' },
        h('label', {}, this._filter, 'Only problems'),
        this._sum
      ),
      h(
        'div',
        { className: 'tf-Cells-rows' },
        h('table', {}, h('thead', {}, h('tr', {}, ...this._heads)), this._body)
      )
    );
  }

  /** Show the cells of a notebook; drawn with the next frame, however often it is asked for. */
  display(states: CellStates): void {
    this._states = states;
    this.update();
  }

  protected override onUpdateRequest(): void {
    const states = this._states;
    if (!states || states.follower.isDisposed) {
      return;
    }
    const { follower } = states;
    const entries = follower.cells
      .filter(cell => cell.sharedModel.getSource().trim())
      .map((cell, place) => ({ place, cell, state: states.of(cell.id) }));
    const key = KEYS[this._order];
    const shown = entries
      .filter(({ state }) => !this._filter.checked || (state && STATES[state.state].needed))
      .sort((a, b) => (key(a) - key(b)) * (this._down ? -1 : 1) || a.place - b.place);
    const focused = (document.activeElement as HTMLElement | null)?.dataset.cell;
    this._body.replaceChildren(...shown.map(entry => this._row(entry, follower.cell?.id)));
    if (focused) {
      this._rows().find(row => row.dataset.cell === focused)?.focus();
    }
    this._heads.forEach((head, index) => {
      const sorted = HEADS[index][0] === this._order;
      head.setAttribute('aria-sort', sorted ? (this._down ? 'descending' : 'ascending') : 'none');
    });
    this._sum.textContent = sum(entries);
  }

  private _row({ cell, state }: IEntry, active?: string): HTMLElement {
    const { word, sign } = STATES[state?.state ?? 'plain'];
    const said = state ? `${word}${state.said ? `. ${state.said}` : ''}` : 'not read yet';
    const go = h(
      'button',
      {
        type: 'button',
        'data-cell': cell.id,
        title: said,
        onclick: () => this._reveal(cell.id)
      },
      h('span', { className: 'tf-Cells-count' }, `[${cell.executionCount ?? ' '}]`),
      h('code', {}, firstLine(cell))
    );
    return h(
      'tr',
      { className: cell.id === active ? 'tf-mod-active' : '', 'data-torchferry': state?.state ?? '' },
      h('td', {}, h('span', { className: 'tf-Cells-sign', role: 'img', 'aria-label': word, title: said }, sign)),
      h('td', {}, go, h('span', { className: 'tf-Cells-word' }, state ? word : '')),
      h('td', {}, state?.difference == null ? '' : figure(state.difference)),
      h('td', {}, state?.torchSeconds == null ? '' : time(seconds(state)))
    );
  }

  private _sort(order: Order): void {
    this._down = this._order === order && !this._down;
    this._order = order;
    this.update();
  }

  private _rows(): HTMLElement[] {
    return [...this._body.querySelectorAll<HTMLElement>('button')];
  }

  private _onKey(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const rows = this._rows();
    const at = rows.indexOf(event.target as HTMLElement);
    if (step && at >= 0) {
      event.preventDefault();
      rows[at + step]?.focus();
    }
  }

  private _body: HTMLElement;
  private _down = false;
  private _filter: HTMLInputElement;
  private _heads: HTMLElement[];
  private _order: Order = 'cell';
  private _states: CellStates | null = null;
  private _sum: HTMLElement;
}

/** "3 problems · 12 same · 2 drift". */
function sum(entries: IEntry[]): string {
  const needed = entries.filter(({ state }) => state && STATES[state.state].needed).length;
  const words = RANKS.filter(rank => !STATES[rank].needed && rank !== 'plain').map(rank => {
    const number = entries.filter(({ state }) => state?.state === rank).length;
    return number ? `${number} ${STATES[rank].word}` : '';
  });
  const needs = needed ? count(needed, 'problem', 'problems') : '';
  return [needs, ...words].filter(Boolean).join(' · ');
}

function seconds(state: ICellState | null): number {
  return (state?.torchSeconds ?? 0) + (state?.targetSeconds ?? 0);
}

function figure(value: number): string {
  return value === 0 ? '0' : value.toExponential(1);
}

/** "12 ms", "3.4 s", "2 min". */
export function time(value: number): string {
  if (value < 1) {
    return `${Math.round(value * 1000)} ms`;
  }
  return value < 100 ? `${value.toFixed(value < 10 ? 1 : 0)} s` : `${Math.round(value / 60)} min`;
}
