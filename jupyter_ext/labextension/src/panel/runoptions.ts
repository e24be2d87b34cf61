import { h } from '../dom';

/** An option of `%%convert` that takes a number: its word, its name here, and what it is for. */
type NumberOption = [word: string, name: string, title: string, rules: { [rule: string]: string }];

const WHOLE = { min: '1', step: '1' };
const SHARE = { min: '0', step: 'any' };
const NUMBERS: NumberOption[] = [
  ['--repeats', 'Repeats', 'The number of timed runs from the same start; their medians are shown', WHOLE],
  ['--seed', 'Seed', 'The seed of every random stream of both sides', { min: '0', step: '1' }],
  ['--rtol', 'Relative tolerance', 'For floating-point values; if empty, that of each dtype', SHARE],
  ['--atol', 'Absolute tolerance', 'For floating-point values; if empty, that of each dtype', SHARE],
  ['--processes', 'Processes', 'The number of processes that run the cell, connected through gloo', WHOLE]
];

/**
 * Options of running a cell with its conversion, beyond target, style and device; folded at first.
 */
export class RunOptions {
  readonly node: HTMLElement;

  constructor() {
    this._numbers = NUMBERS.map(([word, name, title, rules]) => {
      const field = h('input', { className: 'jp-mod-styled', type: 'number', 'aria-label': name, ...rules });
      field.addEventListener('input', () => this._tell());
      return { word, field, row: h('label', { title }, h('span', {}, name), field) };
    });
    this._isolated = h('input', { type: 'checkbox', onchange: () => this._tell() });
    const guarded = 'Run in a guarded worker, in which a crash, a hang or a lack of memory only gives a message';
    this.node = h(
      'details',
      { className: 'tf-RunOptions' },
      h('summary', {}, 'Options', this._chosen),
      ...this._numbers.map(({ row }) => row),
      h('label', { title: guarded }, h('span', {}, 'Isolated'), this._isolated)
    );
  }

  /** The chosen options, as the magic takes them; fields without a valid number are omitted. */
  get words(): string[] {
    const numbers = this._numbers.filter(({ field }) => field.value && field.validity.valid);
    const words = numbers.map(({ word, field }) => `${word} ${field.value}`);
    return this._isolated.checked ? [...words, '--isolated'] : words;
  }

  /** Say what is chosen while the options are folded away. */
  private _tell(): void {
    this._chosen.textContent = this.words.length ? `: ${this.words.join(' ').replaceAll('--', '')}` : '';
  }

  private _chosen = h('span', { className: 'tf-RunOptions-chosen' });
  private _isolated: HTMLInputElement;
  private _numbers: { word: string; field: HTMLInputElement; row: HTMLElement }[];
}
