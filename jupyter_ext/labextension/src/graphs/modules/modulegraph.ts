import { Panel, Widget } from '@lumino/widgets';

import { h } from '../../dom';
import { IBox, IGraph, IPair, IPlace } from '../../kernel/protocol';
import { NodeFacts } from '../nodefacts';
import { Arranger, ISize } from './arrange';
import { Drawing, HANDLE, HEIGHT, PADDING } from './drawing';
import { Folding, ROOT, title } from './folding';
import { MEASURES, Measure, OF_ONE, Palette, Side } from './paint';
import { widthOf } from './styles';

/** At most this many results are offered; a text with more is too short to choose by. */
const MOST_FOUND = 60;

/**
 * A graph by its modules, which fold and unfold in place; of a pair both sides, which fold, scroll
 * and are chosen together.
 */
export class ModuleGraph extends Panel {
  constructor(
    private _graph: IGraph | IPair,
    reveal: (place: IPlace) => Promise<string>
  ) {
    super();
    this.addClass('tf-Modules');
    this._folding = new Folding(_graph.boxes);
    this._pair = 'rows' in _graph ? _graph : null;
    this._measure = this._pair ? 'difference' : 'kind';
    this._facts = new NodeFacts(reveal);
    this._arranger = new Arranger(this._folding, id => this._size(id));
    this._drawings = new Map(
      (this._pair ? (['torch', 'target'] as Side[]) : (['torch'] as Side[])).map(side => [
        side,
        new Drawing(`Graph of ${_graph.call} in ${this._named(side)}`, this._folding, (id, box) =>
          this._note(id, box, side)
        )
      ])
    );
    this.addWidget(new Widget({ node: this._bar() }));
    this.addWidget(new Widget({ node: this._crumbs }));
    const sides = new Panel();
    sides.addClass('tf-Modules-sides');
    this._drawings.forEach((drawing, side) => {
      if (this._pair) {
        drawing.node.prepend(h('div', { className: 'tf-Side-title' }, this._named(side)));
      }
      drawing.moved.connect((_, view) =>
        this._drawings.forEach(other => other !== drawing && (other.view = view))
      );
      sides.addWidget(drawing);
    });
    const body = new Panel();
    body.addClass('tf-Modules-body');
    body.addWidget(sides);
    body.addWidget(this._facts);
    this.addWidget(body);
    this._folding.changed.connect((_, what) => this._update(what === 'folds'));
    this._update(true);
  }

  setTheme(dark: boolean): void {
    this._drawings.forEach(drawing => drawing.setTheme(dark));
  }

  private _bar(): HTMLElement {
    const measures = (Object.keys(MEASURES) as Measure[]).filter(
      measure => this._pair || OF_ONE.includes(measure)
    );
    const select = h(
      'select',
      {
        className: 'tf-Select',
        'aria-label': 'Colour of the boxes',
        onchange: () => {
          this._measure = select.value as Measure;
          this._paint();
        }
      },
      ...measures.map(value => h('option', { value }, MEASURES[value]))
    );
    select.value = this._measure;
    const both = { '': 'both sides', torch: 'torch', target: this._named('target') };
    const sides = h(
      'select',
      {
        className: 'tf-Select',
        'aria-label': 'Sides to show',
        onchange: () =>
          this._drawings.forEach((drawing, side) =>
            drawing.setHidden(sides.value !== '' && sides.value !== side)
          )
      },
      ...Object.entries(both).map(([value, text]) => h('option', { value }, text))
    );
    const button = (text: string, hint: string, onclick: () => void) =>
      h('button', { className: 'tf-SmallButton', type: 'button', title: hint, onclick }, text);
    const fit = () => this._drawings.forEach(drawing => drawing.showAll());
    return h(
      'div',
      { className: 'tf-Modules-bar' },
      this._search(),
      h('label', {}, 'Colour by ', select),
      this._legend,
      this._pair && h('label', {}, 'Show ', sides),
      h(
        'span',
        { className: 'tf-Modules-buttons' },
        button('Fold', 'Fold all modules', () => this._folding.foldAll()),
        button('Unfold', 'Unfold all modules', () => this._folding.unfoldAll()),
        button('Fit', 'Fit the whole graph into the view', fit),
        button('PNG', 'Save a picture of the graph as it is folded', () => this._save())
      ),
      this._verdict()
    );
  }

  private _search(): HTMLElement {
    const found = h('ul', { className: 'tf-Modules-found', hidden: true });
    const go = (id: string) => {
      found.hidden = true;
      this._folding.choose(id);
    };
    const look = () => {
      const ids = this._folding.find(input.value, MOST_FOUND);
      found.hidden = !input.value.trim();
      found.replaceChildren(
        ...ids.map(id => {
          const box = this._graph.boxes[id];
          const path = box.path || box.nodes[0] || '';
          const choose = { className: 'tf-Modules-find', type: 'button', onclick: () => go(id) };
          return h('li', {}, h('button', choose, title(box), h('small', {}, path)));
        })
      );
      if (!ids.length) {
        found.append(h('li', { className: 'tf-Note' }, 'No name contains this text'));
      }
      return ids;
    };
    const input = h('input', {
      className: 'tf-Modules-search',
      type: 'search',
      placeholder: 'Find a module',
      'aria-label': 'Find a module or an operator',
      oninput: look,
      onkeydown: (event: KeyboardEvent) => {
        if (event.key === 'Enter') {
          const [first] = look();
          if (first) {
            go(first);
          }
        } else if (event.key === 'Escape') {
          found.hidden = true;
        }
      }
    });
    return h('span', { className: 'tf-Modules-finder' }, input, found);
  }

