import { ISignal, Signal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';

import { h } from '../dom';

const STEPS = [
  'Findings and converted code follow the active cell; nothing runs until you ask.',
  'Run both sides runs the cell and its conversion from the same start, and compares the names that they bind.',
  'Trace shows the graph of the model that the cell calls; Compare runs it node by node.',
  'Run all does so for every cell of the notebook.'
];

/** The panel's title, and the few words that a person reads the first time. */
export class Head extends Widget {
  constructor() {
    super();
    this.addClass('tf-Head');
    const done = h('button', { className: 'tf-SmallButton', type: 'button' }, 'Got it');
    done.onclick = () => {
      this.hinting = false;
      this._read.emit();
    };
    this._hint = h(
      'div',
      { className: 'tf-Hint', hidden: true },
      h('ul', {}, ...STEPS.map(step => h('li', {}, step))),
      done
    );
    const ask = h('button', { className: 'tf-SmallButton', type: 'button', title: 'What the panel does' }, '?');
    ask.onclick = () => (this.hinting = !this.hinting);
    this.node.append(h('div', { className: 'tf-Head-row' }, h('h2', {}, 'Torchferry'), ask), this._hint);
  }

  get hinting(): boolean {
    return !this._hint.hidden;
  }
  set hinting(shown: boolean) {
    this._hint.hidden = !shown;
  }

  /** Emits when the person has read the hint. */
  get read(): ISignal<this, void> {
    return this._read;
  }

  private _hint: HTMLElement;
  private _read = new Signal<this, void>(this);
}
