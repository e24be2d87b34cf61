import { ISignal, Signal } from '@lumino/signaling';
import { Panel, Widget } from '@lumino/widgets';

import { h } from '../dom';
import { NotebookFollower } from '../kernel/follower';
import { time } from '../overview/table';
import { IPaired, ITraced, PanelModel } from '../kernel/model';
import type { ModuleGraph } from '../graphs/modules/modulegraph';
import { ICall } from '../kernel/protocol';
import { SubjectLine } from './subject';

const PLACEHOLDER = 'model(inputs)';
let serial = 0;

/** Traces a model of the active cell and shows its graph. */
export class GraphView extends Panel {
  constructor(
    private _model: PanelModel,
    private _openPair: (paired: IPaired) => void
  ) {
    super();
    this.addClass('tf-Graph');
    const list = `tf-calls-${serial++}`;
    this._calls = h('datalist', { id: list });
    this._input = h('input', {
      className: 'tf-Graph-call',
      type: 'text',
      spellcheck: false,
      placeholder: PLACEHOLDER,
      'aria-label': 'Call to trace',
      title: 'The call whose graph is traced; change it to trace another',
      oninput: () => {
        this._written.set(this._cell, this._input.value);
        this._stands = false;
      },
      onkeydown: (event: KeyboardEvent) => {
        if (event.key === 'Enter') {
          void this.trace();
        }
      }
    });
    this._input.setAttribute('list', list);
    this._button = h(
      'button',
      {
        className: 'tf-Button',
        type: 'button',
        title: 'Capture the graph of this call with torch.export',
        onclick: () => void this.trace()
      },
      'Trace'
    );
    this._compare = h(
      'button',
      {
        className: 'tf-SmallButton',
        type: 'button',
        title: 'Convert the graph, run both sides, and show them side by side',
        onclick: () => void this.compare()
      },
      'Compare'
    );
    this._cancel = h(
      'button',
      {
        className: 'tf-SmallButton',
        type: 'button',
        title: 'Interrupt the kernel',
        hidden: true,
        onclick: () => void this._asked?.notebook.sessionContext.session?.kernel?.interrupt()
      },
      'Cancel'
    );
    this._note = h('div', { className: 'tf-Note', role: 'status' });
    this.addWidget(
      new Widget({
        node: h(
          'div',
          { className: 'tf-Graph-head' },
          h('div', { className: 'tf-Graph-row' }, this._input, this._button, this._compare, this._cancel),
          this._calls,
          this._note
        )
      })
    );
    this._subject = new SubjectLine(_model, this);
    this.addWidget(this._subject);
  }

  /** The graph that is shown. */
  get traced(): ITraced | null {
    return this._traced;
  }

  /** Emits when another graph is shown. */
  get tracedChanged(): ISignal<this, void> {
    return this._tracedChanged;
  }

  /** Find the calls that can be traced in the active cell. */
  async findCalls(): Promise<void> {
    const cell = this._model.follower?.cell?.id ?? '';
    this._stands &&= cell === this._cell;
    if (cell !== this._cell) {
      // The call of another cell must not look like this one's.
      this._cell = cell;
      this._calls.replaceChildren();
      this._input.value = this._written.get(cell) ?? '';
      this._input.placeholder = 'Looking for calls …';
      if (!this._busy) {
        this._say('');
      }
    }
    let calls: ICall[] = [];
    try {
      calls = await this._model.calls();
    } catch {
      // Without a kernel or a code cell there is nothing to offer.
    }
    if (cell !== (this._model.follower?.cell?.id ?? '')) {
      return;
    }
    this._input.placeholder = PLACEHOLDER;
    this._calls.replaceChildren(
      ...calls.map(call => h('option', { value: call.text }, call.note))
    );
    // The text that the person wrote for a cell is restored when they come back to it.
    const written = this._written.get(cell);
    this._input.value = written ?? calls[0]?.text ?? '';
    if (!this._busy && !this._stands) {
      this._say(written === undefined && calls.length ? calls[0].note : '');
    }
  }

  /** Trace the call in the field, and show its graph. */
  async trace(): Promise<void> {
    await this._ask('Tracing …', async call => {
      const cell = this._model.follower?.cell;
      this._traced = await this._model.trace(call);
      if (cell) {
        this._subject.take(this._traced.follower, cell, call);
      }
      await this._show(this._traced);
      this._tracedChanged.emit();
    });
  }

  /** Show the call's graph and its counterpart, compared node by node. */
  async compare(): Promise<void> {
    await this._ask('Tracing …', async (call, doing) =>
      this._openPair(await this._model.pair(call, doing))
    );
  }

  private async _ask(
    doing: string,
    action: (call: string, doing: (step: string) => void) => Promise<void>
  ): Promise<void> {
    const call = this._input.value.trim();
    if (!call) {
      this._say(
        'This cell neither calls nor creates a model, or it has not run yet. ' +
          'Run it, or enter a call such as model(inputs).',
        true
      );
      this._stands = true;
      this._input.focus();
      return;
    }
    this._busy = true;
    this._stands = false;
    this._button.disabled = this._compare.disabled = true;
    this._cancel.hidden = false;
    this._asked = this._model.follower;
    const begun = performance.now();
    const say = () => this._say(`${doing} ${time((performance.now() - begun) / 1000)}`);
    this._say(doing);
    const clock = window.setInterval(say, 1000);
    try {
      await action(call, step => {
        doing = step;
        say();
      });
      window.clearInterval(clock);
      this._say('');
    } catch (error) {
      window.clearInterval(clock);
      this._say((error as Error).message, true);
      this._stands = true;
    } finally {
      this._busy = false;
      this._cancel.hidden = true;
      this._button.disabled = this._compare.disabled = false;
    }
  }

  setTheme(dark: boolean): void {
    this._dark = dark;
    this._drawn?.setTheme(dark);
  }

  private async _show(traced: ITraced): Promise<void> {
    // The drawing code is loaded when it is first needed.
    const { ModuleGraph } = await import('../graphs/modules/modulegraph');
    this._drawn?.dispose();
    this._drawn = new ModuleGraph(traced.graph, place =>
      this._model.revealPlace(traced.follower, place)
    );
    this._drawn.setTheme(this._dark);
    this.addWidget(this._drawn);
    this._drawn.node.scrollIntoView({ block: 'nearest' });
  }

  private _say(text: string, bad = false): void {
    this._note.textContent = text;
    this._note.hidden = !text;
    this._note.classList.toggle('tf-mod-error', bad);
    if (bad) {
      this._note.scrollIntoView({ block: 'nearest' });
    }
  }

  private _asked: NotebookFollower | null = null;
  private _busy = false;
  private _button: HTMLButtonElement;
  private _cancel: HTMLButtonElement;
  private _calls: HTMLDataListElement;
  private _cell = '';
  private _compare: HTMLButtonElement;
  private _dark = false;
  private _drawn: ModuleGraph | null = null;
  private _input: HTMLInputElement;
  private _note: HTMLElement;
  /** Whether the note answers something that the person asked of this cell. */
  private _stands = false;
  private _subject: SubjectLine;
  private _traced: ITraced | null = null;
  private _tracedChanged = new Signal<this, void>(this);
  private _written = new Map<string, string>();
}
