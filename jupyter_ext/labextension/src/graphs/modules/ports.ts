import { Folding } from './folding';

/**
 * The values that cross the border of one box: for each giver, the children that take or give it.
 */
interface IBorder {
  into: Map<string, Set<string>>;
  out: Map<string, Set<string>>;
}

/**
 * Where links cross the borders of boxes: one port for each result that comes in, and one for each
 * that goes out. A line leads to its port past the other children instead of behind them.
 */
export class Ports {
  constructor(folding: Folding) {
    for (const [holder, { edges }] of Object.entries(folding.boxes)) {
      for (const [giver, taker] of edges.flatMap(({ links }) => links)) {
        this._cross(folding, holder, giver, giver, 'out');
        this._cross(folding, holder, taker, giver, 'into');
      }
    }
  }

  /** The port of a box by which a giver's result comes in. */
  into(box: string, giver: string): string {
    return port('into', [...this._borders.get(box)!.into.keys()].indexOf(giver));
  }

  /** The port of a box by which a giver's result goes out. */
  out(box: string, giver: string): string {
    return port('out', [...this._borders.get(box)!.out.keys()].indexOf(giver));
  }

  /** Lines between the ports of a box and its children, these by what `names` calls them. */
  lines(box: string, names: Map<string, string>): [string, string][] {
    const lines: [string, string][] = [];
    const { into, out } = this._borders.get(box) ?? { into: new Map(), out: new Map() };
    [...into.values()].forEach((takers: Set<string>, i) =>
      takers.forEach(child => lines.push([port('into', i), names.get(child)!]))
    );
    [...out.values()].forEach((givers: Set<string>, i) =>
      givers.forEach(child => lines.push([names.get(child)!, port('out', i)]))
    );
    return lines;
  }

  /** Note that a giver's result crosses the borders between a call and the box that holds the link. */
  private _cross(
    folding: Folding,
    holder: string,
    call: string,
    giver: string,
    way: keyof IBorder
  ): void {
    let child = call;
    for (let box = folding.boxes[call].parent!; box !== holder; box = folding.boxes[box].parent!) {
      let border = this._borders.get(box);
      if (!border) {
        border = { into: new Map(), out: new Map() };
        this._borders.set(box, border);
      }
      const children = border[way].get(giver) ?? new Set();
      border[way].set(giver, children.add(child));
      child = box;
    }
  }

  private _borders = new Map<string, IBorder>();
}

function port(way: keyof IBorder, index: number): string {
  return `${way}${index}`;
}
