import { Panel, Widget } from '@lumino/widgets';

import { h } from '../dom';
import { NotebookFollower } from '../kernel/follower';
import { PanelModel } from '../kernel/model';
import { ITensor, IValue, IValues } from '../kernel/protocol';
import { TensorView } from './tensorview';
import { ValueTable } from './valuetable';

const NONE = 'Run both sides to inspect the values of this cell here.';
const STALE = 'The cell has changed since it ran; these are the values of that run.';

/** The values of the active cell's last comparison: curves, a table, and one tensor in detail. */
export class ValuesView extends Panel {
  constructor(private _model: PanelModel) {
    super();
    this.addClass('tf-Values');
    this._note = new Widget({ node: h('div', { className: 'tf-Note', role: 'status' }, NONE) });
    this._curves = new Widget({ node: h('div', { className: 'tf-Values-curves', hidden: true }) });
    this._table = new ValueTable(value => this._look(value));
    this._tensor = new TensorView((name, at) => this._request<ITensor>('tensor', { name, at }));
    this._first = new Widget({ node: h('div', { className: 'tf-Note' }) });
    this._table.hide();
    [this._note, this._first, this._curves, this._table, this._tensor].forEach(part => this.addWidget(part));
    _model.changed.connect(this._follow, this);
    this._follow();
  }

  /** Ask about the active cell where it is another, or has come to something else. */
  private _follow(): void {
    const { follower } = this._model;
    if (follower !== this._follower) {
      this._follower = follower;
      if (follower) {
        this._model.statesOf(follower).changed.connect(this._follow, this);
      }
    }
    const cell = follower?.cell?.id ?? '';
    const state = follower && this._model.statesOf(follower).of(cell);
    if (follower?.link.state === 'ready' && (cell !== this._cell || state !== this._state)) {
      if (cell !== this._cell) {
        this._chosen = '';
      }
      this._cell = cell;
      this._state = state;
      void this._fetch(cell);
    }
  }

  private async _fetch(cell: string): Promise<void> {
    const found = cell
      ? await this._request<{ values: IValues | null }>('values', {}).then(
          ({ content }) => content.values,
          () => null
        )
      : null;
    if (this._cell !== cell || this.isDisposed) {
      return;
    }
    this._values = found;
    const now = this._follower?.cell?.sharedModel.getSource() ?? '';
    const stale = found && now.replace(/^%%convert.*\n?/, '').trim() !== found.source;
    this._note.node.textContent = found ? (stale ? STALE : '') : NONE;
    this._note.setHidden(!this._note.node.textContent);
    this._showFirst(found?.rows ?? [], now);
    this._table.setHidden(!found?.rows.length);
    this._curves.node.innerHTML = found?.charts ?? '';
    this._curves.node.hidden = !found?.charts;
    const chosen = found?.rows.find(({ name }) => name === this._chosen);
    this._look(chosen ?? null);
  }

  /** Say which value is the first to be apart, and since which line. */
  private _showFirst(rows: IValue[], source: string): void {
    const [first] = rows.filter(({ since }) => since !== null).sort((a, b) => a.since! - b.since!);
    this._first.setHidden(!first);
    if (first) {
      const line = first.since! + (source.startsWith('%%convert') ? 1 : 0);
      const place = h(
        'button',
        { type: 'button', className: 'tf-Values-line', onclick: () => void this._model.revealLine(line) },
        `line ${line + 1}`
      );
      const code = h('code', {}, source.split('\n')[line]?.trim() ?? '');
      this._first.node.replaceChildren('First difference: ', h('code', {}, first.name), ' since ', place, ' ', code);
    }
  }

  private _look(value: IValue | null): void {
    this._chosen = value?.name ?? '';
    this._table.display(this._values?.rows ?? [], this._chosen);
    void this._tensor.display(value, this._values?.target ?? '');
  }

  private _request<T>(what: string, fields: { name?: string; at?: number[] | null }) {
    const { link } = this._follower!;
    return link.request<T>(what, { ...fields, cell: this._cell });
  }

  private _cell = '';
  private _chosen = '';
  private _curves: Widget;
  private _first: Widget;
  private _follower: NotebookFollower | null = null;
  private _note: Widget;
  private _state: unknown = null;
  private _table: ValueTable;
  private _tensor: TensorView;
  private _values: IValues | null = null;
}
