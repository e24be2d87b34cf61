import { ICodeCellModel } from '@jupyterlab/cells';
import { SimplifiedOutputArea, OutputArea, OutputAreaModel } from '@jupyterlab/outputarea';
import { ISignal, Signal } from '@lumino/signaling';
import { Panel, Widget } from '@lumino/widgets';

import { h } from '../dom';
import { NotebookFollower } from '../kernel/follower';
import { PanelModel } from '../kernel/model';
import { RunOptions } from './runoptions';
import { SubjectLine } from './subject';

const FIND = 'find';
const INSTALLED = 'the installed version';

/** Runs the active cell and its conversion side by side, by `%%convert`; `outcome` shows it. */
export class RunView extends Panel {
  /** The output of the last run; empty before the first. */
  readonly outcome = new Panel();

  constructor(private _model: PanelModel) {
    super();
    this.addClass('tf-Run');
    this.outcome.addClass('tf-Run-outcome');
    this._none = new Widget({
      node: h('div', { className: 'tf-Note' }, 'Run both sides to compare the names that they bind.')
    });
    this._subject = new SubjectLine(_model, this.outcome);
    this.outcome.addWidget(this._subject);
    this.outcome.addWidget(this._none);
    this._select = h(
      'select',
      {
        className: 'tf-Select',
        'aria-label': 'Device',
        title: 'The device of both sides',
        onchange: () => this._select.value === FIND && void this._find()
      },
      h('option', { value: 'cpu' }, 'cpu'),
      h('option', { value: FIND }, 'Find devices …')
    );
    this._other = h('select', {
      className: 'tf-Select',
      'aria-label': 'The converted side runs on',
      title: 'The device of the converted side, if it differs',
      hidden: true
    });
    this._targets = h('select', {
      className: 'tf-Select',
      'aria-label': 'Target',
      title: 'The framework to convert to, and the version to write for',
      onchange: () => (this._model.target = this._targets.value)
    });
    this._styles = h(
      'select',
      {
        className: 'tf-Select',
        'aria-label': 'Style',
        title: 'How code is written',
        onchange: () => (this._model.style = this._styles.value)
      },
      h('option', { value: '', title: 'As the project’s settings say, otherwise plain' }, 'style of the project'),
      h('option', { value: 'plain', title: 'As an expert of the target writes it for this program' }, 'plain'),
      h('option', { value: 'exact', title: 'With helper functions that follow torch in every edge case' }, 'exact')
    );
    _model.changed.connect(() => {
      this._offer();
      if (_model.follower?.cell !== this._active) {
        this._active = _model.follower?.cell ?? null;
        void this._recall().catch(() => undefined);
      }
    });
    this._offer();
    this._button = h(
      'button',
      {
        className: 'tf-Button',
        type: 'button',
        title: 'Run the cell and its conversion from the same start, and compare the names that they bind',
        onclick: () => void this.run()
      },
      'Run both sides'
    );
    this._note = h('div', { className: 'tf-Note', role: 'status', hidden: true });
    this.addWidget(
      new Widget({
        node: h(
          'div',
          {},
          h('div', { className: 'tf-Graph-row' }, ...this._choices, this._button),
          this._options.node,
          this._note
        )
      })
    );
  }

  private get _choices(): HTMLSelectElement[] {
    return [this._targets, this._styles, this._select, this._other];
  }

  /** Offer the targets that the kernel's Torchferry knows. */
  private _offer(): void {
    const chosen = this._model.target;
    const known = this._model.follower?.link.hello?.targets ?? [];
    const targets = known.includes(chosen) ? known : [chosen, ...known];
    if (targets.join() !== this._offered) {
      this._offered = targets.join();
      this._targets.replaceChildren(
        ...targets.map(value =>
          h('option', { value, title: value.includes('=') ? value : INSTALLED }, value.replace('==', ' '))
        )
      );
    }
    this._targets.value = chosen;
    this._styles.value = this._model.style;
  }

  /** Emits when a run begins to show what it finds. */
  get began(): ISignal<this, void> {
    return this._began;
  }

  /** Run the active cell on both sides. */
  async run(): Promise<void> {
    const follower = this._model.follower;
    const cell = follower?.cell;
    if (!follower || !cell) {
      return;
    }
    this._button.disabled = true;
    this._say('Running …');
    try {
      await follower.link.requestAsCell('ready');
      await this._execute(follower, cell);
      this._say('');
    } catch (error) {
      this._say((error as Error).message, true);
    } finally {
      this._button.disabled = false;
      // The cell has bound names, as any run does.
      void follower.refresh();
    }
  }

