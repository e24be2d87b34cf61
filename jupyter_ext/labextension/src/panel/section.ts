import { caretDownIcon, LabIcon } from '@jupyterlab/ui-components';
import { ISignal, Signal } from '@lumino/signaling';
import { PanelLayout, Widget } from '@lumino/widgets';

import { h } from '../dom';

let serial = 0;

/** A part of the panel under a heading that folds it away. */
export class Section extends Widget {
  constructor(
    readonly heading: string,
    readonly content: Widget
  ) {
    super();
    this.addClass('tf-Section');
    this.node.setAttribute('role', 'region');
    this.node.setAttribute('aria-label', heading);
    content.id ||= `tf-section-${serial++}`;
    this._badge = h('span', { className: 'tf-Section-badge', hidden: true });
    const caret = caretDownIcon.element({
      tag: 'span',
      className: 'tf-Section-caret'
    });
    this._toggle = h(
      'button',
      {
        className: 'tf-Section-toggle',
        type: 'button',
        'aria-expanded': 'true',
        'aria-controls': content.id,
        onclick: () => {
          this.folded = !this.folded;
          this._toggled.emit();
        }
      },
      caret,
      h('span', { className: 'tf-Section-heading' }, heading),
      this._badge
    );
    this._actions = h('span', { className: 'tf-Section-actions' });
    const title = new Widget({
      node: h(
        'div',
        { className: 'tf-Section-title' },
        this._toggle,
        this._actions
      )
    });
    const layout = new PanelLayout();
    layout.addWidget(title);
    layout.addWidget(content);
    content.addClass('tf-Section-content');
    this.layout = layout;
  }

  get folded(): boolean {
    return this.content.isHidden;
  }
  set folded(folded: boolean) {
    this.content.setHidden(folded);
    this.toggleClass('tf-mod-folded', folded);
    this._toggle.setAttribute('aria-expanded', String(!folded));
  }

  /** Emits when the person folds or unfolds it. */
  get toggled(): ISignal<this, void> {
    return this._toggled;
  }

  /** A short word next to the heading, such as a number; empty for none. */
  set badge(text: string) {
    this._badge.textContent = text;
    this._badge.hidden = !text;
  }

  /** A button at the right of the heading. */
  addAction(icon: LabIcon, title: string, action: () => void): HTMLButtonElement {
    const button = h(
      'button',
      {
        className: 'tf-IconButton',
        type: 'button',
        title,
        'aria-label': title,
        onclick: action
      },
      icon.element({ tag: 'span', elementSize: 'normal' })
    );
    this._actions.append(button);
    return button;
  }

  private _actions: HTMLElement;
  private _badge: HTMLElement;
  private _toggle: HTMLButtonElement;
  private _toggled = new Signal<this, void>(this);
}
