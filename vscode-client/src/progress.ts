/** How far a port has come: the uses of torch in the workspace, from day to day. */

import type * as vscode from 'vscode';

const KEPT = 'torchferry.progress';

export interface Count {
  readonly uses: number;
  /** Those that stay when all that converts is converted. */
  readonly stay: number;
}

interface Day extends Count {
  readonly day: string;
}

export class Progress {
  constructor(private readonly state: vscode.Memento) {}

  /** Note today's count; the sentence that says where the port stands. */
  note(count: Count, files: number): string {
    const today = { day: new Date().toISOString().slice(0, 10), ...count };
    const [start, ...days] = this.days;
    // A port starts at the most that was ever counted: files may have come in since.
    const first = start === undefined || count.uses > start.uses ? today : start;
    const isStill = first === today || (first.day === today.day && first.uses === today.uses);
    const rest = isStill ? [] : [...days.filter(({ day }) => day !== today.day), today];
    void this.state.update(KEPT, [first, ...rest]);
    if (first.uses === 0) {
      return 'No use of torch in the workspace.';
    }
    const uses = `${counted(count.uses, 'use')} of torch in ${counted(files, 'file')}`;
    const stay = count.uses === 0 ? '' : `; ${count.stay} cannot be converted`;
    const done = first.uses === count.uses ? '' : ` ${share(count, first)} of ${first.uses} done since ${first.day}.`;
    return `${uses}${stay}.${done}`;
  }

  /** All days, in Markdown. */
  page(): string {
    const { days } = this;
    const [first] = days;
    const rows = days.map((day) => {
      const bar = '█'.repeat(Math.round((10 * day.uses) / Math.max(first.uses, 1)));
      const name = (day === first ? `start, ${day.day}` : day.day).replace(/[- ]/g, (gap) => (gap === '-' ? '\u2011' : '\u00a0'));
      return `| ${name} | ${day.uses} | ${day.stay} | ${share(day, first)} | ${bar} |`;
    });
    return [
      '# Progress of the port',
      '',
      'Uses of torch in the workspace, and how many of them cannot be converted.',
      '',
      '| day | uses | cannot be converted | done | left |',
      '|---|---:|---:|---:|---|',
      ...rows,
      '',
    ].join('\n');
  }

  private get days(): Day[] {
    return this.state.get<Day[]>(KEPT, []);
  }
}

function share(now: Count, first: Count): string {
  return `${Math.floor(100 * (1 - now.uses / Math.max(first.uses, 1)))} %`;
}

export function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