  private async _execute(
    follower: NotebookFollower,
    cell: ICodeCellModel
  ): Promise<void> {
    const source = cell.sharedModel.getSource();
    const area = this._take(follower, cell);
    this._began.emit();
    // A cell that already begins with the magic keeps its own options. Code and values are in the
    // panel.
    const own = source.startsWith('%%convert');
    const code = own ? source : `${this.line('findings')}\n${source}`;
    const { sessionContext } = follower.notebook;
    await OutputArea.execute(code, area, sessionContext, { cellId: cell.id });
    this._model.statesOf(follower).refresh(cell.id);
  }

  /** An empty output of a cell; `code` is what it came from, if that may be another by now. */
  private _take(follower: NotebookFollower, cell: ICodeCellModel, code?: string): OutputArea {
    this._area?.dispose();
    this._subject.take(follower, cell, '', code);
    const { rendermime } = follower.notebook.content;
    const area = new SimplifiedOutputArea({
      model: new OutputAreaModel({ trusted: true }),
      rendermime
    });
    area.addClass('tf-Run-output');
    this._area = area;
    this._none.hide();
    this.outcome.addWidget(area);
    return area;
  }

  /** The line of the magic with the options that are chosen here; `show` names the parts to show. */
  line(show: string): string {
    const words = [
      `%%convert --to ${this._model.target} --device ${this._select.value}`,
      this._model.style ? `--style ${this._model.style}` : '',
      this._other.value ? `--target-device ${this._other.value}` : '',
      ...this._options.words,
      `--show ${show}`,
      '--added' // lines count as in the cell, which does not have this one
    ];
    return words.filter(Boolean).join(' ');
  }

  /** Show what the active cell last came to, where the kernel knows; else what is shown stays. */
  private async _recall(): Promise<void> {
    const follower = this._model.follower;
    const cell = follower?.cell;
    const known = cell && this._model.statesOf(follower).of(cell.id)?.torchSeconds != null;
    if (!known || this._button.disabled) {
      // A comparison in another notebook must not look like this one's.
      if (follower && !this._button.disabled && this._subject.leave(follower)) {
        this._area?.dispose();
        this._area = null;
        this._none.show();
      }
      return;
    }
    const outcome = await this._model.outcome(follower, cell);
    if (!outcome || this._button.disabled || this._model.follower?.cell !== cell) {
      return;
    }
    const area = this._take(follower, cell, outcome.source);
    area.model.add({ output_type: 'display_data', data: outcome.data, metadata: {} });
  }

  private async _find(): Promise<void> {
    this._select.value = 'cpu';
    const link = this._model.follower?.link;
    if (!link) {
      return;
    }
    this._say('Asking both frameworks …');
    try {
      const { content } = await link.requestAsCell<{
        devices: { torch: string; target: string; what: string }[];
        apart: string[];
      }>('devices', { target: this._model.target });
      this._select.replaceChildren(
        ...content.devices.map(({ torch, target, what }) => {
          const words = torch === target ? torch : `${torch} (${target})`;
          return h('option', { value: torch }, [words, what].filter(Boolean).join(' · '));
        })
      );
      this._other.replaceChildren(
        h('option', { value: '' }, 'the same'),
        ...content.devices.map(({ torch, target }) => h('option', { value: torch }, target))
      );
      // With one device there is nothing to choose.
      this._other.hidden = content.devices.length < 2;
      this._say(content.apart.join('\n'));
    } catch (error) {
      this._say((error as Error).message, true);
    }
  }

  private _say(text: string, bad = false): void {
    this._note.textContent = text;
    this._note.hidden = !text;
    this._note.classList.toggle('tf-mod-error', bad);
  }

  private _active: ICodeCellModel | null = null;
  private _area: SimplifiedOutputArea | null = null;
  private _began = new Signal<this, void>(this);
  private _button: HTMLButtonElement;
  private _none: Widget;
  private _note: HTMLElement;
  private _offered = '';
  private _options = new RunOptions();
  private _other: HTMLSelectElement;
  private _select: HTMLSelectElement;
  private _subject: SubjectLine;
  private _styles: HTMLSelectElement;
  private _targets: HTMLSelectElement;
}
