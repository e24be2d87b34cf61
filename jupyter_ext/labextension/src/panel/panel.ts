import { Clipboard } from '@jupyterlab/apputils';
import { IEditorServices } from '@jupyterlab/codeeditor';
import {
  addBelowIcon,
  checkIcon,
  copyIcon,
  fileIcon,
  launchIcon
} from '@jupyterlab/ui-components';
import { Message } from '@lumino/messaging';
import { ISignal, Signal } from '@lumino/signaling';
import { Panel, Widget } from '@lumino/widgets';

import { CodeView } from './code';
import { count, h } from '../dom';
import { FindingsList } from './findings';
import { NotebookFollower } from '../kernel/follower';
import { GraphView } from './graph';
import { ferryIcon } from '../icon';
import { IPaired, ITraced, PanelModel } from '../kernel/model';
import { ILook } from '../kernel/protocol';
import { Overview } from '../overview/overview';
import { RulesLine } from './rules';
import { Head } from './head';
import { RunView } from './run';
import { Section } from './section';
import { ValuesView } from '../values/valuesview';

/** The side panel: what Torchferry makes of the active cell. */
export class SidePanel extends Panel {
  constructor(
    private _model: PanelModel,
    services: IEditorServices,
    open: (shown: ITraced | IPaired, kind: 'trace' | 'pair' | 'program') => void
  ) {
    super();
    this.id = 'torchferry-panel';
    this.addClass('tf-Panel');
    this.title.icon = ferryIcon;
    this.title.caption = 'Torchferry: the active cell in another framework';
    this.node.setAttribute('role', 'region');
    this.node.setAttribute('aria-label', 'Torchferry');

    this._status = new Widget({
      node: h('div', { className: 'tf-Status', role: 'status' })
    });
    this._list = new FindingsList({
      reveal: finding => void _model.reveal(finding.start, finding.end),
      fix: index => void this._try(() => _model.fix(index))
    });
    this._code = new CodeView(services, line => void _model.revealLine(line));
    this._graph = new GraphView(_model, paired => open(paired, 'pair'));
    this._findings = new Section('Findings', this._list);
    this._converted = new Section('Converted code', this._code);
    this._traces = new Section('Graph', this._graph);
    this._body = new Panel();
    this._body.addClass('tf-Body');
    const runs = (this._runs = new RunView(_model));
    const compared = new Section('Comparison', runs.outcome);
    runs.began.connect(() => (compared.folded = false));
    const values = new Section('Values', new ValuesView(_model));
    const run = (this._run = new Section('Devices and run', runs));
    this.overview = new Overview(_model, () => runs.line('none'));
    const overview = new Section('Notebook', this.overview);
    this._ofCell = [this._findings, this._converted, run, compared, values, this._traces];
    this._sections = [overview, ...this._ofCell];
    this._sections.forEach(section => {
      this._body.addWidget(section);
      section.toggled.connect(() => this._folded.emit(this.folded));
    });
    this._fixAll = this._findings.addAction(
      checkIcon,
      'Fix all: convert the whole cell in place',
      () => void this._try(() => _model.fix(null))
    );
    this._copy = this._converted.addAction(
      copyIcon,
      'Copy the converted code',
      () => Clipboard.copyToSystem(this._code.code)
    );
    this._insert = this._converted.addAction(
      addBelowIcon,
      'Insert the converted code below, as a new cell',
      () => void this._try(() => _model.insertBelow())
    );
    const show = (kind: 'trace' | 'program') => () => {
      if (this._graph.traced) {
        open(this._graph.traced, kind);
      }
    };
    const tabs = [
      this._traces.addAction(launchIcon, 'Open the graph in the main area', show('trace')),
      this._traces.addAction(fileIcon, 'Open the captured program (.pt2)', show('program'))
    ];
    tabs.forEach(button => (button.hidden = true));
    this._graph.tracedChanged.connect(() => tabs.forEach(button => (button.hidden = false)));
    this._rules = new RulesLine((folder, trust) =>
      this._try(() => _model.trustRules(folder, trust))
    );
    this.addWidget(this.head);
    this.addWidget(this._status);
    this.addWidget(this._rules);
    this.addWidget(this._body);
    _model.changed.connect(this._update, this);
    this._update();
  }

  /** The title, with a hint for who sees the panel for the first time. */
  readonly head = new Head();

  /** All cells of the notebook in front. */
  readonly overview: Overview;

  /** The headings of the sections that are folded away. */
  get folded(): string[] {
    return this._sections.filter(({ folded }) => folded).map(({ heading }) => heading);
  }
  set folded(headings: string[]) {
    this._sections.forEach(section => (section.folded = headings.includes(section.heading)));
  }

  /** Emits when the person folds a section, or unfolds one. */
  get foldedChanged(): ISignal<this, string[]> {
    return this._folded;
  }

  setTheme(dark: boolean): void {
    this._graph.setTheme(dark);
  }