  /** The outcome of a comparison, which leads to the worst call. */
  private _verdict(): HTMLElement | null {
    const pair = this._pair;
    if (!pair) {
      return null;
    }
    const { worst } = pair.boxes[ROOT].figures;
    const first = pair.first && (this._folding.home(pair.first) ?? worst);
    return h(
      'button',
      {
        className: 'tf-Verdict',
        type: 'button',
        disabled: pair.equal,
        'data-equal': pair.equal,
        title: pair.equal ? '' : 'Go to the first node that differs',
        onclick: () => first && this._folding.choose(first)
      },
      pair.summary
    );
  }

  private _update(folds: boolean): void {
    if (folds) {
      const arrangement = this._arranger.arrange();
      this._drawings.forEach((drawing, side) => drawing.draw(arrangement, this._palette(side)));
      const [lead, ...others] = [...this._drawings.values()].filter(each => !each.isHidden);
      others.forEach(other => (other.view = lead.view));
      this._key();
    } else {
      this._drawings.forEach(drawing => drawing.choose(this._folding.chosen));
    }
    const chosen = this._folding.chosen;
    this._way(chosen);
    this._tell(chosen);
  }

  private _paint(): void {
    this._drawings.forEach((drawing, side) => drawing.paint(this._palette(side)));
    this._key();
  }

  private _palette(side: Side): Palette {
    const seen = this._folding.order().filter(id => !this._folding.isOpen(id));
    const boxes = seen.map(id => this._graph.boxes[id]);
    return new Palette(this._measure, side, boxes, this._named('target'));
  }

  private _key(): void {
    this._legend.replaceChildren(
      ...this._palette('torch')
        .legend()
        .map(({ colour, text }) =>
          h(
            'span',
            { className: 'tf-Legend-entry' },
            h('span', { className: 'tf-Legend-swatch', style: `background:${colour}` }),
            text
          )
        )
    );
  }

  /** The boxes that hold the chosen one; each is a click away. */
  private _way(chosen: string | null): void {
    const way = this._folding.above(chosen ?? ROOT);
    this._crumbs.replaceChildren(
      ...way.map(id =>
        h(
          'button',
          {
            type: 'button',
            'aria-current': id === chosen,
            onclick: () => (id === ROOT ? this._folding.foldAll() : this._folding.choose(id))
          },
          title(this._graph.boxes[id])
        )
      )
    );
  }

  private _tell(chosen: string | null): void {
    const box = chosen === null ? null : this._graph.boxes[chosen];
    if (!box) {
      if (this._pair) {
        this._facts.compared(this._pair);
      } else {
        this._facts.overview(this._graph);
      }
    } else if (box.children.length) {
      const { worst } = box.figures;
      const show = () => this._folding.choose(worst);
      this._facts.displayBox(title(box), box, this._pair, this._graph.boxes[worst], show);
    } else if (this._pair) {
      this._facts.displayPair(title(box), box.nodes[0], this._pair);
    } else {
      this._facts.display(title(box), this._graph.nodes[box.nodes[0]] ?? null);
    }
  }

  /** The second line of a box: how much is in it, or what the call gives. */
  private _note(_id: string, box: IBox, side: Side): string {
    if (box.children.length) {
      return box.figures.calls === 1 ? '1 call' : `${box.figures.calls} calls`;
    }
    const [name] = box.nodes;
    const row = box.op === 'output' ? undefined : this._pair?.rows[name];
    if (side === 'target' && row) {
      const code = row.code.replace(/^\w+ = /, '');
      return /^([\w.]+)\(/.exec(code)?.[1] ?? code;
    }
    return this._graph.nodes[name]?.values[0] ?? box.op;
  }

  private _size(id: string): ISize {
    const box = this._graph.boxes[id];
    const lines = [title(box), ...[...this._drawings.keys()].map(side => this._note(id, box, side))];
    const handle = box.children.length ? HANDLE : 0;
    const widest = Math.max(...lines.map(line => widthOf(line)));
    return { width: Math.ceil(widest) + handle + 2 * PADDING, height: HEIGHT };
  }

  private _named(side: Side): string {
    return side === 'target' && this._pair ? this._pair.target : 'torch';
  }

  private _save(): void {
    const background = getComputedStyle(this.node).backgroundColor;
    this._drawings.forEach((drawing, side) => {
      const name = `${this._graph.name}${this._pair ? `-${this._named(side)}` : ''}.png`;
      const link = h('a', { href: URL.createObjectURL(drawing.picture(background)), download: name });
      link.click();
      URL.revokeObjectURL(link.href);
    });
  }

  private _arranger: Arranger;
  private _crumbs = h('nav', { className: 'tf-Modules-crumbs', 'aria-label': 'Enclosing modules' });
  private _drawings: Map<Side, Drawing>;
  private _facts: NodeFacts;
  private _folding: Folding;
  private _legend = h('span', { className: 'tf-Legend' });
  private _measure: Measure;
  private _pair: IPair | null;
}
