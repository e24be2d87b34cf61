import { PageConfig, URLExt } from '@jupyterlab/coreutils';
import { PromiseDelegate } from '@lumino/coreutils';
import { Message } from '@lumino/messaging';
import { ISignal, Signal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';

import { applyTheme } from './netron_theme';

/** Whether a click on a node opens Netron's own property bar. */
type PropertyBar = 'always' | 'if wide' | 'never';

const PROPERTIES = [
  'showNodeProperties',
  'showConnectionProperties',
  'showTargetProperties',
  'showModelProperties'
];
/** From this width on, in pixels, the bar leaves half of the graph to be seen. */
const WIDE = 860;

/**
 * Netron, in a frame, showing one graph.
 *
 * The graph never leaves the browser: its bytes go into the frame as a file, as if the person had
 * picked one. What is used of Netron beyond its page is kept to this file and `netron_theme`.
 */
export class NetronFrame extends Widget {
  constructor(options: { label: string; propertyBar: PropertyBar }) {
    super();
    this.addClass('tf-Netron');
    this._propertyBar = options.propertyBar;
    this._frame = document.createElement('iframe');
    this._frame.title = options.label;
    this._frame.addEventListener('load', () => void this._onLoad());
    this.node.append(this._frame);
  }

  /** The names of the nodes that were clicked, or chosen by `select`. */
  get selected(): ISignal<this, string[]> {
    return this._selected;
  }

  /** Emits when the view scrolls or zooms by the person's hand. */
  get scrolled(): ISignal<this, void> {
    return this._scrolled;
  }

  /** Emits when a graph has been drawn. */
  get drawn(): ISignal<this, void> {
    return this._drawn;
  }

  /** The position of the view: its middle, as a share of the whole graph. */
  get position(): { x: number; y: number; zoom: number } | null {
    const target = this._container();
    if (!target || !this._view?.target) {
      return null;
    }
    return {
      x: (target.scrollLeft + target.clientWidth / 2) / target.scrollWidth,
      y: (target.scrollTop + target.clientHeight / 2) / target.scrollHeight,
      zoom: this._view.target.zoom
    };
  }
  set position(position: { x: number; y: number; zoom: number } | null) {
    const target = this._container();
    if (!target || !position || !this._view?.target) {
      return;
    }
    if (Math.abs(this._view.target.zoom - position.zoom) > 1e-3) {
      this._view.target.zoom = position.zoom;
    }
    const left = position.x * target.scrollWidth - target.clientWidth / 2;
    const top = position.y * target.scrollHeight - target.clientHeight / 2;
    if (
      Math.abs(target.scrollLeft - left) > 2 ||
      Math.abs(target.scrollTop - top) > 2
    ) {
      this._quiet = { left, top };
      target.scrollTo({ left, top, behavior: 'instant' });
    }
  }

  /** Show a graph; `name` ends in the extension by which Netron knows the format. */
  open(bytes: Uint8Array, name: string): void {
    this._file = { bytes, name };
    if (this.isVisible) {
      void this._show();
    }
  }

  /** Select nodes and scroll to them, without telling anyone. */
  select(names: string[]): void {
    const target = this._view?.target;
    if (!target) {
      return;
    }
    const nodes = names.map(name => this._node(name)).filter(Boolean);
    this._own = true;
    try {
      target.scrollTo(target.select(nodes), 'instant');
    } finally {
      this._own = false;
    }
    this._last = names.join();
  }

  /** Paint nodes, by their names; null gives them Netron's own colours back. */
  colour(colours: Map<string, string> | null): void {
    this._colours = colours;
    this._paint();
  }

  /** Follow JupyterLab's theme, whatever the system's is. */
  setTheme(dark: boolean): void {
    this._dark = dark;
    const page = this._frame.contentDocument;
    if (page) {
      applyTheme(page, dark);
    }
  }

  protected override onAfterAttach(message: Message): void {
    super.onAfterAttach(message);
    // A frame reloads whenever it is attached to the page, also when a tab is moved.
    this._loaded = new PromiseDelegate();
    this._frame.src = URLExt.join(
      PageConfig.getBaseUrl(),
      'torchferry/netron/index.html'
    );
  }

  protected override onAfterShow(message: Message): void {
    super.onAfterShow(message);
    // A graph cannot be laid out where it cannot be seen.
    if (this._file && this._file !== this._shown) {
      void this._show();
    }
  }

  private async _onLoad(): Promise<void> {
    this._shown = null;
    const page = this._frame.contentDocument;
    if (!page?.body || !page.getElementById('open-file-dialog')) {
      return;
    }
    this.setTheme(this._dark);
    await until(page.body, () => {
      const words = page.body.classList;
      return words.contains('welcome') && !words.contains('spinner');
    });
    const view = this._view;
    // Links of Netron's own, such as "Report Issue", lead to other hosts.
    view.host.openURL = () => undefined;
    page.documentElement.classList.toggle('tf-plain', this._propertyBar === 'never');
    for (const show of PROPERTIES) {
      const shown = view[show].bind(view);
      // In a narrow column the bar would cover the graph.
      view[show] = (...given: unknown[]) => (this._hasRoom() ? shown(...given) : undefined);
    }
    this._loaded.resolve();
    if (this._file && this.isVisible) {
      await this._show();
    }
  }

  private async _show(): Promise<void> {
    const file = this._file;
    await this._loaded.promise;
    const page = this._frame.contentDocument;
    const realm = this._frame.contentWindow as any;
    if (!page || !realm || !file || file !== this._file || file === this._shown) {
      return;
    }
    this._shown = file;
    const before = this._view.target;
    const dialog = page.getElementById('open-file-dialog') as HTMLInputElement;
    const transfer = new realm.DataTransfer();
    transfer.items.add(new realm.File([file.bytes], file.name));
    dialog.files = transfer.files;
    dialog.dispatchEvent(new realm.Event('change'));
    await until(page.body, () => {
      const words = page.body.classList;
      return (
        words.contains('alert') ||
        (words.contains('default') && this._view.target !== before)
      );
    });
    this._follow();
    this._drawn.emit();
  }

  /** Netron makes a new target for each graph that it draws. */
  private _follow(): void {
    const target = this._view?.target;
    if (!target) {
      return;
    }
    this._last = '';
    target.on('selectionchange', () => {
      // It fires several times a click, with the same selection.
      const names = [...target.selection]
        .map((element: any) => element.value?.name)
        .filter((name: any) => typeof name === 'string');
      if (!this._own && names.length && names.join() !== this._last) {
        this._last = names.join();
        this._selected.emit(names);
      }
    });
    const container = this._container();
    if (container && container !== this._followed) {
      this._followed = container;
      container.addEventListener('scroll', () => this._onScroll());
      // Netron redraws when an option changes; the drawing is a new child.
      new MutationObserver(() => this._paint()).observe(container, {
        childList: true
      });
    }
    this._paint();
  }

  private _paint(): void {
    const page = this._frame.contentDocument;
    const nodes = page?.querySelectorAll<SVGElement>('.graph-node') ?? [];
    for (const node of nodes) {
      const colour = this._colours?.get(node.id.replace(/^node-name-/, ''));
      node.classList.toggle('tf-coloured', !!colour);
      if (colour) {
        node.style.setProperty('--tf-fill', colour);
      }
    }
  }

  private _onScroll(): void {
    const target = this._container();
    const quiet = this._quiet;
    this._quiet = null;
    const ours =
      quiet &&
      target &&
      Math.abs(target.scrollLeft - quiet.left) < 2 &&
      Math.abs(target.scrollTop - quiet.top) < 2;
    if (!ours) {
      this._scrolled.emit();
    }
  }

  private _hasRoom(): boolean {
    return (
      this._propertyBar === 'always' ||
      (this._propertyBar === 'if wide' && this.node.clientWidth >= WIDE)
    );
  }

  private _container(): HTMLElement | null {
    return this._frame.contentDocument?.getElementById('target') ?? null;
  }

  private _node(name: string): any {
    const nodes = this._view?.target?.target?.nodes ?? [];
    return nodes.find((node: any) => node.name === name);
  }

  private get _view(): any {
    return (this._frame.contentWindow as any)?.__view__;
  }

  private _colours: Map<string, string> | null = null;
  private _dark = false;
  private _drawn = new Signal<this, void>(this);
  private _file: { bytes: Uint8Array; name: string } | null = null;
  private _followed: HTMLElement | null = null;
  private _frame: HTMLIFrameElement;
  private _last = '';
  private _loaded = new PromiseDelegate<void>();
  private _own = false;
  private _propertyBar: PropertyBar;
  private _quiet: { left: number; top: number } | null = null;
  private _scrolled = new Signal<this, void>(this);
  private _selected = new Signal<this, string[]>(this);
  private _shown: { bytes: Uint8Array; name: string } | null = null;
}

/** Wait until something holds of an element's class. */
function until(element: Element, holds: () => boolean): Promise<void> {
  if (holds()) {
    return Promise.resolve();
  }
  return new Promise(resolve => {
    const observer = new MutationObserver(() => {
      if (holds()) {
        observer.disconnect();
        resolve();
      }
    });
    observer.observe(element, { attributes: true, attributeFilter: ['class'] });
  });
}
