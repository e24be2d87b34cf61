import { Widget } from '@lumino/widgets';

import { breakable, count, h } from '../dom';
import { IValue } from '../kernel/protocol';

type Order = 'outcome' | 'name' | 'shape' | 'difference' | 'relative';

const HEADS: [Order, string, string][] = [
  ['outcome', '', 'Outcome: differences first'],
  ['name', 'Name', 'By name'],
  ['shape', 'Shape', 'The largest first'],
  ['difference', 'Diff.', 'The largest difference of an element'],
  ['relative', 'Rel. diff.', 'The largest difference divided by the largest magnitude']
];
/** The signs of outcomes, in the order in which they need a person. */
const SIGNS: Record<string, string> = {
  different: '✗',
  'not checked': '?',
  'not converted': '→',
  'within drift': '≈',
  same: '✓',
  carried: '⇢'
};
const OUTCOMES = Object.keys(SIGNS);
const ORDERS: Record<Order, (a: IValue, b: IValue) => number> = {
  outcome: (a, b) => OUTCOMES.indexOf(a.verdict) - OUTCOMES.indexOf(b.verdict),
  name: (a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }),
  shape: (a, b) => size(b) - size(a),
  difference: (a, b) => (b.difference ?? -1) - (a.difference ?? -1),
  relative: (a, b) => (b.relative ?? -1) - (a.relative ?? -1)
};
/** At most this many rows are drawn; the filter finds the others. */
const MOST = 500;

/** The values of a comparison: sorted by a click on a heading, filtered, one of them chosen. */
export class ValueTable extends Widget {
  constructor(private _choose: (value: IValue) => void) {
    super({ node: h('div', { className: 'tf-Values-table' }) });
    this._filter = h('input', {
      type: 'search',
      className: 'tf-Values-filter',
      placeholder: 'Filter by name, shape or dtype',
      'aria-label': 'Filter values',
      oninput: () => this.update()
    });
    this._only = h('input', { type: 'checkbox', onchange: () => this.update() });
    this._sum = h('span', { className: 'tf-Values-sum', role: 'status' });
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
        { className: 'tf-Values-bar' },
        this._filter,
        h('label', {}, this._only, 'Only differences'),
        this._sum
      ),
      h(
        'div',
        { className: 'tf-Values-rows' },
        h('table', {}, h('thead', {}, h('tr', {}, ...this._heads)), this._body)
      )
    );
  }

  /** Show these values; `chosen` is the name of the one shown in detail. */
  display(values: IValue[], chosen: string): void {
    this._values = values;
    this._chosen = chosen;
    this.update();
  }

  protected override onUpdateRequest(): void {
    const words = this._filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const order = ORDERS[this._order];
    const shown = this._values
      .filter(value => !this._only.checked || /different|not checked/.test(value.verdict))
      .filter(value => words.every(word => text(value).includes(word)))
      .sort((a, b) => order(a, b) * (this._up ? -1 : 1) || ORDERS.name(a, b));
    const focused = (document.activeElement as HTMLElement | null)?.dataset.value;
    this._body.replaceChildren(...shown.slice(0, MOST).map(value => this._row(value)));
    if (focused !== undefined) {
      this._buttons().find(button => button.dataset.value === focused)?.focus();
    }
    this._heads.forEach((head, index) => {
      const sorted = HEADS[index][0] === this._order;
      head.setAttribute('aria-sort', sorted ? (this._up ? 'descending' : 'ascending') : 'none');
    });
    const all = this._values.length;
    const some = shown.length > MOST ? `the first ${MOST} of ${shown.length}` : `${shown.length}`;
    this._sum.textContent =
      shown.length === all && all <= MOST ? count(all, 'value') : `${some} of ${count(all, 'value')}`;
  }

  private _row(value: IValue): HTMLElement {
    const choose = h(
      'button',
      {
        type: 'button',
        'data-value': value.name,
        'aria-pressed': value.name === this._chosen,
        title: value.name,
        onclick: () => this._choose(value)
      },
      ...breakable(value.name)
    );
    return h(
      'tr',
      {
        className: value.name === this._chosen ? 'tf-mod-chosen' : '',
        title: value.reason,
        onclick: (event: MouseEvent) => event.target !== choose && this._choose(value)
      },
      h(
        'td',
        { 'data-verdict': value.verdict },
        h('span', { role: 'img', 'aria-label': value.verdict, title: value.verdict }, SIGNS[value.verdict])
      ),
      h('td', {}, choose),
      h('td', {}, ...atSigns(shape(value))),
      h('td', {}, figure(value.difference)),
      h('td', {}, figure(value.relative))
    );
  }

  private _sort(order: Order): void {
    this._up = this._order === order && !this._up;
    this._order = order;
    this.update();
  }

  private _buttons(): HTMLElement[] {
    return [...this._body.querySelectorAll<HTMLElement>('button')];
  }

  private _onKey(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const buttons = this._buttons();
    const at = buttons.indexOf(event.target as HTMLElement);
    if (step && at >= 0) {
      event.preventDefault();
      buttons[at + step]?.focus();
    }
  }

  private _body: HTMLElement;
  private _chosen = '';
  private _filter: HTMLInputElement;
  private _heads: HTMLElement[];
  private _only: HTMLInputElement;
  private _order: Order = 'outcome';
  private _sum: HTMLElement;
  private _up = false;
  private _values: IValue[] = [];
}

/** A shape that may be broken behind its signs. */
function atSigns(text: string): (Node | string)[] {
  return text.split(/(?<=×)/).flatMap(part => [part, document.createElement('wbr')]);
}

/** Return "3×4 float32", or only the kind for a value that is not a tensor. */
export function shape({ shape, dtype }: IValue): string {
  return [shape?.join('×'), dtype].filter(Boolean).join(' ');
}

/** A difference, short. */
export function figure(value: number | null): string {
  if (value === null) {
    return '';
  }
  return value === 0 ? '0' : value > 1e300 ? '∞' : value.toExponential(1);
}

function size({ shape }: IValue): number {
  return shape ? shape.reduce((product, length) => product * length, 1) : 0;
}

function text(value: IValue): string {
  return `${value.name} ${shape(value)} ${value.verdict}`.toLowerCase();
}
