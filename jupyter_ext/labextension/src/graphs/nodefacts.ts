import { Widget } from '@lumino/widgets';

import { count, h } from '../dom';
import { IBox, IGraph, INode, IPair, IPlace, IRow, Verdict } from '../kernel/protocol';

/** Facts about the selected node of a graph, with the way to its line. */
export class NodeFacts extends Widget {
  /** `reveal` goes to a place, and gives what the person should know about it, if anything. */
  constructor(private _reveal: (place: IPlace) => Promise<string>) {
    super();
    this.addClass('tf-Facts');
    this.node.setAttribute('aria-live', 'polite');
  }

  /** The graph as a whole, until a node is selected. */
  overview(graph: IGraph): void {
    const nodes = Object.keys(graph.nodes).length;
    this.node.replaceChildren(
      h(
        'div',
        { className: 'tf-Note' },
        `${graph.name}: ${count(nodes, 'node')}, ${quantity(graph.flops)}FLOP. ` +
          'Click a node to see where it comes from.'
      ),
      ...graph.warnings.map(text =>
        h('div', { className: 'tf-Note tf-mod-warning' }, text)
      )
    );
  }

  /** Show one node; `null` for a node without a computation, such as an input. */
  display(name: string, node: INode | null): void {
    const rows: [string, string][] = [];
    if (node) {
      if (node.module) {
        rows.push(['Module', `${node.module} (${node.moduleType})`]);
      }
      if (node.values.length) {
        rows.push(['Output', node.values.join(', ')]);
      }
      if (node.inputs.length) {
        rows.push(['Inputs', node.inputs.join(', ')]);
      }
      if (node.flops) {
        rows.push(['Work', `${quantity(node.flops)}FLOP`]);
      }
    }
    const list = h('dl', { className: 'tf-Facts-list' });
    for (const [term, value] of rows) {
      list.append(h('dt', {}, term), h('dd', { title: value }, value));
    }
    this.node.replaceChildren(
      h(
        'div',
        { className: 'tf-Facts-title' },
        h('code', {}, name),
        node ? h('span', { className: 'tf-Facts-op' }, node.op) : null
      ),
      node?.place ? this._line(node.place) : '',
      list
    );
    this.node.scrollIntoView({ block: 'nearest' });
  }

  /** Show the result of comparing two graphs, until a node is selected. */
  compared(pair: IPair): void {
    const inTorch = Object.values(pair.islands).flatMap(each => each.nodes);
    const parts = [
      `${pair.summary}. ${count(Object.keys(pair.nodes).length, 'node')}`,
      inTorch.length ? `, ${inTorch.length} of them run in torch` : '',
      '. Click a node to see both sides of it.'
    ];
    this.node.replaceChildren(
      h('div', { className: 'tf-Note' }, parts.join('')),
      ...pair.warnings.map(text =>
        h('div', { className: 'tf-Note tf-mod-warning' }, text)
      )
    );
  }

  /** Both sides of a node; `shown` is what it is called where it was clicked. */
  displayPair(shown: string, name: string, pair: IPair): void {
    this.display(shown, pair.nodes[name] ?? null);
    const row = pair.rows[name];
    if (!row) {
      return;
    }
    const list = this.node.querySelector('.tf-Facts-list')!;
    const add = (term: string, value: string, bad = false) =>
      list.append(
        h('dt', {}, term),
        h('dd', { title: value, className: bad ? 'tf-mod-error' : '' }, value)
      );
    add(pair.target, row.code);
    add('Difference', difference(row), !row.equal);
    add(
      'Time',
      `${row.torchMs.toFixed(3)} ms in torch, ` +
        `${row.targetMs.toFixed(3)} ms in ${pair.target}`
    );
    for (const island of Object.values(pair.islands)) {
      if (island.reasons[name]) {
        add('Runs in torch', island.reasons[name]);
      }
    }
    pair.caveats[name]?.forEach(text => add('Caveat', text));
  }

  /** Show the figures of a module, with a link to the call in it that differs most. */
  displayBox(shown: string, box: IBox, pair: IPair | null, worst: IBox, show: () => void): void {
    const { calls, dtypes, flops, inTorch, nbytes, targetMs, torchMs, verdict } = box.figures;
    const list = h('dl', { className: 'tf-Facts-list' });
    const add = (term: string, ...value: (string | Node)[]) =>
      list.append(h('dt', {}, term), h('dd', {}, ...value));
    if (box.path) {
      add('Module', box.path);
    }
    add('Calls', String(calls));
    add('Work', `${quantity(flops)}FLOP`);
    add('Results', `${quantity(nbytes)}B, ${dtypes.join(', ') || 'no tensor'}`);
    if (pair && verdict) {
      add('Time', `${torchMs.toFixed(3)} ms in torch, ${targetMs.toFixed(3)} ms in ${pair.target}`);
      add('Difference', VERDICTS[verdict]);
      if (verdict !== 'same') {
        const button = { className: 'tf-SmallButton', type: 'button', onclick: show };
        add('Worst', h('button', button, `${worst.path} ${worst.type || worst.name}`.trim()));
      }
      if (inTorch) {
        add('Runs in torch', `${inTorch} of ${count(calls, 'call')}`);
      }
    }
    this.node.replaceChildren(
      h('div', { className: 'tf-Facts-title' }, h('code', {}, shown)),
      list
    );
  }

  private _line(place: IPlace): HTMLElement {
    const note = h('div', { className: 'tf-Note', hidden: true });
    const where = place.count === null ? '' : `[${place.count}] `;
    const button = h(
      'button',
      {
        className: 'tf-Facts-line',
        type: 'button',
        title: 'Go to this line',
        onclick: async () => {
          const remark = await this._reveal(place);
          note.textContent = remark;
          note.hidden = !remark;
        }
      },
      h(
        'span',
        { className: 'tf-Facts-where' },
        `${where}line ${place.line + 1}`
      ),
      h('code', {}, place.code || place.file)
    );
    return h('div', {}, button, note);
  }
}

const VERDICTS: Record<Verdict, string> = {
  same: 'none',
  rounding: 'within rounding',
  unknown: 'not compared in all calls',
  different: 'differs'
};

function difference(row: IRow): string {
  if (!row.equal) {
    return row.reason;
  }
  if (row.random) {
    return 'not compared: it draws random numbers';
  }
  if (row.difference === 0) {
    return 'none';
  }
  const number = (value: number | null) =>
    value === null ? 'infinite' : value.toExponential(1);
  return `${number(row.difference)}; rounding explains up to ${number(row.limit)}`;
}

/** A number with a prefix for thousands: 1.2 M. */
export function quantity(number: number): string {
  const prefixes = ['', 'k', 'M', 'G', 'T', 'P'];
  let index = 0;
  while (number >= 1000 && index < prefixes.length - 1) {
    number /= 1000;
    index += 1;
  }
  const digits = index === 0 ? 0 : number < 10 ? 2 : number < 100 ? 1 : 0;
  return `${number.toFixed(digits)} ${prefixes[index]}`;
}
