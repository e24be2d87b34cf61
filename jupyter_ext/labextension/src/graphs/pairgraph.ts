import { BoxPanel, Panel, SplitPanel, Widget } from '@lumino/widgets';

import { COLOURINGS, Colouring, colours, legend } from './colours';
import { h } from '../dom';
import { IPaired, PanelModel } from '../kernel/model';
import { NetronFrame } from './netron';
import { NodeFacts } from './nodefacts';

/** The height of the facts while no node is chosen, and with one, in pixels. */
const FACTS_OF_NONE = 40;
const FACTS_OF_ONE = 190;

/**
 * A graph and its counterpart, side by side: they scroll together, and a node that is chosen in
 * one is chosen in the other.
 */
export class PairGraph extends BoxPanel {
  constructor(
    model: PanelModel,
    private _paired: IPaired
  ) {
    super({ direction: 'top-to-bottom', spacing: 0 });
    const { graph, netron, counterpart, follower } = _paired;
    this._torch = this._side(`Graph of ${graph.call} in torch`);
    this._target = this._side(`Graph of ${graph.call} in ${graph.target}`);
    this._facts = new NodeFacts(place => model.revealPlace(follower, place));
    this._facts.compared(graph);
    const sides = new SplitPanel({ orientation: 'horizontal', spacing: 1 });
    sides.addClass('tf-Sides');
    sides.addWidget(titled('torch', this._torch));
    sides.addWidget(titled(graph.target, this._target));
    const bar = this._bar();
    [bar, sides, this._facts].forEach(part => this.addWidget(part));
    BoxPanel.setStretch(bar, 0);
    BoxPanel.setSizeBasis(bar, 34);
    BoxPanel.setStretch(sides, 1);
    BoxPanel.setStretch(this._facts, 0);
    BoxPanel.setSizeBasis(this._facts, FACTS_OF_NONE);
    this._torch.open(netron, `${graph.name}.netron`);
    this._target.open(counterpart, `${graph.name}.${graph.target}.netron`);
    this._link(this._torch, this._target, name => this._inTarget(name));
    this._link(this._target, this._torch, name => this._inTorch(name));
    this.colour('difference');
  }

  setTheme(dark: boolean): void {
    this._torch.setTheme(dark);
    this._target.setTheme(dark);
  }

  /** Let the colours of the nodes say something else. */
  colour(colouring: Colouring): void {
    const { graph } = this._paired;
    this._torch.colour(colours(graph, colouring, 'torch'));
    this._target.colour(colours(graph, colouring, 'target'));
    this._legend.replaceChildren(
      ...legend(colouring, graph.target).map(({ colour, text }) =>
        h(
          'span',
          { className: 'tf-Legend-entry' },
          h('span', { className: 'tf-Legend-swatch', style: `background:${colour}` }),
          text
        )
      )
    );
  }

  private _side(label: string): NetronFrame {
    return new NetronFrame({ label, propertyBar: 'never' });
  }

  private _bar(): Widget {
    const { graph } = this._paired;
    const select = h(
      'select',
      {
        className: 'tf-Select',
        'aria-label': 'Colour of the nodes',
        onchange: () => this.colour(select.value as Colouring)
      },
      ...Object.entries(COLOURINGS).map(([value, text]) =>
        h('option', { value }, text)
      )
    );
    const verdict = h(
      'button',
      {
        className: 'tf-Verdict',
        type: 'button',
        disabled: graph.equal,
        'data-equal': graph.equal,
        title: graph.equal ? '' : 'Go to the first node that differs',
        onclick: () => graph.first && this._choose(graph.first)
      },
      graph.summary
    );
    return new Widget({
      node: h(
        'div',
        { className: 'tf-PairBar' },
        h('label', {}, 'Colour by ', select),
        this._legend,
        verdict
      )
    });
  }

  private _link(
    from: NetronFrame,
    to: NetronFrame,
    partner: (name: string) => string[]
  ): void {
    from.selected.connect((_, names) => {
      to.select(names.flatMap(partner));
      if (this._show(names[0])) {
        // The facts take their room from the graphs: the node may have gone out of sight.
        requestAnimationFrame(() => {
          from.select(names);
          to.select(names.flatMap(partner));
        });
      }
    });
    from.scrolled.connect(() => {
      to.position = from.position;
    });
  }

  private _choose(name: string): void {
    this._torch.select([name]);
    this._target.select(this._inTarget(name));
    this._show(name);
  }

  /** Show the facts of a node; true where they begin to take more room. */
  private _show(name: string): boolean {
    const { graph } = this._paired;
    const first = BoxPanel.getSizeBasis(this._facts) !== FACTS_OF_ONE;
    const island = graph.islands[name];
    const node = island ? island.nodes[island.nodes.length - 1] : name;
    this._facts.displayPair(name, node, graph);
    BoxPanel.setSizeBasis(this._facts, FACTS_OF_ONE);
    return first;
  }

  private _inTarget(name: string): string[] {
    const island = Object.entries(this._paired.graph.islands).find(
      ([, { nodes }]) => nodes.includes(name)
    );
    return [island ? island[0] : name];
  }

  private _inTorch(name: string): string[] {
    return this._paired.graph.islands[name]?.nodes ?? [name];
  }

  private _facts: NodeFacts;
  private _legend = h('span', { className: 'tf-Legend' });
  private _target: NetronFrame;
  private _torch: NetronFrame;
}

function titled(text: string, frame: NetronFrame): Panel {
  const panel = new Panel();
  panel.addClass('tf-Side');
  panel.addWidget(
    new Widget({ node: h('div', { className: 'tf-Side-title' }, text) })
  );
  panel.addWidget(frame);
  return panel;
}
