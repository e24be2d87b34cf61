import { IPair } from '../kernel/protocol';

/** What the colours of two graphs side by side say. */
export type Colouring = 'kind' | 'difference' | 'time' | 'place';

export const COLOURINGS: Record<Colouring, string> = {
  difference: 'Difference',
  time: 'Time',
  place: 'Where it runs',
  kind: 'Kind of layer'
};

/** Each is dark enough for white text on it, in both themes. */
const EQUAL = '#2e7d32';
const CLOSE = '#5f7d2e';
const WRONG = '#c62828';
const UNKNOWN = '#6b6b6b';
const TORCH = '#b4460f';
const TARGET = '#2f5bd0';
const COOL = [84, 96, 112];
const HOT = [190, 60, 10];

export interface ILegendEntry {
  colour: string;
  text: string;
}

/** What the colours mean, for the legend. */
export function legend(colouring: Colouring, target: string): ILegendEntry[] {
  switch (colouring) {
    case 'difference':
      return [
        { colour: EQUAL, text: 'same' },
        { colour: CLOSE, text: 'within rounding' },
        { colour: WRONG, text: 'differs' },
        { colour: UNKNOWN, text: 'not compared' }
      ];
    case 'time':
      return [
        { colour: mix(0), text: 'quick' },
        { colour: mix(1), text: 'takes longest' }
      ];
    case 'place':
      return [
        { colour: TARGET, text: target },
        { colour: TORCH, text: 'torch' }
      ];
    case 'kind':
      return [];
  }
}

/**
 * The colour of each node by its name; null leaves them as Netron has them.
 *
 * `side` chooses whose times are shown.
 */
export function colours(
  pair: IPair,
  colouring: Colouring,
  side: 'torch' | 'target'
): Map<string, string> | null {
  if (colouring === 'kind') {
    return null;
  }
  const found = new Map<string, string>();
  const time = (name: string) => {
    const row = pair.rows[name];
    return row ? (side === 'torch' ? row.torchMs : row.targetMs) : 0;
  };
  const longest = Math.max(...Object.keys(pair.rows).map(time), 1e-9);
  const inTorch = new Set(
    Object.values(pair.islands).flatMap(island => island.nodes)
  );
  for (const name of Object.keys(pair.nodes)) {
    if (colouring === 'difference') {
      found.set(name, byDifference(pair, name));
    } else if (colouring === 'time') {
      found.set(name, mix(time(name) / longest));
    } else {
      found.set(name, inTorch.has(name) ? TORCH : TARGET);
    }
  }
  // An island stands for its nodes: the worst, the sum of times, torch.
  for (const [name, island] of Object.entries(pair.islands)) {
    if (colouring === 'difference') {
      const worst = [WRONG, UNKNOWN, CLOSE, EQUAL].find(colour =>
        island.nodes.some(node => found.get(node) === colour)
      );
      found.set(name, worst ?? UNKNOWN);
    } else if (colouring === 'time') {
      const sum = island.nodes.reduce((total, node) => total + time(node), 0);
      found.set(name, mix(Math.min(sum / longest, 1)));
    } else {
      found.set(name, TORCH);
    }
  }
  return found;
}

function byDifference(pair: IPair, name: string): string {
  const row = pair.rows[name];
  if (!row) {
    return UNKNOWN;
  }
  if (!row.equal) {
    return WRONG;
  }
  if (row.random) {
    return UNKNOWN;
  }
  return row.difference === 0 ? EQUAL : CLOSE;
}

function mix(share: number): string {
  const parts = COOL.map((cool, i) => Math.round(cool + share * (HOT[i] - cool)));
  return `rgb(${parts.join(', ')})`;
}
