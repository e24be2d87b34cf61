import { ISignal, Signal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';
import cytoscape from 'cytoscape';

import { h } from '../../dom';
import { IBox } from '../../kernel/protocol';
import { HEAD, IArrangement, IPlaced, IPoint, IRoute } from './arrange';
import { Folding, ROOT, title } from './folding';
import { Minimap } from './minimap';
import { Palette } from './paint';
import { styles, widthOf } from './styles';

/** At the left of a box and of its head a click folds or unfolds it, in the graph's units. */
export const HANDLE = 28;
/** The height of a folded box, of two lines. */
export const HEIGHT = 42;
export const PADDING = 12;
/** The free space around a graph that is shown whole. */
const EDGE = 16;
/** How far a view goes that shows all of a small graph. */
const NEAREST = 1.2;
/** At less than that a box that is looked for is drawn larger. */
const READABLE = 0.5;

/** A box or a line, as cytoscape takes it. */
interface IDrawn {
  group: 'nodes' | 'edges';
  data: { id: string; [name: string]: unknown };
  position?: IPoint;
  classes?: string;
  pannable?: boolean;
}

export interface IView {
  pan: IPoint;
  zoom: number;
  /** Whether all of the graph is shown, also when there is more or less room for it. */
  whole: boolean;
}

/** One side of a graph, drawn: what is unfolded, in the colours that it is given. */
export class Drawing extends Widget {
  /** `note` is the second line of a folded box. */
  constructor(
    label: string,
    private _folding: Folding,
    private _note: (id: string, box: IBox) => string
  ) {
    super();
    this.addClass('tf-Modules-drawing');
    this._canvas = h('div', {
      className: 'tf-Modules-canvas',
      tabIndex: 0,
      role: 'application',
      'aria-label':
        `${label}. Arrow keys move between boxes, Enter folds and unfolds a box, Escape clears the selection.`,
      onkeydown: (event: KeyboardEvent) => this._onKey(event)
    });
    this.node.append(this._canvas);
    this._cy = cytoscape({
      container: this._canvas,
      style: styles(false),
      // Its own layout needs a container that has a size, and there is none yet.
      layout: { name: 'preset' },
      minZoom: 0.01,
      maxZoom: 3,
      boxSelectionEnabled: false,
      autoungrabify: true,
      // The folding decides the selection, for both sides.
      autounselectify: true,
      hideEdgesOnViewport: false,
      textureOnViewport: true
    });
    this._minimap = new Minimap(this._cy);
    this.node.append(this._minimap.node);
    const onHandle = ({ position, target }: cytoscape.EventObject) =>
      this._folding.canOpen(target.id()) &&
      position.x < target.position('x') - target.width() / 2 + HANDLE &&
      position.y < target.position('y') - target.height() / 2 + HEIGHT;
    this._cy.on('tap', 'node', event => {
      this._canvas.focus({ preventScroll: true });
      if (onHandle(event)) {
        this._folding.toggle(event.target.id());
      } else {
        this._folding.choose(event.target.id());
      }
    });
    this._cy.on('tap', event => {
      if (event.target === this._cy) {
        this._folding.choose(null);
      }
    });
    this._cy.on('dbltap', 'node', event => {
      if (!onHandle(event)) {
        this._folding.toggle(event.target.id());
      }
    });
    this._cy.on('viewport', () => {
      if (!this._quiet) {
        this._whole = false;
        this._moved.emit(this.view);
      }
    });
    this._sized.observe(this._canvas);
  }

  /** Emits when the person scrolls or zooms. */
  get moved(): ISignal<this, IView> {
    return this._moved;
  }

  get view(): IView {
    return { pan: { ...this._cy.pan() }, zoom: this._cy.zoom(), whole: this._whole };
  }
  set view(view: IView) {
    this._whole = view.whole;
    this._quietly(() => this._cy.viewport(view));
  }

  /** Draw the boxes at their places; what is there already stays where the eye has it. */
  draw({ places, routes }: IArrangement, palette: Palette): void {
    const anchor = this._anchor();
    const elements = new Map<string, IDrawn>();
    for (const [id, place] of places) {
      elements.set(id, this._node(id, place, palette));
    }
    for (const route of routes) {
      const from = places.get(route.from);
      const to = places.get(route.to);
      if (from && to) {
        const edge = edgeOf(route, from, to);
        elements.set(edge.data.id, edge);
      }
    }
    this._quietly(() => {
      this._cy.batch(() => this._change(elements));
      this._keep(anchor);
      this.choose(this._folding.chosen);
    });
    this._minimap.update();
  }

  private _node(id: string, { x, y, width, height, depth, open }: IPlaced, palette: Palette): IDrawn {
    const box = this._folding.boxes[id];
    const sign = this._folding.canOpen(id) ? (open ? '−  ' : '+  ') : '';
    const label = sign + title(box) + (open ? '' : `\n${this._note(id, box)}`);
    const inset = open ? widthOf(label, true) + PADDING : 0;
    const colour = palette.colour(box);
    return {
      group: 'nodes',
      data: { id, label, width, height, depth, colour, inset },
      position: { x, y },
      // Only the whole graph can be dragged, since an unfolded box has hardly any free background.
      pannable: true,
      classes: open ? 'open' : box.repeat ? 'stack' : ''
    };
  }

  /** Draw these elements; existing ones are moved, which is faster than creating them again. */
  private _change(elements: Map<string, IDrawn>): void {
    this._cy
      .elements()
      .filter(each => !elements.has(each.id()))
      .remove();
    const fresh: IDrawn[] = [];
    for (const [id, element] of elements) {
      const there = this._cy.getElementById(id);
      if (there.empty()) {
        fresh.push(element);
      } else {
        there.data(element.data);
        if (element.position) {
          there.position(element.position);
          there.classes(element.classes ?? '');
        }
      }
    }
    this._cy.add(fresh);
  }

  /** Give the boxes that are drawn other colours. */
  paint(palette: Palette): void {
    this._cy.batch(() =>
      this._cy.nodes().forEach(node => {
        node.data('colour', palette.colour(this._folding.boxes[node.id()]));
      })
    );
    this._minimap.update();
  }

  /** Mark a box, and bring its name into sight where it is not. */
  choose(id: string | null): void {
    this._cy.nodes('.chosen').removeClass('chosen');
    const node = this._find(id);
    node?.addClass('chosen');
    if (!this._drawn || !node || this._sees(id)) {
      return;
    }
    this._quietly(() => {
      if (this._cy.zoom() < READABLE) {
        this._cy.zoom(1);
      }
      const { x1, y1, w, h: high } = this._cy.extent();
      const name = nameOf(node);
      const isAside = name.left < x1 || name.right > x1 + w;
      const isAbove = name.top < y1 || name.bottom > y1 + high;
      this._lookAt({
        x: isAside ? Math.min(node.position('x'), name.left - HANDLE + w / 2) : x1 + w / 2,
        y: isAbove ? name.top + high / 4 : y1 + high / 2
      });
    });
    this._moved.emit(this.view);
  }

  /** Whether the name of a box is in sight. */
  private _sees(id: string | null): boolean {
    const node = this._find(id);
    if (!node) {
      return false;
    }
    const { x1, y1, x2, y2 } = this._cy.extent();
    const { left, right, top, bottom } = nameOf(node);
    return left >= x1 && right <= x2 && top >= y1 && bottom <= y2;
  }

  /** A box that is drawn. */
  private _find(id: string | null): cytoscape.NodeSingular | null {
    const node = id === null ? null : this._cy.getElementById(id);
    return node?.nonempty() ? node : null;
  }

  /** Show all of it. */
  showAll(): void {
    this._cy.resize();
    this._cy.fit(undefined, EDGE);
    if (this._cy.zoom() > NEAREST) {
      this._cy.zoom(NEAREST);
      this._cy.center();
    }
    this._whole = true;
  }

  /** Show all of it, or where it begins if all of it is too small to be read. */
  private _begin(): void {
    this.showAll();
    if (this._cy.zoom() < READABLE && this._cy.nodes().nonempty()) {
      const { x1, y1, w } = this._cy.elements().boundingBox();
      this._cy.zoom(Math.min(1, Math.max(READABLE, this._cy.width() / (w + 2 * EDGE))));
      this._lookAt({ x: x1 + w / 2, y: y1 - EDGE + this._cy.extent().h / 2 });
    }
  }

  setTheme(dark: boolean): void {
    this._cy.style(styles(dark));
    this._minimap.update();
  }

  /** A picture of all that is unfolded. */
  picture(background: string): Blob {
    return this._cy.png({ full: true, scale: 2, bg: background, output: 'blob', maxWidth: 8000, maxHeight: 8000 });
  }

  override dispose(): void {
    this._sized.disconnect();
    this._minimap.dispose();
    this._cy.destroy();
    super.dispose();
  }

  /** The canvas has another size: what was not moved yet is shown whole. */
  private _fill(): void {
    if (!this._canvas.clientWidth) {
      return;
    }
    const { chosen } = this._folding;
    this._quietly(() => {
      if (this._whole && chosen === null) {
        this._begin();
      } else {
        const seen = this._sees(chosen);
        this._cy.resize();
        if (seen) {
          this.choose(chosen);
        }
      }
    });
    this._drawn = true;
    this._minimap.update();
  }

  private _lookAt({ x, y }: IPoint): void {
    const zoom = this._cy.zoom();
    this._cy.pan({ x: this._cy.width() / 2 - x * zoom, y: this._cy.height() / 2 - y * zoom });
  }

  /** The chosen box, and where on the screen the middle of its upper edge is. */
  private _anchor(): { id: string; at: IPoint } | null {
    const node = this._find(this._folding.chosen);
    return node && this._drawn ? { id: node.id(), at: headOf(node) } : null;
  }

  /** Have its upper edge where it was: a box unfolds in place. */
  private _keep(anchor: { id: string; at: IPoint } | null): void {
    const node = this._find(anchor?.id ?? null);
    if (!anchor || !node) {
      this._begin();
      return;
    }
    this._whole = false;
    const { x, y } = headOf(node);
    this._cy.panBy({ x: anchor.at.x - x, y: anchor.at.y - y });
  }

  private _onKey(event: KeyboardEvent): void {
    const { boxes, chosen } = this._folding;
    const order = this._folding.order();
    const at = chosen === null ? -1 : order.indexOf(chosen);
    if (event.key === 'ArrowDown' || event.key === 'ArrowRight') {
      this._folding.choose(order[at + 1] ?? chosen);
    } else if (event.key === 'ArrowUp' || event.key === 'ArrowLeft') {
      this._folding.choose(order[at - 1] ?? chosen);
    } else if (event.key === 'Enter' && chosen !== null) {
      this._folding.toggle(chosen);
    } else if (event.key === 'Escape' && chosen !== null) {
      const { parent } = boxes[chosen];
      this._folding.choose(parent === ROOT ? null : parent);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  private _quietly(action: () => void): void {
    const before = this._quiet;
    this._quiet = true;
    action();
    this._quiet = before;
  }

  private _canvas: HTMLElement;
  private _cy: cytoscape.Core;
  private _drawn = false;
  private _minimap: Minimap;
  private _moved = new Signal<this, IView>(this);
  private _quiet = false;
  private _sized = new ResizeObserver(() => this._fill());
  private _whole = true;
}

/** Return the rectangle of a box's name. */
function nameOf(node: cytoscape.NodeSingular): Record<'left' | 'right' | 'top' | 'bottom', number> {
  const { x, y } = node.position();
  const left = x - node.width() / 2;
  const top = y - node.height() / 2;
  const width = node.hasClass('open') ? (node.data('inset') as number) : node.width();
  return { left, right: left + width, top, bottom: top + HEAD };
}

/** The middle of the upper edge of a box, on the screen. */
function headOf(node: cytoscape.NodeSingular): IPoint {
  const { x, y } = node.renderedPosition();
  return { x, y: y - node.renderedHeight() / 2 };
}

function edgeOf(route: IRoute, from: IPlaced, to: IPlaced): IDrawn {
  const { from: source, to: target } = route;
  const id = `${source} → ${target}`;
  return { group: 'edges', data: { id, source, target, ...bends(route, from, to) } };
}

/** The points of a line, as cytoscape takes them: by share of the way, and distance from it. */
function bends(route: IRoute, from: IPoint, to: IPoint): Record<string, number[] | null> {
  const along = { x: to.x - from.x, y: to.y - from.y };
  const length = Math.hypot(along.x, along.y) || 1;
  const bent = route.by.map(({ x, y }) => ({
    weight: ((x - from.x) * along.x + (y - from.y) * along.y) / length ** 2,
    distance: (-(x - from.x) * along.y + (y - from.y) * along.x) / length
  }));
  const isStraight = bent.every(({ distance }) => Math.abs(distance) <= 3);
  return {
    weights: isStraight ? null : bent.map(({ weight }) => weight),
    distances: isStraight ? null : bent.map(({ distance }) => distance)
  };
}
