import { Graph, layout } from '@dagrejs/dagre';

import { Folding, ROOT } from './folding';
import { Ports } from './ports';

/** The margin inside an unfolded box: at its sides and below, and above for its name. */
const MARGIN = 14;
export const HEAD = 28;

export interface IPoint {
  x: number;
  y: number;
}

/** A box with the position of its middle. */
export interface IPlaced extends IPoint {
  width: number;
  height: number;
  depth: number;
  open: boolean;
}

/** A line between two boxes that are seen, by way of points. */
export interface IRoute {
  from: string;
  to: string;
  by: IPoint[];
}

export interface IArrangement {
  places: Map<string, IPlaced>;
  routes: IRoute[];
}

export interface ISize {
  width: number;
  height: number;
}

/**
 * The content of one box, relative to its upper left corner: positions of its children in the order
 * of the list, and lines between these and the ports.
 */
interface ILaidOut extends ISize {
  at: IPoint[];
  by: Map<string, IPoint[]>;
}

/**
 * Lays out what is unfolded, and nothing else: each box by itself, so that to unfold one moves only
 * those that hold it. What was laid out before, or looks alike, is not laid out again.
 */
export class Arranger {
  /** `size` is that of a folded box. */
  constructor(
    private _folding: Folding,
    private _size: (id: string) => ISize
  ) {
    this._ports = new Ports(_folding);
  }

  arrange(): IArrangement {
    this._sizes = new Map();
    this._inside = new Map();
    this._corners = new Map();
    this._measure(ROOT);
    const places = new Map<string, IPlaced>();
    this._place(ROOT, { x: 0, y: 0 }, 0, places);
    return { places, routes: this._routes() };
  }

  private _measure(id: string): ISize {
    let size = this._size(id);
    if (this._folding.isOpen(id)) {
      const { children } = this._folding.boxes[id];
      const inside = this._layOut(id, children.map(child => this._measure(child)));
      this._inside.set(id, inside);
      size = {
        width: Math.max(inside.width + 2 * MARGIN, size.width),
        height: inside.height + MARGIN + HEAD
      };
    }
    this._sizes.set(id, size);
    return size;
  }

  private _place(id: string, corner: IPoint, depth: number, places: Map<string, IPlaced>): void {
    const { width, height } = this._sizes.get(id)!;
    const inside = this._inside.get(id);
    if (id !== ROOT) {
      const middle = { x: corner.x + width / 2, y: corner.y + height / 2 };
      places.set(id, { ...middle, width, height, depth, open: !!inside });
    }
    if (!inside) {
      return;
    }
    const origin = { x: corner.x + (width - inside.width) / 2, y: corner.y + HEAD };
    this._corners.set(id, origin);
    this._folding.boxes[id].children.forEach((child, i) => {
      const size = this._sizes.get(child)!;
      const at = {
        x: origin.x + inside.at[i].x - size.width / 2,
        y: origin.y + inside.at[i].y - size.height / 2
      };
      this._place(child, at, depth + 1, places);
    });
  }

  /** One line for each pair of boxes that are seen and linked. */
  private _routes(): IRoute[] {
    const routes = new Map<string, IRoute>();
    for (const holder of this._inside.keys()) {
      for (const { links } of this._folding.boxes[holder].edges) {
        for (const [giver, taker] of links) {
          const from = this._folding.shown(giver);
          const to = this._folding.shown(taker);
          const key = `${from}\n${to}`;
          if (!routes.has(key)) {
            routes.set(key, { from, to, by: this._way(holder, giver, from, to) });
          }
        }
      }
    }
    return [...routes.values()];
  }

  /** From border to border: out of the boxes around the giver, and into those around the taker. */
  private _way(holder: string, giver: string, from: string, to: string): IPoint[] {
    const out = this._folding.above(from);
    const into = this._folding.above(to);
    const start = out.indexOf(holder);
    const points: IPoint[] = [];
    for (let i = out.length - 1; i > start + 1; i--) {
      points.push(...this._line(out[i - 1], out[i], this._ports.out(out[i - 1], giver)));
    }
    points.push(...this._line(holder, out[start + 1], into[start + 1]));
    for (let i = start + 2; i < into.length; i++) {
      points.push(...this._line(into[i - 1], this._ports.into(into[i - 1], giver), into[i]));
    }
    // The first and the last are on the borders of the boxes themselves.
    return points.slice(1, -1);
  }

  private _line(holder: string, from: string, to: string): IPoint[] {
    const corner = this._corners.get(holder)!;
    const { children } = this._folding.boxes[holder];
    const end = (id: string) => {
      const at = children.indexOf(id);
      return at < 0 ? id : String(at);
    };
    const points = this._inside.get(holder)!.by.get(`${end(from)}>${end(to)}`) ?? [];
    return points.map(({ x, y }) => ({ x: corner.x + x, y: corner.y + y }));
  }

  private _layOut(id: string, sizes: ISize[]): ILaidOut {
    const { children, edges } = this._folding.boxes[id];
    const index = new Map(children.map((child, i) => [child, String(i)]));
    const lines: [string, string][] = [
      ...edges.map(({ from, to }): [string, string] => [index.get(from)!, index.get(to)!]),
      ...this._ports.lines(id, index)
    ];
    const key = JSON.stringify([sizes.map(({ width, height }) => [width, height]), lines]);
    let laidOut = this._known.get(key);
    if (!laidOut) {
      laidOut = layOut(sizes, lines);
      this._known.set(key, laidOut);
    }
    return laidOut;
  }

  private _corners = new Map<string, IPoint>();
  private _inside = new Map<string, ILaidOut>();
  private _known = new Map<string, ILaidOut>();
  private _ports: Ports;
  private _sizes = new Map<string, ISize>();
}

function layOut(sizes: ISize[], lines: [string, string][]): ILaidOut {
  const graph = new Graph();
  graph.setGraph({ rankdir: 'TB', nodesep: 18, ranksep: 26, edgesep: 10 });
  sizes.forEach((size, i) => graph.setNode(String(i), { ...size }));
  for (const [from, to] of lines) {
    for (const port of [from, to]) {
      if (!graph.hasNode(port)) {
        graph.setNode(port, { width: 1, height: 1 });
      }
    }
    graph.setEdge(from, to, {});
  }
  layout(graph);
  const { width = 0, height = 0 } = graph.graph() as Partial<ISize>;
  return {
    width,
    height,
    at: sizes.map((_, i) => pointOf(graph.node(String(i)))),
    by: new Map(
      lines.map(([from, to]) => {
        const { points } = graph.edge(from, to) as { points: IPoint[] };
        return [`${from}>${to}`, points.map(pointOf)];
      })
    )
  };
}

function pointOf({ x, y }: Partial<IPoint>): IPoint {
  return { x: x ?? 0, y: y ?? 0 };
}
