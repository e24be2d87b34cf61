import { Widget } from '@lumino/widgets';

import { h } from '../dom';
import { IRules } from '../kernel/protocol';

/** Says that a folder has its own rules, and lets the person decide whether they run. */
export class RulesLine extends Widget {
  /** `decide` is called with the folder, and whether its rules may run. */
  constructor(private _decide: (folder: string, trust: boolean) => Promise<void>) {
    super({ node: h('div', { className: 'tf-Rules', role: 'note', 'aria-label': 'Own rules' }) });
    this.hide();
  }

  /** Speak of these rules; null where there are none. */
  display(rules: IRules | null): void {
    const key = JSON.stringify(rules);
    if (key !== this._key) {
      this._key = key;
      this._draw(rules);
    }
  }

  private _draw(rules: IRules | null): void {
    this.setHidden(!rules || (!rules.trusted && this._later.has(rules.folder)));
    if (!rules) {
      return;
    }
    const { folder, module, trusted } = rules;
    const button = (label: string, title: string, onclick: () => void) =>
      h('button', { className: 'tf-SmallButton', type: 'button', title, onclick }, label);
    const later = () => {
      this._later.add(folder);
      this.hide();
    };
    this.node.title = folder;
    this.node.replaceChildren(
      ...(trusted
        ? [
            h('span', {}, `This folder’s own rules (${module}) are used.`),
            button('Revoke', `No longer run the rules of ${folder}`, () => this._say(folder, false))
          ]
        : [
            h('span', {}, `This folder has its own rules (${module}), which are code.`),
            button(
              'Trust and load',
              `Run ${module} now, and for every notebook in ${folder}; this choice is remembered`,
              () => this._say(folder, true)
            ),
            button('Not now', 'Continue without these rules', later)
          ])
    );
  }

  private _say(folder: string, trust: boolean): void {
    this._later.delete(folder);
    void this._decide(folder, trust);
  }

  private _key = 'null';
  private _later = new Set<string>();
}