  /** Run the active cell on both sides. */
  async run(): Promise<void> {
    this._run.folded = false;
    await this._runs.run();
  }

  /** Trace the model of the active cell. */
  async trace(): Promise<void> {
    this._traces.folded = false;
    await this._try(async () => {
      await this._model.seen();
      await this._graph.findCalls();
      await this._graph.trace();
    });
  }

  /** Compare the model of the active cell with its counterpart. */
  async compare(): Promise<void> {
    this._traces.folded = false;
    await this._try(async () => {
      await this._model.seen();
      await this._graph.findCalls();
      await this._graph.compare();
    });
  }

  /** Convert the active cell in place. */
  async fixAll(): Promise<void> {
    await this._try(async () => {
      await this._model.seen();
      await this._model.fix(null);
    });
  }

  protected override onAfterShow(message: Message): void {
    super.onAfterShow(message);
    this._model.watching = this.isVisible;
  }

  protected override onAfterAttach(message: Message): void {
    super.onAfterAttach(message);
    this._model.watching = this.isVisible;
  }

  protected override onBeforeHide(message: Message): void {
    super.onBeforeHide(message);
    this._model.watching = false;
  }

  protected override onBeforeDetach(message: Message): void {
    super.onBeforeDetach(message);
    this._model.watching = false;
  }

  /** Do what may fail, and say so in the panel. */
  private async _try(action: () => Promise<void>): Promise<void> {
    try {
      await action();
    } catch (error) {
      this._say((error as Error).message, 'error');
    }
  }

  private _update(): void {
    if (!this._model.watching) {
      return;
    }
    const follower = this._model.follower;
    const blocked = obstacle(follower);
    this._status.node.dataset.link = follower?.link.state ?? 'no-notebook';
    this._body.setHidden(!!blocked && follower?.link.state !== 'ready');
    this._ofCell.forEach(section => section.setHidden(!!blocked));
    if (blocked || !follower) {
      this._say(blocked);
      this._rules.display(null);
      return;
    }
    const look = follower.look;
    if (look) {
      this._rules.display(look.rules);
    }
    const fresh = !!follower.fresh;
    // Content of another cell must not look like this one's.
    this._body.toggleClass('tf-mod-waiting', !look && !follower.problem);
    this._fixAll.disabled = this._copy.disabled = this._insert.disabled = !fresh;
    if (follower.problem) {
      this._say(follower.problem, 'error');
    } else if (look?.problem) {
      this._say(look.problem.message, 'warning');
      // Findings of another cell are not this one's.
      this._list.display([], false);
      this._findings.badge = '';
      const lines = look.source.split('\n').map((_, line) => line);
      this._code.display(look.source, lines, look.source);
    } else if (look) {
      this._say('');
      this._showLook(look, fresh);
    }
    // A cell that cannot be converted may still be traced.
    const seen = look ? fresh : !!follower.problem;
    if (seen || follower.cell?.id !== this._cell) {
      this._cell = follower.cell?.id ?? '';
      void this._graph.findCalls();
    }
  }

  private _showLook(look: ILook, fresh: boolean): void {
    this._findings.badge = String(look.findings.length || '');
    this._list.display(look.findings, fresh);
    this._list.toggleClass('tf-mod-empty', !look.findings.length);
    this._fixAll.hidden = !look.changed;
    this._copy.hidden = this._insert.hidden = !look.changed;
    this._converted.badge = look.remaining
      ? `${count(look.remaining, 'use stays', 'uses stay')} torch`
      : '';
    if (look.changed) {
      this._code.note(look.note, !!look.note);
      this._code.display(look.code, look.lineMap, look.source);
    } else {
      this._code.note('Nothing to convert in this cell.', true);
    }
  }

  private _say(text: string, kind: 'plain' | 'warning' | 'error' = 'plain'): void {
    this._status.node.textContent = text;
    this._status.node.dataset.kind = kind;
    this._status.setHidden(!text);
  }

  private _body: Panel;
  private _cell = '';
  private _code: CodeView;
  private _converted: Section;
  private _copy: HTMLButtonElement;
  private _findings: Section;
  private _folded = new Signal<this, string[]>(this);
  private _fixAll: HTMLButtonElement;
  private _graph: GraphView;
  private _insert: HTMLButtonElement;
  private _ofCell: Section[];
  private _list: FindingsList;
  private _rules: RulesLine;
  private _sections: Section[];
  private _status: Widget;
  private _run: Section;
  private _runs: RunView;
  private _traces: Section;
}

/** Why nothing can be shown; empty where something can. */
function obstacle(follower: NotebookFollower | null): string {
  if (!follower) {
    return 'Open a notebook: this panel shows the conversion of its active cell.';
  }
  switch (follower.link.state) {
    case 'no-kernel':
      return 'This notebook has no kernel. Choose one at its top right.';
    case 'connecting':
      return 'Connecting to the kernel …';
    case 'failed':
      return follower.link.problem;
  }
  return follower.cell ? '' : 'This cell is not code.';
}
