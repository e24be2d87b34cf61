import { ICodeCellModel } from '@jupyterlab/cells';
import { Widget } from '@lumino/widgets';

import { h } from '../dom';
import { NotebookFollower } from '../kernel/follower';
import { PanelModel } from '../kernel/model';

/**
 * Names the cell from which something in the panel was made; a click goes there.
 *
 * If that is not the current text of the active cell, it says so, and `content` is faded.
 */
export class SubjectLine extends Widget {
  constructor(
    private _model: PanelModel,
    private _content: Widget
  ) {
    super({ node: h('div', { className: 'tf-Subject', hidden: true }) });
    _model.changed.connect(this._see, this);
  }

  /**
   * Take a cell for what is shown from now on; `what` names it, its first line if empty. `code` is
   * what it was made from, where that may be another by now.
   */
  take(follower: NotebookFollower, cell: ICodeCellModel, what = '', code?: string): void {
    const now = cell.sharedModel.getSource();
    const source = code === undefined || body(now) === code ? now : code;
    this._taken = { follower, cell: cell.id, source, what };
    this._see();
  }

  /** Take nothing any more; false where what is shown is of this notebook, and stays. */
  leave(follower: NotebookFollower): boolean {
    if (!this._taken || this._taken.follower === follower) {
      return false;
    }
    this._taken = null;
    this.node.hidden = true;
    this._content.removeClass('tf-mod-apart');
    return true;
  }

  private _see(): void {
    const taken = this._taken;
    if (!taken) {
      return;
    }
    const { follower, source } = taken;
    const cell = follower.isDisposed ? null : follower.find(taken.cell);
    const active = this._model.follower;
    let apart = '';
    if (follower.isDisposed) {
      apart = 'a notebook that was closed';
    } else if (!cell) {
      apart = 'a deleted cell';
    } else if (cell.sharedModel.getSource() !== source) {
      apart = 'the cell has changed since';
    } else if (active !== follower) {
      apart = 'another notebook';
    } else if (active.cell?.id !== cell.id) {
      apart = 'another cell';
    }
    const count = cell?.executionCount ? `[${cell.executionCount}] ` : '';
    const place = h(
      'button',
      {
        className: 'tf-Subject-place',
        type: 'button',
        title: 'Go to this cell',
        disabled: !cell,
        onclick: () => void this._model.revealCell(follower, taken.cell)
      },
      `${follower.name} ${count}`,
      h('code', {}, taken.what || firstLine(source))
    );
    this.node.replaceChildren(place, h('span', { className: 'tf-Subject-apart' }, apart));
    this.node.hidden = false;
    this.node.classList.toggle('tf-mod-apart', !!apart);
    this._content.toggleClass('tf-mod-apart', !!apart);
  }

  private _taken: {
    follower: NotebookFollower;
    cell: string;
    source: string;
    what: string;
  } | null = null;
}

/** The first line of a cell that is code. */
function firstLine(source: string): string {
  const lines = source.split('\n').map(line => line.trim());
  return lines.find(line => line && !/^[#%]/.test(line)) ?? '';
}

/** A cell's code without the line of the magic, as the kernel has it. */
function body(source: string): string {
  return source.replace(/^%%convert.*\n?/, '').trim();
}
