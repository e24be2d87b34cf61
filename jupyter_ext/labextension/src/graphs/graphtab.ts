import { MainAreaWidget } from '@jupyterlab/apputils';
import { UUID } from '@lumino/coreutils';
import { Message } from '@lumino/messaging';
import { ISignal, Signal } from '@lumino/signaling';
import { BoxLayout, Panel, Widget } from '@lumino/widgets';

import { h } from '../dom';
import { ferryIcon } from '../icon';

/** The content of a tab: enough to request it again after the page was reloaded. */
export interface IOrigin {
  /** The notebook that the graph is of. */
  path: string;
  /** The call whose graph it is, and the target that it is compared with. */
  call: string;
  target: string;
  /** One graph, a pair of them, or the captured program as torch writes it. */
  kind: 'trace' | 'pair' | 'program';
  /** The kernel's key of the graph. */
  key: string;
  title: string;
}

/** A graph, or two, drawn in a tab. */
export interface IGraphContent extends Widget {
  setTheme(dark: boolean): void;
}

/** A tab of the main area for a graph that is there, or that the kernel is being asked for. */
export class GraphTab extends MainAreaWidget<Panel> {
  constructor(
    private _origin: IOrigin,
    private _make: (origin: IOrigin, anew: boolean) => Promise<[IOrigin, IGraphContent]>,
    id?: string
  ) {
    super({ content: new Panel({ layout: new BoxLayout({ direction: 'top-to-bottom' }) }) });
    this.id = id ?? `torchferry-graph-${UUID.uuid4()}`;
    this.addClass('tf-GraphTab');
    this.title.label = _origin.title;
    this.title.caption = _origin.call;
    this.title.icon = ferryIcon;
    this.title.closable = true;
    this.toolbar.hide();
  }

  get origin(): IOrigin {
    return this._origin;
  }

  /** Emits when what the kernel knows the graph by is another. */
  get originChanged(): ISignal<this, IOrigin> {
    return this._originChanged;
  }

  /** Show the graph that the kernel holds; `anew` makes the kernel create it again. */
  async fill(anew = false): Promise<void> {
    this._say(anew ? 'Tracing …' : 'Asking the kernel for the graph …');
    try {
      const [origin, content] = await this._make(this._origin, anew);
      this._origin = origin;
      this._originChanged.emit(origin);
      this.display(content);
    } catch (error) {
      this._say(`${(error as Error).message}.`, true);
    }
  }

  /** Do so once the tab is in sight: before, the kernel is not asked. */
  fillWhenSeen(): void {
    this._waits = true;
    this._see();
  }

  protected override onAfterShow(message: Message): void {
    super.onAfterShow(message);
    this._see();
  }

  private _see(): void {
    if (this._waits && this.isVisible) {
      this._waits = false;
      void this.fill();
    }
  }

  /** Show a graph that is at hand. */
  display(graph: IGraphContent): void {
    this._put(graph);
    this._graph = graph;
    graph.setTheme(this._dark);
  }

  setTheme(dark: boolean): void {
    this._dark = dark;
    this._graph?.setTheme(dark);
  }

  private _say(text: string, failed = false): void {
    const again = h(
      'button',
      {
        className: 'tf-Button',
        type: 'button',
        title: `Trace ${this._origin.call} again`,
        onclick: () => void this.fill(true)
      },
      'Trace again'
    );
    const node = h(
      'div',
      { className: 'tf-GraphTab-note', role: 'status' },
      h('p', {}, text),
      failed && this._origin.kind !== 'program' ? again : null
    );
    this._put(new Widget({ node }));
  }

  private _put(widget: Widget): void {
    [...this.content.widgets].forEach(old => old.dispose());
    this.content.addWidget(widget);
  }

  private _dark = false;
  private _graph: IGraphContent | null = null;
  private _originChanged = new Signal<this, IOrigin>(this);
  private _waits = false;
}
