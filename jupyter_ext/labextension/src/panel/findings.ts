import { Widget } from '@lumino/widgets';

import { breakable, h } from '../dom';
import { IFinding, Severity } from '../kernel/protocol';

const WORDS: Record<Severity, string> = {
  hint: 'Converts exactly',
  information: 'Converts, with a note',
  warning: 'Converts, with a caveat',
  error: 'Is not converted'
};
/** Codes of what keeps a model from being captured as a graph. */
const HAZARD = /^TF4(?!00)/;
const GLYPHS: Record<Severity, string> = {
  hint: '✓',
  information: 'i',
  warning: '!',
  error: '×'
};

/** From this many on, findings that need no reading are grouped. */
const GROUP_FROM = 4;

export interface IFindingActions {
  reveal(finding: IFinding): void;
  fix(index: number): void;
}

/** The list of findings of a cell; arrow keys go from one to the next. */
export class FindingsList extends Widget {
  constructor(private _actions: IFindingActions) {
    super({ node: h('ul', { className: 'tf-Findings', role: 'list' }) });
    this.node.addEventListener('keydown', event => this._onKey(event));
  }

  /** Show these; `fresh` is false while the cell is already another. */
  display(findings: IFinding[], fresh: boolean): void {
    const focused = this._rows().indexOf(document.activeElement as HTMLElement);
    const rows = findings.map((finding, index) => this._row(finding, index, fresh));
    const exact = rows.filter((_, index) => findings[index].severity === 'hint');
    // Exact conversions need no reading: they come last, folded under one line.
    const grouped = exact.length >= GROUP_FROM && exact.length < rows.length;
    this.node.replaceChildren(
      ...(grouped ? [...rows.filter(row => !exact.includes(row)), this._group(exact)] : rows)
    );
    this.toggleClass('tf-mod-stale', !fresh);
    if (focused >= 0) {
      const rows = this._rows();
      rows[Math.min(focused, rows.length - 1)]?.focus();
    }
  }

  private _group(rows: HTMLElement[]): HTMLElement {
    const group = h(
      'details',
      { open: this._unfolded, ontoggle: () => (this._unfolded = group.open) },
      h('summary', { className: 'tf-Findings-group' }, `${rows.length} convert exactly`),
      h('ul', { className: 'tf-Findings', role: 'list' }, ...rows)
    );
    return h('li', {}, group);
  }

  private _row(finding: IFinding, index: number, fresh: boolean): HTMLElement {
    const words = HAZARD.test(finding.code)
      ? 'Prevents the capture of the model as a graph'
      : WORDS[finding.severity];
    const main = h(
      'button',
      {
        className: 'tf-Finding-main',
        type: 'button',
        title: `${words}. Go to line ${finding.line + 1}`,
        onclick: () => this._actions.reveal(finding)
      },
      h(
        'span',
        {
          className: 'tf-Severity',
          role: 'img',
          'data-severity': finding.severity,
          'aria-label': words
        },
        GLYPHS[finding.severity]
      ),
      h(
        'span',
        { className: 'tf-Finding-text' },
        h('span', { className: 'tf-Finding-message' }, ...breakable(finding.message)),
        h(
          'span',
          { className: 'tf-Finding-facts' },
          `Line ${finding.line + 1} · ${finding.code}`,
          finding.certainty === 'proved' ? null : ` · ${finding.certainty}`
        )
      )
    );
    const fix = finding.fix
      ? h(
          'button',
          {
            className: 'tf-SmallButton tf-Finding-fix',
            type: 'button',
            disabled: !fresh,
            title: finding.fix,
            onclick: () => this._actions.fix(index)
          },
          'Fix'
        )
      : null;
    return h('li', { className: 'tf-Finding' }, main, fix);
  }

  private _rows(): HTMLElement[] {
    return [...this.node.querySelectorAll<HTMLElement>('.tf-Finding-main')];
  }

  private _onKey(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const rows = this._rows();
    const at = rows.indexOf(event.target as HTMLElement);
    if (step && at >= 0) {
      event.preventDefault();
      rows[at + step]?.focus();
    }
  }
  private _unfolded = false;
}
