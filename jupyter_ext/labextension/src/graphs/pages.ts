import { Panel, Widget } from '@lumino/widgets';

import { h } from '../dom';
import { IGraphContent } from './graphtab';

/** A graph by its modules, and Netron's page of it, which is made when it is asked for. */
export class Pages extends Panel {
  constructor(modules: IGraphContent, netron: () => IGraphContent) {
    super();
    this.addClass('tf-Pages');
    const tab = (text: string, show: () => void) =>
      h('button', { className: 'tf-Pages-tab', type: 'button', onclick: show }, text);
    const tabs = [
      tab('Modules', () => this._show(0, () => modules, tabs)),
      tab('Netron', () => this._show(1, netron, tabs))
    ];
    this.addWidget(new Widget({ node: h('div', { className: 'tf-Pages-tabs' }, ...tabs) }));
    this._show(0, () => modules, tabs);
  }

  setTheme(dark: boolean): void {
    this._dark = dark;
    this._pages.forEach(page => page.setTheme(dark));
  }

  private _show(which: number, make: () => IGraphContent, tabs: HTMLElement[]): void {
    let page = this._pages.get(which);
    if (!page) {
      page = make();
      page.setTheme(this._dark);
      page.addClass('tf-Pages-page');
      this._pages.set(which, page);
      this.addWidget(page);
    }
    this._pages.forEach((each, i) => each.setHidden(i !== which));
    tabs.forEach((each, i) => each.setAttribute('aria-pressed', String(i === which)));
  }

  private _dark = false;
  private _pages = new Map<number, IGraphContent>();
}
